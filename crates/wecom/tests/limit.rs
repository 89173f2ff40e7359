//! The limiter of one process, with callers that wait, are overtaken, go away and lose patience.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Api, Clock, CorpId, Rank,
    limit::{Ask, Limiter, Limits, LocalLimiter, Permit, Refusal, Sign, Window},
};

const API: Api = Api::new("update_contact_way");

fn corp() -> CorpId {
    CorpId::new("ww1").expect("a corp id")
}

fn limiter(limits: Limits) -> LocalLimiter {
    LocalLimiter::new(limits, Clock::system()).expect("the limits are in their ranges")
}

/// Asks for room for one call of the usual (corp, API).
async fn acquire(limiter: &LocalLimiter, rank: u16, patience: Duration) -> Result<Permit, Refusal> {
    let (corp, rank) = (corp(), Rank::new(rank));
    let ask = Ask {
        corp: &corp,
        api: API,
        rank,
        patience,
    };
    limiter.acquire(ask).await
}

fn retry_after(refusal: &Refusal) -> Duration {
    match refusal {
        Refusal::NoRoom { retry_after } => *retry_after,
        other => panic!("{other:?}"),
    }
}

const SECOND: Duration = Duration::from_secs(1);
const LONG: Duration = Duration::from_secs(1000);

/// Lets all other tasks go as far as they can without time passing.
async fn settle_down() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn w1_a_thousand_tasks_have_never_more_than_five_in_flight() {
    let limiter = limiter(Limits::default());
    let (flying, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..1000 {
        let limiter = limiter.clone();
        let (flying, most) = (Arc::clone(&flying), Arc::clone(&most));
        tasks.spawn(async move {
            let permit = acquire(&limiter, 0, LONG).await.unwrap();
            let now = flying.fetch_add(1, Ordering::SeqCst) + 1;
            most.fetch_max(now, Ordering::SeqCst);
            sleep(Duration::from_millis(120)).await;
            flying.fetch_sub(1, Ordering::SeqCst);
            permit.settle(Sign::Served);
        });
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 5);
}

/// A vendor that really allows less than it documents: so many calls in a fixed minute, 45009 and a block after.
struct Vendor {
    allowed: usize,
    sent: Vec<Duration>,
    blocked_until: Duration,
    refusals: usize,
}

impl Vendor {
    fn call(&mut self, now: Duration) -> Sign {
        self.sent.retain(|at| *at + 60 * SECOND > now);
        if now < self.blocked_until || self.sent.len() >= self.allowed {
            self.refusals += 1;
            self.blocked_until = now + 60 * SECOND;
            return Sign::Frequency;
        }
        self.sent.push(now);
        Sign::Served
    }
}

#[tokio::test(start_paused = true)]
async fn w2_a_real_ceiling_of_a_third_is_hit_once_and_kept_below_from_then_on() {
    let (limiter, clock) = (limiter(Limits::default()), Clock::system());
    let mut vendor = Vendor {
        allowed: 3333,
        sent: Vec::new(),
        blocked_until: Duration::ZERO,
        refusals: 0,
    };
    let mut served = 0;
    while clock.now() < 660 * SECOND {
        let permit = acquire(&limiter, 0, LONG).await.unwrap();
        let sign = vendor.call(clock.now());
        if sign == Sign::Served && clock.now() >= 100 * SECOND {
            served += 1;
        }
        permit.settle(sign);
    }
    assert_eq!(vendor.refusals, 1, "45009");
    let allowed = 3333 * 560 / 60;
    let kept = 65 * allowed..=75 * allowed;
    assert!(kept.contains(&(100 * served)), "{served} of {allowed}");
}

#[tokio::test(start_paused = true)]
async fn w2_a_vendor_that_takes_three_at_once_is_found_out() {
    let limiter = limiter(Limits::default());
    let (flying, refused) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    for _ in 0..2000 {
        let (limiter, flying, refused) =
            (limiter.clone(), Arc::clone(&flying), Arc::clone(&refused));
        tasks.spawn(async move {
            let permit = acquire(&limiter, 0, LONG).await.unwrap();
            if flying.fetch_add(1, Ordering::SeqCst) >= 3 {
                refused.fetch_add(1, Ordering::SeqCst);
                flying.fetch_sub(1, Ordering::SeqCst);
                return permit.settle(Sign::Concurrency);
            }
            sleep(Duration::from_millis(50)).await;
            flying.fetch_sub(1, Ordering::SeqCst);
            permit.settle(Sign::Served);
        });
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    let refused = refused.load(Ordering::SeqCst);
    assert!((1..20).contains(&refused), "{refused} of 2000 got 45033");
}

#[tokio::test(start_paused = true)]
async fn two_corps_and_two_apis_never_affect_each_other() {
    let limiter = limiter(Limits::default());
    let (one, other) = (CorpId::new("ww1").unwrap(), CorpId::new("ww2").unwrap());
    let ask = |corp, api| Ask {
        corp,
        api,
        rank: Rank::default(),
        patience: Duration::ZERO,
    };
    let list = Api::new("list_contact_way");
    let permit = limiter.acquire(ask(&one, API)).await.unwrap();
    permit.settle(Sign::Frequency);
    assert!(limiter.acquire(ask(&one, API)).await.is_err());
    assert!(limiter.acquire(ask(&one, list)).await.is_ok());
    assert!(limiter.acquire(ask(&other, API)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn at_three_times_the_rate_the_important_third_is_served() {
    let (limiter, clock) = (limiter(Limits::default()), Clock::system());
    let served = Arc::new(Mutex::new(BTreeMap::<u16, (usize, usize)>::new()));
    let mut tasks = JoinSet::new();
    // A third of 3 x 10,000 a minute: all that is allowed.
    let gap = Duration::from_millis(6);
    while clock.now() < 120 * SECOND {
        for rank in [0, 1000, 60_000] {
            let (limiter, served) = (limiter.clone(), Arc::clone(&served));
            tasks.spawn(async move {
                let result = acquire(&limiter, rank, 5 * SECOND).await;
                let count = usize::from(result.is_ok());
                if let Ok(permit) = result {
                    sleep(Duration::from_millis(15)).await;
                    permit.settle(Sign::Served);
                }
                let mut served = served.lock().unwrap();
                let (ok, all) = served.entry(rank).or_default();
                (*ok, *all) = (*ok + count, *all + 1);
            });
        }
        sleep(gap).await;
        while tasks.try_join_next().is_some() {}
    }
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    let served = served.lock().unwrap();
    let (ok, all) = served[&0];
    assert!(100 * ok >= 99 * all, "{served:?}");
    assert!(
        10 * served[&60_000].0 <= all,
        "there is no room: {served:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_waits_goes_by_rank_and_then_by_arrival() {
    let limiter = limiter(Limits::default().concurrency(1));
    let first = acquire(&limiter, 0, SECOND).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    for (number, rank) in [5, 0, 9, 0, 5, 3, 9].into_iter().enumerate() {
        let (limiter, order) = (limiter.clone(), Arc::clone(&order));
        tasks.spawn(async move {
            let permit = acquire(&limiter, rank, LONG).await.unwrap();
            order.lock().unwrap().push((rank, number));
            permit.settle(Sign::Served);
        });
        settle_down().await;
    }
    first.settle(Sign::Served);
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    let order = order.lock().unwrap().clone();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!(order.len(), 7);
}

#[tokio::test(start_paused = true)]
async fn who_comes_later_but_is_more_important_is_asked_for_at_once() {
    // One call a second and a half; two at once.
    let limits = Limits::default().concurrency(1);
    let limits = limits.minute(Window::new(43, 60 * SECOND)).burst(2);
    let (limiter, clock) = (limiter(limits), Clock::system());
    for _ in 0..2 {
        acquire(&limiter, 0, SECOND)
            .await
            .unwrap()
            .settle(Sign::Served);
    }
    let waits = |rank| {
        let limiter = limiter.clone();
        tokio::spawn(async move {
            let permit = acquire(&limiter, rank, LONG).await.unwrap();
            permit.settle(Sign::Served);
            clock.now()
        })
    };
    let unimportant = waits(u16::MAX);
    settle_down().await;
    let important = waits(0);
    let (important, unimportant) = (important.await.unwrap(), unimportant.await.unwrap());
    assert!(
        important < unimportant && important < 1600 * SECOND / 1000,
        "{important:?} and {unimportant:?}: half the credit is kept for the important"
    );
}

#[tokio::test(start_paused = true)]
async fn who_goes_away_leaves_no_trace() {
    let (limiter, clock) = (limiter(Limits::default().concurrency(1)), Clock::system());
    let first = acquire(&limiter, 0, SECOND).await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..100 {
        let limiter = limiter.clone();
        waiting.push(tokio::spawn(async move {
            acquire(&limiter, 0, LONG).await.map(drop)
        }));
        settle_down().await;
    }
    let last = tokio::spawn({
        let limiter = limiter.clone();
        async move { acquire(&limiter, 9, LONG).await }
    });
    settle_down().await;
    for task in &waiting {
        task.abort();
    }
    settle_down().await;
    first.settle(Sign::Served);
    let permit = last.await.unwrap().unwrap();
    assert_eq!(
        clock.now(),
        Duration::ZERO,
        "nobody in between took anything"
    );
    drop(permit);
}

#[tokio::test(start_paused = true)]
async fn room_that_nobody_takes_any_more_is_given_to_the_next() {
    let limiter = limiter(Limits::default().concurrency(1));
    for _ in 0..20 {
        let first = acquire(&limiter, 0, SECOND).await.unwrap();
        let (corp, rank) = (corp(), Rank::default());
        let ask = Ask {
            corp: &corp,
            api: API,
            rank,
            patience: SECOND,
        };
        let mut lost = limiter.acquire(ask);
        // It waits, is given room, and goes away without having looked.
        tokio::select! {
            biased;
            _ = &mut lost => panic!("there was no room"),
            () = settle_down() => {}
        }
        first.settle(Sign::Served);
        settle_down().await;
        drop(lost);
        settle_down().await;
    }
    // 20 calls were made and 20 were not; 25 at once are allowed.
    let permit = acquire(&limiter, 0, Duration::ZERO).await;
    assert!(permit.is_ok(), "{permit:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_would_be_in_vain_is_refused_at_once() {
    let (limiter, clock) = (limiter(Limits::default()), Clock::system());
    let permit = acquire(&limiter, 0, SECOND).await.unwrap();
    let waiting = tokio::spawn({
        let limiter = limiter.clone();
        async move {
            let mut held = Vec::new();
            loop {
                match acquire(&limiter, 0, 5 * SECOND).await {
                    Ok(permit) => held.push(permit),
                    Err(refusal) => return retry_after(&refusal),
                }
            }
        }
    });
    settle_down().await;
    permit.settle(Sign::Frequency);
    let told = waiting.await.unwrap();
    assert_eq!(told, 60 * SECOND, "who waited already is told too");
    let refusal = acquire(&limiter, 0, 59 * SECOND).await.unwrap_err();
    assert_eq!(retry_after(&refusal), 60 * SECOND);
    assert_eq!(clock.now(), Duration::ZERO);
    assert!(acquire(&limiter, 0, 60 * SECOND).await.is_ok());
    assert_eq!(clock.now().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn patience_ends_when_it_was_said_to_end() {
    let (limiter, clock) = (limiter(Limits::default().concurrency(1)), Clock::system());
    let _held = acquire(&limiter, 0, SECOND).await.unwrap();
    for patience in [Duration::ZERO, Duration::from_millis(70), 3 * SECOND] {
        let start = clock.now();
        let refusal = acquire(&limiter, 0, patience).await.unwrap_err();
        assert!(retry_after(&refusal) > Duration::ZERO);
        let waited = clock.now() - start;
        assert!(
            waited >= patience && waited <= patience + 2 * SECOND / 1000,
            "{waited:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_too_long_to_be_served_in_time_takes_no_more() {
    let (limiter, clock) = (limiter(Limits::default()), Clock::system());
    let mut tasks = JoinSet::new();
    let refused = Arc::new(AtomicUsize::new(0));
    for _ in 0..3000 {
        let (limiter, refused) = (limiter.clone(), Arc::clone(&refused));
        tasks.spawn(async move {
            match acquire(&limiter, 0, 5 * SECOND).await {
                Ok(permit) => permit.settle(Sign::Served),
                Err(_) => {
                    refused.fetch_add(1, Ordering::SeqCst);
                }
            }
        });
    }
    settle_down().await;
    let at_once = refused.load(Ordering::SeqCst);
    assert_eq!(clock.now(), Duration::ZERO);
    assert!(
        (2100..2200).contains(&at_once),
        "830 in 5 s can be served: {at_once}"
    );
    while let Some(result) = tasks.join_next().await {
        result.unwrap();
    }
    let in_vain = refused.load(Ordering::SeqCst) - at_once;
    assert!(
        in_vain <= 25,
        "all but a burst of the others were served: {in_vain} were not"
    );
}

#[tokio::test(start_paused = true)]
async fn a_full_line_lets_the_least_important_go() {
    let limiter = limiter(Limits::default().concurrency(1).waiting(3));
    let held = acquire(&limiter, 0, SECOND).await.unwrap();
    let mut tasks = Vec::new();
    for rank in [5, 7, 6] {
        let limiter = limiter.clone();
        tasks.push(tokio::spawn(async move {
            acquire(&limiter, rank, LONG)
                .await
                .map(|permit| permit.settle(Sign::Served))
        }));
        settle_down().await;
    }
    assert!(
        acquire(&limiter, 7, LONG).await.is_err(),
        "not more important than the last"
    );
    let better = tokio::spawn({
        let limiter = limiter.clone();
        async move {
            acquire(&limiter, 1, LONG)
                .await
                .map(|permit| permit.settle(Sign::Served))
        }
    });
    settle_down().await;
    held.settle(Sign::Served);
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap().is_ok());
    }
    assert_eq!(results, [true, false, true]);
    assert!(better.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_is_kept_of_idle_tenants_is_forgotten() {
    let limiter = limiter(Limits::default());
    let call = async |number: u32| {
        let corp = CorpId::new(&format!("ww{number}")).unwrap();
        let ask = Ask {
            corp: &corp,
            api: API,
            rank: Rank::default(),
            patience: SECOND,
        };
        let permit = limiter.acquire(ask).await.unwrap();
        let sign = if number == 7 {
            Sign::Frequency
        } else {
            Sign::Served
        };
        permit.settle(sign);
    };
    for number in 0..30_000 {
        call(number).await;
    }
    assert_eq!(limiter.kept(), 30_000, "all were called within the hour");
    // Longer than the hour, not as long as a ceiling is remembered of the one that was refused.
    sleep(3700 * SECOND).await;
    for number in 30_000..60_000 {
        call(number).await;
    }
    let kept = limiter.kept();
    assert!(kept < 35_000, "{kept}: the idle ones are gone");
}

#[tokio::test(start_paused = true)]
async fn a_tenant_that_is_blocked_is_not_forgotten() {
    let limits = Limits::default().block(20_000 * SECOND, 20_000 * SECOND, SECOND);
    let limiter = limiter(limits);
    acquire(&limiter, 0, SECOND)
        .await
        .unwrap()
        .settle(Sign::Frequency);
    sleep(10_000 * SECOND).await;
    for number in 0..10_000 {
        let corp = CorpId::new(&format!("other{number}")).unwrap();
        let ask = Ask {
            corp: &corp,
            api: API,
            rank: Rank::default(),
            patience: SECOND,
        };
        drop(limiter.acquire(ask).await.unwrap());
    }
    assert!(acquire(&limiter, 0, SECOND).await.is_err());
}

#[test]
fn a_runtime_that_ends_leaves_nobody_waiting_for_ever() {
    let limiter = limiter(Limits::default().concurrency(1));
    let runtime = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
    };
    let held = runtime().block_on(async {
        let held = acquire(&limiter, 0, SECOND).await.unwrap();
        let limiter = limiter.clone();
        tokio::spawn(async move { acquire(&limiter, 0, LONG).await });
        settle_down().await;
        held
    });
    // The task that asked went with the runtime.
    runtime().block_on(async {
        let waiting = acquire(&limiter, 0, LONG);
        let settled = async {
            settle_down().await;
            held.settle(Sign::Served);
        };
        let (result, ()) = tokio::join!(waiting, settled);
        assert!(result.is_ok(), "{result:?}");
    });
}

#[test]
fn limits_out_of_range_are_named() {
    let seconds = Duration::from_secs;
    let limits = Limits::default;
    let wrong = [
        (limits().concurrency(1001), "concurrency"),
        (limits().minute(Window::new(6, seconds(60))), "minute.calls"),
        (
            limits().minute(Window::new(10_000_001, seconds(60))),
            "minute.calls",
        ),
        (limits().hour(Window::new(6, seconds(3600))), "hour.calls"),
        (limits().hour(Window::new(100, seconds(59))), "hour.length"),
        (
            limits().minute(Window::new(100, seconds(0))),
            "minute.length",
        ),
        (limits().burst(0), "burst"),
        (limits().burst(1001), "burst"),
        (limits().skew(seconds(61)), "skew"),
        (limits().reserve_percent(91), "reserve_percent"),
        (limits().waiting(0), "waiting"),
        (limits().lease(seconds(3601)), "lease"),
        (
            limits().block(seconds(0), seconds(1), seconds(1)),
            "block.first",
        ),
        (
            limits().block(seconds(1), seconds(8 * 86_400), seconds(1)),
            "block.repeated",
        ),
        (limits().ceiling(0, 5), "ceiling.keep_percent"),
        (limits().ceiling(70, 101), "ceiling.recovery_percent"),
        (limits().hold(seconds(2), seconds(1)), "hold.longest"),
        (
            limits().after_concurrency(seconds(61), 1),
            "after_concurrency.pause",
        ),
        (
            limits().after_concurrency(seconds(1), 0),
            "after_concurrency.successes",
        ),
        (
            limits().after_abnormal(seconds(2), seconds(1)),
            "after_abnormal.longest",
        ),
    ];
    for (limits, field) in wrong {
        let error = LocalLimiter::new(limits, Clock::system()).unwrap_err();
        assert_eq!(error.field(), field, "{error}");
    }
    assert!(LocalLimiter::new(limits().faster(100), Clock::system()).is_ok());
    assert!(LocalLimiter::new(limits().faster(0), Clock::system()).is_ok());
}
