//! A throttled (corp, API) becomes a level: the least important calls are withheld, the important ones served.
#![cfg(feature = "dagor")]

mod client_fakes;

use std::{sync::Arc, time::Duration};

use client_fakes::{Answer, Fake, Update, builder, secs};
use dagor::{Business, Priority, User};
use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Class, Client, Clock,
    error::Kind,
    limit::{Limits, LocalLimiter, Window},
};

const CALL: Update = Update::of("zhangsan");
/// Of the short window.
const CALLS_A_MINUTE: u32 = 1000;

/// What became of the calls of one importance.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    wanted: u32,
    served: u32,
    withheld: u32,
    limited: u32,
}

fn client(fake: Fake, callee: &dagor::Callee) -> Client<Fake> {
    let limits = Limits::default()
        .minute(Window::new(CALLS_A_MINUTE, secs(60)))
        .hour(Window::new(100_000, secs(3600)));
    let limiter = LocalLimiter::new(limits, Clock::system()).expect("limits in their ranges");
    builder(&client_fakes::Gate::default())
        .limiter(Arc::new(limiter))
        .callee(callee.clone())
        .build_with(fake)
        .expect("settings in their ranges")
}

fn callee() -> dagor::Callee {
    let callee = wecom::callee().clock(dagor::Clock::tokio()).build();
    callee.expect("settings in their ranges")
}

/// Wants `times` what the window allows, a third each of three businesses, and waits 5 s for each call.
async fn want(client: &Client<Fake>, times: f64, lasts: Duration) -> [Tally; 3] {
    let gap = Duration::from_secs(60).div_f64(times * f64::from(CALLS_A_MINUTE));
    let clock = Clock::system();
    let mut calls = JoinSet::new();
    let mut number = 0_u64;
    while clock.now() < lasts {
        let third = u8::try_from(number % 3).unwrap_or(0);
        // A user for each call, in no order.
        let user = User::from_hash(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let priority = Priority::new(Business::new(2 * third), user);
        let client = client.with_priority(priority).with_patience(secs(5));
        calls.spawn(async move { (usize::from(third), client.send(&CALL).await) });
        number += 1;
        sleep(gap).await;
    }
    let mut tallies = [Tally::default(); 3];
    for (third, result) in calls.join_all().await {
        let tally = &mut tallies[third];
        tally.wanted += 1;
        match result.as_ref().map_err(wecom::Error::kind) {
            Ok(_) => tally.served += 1,
            Err(Kind::Withheld(_)) => tally.withheld += 1,
            Err(Kind::Limited { .. }) => tally.limited += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    tallies
}

#[tokio::test(start_paused = true)]
async fn of_twice_and_a_quarter_the_demand_the_important_third_is_served() {
    let fake = Fake::calls(|_| Answer::ok().after(Duration::from_millis(120)));
    let client = client(fake.clone(), &callee());
    let tallies = want(&client, 2.25, secs(900)).await;
    let [first, second, last] = tallies;
    assert_eq!(first.served, first.wanted, "{tallies:?}");
    assert!(second.served > second.wanted / 8, "{tallies:?}");
    // Told at once, instead of after 5 s.
    assert!(last.withheld > last.wanted * 98 / 100, "{tallies:?}");
    let served: u32 = tallies.iter().map(|tally| tally.served).sum();
    assert!(served > CALLS_A_MINUTE * 15 * 85 / 100, "{tallies:?}");
}

#[tokio::test(start_paused = true)]
async fn two_corps_never_affect_each_other() {
    let throttled = Fake::calls(|_| Answer::errcode(45009));
    let callee = callee();
    let busy = client(throttled, &callee);
    let other = wecom::Credential::app("wwother", "secret-of-the-other").unwrap();
    let other = Client::builder(other)
        .callee(callee.clone())
        .build_with(Fake::calls(|_| Answer::ok()))
        .unwrap();
    let important = busy.with_priority(Priority::MOST_IMPORTANT);
    let error = important.send(&CALL).await.unwrap_err();
    assert_eq!(error.class(), Class::Throttled);
    // As long as the block is, and with the limiter's refusals on top.
    for _ in 0..400 {
        let least = Priority::new(Business::LEAST_IMPORTANT, User::from_hash(7));
        let result = busy
            .with_priority(least)
            .with_patience(secs(1))
            .send(&CALL)
            .await;
        assert_eq!(result.unwrap_err().class(), Class::Throttled);
        other.with_priority(least).send(&CALL).await.unwrap();
        sleep(Duration::from_millis(100)).await;
    }
    let snapshot = callee.snapshot();
    let level = |corp: &str| {
        let mut instances = snapshot.instances.iter();
        let instance = instances.find(|instance| instance.instance.starts_with(corp));
        instance.map(|instance| instance.level)
    };
    assert!(level("wwother") > level("ww"), "{snapshot:?}");
    assert!(
        snapshot
            .instances
            .iter()
            .any(|instance| instance.withheld > 0)
    );
}
