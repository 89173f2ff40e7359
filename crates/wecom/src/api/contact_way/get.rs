//! `get_contact_way`: reads a code.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    api::{
        ConfigId, PartyId, UnionId, UserId,
        reply::{non_empty, nullable, numbered, seconds, unionid},
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A code that is to be read.
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is read before it is sent"]
pub struct GetContactWay {
    config_id: ConfigId,
}

/// The reply to [`GetContactWay`].
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ContactWayReply {
    /// The code.
    pub contact_way: ContactWay,
}

/// A code as WeCom has it.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ContactWay {
    /// Its id.
    pub config_id: ConfigId,
    /// Whether it leads to one member or to one of several.
    #[serde(default)]
    pub r#type: WayType,
    /// Where it is shown.
    #[serde(default)]
    pub scene: WayScene,
    /// What its button looks like; only in a mini-program.
    #[serde(default)]
    pub style: Option<i64>,
    /// The note for its owners; empty if there is none.
    #[serde(default, deserialize_with = "nullable")]
    pub remark: String,
    /// Whether customers are added without the member's consent.
    #[serde(default)]
    pub skip_verify: Option<bool>,
    /// The name of the channel; empty if there is none.
    #[serde(default, deserialize_with = "nullable")]
    pub state: String,
    /// The address of its picture; only a QR code has one.
    #[serde(default, deserialize_with = "non_empty")]
    pub qr_code: Option<String>,
    /// The members it leads to, without those of its departments.
    #[serde(default, deserialize_with = "nullable")]
    pub user: Vec<UserId>,
    /// The departments it leads to.
    #[serde(default, deserialize_with = "nullable")]
    pub party: Vec<PartyId>,
    /// Whether it is temporary.
    #[serde(default, deserialize_with = "nullable")]
    pub is_temp: bool,
    /// How long a temporary one lives.
    #[serde(default, deserialize_with = "seconds")]
    pub expires_in: Option<Duration>,
    /// How long a chat by a temporary one lives.
    #[serde(default, deserialize_with = "seconds")]
    pub chat_expires_in: Option<Duration>,
    /// The only customer who may use a temporary one.
    #[serde(default, deserialize_with = "unionid")]
    pub unionid: Option<UnionId>,
    /// Whether a customer stays with the member who added him first.
    #[serde(default)]
    pub is_exclusive: Option<bool>,
    /// Whether the source is marked; only codes of acquisition apps have it.
    #[serde(default)]
    pub mark_source: Option<bool>,
    /// What a customer is told at the end of a temporary chat.
    #[serde(default)]
    pub conclusions: Option<ShownConclusions>,
}

/// Closing words as WeCom returns them. They cannot be sent back: of a picture there is the address alone.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ShownConclusions {
    /// The text.
    #[serde(default)]
    pub text: Option<ShownText>,
    /// The picture.
    #[serde(default)]
    pub image: Option<ShownImage>,
    /// The web page.
    #[serde(default)]
    pub link: Option<ShownLink>,
    /// The page of a mini-program.
    #[serde(default)]
    pub miniprogram: Option<ShownMiniProgram>,
}

/// The text of closing words.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ShownText {
    /// What is said.
    #[serde(default, deserialize_with = "nullable")]
    pub content: String,
}

/// The picture of closing words.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ShownImage {
    /// Its address.
    #[serde(default, deserialize_with = "nullable")]
    pub pic_url: String,
}

/// The web page of closing words.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ShownLink {
    /// Its title.
    #[serde(default, deserialize_with = "nullable")]
    pub title: String,
    /// The address of its picture.
    #[serde(default, deserialize_with = "nullable")]
    pub picurl: String,
    /// Its description.
    #[serde(default, deserialize_with = "nullable")]
    pub desc: String,
    /// Its address.
    #[serde(default, deserialize_with = "nullable")]
    pub url: String,
}

/// The page of a mini-program of closing words.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ShownMiniProgram {
    /// Its title.
    #[serde(default, deserialize_with = "nullable")]
    pub title: String,
    /// The id of its picture.
    #[serde(default, deserialize_with = "nullable")]
    pub pic_media_id: String,
    /// The id of the mini-program.
    #[serde(default, deserialize_with = "nullable")]
    pub appid: String,
    /// The page.
    #[serde(default, deserialize_with = "nullable")]
    pub page: String,
}

numbered! {
    /// Whether a code leads to one member or to one of several (`type`).
    WayType {
        /// To one.
        Single = 1,
        /// To one of several.
        Multi = 2,
    }
}

numbered! {
    /// Where a code is shown (`scene`).
    WayScene {
        /// As a button in a mini-program.
        MiniProgram = 1,
        /// As a QR code.
        QrCode = 2,
    }
}

// === impl GetContactWay ===

impl GetContactWay {
    /// Returns the call that reads this code.
    pub const fn new(config_id: ConfigId) -> Self {
        Self { config_id }
    }
}

impl Call for GetContactWay {
    const API: Api = Api::new("get_contact_way");
    type Reply = ContactWayReply;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/get_contact_way", self)
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Reads a code.
    ///
    /// # Errors
    ///
    /// See [`Error`]. [`CodeGone`](crate::Class::CodeGone) says that there is none any more.
    pub async fn get_contact_way(&self, config_id: &ConfigId) -> Result<ContactWay, Error> {
        let reply = self.send(&GetContactWay::new(config_id.clone())).await?;
        Ok(reply.contact_way)
    }
}
