//! The PI controller: from flow to the share that is refused.

use std::collections::VecDeque;

use super::Tuning;

/// What happened in a period.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    /// Requests that came into the queue.
    pub(super) came: f64,
    /// Requests that left it to run.
    pub(super) ran: f64,
    /// Requests that idle slots could have run besides.
    pub(super) idle: f64,
}

/// The error of a period is (came - ran - idle) / ran: zero when the queue keeps its length and all slots are busy.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    tuning: Tuning,
    errors: VecDeque<f64>,
    sum: f64,
    ratio: f64,
}

impl Controller {
    pub(super) const fn new(tuning: Tuning) -> Self {
        Self {
            tuning,
            errors: VecDeque::new(),
            sum: 0.0,
            ratio: 0.0,
        }
    }

    /// A period is over in an instance that runs `most` at once. Returns the share to refuse, 0 to below 1.
    pub(super) fn step(&mut self, flow: Flow, most: f64) -> f64 {
        let Tuning {
            proportional,
            integral,
            history,
            ..
        } = self.tuning;
        let by = if flow.ran > 0.0 { flow.ran } else { most };
        let error = (flow.came - flow.ran - self.tuning.idle * flow.idle) / by;
        self.errors.push_back(error);
        self.sum += error;
        if self.errors.len() > history {
            self.sum -= self.errors.pop_front().unwrap_or_default();
        }
        // Nothing can be refused less than not at all: what is below is forgotten, or an overload
        // would first have to make up for a quiet night.
        let slack = self.tuning.slack.div_duration_f64(self.tuning.period);
        if self.sum < -slack {
            self.sum = -slack;
            self.errors.clear();
        }
        let output = proportional * error + integral * self.sum;
        self.ratio = 1.0 - libm::exp(-output.max(0.0));
        self.ratio
    }

    pub(super) const fn ratio(&self) -> f64 {
        self.ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::trial::assert_close;

    #[test]
    fn it_finds_the_ratio_at_which_the_flow_is_even() {
        for load in [1.5, 3.0, 10.0] {
            let mut controller = Controller::new(Tuning::default());
            let mut ratio = 0.0;
            for _ in 0..150 {
                let came = 25.0 * load * (1.0 - ratio);
                let flow = Flow {
                    came,
                    ran: 25.0,
                    idle: 0.0,
                };
                ratio = controller.step(flow, 10.0);
            }
            let admitted = load * (1.0 - ratio);
            assert!((admitted - 1.0).abs() < 0.02, "{admitted} at {load}");
        }
    }

    #[test]
    fn idle_slots_end_it_and_quiet_times_are_not_saved_up() {
        let mut controller = Controller::new(Tuning::default());
        let flow = |came, idle| Flow {
            came,
            ran: 25.0,
            idle,
        };
        for _ in 0..100 {
            controller.step(flow(20.0, 5.0), 10.0);
        }
        assert_close(controller.ratio(), 0.0);
        // A sum of 0.4 is absorbed; the second period of twice the flow is not.
        controller.step(flow(35.0, 0.0), 10.0);
        controller.step(flow(50.0, 0.0), 10.0);
        assert!(controller.ratio() > 0.1, "{}", controller.ratio());
        for _ in 0..3 {
            controller.step(flow(20.0, 5.0), 10.0);
        }
        assert_close(controller.ratio(), 0.0);
    }
}
