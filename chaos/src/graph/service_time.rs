//! Drawing service times.

use std::time::Duration;

use crate::{scenario::ServiceTime, world::Chance};

/// Draws how long a request is worked on.
pub(super) fn sample(time: &ServiceTime, chance: &mut Chance) -> Duration {
    match time {
        ServiceTime::Constant(time) => *time,
        ServiceTime::Exponential(mean) => chance.exponential_time(*mean),
        ServiceTime::Bimodal { short, long } => {
            if chance.below(10) < 9 {
                *short
            } else {
                *long
            }
        }
        ServiceTime::Lognormal { median, sigma } => {
            scale(*median, libm::exp(sigma * chance.normal()))
        }
        ServiceTime::Trace(times) => match times.len() {
            0 => Duration::ZERO,
            many => times[chance.below(many)],
        },
    }
}

/// Returns `time` times `factor`; a day if that is more than a day, which no service time is.
pub(super) fn scale(time: Duration, factor: f64) -> Duration {
    const DAY: Duration = Duration::from_secs(86_400);
    let scaled = Duration::try_from_secs_f64(time.as_secs_f64() * factor);
    scaled.unwrap_or(DAY).min(DAY)
}
