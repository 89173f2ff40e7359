//! `close_temp_chat`: ends a chat that came about by a temporary code.

use serde::Serialize;

use crate::{
    api::{Done, ExternalUserId, UserId},
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A chat that is to be ended.
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is ended before it is sent"]
pub struct CloseTempChat {
    userid: UserId,
    external_userid: ExternalUserId,
}

// === impl CloseTempChat ===

impl CloseTempChat {
    /// Returns the call that ends the chat of this member with this customer.
    pub const fn new(userid: UserId, external_userid: ExternalUserId) -> Self {
        Self {
            userid,
            external_userid,
        }
    }
}

impl Call for CloseTempChat {
    const API: Api = Api::new("close_temp_chat");
    type Reply = Done;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/close_temp_chat", self)
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Ends a temporary chat; the customer is told the code's closing words.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn close_temp_chat(
        &self,
        userid: &UserId,
        external_userid: &ExternalUserId,
    ) -> Result<(), Error> {
        let call = CloseTempChat::new(userid.clone(), external_userid.clone());
        self.send(&call).await?;
        Ok(())
    }
}
