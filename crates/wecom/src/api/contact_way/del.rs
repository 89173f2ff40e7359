//! `del_contact_way`: removes a code.

use serde::Serialize;

use crate::{
    api::{ConfigId, Done},
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A code that is to be removed.
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is removed before it is sent"]
pub struct DelContactWay {
    config_id: ConfigId,
}

// === impl DelContactWay ===

impl DelContactWay {
    /// Returns the call that removes this code.
    pub const fn new(config_id: ConfigId) -> Self {
        Self { config_id }
    }
}

impl Call for DelContactWay {
    const API: Api = Api::new("del_contact_way");
    type Reply = Done;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/del_contact_way", self)
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Removes a code. Its pictures lead nowhere from then on.
    ///
    /// # Errors
    ///
    /// See [`Error`]. [`CodeGone`](crate::Class::CodeGone) says that there was none any more, which is as good.
    pub async fn del_contact_way(&self, config_id: &ConfigId) -> Result<(), Error> {
        self.send(&DelContactWay::new(config_id.clone())).await?;
        Ok(())
    }
}
