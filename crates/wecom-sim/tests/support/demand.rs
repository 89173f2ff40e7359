//! More calls than WeCom allows, of three priorities, and what becomes of each.

use std::{fmt, time::Duration};

use tokio::{task::JoinSet, time::sleep};
use wecom::{
    Rank,
    error::{Error, Kind},
};

use super::{Near, Random, Vendor, lead_to, share};

/// How the importance of calls is told.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Told {
    /// By a rank.
    Ranks,
    /// By a priority of dagor.
    Priorities,
}

/// What is wanted of one enterprise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    /// Updates a minute, at random moments, a third of each priority.
    pub(crate) per_minute: u32,
    pub(crate) lasts: Duration,
    /// How long after it was wanted an update is of use.
    pub(crate) deadline: Duration,
    pub(crate) told: Told,
}

/// What became of the calls of one priority.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tally {
    pub(crate) wanted: u64,
    /// Done within the deadline.
    pub(crate) served: u64,
    /// Done after it.
    pub(crate) late: u64,
    /// Not sent: no room in time.
    pub(crate) limited: u64,
    /// Not sent: the level withheld it.
    pub(crate) withheld: u64,
    /// Sent, and refused for a limit.
    pub(crate) refused: u64,
    pub(crate) otherwise: u64,
}

/// The three priorities, the most important first.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tallies(pub(crate) [Tally; 3]);

/// The time between its last moment to be sent and the deadline: more than any answer takes here.
const FOR_THE_ANSWER: Duration = Duration::from_secs(1);

// === impl Demand ===

impl Demand {
    /// Offers this to the clients in turn.
    pub(crate) async fn offer(self, vendor: &Vendor, corp: &str, clients: &[Near]) -> Tallies {
        let per_second = f64::from(self.per_minute) / 60.0;
        let most = 2.0 * per_second * self.lasts.as_secs_f64() + 100.0;
        // A code for each call, so that no two writers meet.
        let mut codes = vendor.codes(corp, whole(most)).into_iter();
        let clients = clients.iter().map(|client| self.told.each(client));
        let clients: Vec<[Near; 3]> = clients.collect();
        let mut random = Random::new(1);
        let begun = vendor.clock.now();
        let (mut due, mut calls) = (Duration::ZERO, JoinSet::new());
        for number in 0.. {
            due += random.exponential(per_second);
            if due >= self.lasts {
                break;
            }
            sleep((begun + due).saturating_sub(vendor.clock.now())).await;
            let class = random.below(3);
            let client = clients[number % clients.len()][class].clone();
            let client = client.with_patience(self.deadline - FOR_THE_ANSWER);
            let code = codes.next().expect("twice as many as are called for");
            let (clock, deadline) = (vendor.clock, self.deadline);
            calls.spawn(async move {
                let begun = clock.now();
                let result = lead_to(&client, &code, [2]).await;
                (class, clock.now() - begun <= deadline, result)
            });
        }
        let mut tallies = Tallies::default();
        for (class, in_time, result) in calls.join_all().await {
            tallies.0[class].count(in_time, &result);
        }
        tallies
    }
}

fn whole(number: f64) -> usize {
    // Far below 2^32 in any test.
    (0..)
        .find(|candidate: &u32| f64::from(*candidate) >= number)
        .map_or(0, |number| usize::try_from(number).unwrap_or(0))
}

// === impl Told ===

impl Told {
    /// Returns the client once for each priority.
    fn each(self, client: &Near) -> [Near; 3] {
        match self {
            Self::Ranks => {
                [0, u16::MAX / 2, u16::MAX].map(|rank| client.with_rank(Rank::new(rank)))
            }
            Self::Priorities => [0, 3, 7].map(|business| {
                let business = dagor::Business::new(business);
                let user = dagor::User::MOST_IMPORTANT;
                client.with_priority(dagor::Priority::new(business, user))
            }),
        }
    }
}

// === impl Tally ===

impl Tally {
    fn count(&mut self, in_time: bool, result: &Result<(), Error>) {
        self.wanted += 1;
        let place = match result.as_ref().map_err(Error::kind) {
            Ok(()) if in_time => &mut self.served,
            Ok(()) => &mut self.late,
            Err(Kind::Limited { .. }) => &mut self.limited,
            Err(Kind::Withheld(_)) => &mut self.withheld,
            Err(Kind::Refused(_)) => &mut self.refused,
            Err(_) => &mut self.otherwise,
        };
        *place += 1;
    }

    /// Returns which part was done within the deadline.
    pub(crate) fn in_time(&self) -> f64 {
        share(self.served, self.wanted)
    }
}

// === impl Tallies ===

impl fmt::Display for Tallies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "  third    wanted   served  in time     late  limited withheld  refused otherwise"
        )?;
        for (name, tally) in ["first", "second", "last"].iter().zip(&self.0) {
            let Tally {
                wanted,
                served,
                late,
                limited,
                withheld,
                refused,
                otherwise,
            } = tally;
            let percent = 100.0 * tally.in_time();
            writeln!(
                f,
                "  {name:6} {wanted:>8} {served:>8} {percent:>7.2}% {late:>8} {limited:>8} {withheld:>8} {refused:>8} {otherwise:>9}"
            )?;
        }
        Ok(())
    }
}
