//! What was seen in the plant.

use std::time::Duration;

use super::Setup;

/// Width of the bins of [`Sight::goodput_of`].
const BIN: Duration = Duration::from_millis(100);

/// What was seen.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    setup: Setup,
    offered: Vec<f64>,
    good: Vec<f64>,
    by_number: Vec<(f64, f64)>,
    by_calls: Vec<(f64, f64)>,
    /// When work began, at which server, after what wait.
    pub(crate) waits: Vec<(Duration, usize, Duration)>,
    /// When work ended, at which server, how long after the request came.
    pub(crate) responses: Vec<(Duration, usize, Duration)>,
    /// When a request was refused, and at which server.
    pub(crate) refusals: Vec<(Duration, usize)>,
    /// When a call was withheld.
    pub(crate) withheld: Vec<Duration>,
    /// When a gatekeeper was looked at, at which server, and how open it was.
    pub(crate) levels: Vec<(Duration, usize, f64)>,
    /// When a task succeeded, and how long it took.
    pub(crate) took: Vec<(Duration, Duration)>,
}

impl Sight {
    pub(super) fn new(setup: &Setup) -> Self {
        let bins = bin(setup.length) + 1;
        Self {
            setup: setup.clone(),
            offered: vec![0.0; bins],
            good: vec![0.0; bins],
            by_number: vec![(0.0, 0.0); 256],
            by_calls: vec![(0.0, 0.0); 16],
            waits: Vec::new(),
            responses: Vec::new(),
            refusals: Vec::new(),
            withheld: Vec::new(),
            levels: Vec::new(),
            took: Vec::new(),
        }
    }

    pub(super) fn came(&mut self, now: Duration, calls: u32, number: u8) {
        self.offered[bin(now)] += f64::from(calls);
        if self.judged(now) {
            self.by_number[usize::from(number)].0 += 1.0;
            self.by_calls[usize::try_from(calls).unwrap()].0 += 1.0;
        }
    }

    pub(super) fn succeeded(&mut self, came: Duration, now: Duration, calls: u32, number: u8) {
        self.took.push((now, now - came));
        self.good[bin(came)] += f64::from(calls);
        if self.judged(came) {
            self.by_number[usize::from(number)].1 += 1.0;
            self.by_calls[usize::try_from(calls).unwrap()].1 += 1.0;
        }
    }

    pub(super) fn waited(&mut self, now: Duration, server: usize, waited: Duration) {
        self.waits.push((now, server, waited));
    }

    pub(super) fn served(&mut self, now: Duration, server: usize, took: Duration) {
        self.responses.push((now, server, took));
    }

    pub(super) fn refused(&mut self, now: Duration, server: usize) {
        self.refusals.push((now, server));
    }

    pub(super) fn withheld(&mut self, now: Duration) {
        self.withheld.push(now);
    }

    pub(super) fn level(&mut self, now: Duration, server: usize, level: f64) {
        self.levels.push((now, server, level));
    }

    /// Whether a task that came then counts: neither warm-up nor so late that the end cuts it off.
    fn judged(&self, came: Duration) -> bool {
        came >= self.setup.warm_up && came + self.setup.deadline < self.setup.length
    }

    /// The calls of tasks that succeeded, by the optimum, after the warm-up.
    pub(crate) fn goodput(&self) -> f64 {
        let late = self.setup.deadline.min(Duration::from_secs(1));
        self.goodput_of(self.setup.warm_up, self.setup.length - late)
    }

    /// The same of tasks that came in this time.
    pub(crate) fn goodput_of(&self, from: Duration, until: Duration) -> f64 {
        let bins = bin(from)..bin(until);
        let good: f64 = self.good[bins.clone()].iter().sum();
        let offered: f64 = self.offered[bins].iter().sum();
        good / offered.min(self.setup.optimum(from, until))
    }

    /// The share of tasks of this importance that succeeded.
    pub(crate) fn success_of_number(&self, number: u8) -> f64 {
        let (came, good) = self.by_number[usize::from(number)];
        good / came
    }

    /// The share of tasks of this many calls that succeeded.
    pub(crate) fn success_of_calls(&self, calls: usize) -> f64 {
        let (came, good) = self.by_calls[calls];
        good / came
    }

    /// The waits of requests whose work began in this time, sorted.
    pub(crate) fn waits_in(&self, from: Duration, until: Duration) -> Vec<Duration> {
        sorted(&self.waits, from, until)
    }

    /// The response times of requests whose work ended in this time, sorted.
    pub(crate) fn responses_in(&self, from: Duration, until: Duration) -> Vec<Duration> {
        sorted(&self.responses, from, until)
    }

    /// How open gatekeepers were in this time, on average.
    pub(crate) fn level_in(&self, from: Duration, until: Duration) -> f64 {
        let within = self
            .levels
            .iter()
            .filter(|&&(at, ..)| at >= from && at < until);
        let (sum, count) = within.fold((0.0, 0.0), |(sum, count), &(.., level)| {
            (sum + level, count + 1.0)
        });
        sum / count
    }

    /// How many were refused in this time.
    pub(crate) fn refused_in(&self, from: Duration, until: Duration) -> usize {
        let within = |&&(at, _): &&(Duration, usize)| at >= from && at < until;
        self.refusals.iter().filter(within).count()
    }
}

fn sorted(all: &[(Duration, usize, Duration)], from: Duration, until: Duration) -> Vec<Duration> {
    let within = all.iter().filter(|&&(at, ..)| at >= from && at < until);
    let mut within: Vec<_> = within.map(|&(.., span)| span).collect();
    within.sort_unstable();
    within
}

/// The value below which this share of sorted values lies.
pub(crate) fn quantile(sorted: &[Duration], share: f64) -> Duration {
    let count = f64::from(u32::try_from(sorted.len()).unwrap());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place"
    )]
    let place = (count * share) as usize;
    sorted
        .get(place.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or_default()
}

/// The mean.
pub(crate) fn mean(spans: &[Duration]) -> Duration {
    let sum: Duration = spans.iter().sum();
    sum / u32::try_from(spans.len().max(1)).unwrap()
}

fn bin(at: Duration) -> usize {
    usize::try_from(at.as_millis() / BIN.as_millis()).unwrap()
}
