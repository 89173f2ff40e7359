//! Whose a task is.

use std::time::Duration;

use dagor::entry::UserHash;

use crate::{
    scenario::{FaultKind, Scenario},
    wire::Call,
    world::Chance,
};

/// Draws the tasks of one load.
#[derive(Clone, Debug)]
pub(super) struct Who {
    businesses: Vec<Business>,
    /// The business of all tasks of the load.
    business: Option<usize>,
    /// The sum of the shares.
    shares: f64,
    hash: UserHash,
    calendar: Duration,
    chance: Chance,
}

/// What matters here of a business.
#[derive(Clone, Debug)]
struct Business {
    number: u8,
    users: u32,
    /// The sum of the shares up to this one.
    shares: f64,
    hot: Vec<Hot>,
}

/// A time in which a share of the tasks is the first user's.
#[derive(Clone, Debug)]
struct Hot {
    from: Duration,
    until: Duration,
    share: f64,
}

impl Who {
    /// Those of the load of this number, of `business` or of any.
    pub(super) fn new(
        scenario: &Scenario,
        business: Option<usize>,
        seed: u64,
        number: usize,
    ) -> Self {
        let mut shares = 0.0;
        let businesses = scenario.businesses.iter().map(|business| {
            shares += business.share;
            Business {
                number: business.number,
                users: business.users,
                shares,
                hot: Hot::at(scenario, business.entry),
            }
        });
        Self {
            businesses: businesses.collect(),
            business,
            shares,
            hash: UserHash::default(),
            calendar: scenario.calendar,
            // Lossless: usize has at most 64 bits.
            chance: Chance::new(seed, "tasks of load", number as u64),
        }
    }

    /// Draws the task of this number, which comes at `at`.
    ///
    /// Each takes as much chance, whatever comes of it: a fault changes those tasks that it is about, no others.
    pub(super) fn draw(&mut self, task: u64, at: Duration, deadline: Duration) -> Call {
        let drawn = self.chance.unit();
        let place = self.business.unwrap_or_else(|| self.business_at(drawn));
        let business = &self.businesses[place];
        // Lossless: usize has at least 32 bits wherever this runs. A business of no user has one.
        let drawn = self.chance.below(business.users.max(1) as usize);
        let is_hot = self.chance.unit() < business.hot_share(at);
        let user = if is_hot { 0 } else { drawn };
        let user = u32::try_from(user).unwrap_or(u32::MAX);
        let now = self.calendar.saturating_add(at);
        let stands = self.hash.user(now, &user.to_le_bytes());
        Call {
            task,
            business: place,
            number: business.number,
            user,
            place: u16::from_be_bytes([stands.level(), stands.sub_level()]),
            deadline,
            draw: self.chance.bits(),
        }
    }

    /// Returns the business that a number from 0 to below 1 falls on.
    fn business_at(&self, drawn: f64) -> usize {
        let drawn = drawn * self.shares;
        let place = self.businesses.partition_point(|it| it.shares <= drawn);
        // The product may be rounded up to the sum, which the last business with a share has first.
        let last = self
            .businesses
            .partition_point(|it| it.shares < self.shares);
        place.min(last)
    }
}

// === impl Business ===

impl Business {
    /// Returns the share of its tasks that is the first user's whatever is drawn.
    fn hot_share(&self, at: Duration) -> f64 {
        let hot = self
            .hot
            .iter()
            .filter(|hot| (hot.from..hot.until).contains(&at));
        hot.map(|hot| hot.share).fold(0.0, f64::max)
    }
}

// === impl Hot ===

impl Hot {
    /// Returns those of a service.
    fn at(scenario: &Scenario, service: usize) -> Vec<Self> {
        let faults = scenario.faults.iter().filter(|it| it.service == service);
        let hot = faults.filter_map(|fault| match fault.kind {
            FaultKind::HotKey(share) => Some(Self {
                from: fault.at,
                until: fault
                    .lasts
                    .map_or(Duration::MAX, |lasts| fault.at.saturating_add(lasts)),
                share,
            }),
            _ => None,
        });
        hot.collect()
    }
}
