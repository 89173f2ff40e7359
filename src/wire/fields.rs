//! The fields that every request and response has, and their one text form.

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
