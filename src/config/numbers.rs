//! Every number in the settings: its key, its range and where it is kept.
//!
//! One table, so that the checks, the file and the environment cannot disagree.

use std::{fmt, num::NonZeroUsize, time::Duration};

use super::{Adaptive, Concurrency, Settings};
use crate::{control::Constants, priority::Business};

/// A key whose value is one number.
pub(super) struct Number {
    /// The key in a file, dotted, with its unit.
    pub(super) key: &'static str,
    pub(super) range: Range,
    home: Home,
}

/// The part of the settings a number belongs to, and where in it.
enum Home {
    All(fn(&mut Settings) -> Slot<'_>),
    Law(fn(&mut Constants) -> Slot<'_>),
    Adaptive(fn(&mut Adaptive) -> Slot<'_>),
    Fixed(fn(&mut NonZeroUsize) -> Slot<'_>),
}

/// The numbers that are allowed, both ends included unless the upper one is `open`.
#[derive(Clone, Copy)]
pub(super) struct Range {
    low: f64,
    high: f64,
    open: bool,
    unit: &'static str,
}

/// Where a number is kept.
pub(super) enum Slot<'a> {
    Millis(&'a mut Duration),
    MaybeMillis(&'a mut Option<Duration>),
    Float(&'a mut f64),
    Count(&'a mut u32),
    Size(&'a mut usize),
    Permits(&'a mut NonZeroUsize),
    Status(&'a mut u16),
    Business(&'a mut Option<Business>),
}

#[rustfmt::skip]
pub(super) const NUMBERS: &[Number] = &[
    law("threshold_ms", Range::new(0.1, 10_000.0, " ms"), |law| Slot::Millis(&mut law.threshold)),
    law("slots", Range::new(0.0, 10.0, ""), |law| Slot::Float(&mut law.slots)),
    law("window_ms", Range::new(10.0, 10_000.0, " ms"), |law| Slot::Millis(&mut law.window)),
    law("longest_window_ms", Range::new(10.0, 60_000.0, " ms"), |law| Slot::Millis(&mut law.longest_window)),
    law("most_requests", Range::new(1.0, 10_000_000.0, ""), |law| Slot::Count(&mut law.most_requests)),
    law("fewest_requests", Range::new(0.0, 1_000.0, ""), |law| Slot::Count(&mut law.fewest_requests)),
    law("fewest_samples", Range::new(0.0, 1_000_000.0, ""), |law| Slot::Count(&mut law.fewest_samples)),
    law("memory_ratio", Range::below(0.0, 1.0), |law| Slot::Float(&mut law.memory)),
    law("down_ratio", Range::new(0.001, 0.5, ""), |law| Slot::Float(&mut law.down)),
    law("margin_factor", Range::new(1.0, 3.0, ""), |law| Slot::Float(&mut law.margin)),
    law("up_ratio", Range::new(0.000_1, 0.2, ""), |law| Slot::Float(&mut law.up)),
    law("well_below_ratio", Range::new(0.0, 1.0, ""), |law| Slot::Float(&mut law.well_below)),
    law("times_well_below", Range::new(1.0, 20.0, ""), |law| Slot::Float(&mut law.times_well_below)),
    law("nearly_empty_ratio", Range::new(0.0, 1.0, ""), |law| Slot::Float(&mut law.nearly_empty)),
    law("times_nearly_empty", Range::new(1.0, 100.0, ""), |law| Slot::Float(&mut law.times_nearly_empty)),
    law("least_share_ratio", Range::new(0.0, 0.5, ""), |law| Slot::Float(&mut law.least_share)),
    law("steepest_ratio", Range::new(0.001, 0.9, ""), |law| Slot::Float(&mut law.steepest)),
    law("up_idle_ratio", Range::new(0.000_1, 0.5, ""), |law| Slot::Float(&mut law.up_idle)),
    all("longest_wait_ms", Range::new(1.0, 60_000.0, " ms"), |all| Slot::MaybeMillis(&mut all.longest_wait)),
    all("default_business", Range::new(0.0, 255.0, ""), |all| Slot::Business(&mut all.default_business)),
    all("refusal.status", Range::new(400.0, 599.0, ""), |all| Slot::Status(&mut all.refusal.status)),
    fixed("concurrency.permits", Range::new(1.0, 1_000_000.0, ""), |n| Slot::Permits(n)),
    adaptive("concurrency.start_per_worker", Range::new(1.0, 10_000.0, ""), |a| Slot::Size(&mut a.start_per_worker)),
    adaptive("concurrency.calm_ms", Range::new(0.01, 1_000.0, " ms"), |a| Slot::Millis(&mut a.calm)),
    adaptive("concurrency.busy_ms", Range::new(0.01, 10_000.0, " ms"), |a| Slot::Millis(&mut a.busy)),
    adaptive("concurrency.step_ratio", Range::new(0.001, 0.9, ""), |a| Slot::Float(&mut a.step)),
    adaptive("concurrency.every_ms", Range::new(1.0, 10_000.0, " ms"), |a| Slot::Millis(&mut a.every)),
];

// === impl Number ===

const fn all(key: &'static str, range: Range, slot: fn(&mut Settings) -> Slot<'_>) -> Number {
    let home = Home::All(slot);
    Number { key, range, home }
}

const fn law(key: &'static str, range: Range, slot: fn(&mut Constants) -> Slot<'_>) -> Number {
    let home = Home::Law(slot);
    Number { key, range, home }
}

const fn adaptive(key: &'static str, range: Range, slot: fn(&mut Adaptive) -> Slot<'_>) -> Number {
    let home = Home::Adaptive(slot);
    Number { key, range, home }
}

const fn fixed(key: &'static str, range: Range, slot: fn(&mut NonZeroUsize) -> Slot<'_>) -> Number {
    let home = Home::Fixed(slot);
    Number { key, range, home }
}

impl Number {
    /// Finds where it is kept; `None` when these settings have no such place.
    pub(super) fn slot<'a>(&self, settings: &'a mut Settings) -> Option<Slot<'a>> {
        match (&self.home, settings) {
            (Home::All(slot), settings) => Some(slot(settings)),
            (Home::Law(slot), settings) => Some(slot(&mut settings.constants)),
            (
                Home::Adaptive(slot),
                Settings {
                    concurrency: Concurrency::Adaptive(adaptive),
                    ..
                },
            ) => Some(slot(adaptive)),
            (
                Home::Fixed(slot),
                Settings {
                    concurrency: Concurrency::Fixed(permits),
                    ..
                },
            ) => Some(slot(permits)),
            (Home::Adaptive(_) | Home::Fixed(_), _) => None,
        }
    }

    /// Returns the kind of concurrency it goes with, if it goes with one only.
    #[cfg(feature = "config")]
    pub(super) const fn only_with(&self) -> &'static str {
        match self.home {
            Home::All(_) | Home::Law(_) => "any",
            Home::Adaptive(_) => "adaptive",
            Home::Fixed(_) => "fixed",
        }
    }
}

// === impl Range ===

impl Range {
    pub(super) const fn new(low: f64, high: f64, unit: &'static str) -> Self {
        Self {
            low,
            high,
            open: false,
            unit,
        }
    }

    const fn below(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            open: true,
            unit: "",
        }
    }

    /// Whether `number` is in it; NaN is in none.
    pub(super) fn contains(self, number: f64) -> bool {
        self.low <= number && (number < self.high || (number <= self.high && !self.open))
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            low,
            high,
            open,
            unit,
        } = self;
        let to = if *open { "to below" } else { "to" };
        write!(f, "{low} {to} {high}{unit}")
    }
}

// === impl Slot ===

impl Slot<'_> {
    /// Returns the number in the unit of its key; `None` if there is none.
    pub(super) fn get(&self) -> Option<f64> {
        match self {
            Self::Millis(duration) => Some(millis(**duration)),
            Self::MaybeMillis(duration) => duration.map(millis),
            Self::Float(number) => Some(**number),
            Self::Count(count) => Some(f64::from(**count)),
            Self::Size(size) => Some(from_size(**size)),
            Self::Permits(permits) => Some(from_size(permits.get())),
            Self::Status(status) => Some(f64::from(**status)),
            Self::Business(business) => business.map(|business| f64::from(business.get())),
        }
    }

    /// Whether it takes whole numbers only.
    #[cfg(feature = "config")]
    pub(super) const fn is_whole(&self) -> bool {
        !matches!(
            self,
            Self::Millis(_) | Self::MaybeMillis(_) | Self::Float(_)
        )
    }

    /// Stores a number in the unit of its key; `None` if the place cannot hold it, whatever the range.
    #[cfg(feature = "config")]
    pub(super) fn set(&mut self, number: f64) -> Option<()> {
        match self {
            Self::Millis(duration) => **duration = from_millis(number)?,
            Self::MaybeMillis(duration) => **duration = Some(from_millis(number)?),
            Self::Float(slot) => **slot = number,
            Self::Count(count) => **count = whole(number)?,
            Self::Size(size) => **size = usize::try_from(whole(number)?).ok()?,
            Self::Permits(permits) => {
                **permits = NonZeroUsize::new(usize::try_from(whole(number)?).ok()?)?;
            }
            Self::Status(status) => **status = u16::try_from(whole(number)?).ok()?,
            Self::Business(business) => {
                **business = Some(Business::new(u8::try_from(whole(number)?).ok()?));
            }
        }
        Some(())
    }
}

/// Returns a duration in milliseconds, as close as `f64` comes.
pub(super) fn millis(duration: Duration) -> f64 {
    duration.div_duration_f64(Duration::from_millis(1))
}

/// Returns the duration of so many milliseconds, to the nanosecond.
#[cfg(feature = "config")]
fn from_millis(number: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number / 1_000.0).ok()
}

fn from_size(size: usize) -> f64 {
    // Above every range anyway.
    u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

/// Returns the number as a count, if it is one.
#[cfg(feature = "config")]
pub(super) fn whole(number: f64) -> Option<u32> {
    let count = (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "just found to be a whole number that fits"
    )]
    count.then_some(number as u32)
}
