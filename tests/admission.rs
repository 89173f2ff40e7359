//! Corners of the admission, through the public API.
#![expect(clippy::unwrap_used, reason = "a helper that fails fails its test")]

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use dagor::{
    Admission, Business, Clock, Concurrency, Level, Mode, Priority, Progress, Settings, User,
    control::Verdict,
    observe::{Advice, Observer},
    wire::{Outcome, PriorityField},
};

const WINDOW: Duration = Duration::from_millis(100);

/// Keeps every advice.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<Advice>>>);

impl Observer for Ear {
    fn advice(&self, _: &str, advice: &Advice) {
        self.0.lock().unwrap().push(advice.clone());
    }
}

fn user(level: u8) -> Priority {
    Priority::new(Business::LEAST_IMPORTANT, User::new(level, 0).unwrap())
}

fn settings(mode: Mode) -> Settings {
    Settings {
        mode,
        concurrency: Concurrency::Fixed(NonZeroUsize::new(1000).unwrap()),
        ..Settings::default()
    }
}

/// One window of requests from each user of the last business, all served after a wait of `waited`.
async fn window(admission: &Admission, waited: Duration) {
    for level in 0..128 {
        drop(admission.admit(user(level), waited).await);
    }
}

#[tokio::test]
async fn a_business_beyond_the_last_is_judged_as_the_last() {
    let (clock, hand) = Clock::manual();
    let builder = Admission::builder("orders").clock(clock);
    let admission = builder.settings(settings(Mode::Enforce)).build().unwrap();
    window(&admission, 10 * WINDOW).await;
    hand.advance(WINDOW);
    let first = admission.admit(user(0), Duration::ZERO).await;
    let last = Priority::new(Business::new(7), User::new(0, 0).unwrap());
    assert!(!admission.level().is_open());
    assert!(admission.level().admits(last, Progress::New));
    assert!(first.is_ok(), "business 255 of 8 is business 7: {first:?}");
    let worst = admission.admit(user(127), Duration::ZERO).await;
    assert!(worst.is_err());
}

/// Callers withhold what the level on the answers refuses: told by a service that only observes, or is off,
/// it would be carried out all the same.
#[tokio::test]
async fn only_an_enforced_level_is_told_to_callers() {
    for mode in [Mode::Observe, Mode::Off] {
        let (clock, hand) = Clock::manual();
        let builder = Admission::builder("orders").clock(clock);
        let admission = builder.settings(settings(Mode::Enforce)).build().unwrap();
        let _running = admission.admit(user(0), Duration::ZERO).await;
        window(&admission, 10 * WINDOW).await;
        hand.advance(WINDOW);
        drop(admission.snapshot());
        let told = || admission.level_field(Outcome::Processed).level;
        assert!(!told().is_open());
        admission.set_mode(mode);
        assert_eq!(told(), Level::OPEN, "{mode}");
        hand.advance(WINDOW);
        drop(admission.snapshot());
        assert_eq!(told(), Level::OPEN, "{mode}, a window later");
    }
}

#[test]
fn settings_changed_by_two_threads_are_all_in_force() {
    const ROUNDS: u64 = 1000;
    let admission = Admission::builder("orders").build().unwrap();
    // One counts the rounds begun, the other those ended: a barrier would wake the two one after the other.
    let (begun, ended) = (AtomicU64::new(0), AtomicU64::new(0));
    let wait_for = |count: &AtomicU64, round| {
        let mut looks = 0_u32;
        while count.load(Ordering::Acquire) < round {
            looks += 1;
            if looks.is_multiple_of(1024) {
                std::thread::yield_now();
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for round in 1..=ROUNDS {
                wait_for(&begun, round);
                admission.set_mode([Mode::Observe, Mode::Enforce][usize::from(round % 2 == 0)]);
                ended.store(round, Ordering::Release);
            }
        });
        let mut lost = 0;
        for round in 1..=ROUNDS {
            let mut settings = Settings::default();
            settings.constants.threshold = Duration::from_millis(20 + round % 100);
            let threshold = settings.constants.threshold;
            begun.store(round, Ordering::Release);
            admission.reload(settings).unwrap();
            wait_for(&ended, round);
            let now = admission.settings();
            let limited = admission.snapshot().permits.is_some();
            lost += u32::from(
                now.constants.threshold != threshold
                    || now.mode != admission.mode()
                    || limited != (now.mode == Mode::Enforce),
            );
        }
        assert_eq!(lost, 0, "of {ROUNDS}");
    });
}

#[tokio::test]
async fn no_wait_or_budget_is_too_long_to_be_added() {
    let admission = Admission::builder("orders").build().unwrap();
    let call = PriorityField {
        budget: Some(Duration::MAX),
        ..PriorityField::new(Priority::MOST_IMPORTANT)
    };
    let admitted = admission.admit_call(&call, Duration::MAX).await.unwrap();
    assert_eq!(admitted.waited(), Duration::MAX);
}

/// Neither a handful of slow ones nor a long backlog.
#[tokio::test]
async fn a_gate_is_not_called_blind_for_what_jobs_waited() {
    let ear = Ear::default();
    let (clock, hand) = Clock::manual();
    let builder = Admission::builder("orders")
        .clock(clock)
        .observer(ear.clone());
    let admission = builder.settings(settings(Mode::Enforce)).build().unwrap();
    for _ in 0..3 {
        drop(admission.admit(user(0), 3 * WINDOW).await);
    }
    hand.advance(WINDOW);
    drop(admission.snapshot());
    assert_eq!(*ear.0.lock().unwrap(), []);
    // A backlog of jobs waits in its queue, not in sockets; the gate must not fall back for it.
    for _ in 0..20 {
        window(&admission, WINDOW).await;
        hand.advance(WINDOW);
        drop(admission.snapshot());
    }
    assert!(!admission.level().is_open(), "it is overload all the same");
    assert_eq!(*ear.0.lock().unwrap(), []);
}

#[tokio::test]
async fn queuing_times_of_an_hour_ago_are_not_those_of_the_last_seconds() {
    let (clock, hand) = Clock::manual();
    let admission = Admission::builder("orders").clock(clock).build().unwrap();
    window(&admission, WINDOW).await;
    assert_eq!(admission.snapshot().queuing.count, 128);
    hand.advance(Duration::from_secs(3600));
    assert_eq!(admission.snapshot().queuing.count, 0);
}

/// The dispatcher ends by a panic where there is no timer, and says so while it unwinds: a second panic would
/// take the process with it.
#[test]
fn an_observer_that_panics_at_advice_does_not_end_the_process() {
    struct Panics;
    impl Observer for Panics {
        fn advice(&self, _: &str, _: &Advice) {
            panic!("on purpose");
        }
    }
    let builder = Admission::builder("orders").observer(Panics);
    let admission = builder.settings(settings(Mode::Enforce)).build().unwrap();
    let no_timer = tokio::runtime::Builder::new_current_thread().build();
    no_timer.unwrap().block_on(async {
        for _ in 0..3 {
            let admitted = admission.admit(user(0), Duration::ZERO).await;
            assert!(admitted.is_ok(), "{admitted:?}");
            tokio::task::yield_now().await;
        }
    });
}

#[tokio::test]
async fn a_snapshot_says_what_the_last_window_was_judged_to_be() {
    let (clock, hand) = Clock::manual();
    let builder = Admission::builder("orders").clock(clock);
    let admission = builder.settings(settings(Mode::Enforce)).build().unwrap();
    let first_line = || {
        admission
            .snapshot()
            .to_string()
            .lines()
            .next()
            .map(String::from)
    };
    let verdict = || admission.snapshot().verdict;
    assert_eq!(verdict(), None);
    let expected = "orders (enforce): level open, 0 wanted, 0 shed";
    assert_eq!(first_line().as_deref(), Some(expected));

    for (waited, expected) in [
        (Duration::ZERO, Verdict::Calm),
        (10 * WINDOW, Verdict::Overloaded),
    ] {
        window(&admission, waited).await;
        hand.advance(WINDOW);
        assert_eq!(verdict(), Some(expected));
    }
    let line = first_line().unwrap();
    assert!(
        line.contains(", last window overloaded, 256 wanted"),
        "{line}"
    );

    drop(admission.admit(user(0), 10 * WINDOW).await);
    hand.advance(WINDOW);
    assert_eq!(verdict(), Some(Verdict::TooFew));
    hand.advance(WINDOW);
    assert_eq!(verdict(), Some(Verdict::Idle));
    admission.set_mode(Mode::Off);
    assert_eq!(verdict(), None, "nothing is judged then");
}
