//! How long goodput takes to come back.

use std::{ops::Range, time::Duration};

use super::{Figure, Optimum, Window, window::begin_of};
use crate::measure::Outcome;

/// A bin is short for a share: what comes in it is a matter of chance. So are its neighbours' together, less.
const FIRST: usize = 3;
/// One second.
const STAYS: usize = 10;
/// It may dip below the share within the second that it has to stay, by no more than chance would.
const SLACK: f64 = 0.97;

/// Returns the seconds from the beginning of a window to its first bin from which on goodput is back: the three
/// bins from there have at least `share` of their optimum, and the second that begins there has 0.97 of that
/// share. The second must lie in the window.
///
/// Where nothing could succeed, nothing is back.
pub(super) fn recovery(optimum: &Optimum, outcome: &Outcome, window: Window, share: f64) -> Figure {
    let bins = window.bins(outcome.bins());
    let best = optimum.bins(outcome, bins.clone());
    let good: Vec<f64> = bins.clone().map(|bin| good(outcome, bin)).collect();
    let reached = |range: Range<usize>, share: f64| {
        let (good, best) = (&good[range.clone()], &best[range]);
        let (good, best): (f64, f64) = (good.iter().sum(), best.iter().sum());
        best > 0.0 && good >= share * best
    };
    let mut candidates = 0..(bins.len() + 1).saturating_sub(STAYS);
    let back = candidates
        .find(|&at| reached(at..at + FIRST, share) && reached(at..at + STAYS, share * SLACK));
    back.map_or(Figure::Never, |at| {
        Figure::Is(since(window.from, bins.start + at).as_secs_f64())
    })
}

fn since(from: Duration, bin: usize) -> Duration {
    begin_of(bin).saturating_sub(from)
}

/// Returns the weight of the tasks that came in a bin and succeeded.
fn good(outcome: &Outcome, bin: usize) -> f64 {
    let tasks = outcome.businesses.iter();
    tasks
        .map(|tasks| tasks.good_weight.get(bin).copied().unwrap_or_default())
        .sum()
}
