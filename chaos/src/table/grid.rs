//! Which cells there are.

use std::fmt;

use super::Options;
use crate::Engine;

/// How many calls a task makes at M.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum TaskCalls {
    /// Always this many.
    Fixed(u32),
    /// 1 to 4, each the same often.
    Mix,
}

/// Returns which loads are measured for which calls.
pub(super) fn grid(options: &Options) -> &'static [(TaskCalls, &'static [f64])] {
    use TaskCalls::{Fixed, Mix};
    const LOADS: &[f64] = &[0.67, 1.0, 1.33, 2.0, 3.0, 5.0, 10.0];
    const LIVE_LOADS: &[f64] = &[0.67, 1.0, 2.0, 4.0];
    const QUICK_LOADS: &[f64] = &[0.67, 2.0];
    match (options.engine, options.parallel, options.quick) {
        (Engine::Sim, false, _) => &[
            (Fixed(1), LOADS),
            (Fixed(2), LOADS),
            (Fixed(3), LOADS),
            (Fixed(4), LOADS),
            (Mix, LOADS),
        ],
        (Engine::Sim, true, _) => &[
            (Fixed(2), &[2.0]),
            (Fixed(4), &[1.0, 2.0, 10.0]),
            (Mix, &[3.0]),
        ],
        (Engine::Live, false, false) => &[
            (Fixed(1), LIVE_LOADS),
            (Fixed(2), LIVE_LOADS),
            (Fixed(4), LIVE_LOADS),
            (Mix, LIVE_LOADS),
        ],
        (Engine::Live, false, true) => &[(Fixed(1), QUICK_LOADS), (Mix, QUICK_LOADS)],
        (Engine::Live, true, _) => &[(Fixed(2), &[2.0]), (Fixed(4), &[2.0]), (Mix, &[2.0])],
    }
}

impl TaskCalls {
    /// Returns how many calls tasks make on average.
    #[must_use]
    pub fn mean(self) -> f64 {
        match self {
            Self::Fixed(calls) => calls.into(),
            Self::Mix => 2.5,
        }
    }
}

impl fmt::Display for TaskCalls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(calls) => f.pad(&calls.to_string()),
            Self::Mix => f.pad("mix"),
        }
    }
}
