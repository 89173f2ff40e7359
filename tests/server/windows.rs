//! What the level does over time: cold starts, quiet services, waits without a cure, odd mixes.

use std::time::Duration;

use dagor::{
    Admission, Business, Clock, Concurrency, Level, Priority, Progress, User, admission::Builder,
    control::Verdict, observe::WindowClosed,
};
use futures_util::future::join_all;
use http::Response;
use http_body_util::Full;

use crate::support::{
    Ear, Random, Tally, asked, call, get, ms, offer, priority, protect, secs, sleeper,
};

fn builder() -> (Builder, Ear) {
    let ear = Ear::default();
    let builder = Admission::builder("windows")
        .clock(Clock::tokio())
        .observer(ear.clone());
    (builder, ear)
}

#[tokio::test(start_paused = true)]
async fn o3_a_burst_at_a_cold_start_is_served() {
    let (builder, ear) = builder();
    let admission = builder.build().unwrap();
    assert!(admission.level().is_open(), "an open start");
    let service = sleeper(&admission, ms(1));
    let mut random = Random::new(3);
    let calls = (0..200).map(|_| {
        let business = u8::try_from(random.below(8)).unwrap();
        call(&service, asked(random.user(business)))
    });
    for response in join_all(calls).await {
        assert_eq!(response.status(), 200);
    }
    tokio::time::sleep(secs(1)).await;
    assert!(admission.level().is_open());
    assert_eq!(admission.snapshot().shed(), 0);
    assert!(ear.heard().edges.is_empty(), "nor did it close meanwhile");
}

#[tokio::test(start_paused = true)]
async fn o4_a_few_slow_requests_are_no_verdict() {
    let (builder, ear) = builder();
    let admission = builder.build().unwrap();
    let waits = admission.clone();
    let service = protect(&admission, move |request| {
        let slow = request.uri().path() == "/slow";
        let waits = waits.clone();
        async move {
            if slow {
                tokio::time::sleep(secs(8)).await;
                waits.report_wait(secs(8));
            }
            Response::new(Full::default())
        }
    });
    for request in 0..30 {
        match request % 3 {
            0 => drop(admission.admit(priority(7, 127), secs(8)).await.unwrap()),
            1 => assert_eq!(call(&service, get("/slow")).await.status(), 200),
            _ => assert_eq!(call(&service, get("/")).await.status(), 200),
        }
        assert!(admission.level().is_open());
        tokio::time::sleep(secs(20)).await;
    }
    let windows = ear.heard().windows;
    assert!(
        windows
            .iter()
            .any(|window| window.verdict == Verdict::TooFew)
    );
    assert!(
        windows
            .iter()
            .all(|window| window.verdict != Verdict::Overloaded),
        "one slow request in a quiet minute is not overload"
    );
}

/// A disk that takes its time however few ask it; and one where hardly anybody is left to ask.
#[tokio::test(start_paused = true)]
async fn o6_waits_without_a_cure_stop_at_a_floor() {
    stalls(500, ms(300)).await;
    stalls(200, ms(30)).await;
}

async fn stalls(per_second: u64, wait: Duration) {
    let (builder, ear) = builder();
    let admission = builder
        .concurrency(Concurrency::Fixed(1000.try_into().unwrap()))
        .build()
        .unwrap();
    let disk = admission.clone();
    let service = protect(&admission, move |_| {
        let disk = disk.clone();
        async move {
            tokio::time::sleep(wait).await;
            disk.report_wait(wait);
            Response::new(Full::default())
        }
    });
    let mut random = Random::new(6);
    let load = tokio::spawn(async move {
        let next = || {
            let business = u8::try_from(random.below(8)).unwrap();
            random.user(business)
        };
        offer(&service, per_second, secs(25), next).await
    });
    let admitted = || {
        let businesses = admission.snapshot().businesses;
        businesses
            .iter()
            .map(|counts| counts.admitted())
            .sum::<u64>()
    };
    tokio::time::sleep(secs(15)).await;
    ear.clear();
    for second in 0..10 {
        let before = admitted();
        tokio::time::sleep(secs(1)).await;
        assert!(admitted() > before, "nobody passes in second {second}");
    }
    let heard = ear.heard();
    let lowest = heard.windows.iter().map(|window| window.level).min();
    assert!(
        lowest > Some(Level::FLOOR),
        "stops above the floor: {lowest:?}"
    );
    assert!(
        heard.edges.is_empty(),
        "and stays closed: {:?}",
        heard.edges
    );
    load.await.unwrap();
}

/// A service of 1,000 requests a second: two at a time, 2 ms each.
const CAPACITY: u64 = 1000;

/// Offers three times the capacity for `time` and returns what became of the last `time - 1 s` of it.
async fn at_three_times(
    admission: &Admission,
    ear: &Ear,
    mut next: impl FnMut() -> Priority,
) -> Tally {
    let service = sleeper(admission, ms(2));
    offer(&service, 3 * CAPACITY, secs(1), &mut next).await;
    ear.clear();
    offer(&service, 3 * CAPACITY, secs(3), next).await
}

/// The level moved, served the capacity, and did not go from open to closed and back all the time.
fn assert_steady(tally: Tally, ear: &Ear) {
    let heard = ear.heard();
    let goodput = tally.share_of(3000.0);
    assert!(goodput >= 0.9, "goodput {goodput}, {tally:?}");
    assert!(heard.edges.len() <= 2, "flaps: {:?}", heard.edges);
}

fn small() -> (Admission, Ear) {
    let (builder, ear) = builder();
    let admission = builder
        .concurrency(Concurrency::Fixed(2.try_into().unwrap()))
        .build()
        .unwrap();
    (admission, ear)
}

#[tokio::test(start_paused = true)]
async fn o22_one_business_carries_nearly_everything() {
    let (admission, ear) = small();
    let mut random = Random::new(22);
    let next = || {
        let most = random.below(100) < 95;
        let business = if most {
            3
        } else {
            u8::try_from(random.below(8)).unwrap()
        };
        random.user(business)
    };
    let tally = at_three_times(&admission, &ear, next).await;
    assert_steady(tally, &ear);
    let level = admission.level();
    let inside = Level::at(priority(3, 0))..Level::at(priority(4, 0));
    assert!(
        inside.contains(&level),
        "cuts inside the business: {level:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn o22_all_users_are_one_user() {
    for sub_level in [0, 100, 255] {
        let (admission, ear) = small();
        let user = User::new(60, sub_level).unwrap();
        let only = Priority::new(Business::new(3), user);
        let tally = at_three_times(&admission, &ear, || only).await;
        assert_steady(tally, &ear);
    }
}

#[tokio::test(start_paused = true)]
async fn o22_a_priority_never_seen_is_served_when_there_is_room() {
    let (admission, ear) = small();
    let mut random = Random::new(0x22);
    at_three_times(&admission, &ear, || random.user(4)).await;
    let service = sleeper(&admission, ms(2));
    for stranger in [priority(255, 127), priority(0, 0)] {
        // The unimportant one waits for the level to open, which it must.
        let open = tokio::time::timeout(secs(10), async {
            while call(&service, asked(stranger)).await.status() != 200 {
                tokio::time::sleep(ms(50)).await;
            }
        });
        assert!(open.await.is_ok(), "{stranger:?} is locked out");
    }
}

#[tokio::test(start_paused = true)]
async fn the_level_opens_again_when_the_load_is_gone() {
    let (admission, ear) = small();
    let mut random = Random::new(1);
    at_three_times(&admission, &ear, || random.user(4)).await;
    assert!(!admission.level().is_open());
    let service = sleeper(&admission, ms(2));
    let calm = |random: &mut Random| random.user(4);
    offer(&service, CAPACITY / 2, secs(3), || calm(&mut random)).await;
    let after: Duration = secs(2);
    let tally = offer(&service, CAPACITY / 2, after, || calm(&mut random)).await;
    assert_eq!(tally.refused, 0);
    assert!(admission.level().is_open());
}

#[tokio::test(start_paused = true)]
async fn the_level_opens_by_time_alone() {
    let (admission, ear) = small();
    let mut random = Random::new(2);
    at_three_times(&admission, &ear, || random.user(4)).await;
    assert!(!admission.level().is_open());
    // No request and no snapshot: nobody but the clock.
    tokio::time::sleep(secs(2)).await;
    assert!(admission.level().is_open());
    let windows = ear.heard().windows.len();
    tokio::time::sleep(secs(600)).await;
    let later = ear.heard().windows.len();
    assert!(
        later <= windows + 1,
        "and then it rests: {windows}, {later}"
    );
}

/// Those refused wait nowhere: they must not make the wait of those admitted look shorter than it is.
#[tokio::test(start_paused = true)]
async fn a_wait_inside_counts_in_full_however_many_are_refused() {
    let (builder, ear) = builder();
    let admission = builder.concurrency(Concurrency::Unlimited).build().unwrap();
    let mut random = Random::new(12);
    for _ in 0..2000 {
        let business = u8::try_from(random.below(8)).unwrap();
        let decided = admission.decide(random.user(business), Progress::New);
        if decided.is_ok() {
            admission.report_wait(ms(30));
        }
        tokio::time::sleep(ms(1)).await;
    }
    let windows = ear.heard().windows;
    let shed = admission.snapshot().shed();
    assert!(
        shed > 300,
        "{shed} of 2,000 were refused in 20 steps of 5 %"
    );
    let odd = |window: &&WindowClosed| window.queuing_time.abs_diff(ms(30)) > ms(6);
    assert_eq!(windows.iter().filter(odd).count(), 0, "{windows:#?}");
}
