//! Corners of the admission, through the public API.

use std::{num::NonZeroUsize, time::Duration};

use dagor::{
    Admission, Business, Clock, Concurrency, Level, Mode, Priority, Progress, Settings, User,
    wire::Outcome,
};

const WINDOW: Duration = Duration::from_millis(100);

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
