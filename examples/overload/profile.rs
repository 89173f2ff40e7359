//! How much is offered when: phases of constant load, and the stretch of time whose tasks count.

use std::{ops::Range, time::Duration};

/// Loads are shares of capacity; times are since the beginning of the run.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    phases: Vec<Phase>,
    counted: Range<Duration>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) lasts: Duration,
    pub(crate) load: f64,
}

impl Profile {
    /// Returns one load: a start that does not count, then what does, then as much again as tasks of
    /// the second part may need, because the end of the load would be a relief to them.
    pub(crate) fn steady(load: f64, start: Duration, counted: Duration, rest: Duration) -> Self {
        Self {
            phases: vec![Phase {
                lasts: start + counted + rest,
                load,
            }],
            counted: start..start + counted,
        }
    }

    /// Returns loads one after the other, all of which count.
    pub(crate) fn changing(phases: &[Phase]) -> Self {
        let lasts = phases.iter().map(|phase| phase.lasts).sum();
        Self {
            phases: phases.to_vec(),
            counted: Duration::ZERO..lasts,
        }
    }

    /// Returns the load at a moment, nothing once the run is over.
    pub(crate) fn load_at(&self, moment: Duration) -> Option<f64> {
        let mut ends = Duration::ZERO;
        let phase = self.phases.iter().find(|phase| {
            ends += phase.lasts;
            moment < ends
        });
        phase.map(|phase| phase.load)
    }

    pub(crate) const fn counted(&self) -> &Range<Duration> {
        &self.counted
    }

    pub(crate) fn lasts(&self) -> Duration {
        self.phases.iter().map(|phase| phase.lasts).sum()
    }
}
