//! Without tokio: the dispatcher by hand, on an executor of one's own and a clock moved by hand.
#![expect(clippy::unwrap_used, reason = "a failure here is a failed test")]

use std::{
    future::Future,
    num::NonZeroUsize,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

use dagor::{
    Admission, Clock, Concurrency, Observer, Priority, Shed, User,
    admission::{Admitted, Due},
    clock::Hand,
    observe::{Advice, WindowClosed},
};

const TICK: Duration = Duration::from_millis(20);

#[derive(Clone, Debug, Default)]
struct Ear {
    windows: Arc<AtomicU64>,
    advice: Arc<AtomicU64>,
}

impl Observer for Ear {
    fn window_closed(&self, _: &str, _: &WindowClosed) {
        self.windows.fetch_add(1, Relaxed);
    }

    fn advice(&self, _: &str, _: &Advice) {
        self.advice.fetch_add(1, Relaxed);
    }
}

struct Bench {
    admission: Admission,
    hand: Hand,
    asked: Arc<AtomicU32>,
    ear: Ear,
}

impl Bench {
    fn new() -> Self {
        let (clock, hand) = Clock::manual();
        let asked = Arc::new(AtomicU32::new(0));
        let ear = Ear::default();
        let ask = Arc::clone(&asked);
        let admission = Admission::builder("orders")
            .clock(clock)
            .concurrency(Concurrency::Fixed(NonZeroUsize::MIN))
            .observer(ear.clone())
            .dispatcher(move || {
                ask.fetch_add(1, Relaxed);
            })
            .build()
            .unwrap();
        Self {
            admission,
            hand,
            asked,
            ear,
        }
    }

    fn admit(&self, user: u8) -> Pin<Box<dyn Future<Output = Result<Admitted, Shed>>>> {
        let priority = Priority::new(dagor::Business::new(3), User::new(user, 0).unwrap());
        let admission = self.admission.clone();
        Box::pin(async move { admission.admit(priority, Duration::ZERO).await })
    }
}

fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn admitted(poll: Poll<Result<Admitted, Shed>>) -> Admitted {
    let Poll::Ready(Ok(admitted)) = poll else {
        panic!("not admitted: {poll:?}");
    };
    admitted
}

#[test]
fn a_permit_goes_to_the_best_once_everybody_had_a_turn() {
    let bench = Bench::new();
    let first = admitted(poll(&mut bench.admit(9)));
    assert_eq!(bench.asked.load(Relaxed), 1, "somebody runs: time matters");
    assert_eq!(bench.admission.dispatch(), Due::After(TICK));

    let mut worse = bench.admit(8);
    assert!(poll(&mut worse).is_pending());
    drop(first);
    assert_eq!(bench.asked.load(Relaxed), 2, "a permit came back");
    assert!(poll(&mut worse).is_pending(), "it is not handed on yet");
    // The turn of the others: a better one comes.
    let mut better = bench.admit(1);
    assert!(poll(&mut better).is_pending());
    assert_eq!(bench.asked.load(Relaxed), 2, "asked for once");

    let _ = bench.admission.dispatch();
    let better = admitted(poll(&mut better));
    assert!(poll(&mut worse).is_pending());
    drop(better);
    let _ = bench.admission.dispatch();
    drop(admitted(poll(&mut worse)));
}

#[test]
fn what_happens_by_time_happens_when_it_is_due() {
    let bench = Bench::new();
    let _held = admitted(poll(&mut bench.admit(1)));
    let mut waits = bench.admit(2);
    assert!(poll(&mut waits).is_pending());
    assert_eq!(bench.admission.dispatch(), Due::After(TICK));
    bench.hand.advance(TICK / 2);
    assert_eq!(
        bench.admission.dispatch(),
        Due::After(TICK / 2),
        "asked for early"
    );
    // The longest wait is five thresholds, a window of few requests a second long.
    for _ in 0..60 {
        let Due::After(span) = bench.admission.dispatch() else {
            panic!("somebody waits");
        };
        bench.hand.advance(span);
    }
    let _ = bench.admission.dispatch();
    let Poll::Ready(Err(shed)) = poll(&mut waits) else {
        panic!("it waits longer than anybody may");
    };
    assert_eq!(shed.reason(), dagor::error::Reason::Expired);
    assert!(bench.ear.windows.load(Relaxed) >= 1, "no request closed it");
    assert_eq!(bench.ear.advice.load(Relaxed), 0, "all is as it should be");
}

#[test]
fn it_rests_when_there_is_nothing_to_do_and_is_asked_for_again() {
    let bench = Bench::new();
    drop(admitted(poll(&mut bench.admit(1))));
    let mut turns = 0;
    while let Due::After(span) = bench.admission.dispatch() {
        turns += 1;
        assert!(turns < 200, "it never rests");
        bench.hand.advance(span);
    }
    let asked = bench.asked.load(Relaxed);
    bench.hand.advance(Duration::from_secs(60));
    drop(admitted(poll(&mut bench.admit(1))));
    assert!(bench.asked.load(Relaxed) > asked);
    assert!(matches!(bench.admission.dispatch(), Due::After(_)));
    assert_eq!(
        bench.ear.advice.load(Relaxed),
        0,
        "a rest is no stop of the process"
    );
}

#[test]
fn without_a_dispatcher_of_ones_own_dispatch_does_nothing() {
    let admission = Admission::builder("orders").build().unwrap();
    assert_eq!(admission.dispatch(), Due::WhenAsked);
}
