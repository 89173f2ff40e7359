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
    cell::RefCell,
    fmt,
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use crate::priority::{Priority, Progress};

thread_local! {
    static CURRENT: RefCell<Option<Task>> = const { RefCell::new(None) };
}

/// One task: its priority, its deadline, and which callees have already served a call of it.
///
/// Clones share what is known of the callees.
pub struct Task {
    priority: Priority,
    deadline: Option<Duration>,
    /// Missing until there is something to know or somebody to share it with.
    served_by: OnceLock<Arc<Callees>>,
}

type Callees = Mutex<Vec<Arc<str>>>;

impl Task {
    /// Returns a new task, without deadline, that no callee has served yet.
    #[must_use]
    pub fn new(priority: Priority) -> Self {
        Self {
            served_by: OnceLock::from(Arc::default()),
            ..Self::lone(priority)
        }
    }

    /// Returns a new task for a request that will hardly be shared: most handlers call nobody, and this
    /// allocates nothing.
    pub(crate) const fn lone(priority: Priority) -> Self {
        Self {
            priority,
            deadline: None,
            served_by: OnceLock::new(),
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
        CURRENT.try_with(|current| current.borrow().clone()).ok()?
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
        let Some(callees) = self.served_by.get() else {
            return Progress::New;
        };
        let served_by = lock(callees);
        if served_by.iter().any(|name| **name == *callee) {
            Progress::InProgress
        } else {
            Progress::New
        }
    }

    /// Notes that `callee` served a call of this task.
    pub fn mark_served(&self, callee: &Arc<str>) {
        let mut served_by = lock(self.served_by.get_or_init(Arc::default));
        if !served_by.iter().any(|name| name == callee) {
            served_by.push(Arc::clone(callee));
        }
    }

    /// Runs `future` as part of this task: [`Task::current`] returns it whenever `future` is polled.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        let mut task = Some(self);
        let mut future = pin!(future);
        poll_fn(|cx| lend(&mut task, || future.as_mut().poll(cx))).await
    }

    /// Runs `call` as part of this task.
    pub fn enter<T>(&self, call: impl FnOnce() -> T) -> T {
        lend(&mut Some(self.clone()), call)
    }
}

/// Runs `call` as part of `task`, which is the current one meanwhile instead of a copy of it; without a
/// task, as part of whatever runs.
pub(crate) fn lend<T>(task: &mut Option<Task>, call: impl FnOnce() -> T) -> T {
    if task.is_none() {
        return call();
    }
    let _lent = Lent::new(task);
    call()
}

/// Puts things back, also when the call panics.
struct Lent<'a> {
    owner: &'a mut Option<Task>,
    before: Option<Task>,
}

impl<'a> Lent<'a> {
    fn new(owner: &'a mut Option<Task>) -> Self {
        let before = CURRENT.replace(owner.take());
        Self { owner, before }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        *self.owner = CURRENT.replace(self.before.take());
    }
}

fn lock(callees: &Callees) -> MutexGuard<'_, Vec<Arc<str>>> {
    callees.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Clone for Task {
    fn clone(&self) -> Self {
        let callees = self.served_by.get_or_init(Arc::default);
        Self {
            priority: self.priority,
            deadline: self.deadline,
            served_by: OnceLock::from(Arc::clone(callees)),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn current() -> Option<Priority> {
        Task::current().map(|task| task.priority())
    }

    #[test]
    fn clones_share_what_is_known_whenever_they_were_made() {
        let callee: Arc<str> = "payments".into();
        let task = Task::lone(Priority::MOST_IMPORTANT);
        assert_eq!(task.progress(&callee), Progress::New);
        let early = task.clone();
        task.enter(|| Task::current().unwrap().mark_served(&callee));
        for task in [&task, &early, &early.clone()] {
            assert_eq!(task.progress(&callee), Progress::InProgress);
        }
        assert_eq!(task.progress("stock"), Progress::New);
    }

    #[test]
    fn a_lent_task_keeps_what_was_learned_and_comes_back_after_a_panic() {
        let callee: Arc<str> = "payments".into();
        let mut task = Some(Task::lone(Priority::MOST_IMPORTANT));
        lend(&mut task, || Task::current().unwrap().mark_served(&callee));
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            lend(&mut task, || panic!("on purpose"));
        }));
        assert!(caught.is_err());
        assert_eq!(current(), None);
        assert_eq!(task.unwrap().progress(&callee), Progress::InProgress);
    }

    #[test]
    fn scopes_nest() {
        let (outer, inner) = (Priority::MOST_IMPORTANT, Priority::LEAST_IMPORTANT);
        Task::new(outer).enter(|| {
            Task::new(inner).enter(|| assert_eq!(current(), Some(inner)));
            lend(&mut None, || assert_eq!(current(), Some(outer)));
        });
        assert_eq!(current(), None);
    }
}
