//! Demand that sits in one cell, one user, one business.

use super::{plant::Plant, *};

/// 1,000 requests, all in this cell.
fn one_cell(cell: usize) -> Vec<u32> {
    let mut demand = vec![0; CELLS];
    demand[cell] = 1000;
    demand
}

/// 1,000 requests or a few more, 95 % of them in business 3, the rest all over.
fn lopsided() -> Vec<u32> {
    let mut demand: Vec<u32> = (0..CELLS).map(|cell| u32::from(cell % 20 == 0)).collect();
    demand[3 * 128..4 * 128].fill(8);
    demand
}

#[test]
fn one_cell_with_all_demand_is_cut_inside() {
    for cell in [1, 5 * 128 + 64, CELLS - 1] {
        let mut plant = Plant::new(one_cell(cell), 300);
        let (fewest, most) = plant.settled();
        assert!(
            fewest >= 240 && most <= 420,
            "cell {cell}: {fewest} to {most} of 300"
        );
    }
}

/// The floor lies above the first cell, so what is in it is the gate's alone.
#[test]
fn the_first_cell_is_never_cut() {
    let mut plant = Plant::new(one_cell(0), 300);
    assert_eq!(plant.settled(), (1000, 1000));
    assert_eq!(plant.controller.level(), Level::FLOOR);
}

#[test]
fn one_business_with_nearly_all_demand_is_cut_inside() {
    let mut plant = Plant::new(lopsided(), 300);
    let (fewest, most) = plant.settled();
    assert!(fewest >= 240 && most <= 420, "{fewest} to {most} of 300");
    assert!((3 * 128 * 256..4 * 128 * 256).contains(&plant.controller.cursor));
}

#[test]
fn lopsided_demand_that_shrinks_opens_the_level_again() {
    for demand in [one_cell(5 * 128 + 64), lopsided()] {
        let mut plant = Plant::new(demand, 300);
        plant.settled();
        plant.capacity = 3000;
        assert!(plant.opens_within(30));
    }
}

/// One user cannot be admitted in part: here the level can only say all or nothing, and the gate does the
/// rest. It must neither lock the user out nor run to the bottom.
#[test]
fn one_user_with_all_demand_is_never_locked_out() {
    let cell = 5 * 128 + 64;
    for sub_level in [0, 1, 64, 128, 254, 255] {
        let user = 256 * u32::try_from(cell).unwrap() + sub_level;
        let mut plant = Plant::new(one_cell(cell), 300);
        let mut served = 0;
        for _ in 0..300 {
            let (arrived, withheld) = if user < plant.controller.cursor {
                (one_cell(cell), [0; 8])
            } else {
                (vec![0; CELLS], [0, 0, 0, 0, 0, 1000, 0, 0])
            };
            served += plant.close(&arrived, &withheld).admitted.min(300);
            assert!(plant.controller.cursor >= user - 256, "runs to the bottom");
        }
        assert!(served >= 300 * 300 / 3, "sub-level {sub_level}: {served}");
    }
}
