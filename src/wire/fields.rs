//! The three fields and their one text form.

use std::{fmt, time::Duration};

use super::{scan::Scan, text::TextBuf};
use crate::{
    observe::FieldFault,
    priority::{Business, Level, Priority, Progress, User},
};

/// What a request says of itself: `3, 17;s=200;p;t=350`.
///
/// Business 3, user level 17; `s` its sub-level (0 where absent), `p` when the callee already served a
/// call of the same task, `t` the milliseconds the caller still waits (relative, so that no two clocks
/// need to agree).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct PriorityField {
    /// The priority of the task, set at its entry.
    pub priority: Priority,
    /// Whether the callee served an earlier call of the task.
    pub progress: Progress,
    /// How long the caller still waits; `None`, it did not say. Travels in whole milliseconds, rounded
    /// down, at most `u32::MAX` of them (49 days).
    pub budget: Option<Duration>,
}

/// What a response says of the instance it comes from: `131072;w=3;r=8`, and `;shed` behind it when the
/// request was refused.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct LevelField {
    /// The first priority that the instance does not admit.
    pub level: Level,
    /// Requests waiting in its gate (`w`, 0 where absent).
    pub waiting: u32,
    /// Requests being processed (`r`, 0 where absent).
    pub running: u32,
    /// What became of the request.
    pub outcome: Outcome,
}

/// What became of a request, as its response tells.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Outcome {
    /// It was processed, with success or without.
    Processed,
    /// It was refused before any work was done: safe to send elsewhere, no fault of the instance.
    Shed,
}

/// What a caller withheld from an instance since its last request to it: `3;n=120, 5;n=40`.
///
/// A count for each business, at most 65535 of each: larger ones saturate. Businesses of which nothing
/// was withheld are left out.
#[derive(Clone, Eq, PartialEq)]
pub struct DemandField {
    counts: [u16; 256],
    /// Which counts are above zero: bit `b % 64` of word `b / 64`.
    present: [u64; 4],
}

// === impl PriorityField ===

impl PriorityField {
    /// Bytes from which on a text is not even read. The longest written has 29; the rest is room for
    /// parameters of later versions.
    pub const LONGEST: usize = 256;

    /// Returns the field of a request of `priority` that is new to the callee and has no deadline.
    #[must_use]
    pub const fn new(priority: Priority) -> Self {
        Self {
            priority,
            progress: Progress::New,
            budget: None,
        }
    }

    /// Reads the field; parameters and members it does not know are stepped over.
    ///
    /// # Errors
    ///
    /// [`FieldFault::TooLong`] above [`LONGEST`](Self::LONGEST) bytes; [`FieldFault::Malformed`] if it is no
    /// structured list, or one of its numbers is out of range.
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Self, FieldFault> {
        let mut scan = Scan::list(text, Self::LONGEST)?;
        let business = scan.member(|_, _| ())?.number()?;
        if !scan.next()? {
            return Err(FieldFault::Malformed);
        }
        let (mut sub_level, mut progress, mut budget) = (None, None, None);
        let level = scan.member(|key, value| match key {
            b"s" => sub_level = Some(value),
            b"p" => progress = Some(value),
            b"t" => budget = Some(value),
            _ => {}
        })?;
        scan.finish()?;

        let sub_level = sub_level.map_or(Ok(0), |value| value.number())?;
        let user = User::new(level.number()?, sub_level).map_err(|_| FieldFault::Malformed)?;
        let progress = match progress.map_or(Ok(false), |value| value.boolean())? {
            true => Progress::InProgress,
            false => Progress::New,
        };
        let budget = match budget {
            Some(value) => Some(Duration::from_millis(value.number::<u32>()?.into())),
            None => None,
        };
        Ok(Self {
            priority: Priority::new(Business::new(business), user),
            progress,
            budget,
        })
    }

    /// Appends the text to `text`.
    ///
    /// # Panics
    ///
    /// If `text` is not empty and has no room.
    #[inline]
    pub fn write(&self, text: &mut TextBuf) {
        let user = self.priority.user();
        text.push_number(self.priority.business().get().into());
        text.push(b", ");
        text.push_number(user.level().into());
        if user.sub_level() > 0 {
            text.push(b";s=");
            text.push_number(user.sub_level().into());
        }
        if self.progress == Progress::InProgress {
            text.push(b";p");
        }
        if let Some(budget) = self.budget {
            text.push(b";t=");
            text.push_number(u32::try_from(budget.as_millis()).unwrap_or(u32::MAX));
        }
    }

    /// Returns the text.
    #[must_use]
    #[inline]
    pub fn text(&self) -> TextBuf {
        let mut text = TextBuf::new();
        self.write(&mut text);
        text
    }
}

impl fmt::Display for PriorityField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

// === impl LevelField ===

impl LevelField {
    /// Bytes from which on a text is not even read. The longest written has 38; the rest is room for
    /// parameters of later versions.
    pub const LONGEST: usize = 256;

    /// Returns the field of a processed request and an instance that tells no load.
    #[must_use]
    pub const fn new(level: Level) -> Self {
        Self {
            level,
            waiting: 0,
            running: 0,
            outcome: Outcome::Processed,
        }
    }

    /// Reads the field; parameters and members it does not know are stepped over.
    ///
    /// # Errors
    ///
    /// [`FieldFault::TooLong`] above [`LONGEST`](Self::LONGEST) bytes; [`FieldFault::Malformed`] if it is no
    /// structured list, or one of its numbers is out of range.
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Self, FieldFault> {
        let mut scan = Scan::list(text, Self::LONGEST)?;
        let (mut waiting, mut running, mut shed) = (None, None, None);
        let level = scan.member(|key, value| match key {
            b"w" => waiting = Some(value),
            b"r" => running = Some(value),
            b"shed" => shed = Some(value),
            _ => {}
        })?;
        scan.finish()?;

        let level = Level::new(level.number()?).map_err(|_| FieldFault::Malformed)?;
        let outcome = match shed.map_or(Ok(false), |value| value.boolean())? {
            true => Outcome::Shed,
            false => Outcome::Processed,
        };
        Ok(Self {
            level,
            waiting: waiting.map_or(Ok(0), |value| value.number())?,
            running: running.map_or(Ok(0), |value| value.number())?,
            outcome,
        })
    }

    /// Appends the text to `text`.
    ///
    /// # Panics
    ///
    /// If `text` is not empty and has no room.
    #[inline]
    pub fn write(&self, text: &mut TextBuf) {
        text.push_number(self.level.get());
        text.push(b";w=");
        text.push_number(self.waiting);
        text.push(b";r=");
        text.push_number(self.running);
        if self.outcome == Outcome::Shed {
            text.push(b";shed");
        }
    }

    /// Returns the text.
    #[must_use]
    #[inline]
    pub fn text(&self) -> TextBuf {
        let mut text = TextBuf::new();
        self.write(&mut text);
        text
    }
}

impl fmt::Display for LevelField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text().fmt(f)
    }
}

// === impl DemandField ===

impl DemandField {
    /// Bytes from which on a text is not even read. All 256 businesses need less than 3.3 KiB; the usual
    /// text has none or one.
    pub const LONGEST: usize = 4096;

    /// Returns the field of a caller that withheld nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            counts: [0; 256],
            present: [0; 4],
        }
    }

    /// Adds `count` withheld requests of `business`.
    #[inline]
    pub fn add(&mut self, business: Business, count: u32) {
        if count == 0 {
            return;
        }
        let index = usize::from(business.get());
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        self.counts[index] = self.counts[index].saturating_add(count);
        self.present[index / 64] |= 1 << (index % 64);
    }

    /// Returns how many requests of `business` were withheld.
    #[must_use]
    pub fn get(&self, business: Business) -> u16 {
        self.counts[usize::from(business.get())]
    }

    /// Returns whether nothing was withheld: there is nothing to send.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.present == [0; 4]
    }

    /// Returns of how many businesses something was withheld, 0 to 256.
    #[must_use]
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Returns the businesses of which something was withheld, the most important first, and how much.
    pub fn iter(&self) -> impl Iterator<Item = (Business, u16)> + '_ {
        let mut left = self.present;
        let mut word = 0;
        std::iter::from_fn(move || {
            while *left.get(word)? == 0 {
                word += 1;
            }
            let bits = &mut left[word];
            let bit = bits.trailing_zeros();
            *bits &= *bits - 1;
            let number = u8::try_from(word * 64).ok()? + u8::try_from(bit).ok()?;
            Some((Business::new(number), self.counts[usize::from(number)]))
        })
    }

    /// Reads the field; parameters it does not know are stepped over, a business named twice is added up.
    ///
    /// # Errors
    ///
    /// [`FieldFault::TooLong`] above [`LONGEST`](Self::LONGEST) bytes; [`FieldFault::Malformed`] if it is no
    /// structured list, a member has no count, or one of its numbers is out of range.
    #[inline]
    pub fn parse(text: &[u8]) -> Result<Self, FieldFault> {
        let mut scan = Scan::list(text, Self::LONGEST)?;
        let mut demand = Self::new();
        let mut more = !scan.is_empty();
        while more {
            let mut count = None;
            let business = scan.member(|key, value| {
                if key == b"n" {
                    count = Some(value);
                }
            })?;
            let count: u16 = count.ok_or(FieldFault::Malformed)?.number()?;
            demand.add(Business::new(business.number()?), count.into());
            more = scan.next()?;
        }
        Ok(demand)
    }

    /// Appends the text to `text`, without allocating but for what `text` does.
    ///
    /// # Errors
    ///
    /// Those of `text`.
    pub fn write(&self, text: &mut impl fmt::Write) -> fmt::Result {
        for (index, (business, count)) in self.iter().enumerate() {
            let mut member = TextBuf::new();
            if index > 0 {
                member.push(b", ");
            }
            member.push_number(business.get().into());
            member.push(b";n=");
            member.push_number(count.into());
            text.write_str(member.as_str())?;
        }
        Ok(())
    }
}

impl Default for DemandField {
    fn default() -> Self {
        Self::new()
    }
}

impl FromIterator<(Business, u32)> for DemandField {
    fn from_iter<I: IntoIterator<Item = (Business, u32)>>(counts: I) -> Self {
        let mut demand = Self::new();
        for (business, count) in counts {
            demand.add(business, count);
        }
        demand
    }
}

impl fmt::Display for DemandField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f)
    }
}

impl fmt::Debug for DemandField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DemandField({self})")
    }
}
