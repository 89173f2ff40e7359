//! Events for people: on the edges of an overload and on what needs an operator's eye, never per request.

use crate::{observe::Advice, priority::Level};

/// The level left or reached open.
pub(crate) fn overload_edge(service: &str, level: Level) {
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

/// Something an operator should know.
pub(crate) fn advice(service: &str, advice: &Advice) {
    tracing::warn!(service, advice = advice.as_str(), "{advice}");
}
