//! O25: what makes the gate see nothing, or takes its dispatcher away. It is told once, and nobody hangs.

use std::time::Duration;

use dagor::{Admission, Priority, observe::Advice};
use tokio::runtime::{self, Runtime};

use crate::{
    alone, best_of_three, burner, check, figure, fixed,
    sockets::{Setup, Version},
    support::Ear,
    three_times, under,
};

const TIME: Duration = Duration::from_millis(3);

/// Looking at the sockets after every task wakes the dispatcher before the other tasks had their turn.
#[test]
fn o25_an_event_interval_of_one_is_noticed() {
    let setup = Setup {
        event_interval: 1,
        ..Setup::default()
    };
    let load = three_times(Version::Http1, setup, TIME);
    best_of_three(|| {
        let ear = Ear::default();
        let admission = fixed(2).observer(ear.clone()).build().unwrap();
        let outcome = under(load, setup, Some(&admission), burner(TIME), || ());
        let queuing = admission.snapshot().queuing;
        figure(&format!(
            "event_interval(1): goodput {:.0}/s, queuing {:?}, advice {:?}",
            outcome.goodput(&load),
            queuing.mean,
            ear.heard().advice,
        ));
        check(outcome.good > 0, || "a hang".into())?;
        let blind = |advice: &&Advice| matches!(advice, Advice::GateBlind { .. });
        let told = ear.heard().advice.iter().filter(blind).count();
        check(told == 1, || format!("told {told} times"))
    });
}

#[test]
fn o25_the_default_event_interval_is_not_complained_of() {
    let setup = Setup::default();
    let load = three_times(Version::Http1, setup, TIME);
    best_of_three(|| {
        let ear = Ear::default();
        let admission = fixed(2).observer(ear.clone()).build().unwrap();
        under(load, setup, Some(&admission), burner(TIME), || ());
        let advice = ear.heard().advice;
        check(advice.is_empty(), || format!("{advice:?}"))
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
