//! What a refusal looks like to the code around it.
//!
//! Two refusals, two words: the callee *sheds*, the caller *withholds*. Neither is a failure of the
//! callee, so a circuit breaker must not count them: [`is_shed`] and [`is_withheld`] find them through
//! any number of boxes.

use std::{error::Error, fmt, io, sync::Arc, time::Duration};

use crate::priority::{Business, Level};

/// Why a service refused a request.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// Its priority is not below the admission level.
    Level,
    /// The gate's queue was full of requests at least as important.
    QueueFull,
    /// A more important request took its place in the gate's queue.
    Evicted,
    /// It waited longer than the longest wait, or past its deadline.
    Expired,
}

/// A request that this service refused; it was not processed and is safe to send elsewhere.
#[derive(Clone, Debug)]
pub struct Shed {
    pub(crate) reason: Reason,
    pub(crate) level: Level,
    pub(crate) business: Business,
}

/// A call that was never sent, because the callee would have refused it; safe to send elsewhere.
#[derive(Clone, Debug)]
pub struct Withheld {
    pub(crate) callee: Arc<str>,
    pub(crate) instance: Arc<str>,
    pub(crate) level: Level,
    pub(crate) retry_after: Option<Duration>,
}

/// Returns whether `error` is, or was caused by, a [`Shed`].
#[must_use]
pub fn is_shed(error: &(dyn Error + 'static)) -> bool {
    find::<Shed>(error).is_some()
}

/// Returns whether `error` is, or was caused by, a [`Withheld`] call.
#[must_use]
pub fn is_withheld(error: &(dyn Error + 'static)) -> bool {
    find::<Withheld>(error).is_some()
}

/// Returns the first `E` in the chain of causes that begins with `error`.
pub(crate) fn find<'a, E: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // The source of an `io::Error` is that of the error inside, which would be passed over.
        let inside = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = inside
            .map(|inside| inside as &(dyn Error + 'static))
            .or_else(|| error.source());
    }
    None
}

// === impl Reason ===

impl Reason {
    /// Every reason, in the order of [`index`](Self::index).
    pub const ALL: [Self; 4] = [Self::Level, Self::QueueFull, Self::Evicted, Self::Expired];

    /// Returns the name used in metrics and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Level => "level",
            Self::QueueFull => "queue_full",
            Self::Evicted => "evicted",
            Self::Expired => "expired",
        }
    }

    /// Returns the position in [`ALL`](Self::ALL).
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl Shed ===

impl Shed {
    /// Returns why.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the level of the instance when it refused.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Returns the business of the refused request.
    #[must_use]
    pub const fn business(&self) -> Business {
        self.business
    }
}

impl fmt::Display for Shed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shed: {} (level {})", self.reason, self.level.get())
    }
}

impl Error for Shed {}

// === impl Withheld ===

impl Withheld {
    /// Returns the name of the callee.
    #[must_use]
    pub fn callee(&self) -> &str {
        &self.callee
    }

    /// Returns the instance that would have refused.
    #[must_use]
    pub fn instance(&self) -> &str {
        &self.instance
    }

    /// Returns that instance's level as last heard.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Returns how long the instance asked to be left alone, where it said so.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            callee,
            instance,
            level,
            ..
        } = self;
        write!(
            f,
            "withheld, never sent: {callee} at {instance} admits below {}",
            level.get()
        )
    }
}

impl Error for Withheld {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Wrapped(Box<dyn Error + Send + Sync>);

    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("wrapped")
        }
    }

    impl Error for Wrapped {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            Some(&*self.0)
        }
    }

    #[test]
    fn refusals_are_found_through_wrappers() {
        let shed = Shed {
            reason: Reason::Level,
            level: Level::FLOOR,
            business: Business::LEAST_IMPORTANT,
        };
        let error = Wrapped(Box::new(io::Error::other(Wrapped(Box::new(shed)))));
        assert!(is_shed(&error));
        assert!(!is_withheld(&error));
        assert!(!is_shed(&fmt::Error));
    }
}
