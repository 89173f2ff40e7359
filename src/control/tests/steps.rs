//! How far one step goes, and the sets of constants.

use super::{plant::Plant, *};

#[test]
fn rise_is_graded_by_how_little_is_waited() {
    let arrived = vec![1; CELLS];
    // 1 %, 5 % and 20 % of 1,024 requests, one per cell.
    for (mean_ms, cells) in [(18, 10.24), (15, 51.2), (1, 204.8)] {
        let mut controller = controller(Constants::dagor());
        controller.cursor = 100 * 256;
        step(
            &mut controller,
            &Counts::of(arrived.clone(), 100, mean_ms).seen(),
        );
        let rise = f64::from(controller.cursor - 100 * 256) / 256.0;
        assert!((rise - cells).abs() < 0.01, "{mean_ms} ms: {rise}");
    }
}

#[test]
fn without_a_gate_steps_are_in_proportion() {
    let arrived = vec![1; CELLS];
    // From 500 cells; down 5 % per threshold of excess but 30 % at most, up 1 % of what is left of it.
    for (mean_ms, cells) in [
        (40, -25.0),
        (100, -100.0),
        (900, -150.0),
        (10, 5.12),
        (0, 51.2),
    ] {
        let mut controller = controller(Constants::no_gate());
        controller.cursor = 500 * 256;
        step(
            &mut controller,
            &Counts::of(arrived.clone(), 500, mean_ms).seen(),
        );
        let moved = f64::from(controller.cursor) / 256.0 - 500.0;
        assert!((moved - cells).abs() < 0.01, "{mean_ms} ms: {moved}");
    }
}

#[test]
fn reported_demand_lies_above_the_level() {
    let mut controller = controller(Constants::dagor());
    controller.cursor = (2 * 128 + 64) * 256;
    let seen = Seen {
        withheld: &[0, 64, 64, 64, 0, 0, 0, 0, 9999],
        paused: false,
        running: 1,
        ..Seen::default()
    };
    let closed = controller.step(Duration::ZERO, &seen);
    assert_eq!((closed.demand, closed.arrived), (192, 0));
    let below = |cell: u32| controller.demand.below(cell * 256);
    // Business 1 ends below the level: its reports can only have meant its last cell.
    assert!((below(255) - 0.0).abs() < 1e-9);
    assert!((below(256) - 64.0).abs() < 1e-9);
    assert!((below(256 + 64) - 64.0).abs() < 1e-9);
    assert!((below(256 + 65) - 65.0).abs() < 1e-9);
    assert!((below(384) - 128.0).abs() < 1e-9);
    assert!((below(384 + 64) - 160.0).abs() < 1e-9);
}

#[test]
fn rounding_does_not_carry_the_level_over_an_empty_stretch() {
    for tenths in 1..100 {
        let mass = f64::from(tenths) * 0.1;
        let mut arrived = vec![0; CELLS];
        (arrived[2], arrived[10], arrived[11], arrived[900]) = (5, 1, 2, 4);
        let seen = Seen {
            arrived: &arrived,
            ..Seen::default()
        };
        let mut demand = Demand::new(BUSINESSES);
        demand.remember(0.0, &seen, 12, 0);
        // An empty window: what is remembered is fractional.
        demand.remember(mass, &Seen::default(), 0, 0);
        let both = mass + 2.0 * mass;
        assert_eq!(demand.lowered(12 * 256, both), 10 * 256, "{mass}");
        assert_eq!(demand.reaching(5.0 * mass + both), 12 * 256, "{mass}");
    }
}

#[test]
fn the_top_is_open_for_any_number_of_businesses() {
    for businesses in [0, 1, 8, 256, u16::MAX] {
        let mut controller = Controller::new(Constants::dagor(), businesses, Duration::ZERO);
        assert_eq!(controller.level(), Level::OPEN);
        let cells = 128 * usize::from(businesses.clamp(1, 256));
        let arrived = vec![1; cells];
        let closed = controller.step(Duration::ZERO, &Counts::of(arrived, 50, 30).seen());
        assert!(closed.level < Level::OPEN);
        assert_eq!(closed.demand, u64::try_from(cells).unwrap());
        while controller.level() != Level::OPEN {
            let before = controller.level();
            step(&mut controller, &Counts::of(vec![1; cells], 50, 0).seen());
            assert!(controller.level() > before);
        }
    }
}

#[test]
fn a_tenfold_load_is_cut_in_one_window() {
    let mut plant = Plant::new(vec![1; CELLS], 100);
    let first = plant.window();
    assert_eq!(first.verdict, Verdict::Overloaded);
    let second = plant.window().admitted;
    assert!(
        (120..=133).contains(&second),
        "{second}: not 0.95 * 1.4 * 100"
    );
}

#[test]
fn sets_are_what_was_measured() {
    let dagor = Constants::dagor();
    assert_eq!(dagor, Constants::default());
    assert_eq!(
        Constants::swift(),
        Constants {
            down: 0.02,
            margin: 1.2,
            up: 0.05,
            times_well_below: 1.0,
            times_nearly_empty: 4.0,
            ..dagor.clone()
        }
    );
    assert_eq!(
        Constants::no_gate(),
        Constants {
            algorithm: Algorithm::Proportional,
            margin: 1.0,
            ..dagor.clone()
        }
    );
    assert_eq!(
        Constants::paper(),
        Constants {
            algorithm: Algorithm::Paper,
            threshold: Duration::from_millis(20),
            slots: 0.0,
            window: Duration::from_secs(1),
            longest_window: Duration::from_secs(1),
            most_requests: 2000,
            fewest_requests: 0,
            fewest_samples: 0,
            memory: 0.0,
            down: 0.05,
            up: 0.01,
            times_well_below: 1.0,
            times_nearly_empty: 1.0,
            least_share: 0.0,
            ..dagor
        }
    );
}

#[test]
fn new_constants_keep_level_and_demand() {
    let mut controller = controller(Constants::dagor());
    step(&mut controller, &Counts::even(5, 10, 300, 30).seen());
    let (level, total) = (controller.level(), controller.demand.total());
    controller.set_constants(Constants::swift());
    assert_eq!(controller.constants(), &Constants::swift());
    assert_eq!(controller.level(), level);
    assert!((controller.demand.total() - total).abs() < 1e-9);
}
