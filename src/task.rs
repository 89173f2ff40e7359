//! The task a request belongs to, and how it reaches the calls made on its behalf.
//!
//! The entry (or the server layer, from the request's fields) makes a [`Task`]; it is put into the
//! request's extensions and is [`current`](Task::current) while the handler runs, so that the caller
//! layer finds it without the handler's help. A task that the handler *spawns* does not inherit it: wrap
//! the spawned future in [`Task::scope`].
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! use dagor::{Priority, Task};
//!
//! let task = Task::new(Priority::MOST_IMPORTANT);
//! task.scope(async {
//!     let task = Task::current().expect("inside the scope");
//!     let spawned = tokio::spawn(task.scope(async { Task::current().map(|t| t.priority()) }));
//!     assert_eq!(spawned.await.unwrap(), Some(Priority::MOST_IMPORTANT));
//! })
//! .await;
//! # });
//! # Ok::<(), std::io::Error>(())
//! ```

use std::{
    fmt,
    future::Future,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use crate::priority::{Priority, Progress};

tokio::task_local! {
    static CURRENT: Task;
}

/// One task: its priority, its deadline, and which callees have already served a call of it.
///
/// Clones share what is known of the callees.
#[derive(Clone)]
pub struct Task {
    priority: Priority,
    deadline: Option<Duration>,
    served_by: Arc<Mutex<Vec<Arc<str>>>>,
}

impl Task {
    /// Returns a new task, without deadline, that no callee has served yet.
    #[must_use]
    pub fn new(priority: Priority) -> Self {
        Self {
            priority,
            deadline: None,
            served_by: Arc::default(),
        }
    }

    /// Sets the moment, on the clock of [`Clock::now`](crate::Clock::now), after which nobody waits any more.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Duration>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Returns the task whose future is being polled, if any.
    #[must_use]
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Returns the priority, the same for every call of the task.
    #[must_use]
    pub const fn priority(&self) -> Priority {
        self.priority
    }

    /// Returns the moment after which nobody waits for the task any more.
    #[must_use]
    pub const fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns whether `callee`, a service's name, already served a call of this task.
    #[must_use]
    pub fn progress(&self, callee: &str) -> Progress {
        let served_by = self
            .served_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if served_by.iter().any(|name| **name == *callee) {
            Progress::InProgress
        } else {
            Progress::New
        }
    }

    /// Notes that `callee` served a call of this task.
    pub fn mark_served(&self, callee: &Arc<str>) {
        let mut served_by = self
            .served_by
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !served_by.iter().any(|name| name == callee) {
            served_by.push(Arc::clone(callee));
        }
    }

    /// Runs `future` as part of this task: [`Task::current`] returns it whenever `future` is polled.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        CURRENT.scope(self, future).await
    }

    /// Runs `call` as part of this task.
    pub fn enter<T>(&self, call: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), call)
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Task")
            .field("priority", &self.priority)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
