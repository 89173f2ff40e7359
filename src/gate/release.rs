//! Deferred release: a permit that came back is handed on only after everybody else had a turn.
//!
//! A handler that never awaits takes its permit and returns it within one poll. Handed on at once, the
//! permit gates nothing: no other task ever sees it taken, nobody ever waits in the gate, and the queue
//! stays in the sockets, unordered and unbounded (measured at three times the capacity: 0.45 of it, as
//! without control; with deferred release 1.00). So a finished permit *cools*, and one dispatcher task
//! yields twice before it grants again. tokio wakes a yielded task after it has run every runnable task
//! and looked at the sockets: the first yield lets every connection that has a request take its place in
//! the queue, the second those whose bytes the runtime had not seen yet. Then the best of all is chosen.
//!
//! The dispatcher is woken only when it rests: `yield_now` ends at *any* wake of its task, and a second
//! release would cut the turn of the others short.
//!
//! It also ticks while there is anything to do, for what must happen by time alone: answering those
//! whose deadline passed, closing a window when no request comes, noticing that the process stood still.

use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, Weak},
    task::Poll,
    time::Duration,
};

use tokio::{runtime::Handle, sync::Notify, task::yield_now, time::sleep};

use super::{Gate, core::Dispatcher, hand::Rouse, wake};
use crate::{clock::Clock, observe::Advice, sync::lock};

/// How often the dispatcher looks at what happens by time alone.
pub(super) const TICK: Duration = Duration::from_millis(20);

/// How late a tick must be for the process to count as stopped. Above what a runtime full of 1 ms polls
/// makes of it (61 polls between two looks at the timers).
pub(super) const STOPPED: Duration = Duration::from_millis(200);

/// How often a dispatcher is started anew before the gate gives up on having one.
const FRESH_STARTS: u32 = 8;

/// What the dispatcher does next.
enum Next {
    Settle,
    Rest,
    Tick,
}

/// Notices the end of the dispatcher, however it comes.
struct Lost {
    gate: Weak<Gate>,
    /// Whether the runtime has a timer; set by the dispatcher once it has one.
    timer: bool,
}

impl Gate {
    /// Starts the dispatcher on the current runtime.
    pub(super) fn start_dispatcher(self: &Arc<Self>) {
        let Rouse::Task(signal) = &self.rouse else {
            return;
        };
        let Ok(runtime) = Handle::try_current() else {
            self.wait_for_runtime();
            return;
        };
        let workers = runtime.metrics().num_workers();
        {
            let mut core = lock(&self.core);
            if core.dispatcher != Dispatcher::Absent {
                return;
            }
            core.dispatcher = Dispatcher::Letting;
            core.set_workers(workers);
            // Under the lock: whoever sees a dispatcher must see where it is at home.
            self.set_home(runtime.id());
        }
        if self.losses() > 0 {
            self.advise(Advice::NoDispatcher { cause: ENDED });
        }
        if let Some(owner) = self.owner.get().and_then(Weak::upgrade) {
            owner.started_on(&runtime);
        }
        let lost = Lost {
            gate: Arc::downgrade(self),
            timer: false,
        };
        drop(runtime.spawn(run(lost, Arc::clone(signal), self.clock.clone())));
    }

    /// There is no runtime here, but a later request may come from one: jobs on a thread of their own,
    /// the server on tokio. Another thread may have started the dispatcher meanwhile.
    fn wait_for_runtime(&self) {
        let core = lock(&self.core);
        let news = core.dispatcher == Dispatcher::Absent && self.set_yields();
        drop(core);
        if news {
            self.advise(Advice::NoDispatcher {
                cause: "no tokio runtime",
            });
        }
    }

    /// Decides what the dispatcher does next and says so to those who might wake it.
    fn next(&self, idle: bool) -> Next {
        let mut core = lock(&self.core);
        if core.has_cooling() {
            core.dispatcher = Dispatcher::Letting;
            Next::Settle
        } else if idle && core.waiting() == 0 && core.running() == 0 {
            core.dispatcher = Dispatcher::Asleep;
            Next::Rest
        } else {
            core.dispatcher = Dispatcher::Ticking;
            Next::Tick
        }
    }

    /// From here on nobody wakes the dispatcher until it has settled.
    fn begin_letting(&self) -> bool {
        let mut core = lock(&self.core);
        core.dispatcher = Dispatcher::Letting;
        core.has_cooling()
    }

    pub(super) fn settle(&self) {
        let now = self.now();
        let mut wakes = Vec::new();
        lock(&self.core).settle(now, &mut wakes);
        wake(wakes);
    }

    fn lose_dispatcher(&self, cause: &'static str) {
        let now = self.now();
        let mut wakes = Vec::new();
        let mut core = lock(&self.core);
        let give_up = cause == NO_TIMER || self.count_loss() >= FRESH_STARTS;
        core.dispatcher = if give_up {
            Dispatcher::Impossible
        } else {
            Dispatcher::Absent
        };
        core.settle(now, &mut wakes);
        // Under the lock, or it would undo what the next dispatcher sets.
        self.set_yields();
        drop(core);
        wake(wakes);
        // The end of a runtime is most often that of the service, which nobody needs to be told of. If it
        // was not, the next request finds out.
        if give_up {
            // The dispatcher may be unwinding, and an observer that panics then would end the process.
            let advise = AssertUnwindSafe(|| self.advise(Advice::NoDispatcher { cause }));
            drop(catch_unwind(advise));
        }
    }
}

const NO_TIMER: &str = "the dispatcher panicked: is the runtime's timer enabled?";
const PANICKED: &str = "an observer panicked";
const ENDED: &str = "the runtime it ran on ended";

impl Drop for Lost {
    fn drop(&mut self) {
        if let Some(gate) = self.gate.upgrade() {
            gate.lose_dispatcher(match (std::thread::panicking(), self.timer) {
                (true, false) => NO_TIMER,
                (true, true) => PANICKED,
                (false, _) => ENDED,
            });
        }
    }
}

/// The dispatcher; ends with the gate.
async fn run(mut lost: Lost, signal: Arc<Notify>, clock: Clock) {
    let mut tick = pin!(sleep(TICK));
    lost.timer = true;
    let mut ticked_at = clock.now();
    let mut idle = false;
    loop {
        let Some(next) = lost.gate.upgrade().map(|gate| gate.next(idle)) else {
            return;
        };
        let ticked = match next {
            Next::Settle => false,
            Next::Rest => {
                signal.notified().await;
                ticked_at = clock.now();
                tick.as_mut().reset(Clock::tokio_now() + TICK);
                false
            }
            Next::Tick => {
                let mut woken = pin!(signal.notified());
                poll_fn(|cx| {
                    if woken.as_mut().poll(cx).is_ready() {
                        return Poll::Ready(false);
                    }
                    tick.as_mut().poll(cx).map(|()| true)
                })
                .await
            }
        };
        let Some(cooling) = lost.gate.upgrade().map(|gate| gate.begin_letting()) else {
            return;
        };
        if cooling {
            yield_now().await;
            yield_now().await;
        }
        let Some(gate) = lost.gate.upgrade() else {
            return;
        };
        gate.settle();
        if ticked {
            gate.forget_losses();
            let now = clock.now();
            let late = now.saturating_sub(ticked_at).saturating_sub(TICK);
            (ticked_at, idle) = (
                now,
                gate.tick(now, Some(late).filter(|late| *late >= STOPPED)),
            );
            tick.as_mut().reset(Clock::tokio_now() + TICK);
        } else {
            idle = false;
        }
    }
}
