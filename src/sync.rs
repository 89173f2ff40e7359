//! The primitives that loom can replace, so that the concurrent parts are model-checked as they are.

#[cfg(dagor_loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard, atomic};

#[cfg(not(dagor_loom))]
pub(crate) use std::sync::{Mutex, MutexGuard, atomic};

/// Locks, whatever happened to an earlier holder.
///
/// Nothing that runs under a lock of this crate can leave the data half-changed by a panic: user code
/// (wakers, observers, drops of requests) runs outside of them.
#[cfg(not(dagor_loom))]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(dagor_loom)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("loom does not poison")
}
