//! O25: what makes the gate see nothing, or takes its dispatcher away. It is told once, and nobody hangs.

use std::time::Duration;

use dagor::{Admission, Priority, observe::Advice};
use tokio::runtime::{self, Runtime};

use crate::{
    alone, best_of_three, burner, check, figure, fixed,
    sockets::{Setup, VERSIONS, Version},
    support::Ear,
    three_times, under,
};

const TIME: Duration = Duration::from_millis(3);

/// Runs a load on two permits and returns the advice that was given, and the requests served in time.
fn advice_under(version: Version, event_interval: u32) -> (Vec<Advice>, u64) {
    let setup = Setup {
        event_interval,
        ..Setup::default()
    };
    let load = three_times(version, setup, TIME);
    let ear = Ear::default();
    let admission = fixed(2).observer(ear.clone()).build().unwrap();
    let outcome = under(load, setup, Some(&admission), burner(TIME), || ());
    let advice = ear.heard().advice;
    figure(&format!(
        "{version:?}, event_interval({event_interval}): goodput {:.0}/s, queuing {:?}, {advice:?}",
        outcome.goodput(&load),
        admission.snapshot().queuing.mean,
    ));
    assert!(outcome.good + outcome.refused > 0, "a hang");
    (advice, outcome.good)
}

/// Looking at the sockets after every task wakes the dispatcher before the other tasks had their turn. On
/// HTTP/1, with a task for each request, nobody comes into the gate then.
#[test]
fn o25_an_event_interval_of_one_is_told_once_and_survived() {
    best_of_three(|| {
        let (advice, good) = advice_under(Version::Http1, 1);
        let blind = |advice: &&Advice| matches!(advice, Advice::GateBlind { .. });
        let told = advice.iter().filter(blind).count();
        check(told == 1, || format!("told {told} times"))?;
        // It falls back: a tenth of this was served before it did.
        let (_, by_default) = advice_under(Version::Http1, 61);
        check(2 * good >= by_default, || {
            format!("{good} instead of {by_default}")
        })
    });
}

#[test]
fn o25_the_default_event_interval_is_not_complained_of() {
    best_of_three(|| {
        for version in VERSIONS {
            let (advice, _) = advice_under(version, 61);
            check(advice.is_empty(), || format!("{version:?}: {advice:?}"))?;
        }
        Ok(())
    });
}

fn runtime() -> Runtime {
    runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Admits 400 jobs on `runtime`, a few at a time.
fn jobs(runtime: &Runtime, admission: &Admission) -> [tokio::task::JoinHandle<()>; 4] {
    [(); 4].map(|()| {
        let admission = admission.clone();
        runtime.spawn(async move {
            for _ in 0..100 {
                let admitted = admission.admit(Priority::MOST_IMPORTANT, Duration::ZERO);
                drop(admitted.await.unwrap());
            }
        })
    })
}

fn finish(runtime: &Runtime, jobs: impl IntoIterator<Item = tokio::task::JoinHandle<()>>) {
    for job in jobs {
        let job = async { tokio::time::timeout(Duration::from_secs(20), job).await };
        runtime.block_on(job).expect("a hang").unwrap();
    }
}

fn no_dispatcher(ear: &Ear) -> usize {
    let advice = ear.heard().advice;
    let told = |advice: &&Advice| matches!(advice, Advice::NoDispatcher { .. });
    advice.iter().filter(told).count()
}

#[test]
fn o25_two_runtimes_share_an_admission() {
    let _alone = alone();
    let ear = Ear::default();
    let admission = fixed(2).observer(ear.clone()).build().unwrap();
    let (first, second) = (runtime(), runtime());
    finish(&first, jobs(&first, &admission));
    let both = [jobs(&first, &admission), jobs(&second, &admission)];
    finish(&first, both.into_iter().flatten());
    assert_eq!(no_dispatcher(&ear), 1);
    drop((first, second));
    assert_eq!(admission.snapshot().waiting, 0);
}

#[test]
fn o25_a_runtime_that_ends_takes_no_permit_with_it() {
    let _alone = alone();
    let ear = Ear::default();
    let admission = fixed(2).observer(ear.clone()).build().unwrap();
    for _ in 0..4 {
        let ending = runtime();
        let abandoned = jobs(&ending, &admission);
        // In the middle of it, with permits out and jobs waiting.
        let held = ending.block_on(admission.admit(Priority::MOST_IMPORTANT, Duration::ZERO));
        ending.shutdown_background();
        drop((abandoned, held));
        let next = runtime();
        finish(&next, jobs(&next, &admission));
    }
    assert_eq!(no_dispatcher(&ear), 1, "told once");
    let last = runtime();
    let all = async {
        let first = admission.admit(Priority::MOST_IMPORTANT, Duration::ZERO);
        let second = admission.admit(Priority::MOST_IMPORTANT, Duration::ZERO);
        (first.await, second.await)
    };
    let (first, second) = last.block_on(all);
    assert!(first.is_ok() && second.is_ok(), "both permits are there");
}

/// Most often the service ends with its runtime, and nobody needs to be told.
#[test]
fn o25_an_orderly_end_is_no_advice() {
    let _alone = alone();
    let ear = Ear::default();
    let admission = fixed(2).observer(ear.clone()).build().unwrap();
    let only = runtime();
    finish(&only, jobs(&only, &admission));
    drop(only);
    assert_eq!(no_dispatcher(&ear), 0);
}
