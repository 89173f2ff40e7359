//! What each caller's IP did: its windows, and the wrong secrets that get it banned.

use std::{
    collections::{BTreeMap, VecDeque},
    net::IpAddr,
    ops::Bound,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use super::{
    IpTraffic,
    hold::{self, PIECE},
    lock,
    window::{Limits, Meter, Over},
};
use crate::api::Api;

/// Every caller that was heard of.
#[derive(Debug, Default)]
pub(crate) struct Callers(RwLock<BTreeMap<IpAddr, Arc<Mutex<Caller>>>>);

/// One caller.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    meters: Vec<(Api, bool, Meter)>,
    /// When it came with a wrong secret, within the last hour, in ns of the clock.
    wrong: VecDeque<u64>,
    banned_until: u64,
    /// How often it was banned.
    bans: u64,
}

/// At this many callers, and whenever there are twice as many, those are forgotten that did not call for an hour:
/// addresses can be made up.
const REMEMBERED: usize = 65_536;

const HOUR_NS: u64 = 3_600_000_000_000;

// === impl Callers ===

impl Callers {
    /// Runs `then` on the caller of this IP.
    pub(crate) fn with<T>(&self, ip: IpAddr, now: u64, then: impl FnOnce(&mut Caller) -> T) -> T {
        let known = {
            let callers = self.0.read().unwrap_or_else(PoisonError::into_inner);
            callers.get(&ip).map(Arc::clone)
        };
        let caller = known.unwrap_or_else(|| {
            let mut callers = self.0.write().unwrap_or_else(PoisonError::into_inner);
            if callers.len() >= REMEMBERED && callers.len().is_power_of_two() {
                callers.retain(|_, caller| !lock(caller).is_idle(now));
            }
            Arc::clone(callers.entry(ip).or_default())
        });
        then(&mut lock(&caller))
    }

    pub(crate) fn rest(&self, now: u64, hour_ns: u64) {
        self.each(|_, caller| {
            for (_, _, meter) in &mut caller.meters {
                meter.rest(now, hour_ns);
            }
        });
    }

    /// Forgets what was counted; windows and blocks go on.
    pub(crate) fn reset(&self) {
        self.each(|_, caller| {
            caller.bans = 0;
            for (_, _, meter) in &mut caller.meters {
                meter.reset();
            }
        });
    }

    /// Returns how often an IP was banned for its wrong secrets.
    pub(crate) fn bans(&self) -> u64 {
        let mut bans = 0;
        self.each(|_, caller| bans += caller.bans);
        bans
    }

    pub(crate) fn report(&self) -> Vec<IpTraffic> {
        let mut all = Vec::new();
        self.each(|ip, caller| {
            for (api, provider, meter) in &caller.meters {
                all.push(IpTraffic {
                    ip,
                    api: api.name(),
                    provider: *provider,
                    peak_minute: meter.peak_minute,
                    peak_hour: meter.peak_hour,
                    over_window: meter.over_window,
                    blocked: meter.blocked,
                });
            }
        });
        all.sort_by_key(|traffic| (traffic.ip, traffic.api, traffic.provider));
        all
    }

    /// Visits every caller, by IP, a piece at a time: new ones must be let in meanwhile.
    fn each(&self, mut visit: impl FnMut(IpAddr, &mut Caller)) {
        let mut after = Bound::Unbounded;
        loop {
            let piece: Vec<(IpAddr, Arc<Mutex<Caller>>)> = {
                let callers = self.0.read().unwrap_or_else(PoisonError::into_inner);
                hold::begin();
                let those = callers.range((after, Bound::Unbounded)).take(PIECE);
                let those = those.inspect(|_| hold::touch());
                those
                    .map(|(ip, caller)| (*ip, Arc::clone(caller)))
                    .collect()
            };
            let Some((last, _)) = piece.last() else {
                return;
            };
            after = Bound::Excluded(*last);
            for (ip, caller) in &piece {
                visit(*ip, &mut lock(caller));
            }
        }
    }
}

// === impl Caller ===

impl Caller {
    /// Admits a call, or not. Without a limit nothing is counted: this lock is shared by all enterprises.
    pub(crate) fn admit(
        &mut self,
        api: Api,
        provider: bool,
        now: u64,
        limits: &Limits,
    ) -> Result<(), Over> {
        let here = |(there, of_provider, _): &(Api, bool, Meter)| {
            *there == api && *of_provider == provider
        };
        let place = self.meters.iter().position(here).unwrap_or_else(|| {
            self.meters.push((api, provider, Meter::default()));
            self.meters.len() - 1
        });
        self.meters[place].2.admit(now, limits)
    }

    /// Whether it may ask for tokens.
    pub(crate) fn is_banned(&self, now: u64) -> bool {
        now < self.banned_until
    }

    /// Counts a wrong secret; the `most`th within an hour bans the IP for an hour.
    pub(crate) fn came_with_wrong_secret(&mut self, now: u64, hour_ns: u64, most: u64) {
        while self
            .wrong
            .front()
            .is_some_and(|first| first.saturating_add(hour_ns) <= now)
        {
            self.wrong.pop_front();
        }
        self.wrong.push_back(now);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if most > 0 && self.wrong.len() >= most {
            self.banned_until = now.saturating_add(hour_ns);
            self.bans += 1;
            self.wrong = VecDeque::new();
        }
    }

    fn is_idle(&mut self, now: u64) -> bool {
        let idle = self.meters.iter_mut().all(|(_, _, meter)| {
            meter.rest(now, HOUR_NS);
            meter.is_idle(now)
        });
        let came = self
            .wrong
            .back()
            .map_or(0, |last| last.saturating_add(HOUR_NS));
        idle && !self.is_banned(now) && came <= now
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::profile::Windows;

    #[test]
    fn callers_of_more_than_an_hour_ago_are_forgotten_when_there_are_many() {
        let limits = Limits::of_ip(&Windows::default(), Duration::ZERO);
        let callers = Callers::default();
        let call = |number: usize, now| {
            let [a, b, c, ..] = number.to_le_bytes();
            let ip = IpAddr::from([10, a, b, c]);
            callers
                .with(ip, now, |caller| {
                    caller.admit(Api::GetUser, false, now, &limits)
                })
                .unwrap();
        };
        (0..REMEMBERED).for_each(|number| call(number, 0));
        assert_eq!(callers.report().len(), REMEMBERED);
        call(REMEMBERED, HOUR_NS);
        assert_eq!(callers.report().len(), 1);
    }
}
