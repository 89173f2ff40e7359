//! Control-law invariants: they hold for every history, not only for sensible ones.

use super::*;

/// The histogram kept by the test itself, from the definition.
struct Model {
    memory: f64,
    cells: Vec<f64>,
    total: f64,
    served: f64,
}

impl Model {
    fn new(memory: f64) -> Self {
        Self {
            memory,
            cells: vec![0.0; CELLS],
            total: 0.0,
            served: 0.0,
        }
    }

    fn remember(&mut self, counts: &Counts, level: u32) {
        let boundary = usize::try_from(level / 256).unwrap();
        for cell in 0..CELLS {
            let first = cell / 128 * 128;
            let last = first + 127;
            let from = boundary.clamp(first, last);
            let withheld = counts.withheld.get(cell / 128).copied().unwrap_or(0);
            let share = if cell >= from {
                f64::from(withheld) / f64::from(u32::try_from(last + 1 - from).unwrap())
            } else {
                0.0
            };
            self.cells[cell] =
                self.memory * self.cells[cell] + f64::from(counts.arrived[cell]) + share;
        }
        let wanted = counts.arrived.iter().chain(&counts.withheld).sum::<u32>();
        self.total = self.memory * self.total + f64::from(wanted);
        self.served = self.memory * self.served + float(counts.served);
    }

    fn below(&self, level: u32) -> f64 {
        let whole = usize::try_from(level / 256).unwrap();
        let part = f64::from(level % 256) / 256.0;
        let partial = self.cells.get(whole).map_or(0.0, |mass| mass * part);
        self.cells[..whole].iter().sum::<f64>() + partial
    }

    /// Mass of one sub-level of the heaviest cell, and a little for rounding.
    fn sub_level(&self) -> f64 {
        self.cells.iter().copied().fold(0.0, f64::max) / 256.0 + 1e-6
    }
}

/// Runs a random history and shows every step to `check`: verdict, level before and after, and the
/// histogram the step was made on.
fn run(
    constants: &Constants,
    seed: u64,
    check: impl Fn(Verdict, u32, u32, &Model) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let mut controller = controller(constants.clone());
    let mut model = Model::new(constants.memory);
    for _ in 0..60 {
        let counts = random.counts();
        let before = controller.cursor;
        model.remember(&counts, before);
        let verdict = step(&mut controller, &counts.seen());
        check(verdict, before, controller.cursor, &model)?;
    }
    Ok(())
}

fn any_constants() -> impl Strategy<Value = Constants> {
    prop::sample::select(vec![
        Constants::dagor(),
        Constants::swift(),
        Constants::no_gate(),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn level_stays_in_its_range(constants in any_constants(), seed: u64) {
        run(&constants, seed, |_, _, after, _| {
            prop_assert!((256..=TOP).contains(&after));
            Ok(())
        })?;
    }

    #[test]
    fn overload_lowers_the_level_or_finds_it_at_the_least_share(
        constants in any_constants(),
        seed: u64,
    ) {
        run(&constants, seed, |verdict, before, after, model| {
            if verdict == Verdict::Overloaded && after >= before {
                let least = constants.least_share * model.total;
                let at_floor = after == 256 && before == 256;
                prop_assert!(at_floor || model.below(after - 1) < least + 1e-6);
            }
            Ok(())
        })?;
    }

    #[test]
    fn overload_without_a_least_share_always_lowers_the_level(
        constants in any_constants(),
        seed: u64,
    ) {
        let constants = Constants { least_share: 0.0, ..constants };
        run(&constants, seed, |verdict, before, after, _| {
            prop_assert!(verdict != Verdict::Overloaded || after < before || before == 256);
            Ok(())
        })?;
    }

    #[test]
    fn overload_always_leaves_the_least_share(constants in any_constants(), seed: u64) {
        run(&constants, seed, |verdict, _, after, model| {
            let least = constants.least_share * model.total;
            prop_assert!(verdict != Verdict::Overloaded || model.below(after) >= least - 1e-6);
            Ok(())
        })?;
    }

    #[test]
    fn calm_raises_the_level_until_it_is_open(constants in any_constants(), seed: u64) {
        run(&constants, seed, |verdict, before, after, _| {
            prop_assert!(verdict != Verdict::Calm || after > before || before == TOP);
            Ok(())
        })?;
    }

    #[test]
    fn overload_takes_away_what_it_must_and_no_more(seed: u64) {
        let constants = Constants { least_share: 0.0, ..Constants::dagor() };
        run(&constants, seed, |verdict, before, after, model| {
            if verdict != Verdict::Overloaded {
                return Ok(());
            }
            let target = model.below(before).min(1.4 * model.served) * 0.95;
            let left = model.below(after);
            prop_assert!(left <= target + model.sub_level() || after == 256, "{left} {target}");
            let forced = after + 1 == before;
            prop_assert!(left >= target - 2.0 * model.sub_level() || forced, "{left} {target}");
            Ok(())
        })?;
    }

    #[test]
    fn calm_adds_at_most_a_fifth_of_demand(constants in any_constants(), seed: u64) {
        run(&constants, seed, |verdict, before, after, model| {
            if verdict == Verdict::Calm {
                let added = model.below(after) - model.below(before);
                prop_assert!(added <= 0.20 * model.total + model.sub_level(), "{added}");
            }
            Ok(())
        })?;
    }

    #[test]
    fn scale_does_not_matter(constants in any_constants(), seed: u64, factor in 2_u32..50) {
        let mut random = Random(seed);
        let (mut small, mut large) = (controller(constants.clone()), controller(constants));
        for _ in 0..40 {
            let counts = random.counts();
            step(&mut small, &counts.seen());
            step(&mut large, &counts.times(factor).seen());
            prop_assert!(small.cursor.abs_diff(large.cursor) <= 2);
        }
    }

    #[test]
    fn idle_opens_from_any_level(constants in any_constants(), seed: u64) {
        let mut random = Random(seed);
        let mut controller = controller(constants);
        for _ in 0..30 {
            step(&mut controller, &random.counts().seen());
        }
        prop_assert_eq!(step(&mut controller, &Seen::default()), Verdict::Idle);
        prop_assert_eq!(controller.level(), Level::OPEN);
    }

    #[test]
    fn admission_is_monotone(seed: u64, a in 0..Level::OPEN.get(), b in 0..Level::OPEN.get()) {
        let mut random = Random(seed);
        let mut controller = controller(Constants::dagor());
        let (better, worse) = (priority(a.min(b)), priority(a.max(b)));
        for _ in 0..10 {
            step(&mut controller, &random.counts().seen());
            let level = controller.level();
            prop_assert!(level.admits(better, Progress::New) || !level.admits(worse, Progress::New));
            for priority in [better, worse] {
                let new = level.admits(priority, Progress::New);
                prop_assert!(!new || level.admits(priority, Progress::InProgress));
            }
        }
    }

    #[test]
    fn no_constants_and_no_counts_break_it(
        algorithm in 0_usize..3,
        numbers in prop::collection::vec(prop::num::f64::ANY, 12),
        seed: u64,
    ) {
        let constants = Constants {
            algorithm: [Algorithm::Graded, Algorithm::Proportional, Algorithm::Paper][algorithm],
            threshold: Duration::from_micros(seed % 3),
            slots: numbers[0],
            memory: numbers[1],
            down: numbers[2],
            margin: numbers[3],
            up: numbers[4],
            well_below: numbers[5],
            times_well_below: numbers[6],
            nearly_empty: numbers[7],
            times_nearly_empty: numbers[8],
            least_share: numbers[9],
            steepest: numbers[10],
            up_idle: numbers[11],
            ..Constants::dagor()
        };
        let mut random = Random(seed);
        let mut controller = controller(constants);
        for length in [0, 1, 127, 128, 200, CELLS, CELLS + 1] {
            let arrived = vec![u32::MAX; length];
            let counts = random.counts();
            let seen = Seen { arrived: &arrived, slot: Duration::MAX, ..counts.seen() };
            step(&mut controller, &seen);
            prop_assert!((256..=TOP).contains(&controller.cursor));
        }
    }
}

#[test]
fn demand_beyond_all_floats_keeps_the_level_in_its_range() {
    for memory in [1e60, 1e150, f64::MAX, f64::INFINITY, -1e150, f64::NAN] {
        for set in [Constants::dagor(), Constants::no_gate(), Constants::paper()] {
            let constants = Constants { memory, ..set };
            let mut random = Random(7);
            let mut controller = controller(constants);
            for _ in 0..40 {
                step(&mut controller, &random.counts().seen());
                assert!((256..=TOP).contains(&controller.cursor), "{memory}");
            }
        }
    }
}

fn priority(key: u32) -> Priority {
    let [_, business, high, low] = key.to_be_bytes();
    let business = Business::new((business << 1) | (high >> 7));
    Priority::new(business, User::new(high & 127, low).unwrap())
}
