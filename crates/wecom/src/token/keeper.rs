//! What a client asks for its token before each call.
//!
//! Reading it takes no lock: the token at hand is swapped as a whole. Whoever finds none joins the one *flight* that
//! goes and gets one, or starts it; the flight is a task of its own, so a caller that gives up takes nothing
//! down with it.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use arc_swap::ArcSwapOption;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use tokio::{runtime::Handle, sync::watch, time::timeout};

use super::{
    Egress, Fetch, Settings, TokenKey, TokenStore,
    breaker::Breaker,
    budget::Budget,
    egress::Standing,
    flight::{Flight, Outcome},
    held::Held,
    lock,
    order::Order,
};
use crate::{
    clock::Clock,
    error::{Error, Kind, NoToken, Plain},
    observe::Watch,
    secret::Secret,
};

/// Keeps the token of one (corp, app). Cheap to clone.
#[derive(Clone)]
pub(crate) struct Keeper(pub(super) Arc<Shared>);

/// What the clones and the flight share.
pub(super) struct Shared {
    pub(super) key: TokenKey,
    pub(super) settings: Settings,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) egress: Egress,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) watch: Watch,
    pub(super) clock: Clock,
    /// Read by every call, written by flights and rejections under the lock of `state`.
    current: ArcSwapOption<Held>,
    /// Taken for moments only: to join, begin or end a flight, and to reject.
    state: Mutex<State>,
}

/// Where a flight tells what it ended with.
type Joined = watch::Receiver<Option<Outcome>>;

pub(super) struct State {
    /// The flight under way; written by whoever starts it and by itself when it ends.
    flight: Option<Joined>,
    /// What callers without a token are told until then, so that a failure is not repeated for each of them.
    held_back: Option<(Duration, Error)>,
    pub(super) order: Order,
    pub(super) breaker: Breaker,
    pub(super) budget: Budget,
    /// What became of the secret when it was last tried.
    pub(super) standing: Standing,
    /// Failed fetches in a row, and failed attempts to refresh ahead; the pause after each grows with them.
    pub(super) failed_fetches: u32,
    failed_refreshes: u32,
    /// Spreads what would otherwise happen everywhere at once.
    pub(super) dice: SmallRng,
}

// === impl Keeper ===

impl Keeper {
    /// How often a caller waits for a flight before it gives up: once, and again if the token is refused, or the
    /// flight had only been meant to refresh one, just then.
    const ROUNDS: usize = 4;

    pub(crate) fn new(
        key: TokenKey,
        settings: Settings,
        store: Arc<dyn TokenStore>,
        egress: Egress,
        fetch: Arc<dyn Fetch>,
        (watch, clock): (Watch, Clock),
    ) -> Self {
        let state = State {
            flight: None,
            held_back: None,
            order: Order::default(),
            breaker: Breaker::new(settings.first_pause, settings.longest_pause),
            budget: Budget::new(settings.fetches_per_minute),
            standing: Standing::Untried,
            failed_fetches: 0,
            failed_refreshes: 0,
            dice: SmallRng::seed_from_u64(rand::random()),
        };
        Self(Arc::new(Shared {
            key,
            settings,
            store,
            egress,
            fetch,
            watch,
            clock,
            current: ArcSwapOption::empty(),
            state: Mutex::new(state),
        }))
    }

    /// Returns the token to call with: without a lock or a wait when one is at hand.
    ///
    /// # Errors
    ///
    /// [`Kind::NoToken`] with what happened when one was fetched or why none is fetched now, [`Kind::Shared`] if
    /// another process holds the lease and brings nothing.
    ///
    /// # Cancellation
    ///
    /// The fetch that this caller began goes on, for those who wait for it and for the next.
    pub(crate) async fn token(&self) -> Result<Secret, Error> {
        let shared = &self.0;
        for _ in 0..Self::ROUNDS {
            if let Some(held) = shared.at_hand() {
                if held.claim(shared.clock.now()) {
                    shared.refresh(&held);
                }
                return Ok(held.token.clone());
            }
            let Some(mut flight) = shared.join()? else {
                continue;
            };
            let outcome = match flight.wait_for(Option::is_some).await {
                Ok(outcome) => outcome.clone(),
                // The task panicked, or its runtime was shut down.
                Err(_) => return Err(shared.lost("the task that fetched the token has ended")),
            };
            if let Some(Outcome::Failed { error, .. }) = outcome {
                return Err(error);
            }
        }
        Err(shared.lost("tokens are refused faster than they are fetched"))
    }

    /// Notes that WeCom refused `used`. Does nothing if another has taken its place already.
    ///
    /// # Cancellation
    ///
    /// This process does not use it again. Others may find it in the store until this one fetches the next.
    pub(crate) async fn reject(&self, used: &Secret) {
        let shared = &self.0;
        if !shared.discard(used) {
            return;
        }
        let removal = shared.store.remove(&shared.key, used);
        if !matches!(
            timeout(shared.settings.store_timeout, removal).await,
            Ok(Ok(_))
        ) {
            shared.watch.store_failed("remove");
        }
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keeper")
            .field("key", &self.0.key)
            .finish_non_exhaustive()
    }
}

// === impl Shared ===

impl Shared {
    /// The pause after the first failed attempt to refresh ahead, as a part of the token's life, and its bounds.
    const FIRST_PAUSE_PART: u32 = 200;
    const LEAST_PAUSE: Duration = Duration::from_millis(100);
    const FIRST_PAUSE: Duration = Duration::from_secs(5);
    const LONGEST_PAUSE: Duration = Duration::from_secs(120);

    /// Returns the token at hand, if calls may be made with it.
    pub(super) fn at_hand(&self) -> Option<Arc<Held>> {
        let held = self.current.load();
        let held = held.as_ref().filter(|held| held.usable(self.clock.now()))?;
        Some(Arc::clone(held))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Returns the error of a fetch that no answer came to.
    pub(super) fn lost(&self, why: &'static str) -> Error {
        let lost = Error::new(self.fetch.api(), Kind::Lost(Plain(why).into()));
        self.no_token(NoToken::Fetch(lost))
    }

    pub(super) fn no_token(&self, why: NoToken) -> Error {
        Error::new(self.fetch.api(), Kind::NoToken(why))
    }

    /// Makes a token from the store the one at hand, or one fetched with a lease; unless it was refused, or is
    /// older than the last one.
    pub(super) fn install(&self, held: Held) -> bool {
        let mut state = self.lock();
        let taken = state.order.take(&held);
        if taken {
            self.current.store(Some(Arc::new(held)));
        }
        taken
    }

    /// Makes a token that was fetched without a lease, and so without a number, the one at hand.
    pub(super) fn install_stray(&self, mut held: Held) {
        let mut state = self.lock();
        state.order.take_stray(&mut held);
        self.current.store(Some(Arc::new(held)));
    }

    /// Returns the flight under way, or begins one; none if there is a token after all.
    pub(super) fn join(self: &Arc<Self>) -> Result<Option<Joined>, Error> {
        let runtime = Handle::try_current()
            .map_err(|_| self.lost("called outside a runtime that could fetch the token"))?;
        let landing = {
            let mut state = self.lock();
            // One may have landed since the caller looked.
            if self.at_hand().is_some() {
                return Ok(None);
            }
            if let Some(flight) = &state.flight {
                return Ok(Some(flight.clone()));
            }
            if let Some((until, error)) = &state.held_back
                && self.clock.now() < *until
            {
                // The error is of a moment ago; the breaker knows what is left of its pause.
                let refusal = state.breaker.refusal(self.clock.now());
                return Err(refusal.map_or_else(|| error.clone(), |why| self.no_token(why)));
            }
            state.begin(self)
        };
        Ok(Some(launch(&runtime, landing)))
    }

    /// Begins a flight to refresh `held`, whose refresh the caller has claimed.
    pub(super) fn refresh(self: &Arc<Self>, held: &Arc<Held>) {
        let Ok(runtime) = Handle::try_current() else {
            return held.put_off(self.clock.now().saturating_add(Self::FIRST_PAUSE));
        };
        let landing = {
            let mut state = self.lock();
            // One under way brings a newer one, or gives the claim back when it ends.
            let current = self.current.load();
            let replaced = !current.as_ref().is_some_and(|now| Arc::ptr_eq(now, held));
            if replaced || state.flight.is_some() {
                return;
            }
            state.begin(self)
        };
        let _ = launch(&runtime, landing);
    }

    /// Forgets the token at hand if it is `used`, and remembers that it is dead.
    fn discard(&self, used: &Secret) -> bool {
        let mut state = self.lock();
        let current = self.current.load();
        let Some(held) = current.as_ref().filter(|held| held.token == *used) else {
            return false;
        };
        state.order.bury(held);
        self.current.store(None);
        true
    }

    /// Ends the flight: tells what it brought to all that wait, and when another may begin.
    fn land(&self, outcome: Option<&Outcome>) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.flight = None;
        state.held_back = None;
        if let Some(Outcome::Arrived) = outcome {
            state.failed_refreshes = 0;
            return;
        }
        let Some(held) = self.at_hand() else {
            if let Some(Outcome::Failed { error, pause }) = outcome {
                state.held_back = Some((now.saturating_add(*pause), error.clone()));
            }
            return;
        };
        let first =
            (held.whole / Self::FIRST_PAUSE_PART).clamp(Self::LEAST_PAUSE, Self::FIRST_PAUSE);
        let doublings = state.failed_refreshes;
        let pause = state.grown(first, doublings, Self::LONGEST_PAUSE);
        state.failed_refreshes = state.failed_refreshes.saturating_add(1);
        held.put_off(now.saturating_add(pause));
    }
}

// === impl State ===

impl State {
    /// Notes that a flight begins; it must be launched after the lock is given back.
    fn begin(&mut self, shared: &Arc<Shared>) -> Landing {
        let (tell, flight) = watch::channel(None);
        self.flight = Some(flight);
        Landing {
            shared: Arc::clone(shared),
            tell,
            landed: false,
        }
    }

    /// Returns a number from 0 to 1.
    pub(super) fn draw(&mut self) -> f64 {
        self.dice.random()
    }

    /// Returns `first`, doubled so many times but never above `longest`, and up to a quarter longer by chance, so
    /// that those who failed together do not try again together.
    pub(super) fn grown(&mut self, first: Duration, doublings: u32, longest: Duration) -> Duration {
        let factor = 1 << doublings.min(16);
        let pause = first.saturating_mul(factor).min(longest);
        pause.mul_f64(1.0 + self.draw() / 4.0)
    }

    /// The secret was accepted, from this process or another.
    pub(super) fn accepted(&mut self) {
        self.standing = Standing::Proven;
        self.failed_fetches = 0;
        self.breaker.accepted();
    }

    #[cfg(test)]
    pub(super) const fn idle(&self) -> bool {
        self.flight.is_none()
    }
}

/// A flight under way. Dropped before it has landed, because its task panicked or its runtime was shut down, it
/// makes room for the next and lets those who wait know.
struct Landing {
    shared: Arc<Shared>,
    tell: watch::Sender<Option<Outcome>>,
    landed: bool,
}

// === impl Landing ===

impl Landing {
    fn land(mut self, outcome: Outcome) {
        self.landed = true;
        self.shared.land(Some(&outcome));
        self.tell.send_replace(Some(outcome));
    }
}

impl Drop for Landing {
    fn drop(&mut self) {
        if !self.landed {
            self.shared.land(None);
        }
    }
}

/// Starts the task of a flight. Not under the lock: a runtime that is shutting down drops it at once.
fn launch(runtime: &Handle, landing: Landing) -> Joined {
    let flight = landing.tell.subscribe();
    runtime.spawn(async move {
        let mut flight = Flight::new(Arc::clone(&landing.shared));
        let outcome = flight.fly().await;
        landing.land(outcome);
        // After the landing, so that a store that hangs keeps nobody waiting.
        flight.release().await;
    });
    flight
}
