//! The cases that hurt: sparse traffic, stalls, pauses, lopsided demand; and the sets of constants.

use super::*;

/// A service and its obedient callers: demand per cell and window, of which `capacity` can be served.
struct Plant {
    demand: Vec<u32>,
    capacity: u32,
    controller: Controller,
}

/// What a plant did in one window.
struct Did {
    verdict: Verdict,
    admitted: u32,
}

impl Plant {
    fn new(demand: Vec<u32>, capacity: u32) -> Self {
        Self {
            demand,
            capacity,
            controller: controller(Constants::dagor()),
        }
    }

    /// Plays one window: what is below the level arrives, the rest is withheld and reported. The mean
    /// wait is 20 ms at capacity, none at half of it, and 40 ms, where the gate's queue is full, at most.
    fn window(&mut self) -> Did {
        let level = self.controller.cursor;
        let mut arrived = self.demand.clone();
        let mut withheld = [0; 8];
        for ((cell, arrived), start) in arrived.iter_mut().enumerate().zip((0..).step_by(256)) {
            let passes = level.saturating_sub(start).min(256);
            let sent = *arrived * passes / 256;
            withheld[cell / 128] += *arrived - sent;
            *arrived = sent;
        }
        self.close(&arrived, &withheld)
    }

    fn close(&mut self, arrived: &[u32], withheld: &[u32]) -> Did {
        let admitted = arrived.iter().sum::<u32>();
        let served = admitted.min(self.capacity);
        let load = f64::from(admitted) / f64::from(self.capacity);
        let mean = 0.040 * (load - 0.5).clamp(0.0, 1.0);
        let seen = Seen {
            arrived,
            withheld,
            served: u64::from(served),
            starts: u64::from(served),
            waited: Duration::from_secs_f64(mean * f64::from(served)),
            running: usize::from(served > 0),
            ..Seen::default()
        };
        let verdict = step(&mut self.controller, &seen);
        Did { verdict, admitted }
    }

    /// Lets the plant settle, then returns the fewest and the most admitted in 100 windows.
    fn settled(&mut self) -> (u32, u32) {
        for _ in 0..30 {
            self.window();
        }
        let admitted: Vec<u32> = (0..100).map(|_| self.window().admitted).collect();
        (
            *admitted.iter().min().unwrap(),
            *admitted.iter().max().unwrap(),
        )
    }
}

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

fn share_below(controller: &Controller) -> f64 {
    controller.demand.below(controller.cursor) / controller.demand.total()
}

// --- steps ---

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

// --- few samples, pauses, idle ---

#[test]
fn few_samples_never_lower_the_level() {
    let mut controller = controller(Constants::dagor());
    step(&mut controller, &Counts::even(5, 10, 300, 30).seen());
    let level = controller.level();
    for _ in 0..20 {
        let few = Counts::of(one_cell_of(5 * 128, 9), 1, 500);
        assert_eq!(step(&mut controller, &few.seen()), Verdict::TooFew);
        assert_eq!(controller.level(), level);
    }
    let enough = Counts::of(one_cell_of(5 * 128, 10), 1, 500);
    assert_eq!(step(&mut controller, &enough.seen()), Verdict::Overloaded);
    assert!(controller.level() < level);
}

#[test]
fn few_samples_raise_the_level_until_it_is_open() {
    let mut controller = controller(Constants::dagor());
    for _ in 0..20 {
        step(&mut controller, &Counts::even(5, 10, 100, 30).seen());
    }
    assert!(controller.level() < Level::OPEN);
    // One request a window arrives, and nearly all that is wanted is withheld.
    for window in 0.. {
        assert!(window < 40, "still at {:?}", controller.level());
        let mut trickle = Counts::of(one_cell_of(5 * 128, 1), 1, 0);
        trickle.withheld = vec![0, 0, 0, 0, 0, 1280];
        assert_eq!(step(&mut controller, &trickle.seen()), Verdict::Calm);
        if controller.level() == Level::OPEN {
            break;
        }
    }
}

#[test]
fn a_pause_leaves_no_trace() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut undisturbed = controller(Constants::dagor());
        let mut paused = undisturbed.clone();
        for _ in 0..20 {
            let burst = random.counts().times(9);
            let level = paused.level();
            let seen = Seen {
                paused: true,
                ..burst.seen()
            };
            let closed = paused.step(Duration::ZERO, &seen);
            assert_eq!(closed.verdict, Verdict::Paused);
            assert_eq!((closed.previous, closed.level), (level, level));
            let counts = random.counts();
            step(&mut paused, &counts.seen());
            step(&mut undisturbed, &counts.seen());
            assert_eq!(paused.level(), undisturbed.level(), "seed {seed}");
        }
    }
}

#[test]
fn a_pause_still_closes_the_window() {
    let mut controller = controller(Constants::dagor());
    let now = Duration::from_secs(9);
    assert!(controller.due(now, 0, false));
    let paused = Seen {
        paused: true,
        ..Seen::default()
    };
    controller.step(now, &paused);
    assert!(!controller.due(now, 0, true));
}

#[test]
fn silence_of_a_window_is_idle_and_two_steps_open() {
    let mut controller = controller(Constants::dagor());
    let last = Duration::from_secs(1);
    assert!(!controller.idle_since(last + Duration::from_millis(99), last));
    assert!(controller.idle_since(last + Duration::from_millis(100), last));

    let open_window = Counts::even(5, 10, 100, 30);
    step(&mut controller, &open_window.seen());
    assert!(controller.level() < Level::OPEN);
    assert_eq!(step(&mut controller, &Seen::default()), Verdict::Idle);
    assert_eq!(controller.level(), Level::OPEN);
}

// --- least share ---

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
    let windows = (1..).find(|_| {
        plant.window();
        plant.controller.level() == Level::OPEN
    });
    assert!(windows.unwrap() <= 30);
}

// --- lopsided demand ---

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
        let windows = (1..).find(|_| {
            plant.window();
            plant.controller.level() == Level::OPEN
        });
        assert!(windows.unwrap() <= 30);
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

fn one_cell_of(cell: usize, count: u32) -> Vec<u32> {
    let mut demand = vec![0; CELLS];
    demand[cell] = count;
    demand
}

// --- constants ---

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
