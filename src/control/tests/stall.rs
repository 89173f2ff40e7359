//! Waits that shedding cannot cure.

use super::{plant::Plant, *};

fn share_below(controller: &Controller) -> f64 {
    controller.demand.below(controller.cursor) / controller.demand.total()
}

/// Lets requests wait whatever is admitted, and returns the least share of demand ever left below the
/// level once it had the time to fall.
fn stall(controller: &mut Controller, windows: u32, demand: impl Fn(u32) -> Vec<u32>) -> f64 {
    let mut least = f64::INFINITY;
    for window in 0..windows {
        step(controller, &Counts::of(demand(window), 0, 500).seen());
        if window >= 100 {
            least = least.min(share_below(controller));
        }
    }
    least
}

#[test]
fn a_wait_that_shedding_cannot_cure_leaves_the_least_share() {
    let demand = |_| Counts::even(5, 10, 0, 0).arrived;
    let mut controller = controller(Constants::dagor());
    let least = stall(&mut controller, 300, demand);
    assert!((0.0100..0.0101).contains(&least), "{least}");

    let stopped = controller.level();
    stall(&mut controller, 50, demand);
    assert_eq!(controller.level(), stopped, "it has stopped falling");

    controller.set_constants(Constants {
        least_share: 0.0,
        ..Constants::dagor()
    });
    assert!(
        stall(&mut controller, 300, demand) < 1e-6,
        "without the rule nothing is left"
    );
}

#[test]
fn the_least_share_follows_demand_that_moves_or_is_sparse() {
    let moves = |window| Counts::even(if window < 150 { 0 } else { 6 }, 10, 0, 0).arrived;
    let least = stall(&mut controller(Constants::dagor()), 300, moves);
    assert!(least >= 0.01 - 1e-9, "{least}");

    for seed in 0..20 {
        let sparse = |window| {
            let mut random = Random(seed << 32 | u64::from(window));
            let mut demand = vec![0; CELLS];
            for _ in 0..12 {
                demand[usize::try_from(random.below(1024)).unwrap()] += 1;
            }
            demand
        };
        let least = stall(&mut controller(Constants::dagor()), 300, sparse);
        assert!(least >= 0.01 - 1e-9, "seed {seed}: {least}");
    }
}

#[test]
fn a_stall_that_ends_is_recovered_from_in_seconds() {
    let mut plant = Plant::new(Counts::even(5, 10, 0, 0).arrived, 2000);
    stall(&mut plant.controller, 200, |_| {
        Counts::even(5, 10, 0, 0).arrived
    });
    assert!(plant.opens_within(30));
}
