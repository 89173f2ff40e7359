//! Cinnamon against its authors' claims, on the plant.

use std::time::Duration;

use super::{Shedder, Tuning};
use crate::policy::{
    Arrival, Gatekeeper, Verdict,
    pace::number,
    peer::plant::{Plant, Setup, Sight, mean},
    trial::{MS, SECOND, arrival, call, levels, steps},
};

fn run(setup: &Setup) -> Sight {
    Plant::run_callee(setup, |_| Shedder::new(Tuning::default(), setup.workers))
}

#[test]
fn the_ratio_of_rejections_is_stable() {
    let setup = Setup {
        // What a refusal costs would make the capacity depend on the ratio.
        refusal_cost: 0.0,
        ..steps(&[(0, 2.0)], 24)
    };
    let sight = run(&setup);
    let (open, swing) = levels(&sight, 8 * SECOND, 24 * SECOND);
    // Half of it, with what ends in the queue on top.
    assert!((0.45..0.75).contains(&open), "{open}");
    assert!(swing < 0.1, "{swing}");
    assert!(sight.goodput() > 0.93, "{}", sight.goodput());
    let waits = sight.waits_in(8 * SECOND, 24 * SECOND);
    assert!(mean(&waits) < 40 * MS, "{:?}", mean(&waits));
}

#[test]
fn the_highest_tier_is_not_touched() {
    let setup = Setup {
        numbers: vec![0, 3, 3, 5, 5, 5],
        calls: vec![1, 2],
        ..steps(&[(0, 0.6), (4, 3.0)], 24)
    };
    let sight = run(&setup);
    let share = |number| sight.success_of_number(number);
    assert!(share(0) > 0.995, "{}", share(0));
    assert!(share(5) < 0.05, "{}", share(5));
}

#[test]
fn it_ends_when_the_load_falls() {
    let sight = run(&steps(&[(0, 4.0), (8, 0.67)], 16));
    let goodput = sight.goodput_of(9 * SECOND, 15 * SECOND);
    assert!(goodput > 0.99, "{goodput}");
    let (open, _) = levels(&sight, 9 * SECOND, 15 * SECOND);
    assert!(open > 0.995, "{open}");
}

#[test]
fn the_limit_finds_what_the_instance_runs_at_once() {
    // The scheduler knows of 5 of the 10 workers.
    let setup = steps(&[(0, 2.0)], 90);
    let sight = Plant::run_callee(&setup, |_| Shown(Shedder::new(Tuning::default(), 5)));
    let (limit, _) = levels(&sight, 60 * SECOND, 90 * SECOND);
    assert!((9.0..15.0).contains(&limit), "{limit}");
    let served = number(sight.waits_in(60 * SECOND, 90 * SECOND).len());
    let share = served / (setup.capacity() * 30.0);
    assert!(share > 0.85, "{share} of the capacity");
}

#[test]
fn what_is_too_old_is_refused_and_the_best_go_first() {
    let mut shedder = Shedder::new(Tuning::default(), 1);
    let mut soon = call(1, 3 << 8);
    soon.deadline = 100 * MS;
    let request = arrival(soon, Duration::ZERO, None);
    assert_eq!(
        shedder.arrive(Duration::ZERO, &request, 0, 0),
        Verdict::Queue(131)
    );
    assert!(!shedder.start(51 * MS, &request, 0));
    assert!(shedder.start(50 * MS, &request, 0));
}

/// A shedder whose level is its limit.
struct Shown(Shedder);

impl Gatekeeper for Shown {
    fn arrive(
        &mut self,
        now: Duration,
        request: &Arrival,
        waiting: usize,
        running: usize,
    ) -> Verdict {
        self.0.arrive(now, request, waiting, running)
    }

    fn slots(&self) -> usize {
        self.0.slots()
    }

    fn queue_bound(&self) -> usize {
        self.0.queue_bound()
    }

    fn start(&mut self, now: Duration, request: &Arrival, waiting: usize) -> bool {
        self.0.start(now, request, waiting)
    }

    fn finish(&mut self, now: Duration, request: &Arrival, began: Duration, served: bool) {
        self.0.finish(now, request, began, served);
    }

    fn period(&self) -> Option<Duration> {
        self.0.period()
    }

    fn tick(&mut self, now: Duration, waiting: usize, running: usize) {
        self.0.tick(now, waiting, running);
    }

    fn level(&self) -> f64 {
        number(self.0.slots())
    }
}
