//! `getcallbackip`: where callbacks come from.

use serde::Deserialize;

use crate::{
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// The call for the addresses that callbacks come from.
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "nothing is read before it is sent"]
pub struct GetCallbackIps;

/// The reply to [`GetCallbackIps`].
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct CallbackIps {
    /// The addresses, as text: WeCom may name a range. A reply without this list, or with `null` in
    /// its place, is an error, never an empty list.
    pub ip_list: Vec<String>,
}

// === impl GetCallbackIps ===

impl Call for GetCallbackIps {
    const API: Api = Api::new("getcallbackip");
    type Reply = CallbackIps;

    fn encode(&self) -> Result<Wire, Invalid> {
        Ok(Wire::get("/cgi-bin/getcallbackip", Vec::new()))
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads the addresses that callbacks come from. They change: read them daily, and do not take them for
    /// a proof, which the signature alone is.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub async fn get_callback_ips(&self) -> Result<Vec<String>, Error> {
        Ok(self.send(&GetCallbackIps).await?.ip_list)
    }
}
