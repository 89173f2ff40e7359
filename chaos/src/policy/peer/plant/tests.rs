//! The plant against what is known of queues, before peers are judged in it.

use std::time::Duration;

use super::{LOADS, Plant, Setup, Vacant, cells, geometric_mean, mean, quantile};
use crate::policy::{Arrival, Gatekeeper, Verdict};

/// So many at once, so many more in line, the rest refused; by importance.
struct Fixed {
    slots: usize,
    bound: usize,
}

impl Gatekeeper for Fixed {
    fn arrive(&mut self, _: Duration, request: &Arrival, _: usize, _: usize) -> Verdict {
        Verdict::Queue(u64::from(request.call.number))
    }

    fn slots(&self) -> usize {
        self.slots
    }

    fn queue_bound(&self) -> usize {
        self.bound
    }

    fn finish(&mut self, _: Duration, _: &Arrival, _: Duration, _: bool) {}

    fn level(&self) -> f64 {
        0.5
    }
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_line_at_four_fifths_waits_as_erlang_says() {
    let setup = Setup {
        servers: 6,
        length: 100 * SECOND,
        ..Setup::single(10, 0.8)
    };
    // Slots without bound: the line is then the server's own.
    for slots in [10, usize::MAX] {
        let bound = usize::MAX;
        let sight = Plant::run_callee(&setup, |_| Fixed { slots, bound });
        let waits = sight.waits_in(5 * SECOND, 100 * SECOND);
        // Erlang C for 10 servers, 8 erlangs: 0.4092 wait, 20 ms each.
        let (waited, expected) = (mean(&waits).as_secs_f64(), 0.4092 * 0.040 / 2.0);
        assert!(
            (waited / expected - 1.0).abs() < 0.2,
            "{waited} for {expected}"
        );
        let waiting = waits.iter().filter(|wait| !wait.is_zero()).count();
        let share = f64::from(u32::try_from(waiting).unwrap())
            / f64::from(u32::try_from(waits.len()).unwrap());
        assert!((share - 0.4092).abs() < 0.04, "{share}");
        let responses = sight.responses_in(5 * SECOND, 100 * SECOND);
        assert!(quantile(&responses, 0.9) > quantile(&responses, 0.5));
    }
}

#[test]
fn a_bounded_line_loses_as_erlang_says() {
    let setup = Setup {
        refusal_cost: 0.0,
        length: 200 * SECOND,
        ..Setup::single(10, 1.0)
    };
    let sight = Plant::run_callee(&setup, |_| Fixed {
        slots: 10,
        bound: 0,
    });
    let refused = f64::from(u32::try_from(sight.refused_in(10 * SECOND, 200 * SECOND)).unwrap());
    // Erlang B for 10 servers, 10 erlangs.
    let share = refused / (190.0 * setup.capacity());
    assert!((share - 0.2146).abs() < 0.01, "{share}");
}

#[test]
fn without_bound_overload_leaves_nothing_and_with_one_it_does() {
    let setup = Setup::cell(&[1], 2.0);
    let open = |_: usize| Fixed {
        slots: 10,
        bound: usize::MAX,
    };
    let sight = Plant::run_callee(&setup, open);
    // Requests whose time is over are refused at the head, so all that is served is served late.
    assert!(sight.goodput() < 0.5, "{}", sight.goodput());
    assert!(sight.took.iter().all(|&(_, took)| took <= setup.deadline));
    let sight = Plant::run_callee(&setup, |_| Fixed {
        slots: 10,
        bound: 5,
    });
    assert!(sight.goodput() > 0.9, "{}", sight.goodput());
    assert!((sight.level_in(SECOND, 20 * SECOND) - 0.5).abs() < 1e-9);
    assert_eq!(sight.levels.len(), 3 * 299);
    assert!(sight.withheld.is_empty());
}

#[test]
fn the_important_come_first() {
    let setup = Setup {
        numbers: vec![1, 7],
        calls: vec![1, 2],
        ..Setup::cell(&[1], 1.8)
    };
    let sight = Plant::run_callee(&setup, |_| Fixed {
        slots: 10,
        bound: 10,
    });
    let (first, last) = (sight.success_of_number(1), sight.success_of_number(7));
    assert!(first > 0.9 && last < 0.2, "{first} {last}");
    assert!(sight.success_of_calls(1) > sight.success_of_calls(2));
}

#[test]
fn half_the_speed_is_half_the_optimum() {
    let setup = Setup {
        speed: vec![(Duration::ZERO, 1.0), (15 * SECOND, 0.5)],
        ..Setup::cell(&[1], 2.0)
    };
    let (before, after) = (
        setup.optimum(10 * SECOND, 15 * SECOND),
        setup.optimum(15 * SECOND, 20 * SECOND),
    );
    assert!((before - 2.0 * after).abs() < 1e-6, "{before} {after}");
    let sight = Plant::run_callee(&setup, |_| Fixed {
        slots: 10,
        bound: 5,
    });
    let share = sight.goodput_of(16 * SECOND, 29 * SECOND);
    assert!(share > 0.85 && share <= 1.05, "{share}");
}

#[test]
fn the_cells_are_the_table_s() {
    let table = cells(
        0..1,
        SECOND,
        |_| Fixed {
            slots: 10,
            bound: 5,
        },
        |_| Vacant,
    );
    assert!(table.len() == 5 && table.iter().all(|row| row.len() == LOADS.len()));
    let single = geometric_mean(&table[..1]);
    let four = geometric_mean(&table[3..4]);
    assert!(single > 0.8 && four < 0.5, "{single} {four}");
}
