//! How long a new task waits for its turn, seen from outside of the runtime.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    thread,
    time::Duration,
};

use tokio::runtime::Handle;

use super::Source;
use crate::clock::{Clock, nanos};

/// A thread that keeps asking a runtime to run a task that does nothing, and knows how long that takes.
///
/// For services that only add the layer: without the socket's and the accept stamp it is the only source
/// that sees a runtime which cannot keep up. Every probe waits twice, once in the queue that the workers
/// share and then, by waking itself, in the queue of the worker that took it, because either can be long
/// while the other is short. The estimate is the longer of the two waits of the last probe, or the age
/// of the wait that has not ended yet: so a runtime that does not move at all is seen while it does not
/// move. (Finagle's offload filter has the idea; a probe from *inside* the runtime stands still together
/// with it.)
///
/// At most one probe is outstanding. Dropping the probe ends its thread; a runtime that ends, ends it
/// too, and then there is no estimate any more. A `current_thread` runtime that nobody drives looks like
/// one that is stuck.
#[derive(Debug)]
pub struct Probe {
    shared: Arc<Shared>,
}

/// Owned by the [`Probe`], its thread, and the probe under way.
#[derive(Debug)]
struct Shared {
    clock: Clock,
    /// When the present wait of the outstanding probe began, in nanoseconds, or [`NONE`]. Written by the
    /// thread, then by the task, which clears it in the end.
    outstanding: AtomicU64,
    /// How long the last probe waited, in nanoseconds, or [`NONE`]. Written by the task.
    completed: AtomicU64,
    /// Whether the runtime dropped a probe without running it. Written by the task.
    ended: AtomicBool,
    /// Whether the [`Probe`] was dropped. Written by it, read by the thread.
    stop: Mutex<bool>,
    /// Told when `stop` changes.
    stopped: Condvar,
}

/// The probe under way: a future that is done when it is polled for the second time.
struct Flight {
    shared: Arc<Shared>,
    /// When the present wait began.
    since: Duration,
    /// The wait in the shared queue, once it is over.
    first: Option<Duration>,
    done: bool,
}

const NONE: u64 = u64::MAX;

// === impl Probe ===

impl Probe {
    /// Between two probes unless said otherwise: a quarter of the default threshold.
    pub const INTERVAL: Duration = Duration::from_millis(5);

    /// Starts a thread that probes `runtime` every `interval`, from 1 ms to 1 s (what lies outside is
    /// brought to the nearest of the two); [`INTERVAL`](Self::INTERVAL) will do.
    ///
    /// A shorter one costs more wake-ups of an idle runtime (200 a second, 0.5% of a core, at 5 ms), a longer
    /// one only makes the estimate later.
    ///
    /// # Errors
    ///
    /// Where the operating system gives no thread.
    pub fn start(runtime: Handle, clock: Clock, interval: Duration) -> io::Result<Self> {
        let interval = interval.clamp(Duration::from_millis(1), Duration::from_secs(1));
        let shared = Arc::new(Shared {
            clock,
            outstanding: AtomicU64::new(NONE),
            completed: AtomicU64::new(NONE),
            ended: AtomicBool::new(false),
            stop: Mutex::new(false),
            stopped: Condvar::new(),
        });
        let probed = Arc::clone(&shared);
        thread::Builder::new()
            .name("dagor-probe".into())
            .spawn(move || run(&probed, &runtime, interval))?;
        Ok(Self { shared })
    }
}

impl Source for Probe {
    fn wait(&self) -> Option<Duration> {
        self.shared.wait()
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let mut stop = self
            .shared
            .stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *stop = true;
        self.shared.stopped.notify_all();
    }
}

/// The body of the thread.
fn run(shared: &Arc<Shared>, runtime: &Handle, interval: Duration) {
    // For `Clock::tokio`, which must tell the time of that runtime.
    let _inside = runtime.enter();
    let mut stop = shared.stop.lock().unwrap_or_else(PoisonError::into_inner);
    while !*stop && !shared.ended.load(Ordering::Acquire) {
        if shared.outstanding.load(Ordering::Acquire) == NONE {
            let spawned = shared.clock.now();
            shared.outstanding.store(nanos(spawned), Ordering::Release);
            runtime.spawn(Flight::new(shared, spawned));
        }
        (stop, _) = shared
            .stopped
            .wait_timeout_while(stop, interval, |stop| !*stop)
            .unwrap_or_else(PoisonError::into_inner);
    }
}

// === impl Shared ===

impl Shared {
    fn wait(&self) -> Option<Duration> {
        if self.ended.load(Ordering::Acquire) {
            return None;
        }
        let age = match self.outstanding.load(Ordering::Acquire) {
            NONE => None,
            spawned => Some(
                self.clock
                    .now()
                    .saturating_sub(Duration::from_nanos(spawned)),
            ),
        };
        let completed = match self.completed.load(Ordering::Acquire) {
            NONE => None,
            wait => Some(Duration::from_nanos(wait)),
        };
        age.max(completed)
    }
}

// === impl Flight ===

impl Flight {
    fn new(shared: &Arc<Shared>, spawned: Duration) -> Self {
        Self {
            shared: Arc::clone(shared),
            since: spawned,
            first: None,
            done: false,
        }
    }
}

impl Future for Flight {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let now = self.shared.clock.now();
        let wait = now.saturating_sub(self.since);
        if let Some(first) = self.first {
            let longer = nanos(wait.max(first));
            self.shared.completed.store(longer, Ordering::Release);
            self.shared.outstanding.store(NONE, Ordering::Release);
            self.done = true;
            return Poll::Ready(());
        }
        self.first = Some(wait);
        self.since = now;
        // Not less than what is already certain, until the second wait is known too.
        let longest = match self.shared.completed.load(Ordering::Acquire) {
            NONE => nanos(wait),
            last => last.max(nanos(wait)),
        };
        self.shared.completed.store(longest, Ordering::Release);
        self.shared.outstanding.store(nanos(now), Ordering::Release);
        // To the end of the worker's own queue. tokio's `yield_now` would wait for the sockets instead,
        // and the slot for the task woken last is not for a task that wakes itself.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.done {
            // The runtime ended: no later probe would run either.
            self.shared.ended.store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
