//! The workers of an instance and who waits for one, first come, first served.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A worker; free again when this is dropped.
pub(super) type Worker = OwnedSemaphorePermit;

/// The workers.
#[derive(Debug)]
pub(super) struct Workers {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    bound: usize,
}

/// The queue was full.
#[derive(Clone, Copy, Debug)]
pub(super) struct Full;

/// One that waits.
struct Waiting<'a>(&'a AtomicUsize);

impl Workers {
    /// So many workers, for whom `queue` may wait (`None` for no bound).
    pub(super) fn new(workers: u32, queue: Option<u32>) -> Self {
        // More than a semaphore can count is as good as what it can.
        let many = |count: u32| usize::try_from(count).unwrap_or(usize::MAX);
        Self {
            free: Arc::new(Semaphore::new(many(workers).min(Semaphore::MAX_PERMITS))),
            waiting: AtomicUsize::new(0),
            bound: queue.map_or(usize::MAX, many),
        }
    }

    /// Takes a worker, after those who came before. Giving up leaves the queue.
    pub(super) async fn take(&self) -> Result<Worker, Full> {
        if let Ok(worker) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(worker);
        }
        let waiting = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.bound {
            return Err(Full);
        }
        let worker = Arc::clone(&self.free).acquire_owned().await;
        drop(waiting);
        // Nobody closes the semaphore.
        worker.map_err(|_| Full)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
