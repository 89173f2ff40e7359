//! One journey for a token: to the store, and if it has none, with a lease to WeCom.
//!
//! Every step is bounded in time, so a flight ends, and with it the wait of all that joined it. While a token is at hand
//! the flight gives up where it would have to wait for another process or to do without the store: nobody
//! needs what it would bring. If the token at hand dies on the way, the flight finds that out at its next
//! step and insists.

use std::{sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};

use super::{
    BoxFuture, Fetched, Lease, Stored,
    breaker::{self, Verdict},
    egress::{Answer, Standing, Ticket},
    held::Held,
    keeper::Shared,
};
use crate::{
    error::{BoxError, Error, Kind, NoToken, Plain, TimedOut, Unreadable},
    secret::Secret,
};

/// What a flight ends with.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// A newer token is at hand.
    Arrived,
    /// Nothing new, and nothing to tell: who needs a token begins another flight.
    GaveUp,
    /// There is none to be had; nobody need try before `pause` is over.
    Failed { error: Error, pause: Duration },
}

/// A flight under way.
pub(super) struct Flight {
    shared: Arc<Shared>,
    /// Held from when it was taken to [`release`](Self::release).
    lease: Option<Lease>,
    /// What a fetch needs of others, once it was had.
    prepared: Option<Option<Secret>>,
}

enum Shelf {
    /// What was there is at hand now.
    Taken,
    Empty,
    Unreachable,
}

enum Leave {
    Fetch {
        generation: u64,
    },
    Wait,
    /// Another process was quicker; its token is at hand now.
    Taken,
    Unreachable,
}

// === impl Flight ===

impl Flight {
    /// For how long a refusal of this process's own making is told to everybody before the store is asked
    /// again: another process may have a token.
    const LOOK_AGAIN: Duration = Duration::from_secs(1);
    /// How long nothing is fetched after one failed fetch, and after many.
    const FIRST_PAUSE: Duration = Duration::from_millis(500);
    const LONGEST_PAUSE: Duration = Duration::from_secs(10);
    /// How often the store is asked while another process has the lease.
    const FIRST_POLL: Duration = Duration::from_millis(20);
    const LONGEST_POLL: Duration = Duration::from_millis(400);

    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            lease: None,
            prepared: None,
        }
    }

    /// Brings a token.
    pub(super) async fn fly(&mut self) -> Outcome {
        let begun = self.shared.clock.now();
        // Long enough for one other process to die with the lease, and for the next one's fetch.
        let deadline = begun.saturating_add(self.shared.settings.lease * 2);
        let mut polls = 0;
        loop {
            match self.step(deadline).await {
                Ok(outcome) => return outcome,
                Err(Blocked) if self.shared.clock.now() >= deadline => {
                    let why = "another process holds the lease and brings no token";
                    let why = Kind::Shared(Plain(why).into());
                    let error = Error::new(self.shared.fetch.api(), why);
                    return failed(error, Self::LOOK_AGAIN);
                }
                Err(Blocked) => {
                    let pause =
                        self.shared
                            .lock()
                            .grown(Self::FIRST_POLL, polls, Self::LONGEST_POLL);
                    sleep(pause).await;
                    polls += 1;
                }
            }
        }
    }

    /// Gives the lease back, if one was taken.
    pub(super) async fn release(&mut self) {
        let Some(lease) = self.lease.take() else {
            return;
        };
        let shared = &self.shared;
        self.ask("release", shared.store.release(&shared.key, &lease))
            .await;
    }

    async fn step(&mut self, deadline: Duration) -> Result<Outcome, Blocked> {
        let leaderless = match self.shelf().await {
            Shelf::Taken => return Ok(Outcome::Arrived),
            Shelf::Empty => false,
            Shelf::Unreachable => true,
        };
        if let Err(outcome) = self.prepare().await {
            return Ok(outcome);
        }
        let ticket = match self.admit(deadline).await {
            Ok(ticket) => ticket,
            Err(outcome) => return Ok(outcome),
        };
        let leave = if leaderless {
            Leave::Unreachable
        } else {
            self.leave().await
        };
        match leave {
            Leave::Fetch { generation } => Ok(self.fetch(ticket, Some(generation)).await),
            Leave::Taken => Ok(Outcome::Arrived),
            Leave::Wait | Leave::Unreachable if self.shared.at_hand().is_some() => {
                Ok(Outcome::GaveUp)
            }
            Leave::Wait => Err(Blocked),
            Leave::Unreachable => Ok(self.fetch(ticket, None).await),
        }
    }

    /// Looks whether another process has put a token there that is newer than the one at hand.
    async fn shelf(&self) -> Shelf {
        let shared = &self.shared;
        let asked = shared.clock.now();
        let Some(found) = self.ask("load", shared.store.load(&shared.key)).await else {
            return Shelf::Unreachable;
        };
        // What cannot be a token is replaced by the one that is fetched now.
        let found = found.filter(Stored::is_token);
        let Some(held) = found.map(|stored| self.hold(stored, asked)) else {
            return Shelf::Empty;
        };
        let newer = shared
            .at_hand()
            .is_none_or(|at_hand| at_hand.generation < held.generation);
        if !newer || !held.usable(shared.clock.now()) {
            return Shelf::Empty;
        }
        if shared.lock().order.is_dead(&held) {
            // The process that was to remove it has not.
            self.ask("remove", shared.store.remove(&shared.key, &held.token))
                .await;
            return Shelf::Empty;
        }
        self.take(held)
    }

    /// Makes a token of another process the one at hand.
    fn take(&self, held: Held) -> Shelf {
        if !self.shared.install(held) {
            return Shelf::Empty;
        }
        let mut state = self.shared.lock();
        state.accepted();
        Shelf::Taken
    }

    /// Gets what a fetch needs of others, once for each flight. Before a place at the address is taken: whoever waits for its
    /// own provider must keep nobody else from fetching.
    async fn prepare(&mut self) -> Result<(), Outcome> {
        if self.prepared.is_some() {
            return Ok(());
        }
        self.allowed()?;
        let shared = &self.shared;
        let bound = shared.settings.fetch_timeout;
        let prepared = timeout(bound, shared.fetch.prepare()).await;
        let prepared = prepared.unwrap_or_else(|_| {
            let late = Kind::NoToken(NoToken::Suite(TimedOut(bound).into()));
            Err(Error::new(shared.fetch.api(), late))
        });
        let prepared = prepared.map_err(|error| self.failed(None, error))?;
        self.prepared = Some(prepared);
        Ok(())
    }

    /// Asks whether this process may fetch now.
    fn allowed(&self) -> Result<Standing, Outcome> {
        let now = self.shared.clock.now();
        let state = self.shared.lock();
        let refusal = state.breaker.refusal(now).or_else(|| {
            let retry_after = state.budget.wait(now)?;
            Some(NoToken::TooMany { retry_after })
        });
        let standing = state.standing;
        drop(state);
        refusal.map_or(Ok(standing), |refusal| Err(self.refused(refusal)))
    }

    /// Asks whether this process, and the address, may fetch now.
    async fn admit(&self, deadline: Duration) -> Result<Ticket, Outcome> {
        let standing = self.allowed()?;
        let patience = deadline.saturating_sub(self.shared.clock.now());
        let admitted = self.shared.egress.admit(standing, patience).await;
        admitted.map_err(|retry_after| self.refused(NoToken::TooMany { retry_after }))
    }

    /// Ends a flight that may not fetch now.
    fn refused(&self, refusal: NoToken) -> Outcome {
        let error = self.shared.no_token(refusal);
        let left = error.retry_after().unwrap_or(Self::LOOK_AGAIN);
        failed(error, left.min(Self::LOOK_AGAIN))
    }

    /// Takes the lease, and looks again whether there is a token: the last holder may just have brought one.
    async fn leave(&mut self) -> Leave {
        let shared = &self.shared;
        let asked = shared.store.lease(&shared.key, shared.settings.lease);
        let lease = match self.ask("lease", asked).await {
            None => return Leave::Unreachable,
            Some(None) => return Leave::Wait,
            Some(Some(lease)) => lease,
        };
        let generation = lease.generation;
        self.lease = Some(lease);
        shared.lock().order.leased(generation);
        match self.shelf().await {
            Shelf::Taken => Leave::Taken,
            Shelf::Unreachable if self.shared.at_hand().is_some() => Leave::Unreachable,
            Shelf::Empty | Shelf::Unreachable => Leave::Fetch { generation },
        }
    }

    /// Fetches a token, stores it, and makes it the one at hand.
    async fn fetch(&self, mut ticket: Ticket, generation: Option<u64>) -> Outcome {
        let shared = &self.shared;
        let asked = shared.clock.now();
        shared.lock().budget.spend(asked);
        ticket.sent();
        let prepared = self.prepared.clone().flatten();
        let answer = timeout(shared.settings.fetch_timeout, shared.fetch.fetch(prepared)).await;
        let result = answer.unwrap_or_else(|_| {
            let why = TimedOut(shared.settings.fetch_timeout);
            Err(Error::new(shared.fetch.api(), Kind::Lost(why.into())))
        });
        let fetched = match result.and_then(|fetched| self.alive(fetched)) {
            Ok(fetched) => fetched,
            Err(error) => return self.failed(Some(ticket), error),
        };
        ticket.settle(Answer::Accepted);
        shared.watch.fetched(Ok(()));
        shared.lock().accepted();
        let new = Stored {
            token: fetched.token,
            lasts: fetched.lasts,
            whole: fetched.lasts,
            generation: generation.unwrap_or(0),
        };
        let held = self.hold(new, asked);
        if generation.is_none() {
            shared.install_stray(held);
            return Outcome::Arrived;
        }
        self.keep(held).await
    }

    /// Puts a fetched token into the store, then to hand; or takes the newer one that is there.
    async fn keep(&self, held: Held) -> Outcome {
        let shared = &self.shared;
        let asked = shared.clock.now();
        let new = Stored {
            token: held.token.clone(),
            lasts: held.lasts(asked),
            whole: held.whole,
            generation: held.generation,
        };
        match self
            .ask("store", shared.store.store(&shared.key, new))
            .await
        {
            Some(Some(there)) if there.generation > held.generation && there.is_token() => {
                arrived(shared.install(self.hold(there, asked)))
            }
            // Too old already, though nothing newer is left.
            Some(None) => Outcome::GaveUp,
            // Stored; or not, which is no reason not to use it.
            Some(Some(_)) | None => arrived(shared.install(held)),
        }
    }

    /// Takes in that no token came; without a ticket nothing was sent to WeCom.
    fn failed(&self, ticket: Option<Ticket>, error: Error) -> Outcome {
        let shared = &self.shared;
        let now = shared.clock.now();
        shared.watch.fetched(Err(&error));
        let verdict = breaker::judge(&error);
        let mut state = shared.lock();
        let doublings = state.failed_fetches;
        state.failed_fetches = doublings.saturating_add(1);
        let pause = state.grown(Self::FIRST_PAUSE, doublings, Self::LONGEST_PAUSE);
        let opened = match verdict {
            Verdict::Refused(errcode) => {
                state.standing = Standing::Refused;
                Some((errcode, state.breaker.refused(now, errcode)))
            }
            Verdict::Banned | Verdict::Passing => None,
        };
        drop(state);
        if let Some(ticket) = ticket {
            ticket.settle(match verdict {
                Verdict::Refused(_) => Answer::Refused,
                Verdict::Banned => Answer::Banned,
                Verdict::Passing => Answer::Nothing,
            });
        }
        let mut error = shared.no_token(NoToken::Fetch(error));
        if let Some((errcode, pause)) = opened {
            shared.watch.breaker_opened(errcode, pause);
            error = error.with_retry_after(pause);
        }
        failed(error, pause)
    }

    /// Refuses a token that is dead when it comes.
    fn alive(&self, fetched: Fetched) -> Result<Fetched, Error> {
        if fetched.lasts.is_zero() {
            let why = "expires_in is 0";
            let unreadable = Unreadable { status: 200, why };
            return Err(Error::new(
                self.shared.fetch.api(),
                Kind::Unreadable(unreadable),
            ));
        }
        Ok(fetched)
    }

    fn hold(&self, stored: Stored, asked: Duration) -> Held {
        let draw = self.shared.lock().draw();
        Held::new(stored, asked, &self.shared.settings, draw)
    }

    /// Waits for the store, but not for long.
    async fn ask<T>(
        &self,
        what: &'static str,
        answer: BoxFuture<'_, Result<T, BoxError>>,
    ) -> Option<T> {
        let answer = timeout(self.shared.settings.store_timeout, answer).await;
        let answer = answer.ok().and_then(Result::ok);
        if answer.is_none() {
            self.shared.watch.store_failed(what);
        }
        answer
    }
}

/// Another process has the lease.
struct Blocked;

const fn failed(error: Error, pause: Duration) -> Outcome {
    Outcome::Failed { error, pause }
}

const fn arrived(installed: bool) -> Outcome {
    if installed {
        Outcome::Arrived
    } else {
        Outcome::GaveUp
    }
}
