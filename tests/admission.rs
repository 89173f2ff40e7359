//! An admission asked directly, as jobs do.

use std::time::Duration;

use dagor::{Admission, Business, Clock, Level, Priority, User};

/// Jobs of a business that the service does not tell apart, spread over users, waiting too long.
#[tokio::test]
async fn a_business_beyond_the_last_is_judged_as_the_last() {
    let (clock, hand) = Clock::manual();
    let admission = Admission::builder("mailer").clock(clock).build().unwrap();
    for number in 0..2_000_u64 {
        hand.advance(Duration::from_millis(1));
        let user = User::from_hash(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let priority = Priority::new(Business::LEAST_IMPORTANT, user);
        drop(admission.admit(priority, Duration::from_millis(30)).await);
        let last = Priority::new(Business::new(7), User::MOST_IMPORTANT);
        if !admission.level().is_open() && admission.level() > Level::at(last) {
            break;
        }
    }
    let level = admission.level();
    assert!(!level.is_open(), "the level fell, into the last business");
    let best = Priority::new(Business::LEAST_IMPORTANT, User::MOST_IMPORTANT);
    let admitted = admission.admit(best, Duration::ZERO).await;
    assert!(admitted.is_ok(), "the level is {level}");
}
