//! From the bytes of a request to an event that can be believed.
//!
//! In this order: query, size, envelope, signature, decryption, time, names. What costs nothing comes first, and
//! nothing is decrypted unsigned. The time is looked at after the signature although it could be before, even
//! before the body is read: so "stale" in the metrics means a replay or a wrong clock of ours and not a stranger.
//! Nothing is lost by it, for a stranger who wants to have a body read writes the time of day into the query.

use std::{fmt, sync::Arc, time::Duration};

use super::{
    address::{self, Address},
    delivery::Delivery,
    envelope::Envelope,
    event::Event,
    fields::Fields,
    identity::Identity,
    keys::{Keys, Signed},
    query::Query,
    rejected::Rejected,
    replay::{Memory, Window},
};
use crate::{clock::Clock, error::Invalid};

/// What receives the callbacks of one address. Cheap to clone; clones share the memory of what was seen.
#[derive(Clone)]
pub struct Receiver(Arc<Inner>);

struct Inner {
    keys: Vec<Keys>,
    window: Option<Window>,
    body_limit: usize,
    memory: Memory,
    clock: Clock,
}

/// The settings of a [`Receiver`]; made by [`Receiver::builder`].
#[derive(Debug)]
#[must_use = "nothing is made before `build`"]
pub struct Builder {
    keys: Vec<Keys>,
    window: Option<Window>,
    body_limit: usize,
    memory: usize,
    clock: Clock,
}

// === impl Receiver ===

impl Receiver {
    /// Returns a receiver with the default settings.
    #[must_use]
    pub fn new(keys: Keys) -> Self {
        Self::builder(keys).into_receiver()
    }

    /// Returns the settings, to be changed.
    pub fn builder(keys: Keys) -> Builder {
        Builder {
            keys: vec![keys],
            window: Some(Window::default()),
            body_limit: 64 << 10,
            memory: 16_384,
            clock: Clock::system(),
        }
    }

    /// Verifies the `GET` by which WeCom checks an address, and returns what to answer, as it is: no quotes, no
    /// line end. It wants it within 1 s.
    ///
    /// `query` is what stands behind the `?`, not decoded.
    ///
    /// # Errors
    ///
    /// See [`Rejected`]: answer with its [`status`](Rejected::status) and nothing else.
    pub fn echo(&self, query: &str) -> Result<Vec<u8>, Rejected> {
        let query = Query::parse(query)?;
        let (_, plain) = self.open(&query.signed(), query.echostr()?)?;
        self.check_time(query.sent)?;
        Ok(plain)
    }

    /// Returns whether the query of a `POST` is that of a callback, as far as it can be told without a body: its
    /// parameters are all there, once, and well formed. To be asked before the body is read.
    ///
    /// Whether it is signed can not be told: the signature covers the message, which is the body.
    ///
    /// # Errors
    ///
    /// [`Rejected::Query`]: answer with its [`status`](Rejected::status) and nothing else.
    pub fn check_query(&self, query: &str) -> Result<(), Rejected> {
        Query::parse(query).map(drop)
    }

    /// Verifies and reads the `POST` of a callback.
    ///
    /// Answer 200 with an empty body once the event is durable, then call [`remember`](Self::remember); until
    /// then answer 5xx, so that WeCom sends it again.
    ///
    /// # On another framework
    ///
    /// Feature `axum` brings a router that does all of this; elsewhere it is to be done by hand:
    ///
    /// - [`check_query`](Self::check_query) before the body is read; then bound its length
    ///   ([`body_limit`](Self::body_limit)), the time for it (2 s), and how many are read at once, for a stranger's
    ///   body cannot be told from WeCom's before its end.
    /// - While something runs that makes an event durable, let copies with the same [`Identity`] wait for it and
    ///   start nothing: WeCom repeats after 5 s what is not answered, and a store that hangs would otherwise get four
    ///   tasks for each event.
    /// - Bound how many run and how long each may, such as 60 s; let none end because the sender hung up.
    /// - `remember` before a copy can be taken for new, that is before the identity leaves the list of what runs.
    ///
    /// # Errors
    ///
    /// See [`Rejected`]: answer with its [`status`](Rejected::status) and nothing else.
    pub fn receive(&self, query: &str, body: &[u8]) -> Result<Delivery, Rejected> {
        self.open_post(&Query::parse(query)?, body)
    }

    /// The same, of a query that was read before the body.
    pub(super) fn open_post(&self, query: &Query<'_>, body: &[u8]) -> Result<Delivery, Rejected> {
        let limit = self.0.body_limit;
        if body.len() > limit {
            return Err(Rejected::TooLong { limit });
        }
        let envelope = Envelope::parse(body)?;
        let (keys, plain) = self.open(&query.signed(), envelope.encrypt())?;
        self.check_time(query.sent)?;

        let text = std::str::from_utf8(&plain).map_err(|_| Rejected::Message)?;
        let fields = Fields::parse(text)?;
        let address = Address::of(&fields);
        address.check(keys.receive_id(), envelope.to_user())?;
        let agent = fields.some("AgentID").or_else(|| envelope.agent());
        let identity = Identity::of(&fields);
        Ok(Delivery {
            event: Event::of(&fields),
            identity,
            seen_before: self.knows(&identity),
            corp: address.corp()?,
            suite: address.suite().map(Box::from),
            agent: agent.and_then(|id| id.trim().parse().ok()),
            created: address::created(&fields),
            sent: Duration::from_secs(query.sent),
            fields,
        })
    }

    /// Notes that an event is durable, so that the next copy of it is marked.
    pub fn remember(&self, identity: Identity) {
        self.0.memory.remember(identity);
    }

    /// Returns whether an event was remembered, and is yet.
    pub(super) fn knows(&self, identity: &Identity) -> bool {
        self.0.memory.knows(identity)
    }

    /// Returns how long a body may be, in bytes.
    #[must_use]
    pub fn body_limit(&self) -> usize {
        self.0.body_limit
    }

    /// Opens a message with the first keys that fit; if none do, tells of those that came farthest.
    fn open(&self, signed: &Signed<'_>, encrypt: &str) -> Result<(&Keys, Vec<u8>), Rejected> {
        let mut rejected = Rejected::Signature;
        for keys in &self.0.keys {
            match keys.open(signed, encrypt) {
                Ok(plain) => return Ok((keys, plain)),
                Err(Rejected::Signature) => {}
                Err(other) => rejected = other,
            }
        }
        Err(rejected)
    }

    fn check_time(&self, sent: u64) -> Result<(), Rejected> {
        let Inner { window, clock, .. } = &*self.0;
        let sent = Duration::from_secs(sent);
        match window {
            Some(window) if !window.contains(sent, clock.calendar()) => Err(Rejected::Stale),
            _ => Ok(()),
        }
    }

    #[cfg(all(feature = "axum", any(feature = "metrics", feature = "tracing")))]
    pub(super) fn clock(&self) -> Clock {
        self.0.clock
    }
}

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver(..)")
    }
}

// === impl Builder ===

impl Builder {
    /// Adds keys that are valid too: the old ones, while new ones are set up on WeCom's side.
    ///
    /// Each costs a stranger's request one more signature to be checked; up to 8 together.
    pub fn also(mut self, keys: Keys) -> Self {
        self.keys.push(keys);
        self
    }

    /// Sets how far the timestamp of a callback may be in the past and ahead of our clock. Default: 10 minutes
    /// and 1 minute.
    ///
    /// Shorter than half a minute, WeCom's own retries may be refused if the clocks differ; longer, a recorded
    /// callback can be sent again for that long.
    pub fn window(mut self, past: Duration, ahead: Duration) -> Self {
        self.window = Some(Window { past, ahead });
        self
    }

    /// Takes callbacks of any time; for recorded ones, and where the clock is not to be trusted.
    pub fn without_window(mut self) -> Self {
        self.window = None;
        self
    }

    /// Sets how long a body may be, in bytes: 1,024 to 16,777,216, default 65,536. WeCom's have a few thousand.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets how many durable events are remembered, to mark what comes again: up to 16,777,216, default 16,384,
    /// 0 for none. Each takes about 100 bytes; WeCom repeats within about 20 s.
    pub fn memory(mut self, events: usize) -> Self {
        self.memory = events;
        self
    }

    /// Sets where the calendar is read. Default: the system's.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Returns the receiver.
    ///
    /// # Errors
    ///
    /// If a setting is out of its range.
    pub fn build(self) -> Result<Receiver, Invalid> {
        let (keys, memory, limit) = (self.keys.len(), self.memory, self.body_limit);
        if keys > 8 {
            return Err(Invalid::new("keys", keys, "1 to 8"));
        }
        if !(1 << 10..=16 << 20).contains(&limit) {
            return Err(Invalid::new(
                "body_limit",
                limit,
                "1,024 to 16,777,216 bytes",
            ));
        }
        if memory > 16 << 20 {
            return Err(Invalid::new("memory", memory, "0 to 16,777,216 events"));
        }
        Ok(self.into_receiver())
    }

    fn into_receiver(self) -> Receiver {
        Receiver(Arc::new(Inner {
            keys: self.keys,
            window: self.window,
            body_limit: self.body_limit,
            memory: Memory::new(self.memory),
            clock: self.clock,
        }))
    }
}
