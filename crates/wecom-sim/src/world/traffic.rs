//! What was called, and what it was answered with: the truth that a client's own figures are held against.

use std::net::IpAddr;

use super::window::Meter;
use crate::api::Api;

/// The calls of one (corp, API).
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ApiTraffic {
    /// The API, such as `update_contact_way`.
    pub api: &'static str,
    /// Calls that came in, whatever became of them. Not counted: those that name no enterprise, and those with a dead
    /// token that got no answer.
    pub calls: u64,
    /// How many were answered with each `errcode`, by `errcode`; those without an answer are in none.
    pub by_errcode: Vec<(i64, u64)>,
    /// The most calls admitted in any minute (of `divide_time`): up to that many were within the limit.
    pub peak_minute: u64,
    /// The most calls admitted in any hour (of `divide_time`); counted up to 2,000,000.
    pub peak_hour: u64,
    /// The most calls in flight at once.
    pub peak_in_flight: u32,
    /// Calls that were one too many for a window, and so began a block.
    pub over_window: u64,
    /// Calls answered with 45009 because a block had begun before.
    pub blocked: u64,
    /// Calls answered with 45033.
    pub over_concurrency: u64,
    /// Calls answered with 45035 or 6000 because another update of the code was under way.
    pub conflicts: u64,
}

/// The calls of one (IP, API).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IpTraffic {
    /// The caller.
    pub ip: IpAddr,
    /// The API.
    pub api: &'static str,
    /// Whether they were a third-party provider's, which has windows of its own.
    pub provider: bool,
    /// The most calls admitted in any minute (of `divide_time`).
    pub peak_minute: u64,
    /// The most calls admitted in any hour (of `divide_time`).
    pub peak_hour: u64,
    /// Calls that were one too many for a window, and so began a block.
    pub over_window: u64,
    /// Calls answered with 45009 because a block had begun before.
    pub blocked: u64,
}

/// The traffic of one enterprise: an entry for each API that it ever called.
#[derive(Debug, Default)]
pub(crate) struct Traffic(Vec<Entry>);

#[derive(Debug)]
pub(crate) struct Entry {
    api: Api,
    pub(crate) meter: Meter,
    pub(crate) in_flight: u32,
    pub(crate) peak_in_flight: u32,
    pub(crate) calls: u64,
    pub(crate) over_concurrency: u64,
    pub(crate) conflicts: u64,
    by_errcode: Vec<(i64, u64)>,
}

// === impl Traffic ===

impl Traffic {
    pub(crate) fn of(&mut self, api: Api) -> &mut Entry {
        let place = self.0.iter().position(|entry| entry.api == api);
        let place = place.unwrap_or_else(|| {
            self.0.push(Entry::new(api));
            self.0.len() - 1
        });
        &mut self.0[place]
    }

    /// Gives back the memory of APIs that were not called for an hour.
    pub(crate) fn rest(&mut self, now: u64, hour_ns: u64) {
        for entry in &mut self.0 {
            entry.meter.rest(now, hour_ns);
        }
    }

    /// Forgets what was counted; windows and blocks go on.
    pub(crate) fn reset(&mut self) {
        for entry in &mut self.0 {
            entry.meter.reset();
            entry.peak_in_flight = entry.in_flight;
            (entry.calls, entry.over_concurrency, entry.conflicts) = (0, 0, 0);
            entry.by_errcode.clear();
        }
    }

    pub(crate) fn report(&self) -> Vec<ApiTraffic> {
        let mut all: Vec<_> = self.0.iter().map(Entry::report).collect();
        all.sort_by_key(|traffic| traffic.api);
        all
    }
}

// === impl Entry ===

impl Entry {
    fn new(api: Api) -> Self {
        Self {
            api,
            meter: Meter::default(),
            in_flight: 0,
            peak_in_flight: 0,
            calls: 0,
            over_concurrency: 0,
            conflicts: 0,
            by_errcode: Vec::new(),
        }
    }

    /// Counts an answer.
    pub(crate) fn answered(&mut self, errcode: i64) {
        match self
            .by_errcode
            .iter_mut()
            .find(|(there, _)| *there == errcode)
        {
            Some((_, count)) => *count += 1,
            None => self.by_errcode.push((errcode, 1)),
        }
    }

    fn report(&self) -> ApiTraffic {
        let mut by_errcode = self.by_errcode.clone();
        by_errcode.sort_unstable();
        ApiTraffic {
            api: self.api.name(),
            calls: self.calls,
            by_errcode,
            peak_minute: self.meter.peak_minute,
            peak_hour: self.meter.peak_hour,
            peak_in_flight: self.peak_in_flight,
            over_window: self.meter.over_window,
            blocked: self.meter.blocked,
            over_concurrency: self.over_concurrency,
            conflicts: self.conflicts,
        }
    }
}
