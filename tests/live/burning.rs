//! O24: handlers that burn the processor and never await. The permit is taken and returned within one poll,
//! so that a gate built the obvious way never sees anybody wait.

use std::time::Duration;

use crate::{
    best_of_three, burner, check, figure, fixed,
    load::Outcome,
    sockets::{Setup, Version},
    three_times, under,
};

/// With and without control at three times the capacity, in the same run.
fn queues_in_the_gate(version: Version, workers: usize) {
    // So long that two workers and the clients find room on two cores.
    let time = Duration::from_millis(3) * u32::try_from(workers).unwrap();
    let setup = Setup {
        workers,
        ..Setup::default()
    };
    let load = three_times(version, setup, time);
    best_of_three(|| {
        let without = under(load, setup, None, burner(time), || ());
        figure(&format!(
            "{version:?}, {workers} workers, no control: goodput {:.0}/s",
            without.goodput(&load)
        ));
        for permits in [1, 2, 4] {
            let admission = fixed(permits).build().unwrap();
            let mut most_waiting = 0;
            let with = under(load, setup, Some(&admission), burner(time), || {
                most_waiting = most_waiting.max(admission.snapshot().waiting);
            });
            let queuing = admission.snapshot().queuing;
            figure(&format!(
                "{version:?}, {workers} workers, {permits} permits: goodput {:.0}/s, most waiting \
                 {most_waiting}, p50 {:?}, p99 {:?}, first two businesses {:.3}, all {:.3}",
                with.goodput(&load),
                queuing.p50,
                queuing.p99,
                with.important(2),
                with.important(8),
            ));
            check(most_waiting > 0 && !queuing.p90.is_zero(), || {
                format!("{permits} permits: nobody waits in the gate")
            })?;
            assert_better(&with, &without, permits)?;
        }
        Ok(())
    });
}

fn assert_better(with: &Outcome, without: &Outcome, permits: usize) -> Result<(), String> {
    check(2 * with.good >= 3 * without.good, || {
        format!(
            "{permits} permits: {} against {} without",
            with.good, without.good
        )
    })?;
    // In order: 3 of 46 requests belong to the first two businesses, a fifth of the capacity.
    check(with.important(2) >= 0.9, || {
        format!(
            "{permits} permits: the important are served {:.3}",
            with.important(2)
        )
    })
}

#[test]
fn o24_http1_on_one_worker() {
    queues_in_the_gate(Version::Http1, 1);
}

#[test]
fn o24_http1_on_two_workers() {
    queues_in_the_gate(Version::Http1, 2);
}

#[test]
fn o24_http2_on_one_worker() {
    queues_in_the_gate(Version::Http2, 1);
}

#[test]
fn o24_http2_on_two_workers() {
    queues_in_the_gate(Version::Http2, 2);
}
