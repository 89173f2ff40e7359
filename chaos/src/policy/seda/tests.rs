//! SEDA's claims, with the paper's constants and with the policy's.

use super::*;
use crate::policy::peer::{
    plant::{Plant, Setup, Sight, quantile},
    testing::{Bench, call, scenario, service},
};

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const TARGET: Duration = Duration::from_millis(192);
const NOW: Duration = Duration::from_secs(60);

/// In front of the 10 workers of 40 ms of the reference cell.
fn seda(_: usize) -> Seda {
    Seda::new(10, Settings::tuned(TARGET, 250.0))
}

/// The paper's constants.
fn paper(target: Duration, rate: f64) -> Settings {
    Settings {
        target,
        responses: 100,
        timeout: SECOND,
        alpha: 0.7,
        err_d: 0.0,
        err_i: -0.5,
        adj_d: 1.2,
        adj_i: 2.0,
        c_i: -0.1,
        rates: (0.05, rate, 5000.0),
        depth: 10.0,
    }
}

/// With them, at work since a minute.
fn at_work(target: Duration, rate: f64) -> Seda {
    let mut seda = Seda::new(10, paper(target, rate));
    seda.acted = NOW;
    seda
}

fn slowest_tenth(sight: &Sight, from: Duration, until: Duration) -> Duration {
    quantile(&sight.responses_in(from, until), 0.9)
}

/// Serves so many requests in so long each, from `now` on, and returns the rate.
fn serve(seda: &mut Seda, now: Duration, count: usize, took: Duration) -> f64 {
    for _ in 0..count {
        let request = Arrival {
            call: call(0, Duration::MAX),
            at: now.saturating_sub(took),
            ask: None,
        };
        seda.finish(now, &request, now, true);
    }
    seda.rate
}

fn is(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} for {expected}");
}

#[test]
fn the_rate_moves_by_the_formula() {
    let mut seda = at_work(SECOND, 100.0);
    is(serve(&mut seda, NOW, 99, 2 * SECOND), 100.0);
    // Twice the target: down.
    is(serve(&mut seda, NOW, 1, 2 * SECOND), 100.0 / 1.2);
    let rates: Vec<f64> = (0..6)
        .map(|_| serve(&mut seda, NOW, 100, 200 * MS))
        .collect();
    let down = 100.0 / 1.2_f64.powi(3);
    is(rates[0], 100.0 / 1.2_f64.powi(2));
    is(rates[1], down);
    // 0.2 s and 1.8 s x 0.7^n: not below half of the target until n = 6.
    is(rates[2], down);
    is(rates[4], down);
    let err = 0.2 + 1.8 * 0.7_f64.powi(6) - 1.0;
    is(rates[5], down + (-0.1 - err) * 2.0);
}

#[test]
fn nine_in_ten_count_and_time_is_up_after_a_while() {
    let mut seda = at_work(SECOND, 100.0);
    serve(&mut seda, NOW, 91, 100 * MS);
    // Nine of a hundred are slow: it goes up.
    is(serve(&mut seda, NOW, 9, 3 * SECOND), 100.0 + 0.8 * 2.0);
    // Few responses, but a second since.
    assert!(serve(&mut seda, NOW + SECOND, 1, 9 * SECOND) < 101.0);
}

#[test]
fn the_bucket_admits_the_rate_and_a_burst_of_its_depth() {
    let mut seda = at_work(SECOND, 100.0);
    let request = Arrival {
        call: call(0, Duration::MAX),
        at: Duration::ZERO,
        ask: None,
    };
    let mut admitted = |at| {
        let came = (0..50).filter(|_| seda.arrive(NOW + at, &request, 0, 0) != Verdict::Refuse);
        came.count()
    };
    assert_eq!(admitted(Duration::ZERO), 10);
    assert_eq!(admitted(51 * MS), 5);
    assert_eq!(admitted(10 * SECOND), 10);
    is(seda.level(), 100.0 / 5000.0);
    assert_eq!(seda.slots(), 10);
}

#[test]
fn the_target_is_above_what_an_empty_server_takes() {
    let bench = Bench::still(scenario(vec![service(Some(10), 40)]));
    let target = target(&bench.place(0), 40 * MS);
    assert!((target.as_secs_f64() - 0.1921).abs() < 1e-4, "{target:?}");
}

#[test]
fn the_rate_stays_within_its_bounds() {
    let mut seda = seda(0);
    is(
        (0..100).fold(0.0, |_, _| serve(&mut seda, NOW, 25, 5 * SECOND)),
        100.0,
    );
    is(
        (0..1000).fold(0.0, |_, _| serve(&mut seda, NOW, 25, MS)),
        312.5,
    );
}

#[test]
fn the_paper_s_constants_bound_the_90th_percentile() {
    let setup = Setup {
        length: 100 * SECOND,
        ..Setup::single(10, 2.0)
    };
    let sight = Plant::run_callee(&setup, |_| Seda::new(10, paper(SECOND, 250.0)));
    let slow = slowest_tenth(&sight, 40 * SECOND, 100 * SECOND);
    assert!(slow < SECOND, "{slow:?}");
    // And without a controller that ever acts, it grows with every second.
    let open = Settings {
        responses: usize::MAX,
        timeout: Duration::MAX,
        ..paper(SECOND, 1000.0)
    };
    let sight = Plant::run_callee(&setup, |_| Seda::new(10, open.clone()));
    let slow = slowest_tenth(&sight, 40 * SECOND, 100 * SECOND);
    assert!(slow > 20 * SECOND, "{slow:?}");
}

#[test]
fn the_90th_percentile_is_near_the_target_under_overload() {
    for load in [1.5, 2.0, 5.0] {
        let setup = Setup {
            length: 60 * SECOND,
            ..Setup::single(10, load)
        };
        let sight = Plant::run_callee(&setup, seda);
        let slow = slowest_tenth(&sight, 20 * SECOND, 60 * SECOND);
        assert!(
            (TARGET.mul_f64(0.7)..=TARGET.mul_f64(1.3)).contains(&slow),
            "{slow:?} at {load}"
        );
    }
}

#[test]
fn a_spike_is_brought_down_to_the_target() {
    let setup = Setup {
        load: vec![(Duration::ZERO, 0.5), (10 * SECOND, 5.0)],
        length: 60 * SECOND,
        ..Setup::single(10, 1.0)
    };
    let sight = Plant::run_callee(&setup, seda);
    let spike = slowest_tenth(&sight, 10 * SECOND, 12 * SECOND);
    let after = slowest_tenth(&sight, 30 * SECOND, 60 * SECOND);
    assert!(
        spike > 2 * TARGET && after < TARGET.mul_f64(1.3),
        "{spike:?} {after:?}"
    );
}

#[test]
fn it_sheds_blindly() {
    let setup = Setup {
        numbers: vec![0, 9],
        ..Setup::cell(&[1], 2.0)
    };
    let sight = Plant::run_callee(&setup, seda);
    let (first, last) = (sight.success_of_number(0), sight.success_of_number(9));
    assert!((first / last - 1.0).abs() < 0.1, "{first} {last}");
    assert!(sight.goodput() > 0.75, "{}", sight.goodput());
}
