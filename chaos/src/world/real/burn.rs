//! A fixed amount of arithmetic for a span of time.

use std::{hint::black_box, sync::OnceLock, time::Duration};

use dagor::Clock;

/// Rounds a nanosecond that this machine does when nobody disturbs it.
static SPEED: OnceLock<f64> = OnceLock::new();

/// Finds out how fast this machine is, once.
pub(super) fn calibrate() -> f64 {
    *SPEED.get_or_init(measure)
}

/// Does as much as takes `span` of an undisturbed core.
pub(super) fn burn(span: Duration) {
    if span.is_zero() {
        return;
    }
    let rounds = span.as_secs_f64() * 1e9 * calibrate();
    // The cast saturates: nobody waits for the end of that.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    arithmetic(rounds as u64);
}

/// Rounds of one try: about 0.1 ms, so that most tries are over before the system takes the core away.
const TRIAL: u32 = 50_000;

fn measure() -> f64 {
    let clock = Clock::system();
    // The best of many: whatever else runs on the core can only make a try slower.
    let best = (0..100).map(|_| {
        let began = clock.now();
        arithmetic(TRIAL.into());
        clock.now().saturating_sub(began)
    });
    let best = best.min().unwrap_or_default().as_secs_f64() * 1e9;
    f64::from(TRIAL) / best.max(1.0)
}

#[inline(never)]
fn arithmetic(rounds: u64) {
    let mut x = 88_172_645_463_325_252_u64;
    for _ in 0..rounds {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}
