//! The settings of an entry.

use std::{fmt, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use http::request::Parts;

use super::{
    error::{EntryError, Fault, Problem},
    layer::EntryLayer,
    patterns::Patterns,
    rules::{Rules, Trust, TrustHook, UserHook},
    table::Table,
    user::UserHash,
};
use crate::{
    clock::Clock,
    observe::{Observer, Observers},
    priority::Business,
    wire::Names,
};

/// The settings of an entry; begun by [`Entry::builder`](super::Entry::builder).
#[must_use]
pub struct EntryBuilder {
    service: String,
    businesses: Vec<(String, u8)>,
    default_business: Business,
    exempt: Vec<String>,
    user: Option<Box<UserHook>>,
    trust: Option<Box<TrustHook>>,
    key: [u8; 32],
    epoch: Duration,
    deadline: Option<Duration>,
    names: Names,
    clock: Clock,
    observers: Vec<Arc<dyn Observer>>,
}

impl EntryBuilder {
    /// The paths exempt unless set otherwise: gRPC's health service and the usual probes.
    pub const DEFAULT_EXEMPT: [&str; 4] =
        ["/grpc.health.v1.Health/*", "/healthz", "/livez", "/readyz"];

    pub(super) fn new() -> Self {
        Self {
            service: "entry".to_owned(),
            businesses: Vec::new(),
            default_business: Business::LEAST_IMPORTANT,
            exempt: Self::DEFAULT_EXEMPT.map(str::to_owned).into(),
            user: None,
            trust: None,
            key: UserHash::DEFAULT_KEY,
            epoch: UserHash::DEFAULT_EPOCH,
            deadline: None,
            names: Names::default(),
            clock: Clock::default(),
            observers: Vec::new(),
        }
    }

    /// Sets what observers are told the service is called. Default `entry`.
    pub fn service(mut self, name: impl Into<String>) -> Self {
        self.service = name.into();
        self
    }

    /// Gives requests that match `pattern` the business of this number: 0 to 255, small is important.
    ///
    /// See [`Table`] for the patterns and which of several counts. A service that tells fewer businesses
    /// apart treats larger numbers as its last one.
    pub fn business(mut self, pattern: impl Into<String>, number: u8) -> Self {
        self.businesses.push((pattern.into(), number));
        self
    }

    /// Adds patterns and the numbers of their businesses, as [`business`](Self::business) does one.
    pub fn businesses<P: Into<String>>(
        mut self,
        entries: impl IntoIterator<Item = (P, u8)>,
    ) -> Self {
        let entries = entries.into_iter();
        self.businesses
            .extend(entries.map(|(pattern, number)| (pattern.into(), number)));
        self
    }

    /// Sets the business of requests that match no pattern. Default 255, the least important.
    pub const fn default_business(mut self, number: u8) -> Self {
        self.default_business = Business::new(number);
        self
    }

    /// Sets the paths that begin no task, as patterns like those of a [`Table`]. Default:
    /// [`DEFAULT_EXEMPT`](Self::DEFAULT_EXEMPT).
    ///
    /// For what must work under overload as well and costs next to nothing. Calls made while answering
    /// them have no task, and so the least important priority.
    pub fn exempt<P: Into<String>>(mut self, patterns: impl IntoIterator<Item = P>) -> Self {
        self.exempt = patterns.into_iter().map(Into::into).collect();
        self
    }

    /// Sets how the user of a request is identified. Default: not at all.
    ///
    /// Return what the user cannot change at will: an authenticated account rather than a cookie. Anything
    /// of bytes will do (`String`, `HeaderValue`, `[u8; 8]`). Of a request without identity (`None`, or an
    /// empty one) the host it came from stands for the user, if the server noted it in the extensions as a
    /// `SocketAddr` or as axum's `ConnectInfo<SocketAddr>` (feature `axum`): the address in IPv4, the upper
    /// 64 bits of it in IPv6. Behind a proxy that is the proxy, so identify the user here. Without either,
    /// the user is the least important one.
    pub fn user<F, I>(mut self, identify: F) -> Self
    where
        F: Fn(&Parts) -> Option<I> + Send + Sync + 'static,
        I: AsRef<[u8]>,
    {
        self.user = Some(Box::new(move |parts, place| {
            place(identify(parts)?.as_ref())
        }));
        self
    }

    /// Sets which peers may say what priority their requests have. Default: none.
    ///
    /// Decide by something that an outsider cannot send: the certificate of the connection, the listener it
    /// came in by; never by a header. What a trusted peer sends is honoured, with the deadline in it; what
    /// cannot be used is ignored and counted, and the request treated like any other.
    pub fn trust(mut self, trust: impl Fn(&Parts) -> Trust + Send + Sync + 'static) -> Self {
        self.trust = Some(Box::new(trust));
        self
    }

    /// Sets the key of the hash that orders users. Default: [`UserHash::DEFAULT_KEY`], which everybody knows.
    ///
    /// All replicas need the same. Set a secret one wherever users choose their own identities, or they can
    /// compute which ones come first; see [`UserHash::new`].
    pub const fn key(mut self, key: [u8; 32]) -> Self {
        self.key = key;
        self
    }

    /// Sets how long an order of users lasts, at least 1 s. Default 1 h, the paper's.
    ///
    /// Too short, and a user who was served a minute ago is refused now, in the middle of what they do. Too
    /// long, and the same users are last for as long.
    pub const fn epoch(mut self, epoch: Duration) -> Self {
        self.epoch = epoch;
        self
    }

    /// Sets how long a task may take, after which nobody waits for it. Default: no limit.
    ///
    /// Too short fails tasks that would have been served; too long, or none, lets work go on that nobody
    /// waits for any more. Nothing is interrupted: the callees refuse what is late. Of this and what a
    /// trusted peer sent the shorter counts.
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Sets the names of the fields. Default `dagor-priority`, `dagor-level` and `dagor-demand`.
    pub fn names(mut self, names: Names) -> Self {
        self.names = names;
        self
    }

    /// Sets the clock that epochs and deadlines go by. Default: the operating system's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Adds a listener, told of every field that was not used. Default: none.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Builds the layer.
    ///
    /// # Errors
    ///
    /// All faults at once: of the patterns, those of [`Table::from_entries`]; an epoch under 1 s.
    pub fn build(self) -> Result<EntryLayer, EntryError> {
        let mut faults = Vec::new();
        let table = Table::collect(self.businesses, &mut faults);
        let exempt = self.exempt.into_iter().map(|pattern| (pattern, ()));
        let exempt = Patterns::collect(exempt, &mut faults);
        if self.epoch < UserHash::SHORTEST_EPOCH {
            faults.push(Fault::new("epoch", Problem::ShortEpoch));
        }
        let rules = Rules {
            service: self.service.into(),
            table: ArcSwap::from_pointee(table.with_default(self.default_business)),
            exempt,
            user: self.user,
            trust: self.trust,
            hash: UserHash::new(self.key, self.epoch),
            deadline: self.deadline,
            names: self.names,
            clock: self.clock,
            observers: Observers::new(self.observers),
        };
        EntryError::check(faults, rules).map(EntryLayer::new)
    }
}

impl fmt::Debug for EntryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EntryBuilder")
            .field("service", &self.service)
            .field("businesses", &self.businesses)
            .field("default_business", &self.default_business)
            .field("exempt", &self.exempt)
            .field("epoch", &self.epoch)
            .field("deadline", &self.deadline)
            .field("names", &self.names)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
