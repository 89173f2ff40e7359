//! How many calls were admitted in the last minute and hour, exactly, and the block that one too many begins.
//!
//! Every admitted call leaves its moment (8 bytes) for an hour; a call that is refused leaves none, as a blocked
//! one most likely costs nothing at WeCom (not documented). What is one too many for the minute begins a block of
//! a minute, for the hour one of an hour; both are "normally equal to the window" (path/90313).

use std::{collections::VecDeque, time::Duration};

use crate::{
    profile::{WindowKind, Windows},
    world::LARGEST_LIMIT,
};

/// The limits of one meter at one moment, with what divides them already applied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// 0: none.
    per_minute: usize,
    /// 0: none.
    per_hour: usize,
    minute_ns: u64,
    hour_ns: u64,
    /// Where in a fixed hour the clock began; absent: windows slide.
    phase_ns: Option<u64>,
}

/// The calls admitted in the last hour, and what the limits made of the others.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// When each call of the last hour was admitted, oldest first, in ns of the clock.
    stamps: VecDeque<u64>,
    /// Until when calls are refused, in ns of the clock.
    blocked_until: u64,
    pub(crate) peak_minute: u64,
    pub(crate) peak_hour: u64,
    pub(crate) over_window: u64,
    pub(crate) blocked: u64,
}

/// The call is over a limit, or a block is on: 45009.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Over;

// === impl Limits ===

impl Limits {
    /// Returns the limits of each (corp, API). `began` is the calendar at the clock's begin.
    pub(crate) fn of_corp(windows: &Windows, began: Duration) -> Self {
        Self::new(
            windows,
            began,
            windows.corp_per_minute,
            windows.corp_per_hour,
        )
    }

    /// Returns the limits of each (IP, API).
    pub(crate) fn of_ip(windows: &Windows, began: Duration) -> Self {
        Self::new(windows, began, windows.ip_per_minute, windows.ip_per_hour)
    }

    /// Returns the limits of each (IP, API) of a provider.
    pub(crate) fn of_provider(windows: &Windows, began: Duration) -> Self {
        Self::new(
            windows,
            began,
            windows.provider_per_minute,
            windows.provider_per_hour,
        )
    }

    /// Returns the limit of each enterprise for calls with `debug=1`, whatever their API.
    pub(crate) fn of_debug(windows: &Windows, began: Duration) -> Self {
        Self::new(windows, began, DEBUG_PER_MINUTE, 0)
    }

    fn new(windows: &Windows, began: Duration, per_minute: u64, per_hour: u64) -> Self {
        let divided = |limit: u64| match limit {
            0 => 0,
            limit => {
                usize::try_from((limit / windows.divide_counts.max(1)).max(1)).unwrap_or(usize::MAX)
            }
        };
        let hour_ns = nanos(hour(windows));
        let phase_ns = match windows.kind {
            WindowKind::Sliding => None,
            WindowKind::Fixed => u64::try_from(began.as_nanos() % u128::from(hour_ns)).ok(),
        };
        Self {
            per_minute: divided(per_minute),
            per_hour: divided(per_hour),
            minute_ns: hour_ns / 60,
            hour_ns,
            phase_ns,
        }
    }

    /// Whether there is no limit at all.
    pub(crate) fn is_none(&self) -> bool {
        self.per_minute == 0 && self.per_hour == 0
    }
}

/// Returns an hour of these windows.
pub(crate) fn hour(windows: &Windows) -> Duration {
    Duration::from_secs(3600) / u32::try_from(windows.divide_time.clamp(1, 60_000)).unwrap_or(1)
}

/// Returns nanoseconds; a world does not last 584 years.
pub(crate) fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

// === impl Meter ===

impl Meter {
    /// Admits a call at `now`, in ns of the clock, or begins a block, or refuses for the one that is on.
    pub(crate) fn admit(&mut self, now: u64, limits: &Limits) -> Result<(), Over> {
        if now < self.blocked_until {
            self.blocked += 1;
            return Err(Over);
        }
        self.forget(now, limits.hour_ns);
        let block = if is_full(self.within(now, limits.hour_ns, limits), limits.per_hour) {
            limits.hour_ns
        } else if is_full(
            self.within(now, limits.minute_ns, limits),
            limits.per_minute,
        ) {
            limits.minute_ns
        } else {
            self.stamps.push_back(now);
            let in_minute = self.since(
                now.saturating_sub(limits.minute_ns),
                now >= limits.minute_ns,
            );
            self.peak_minute = self.peak_minute.max(widen(in_minute));
            self.peak_hour = self.peak_hour.max(widen(self.stamps.len()));
            return Ok(());
        };
        self.blocked_until = now.saturating_add(block);
        self.over_window += 1;
        Err(Over)
    }

    /// Forgets what was counted; windows and blocks go on.
    pub(crate) fn reset(&mut self) {
        (self.peak_minute, self.peak_hour) = (0, 0);
        (self.over_window, self.blocked) = (0, 0);
    }

    /// Gives back the memory of a meter that nothing was admitted by for an hour; returns whether it had any.
    pub(crate) fn rest(&mut self, now: u64, hour_ns: u64) -> bool {
        let idle = self
            .stamps
            .back()
            .is_none_or(|last| last.saturating_add(hour_ns) <= now);
        if idle && self.stamps.capacity() > 0 {
            self.stamps = VecDeque::new();
            return true;
        }
        false
    }

    /// Whether it holds no moment and no block is on.
    pub(crate) fn is_idle(&self, now: u64) -> bool {
        self.stamps.is_empty() && self.blocked_until <= now
    }

    fn forget(&mut self, now: u64, hour_ns: u64) {
        let most = usize::try_from(LARGEST_LIMIT).unwrap_or(usize::MAX);
        while let Some(first) = self.stamps.front() {
            // Without a limit the memory has one all the same: the peak of the hour ends there.
            if first.saturating_add(hour_ns) > now && self.stamps.len() < most {
                break;
            }
            self.stamps.pop_front();
        }
    }

    /// How many calls the window of this length holds that `now` lies in.
    fn within(&self, now: u64, length: u64, limits: &Limits) -> usize {
        match limits.phase_ns {
            None => self.since(now.saturating_sub(length), now >= length),
            Some(phase) => {
                let into = now.saturating_add(phase) % length;
                self.since(now.saturating_sub(into), false)
            }
        }
    }

    /// How many calls were at `start` or later; `after`: not at `start` itself.
    fn since(&self, start: u64, after: bool) -> usize {
        let before = |stamp: &u64| *stamp < start || (after && *stamp == start);
        self.stamps.len() - self.stamps.partition_point(before)
    }
}

/// Calls with `debug=1` (path/90313).
const DEBUG_PER_MINUTE: u64 = 5;

fn is_full(count: usize, limit: usize) -> bool {
    limit > 0 && count >= limit
}

fn widen(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
