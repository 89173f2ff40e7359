//! The settings of a limiter, and their ranges.

use std::time::Duration;

use super::plan::Plan;
use crate::error::Invalid;

/// So many calls in any interval of a length.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Window {
    calls: u32,
    length: Duration,
}

/// What a limiter keeps to, and how it answers to WeCom's refusals.
///
/// The defaults are those of the documentation (path/90312) where it gives numbers; everything else is
/// assumed, and says so. The setters check nothing; the limiter's constructor does.
///
/// ```
/// use std::time::Duration;
///
/// use wecom::{Clock, limit::{Limits, LocalLimiter, Window}};
///
/// // An enterprise that has been granted twice the usual hour.
/// let limits = Limits::default().hour(Window::new(300_000, Duration::from_secs(3600)));
/// assert!(LocalLimiter::new(limits, Clock::system()).is_ok());
///
/// let error = LocalLimiter::new(Limits::default().concurrency(0), Clock::system()).unwrap_err();
/// assert_eq!(error.to_string(), r#"concurrency is "0"; allowed: 1 to 1000"#);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    pub(super) minute: Window,
    pub(super) hour: Window,
    pub(super) concurrency: u32,
    pub(super) burst: Option<u32>,
    pub(super) skew: Duration,
    pub(super) reserve_percent: u8,
    pub(super) waiting: usize,
    pub(super) lease: Duration,
    pub(super) block: Duration,
    pub(super) repeated_block: Duration,
    pub(super) repeated_within: Duration,
    pub(super) keep_percent: u8,
    pub(super) recovery_percent: u8,
    pub(super) hold: Duration,
    pub(super) longest_hold: Duration,
    pub(super) pause: Duration,
    pub(super) successes: u32,
    pub(super) abnormal_block: Duration,
    pub(super) longest_abnormal_block: Duration,
}

// === impl Window ===

impl Window {
    /// Returns the window of `calls` (up to 10,000,000) within `length` (1 ms to 24 hours).
    #[must_use]
    pub const fn new(calls: u32, length: Duration) -> Self {
        Self { calls, length }
    }

    /// Returns how many calls it allows.
    #[must_use]
    pub const fn calls(self) -> u32 {
        self.calls
    }

    /// Returns its length.
    #[must_use]
    pub const fn length(self) -> Duration {
        self.length
    }
}

// === impl Limits ===

impl Limits {
    /// Sets the short window. Default: 10,000 calls in 60 s, as documented of an enterprise and an API.
    ///
    /// It must allow at least two calls more than [`concurrency`](Self::concurrency).
    #[must_use]
    pub const fn minute(mut self, minute: Window) -> Self {
        self.minute = minute;
        self
    }

    /// Sets the long window, at least as long as the short one. Default: 150,000 calls in 3,600 s, as documented.
    #[must_use]
    pub const fn hour(mut self, hour: Window) -> Self {
        self.hour = hour;
        self
    }

    /// Sets how many calls may be in flight at once, 1 to 1,000. Default: 5, what WeCom's staff names for some APIs;
    /// the documentation gives no number.
    ///
    /// Each costs one call of both windows; see the [module](super#what-is-counted).
    #[must_use]
    pub const fn concurrency(mut self, concurrency: u32) -> Self {
        self.concurrency = concurrency;
        self
    }

    /// Sets how many calls may go out at once after a quiet time, 1 to a tenth of the short window.
    /// Default: 1 in 400 of the short window, but from 2 to 5 where that is less (25 of 10,000).
    ///
    /// Too low: what wakes up late finds that its turn is lost, and important calls have no start over the others.
    /// Too high: that many calls fewer in a minute of full use.
    #[must_use]
    pub const fn burst(mut self, burst: u32) -> Self {
        self.burst = Some(burst);
        self
    }

    /// Sets for how much longer than WeCom's windows ours are, 0 to the length of the short window. Default: 100 ms.
    ///
    /// It covers clocks that do not run alike, and calls that were given up but arrived all the same. How long calls take
    /// on their way needs no allowance. Costs that share of the short window. With a Redis that refuses `TIME` in scripts it
    /// must also be as long as the clocks of the processes are apart.
    #[must_use]
    pub const fn skew(mut self, skew: Duration) -> Self {
        self.skew = skew;
        self
    }

    /// Sets which part of the long window the least important calls leave over for the most important,
    /// 0 to 90 %. Default: 10 %. The ranks between leave over their share of it.
    #[must_use]
    pub const fn reserve_percent(mut self, percent: u8) -> Self {
        self.reserve_percent = percent;
        self
    }

    /// Sets how many calls of one (corp, API) may wait in this process, 1 to 1,000,000. Default: 10,000, a
    /// minute's worth. When there are more, the least important is refused.
    #[must_use]
    pub const fn waiting(mut self, waiting: usize) -> Self {
        self.waiting = waiting;
        self
    }

    /// Sets after how long the room of a call in flight is free again although nobody gave it back, because its
    /// process died: 1 ms to the length of the long window. Default: 30 s.
    ///
    /// Must be longer than the time in which a client gives a call up. Means nothing to a
    /// [`LocalLimiter`](super::LocalLimiter).
    #[must_use]
    pub const fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Sets for how long nothing is sent after 45009, and for how long when it comes again within the third time
    /// after the end of the first. Each 1 ms to 7 days. Default: 60 s, 60 min, 120 s.
    ///
    /// The first two are documented as what WeCom blocks for, of the short and of the long window; it does not say
    /// which one was hit, so that the second follows from the first not having helped. The third is assumed.
    #[must_use]
    pub const fn block(mut self, first: Duration, repeated: Duration, within: Duration) -> Self {
        self.block = first;
        self.repeated_block = repeated;
        self.repeated_within = within;
        self
    }

    /// Sets to which part of what was used in the minute before a 45009 the rate falls, 1 to 100 %, and by which part of the
    /// short window it rises again in each quiet one, 1 to 100 %. Default: 70 %, 5 %. Assumed.
    #[must_use]
    pub const fn ceiling(mut self, keep_percent: u8, recovery_percent: u8) -> Self {
        self.keep_percent = keep_percent;
        self.recovery_percent = recovery_percent;
        self
    }

    /// Sets for how long after a block the rate stays where it fell to, at first and at most; it doubles each time
    /// that 45009 comes before the rate is back. Each 0 to 7 days, the second not less than the first.
    /// Default: 10 min, 24 h. Assumed.
    ///
    /// To try a higher rate costs a block when it fails: of 60 s, so that the defaults lose 10 % at first, and 0.1 % in the end.
    #[must_use]
    pub const fn hold(mut self, first: Duration, longest: Duration) -> Self {
        self.hold = first;
        self.longest_hold = longest;
        self
    }

    /// Sets for how long nothing is sent after 45033 (0 to 60 s), and after how many successes one more call
    /// may be in flight again (1 to 1,000,000; doubled each time that 45033 comes before all are back, up to 64 times as
    /// many). Default: 200 ms, 100. Assumed.
    #[must_use]
    pub const fn after_concurrency(mut self, pause: Duration, successes: u32) -> Self {
        self.pause = pause;
        self.successes = successes;
        self
    }

    /// Sets for how long nothing is sent after 45036, at first and at most; it doubles when it comes again within the second
    /// time after its end. Each 1 ms to 7 days, the second not less than the first. Default: 10 min, 60 min.
    /// Assumed.
    #[must_use]
    pub const fn after_abnormal(mut self, first: Duration, longest: Duration) -> Self {
        self.abnormal_block = first;
        self.longest_abnormal_block = longest;
        self
    }

    /// Divides every length of time by `divisor` (0 counts as 1), for simulations in which everything goes faster by
    /// as much: windows, skew, blocks, holds, pauses. The lease stays, because real calls take as long as ever.
    #[must_use]
    pub fn faster(mut self, divisor: u32) -> Self {
        let divisor = divisor.max(1);
        for time in [
            &mut self.minute.length,
            &mut self.hour.length,
            &mut self.skew,
            &mut self.block,
            &mut self.repeated_block,
            &mut self.repeated_within,
            &mut self.hold,
            &mut self.longest_hold,
            &mut self.pause,
            &mut self.abnormal_block,
            &mut self.longest_abnormal_block,
        ] {
            *time /= divisor;
        }
        self.lease = self.lease.min(self.hour.length);
        self
    }

    /// Returns the numbers to calculate with.
    ///
    /// # Errors
    ///
    /// If a setting is out of its range; the error names it.
    pub(super) fn check(self) -> Result<Plan, Invalid> {
        self.check_windows()?;
        self.check_reactions()?;
        Ok(Plan::new(self))
    }

    fn check_windows(&self) -> Result<(), Invalid> {
        let (minute, hour) = (self.minute, self.hour);
        within("minute.length", minute.length, MOMENT, DAY)?;
        within("hour.length", hour.length, minute.length, DAY)?;
        if !(1..=1000).contains(&self.concurrency) {
            return Err(Invalid::new("concurrency", self.concurrency, "1 to 1000"));
        }
        let least = self.concurrency + 2;
        for (field, calls) in [("minute.calls", minute.calls), ("hour.calls", hour.calls)] {
            if !(least..=MOST_CALLS).contains(&calls) {
                let allowed = "2 more than `concurrency` to 10000000";
                return Err(Invalid::new(field, calls, allowed));
            }
        }
        let most = (minute.calls / 10).clamp(1, minute.calls - self.concurrency - 1);
        if let Some(burst) = self.burst.filter(|burst| !(1..=most).contains(burst)) {
            let allowed = "1 to a tenth of `minute.calls`";
            return Err(Invalid::new("burst", burst, allowed));
        }
        within("skew", self.skew, Duration::ZERO, minute.length)?;
        within("lease", self.lease, MOMENT, hour.length)?;
        if self.reserve_percent > 90 {
            let value = self.reserve_percent;
            return Err(Invalid::new("reserve_percent", value, "0 to 90"));
        }
        if !(1..=1_000_000).contains(&self.waiting) {
            return Err(Invalid::new("waiting", self.waiting, "1 to 1000000"));
        }
        Ok(())
    }

    fn check_reactions(&self) -> Result<(), Invalid> {
        within("block.first", self.block, MOMENT, WEEK)?;
        within("block.repeated", self.repeated_block, MOMENT, WEEK)?;
        within("block.within", self.repeated_within, MOMENT, WEEK)?;
        for (field, percent) in [
            ("ceiling.keep_percent", self.keep_percent),
            ("ceiling.recovery_percent", self.recovery_percent),
        ] {
            if !(1..=100).contains(&percent) {
                return Err(Invalid::new(field, percent, "1 to 100"));
            }
        }
        within("hold.first", self.hold, Duration::ZERO, WEEK)?;
        within("hold.longest", self.longest_hold, self.hold, WEEK)?;
        let pause = ("after_concurrency.pause", self.pause);
        within(pause.0, pause.1, Duration::ZERO, Duration::from_secs(60))?;
        if !(1..=1_000_000).contains(&self.successes) {
            let field = "after_concurrency.successes";
            return Err(Invalid::new(field, self.successes, "1 to 1000000"));
        }
        let (first, longest) = (self.abnormal_block, self.longest_abnormal_block);
        within("after_abnormal.first", first, MOMENT, WEEK)?;
        within("after_abnormal.longest", longest, first, WEEK)
    }
}

impl Default for Limits {
    fn default() -> Self {
        let minutes = |n: u64| Duration::from_secs(60 * n);
        Self {
            minute: Window::new(10_000, minutes(1)),
            hour: Window::new(150_000, minutes(60)),
            concurrency: 5,
            burst: None,
            skew: Duration::from_millis(100),
            reserve_percent: 10,
            waiting: 10_000,
            lease: Duration::from_secs(30),
            block: minutes(1),
            repeated_block: minutes(60),
            repeated_within: minutes(2),
            keep_percent: 70,
            recovery_percent: 5,
            hold: minutes(10),
            longest_hold: DAY,
            pause: Duration::from_millis(200),
            successes: 100,
            abnormal_block: minutes(10),
            longest_abnormal_block: minutes(60),
        }
    }
}

const MOMENT: Duration = Duration::from_millis(1);
const DAY: Duration = Duration::from_secs(86_400);
const WEEK: Duration = Duration::from_secs(7 * 86_400);
/// So that a count times a length in microseconds is a whole number in Lua, whose numbers have 53 bits.
const MOST_CALLS: u32 = 10_000_000;

fn within(
    field: &'static str,
    value: Duration,
    least: Duration,
    most: Duration,
) -> Result<(), Invalid> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    let allowed = match field {
        "minute.length" => "1 ms to 24 h",
        "hour.length" => "`minute.length` to 24 h",
        "skew" => "0 to `minute.length`",
        "lease" => "1 ms to `hour.length`",
        "hold.first" => "0 to 7 days",
        "hold.longest" => "`hold.first` to 7 days",
        "after_concurrency.pause" => "0 to 60 s",
        "after_abnormal.longest" => "`after_abnormal.first` to 7 days",
        _ => "1 ms to 7 days",
    };
    Err(Invalid::new(field, format_args!("{value:?}"), allowed))
}
