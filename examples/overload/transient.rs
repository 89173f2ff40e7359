//! What happens in the seconds after the load jumps up, and after it drops again.

use std::time::Duration;

use super::{
    policy::Policy,
    profile::Phase,
    row::ms,
    tally::{BIN, Tally},
};

/// The load before the jump, between jump and drop, and after the drop.
pub(crate) const PHASES: [Phase; 3] = [
    Phase {
        lasts: Duration::from_millis(1_500),
        load: 1.0,
    },
    Phase {
        lasts: Duration::from_millis(2_500),
        load: 10.0,
    },
    Phase {
        lasts: Duration::from_millis(4_000),
        load: 0.8,
    },
];

/// The mean wait that a service should be back under soon after a jump.
pub(crate) const SETTLED: Duration = Duration::from_millis(40);

/// The time series of one policy. Times are in seconds since the jump.
#[derive(Clone, Debug)]
pub(crate) struct Transient {
    pub(crate) policy: Policy,
    pub(crate) bins: Vec<Bin>,
    /// From when on the mean wait of every bin stays at or below [`SETTLED`], until the drop; `None`
    /// if it never does.
    pub(crate) settled_s: Option<f64>,
    /// The longest mean wait of a bin between jump and drop.
    pub(crate) worst_ms: Option<f64>,
    /// The last refusal on either side, since the drop, to the bin; `None` if there was none.
    pub(crate) last_refusal_s: Option<f64>,
    /// Calls refused later than three seconds after the drop.
    pub(crate) refused_late: u64,
}

/// A tenth of a second.
#[derive(Clone, Debug)]
pub(crate) struct Bin {
    /// When it begins.
    pub(crate) at_s: f64,
    /// Mean wait of the calls whose answer came in it.
    pub(crate) wait_ms: Option<f64>,
    pub(crate) served: usize,
    pub(crate) shed: u64,
    pub(crate) withheld: u64,
    pub(crate) unsent: u64,
}

impl Transient {
    pub(crate) fn new(policy: Policy, tally: &Tally) -> Self {
        let jump = PHASES[0].lasts.as_secs_f64();
        let drop = PHASES[1].lasts.as_secs_f64();
        let bins: Vec<_> = tally
            .bins
            .iter()
            .map(|(number, calls)| Bin {
                at_s: f64::from(*number) * BIN.as_secs_f64() - jump,
                wait_ms: calls.mean_wait().map(ms),
                served: calls.served(),
                shed: calls.shed,
                withheld: calls.withheld,
                unsent: calls.unsent,
            })
            .collect();
        // A bin's edges are multiples of a tenth that a double cannot hold; half a bin apart is safe.
        let half = BIN.as_secs_f64() / 2.0;
        let between = |bin: &&Bin| bin.at_s > -half && bin.at_s < drop - half;
        let refused = |bin: &&Bin| bin.shed + bin.withheld > 0 && bin.at_s > drop - half;
        let waits = bins.iter().filter(between).filter_map(|bin| bin.wait_ms);
        let late = bins.iter().filter(|bin| bin.at_s > drop + LATE - half);
        Self {
            policy,
            settled_s: settled(bins.iter().filter(between)),
            worst_ms: waits.reduce(f64::max),
            last_refusal_s: bins
                .iter()
                .rfind(refused)
                .map(|bin| bin.at_s - drop + BIN.as_secs_f64()),
            refused_late: late.map(|bin| bin.shed + bin.withheld).sum(),
            bins,
        }
    }
}

/// Seconds after the drop when nothing should be refused any more.
const LATE: f64 = 3.0;

/// Returns where the bins begin that are all calm, to the last one.
pub(crate) fn settled<'a>(bins: impl DoubleEndedIterator<Item = &'a Bin>) -> Option<f64> {
    bins.rev()
        .take_while(|bin| bin.wait_ms.is_some_and(|wait| wait <= ms(SETTLED)))
        .last()
        .map(|bin| bin.at_s.max(0.0))
}
