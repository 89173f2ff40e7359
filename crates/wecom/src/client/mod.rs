//! The client of one (corp, app).

use std::{fmt, sync::Arc, time::Duration};

use crate::{
    clock::Clock, limit::Limiter, name::CorpId, observe::Watch, rank::Rank, token::Keeper,
};

mod base;
mod builder;
mod credential;
mod exchange;
mod fetch;
#[cfg(feature = "https")]
mod https;
mod importance;
mod reply;
mod request;
mod send;
mod transport;

#[cfg(feature = "https")]
pub use self::https::Https;
pub use self::{
    builder::Builder,
    credential::{Credential, SuiteTokens},
    transport::Transport,
};
use self::{exchange::Line, importance::Importance};

/// The client of one app of one enterprise. Cheap to clone; clones share the token and the limits.
///
/// `S` is any tower service of HTTP requests. What a clone says of its calls
/// ([`with_rank`](Self::with_rank), [`with_patience`](Self::with_patience)) holds for that clone alone.
#[derive(Clone)]
pub struct Client<S> {
    shared: Arc<Shared>,
    transport: S,
    importance: Importance,
    /// How long a call may wait for its room and its token.
    patience: Duration,
}

/// What all clones share.
struct Shared {
    corp: CorpId,
    line: Line,
    keeper: Keeper,
    limiter: Arc<dyn Limiter>,
    #[cfg(feature = "dagor")]
    callee: Option<dagor::Callee>,
    watch: Watch,
    clock: Clock,
}

// === impl Client ===

impl Client<()> {
    /// Returns the settings of a client with this credential, all at their defaults.
    pub fn builder(credential: Credential) -> Builder {
        Builder::new(credential)
    }
}

impl<S> Client<S> {
    /// Longest patience, to which a longer one is cut.
    const LONGEST_PATIENCE: Duration = Duration::from_secs(3600);

    /// Returns the enterprise.
    #[must_use]
    pub fn corp(&self) -> &CorpId {
        &self.shared.corp
    }

    /// Returns what carries the requests.
    #[must_use]
    pub const fn transport(&self) -> &S {
        &self.transport
    }
}

impl<S: Clone> Client<S> {
    /// Returns a client of the same token and limits whose calls are this important.
    #[must_use]
    pub fn with_rank(&self, rank: Rank) -> Self {
        Self {
            importance: Importance::Rank(rank),
            ..self.clone()
        }
    }

    /// Returns a client of the same token and limits whose calls have this priority, and the rank that follows
    /// from it.
    ///
    /// Without it a call has the priority of the [current task](dagor::Task::current), if there is one, and the
    /// task is remembered to have been served.
    #[cfg(feature = "dagor")]
    #[must_use]
    pub fn with_priority(&self, priority: dagor::Priority) -> Self {
        Self {
            importance: Importance::Priority(priority),
            ..self.clone()
        }
    }

    /// Returns a client of the same token and limits whose calls may wait this long for their room and their token;
    /// at most an hour.
    ///
    /// With none at all a call goes out at once or fails at once.
    #[must_use]
    pub fn with_patience(&self, patience: Duration) -> Self {
        Self {
            patience: patience.min(Self::LONGEST_PATIENCE),
            ..self.clone()
        }
    }
}

impl<S> fmt::Debug for Client<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("corp", &self.shared.corp)
            .field("base", &self.shared.line.base)
            .field("importance", &self.importance)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}
