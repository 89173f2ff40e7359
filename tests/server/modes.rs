//! Modes and settings, changed while requests are served.

use dagor::{Admission, Clock, Concurrency, Level, Mode, Settings, wire::Outcome};
use tokio::task::JoinSet;

use crate::support::{
    Ear, Pressure, Random, asked, call, eventually, get, level_of, ms, offer, priority, secs,
    sleeper,
};

fn admission(mode: Mode) -> (Admission, Ear) {
    let ear = Ear::default();
    let admission = Admission::builder("modes")
        .mode(mode)
        .clock(Clock::tokio())
        .observer(ear.clone())
        .build()
        .unwrap();
    (admission, ear)
}

#[tokio::test(start_paused = true)]
async fn observe_decides_and_reports_but_sheds_nothing() {
    let (admission, ear) = admission(Mode::Observe);
    let service = sleeper(&admission, ms(1));
    let _pressure = Pressure::on(&admission).await;
    for _ in 0..20 {
        let response = call(&service, asked(priority(5, 1))).await;
        assert_eq!(response.status(), 200);
        let field = level_of(response.headers());
        assert_eq!(field.outcome, Outcome::Processed);
        // Callers who obey a level would do the shedding that this mode promises not to do.
        assert_eq!(field.level, Level::OPEN);
    }
    let snapshot = admission.snapshot();
    assert!(!snapshot.level.is_open(), "decided");
    assert_eq!(snapshot.businesses[5].shed_total(), 20, "and reported");
    assert_eq!(ear.heard().shed.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn observe_makes_nobody_wait() {
    let (admission, _) = admission(Mode::Observe);
    let service = sleeper(&admission, ms(5));
    let start = admission.clock().now();
    let mut calls = JoinSet::new();
    for _ in 0..500 {
        let service = service.clone();
        calls.spawn(async move { call(&service, get("/")).await.status() });
    }
    assert!(calls.join_all().await.iter().all(|status| *status == 200));
    assert!(admission.clock().now() - start < ms(10), "all at once");
}

#[tokio::test(start_paused = true)]
async fn off_measures_and_counts_nothing() {
    let (admission, ear) = admission(Mode::Off);
    let service = sleeper(&admission, ms(1));
    for request in [get("/"), get("/healthz"), asked(priority(5, 1))] {
        let response = call(&service, request).await;
        assert_eq!(response.status(), 200);
        assert_eq!(level_of(response.headers()).level, Level::OPEN);
    }
    let snapshot = admission.snapshot();
    assert_eq!(
        (snapshot.demand(), snapshot.exempt, snapshot.in_flight),
        (0, 0, 0)
    );
    assert_eq!(snapshot.queuing.count, 0);
    assert!(ear.heard().windows.iter().all(|window| window.demand == 0));
}

#[tokio::test(start_paused = true)]
async fn off_forgets_the_level() {
    let (admission, _) = admission(Mode::Enforce);
    let service = sleeper(&admission, ms(1));
    let pressure = Pressure::on(&admission).await;
    let running = tokio::spawn({
        let service = sleeper(&admission, ms(400));
        async move { call(&service, asked(priority(0, 0))).await }
    });
    tokio::task::yield_now().await;
    drop(pressure);
    admission.set_mode(Mode::Off);
    // Windows go on closing meanwhile: somebody is still running.
    for _ in 0..10 {
        assert_eq!(admission.level(), Level::OPEN);
        let response = call(&service, asked(priority(7, 1))).await;
        assert_eq!(level_of(response.headers()).level, Level::OPEN);
        tokio::time::sleep(ms(25)).await;
    }
    admission.set_mode(Mode::Enforce);
    for _ in 0..10 {
        let response = call(&service, asked(priority(7, 127))).await;
        assert_eq!(response.status(), 200, "the old overload is forgotten");
        tokio::time::sleep(ms(25)).await;
    }
    assert_eq!(running.await.unwrap().status(), 200);
}

#[tokio::test(start_paused = true)]
async fn o21_bad_settings_leave_the_old_ones_alone() {
    let (admission, _) = admission(Mode::Enforce);
    let old = admission.settings();
    let mut bad = Settings {
        longest_wait: Some(ms(1)),
        mode: Mode::Off,
        ..Settings::default()
    };
    bad.constants.threshold = secs(0);
    bad.refusal.status = 200;
    let error = admission.reload(bad).unwrap_err().to_string();
    for key in ["threshold_ms", "refusal.status"] {
        assert!(error.contains(key), "all faults at once: {error}");
    }
    assert_eq!(*admission.settings(), *old);
    assert_eq!(admission.mode(), Mode::Enforce);
}

#[tokio::test(start_paused = true)]
async fn o21_no_request_is_lost_when_the_mode_changes_under_load() {
    let (admission, _) = admission(Mode::Enforce);
    admission
        .reload(Settings {
            concurrency: Concurrency::Fixed(2.try_into().unwrap()),
            ..Settings::default()
        })
        .unwrap();
    let service = sleeper(&admission, ms(2));
    let mut random = Random::new(21);
    let load = tokio::spawn({
        let service = service.clone();
        async move { offer(&service, 3000, secs(2), || random.user(4)).await }
    });
    for mode in [Mode::Observe, Mode::Enforce, Mode::Off, Mode::Enforce].repeat(12) {
        tokio::time::sleep(ms(40)).await;
        admission.set_mode(mode);
    }
    // `offer` counts an answer for every request, or panics.
    let tally = load.await.unwrap();
    assert_eq!(tally.served + tally.refused, tally.sent);
    assert!(tally.refused > 0 && tally.served > 2000, "{tally:?}");
    eventually("every permit is back", || {
        let snapshot = admission.snapshot();
        (snapshot.waiting, snapshot.running, snapshot.in_flight) == (0, 0, 0)
    })
    .await;
    assert_eq!(admission.snapshot().permits, Some(2));
}

#[tokio::test(start_paused = true)]
async fn o21_those_who_wait_start_at_once_when_the_gate_is_taken_away() {
    let (admission, _) = admission(Mode::Enforce);
    admission
        .reload(Settings {
            concurrency: Concurrency::Fixed(1.try_into().unwrap()),
            ..Settings::default()
        })
        .unwrap();
    let _held = admission.admit(priority(0, 0), ms(0)).await.unwrap();
    let service = sleeper(&admission, ms(0));
    let waiting = tokio::spawn(async move { call(&service, get("/")).await.status() });
    eventually("it waits", || admission.snapshot().waiting == 1).await;
    admission.set_mode(Mode::Observe);
    assert_eq!(waiting.await.unwrap(), 200);
}

/// Settings that have nothing to do with permits must not throw away what the limit has learned.
#[tokio::test(start_paused = true)]
async fn a_reload_keeps_the_permits_that_were_found() {
    let (admission, _) = admission(Mode::Enforce);
    let service = sleeper(&admission, ms(50));
    let mut random = Random::new(5);
    offer(&service, 400, secs(3), || random.user(4)).await;
    let found = admission.snapshot().permits.unwrap();
    assert!(found > 8, "grew: {found}");

    let mut settings = Settings::default();
    settings.refusal.status = 429;
    admission.reload(settings.clone()).unwrap();
    assert_eq!(admission.snapshot().permits, Some(found));

    // From a thread outside of the runtime, as a signal handler would, and with another limit.
    settings.concurrency = Concurrency::Fixed(3.try_into().unwrap());
    admission.reload(settings).unwrap();
    assert_eq!(admission.snapshot().permits, Some(3));
}
