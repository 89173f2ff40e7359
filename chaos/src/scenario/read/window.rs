//! From when until when.

use std::time::Duration;

use super::Context;
use crate::scenario::{key::Key, section::Section};

/// A section's window: its keys, and from when it is if that is not said.
pub(super) struct Window {
    pub(super) from: Key,
    pub(super) until: Key,
    pub(super) preset_from: Option<Duration>,
}

impl Window {
    /// Reads it; `None` if it is empty or outside the run, or if that cannot be told.
    pub(super) fn read(
        &self,
        section: &Section<'_>,
        context: &Context<'_>,
    ) -> Option<(Duration, Duration)> {
        let is_given = |key| section.given(key).is_some();
        let (from, until) = (section.seconds(&self.from), section.seconds(&self.until));
        let from = if is_given(&self.from) {
            from
        } else {
            self.preset_from
        }?;
        let duration = context.duration?;
        let until = if is_given(&self.until) {
            until?
        } else {
            duration
        };
        let within = format!("at most duration_s ({})", duration.as_secs_f64());
        if until > duration {
            section.wrong(&self.until, within);
            return None;
        }
        if from >= until {
            if is_given(&self.from) {
                let allowed = format!("less than until_s ({})", until.as_secs_f64());
                section.wrong(&self.from, allowed);
            } else {
                let allowed = format!("more than from_s ({})", from.as_secs_f64());
                section.wrong(&self.until, allowed);
            }
            return None;
        }
        Some((from, until))
    }
}
