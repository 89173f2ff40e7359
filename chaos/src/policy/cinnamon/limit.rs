//! The auto-tuner: how many run at once, after TCP Vegas.

use std::{collections::VecDeque, time::Duration};

use crate::policy::pace::number;

/// The limit, by the latency of what runs.
///
/// An interval of at least [`Self::SPAN`] and [`Self::SAMPLES`] requests has a median latency; the lowest of the last
/// [`Self::MEMORY`] is what it takes without waiting. (median / lowest - 1) times the limit is then how many of those
/// that run wait for something inside: below 1 the limit grows by one, if it was reached; above 3 it falls by one. So
/// a low limit tolerates more latency than a high one. It never falls below what the instance is known to work on at
/// once, for then workers would idle: the posts' guard against a target that drifts, the covariance of
/// throughput and concurrency, has nothing to do.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    least: usize,
    limit: usize,
    since: Duration,
    latencies: Vec<Duration>,
    medians: VecDeque<Duration>,
    reached: bool,
}

impl Limit {
    const SPAN: Duration = Duration::from_secs(3);
    const SAMPLES: usize = 250;
    const MEMORY: usize = 50;
    /// So many waiting inside are too few, and so many too many.
    const WAITING: (f64, f64) = (1.0, 3.0);

    /// A limit of an instance that works on so many at once.
    pub(super) const fn new(least: usize) -> Self {
        Self {
            least,
            limit: least,
            since: Duration::ZERO,
            latencies: Vec::new(),
            medians: VecDeque::new(),
            reached: false,
        }
    }

    pub(super) const fn get(&self) -> usize {
        self.limit
    }

    /// A request ran for this long; `running` are left.
    pub(super) fn ran(&mut self, now: Duration, latency: Duration, running: usize) {
        self.reached |= running + 1 >= self.limit;
        self.latencies.push(latency);
        if self.latencies.len() >= Self::SAMPLES && now >= self.since + Self::SPAN {
            self.adjust();
            self.since = now;
            self.latencies.clear();
            self.reached = false;
        }
    }

    fn adjust(&mut self) {
        let middle = self.latencies.len() / 2;
        let (_, &mut median, _) = self.latencies.select_nth_unstable(middle);
        if self.medians.len() >= Self::MEMORY {
            self.medians.pop_front();
        }
        self.medians.push_back(median);
        let lowest = self.medians.iter().min().copied().unwrap_or(median);
        let lowest = lowest.max(Duration::from_nanos(1));
        let waiting = (median.div_duration_f64(lowest) - 1.0) * number(self.limit);
        if waiting < Self::WAITING.0 && self.reached {
            self.limit = self.limit.saturating_add(1);
        } else if waiting > Self::WAITING.1 {
            self.limit = (self.limit - 1).max(self.least);
        }
    }
}
