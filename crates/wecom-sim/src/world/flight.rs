//! The way of one call through an enterprise: let in or refused, under way, ended.

use std::sync::Arc;

use super::{Corp, Limits};
use crate::api::Api;

/// On what a call is let in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Admission {
    pub(crate) api: Api,
    pub(crate) limits: Limits,
    /// How many may be in flight; 0: any number.
    pub(crate) concurrency: u32,
}

/// A call that was let in. Dropped before its end: it ends without an answer.
#[derive(Debug)]
pub(crate) struct Flight {
    corp: Arc<Corp>,
    api: Api,
    /// The code that it is to change, noted as being written.
    writes: Option<u32>,
    /// Whether another was writing that code when it came.
    is_second: bool,
    ended: bool,
}

// === impl Flight ===

impl Flight {
    /// Lets a call in.
    ///
    /// # Errors
    ///
    /// With 45009 or 45033, which are counted as answered.
    pub(crate) fn begin(corp: &Arc<Corp>, admission: &Admission) -> Result<Self, i64> {
        let mut state = corp.state();
        let entry = state.traffic.of(admission.api);
        entry.calls += 1;
        // Read under the lock, so that the moments in the meter never go back.
        let now = corp.shared().now_ns();
        if entry.meter.admit(now, &admission.limits).is_err() {
            entry.answered(45009);
            return Err(45009);
        }
        if admission.concurrency > 0 && entry.in_flight >= admission.concurrency {
            entry.over_concurrency += 1;
            entry.answered(45033);
            return Err(45033);
        }
        entry.in_flight += 1;
        entry.peak_in_flight = entry.peak_in_flight.max(entry.in_flight);
        Ok(Self {
            corp: Arc::clone(corp),
            api: admission.api,
            writes: None,
            is_second: false,
            ended: false,
        })
    }

    /// Counts a call that is refused before it is let in.
    pub(crate) fn refuse(corp: &Corp, api: Api, errcode: i64) {
        let mut state = corp.state();
        let entry = state.traffic.of(api);
        entry.calls += 1;
        entry.answered(errcode);
    }

    /// Notes that it will take its time to change this code.
    pub(crate) fn writes(&mut self, index: u32) {
        if self.corp.state().codes.begin_writing(index) {
            self.writes = Some(index);
        } else {
            self.is_second = true;
        }
    }

    /// Whether another call was writing this code when it came, or is now.
    pub(crate) fn is_conflict(&self, index: u32, codes: &super::Codes) -> bool {
        self.is_second || (self.writes != Some(index) && codes.is_written(index))
    }

    pub(crate) fn api(&self) -> Api {
        self.api
    }

    /// Ends it with this answer.
    pub(crate) fn end(mut self, errcode: i64) {
        self.leave(Some(errcode));
    }

    fn leave(&mut self, errcode: Option<i64>) {
        self.ended = true;
        let mut state = self.corp.state();
        if let Some(index) = self.writes {
            state.codes.end_writing(index);
        }
        let entry = state.traffic.of(self.api);
        entry.in_flight = entry.in_flight.saturating_sub(1);
        if let Some(errcode) = errcode {
            entry.answered(errcode);
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        if !self.ended {
            self.leave(None);
        }
    }
}
