//! What a handler gets.

use std::time::Duration;

use super::{event::Event, fields::Fields, identity::Identity};
use crate::name::CorpId;

/// A callback that was verified, and what it tells.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// What happened.
    pub event: Event,
    /// By this it is told from other events; a repetition has the same.
    pub identity: Identity,
    /// Whether this receiver had made the same durable when this was read, and by the router's handlers, when
    /// the handler began. The handler must still succeed.
    pub seen_before: bool,
    /// The enterprise that is concerned; `None` for what concerns a suite alone.
    pub corp: Option<CorpId>,
    /// The third party's suite, in messages to it.
    pub suite: Option<Box<str>>,
    /// The app: as the message says, else as the envelope does, which is not signed.
    pub agent: Option<u64>,
    /// When it happened, in whole seconds since the Unix epoch.
    pub created: Option<Duration>,
    /// When this copy was sent, in whole seconds since the Unix epoch.
    pub sent: Duration,
    /// All that the message says.
    pub fields: Fields,
}
