//! O26: a client that may have few streams open holds its requests back where no server can see them.

use std::time::Duration;

use axum::{Router, routing::get};
use dagor::observe::Advice;

use crate::{
    best_of_three, check, figure, fixed,
    load::Load,
    sockets::{Setup, Version},
    support::Ear,
    three_times, under,
};

/// Four at a time, some 5 ms each: the gate would let 26 wait (two thresholds of work), and there are
/// streams for 16.
const TIME: Duration = Duration::from_millis(5);
const PERMITS: usize = 4;

#[test]
fn o26_few_streams_hide_the_wait_in_the_client() {
    let setup = Setup {
        streams: 10,
        ..Setup::default()
    };
    let load = Load {
        connections: 2,
        per_second: 1500.0,
        // Every answer counts, however late: the hidden wait is what is asked for.
        deadline: Duration::from_secs(2),
        ..three_times(Version::Http2, setup, TIME)
    };
    best_of_three(|| {
        let ear = Ear::default();
        let admission = fixed(PERMITS).observer(ear.clone()).build().unwrap();
        let mut most_waiting = 0;
        let app = Router::new().route("/", get(async || tokio::time::sleep(TIME).await));
        let outcome = under(load, setup, Some(&admission), app, || {
            most_waiting = most_waiting.max(admission.snapshot().waiting);
        });
        let queuing = admission.snapshot().queuing.mean;
        let latency = outcome.mean_latency();
        let hidden = latency.saturating_sub(queuing + TIME);
        let advice = ear.heard().advice;
        figure(&format!(
            "10 streams on 2 connections: {latency:?} at the client, {queuing:?} seen, {hidden:?} \
             hidden; most waiting {most_waiting}; first two businesses {:.3}, all {:.3}, refused {}; \
             advice {advice:?}",
            outcome.important(2),
            outcome.important(8),
            outcome.refused,
        ));
        check(hidden > 5 * queuing, || {
            format!("hidden {hidden:?}, seen {queuing:?}: no longer worth documenting?")
        })?;
        check(most_waiting <= 20, || format!("{most_waiting} of 20 wait"))?;
        let blind = |advice: &Advice| matches!(advice, Advice::GateBlind { .. });
        // The server sees no wait of its own, so it must not claim to know one.
        check(!advice.iter().any(blind), || format!("{advice:?}"))
    });
}

/// Where the streams keep the gate always busy and never too full, everything else waits in the clients:
/// the one case that can be told from the server.
#[test]
fn o26_clients_that_hold_back_are_told_of() {
    let setup = Setup {
        streams: 7,
        ..Setup::default()
    };
    let load = Load {
        connections: 2,
        per_second: 1500.0,
        // Long enough for the gate to be sure that it is no accident.
        time: Duration::from_secs(3),
        ..three_times(Version::Http2, setup, TIME)
    };
    best_of_three(|| {
        let ear = Ear::default();
        let admission = fixed(PERMITS).observer(ear.clone()).build().unwrap();
        let app = Router::new().route("/", get(async || tokio::time::sleep(TIME).await));
        let _ = under(load, setup, Some(&admission), app, || {});
        let advice = ear.heard().advice;
        let held_back = |advice: &&Advice| matches!(advice, Advice::HeldBack { .. });
        let told = advice.iter().filter(held_back).count();
        check(told == 1, || format!("told {told} times: {advice:?}"))
    });
}
