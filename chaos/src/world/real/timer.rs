//! A thread that wakes tasks at their moment.

use std::{
    collections::BTreeMap,
    future::Future,
    pin::Pin,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    thread,
    time::Duration,
};

use dagor::Clock;

/// The timer of a run. Its thread ends with it and with whoever waits on it.
#[derive(Debug)]
pub(super) struct Timer(Arc<Shared>);

/// Ready at its moment; dropped, it is forgotten.
#[derive(Debug)]
pub(super) struct Wait {
    at: Duration,
    timer: Arc<Timer>,
    key: Option<Key>,
}

/// When, and a number that tells apart what is due at the same time.
type Key = (Duration, u64);

#[derive(Debug)]
struct Shared {
    clock: Clock,
    due: Mutex<Due>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Due {
    wakers: BTreeMap<Key, Waker>,
    next: u64,
    over: bool,
}

impl Timer {
    /// Starts the thread; `None` if the system has none to give.
    pub(super) fn start() -> Option<Arc<Self>> {
        let shared = Arc::new(Shared {
            clock: Clock::system(),
            due: Mutex::default(),
            changed: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let thread = thread::Builder::new().name("chaos-timer".into());
        thread.spawn(move || theirs.keep()).ok()?;
        Some(Arc::new(Self(shared)))
    }

    /// Waits until the system's clock says `at`.
    pub(super) fn wait_until(self: &Arc<Self>, at: Duration) -> Wait {
        Wait {
            at,
            timer: Arc::clone(self),
            key: None,
        }
    }

    /// Returns how many wait.
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.0.lock().wakers.len()
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.lock().over = true;
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Due> {
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes whoever is due, until nobody can come any more.
    fn keep(&self) {
        let mut due = self.lock();
        loop {
            if due.over {
                return;
            }
            let now = self.clock.now();
            let later = due.wakers.split_off(&(now, u64::MAX));
            let ready = std::mem::replace(&mut due.wakers, later);
            if !ready.is_empty() {
                drop(due);
                ready.into_values().for_each(Waker::wake);
                due = self.lock();
                continue;
            }
            due = match due.wakers.first_key_value() {
                Some(((at, _), _)) => {
                    let span = at.saturating_sub(now);
                    let woken = self.changed.wait_timeout(due, span);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => {
                    let woken = self.changed.wait(due);
                    woken.unwrap_or_else(PoisonError::into_inner)
                }
            };
        }
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let timer = Arc::clone(&self.timer);
        let shared = &timer.0;
        if shared.clock.now() >= self.at {
            return Poll::Ready(());
        }
        let mut due = shared.lock();
        let key = self.key.unwrap_or_else(|| {
            due.next += 1;
            (self.at, due.next)
        });
        self.key = Some(key);
        let former = due.wakers.insert(key, cx.waker().clone());
        let first = due.wakers.first_key_value();
        let is_first = first.is_some_and(|(first, _)| *first == key);
        drop(due);
        drop(former);
        if is_first {
            shared.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let mut due = self.timer.0.lock();
            let waker = due.wakers.remove(&key);
            // The last waker of a task takes the task with it, and whatever else waits there.
            drop(due);
            drop(waker);
        }
    }
}
