//! From a verdict and the demand to the next level.

use super::{Algorithm, Constants, Verdict, demand::Demand, queuing::Queuing};

/// What a step knows beside where the level is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law<'a> {
    pub(super) constants: &'a Constants,
    pub(super) demand: &'a Demand,
    pub(super) queuing: Queuing,
    /// Requests admitted in the window: the paper's `N_adm`.
    pub(super) admitted: f64,
}

impl Law<'_> {
    /// Returns where the level goes from `cursor`.
    pub(super) fn next(&self, verdict: Verdict, cursor: u32) -> u32 {
        match (verdict, self.constants.algorithm) {
            (Verdict::TooFew | Verdict::Paused, _) => cursor,
            (Verdict::Idle, _) => self.demand.top(),
            (Verdict::Overloaded, Algorithm::Paper) => {
                let target = (1.0 - self.fall()) * self.admitted;
                self.demand.cells_down(cursor, self.admitted, target)
            }
            (Verdict::Calm, Algorithm::Paper) => {
                let target = self.admitted + self.rise() * self.demand.total();
                self.demand.cells_up(cursor, self.admitted, target)
            }
            (Verdict::Overloaded, _) => self.tighten(cursor),
            (Verdict::Calm, _) => {
                let rise = self.rise() * self.demand.total();
                self.demand.raised(cursor, rise)
            }
        }
    }

    /// Returns the level that leaves a share less than what is admitted, but no more than a margin over
    /// what is served.
    ///
    /// It never leaves less than the least share of demand. Where demand has moved above the level that
    /// includes lifting it: a level that only stopped falling would sink below the share, window by
    /// window, with every shift of the histogram.
    fn tighten(&self, cursor: u32) -> u32 {
        let admitted = self.demand.below(cursor);
        let most = self.constants.margin * self.demand.served();
        let target = admitted.min(most) * (1.0 - self.fall());
        let least = self.constants.least_share * self.demand.total();
        let lowered = self.demand.lowered(cursor, admitted - target);
        lowered.max(self.demand.reaching(least))
    }

    /// Returns the share of admitted demand to take away.
    fn fall(&self) -> f64 {
        let down = self.constants.down;
        match self.constants.algorithm {
            Algorithm::Graded | Algorithm::Paper => down,
            Algorithm::Proportional => {
                let excess = self.queuing.ratio() - 1.0;
                (down * excess).min(self.constants.steepest)
            }
        }
    }

    /// Returns the share of all demand to add.
    fn rise(&self) -> f64 {
        let constants = self.constants;
        let nearly_empty = self.queuing.at_most(constants.nearly_empty);
        match constants.algorithm {
            Algorithm::Graded if nearly_empty => constants.times_nearly_empty * constants.up,
            Algorithm::Graded if self.queuing.at_most(constants.well_below) => {
                constants.times_well_below * constants.up
            }
            Algorithm::Graded | Algorithm::Paper => constants.up,
            Algorithm::Proportional => {
                let room = 1.0 - self.queuing.ratio();
                room * if nearly_empty {
                    constants.up_idle
                } else {
                    constants.up
                }
            }
        }
    }
}
