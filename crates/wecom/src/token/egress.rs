//! Wrong secrets, counted over all tenants that share one address.
//!
//! WeCom bans an *address* for an hour when too many wrong secrets come from it (its help on 45009; its staff speak of
//! some 2,000 in an hour). One tenant's breaker keeps that tenant quiet; this keeps the sum of all of them below the
//! ban, for thirty thousand tenants with one wrong secret each are enough.
//!
//! | secret | held back when refusals within an hour reach | by default |
//! |---|---|---|
//! | refused when last tried | `refusals_per_hour` | 200 |
//! | never answered yet | three times as many; from the first number on, one tries at a time, and after its refusal none for a while | 600, one in 9 s |
//! | accepted when last tried | four times as many | 800 |
//!
//! Those under way are counted as if they were refused.
//!
//! *Why a new tenant goes before one that was refused*: it may be good, and which one is shows only by trying it. What
//! is left of the hour is spread over it, half an hour / `refusals_per_hour` from one refusal to the next, so that
//! a burst of wrong secrets does not take the turn of whoever comes after it: a bad one has one turn as a new
//! one, then it waits behind them. So a new tenant waits 9 s where all others were tried, and among `n`
//! others that nobody has tried yet and that are all wrong, at most until each had its turn: (`n` - 200) x 9 s, 2 hours for
//! a thousand. A good one costs nothing, and the next goes at once.
//!
//! *Why a proven tenant is held back at all*: only if many that were good turn bad at once (the address has dropped off a
//! list of trusted ones), for the ban would hold it back for longer.
//!
//! *While banned* (45009 to a fetch) nobody fetches, but for one attempt at the end of each pause. The pause is 60 s
//! at first, as long as the block of a minute's window, and doubles to 16 minutes: the answer is
//! the same for a minute's window and for the ban of an hour, which so costs some seven attempts.

use std::{
    collections::VecDeque,
    fmt,
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{sync::Notify, time::timeout};

use super::lock;
use crate::{clock::Clock, error::Invalid};

/// The address from which many clients call. Hand the same one to all clients of a process; clones are the same.
///
/// Nothing is shared between processes: give each its part if several call from one address.
#[derive(Clone)]
pub struct Egress(Arc<Shared>);

struct Shared {
    clock: Clock,
    /// How many refusals in an hour hold back tenants that were refused last.
    refusals: usize,
    state: Mutex<State>,
    /// Wakes those who wait because as many are under way as may be, each standing by itself.
    freed: [Notify; 3],
}

#[derive(Default)]
struct State {
    /// When secrets were refused in the last hour, the oldest first. Never more than the ceiling.
    refused: VecDeque<Duration>,
    /// Fetches under way, of all tenants and of those not proven.
    under_way: usize,
    unproven: usize,
    /// A new tenant tries although there are so many refusals.
    trickling: bool,
    /// When one that was new was last refused. Those of others do not count here, or their steady trying would take every
    /// turn of the new ones.
    new_refused: Duration,
    ban: Option<Ban>,
}

struct Ban {
    until: Duration,
    pause: Duration,
    /// One tries whether it is over.
    probed: bool,
}

/// What became of a tenant's secret when it was last tried.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Standing {
    /// It was accepted.
    Proven,
    /// There was no answer that says.
    Untried,
    Refused,
}

/// Leave to fetch once.
#[must_use = "settle it with what came back"]
pub(super) struct Ticket {
    egress: Egress,
    standing: Standing,
    pass: Pass,
    answer: Answer,
}

/// Under which exceptions somebody may fetch.
#[derive(Clone, Copy, Default)]
struct Pass {
    /// Tries whether the ban is over.
    probe: bool,
    /// Goes although so many were refused.
    trickle: bool,
}

/// What came back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Answer {
    /// Nothing was sent.
    Unused,
    /// Something was sent, and what came back says nothing of the secret.
    Nothing,
    Accepted,
    Refused,
    Banned,
}

enum Gate {
    Open(Pass),
    /// There may be room as soon as somebody else has been answered.
    Busy,
    Closed {
        left: Duration,
    },
}

// === impl Egress ===

impl Egress {
    /// How many times as many refusals hold back those that nobody has tried, and the proven too.
    const UNTRIED: usize = 3;
    const CEILING: usize = 4;
    const HOUR: Duration = Duration::from_secs(3600);
    const FIRST_BAN: Duration = Duration::from_secs(60);
    const LONGEST_BAN: Duration = Duration::from_secs(960);
    /// After how long another tries when the one that did has learnt nothing.
    const NEXT_PROBE: Duration = Duration::from_secs(10);

    /// Returns an address that nothing has been refused to yet.
    ///
    /// `refusals_per_hour` is how many wrong secrets it may send in any hour before tenants whose secret was refused are
    /// held back, and new ones go one at a time. Default 200, allowed 1 to 400. Three times as many is the most that
    /// tenants send that were never accepted, and four times as many, the ceiling for all tenants, stays below the 2,000
    /// of the ban, with room for whoever else calls from there. For `n` processes behind one address, give each
    /// the `n`th part. Too low, and new tenants with wrong secrets keep new ones with good secrets waiting: a
    /// new one has its turn after half an hour / `refusals_per_hour`, 9 s by default, and as much for each other
    /// new one that is wrong.
    ///
    /// # Errors
    ///
    /// If it is outside 1 to 400.
    pub fn new(refusals_per_hour: u32) -> Result<Self, Invalid> {
        match usize::try_from(refusals_per_hour) {
            Ok(refusals @ 1..=400) => Ok(Self::of(refusals)),
            _ => Err(Invalid::new(
                "refusals_per_hour",
                refusals_per_hour,
                "1 to 400",
            )),
        }
    }

    /// Returns how many secrets were refused in the last hour.
    #[must_use]
    pub fn refused_last_hour(&self) -> usize {
        let now = self.0.clock.now();
        let mut state = lock(&self.0.state);
        state.forget(now);
        state.refused.len()
    }

    /// Returns for how long nothing is fetched because WeCom answered 45009 to a fetch.
    #[must_use]
    pub fn banned_for(&self) -> Option<Duration> {
        let state = lock(&self.0.state);
        let left = state.ban.as_ref()?.until.checked_sub(self.0.clock.now())?;
        (!left.is_zero()).then_some(left)
    }

    /// Waits until one more may fetch; fails at once if that takes longer than others' answers do.
    ///
    /// # Errors
    ///
    /// How long it is until there may be room.
    pub(super) async fn admit(
        &self,
        standing: Standing,
        patience: Duration,
    ) -> Result<Ticket, Duration> {
        let waiting = async {
            loop {
                let mut freed = pin!(self.0.freed[standing.index()].notified());
                // Before the look, so that what is freed after it wakes this one.
                freed.as_mut().enable();
                match self.look(standing) {
                    Gate::Open(pass) => return Ok(self.ticket(standing, pass)),
                    Gate::Closed { left } => return Err(left),
                    Gate::Busy => freed.await,
                }
            }
        };
        match timeout(patience, waiting).await {
            Ok(answer) => answer,
            // As busy as this with fetches, there will be room in about as long as one takes.
            Err(_) => Err(Duration::from_secs(1)),
        }
    }

    fn of(refusals: usize) -> Self {
        Self(Arc::new(Shared {
            clock: Clock::system(),
            refusals,
            state: Mutex::default(),
            freed: Default::default(),
        }))
    }

    /// Takes room if there is some.
    fn look(&self, standing: Standing) -> Gate {
        let now = self.0.clock.now();
        let mut guard = lock(&self.0.state);
        let state = &mut *guard;
        state.forget(now);
        let mut pass = Pass::default();
        if let Some(ban) = &mut state.ban {
            match ban.until.checked_sub(now) {
                Some(left) if !left.is_zero() => return Gate::Closed { left },
                _ if ban.probed => {
                    let left = Duration::from_secs(1);
                    return Gate::Closed { left };
                }
                _ => pass.probe = true,
            }
        }
        let refused = state.refused.len();
        let most = self.most(standing);
        // Room comes when there are fewer than `most` left in the hour.
        if let Some(index) = refused.checked_sub(most)
            && let Some(at) = state.refused.get(index)
        {
            let left = at.saturating_add(Self::HOUR).saturating_sub(now);
            return Gate::Closed { left };
        }
        if standing == Standing::Untried && refused >= self.0.refusals {
            if let Some(left) = self.pause(state).checked_sub(now)
                && !left.is_zero()
            {
                return Gate::Closed { left };
            }
            pass.trickle = true;
        }
        let unproven = standing != Standing::Proven;
        let crowded = unproven && !pass.trickle && refused + state.unproven >= self.0.refusals;
        let taken = pass.trickle && state.trickling;
        if crowded || taken || refused + state.under_way >= self.most(Standing::Proven) {
            return Gate::Busy;
        }
        state.under_way += 1;
        state.unproven += usize::from(unproven);
        state.trickling |= pass.trickle;
        if let Some(ban) = &mut state.ban {
            ban.probed = pass.probe;
        }
        Gate::Open(pass)
    }

    /// Returns how many refusals within an hour hold such a tenant back.
    fn most(&self, standing: Standing) -> usize {
        let times = match standing {
            Standing::Proven => Self::CEILING,
            Standing::Untried => Self::UNTRIED,
            Standing::Refused => 1,
        };
        self.0.refusals * times
    }

    /// Returns until when new tenants wait after the last refusal of one, so that what they may add to an hour is spread over
    /// it.
    fn pause(&self, state: &State) -> Duration {
        let more = self.most(Standing::Untried) - self.most(Standing::Refused);
        // At most 800.
        let parts = u32::try_from(more).unwrap_or(u32::MAX);
        state.new_refused.saturating_add(Self::HOUR / parts)
    }

    fn ticket(&self, standing: Standing, pass: Pass) -> Ticket {
        Ticket {
            egress: self.clone(),
            standing,
            pass,
            answer: Answer::Unused,
        }
    }

    fn settle(&self, ticket: &Ticket) {
        let now = self.0.clock.now();
        let mut state = lock(&self.0.state);
        state.under_way = state.under_way.saturating_sub(1);
        if ticket.standing != Standing::Proven {
            state.unproven = state.unproven.saturating_sub(1);
        }
        if ticket.pass.trickle {
            state.trickling = false;
        }
        if ticket.answer == Answer::Refused {
            state.forget(now);
            state.refused.push_back(now);
            if ticket.standing == Standing::Untried {
                state.new_refused = now;
            }
        }
        state.learn(now, ticket);
        let full = state.refused.len() >= self.0.refusals;
        let paused = full && self.pause(&state) > now;
        let banned = state.ban.is_some();
        drop(state);
        for (standing, freed) in Standing::ALL.into_iter().zip(&self.0.freed) {
            // Where nothing will be free for long, nobody is left to wait for it.
            let closed = match standing {
                Standing::Proven | Standing::Refused => banned || full,
                Standing::Untried => banned || paused,
            };
            if closed {
                freed.notify_waiters();
            } else {
                freed.notify_one();
            }
        }
    }
}

impl Default for Egress {
    fn default() -> Self {
        Self::of(200)
    }
}

impl fmt::Debug for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Egress")
            .field("refused_last_hour", &self.refused_last_hour())
            .field("banned_for", &self.banned_for())
            .finish_non_exhaustive()
    }
}

// === impl State ===

impl State {
    fn forget(&mut self, now: Duration) {
        while let Some(at) = self.refused.front()
            && at.saturating_add(Egress::HOUR) <= now
        {
            self.refused.pop_front();
        }
    }

    /// Begins, prolongs or ends the ban.
    fn learn(&mut self, now: Duration, ticket: &Ticket) {
        let begun = |pause| Ban {
            until: now.saturating_add(pause),
            pause,
            probed: false,
        };
        match (&mut self.ban, ticket.answer) {
            (None, Answer::Banned) => self.ban = Some(begun(Egress::FIRST_BAN)),
            // Answers to what was sent before the ban was known say nothing new.
            (Some(ban), Answer::Banned) if ticket.pass.probe => {
                let pause = ban.pause.saturating_mul(2).min(Egress::LONGEST_BAN);
                self.ban = Some(begun(pause));
            }
            (Some(_), Answer::Accepted | Answer::Refused) if ticket.pass.probe => self.ban = None,
            (Some(ban), Answer::Nothing) if ticket.pass.probe => {
                ban.probed = false;
                ban.until = now.saturating_add(Egress::NEXT_PROBE);
            }
            (Some(ban), Answer::Unused) if ticket.pass.probe => ban.probed = false,
            _ => {}
        }
    }
}

// === impl Standing ===

impl Standing {
    const ALL: [Self; 3] = [Self::Proven, Self::Untried, Self::Refused];

    const fn index(self) -> usize {
        match self {
            Self::Proven => 0,
            Self::Untried => 1,
            Self::Refused => 2,
        }
    }
}

// === impl Ticket ===

impl Ticket {
    /// Something is about to be sent: dropped from here on, the answer is lost.
    pub(super) fn sent(&mut self) {
        self.answer = Answer::Nothing;
    }

    /// Tells what came back.
    pub(super) fn settle(mut self, answer: Answer) {
        self.answer = answer;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.egress.settle(self);
    }
}
