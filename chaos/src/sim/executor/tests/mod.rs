//! What the executor promises.

mod ends;
mod settle;
mod time;
mod wakes;

use std::{
    fmt::Debug,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{Executor, Handle, SettleId};

const CALENDAR: Duration = Duration::from_secs(1_700_000_000);

/// What happened, in order; clones are one.
#[derive(Clone)]
struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> Log<T> {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn add(&self, what: T) {
        self.0.lock().unwrap().push(what);
    }

    fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }
}

fn executor() -> (Executor, Handle) {
    let executor = Executor::new(CALENDAR);
    let handle = executor.handle().clone();
    (executor, handle)
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Spawns a task that notes `what` after a wait.
fn note_at<T: Clone + Debug + Send + 'static>(
    handle: &Handle,
    log: &Log<T>,
    at: Duration,
    what: T,
) {
    let (sleep, log) = (handle.sleep_until(at), log.clone());
    handle.spawn(async move {
        sleep.await;
        log.add(what);
    });
}
