//! What the faults that a call drew come to together.

use std::time::Duration;

use crate::profile::FaultKind;

/// How a call goes, apart from what it asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    /// How long it takes; it is done at the end of it.
    pub(crate) latency: Duration,
    /// What happens in its place; the first that was drawn.
    pub(crate) instead: Option<Instead>,
    /// Whether it is done and not answered.
    pub(crate) unanswered: bool,
    /// Whether it is done but for the lists, with a warning.
    pub(crate) wrong_json: bool,
    /// How fast the body comes.
    pub(crate) bytes_per_s: Option<u64>,
}

/// What happens in place of a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Instead {
    /// No answer comes.
    Silence,
    /// The connection is reset.
    Reset,
    /// HTTP 502.
    Html502,
    /// This `errcode`.
    Errcode(i64),
}

/// No call takes longer: an answer after an hour is none.
const LONGEST: Duration = Duration::from_secs(3600);

// === impl Plan ===

impl Plan {
    /// Adds up what was drawn for one call.
    pub(crate) fn of(faults: &[FaultKind]) -> Self {
        let mut plan = Self::default();
        for fault in faults {
            match fault {
                FaultKind::Latency { .. } => {
                    let delay = fault.delay().unwrap_or_default();
                    plan.latency = plan.latency.saturating_add(delay).min(LONGEST);
                }
                FaultKind::TimeoutBefore => plan.replace(Instead::Silence),
                FaultKind::TimeoutAfter => plan.unanswered = true,
                FaultKind::Reset => plan.replace(Instead::Reset),
                FaultKind::Html502 => plan.replace(Instead::Html502),
                FaultKind::Busy => plan.replace(Instead::Errcode(-1)),
                FaultKind::WrongJson => plan.wrong_json = true,
                FaultKind::SlowBody { bytes_per_s } => plan.bytes_per_s = Some(*bytes_per_s),
                FaultKind::Errcode { errcode } => plan.replace(Instead::Errcode(*errcode)),
            }
        }
        plan
    }

    fn replace(&mut self, instead: Instead) {
        self.instead.get_or_insert(instead);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latency(ms: f64) -> FaultKind {
        FaultKind::Latency {
            median_ms: ms,
            p99_ms: ms,
        }
    }

    #[test]
    fn latencies_add_up_and_the_first_in_place_of_the_call_wins() {
        let plan = Plan::of(&[
            latency(50.0),
            FaultKind::Reset,
            FaultKind::Busy,
            latency(50.0),
        ]);
        assert_eq!(plan.latency, Duration::from_millis(100));
        assert_eq!(plan.instead, Some(Instead::Reset));
    }

    #[test]
    fn no_call_takes_longer_than_an_hour() {
        let plan = Plan::of(&[latency(3_000_000.0), latency(3_000_000.0)]);
        assert_eq!(plan.latency, LONGEST);
    }
}
