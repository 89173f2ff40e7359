//! What a graph can take while nothing is wrong.
//!
//! Counted is the services' own work alone: that a worker is held during its calls, what refusals cost and
//! what retries add, a run shows.

use std::time::Duration;

use super::{Calls, Edge, Scenario, ServiceTime, order::callers_first};

/// Returns the requests a second that all instances of a service can work off; infinite without a bound of
/// workers, or if the work takes no time, unless a quota bounds it.
#[must_use]
pub fn capacity(scenario: &Scenario, service: usize) -> f64 {
    let service = &scenario.services[service];
    let mean = service.service_time.mean().as_secs_f64();
    let of_one = match service.workers {
        Some(workers) if mean > 0.0 => f64::from(workers) / mean,
        _ => f64::INFINITY,
    };
    let quota = service.quota.unwrap_or(f64::INFINITY);
    let instances = (0..service.instances).map(|it| (service.speed(it) * of_one).min(quota));
    instances.sum()
}

/// Returns the tasks a second, of all businesses by their shares, at which the first service is at its capacity;
/// infinite if none has one.
#[must_use]
pub fn tasks_capacity(scenario: &Scenario) -> f64 {
    let shares: f64 = scenario.businesses.iter().map(|it| it.share).sum();
    let mut mix = vec![0.0; scenario.services.len()];
    for (place, business) in scenario.businesses.iter().enumerate() {
        if business.share > 0.0 {
            for (all, one) in mix.iter_mut().zip(visits(scenario, place)) {
                *all += one * business.share / shares;
            }
        }
    }
    least(scenario, &mix)
}

/// As [`tasks_capacity`], if all tasks are of one business.
#[must_use]
pub fn tasks_capacity_of(scenario: &Scenario, business: usize) -> f64 {
    least(scenario, &visits(scenario, business))
}

/// Returns the calls that a task of a business is expected to make at each service if nothing fails; the task
/// itself counts as one where it enters.
#[must_use]
pub fn visits(scenario: &Scenario, business: usize) -> Vec<f64> {
    walk(scenario, business, |edge| {
        edge.probability * edge.calls.mean()
    })
}

/// As [`visits`], for the tasks that make the fewest and the most calls everywhere.
pub(super) fn fewest_and_most(scenario: &Scenario, business: usize) -> (Vec<f64>, Vec<f64>) {
    let always = |edge: &Edge| edge.probability >= 1.0;
    let fewest = |edge: &Edge| {
        if always(edge) {
            edge.calls.bounds().0
        } else {
            0
        }
    };
    let most = |edge: &Edge| {
        if edge.probability > 0.0 {
            edge.calls.bounds().1
        } else {
            0
        }
    };
    (
        walk(scenario, business, |edge| f64::from(fewest(edge))),
        walk(scenario, business, |edge| f64::from(most(edge))),
    )
}

/// Adds up the calls along all ways from the entry. Calls are drawn independently of each other and none is twice
/// on a way, so that the expectation of a way is the product of its calls'.
fn walk(scenario: &Scenario, business: usize, calls: impl Fn(&Edge) -> f64) -> Vec<f64> {
    let mut made = vec![0.0; scenario.services.len()];
    made[scenario.businesses[business].entry] = 1.0;
    for place in callers_first(scenario.services.len(), &scenario.edges) {
        let edge = &scenario.edges[place];
        if edge.is_for(business) {
            made[edge.to] += made[edge.from] * calls(edge);
        }
    }
    made
}

fn least(scenario: &Scenario, visits: &[f64]) -> f64 {
    let visited = visits
        .iter()
        .enumerate()
        .filter(|(_, visits)| **visits > 0.0);
    let rates = visited.map(|(service, visits)| capacity(scenario, service) / visits);
    rates.fold(f64::INFINITY, f64::min)
}

// === impl Calls ===

impl Calls {
    /// Returns the mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Fixed(calls) => f64::from(*calls),
            Self::OneOf(choices) => mean_of(choices.iter().map(|calls| f64::from(*calls))),
        }
    }

    /// Returns the fewest and the most.
    fn bounds(&self) -> (u32, u32) {
        match self {
            Self::Fixed(calls) => (*calls, *calls),
            Self::OneOf(choices) => {
                let (fewest, most) = (choices.iter().min(), choices.iter().max());
                (fewest.copied().unwrap_or(0), most.copied().unwrap_or(0))
            }
        }
    }
}

// === impl ServiceTime ===

impl ServiceTime {
    /// Returns the mean.
    #[must_use]
    pub fn mean(&self) -> Duration {
        match self {
            Self::Constant(time) | Self::Exponential(time) => *time,
            Self::Bimodal { short, long } => short.mul_f64(0.9) + long.mul_f64(0.1),
            Self::Lognormal { median, sigma } => median.mul_f64(libm::exp(sigma * sigma / 2.0)),
            Self::Trace(times) => {
                let mean = mean_of(times.iter().map(Duration::as_secs_f64));
                Duration::try_from_secs_f64(mean).unwrap_or(Duration::MAX)
            }
        }
    }
}

/// Returns 0 of nothing.
fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    // At least 1, so that nothing is divided by 0; no list here is longer than 32 bits can say.
    let count = u32::try_from(values.len()).unwrap_or(u32::MAX).max(1);
    values.sum::<f64>() / f64::from(count)
}
