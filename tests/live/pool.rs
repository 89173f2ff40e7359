//! O27: handlers behind a pool of connections, whose queue the runtime cannot see.

use std::{sync::Arc, time::Duration};

use axum::{Router, routing::get};
use dagor::{Admission, Clock, Concurrency, Settings, control::Verdict};
use tokio::sync::Semaphore;

use crate::{
    best_of_three, check, figure, fixed,
    load::Load,
    sockets::{Setup, Version},
    support::Ear,
    under,
};

const POOL: usize = 10;
const HOLD: Duration = Duration::from_millis(20);

/// Waits for one of ten connections and holds it for 20 ms: 500 requests a second at most.
fn behind_a_pool(report: Option<Admission>) -> Router {
    let pool = Arc::new(Semaphore::new(POOL));
    let handler = async move || {
        let clock = Clock::system();
        let asked = clock.now();
        let _connection = pool.acquire().await.unwrap();
        if let Some(admission) = &report {
            admission.report_wait(clock.now() - asked);
        }
        tokio::time::sleep(HOLD).await;
    };
    Router::new().route("/", get(handler))
}

fn load(times: f64) -> Load {
    Load {
        version: Version::Http1,
        connections: 400,
        per_second: times * 500.0,
        warm: Duration::from_millis(1000),
        time: Duration::from_millis(2000),
        deadline: Duration::from_millis(500),
        seed: 27,
    }
}

/// What a load below what the pool can do shows of it, as a rate: the clock of timers makes 20 ms a little
/// longer, and a busy machine more so.
fn capacity(setup: Setup) -> f64 {
    let admission = fixed(POOL).build().unwrap();
    let full = under(
        load(1.2),
        setup,
        Some(&admission),
        behind_a_pool(None),
        || (),
    );
    full.goodput(&load(1.2))
}

#[test]
fn o27_a_fixed_limit_above_the_pool_holds_its_capacity() {
    let setup = Setup::default();
    best_of_three(|| {
        let capacity = capacity(setup);
        let admission = fixed(POOL + POOL / 5).build().unwrap();
        let outcome = under(
            load(3.0),
            setup,
            Some(&admission),
            behind_a_pool(None),
            || (),
        );
        let share = outcome.goodput(&load(3.0)) / capacity;
        figure(&format!("Fixed(12) at 3x: {share:.3} of {capacity:.0}/s"));
        check(share >= 0.95, || format!("{share:.3} of {capacity:.0}/s"))
    });
}

#[test]
fn o27_a_reported_wait_moves_the_level() {
    let setup = Setup::default();
    best_of_three(|| {
        let ear = Ear::default();
        let settings = Settings {
            concurrency: Concurrency::Fixed(1000.try_into().unwrap()),
            ..Settings::default()
        };
        let admission = Admission::builder("pool")
            .settings(settings)
            .observer(ear.clone())
            .build()
            .unwrap();
        let app = behind_a_pool(Some(admission.clone()));
        let outcome = under(load(2.0), setup, Some(&admission), app, || ());
        let heard = ear.heard();
        let overloaded = heard
            .windows
            .iter()
            .filter(|window| window.verdict == Verdict::Overloaded);
        figure(&format!(
            "reported waits at 2x: {} of {} windows overloaded, goodput {:.0}/s, refused {}",
            overloaded.clone().count(),
            heard.windows.len(),
            outcome.goodput(&load(2.0)),
            outcome.refused,
        ));
        check(overloaded.count() > 0 && outcome.refused > 0, || {
            "a wait for the pool did not move the level".into()
        })
    });
}
