//! Events for people: on the edges of an overload and on what needs an operator's eye, never per request.

use crate::{
    observe::{Advice, Observer},
    priority::Level,
};

/// The observer that every admission has when the feature `tracing` is on.
#[derive(Debug)]
pub(crate) struct Events;

impl Observer for Events {
    fn overload_edge(&self, service: &str, level: Level) {
        if level.is_open() {
            tracing::info!(service, "overload is over: the level is open");
        } else {
            tracing::warn!(
                service,
                level = level.get(),
                "overloaded: the level was lowered"
            );
        }
    }

    fn advice(&self, service: &str, advice: &Advice) {
        tracing::warn!(service, advice = advice.as_str(), "{advice}");
    }
}
