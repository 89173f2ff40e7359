//! The gate on real runtimes, with paused time where time matters.

use std::{
    future::Future,
    num::NonZeroUsize,
    pin::pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use tokio::runtime::Runtime;

use super::*;
use crate::priority::{Business, User};

/// Hears what the gate tells.
#[derive(Default)]
struct Ear(Mutex<Vec<Advice>>);

impl Owner for Ear {
    fn tick(&self, _: Duration, _: Option<Duration>) -> bool {
        true
    }

    fn started_on(&self, _: &Handle) {}

    fn advise(&self, advice: Advice) {
        self.0.lock().unwrap().push(advice);
    }
}

fn gate(permits: usize) -> Arc<Gate> {
    let permits = Concurrency::Fixed(NonZeroUsize::new(permits).unwrap());
    Gate::new(&permits, Clock::tokio(), Duration::from_millis(100), None)
}

fn ticket(business: u8) -> Ticket {
    Ticket {
        priority: Priority::new(Business::new(business), User::MOST_IMPORTANT),
        progress: Progress::New,
        deadline: u64::MAX,
    }
}

use crate::priority::{Priority, Progress};

/// Waits for what the gate says, if it must be waited for.
async fn outcome(answer: Answer) -> Result<(Permit, Duration), Reason> {
    match answer {
        Answer::Granted(permit) => Ok((permit, Duration::ZERO)),
        Answer::Wait(acquire) => acquire.await,
        Answer::Refused(reason) => Err(reason),
    }
}

async fn acquire(gate: &Arc<Gate>, business: u8) -> Result<Permit, Reason> {
    let acquire = outcome(gate.acquire(&ticket(business), gate.clock.now()));
    acquire.await.map(|(permit, _)| permit)
}

/// Polls once.
fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn runtime() -> Runtime {
    runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn grants_the_best_first() {
    let gate = gate(1);
    let held = acquire(&gate, 0).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let waiters: Vec<_> = [5, 2, 7, 3]
        .map(|business| {
            let (gate, order) = (Arc::clone(&gate), Arc::clone(&order));
            tokio::spawn(async move {
                let permit = acquire(&gate, business).await.unwrap();
                order.lock().unwrap().push(business);
                permit.finish();
            })
        })
        .into();
    tokio::task::yield_now().await;
    assert_eq!(gate.load(), (4, 1, 1));
    held.finish();
    for waiter in waiters {
        waiter.await.unwrap();
    }
    assert_eq!(*order.lock().unwrap(), [2, 3, 5, 7]);
}

/// The fault that made the obvious gate useless: a permit taken and returned within one poll was free
/// again for the next request before anybody else had been looked at.
#[tokio::test(start_paused = true)]
async fn a_returned_permit_cools_until_the_others_had_a_turn() {
    let gate = gate(1);
    acquire(&gate, 0).await.unwrap().finish();
    let mut next = pin!(acquire(&gate, 7));
    assert!(
        poll(next.as_mut()).is_pending(),
        "free again within the same poll"
    );
    let better = {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move { acquire(&gate, 1).await.unwrap() })
    };
    let better = better.await.unwrap();
    assert!(
        poll(next.as_mut()).is_pending(),
        "the better one came first"
    );
    better.finish();
    next.await.unwrap().finish();
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_gives_up_its_worst() {
    let gate = gate(1);
    gate.set_bounds(
        Duration::from_millis(20),
        Duration::from_millis(5),
        Duration::from_secs(1),
    );
    let _held = acquire(&gate, 0).await.unwrap();
    let mut waiting: Vec<_> = (0..8).map(|_| Box::pin(acquire(&gate, 4))).collect();
    for waiter in &mut waiting {
        assert!(poll(waiter.as_mut()).is_pending());
    }
    let refused = acquire(&gate, 5).await.map(drop);
    assert_eq!(refused, Err(Reason::QueueFull));
    let mut better = pin!(acquire(&gate, 3));
    assert!(poll(better.as_mut()).is_pending());
    let last = waiting.last_mut().unwrap();
    assert_eq!(
        last.await.map(drop),
        Err(Reason::Evicted),
        "the latest of the worst"
    );
    assert_eq!(gate.load().0, 8);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_longer_than_allowed_though_nothing_else_happens() {
    let gate = gate(1);
    let _held = acquire(&gate, 0).await.unwrap();
    let start = gate.clock.now();
    assert_eq!(acquire(&gate, 0).await.map(drop), Err(Reason::Expired));
    let waited = gate.clock.now() - start;
    assert!(waited >= Duration::from_millis(100), "{waited:?}");
    assert!(
        waited <= Duration::from_millis(141),
        "two ticks late: {waited:?}"
    );
    let short = Ticket {
        deadline: nanos(gate.clock.now()) + 30_000_000,
        ..ticket(0)
    };
    let start = gate.clock.now();
    let refused = outcome(gate.acquire(&short, gate.clock.now()))
        .await
        .map(drop);
    assert_eq!(refused, Err(Reason::Expired));
    assert!(
        gate.clock.now() - start <= Duration::from_millis(71),
        "a deadline of its own"
    );
}

#[tokio::test(start_paused = true)]
async fn a_higher_limit_lets_waiters_in_at_once() {
    let gate = gate(1);
    let _held = acquire(&gate, 0).await.unwrap();
    let mut waiting = pin!(acquire(&gate, 1));
    assert!(poll(waiting.as_mut()).is_pending());
    gate.set_concurrency(&Concurrency::Unlimited)();
    let Poll::Ready(Ok(permit)) = poll(waiting.as_mut()) else {
        panic!("still waits")
    };
    drop(permit);
    assert_eq!(gate.load().1, 1);
}

/// O9: clients that hang up at any point leave nothing behind.
#[tokio::test(start_paused = true)]
async fn o9_ten_thousand_random_cancels_leak_nothing() {
    let mut state: u64 = 0x5EED;
    let mut random = move |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let gate = gate(3);
    let mut held = Vec::new();
    let mut waiting = Vec::new();
    let mut cancelled = 0;
    while cancelled < 10_000 {
        let business = u8::try_from(random(8)).unwrap();
        let mut asked = Box::pin(outcome(gate.acquire(&ticket(business), gate.clock.now())));
        match random(4) {
            // Never polled, whatever it was.
            0 => {
                drop(asked);
                cancelled += 1;
            }
            _ => match poll(asked.as_mut()) {
                Poll::Ready(Ok((permit, _))) => held.push(permit),
                Poll::Ready(Err(_)) => {}
                Poll::Pending => waiting.push(asked),
            },
        }
        if random(3) == 0 && !waiting.is_empty() {
            let index = usize::try_from(random(waiting.len() as u64)).unwrap();
            drop(waiting.swap_remove(index));
            cancelled += 1;
        }
        if random(2) == 0
            && let Some(permit) = held.pop()
        {
            if random(2) == 0 {
                permit.finish()
            } else {
                drop(permit)
            }
        }
        if random(5) == 0 {
            // Grants come while some of the granted are about to be dropped unseen.
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
        }
    }
    drop((held, waiting));
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.load(), (0, 0, 3));
    let permits = [
        acquire(&gate, 0).await,
        acquire(&gate, 0).await,
        acquire(&gate, 0).await,
    ];
    assert!(
        permits.iter().all(Result::is_ok),
        "all three permits are there"
    );
}

/// O25: the dispatcher's runtime ends while permits cool and requests wait.
#[test]
fn o25_a_runtime_that_ends_strands_nobody() {
    let gate = gate(1);
    let ear = Arc::new(Ear::default());
    let weak = Arc::downgrade(&ear);
    gate.set_owner(weak);
    let first = runtime();
    let held = first.block_on(acquire(&gate, 0)).unwrap();
    drop(first);
    assert!(
        ear.0.lock().unwrap().is_empty(),
        "most often the service ends with it"
    );
    let second = runtime();
    let waiting = {
        let gate = Arc::clone(&gate);
        second.spawn(async move { acquire(&gate, 1).await })
    };
    while gate.load().0 == 0 {
        std::thread::yield_now();
    }
    held.finish();
    second.block_on(waiting).unwrap().unwrap().finish();
    assert!(matches!(
        ear.0.lock().unwrap()[..],
        [Advice::NoDispatcher { .. }]
    ));
}

/// O25: requests of another runtime than the dispatcher's yield after their grant; it is told once.
#[test]
fn o25_two_runtimes_share_a_gate() {
    let gate = gate(2);
    let ear = Arc::new(Ear::default());
    let weak = Arc::downgrade(&ear);
    gate.set_owner(weak);
    let (first, second) = (runtime(), runtime());
    first.block_on(async { drop(acquire(&gate, 0).await) });
    let run = |runtime: &Runtime| {
        let gate = Arc::clone(&gate);
        runtime.spawn(async move {
            for _ in 0..500 {
                acquire(&gate, 0).await.unwrap().finish();
            }
        })
    };
    let tasks = [run(&first), run(&second)];
    for task in tasks {
        first.block_on(task).unwrap();
    }
    assert!(gate.yields());
    assert_eq!(ear.0.lock().unwrap().len(), 1);
    while gate.load().1 > 0 {
        std::thread::yield_now();
    }
}

/// O25: without any runtime the gate still orders and hands on.
#[test]
fn o25_works_without_a_runtime() {
    let gate = Gate::new(
        &Concurrency::Fixed(NonZeroUsize::MIN),
        Clock::system(),
        Duration::from_secs(5),
        None,
    );
    let ear = Arc::new(Ear::default());
    let weak = Arc::downgrade(&ear);
    gate.set_owner(weak);
    let held = futures_util::FutureExt::now_or_never(acquire(&gate, 0));
    // The yield after the grant: ready at the second look.
    assert!(held.is_none() || held.is_some_and(|held| held.is_ok()));
    for _ in 0..100 {
        let mut asked = pin!(acquire(&gate, 0));
        let permit = loop {
            if let Poll::Ready(permit) = poll(asked.as_mut()) {
                break permit;
            }
        };
        permit.unwrap().finish();
    }
    assert_eq!(gate.load().1, 0);
    assert_eq!(ear.0.lock().unwrap().len(), 1, "told once");
}

/// Where the dispatcher is once it has looked.
fn dispatcher(gate: &Gate) -> Dispatcher {
    lock(&gate.core).dispatcher
}

/// A consumer of jobs on a thread of its own comes first, the server on tokio later.
#[test]
fn a_first_request_without_a_runtime_does_not_spoil_the_gate() {
    let gate = gate(1);
    let ear = Arc::new(Ear::default());
    let weak = Arc::downgrade(&ear);
    gate.set_owner(weak);
    for _ in 0..3 {
        let mut asked = pin!(acquire(&gate, 0));
        let _permit = (0..3).find_map(|_| match poll(asked.as_mut()) {
            Poll::Ready(permit) => Some(permit.unwrap()),
            Poll::Pending => None,
        });
    }
    assert_eq!(ear.0.lock().unwrap().len(), 1, "told once");
    let runtime = runtime();
    runtime.block_on(async { acquire(&gate, 0).await.unwrap().finish() });
    let dispatcher = dispatcher(&gate);
    assert!(
        !matches!(dispatcher, Dispatcher::Absent | Dispatcher::Impossible),
        "{dispatcher:?}"
    );
    assert!(!gate.yields());
}

/// O25: the dispatcher's runtime is there and nobody drives it.
#[test]
fn o25_a_runtime_that_nobody_drives_strands_nobody() {
    for warm_up in [1, 7] {
        let gate = gate(1);
        let idle = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        for _ in 0..warm_up {
            idle.block_on(async { acquire(&gate, 0).await.unwrap().finish() });
        }
        let second = runtime();
        let (done, told) = std::sync::mpsc::channel();
        second.spawn(async move {
            for _ in 0..3 {
                acquire(&gate, 0).await.unwrap().finish();
            }
            done.send(()).unwrap();
        });
        let told = told.recv_timeout(Duration::from_secs(10));
        assert!(told.is_ok(), "stranded after {warm_up}");
    }
}

/// O25: without a dispatcher the limit still follows what it measures.
#[test]
fn o25_an_adaptive_limit_adapts_without_a_runtime() {
    let (clock, hand) = Clock::manual();
    let gate = Gate::new(&Concurrency::default(), clock, Duration::from_secs(5), None);
    let permits = gate.load().2;
    let ask = || Box::pin(outcome(gate.acquire(&ticket(0), gate.clock.now())));
    let mut held: Vec<_> = (0..permits).map(|_| ask()).collect();
    let mut waiting = ask();
    assert!(poll(waiting.as_mut()).is_pending());
    hand.advance(Duration::from_millis(10));
    held.pop();
    assert!(gate.load().2 > permits, "calm, and somebody waited");
}

/// The last one woken runs first: that must not be one who is only told that it is too late.
#[tokio::test(start_paused = true)]
async fn the_best_is_woken_after_those_who_are_refused() {
    struct Bell(&'static str, Arc<Mutex<Vec<&'static str>>>);
    impl std::task::Wake for Bell {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    let gate = gate(1);
    let held = acquire(&gate, 0).await.unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let wait = |name, business, deadline| {
        let ticket = Ticket {
            deadline,
            ..ticket(business)
        };
        let mut asked = Box::pin(outcome(gate.acquire(&ticket, gate.clock.now())));
        let waker = Waker::from(Arc::new(Bell(name, Arc::clone(&order))));
        let polled = asked.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
        asked
    };
    let soon = nanos(gate.clock.now()) + 1_000_000;
    let _waiting = [wait("best", 0, u64::MAX), wait("late", 7, soon)];
    tokio::time::advance(Duration::from_millis(1)).await;
    held.finish();
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    assert_eq!(*order.lock().unwrap(), ["late", "best"]);
}

/// A waker can hold the last reference to a task, and with it to a permit of this gate.
#[tokio::test(start_paused = true)]
async fn no_waker_is_dropped_under_the_lock() {
    struct Holder(Arc<Gate>, Arc<Mutex<Vec<bool>>>);
    impl std::task::Wake for Holder {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Holder {
        fn drop(&mut self) {
            let free = self.0.core.try_lock().is_ok();
            lock(&self.1).push(free);
        }
    }

    let gate = gate(1);
    let dropped = Arc::new(Mutex::new(Vec::new()));
    let waker = || Waker::from(Arc::new(Holder(Arc::clone(&gate), Arc::clone(&dropped))));
    let _held = acquire(&gate, 0).await.unwrap();
    let mut waiting = Box::pin(outcome(gate.acquire(&ticket(1), gate.clock.now())));
    for _ in 0..2 {
        let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker()));
        assert!(polled.is_pending());
    }
    assert_eq!(*lock(&dropped), [true], "replaced");
    drop(waiting);
    assert_eq!(*lock(&dropped), [true, true], "given up");
}

#[tokio::test(start_paused = true)]
async fn the_same_concurrency_again_keeps_the_limit_found() {
    let adaptive = Concurrency::default();
    let gate = Gate::new(&adaptive, Clock::tokio(), Duration::from_millis(100), None);
    let permits = {
        let mut core = lock(&gate.core);
        core.limit.note_wait();
        core.limit.adjust(1);
        core.limit.permits()
    };
    gate.set_concurrency(&adaptive)();
    assert_eq!(gate.load().2, permits);
}

/// A file is watched from a thread without runtime.
#[test]
fn a_limit_set_from_outside_the_runtime_knows_its_workers() {
    let threads = runtime::Builder::new_multi_thread()
        .worker_threads(3)
        .enable_all()
        .build()
        .unwrap();
    let gate = gate(1);
    threads.block_on(async { acquire(&gate, 0).await.unwrap().finish() });
    let adaptive = crate::config::Adaptive {
        start_per_worker: 2,
        ..Default::default()
    };
    gate.set_concurrency(&Concurrency::Adaptive(adaptive))();
    assert_eq!(gate.load().2, 6);
}

/// Panics at its first tick, as an observer may.
#[derive(Default)]
struct Stumbler(AtomicBool);

impl Owner for Stumbler {
    fn tick(&self, _: Duration, _: Option<Duration>) -> bool {
        assert!(self.0.swap(true, Ordering::Relaxed), "the first tick");
        true
    }

    fn started_on(&self, _: &Handle) {}

    fn advise(&self, _: Advice) {}
}

#[tokio::test(start_paused = true)]
async fn an_observer_that_panics_costs_one_dispatcher_and_not_the_last() {
    let gate = gate(1);
    let owner = Arc::new(Stumbler::default());
    let weak = Arc::downgrade(&owner);
    gate.set_owner(weak);
    let _held = acquire(&gate, 0).await.unwrap();
    while !owner.0.load(Ordering::Relaxed) {
        tokio::time::advance(Duration::from_millis(20)).await;
    }
    tokio::task::yield_now().await;
    assert_eq!(dispatcher(&gate), Dispatcher::Absent);
    assert_eq!(acquire(&gate, 0).await.map(drop), Err(Reason::Expired));
}

/// O25: there is no use in starting one dispatcher after the other where time does not pass.
#[test]
fn o25_a_runtime_without_timer_is_given_up_at_once() {
    let gate = gate(1);
    let runtime = runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let held = acquire(&gate, 0).await.unwrap();
        tokio::task::yield_now().await;
        held.finish();
        acquire(&gate, 0).await.unwrap().finish();
    });
    assert_eq!(dispatcher(&gate), Dispatcher::Impossible);
}

/// O25: a runtime that served one request and then stands still, and requests that are in no runtime.
#[test]
fn o25_a_runtime_that_stands_still_strands_nobody_outside_of_it() {
    let gate = gate(1);
    let still = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    still.block_on(async { acquire(&gate, 0).await.unwrap().finish() });
    for _ in 0..3 {
        let mut asked = pin!(acquire(&gate, 0));
        let mut looks = 0;
        let permit = loop {
            if let Poll::Ready(permit) = poll(asked.as_mut()) {
                break permit;
            }
            looks += 1;
            assert!(looks < 1_000, "waits for a runtime that nobody drives");
        };
        permit.unwrap().finish();
    }
}
