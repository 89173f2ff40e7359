//! Few samples, pauses, silence.

use super::*;

#[test]
fn few_samples_never_lower_the_level() {
    let mut controller = controller(Constants::dagor());
    step(&mut controller, &Counts::even(5, 10, 300, 30).seen());
    let level = controller.level();
    for _ in 0..20 {
        let few = Counts::of(one_cell(5 * 128, 9), 1, 500);
        assert_eq!(step(&mut controller, &few.seen()), Verdict::TooFew);
        assert_eq!(controller.level(), level);
    }
    let enough = Counts::of(one_cell(5 * 128, 10), 1, 500);
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
        let mut trickle = Counts::of(one_cell(5 * 128, 1), 1, 0);
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

fn one_cell(cell: usize, count: u32) -> Vec<u32> {
    let mut demand = vec![0; CELLS];
    demand[cell] = count;
    demand
}
