//! As many come, and when they should.

use super::*;

/// All shapes, each over 20 s.
fn shapes() -> Vec<(&'static str, Shape)> {
    let flash = |factor, rise, fall| Shape::FlashCrowd {
        at: secs(4),
        factor,
        rise,
        hold: secs(3),
        fall,
    };
    let wave = |amplitude| Shape::Sinusoid {
        amplitude,
        period: ms(7_300),
    };
    vec![
        ("steady", Shape::Steady),
        (
            "step up",
            Shape::Step {
                at: ms(6_500),
                factor: 3.0,
            },
        ),
        (
            "step to nothing",
            Shape::Step {
                at: secs(0),
                factor: 0.0,
            },
        ),
        ("ramp up", Shape::Ramp { factor: 10.0 }),
        ("ramp to nothing", Shape::Ramp { factor: 0.0 }),
        ("wave", wave(0.7)),
        ("wave that touches 0", wave(1.0)),
        (
            "bursts",
            Shape::Bursts {
                factor: 50.0,
                length: ms(30),
                every: ms(900),
            },
        ),
        (
            "pauses",
            Shape::Bursts {
                factor: 0.0,
                length: ms(333),
                every: secs(1),
            },
        ),
        ("flash crowd", flash(10.0, ms(500), secs(2))),
        ("flash crowd at once", flash(10.0, secs(0), secs(0))),
        (
            "replay",
            Shape::Replay {
                bin: ms(2_500),
                counts: vec![100.0, 0.0, 2_000.0, 50.5, 1.0, 0.0, 700.0],
            },
        ),
    ]
}

/// The rate of a load at a moment in seconds.
fn rate(load: &Load, at: f64) -> f64 {
    load.rate_at(Duration::from_secs_f64(at))
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

#[test]
fn as_many_come_as_the_rate_adds_up_to() {
    for seed in 0..4 {
        for (name, shape) in shapes() {
            let mut load = load(20, 150.0, shape);
            if let Shape::Replay { .. } = load.shape {
                load.rate = 1.5;
            }
            let all = tasks(&of(vec![load.clone()]), seed);
            // In all, and in pieces of it that fit no shape's.
            let mut windows = vec![(secs(0), secs(20))];
            windows.extend((0..27).map(|piece| (ms(piece * 740), ms((piece + 1) * 740))));
            for (from, until) in windows {
                let expected = load.expected(from, until);
                let before = |moment| all.partition_point(|(at, _)| *at < moment);
                let came = before(until) - before(from);
                let off = f64::from(u32::try_from(came).unwrap()) - expected;
                // Of 4 x 12 x 28 windows, one is 4 sigma off by chance once in a dozen runs; and few expected
                // tasks are not normal.
                let bound = 4.5 * expected.sqrt() + 2.0;
                assert!(
                    off.abs() <= bound,
                    "seed {seed}, {name}, {from:?} to {until:?}: {came}, not {expected:.1}"
                );
            }
        }
    }
}

#[test]
fn expected_is_the_sum_of_rates() {
    for (name, shape) in shapes() {
        let mut load = load(20, 2.0, shape);
        load.from = ms(1_500);
        let (from, until) = (ms(700), ms(17_300));
        // Steps of 1 ms; the edges of all shapes are at whole ones, and rates change in between by lines or little.
        let steps = 700..17_300;
        let sum: f64 = steps
            .map(|step| rate(&load, f64::from(step) / 1e3 + 0.0005) * 0.001)
            .sum();
        let expected = load.expected(from, until);
        let off = (sum - expected).abs();
        assert!(
            off < 1e-6 * expected.max(1.0),
            "{name}: {sum}, not {expected}"
        );
    }
}

#[test]
fn rates_at_moments() {
    let shapes = shapes();
    let find = |wanted: &str| {
        let found = shapes.iter().find(|(name, _)| *name == wanted).unwrap();
        load(20, 2.0, found.1.clone())
    };
    let cases = [
        ("steady", 0.0, 2.0),
        ("steady", 19.999, 2.0),
        ("steady", 20.0, 0.0),
        ("step up", 6.499, 2.0),
        ("step up", 6.5, 6.0),
        ("step to nothing", 0.0, 0.0),
        ("ramp up", 0.0, 2.0),
        ("ramp up", 10.0, 11.0),
        ("ramp to nothing", 15.0, 0.5),
        ("wave", 0.0, 2.0),
        ("wave", 7.3 / 4.0, 3.4),
        ("wave", 7.3 * 0.75, 0.6),
        ("bursts", 0.0, 100.0),
        ("bursts", 0.029, 100.0),
        ("bursts", 0.03, 2.0),
        ("bursts", 0.9, 100.0),
        ("bursts", 18.02, 100.0),
        ("pauses", 7.332, 0.0),
        ("pauses", 7.333, 2.0),
        ("flash crowd", 4.0, 2.0),
        ("flash crowd", 4.25, 11.0),
        ("flash crowd", 4.5, 20.0),
        ("flash crowd", 7.499, 20.0),
        ("flash crowd", 8.5, 11.0),
        ("flash crowd", 9.5, 2.0),
        ("flash crowd at once", 3.999, 2.0),
        ("flash crowd at once", 4.0, 20.0),
        ("flash crowd at once", 7.0, 2.0),
        ("replay", 2.499, 80.0),
        ("replay", 2.5, 0.0),
        ("replay", 7.0, 1_600.0),
        ("replay", 17.5, 0.0),
    ];
    for (name, at, expected) in cases {
        let found = rate(&find(name), at);
        assert!(
            close(found, expected),
            "{name} at {at}: {found}, not {expected}"
        );
    }
    let mut late = find("ramp up");
    (late.from, late.until) = (secs(5), secs(25));
    assert!(close(rate(&late, 4.999), 0.0), "before");
    assert!(close(rate(&late, 15.0), 11.0), "halfway");
}

#[test]
fn a_replay_brings_what_was_counted() {
    let counts = vec![300.0, 0.0, 1_200.0, 40.0];
    let shape = Shape::Replay {
        bin: ms(500),
        counts: counts.clone(),
    };
    let load = load(10, 1.0, shape);
    assert!(close(load.expected(secs(0), secs(10)), 1_540.0));
    let mut came = vec![0_u32; 20];
    for seed in 0..100 {
        for (at, _) in tasks(&of(vec![load.clone()]), seed) {
            came[usize::try_from(at.as_millis() / 500).unwrap()] += 1;
        }
    }
    for (bin, came) in came.into_iter().enumerate() {
        let expected = 100.0 * counts.get(bin).copied().unwrap_or(0.0);
        let off = (f64::from(came) - expected).abs();
        assert!(
            off <= 4.0 * expected.sqrt(),
            "bin {bin}: {came}, not {expected}"
        );
    }
}
