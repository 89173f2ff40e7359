//! What makes a code temporary, and the times that such a one has.

use std::time::Duration;

use super::scene::Seconds;
use crate::{
    api::{Conclusions, UnionId},
    error::Invalid,
};

/// What makes a code temporary: for enterprises of the medical trade alone, and for one member.
#[derive(Clone, Debug, Default)]
#[must_use = "it is to be given to a code"]
pub struct Temporary {
    pub(super) expires_in: Option<Seconds>,
    pub(super) chat_expires_in: Option<Seconds>,
    pub(super) unionid: Option<UnionId>,
    pub(super) conclusions: Option<Conclusions>,
}

impl Temporary {
    /// Returns what makes a code temporary, with WeCom's defaults: the code lives 7 days, a chat 24 hours.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long the code lives: whole seconds, 1 s to 14 days. Default: 7 days, by WeCom.
    ///
    /// # Errors
    ///
    /// If the time is out of its range.
    pub fn expires_in(mut self, time: Duration) -> Result<Self, Invalid> {
        self.expires_in = Some(Seconds::new("expires_in", time)?);
        Ok(self)
    }

    /// Sets how long a chat lives after the customer was added: whole seconds, 1 s to 14 days. Default: 24 hours, by
    /// WeCom.
    ///
    /// # Errors
    ///
    /// If the time is out of its range.
    pub fn chat_expires_in(mut self, time: Duration) -> Result<Self, Invalid> {
        self.chat_expires_in = Some(Seconds::new("chat_expires_in", time)?);
        Ok(self)
    }

    /// Sets the only customer who may use the code. Default: anybody.
    pub fn unionid(self, unionid: UnionId) -> Self {
        Self {
            unionid: Some(unionid),
            ..self
        }
    }

    /// Sets what the customer is told at the end. Default: nothing.
    pub fn conclusions(self, conclusions: Conclusions) -> Self {
        Self {
            conclusions: Some(conclusions),
            ..self
        }
    }
}
