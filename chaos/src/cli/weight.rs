//! How much work a run is, guessed before it.

use chaos::{
    Engine,
    scenario::{Scenario, Shape, visits},
};

/// Returns about how many milliseconds of one core a run takes. Only the order of jobs and the time left depend on it.
pub(super) fn weight(scenario: &Scenario, engine: Engine) -> u64 {
    match engine {
        Engine::Live => u64::try_from(scenario.duration.as_millis()).unwrap_or(u64::MAX),
        Engine::Sim => whole(requests(scenario) / REQUESTS_A_MILLISECOND),
    }
}

/// What one core simulates.
const REQUESTS_A_MILLISECOND: f64 = 200.0;

/// Returns about how many requests services get if nothing fails.
fn requests(scenario: &Scenario) -> f64 {
    let shares: f64 = scenario
        .businesses
        .iter()
        .map(|business| business.share)
        .sum();
    let per_task: Vec<f64> = (0..scenario.businesses.len())
        .map(|it| visits(scenario, it).iter().sum())
        .collect();
    let drawn = || {
        let businesses = scenario.businesses.iter().zip(&per_task);
        businesses
            .map(|(business, visits)| business.share * visits)
            .sum::<f64>()
            / shares
    };
    let loads = scenario.loads.iter().map(|load| {
        let tasks = match &load.shape {
            Shape::Replay { counts, .. } => load.rate * counts.iter().sum::<f64>(),
            shape => {
                let seconds = load.until.saturating_sub(load.from).as_secs_f64();
                load.rate * seconds * mean_factor(shape, seconds)
            }
        };
        let visits = load
            .business
            .and_then(|business| per_task.get(business).copied());
        tasks * visits.unwrap_or_else(drawn)
    });
    loads.sum()
}

/// Returns by how much a shape changes a load of so many seconds on average.
fn mean_factor(shape: &Shape, seconds: f64) -> f64 {
    let of_all = |part: f64| (part / seconds.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    match shape {
        Shape::Steady | Shape::Sinusoid { .. } | Shape::Replay { .. } => 1.0,
        Shape::Step { at, factor } => 1.0 + (factor - 1.0) * of_all(seconds - at.as_secs_f64()),
        Shape::Ramp { factor } => f64::midpoint(1.0, *factor),
        Shape::Bursts {
            factor,
            length,
            every,
        } => {
            let share = length.as_secs_f64() / every.as_secs_f64().max(f64::MIN_POSITIVE);
            1.0 + (factor - 1.0) * share.clamp(0.0, 1.0)
        }
        Shape::FlashCrowd {
            factor,
            rise,
            hold,
            fall,
            ..
        } => {
            let high = f64::midpoint(rise.as_secs_f64(), fall.as_secs_f64()) + hold.as_secs_f64();
            1.0 + (factor - 1.0) * of_all(high)
        }
    }
}

/// At least 1, so that every run moves the bar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped; a guess"
)]
fn whole(milliseconds: f64) -> u64 {
    milliseconds.clamp(1.0, 1e12) as u64
}
