//! How long a new task waits for its turn, seen from outside of the runtime.

use std::{
    io,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use tokio::runtime::Handle;

use super::Source;
use crate::clock::{Clock, nanos};

/// A thread that keeps asking a runtime to run a task that does nothing, and knows how long that takes.
///
/// For services that only add the layer: without the socket's and the accept stamp it is the only source
/// that sees a runtime which cannot keep up. The estimate is the age of the probe that has not run yet,
/// or the wait of the last one that did, whichever is longer: so a runtime that does not move at all is
/// seen while it does not move. (Finagle's offload filter has the idea; a probe *inside* the runtime
/// stands still together with it.)
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
    /// When the outstanding probe was spawned, in nanoseconds, or [`NONE`]. Written by the thread, cleared
    /// by the task.
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

/// The probe under way: a future that is done when it is first polled.
struct Flight {
    shared: Arc<Shared>,
    spawned: Duration,
    ran: bool,
}

const NONE: u64 = u64::MAX;

// === impl Probe ===

impl Probe {
    /// Between two probes unless said otherwise: a quarter of the default threshold.
    pub const INTERVAL: Duration = Duration::from_millis(5);

    /// Starts a thread that probes `runtime` every `interval`, from 1 ms to 1 s (what lies outside is
    /// brought to the nearest of the two); [`INTERVAL`](Self::INTERVAL) will do.
    ///
    /// A shorter one costs more wake-ups of an idle runtime, a longer one only makes the estimate later.
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
            spawned,
            ran: false,
        }
    }
}

impl Future for Flight {
    type Output = ();

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        _cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<()> {
        self.ran = true;
        let wait = self.shared.clock.now().saturating_sub(self.spawned);
        self.shared.completed.store(nanos(wait), Ordering::Release);
        self.shared.outstanding.store(NONE, Ordering::Release);
        std::task::Poll::Ready(())
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.ran {
            // The runtime ended: no later probe would run either.
            self.shared.ended.store(true, Ordering::Release);
        }
    }
}

#[cfg(test)]
#[path = "probe_tests.rs"]
mod tests;
