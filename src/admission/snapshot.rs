//! A picture of one service at one moment.

use std::{fmt, sync::atomic::Ordering::Relaxed, time::Duration};

use super::Shared;
use crate::{
    config::Mode,
    control::Verdict,
    observe::{BusinessCounts, FieldFault},
    priority::Level,
};

/// What a service sees and does now. Counters run from the start of the process.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Snapshot {
    /// The name of the service.
    pub name: String,
    /// The mode.
    pub mode: Mode,
    /// The level.
    pub level: Level,
    /// What the last window was judged to be; `None` before the first, and in mode `off`.
    pub verdict: Option<Verdict>,
    /// Demand, refusals and admissions per business.
    pub businesses: Vec<BusinessCounts>,
    /// Queuing times of the last ten to twenty seconds.
    pub queuing: QueuingTimes,
    /// Requests waiting at the gate.
    pub waiting: usize,
    /// Requests holding a permit.
    pub running: usize,
    /// Permits; `None` without a limit.
    pub permits: Option<usize>,
    /// Requests between arrival and the end of their response's body.
    pub in_flight: usize,
    /// Requests that passed untouched because their path is exempt.
    pub exempt: u64,
    /// Fields from peers that were not used, by [`FieldFault::index`].
    pub faults: [u64; FieldFault::ALL.len()],
}

/// How long requests waited before they started. Resolution: 1 us, two digits.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct QueuingTimes {
    /// Requests counted.
    pub count: u64,
    /// The mean.
    pub mean: Duration,
    /// Half of them waited no longer.
    pub p50: Duration,
    /// Nine in ten waited no longer.
    pub p90: Duration,
    /// 99 in 100 waited no longer.
    pub p99: Duration,
    /// The longest.
    pub max: Duration,
}

impl Snapshot {
    /// Returns the requests that wanted the service: arrived here and withheld by callers.
    ///
    /// What an autoscaler should look at: what was served says nothing of what is missing.
    #[must_use]
    pub fn demand(&self) -> u64 {
        self.businesses.iter().map(BusinessCounts::demand).sum()
    }

    /// Returns the requests refused for any reason.
    #[must_use]
    pub fn shed(&self) -> u64 {
        self.businesses.iter().map(BusinessCounts::shed_total).sum()
    }
}

/// For people, a few lines: one for the service, its queuing time and its gate, and one for each business
/// that anybody wanted.
impl fmt::Display for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            mode,
            level,
            verdict,
            queuing,
            waiting,
            running,
            in_flight,
            ..
        } = self;
        let (demand, shed) = (self.demand(), self.shed());
        write!(f, "{name} ({mode}): level {level}, ")?;
        if let Some(verdict) = verdict {
            write!(f, "last window {}, ", verdict.as_str())?;
        }
        writeln!(f, "{demand} wanted, {shed} shed")?;
        writeln!(f, "  queuing time: {queuing}")?;
        write!(f, "  gate: {waiting} waiting, {running} running, ")?;
        match self.permits {
            Some(permits) => write!(f, "{permits} permits")?,
            None => f.write_str("no limit")?,
        }
        write!(f, ", {in_flight} in flight")?;
        for counts in self.businesses.iter().filter(|counts| counts.demand() > 0) {
            let BusinessCounts {
                business,
                arrived,
                withheld,
                ..
            } = counts;
            let shed = counts.shed_total();
            write!(
                f,
                "\n  business {business}: {arrived} arrived, {shed} of them shed, {withheld} withheld"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for QueuingTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [mean, p50, p90, p99, max] = [self.mean, self.p50, self.p90, self.p99, self.max]
            .map(|wait| wait.as_secs_f64() * 1e3);
        write!(
            f,
            "mean {mean:.1} ms, p50 {p50:.1}, p90 {p90:.1}, p99 {p99:.1}, max {max:.1} ({} requests)",
            self.count
        )
    }
}

impl Shared {
    pub(super) fn snapshot(&self) -> Snapshot {
        let now = self.clock.now();
        self.look(now);
        let (waiting, running, permits) = self.gate.load();
        let businesses = {
            let closer = self.door.closer();
            let totals = self.door.demand.totals(&closer.seen).enumerate();
            let counts = totals.map(|(business, (arrived, withheld))| BusinessCounts {
                business: u8::try_from(business).unwrap_or(u8::MAX),
                arrived,
                withheld,
                shed: self.counts.shed_by(business),
            });
            counts.collect()
        };
        Snapshot {
            name: self.name.to_string(),
            mode: self.mode(),
            level: self.door.level(),
            verdict: self.window.verdict(),
            businesses,
            queuing: self.queuing_times(),
            waiting,
            running,
            permits: Some(permits).filter(|permits| *permits != usize::MAX),
            in_flight: self.in_flight.load(Relaxed),
            exempt: self.counts.exempt.load(Relaxed),
            faults: self.counts.faults(),
        }
    }

    fn queuing_times(&self) -> QueuingTimes {
        let waits = self.counts.waits();
        if waits.is_empty() {
            return QueuingTimes::default();
        }
        let at = |quantile| Duration::from_micros(waits.value_at_quantile(quantile));
        QueuingTimes {
            count: waits.len(),
            mean: Duration::from_secs_f64(waits.mean() / 1e6),
            p50: at(0.5),
            p90: at(0.9),
            p99: at(0.99),
            max: Duration::from_micros(waits.max()),
        }
    }
}
