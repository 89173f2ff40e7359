//! What the tests of peers that talk have in common.

use std::time::Duration;

use crate::{
    policy::{
        Arrival,
        peer::plant::{Setup, Sight},
    },
    wire::Call,
};

pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const MS: Duration = Duration::from_millis(1);

/// A call of this importance and place, with most of an hour left.
pub(super) fn call(number: u8, place: u16) -> Call {
    Call {
        task: 1,
        business: 0,
        number,
        user: 0,
        place,
        deadline: 3600 * SECOND,
        draw: 0,
    }
}

/// A request of it.
pub(super) fn arrival(call: Call, at: Duration, ask: Option<&str>) -> Arrival {
    let ask = ask.map(Into::into);
    Arrival { call, at, ask }
}

/// The reference cell with loads from these seconds on, for so many seconds.
pub(super) fn steps(loads: &[(u32, f64)], seconds: u32) -> Setup {
    let load = loads.iter().map(|&(from, load)| (from * SECOND, load));
    Setup {
        load: load.collect(),
        length: seconds * SECOND,
        warm_up: seconds * SECOND / 4,
        ..Setup::default()
    }
}

/// That two numbers are the same but for rounding.
#[track_caller]
pub(super) fn assert_close(left: f64, right: f64) {
    assert!((left - right).abs() < 1e-9, "{left} for {right}");
}

/// How many of these moments lie in this time.
pub(super) fn within(moments: &[Duration], from: Duration, until: Duration) -> usize {
    let within = |&&at: &&Duration| at >= from && at < until;
    moments.iter().filter(within).count()
}

/// The mean and the standard deviation of the levels in this time.
pub(super) fn levels(sight: &Sight, from: Duration, until: Duration) -> (f64, f64) {
    let levels = sight
        .levels
        .iter()
        .filter(|(at, ..)| *at >= from && *at < until);
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for (.., level) in levels {
        count += 1.0;
        sum += level;
        squares += level * level;
    }
    let mean = sum / count;
    (mean, libm::sqrt((squares / count - mean * mean).max(0.0)))
}
