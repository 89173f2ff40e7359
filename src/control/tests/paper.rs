//! The published algorithm, against windows worked out by hand.

use super::*;

/// Arrivals of `each` requests in the first `cells` cells, of which `admitted` were admitted.
fn window(cells: usize, each: u32) -> Vec<u32> {
    let mut arrived = vec![0; CELLS];
    arrived[..cells].fill(each);
    arrived
}

fn seen(arrived: &[u32], admitted: u64, mean_ms: u64) -> Seen<'_> {
    Seen {
        arrived,
        admitted,
        served: 1,
        starts: 100,
        waited: Duration::from_millis(100 * mean_ms),
        running: 1,
        ..Seen::default()
    }
}

/// Returns a controller whose level admits this many cells.
fn at(cells: u32) -> Controller {
    let mut controller = controller(Constants::paper());
    controller.cursor = 256 * cells;
    controller
}

fn cells_after(controller: &mut Controller, seen: &Seen<'_>) -> u32 {
    step(controller, seen);
    assert_eq!(controller.cursor % 256, 0, "the paper has no sub-levels");
    controller.cursor / 256
}

#[test]
fn overload_takes_cells_away_until_5_percent_of_admitted_are_gone() {
    // 20 cells of 10, the first 10 admitted: N_adm = 100, N_exp = 95. One cell leaves 90, not above 95.
    let arrived = window(20, 10);
    assert_eq!(cells_after(&mut at(10), &seen(&arrived, 100, 30)), 9);

    // 40 cells of 1, all admitted: N_exp = 38, two cells.
    let arrived = window(40, 1);
    assert_eq!(cells_after(&mut at(40), &seen(&arrived, 40, 30)), 38);
}

#[test]
fn overload_walks_through_empty_cells() {
    // Open, 40 cells of 1 at the very front: 984 empty cells and two full ones.
    let arrived = window(40, 1);
    let open = at(1024);
    assert_eq!(open.level(), Level::OPEN);
    assert_eq!(cells_after(&mut open.clone(), &seen(&arrived, 40, 30)), 38);
}

#[test]
fn overload_never_takes_the_first_cell() {
    let arrived = window(1, 1000);
    assert_eq!(cells_after(&mut at(1), &seen(&arrived, 1000, 500)), 1);
    assert_eq!(cells_after(&mut at(3), &seen(&arrived, 1000, 500)), 1);
}

#[test]
fn calm_adds_cells_until_1_percent_of_arrivals_are_in() {
    // 1000 cells of 1: N = 1000, N_adm = 300, N_exp = 310: ten cells.
    let arrived = window(1000, 1);
    assert_eq!(cells_after(&mut at(300), &seen(&arrived, 300, 5)), 310);

    // 20 cells of 10: N = 200, two requests wanted: one cell of 10.
    let arrived = window(20, 10);
    assert_eq!(cells_after(&mut at(10), &seen(&arrived, 100, 5)), 11);
}

#[test]
fn calm_without_arrivals_above_the_level_opens() {
    // What makes the paper blind once callers withhold: nothing above, so the walk ends at the top.
    let arrived = window(10, 10);
    assert_eq!(cells_after(&mut at(10), &seen(&arrived, 100, 5)), 1024);
}

#[test]
fn withheld_demand_counts_where_it_is_reported() {
    // 100 arrived and 118 withheld in business 0, one per cell above the level: N_exp = 102.18.
    let arrived = window(10, 10);
    let seen = Seen {
        withheld: &[118],
        ..seen(&arrived, 100, 5)
    };
    assert_eq!(cells_after(&mut at(10), &seen), 13);
}

#[test]
fn every_window_stands_for_itself() {
    // The window before had ten times the requests, all below the level. N is still 1000: ten cells.
    // A memory, even one asked for by the constants, would make it 31.
    let mut controller = at(300);
    controller.set_constants(Constants {
        memory: 0.7,
        ..Constants::paper()
    });
    let before = window(300, 10);
    step(&mut controller, &seen(&before, 3000, 5));
    controller.cursor = 256 * 300;
    let arrived = window(1000, 1);
    assert_eq!(cells_after(&mut controller, &seen(&arrived, 300, 5)), 310);
}

#[test]
fn rise_is_not_graded() {
    let arrived = window(1000, 1);
    assert_eq!(cells_after(&mut at(300), &seen(&arrived, 300, 0)), 310);
}

#[test]
fn nothing_seen_means_no_step() {
    let mut controller = at(10);
    assert_eq!(cells_after(&mut controller, &Seen::default()), 10);
    assert!(!controller.idle_since(Duration::from_secs(60), Duration::ZERO));
}

#[test]
fn one_request_is_enough_for_a_verdict() {
    let arrived = window(1, 1);
    assert_eq!(
        step(&mut at(10), &seen(&arrived, 1, 30)),
        Verdict::Overloaded
    );
}

#[test]
fn a_level_inside_a_cell_still_moves_the_right_way() {
    let arrived = window(20, 10);
    for part in [1, 128, 255] {
        let mut controller = at(10);
        controller.cursor += part;
        let before = controller.cursor;
        assert_eq!(
            cells_after(&mut controller.clone(), &seen(&arrived, 104, 30)),
            10
        );
        step(&mut controller, &seen(&arrived, 104, 5));
        assert!(controller.cursor > before);
    }
}
