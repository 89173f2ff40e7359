//! The settings of a client, and their ranges.

use std::{fmt, sync::Arc, time::Duration};

use super::{
    Client, Credential, Shared, Transport, base, exchange::Line, fetch::Fetcher,
    importance::Importance,
};
use crate::{
    clock::Clock,
    error::Invalid,
    limit::{Limiter, Limits, LocalLimiter},
    observe::Watch,
    token::{self, Egress, Keeper, MemoryStore, TokenStore},
};

/// The settings of a [`Client`]; made by [`Client::builder`].
#[must_use = "nothing is made before `build`"]
pub struct Builder {
    credential: Credential,
    base: String,
    timeout: Duration,
    patience: Duration,
    longest: usize,
    clock: Clock,
    tokens: token::Settings,
    /// Default: in the memory of this process.
    store: Option<Arc<dyn TokenStore>>,
    /// Default: a limiter of this client alone, with the documented windows.
    limiter: Option<Arc<dyn Limiter>>,
    egress: Egress,
    #[cfg(feature = "dagor")]
    callee: Option<dagor::Callee>,
}

// === impl Builder ===

impl Builder {
    /// Where WeCom is (path/90664).
    const BASE: &str = "https://qyapi.weixin.qq.com";

    pub(super) fn new(credential: Credential) -> Self {
        Self {
            credential,
            base: Self::BASE.to_owned(),
            timeout: Duration::from_secs(5),
            patience: Duration::from_secs(30),
            longest: 4 << 20,
            clock: Clock::system(),
            tokens: token::Settings::default(),
            store: None,
            limiter: None,
            egress: Egress::default(),
            #[cfg(feature = "dagor")]
            callee: None,
        }
    }

    /// Sets where WeCom is: `http` or `https`, a host, perhaps a port and a path that comes before WeCom's own.
    /// Default `https://qyapi.weixin.qq.com`.
    ///
    /// A slash at its end makes no difference. A simulator or a gateway stands elsewhere; plain `http` shows tokens to
    /// whoever is on the way.
    pub fn base_url(mut self, base: impl Into<String>) -> Self {
        self.base = base.into();
        self
    }

    /// Sets how long each request may take, from sending it to the end of its answer. Default 5 s, 10 ms to 120 s.
    ///
    /// Too short, and calls that WeCom is about to apply count as lost and are made again; too long, and a connection that
    /// died unnoticed keeps one of the few places in flight.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets how long a call may wait for its room and its token, both together. Default 30 s, 0 to 1 hour.
    ///
    /// Too short, and calls fail that a moment later had gone out; too long, and they go out when nobody waits for them
    /// any more. [`Client::with_patience`] sets another for some calls.
    pub const fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Sets how many bytes an answer may have. Default 4 MiB, 1 KiB to 64 MiB.
    ///
    /// WeCom's longest known is a page of 1,000 ids, some 60 KiB, and a large directory's departments. Each call in flight
    /// may hold that much.
    pub const fn longest_answer(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Sets the clock. Default tokio's time.
    pub const fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets when the token is fetched again, how often at most, and what follows on a secret that was refused. Default
    /// [`token::Settings::default`], which names each value.
    pub fn tokens(mut self, tokens: token::Settings) -> Self {
        self.tokens = tokens;
        self
    }

    /// Sets where the token is kept. Default in the memory of this client and its clones.
    ///
    /// Processes that share one app's token need one that they share, or they fetch it from under each other.
    pub fn token_store(mut self, store: Arc<dyn TokenStore>) -> Self {
        self.store = Some(store);
        self
    }

    /// Sets what keeps the vendor's limits. Default one of this client and its clones alone, with the documented
    /// windows.
    ///
    /// WeCom counts each (corp, API), whoever calls: clients of two apps of one enterprise need one limiter, and
    /// so do processes that share an enterprise.
    pub fn limiter(mut self, limiter: Arc<dyn Limiter>) -> Self {
        self.limiter = Some(limiter);
        self
    }

    /// Sets the address from which is called, which counts the secrets that were refused to all clients that share
    /// it. Default one of this client alone.
    ///
    /// All clients of a process should have the same: WeCom bans the address, not the tenant.
    pub fn egress(mut self, egress: Egress) -> Self {
        self.egress = egress;
        self
    }

    /// Sets the callee whose levels decide which calls are worth sending; see [`callee`](crate::callee). Default
    /// none.
    ///
    /// All clients of a process should have the same one: it tells tenants apart itself.
    #[cfg(feature = "dagor")]
    pub fn callee(mut self, callee: dagor::Callee) -> Self {
        self.callee = Some(callee);
        self
    }

    /// Returns a client over connections of its own, as [`Https`](super::Https) makes them.
    ///
    /// A process with many clients makes one [`Https`](super::Https) and gives a clone to
    /// [`build_with`](Self::build_with), so that they share connections.
    ///
    /// # Errors
    ///
    /// If a setting is out of its range; the error names it.
    #[cfg(feature = "https")]
    pub fn build(self) -> Result<Client<super::Https>, Invalid> {
        let transport = super::Https::new()?;
        self.build_with(transport)
    }

    /// Returns a client over this transport: any tower service of HTTP requests, with any layers around it.
    ///
    /// # Errors
    ///
    /// If a setting is out of its range; the error names it.
    pub fn build_with<S: Transport>(self, transport: S) -> Result<Client<S>, Invalid> {
        let base = base::check(&self.base)?;
        within("timeout", self.timeout, (10, 120_000), "10ms to 120s")?;
        within("patience", self.patience, (0, 3_600_000), "0 to 3600s")?;
        if !(1 << 10..=64 << 20).contains(&self.longest) {
            let allowed = "1024 to 67108864 bytes";
            return Err(Invalid::new("longest answer", self.longest, allowed));
        }
        let corp = self.credential.corp().clone();
        let watch = Watch::new(corp.clone());
        let line = Line {
            base,
            timeout: self.timeout,
            longest: self.longest,
            watch: watch.clone(),
            clock: self.clock,
        };
        let key = self.credential.token_key();
        let fetcher = Arc::new(Fetcher {
            credential: self.credential,
            transport: transport.clone(),
            line: line.clone(),
        });
        let store = self.store;
        let store = store.unwrap_or_else(|| Arc::new(MemoryStore::new()));
        let told = (watch.clone(), self.clock);
        let keeper = Keeper::new(key, self.tokens, store, self.egress, fetcher, told);
        let limiter = match self.limiter {
            Some(limiter) => limiter,
            None => Arc::new(LocalLimiter::new(Limits::default(), self.clock)?),
        };
        Ok(Client {
            shared: Arc::new(Shared {
                corp,
                line,
                keeper,
                limiter,
                #[cfg(feature = "dagor")]
                callee: self.callee,
                watch,
                clock: self.clock,
            }),
            transport,
            importance: Importance::Unsaid,
            patience: self.patience,
        })
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The base may have a password in it before it is looked at.
        f.debug_struct("Builder")
            .field("corp", self.credential.corp())
            .field("timeout", &self.timeout)
            .field("patience", &self.patience)
            .field("longest_answer", &self.longest)
            .finish_non_exhaustive()
    }
}

/// Returns an error unless `value` is within a range given in milliseconds.
fn within(
    field: &'static str,
    value: Duration,
    (low, high): (u64, u64),
    allowed: &'static str,
) -> Result<(), Invalid> {
    if (Duration::from_millis(low)..=Duration::from_millis(high)).contains(&value) {
        return Ok(());
    }
    Err(Invalid::new(field, format!("{value:?}"), allowed))
}
