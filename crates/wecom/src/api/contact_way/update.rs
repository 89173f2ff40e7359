//! `update_contact_way`: changes a code.
//!
//! It is idempotent: after a lost answer the same update may be sent again.
//!
//! # Lists
//!
//! WeCom replaces the whole list of `user` and the whole list of `party`, each by itself; a list that is
//! not sent stays. What it makes of an empty list is not documented. So:
//!
//! - `user` can be set but not emptied. A code cannot be moved from users to departments alone: make a new one.
//! - `party` can be left, set, and cleared, which sends `[]`. **That this takes the departments away is an
//!   assumption** (in another of its calls WeCom does so): read the code afterwards if it had any.
//! - [`members`](UpdateContactWay::members) makes the code lead to these and nobody else: it sends both lists.
//!
//! # What clearing means
//!
//! `remark`, `state` and `unionid` are cleared by an empty text. The other fields have no empty form and no
//! [`Patch`]: they are left or set. A closing word cannot be taken back either, only replaced.

use std::{marker::PhantomData, time::Duration};

use serde::Serialize;

use super::scene::{Any, Multi, MultiStyle, Seconds, Single, SingleStyle};
use crate::{
    api::{
        Conclusions, ConfigId, Done, Members, Parties, Patch, Remark, State, UnionId, UserId, Users,
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// Changes to a code; `W` is [`Single`], [`Multi`], or [`Any`] for those that do not depend on it. Type and
/// scene of a code cannot be changed.
///
/// ```
/// use wecom::{Call, api::{ConfigId, Patch, UpdateContactWay, UserId, Users}};
///
/// let code = ConfigId::new("42b3")?;
/// let change = UpdateContactWay::multi(code)
///     .user(Users::one(UserId::new("zhangsan")?))
///     .remark(Patch::Clear)
///     .skip_verify(false);
///
/// let body = String::from_utf8(change.encode()?.body).unwrap();
/// assert_eq!(
///     body,
///     r#"{"config_id":"42b3","remark":"","skip_verify":false,"user":["zhangsan"]}"#,
/// );
/// # Ok::<(), wecom::error::Invalid>(())
/// ```
///
/// The list of users cannot be cleared:
///
/// ```compile_fail
/// # use wecom::api::{ConfigId, Patch, UpdateContactWay};
/// # fn f(code: ConfigId) {
/// UpdateContactWay::multi(code).user(Patch::Clear);
/// # }
/// ```
#[derive(Clone, Debug, Serialize)]
#[must_use = "nothing is changed before it is sent"]
pub struct UpdateContactWay<W> {
    config_id: ConfigId,
    #[serde(skip_serializing_if = "Patch::is_leave")]
    remark: Patch<Remark>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skip_verify: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<u8>,
    #[serde(skip_serializing_if = "Patch::is_leave")]
    state: Patch<State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<Users>,
    #[serde(skip_serializing_if = "Patch::is_leave")]
    party: Patch<Parties>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_expires_in: Option<Seconds>,
    #[serde(skip_serializing_if = "Patch::is_leave")]
    unionid: Patch<UnionId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark_source: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusions: Option<Conclusions>,
    #[serde(skip)]
    way: PhantomData<W>,
}

// === impl UpdateContactWay ===

impl UpdateContactWay<Any> {
    /// Returns an update of a code of either type, which changes nothing yet.
    pub const fn new(config_id: ConfigId) -> Self {
        Self::nothing(config_id)
    }
}

impl UpdateContactWay<Single> {
    /// Returns an update of a code for one, which changes nothing yet.
    pub const fn single(config_id: ConfigId) -> Self {
        Self::nothing(config_id)
    }

    /// Sets the member to whom it leads.
    pub fn user(self, user: UserId) -> Self {
        Self {
            user: Some(Users::one(user)),
            ..self
        }
    }

    /// Sets what the button looks like; for a code in a mini-program alone.
    pub fn style(self, style: SingleStyle) -> Self {
        Self {
            style: Some(style.into()),
            ..self
        }
    }

    /// Sets how long the code lives, if it is temporary: whole seconds, up to 14 days.
    ///
    /// # Errors
    ///
    /// If the time is out of its range.
    pub fn expires_in(mut self, time: Duration) -> Result<Self, Invalid> {
        self.expires_in = Some(Seconds::new("expires_in", time)?);
        Ok(self)
    }

    /// Sets how long a chat lives, if the code is temporary: whole seconds, up to 14 days.
    ///
    /// # Errors
    ///
    /// If the time is out of its range.
    pub fn chat_expires_in(mut self, time: Duration) -> Result<Self, Invalid> {
        self.chat_expires_in = Some(Seconds::new("chat_expires_in", time)?);
        Ok(self)
    }

    /// Sets the only customer who may use the code, if it is temporary, or lets everybody use it.
    pub fn unionid(self, unionid: impl Into<Patch<UnionId>>) -> Self {
        Self {
            unionid: unionid.into(),
            ..self
        }
    }

    /// Sets what the customer is told at the end, if the code is temporary.
    pub fn conclusions(self, conclusions: Conclusions) -> Self {
        Self {
            conclusions: Some(conclusions),
            ..self
        }
    }
}

impl UpdateContactWay<Multi> {
    /// Returns an update of a code for many, which changes nothing yet.
    pub const fn multi(config_id: ConfigId) -> Self {
        Self::nothing(config_id)
    }

    /// Sets the members that are named by themselves; the departments are not touched.
    pub fn user(self, users: Users) -> Self {
        Self {
            user: Some(users),
            ..self
        }
    }

    /// Sets the departments or takes them away; the members named by themselves are not touched.
    pub fn party(self, parties: impl Into<Patch<Parties>>) -> Self {
        Self {
            party: parties.into(),
            ..self
        }
    }

    /// Makes the code lead to these and nobody else: both lists are sent, that of the departments even if it is
    /// empty.
    ///
    /// # Errors
    ///
    /// If there are departments alone: no list of users can be sent then that is known to take the old ones
    /// away.
    pub fn members(self, members: &Members) -> Result<Self, Invalid> {
        let Some(users) = members.user_list() else {
            let wanted =
                "at least one member beside the departments, for an empty list is never sent";
            return Err(Invalid::new("user", "an empty list", wanted));
        };
        let party = members
            .party_list()
            .cloned()
            .map_or(Patch::Clear, Patch::Set);
        Ok(Self {
            user: Some(users.clone()),
            party,
            ..self
        })
    }

    /// Sets what the button looks like; for a code in a mini-program alone.
    pub fn style(self, style: MultiStyle) -> Self {
        Self {
            style: Some(style.into()),
            ..self
        }
    }
}

impl<W> UpdateContactWay<W> {
    const fn nothing(config_id: ConfigId) -> Self {
        Self {
            config_id,
            remark: Patch::Leave,
            skip_verify: None,
            style: None,
            state: Patch::Leave,
            user: None,
            party: Patch::Leave,
            expires_in: None,
            chat_expires_in: None,
            unionid: Patch::Leave,
            mark_source: None,
            conclusions: None,
            way: PhantomData,
        }
    }

    /// Sets the note for the code's owners, or clears it.
    pub fn remark(self, remark: impl Into<Patch<Remark>>) -> Self {
        Self {
            remark: remark.into(),
            ..self
        }
    }

    /// Sets the name of the channel, or clears it.
    pub fn state(self, state: impl Into<Patch<State>>) -> Self {
        Self {
            state: state.into(),
            ..self
        }
    }

    /// Sets whether customers are added without the member's consent.
    pub fn skip_verify(self, skip_verify: bool) -> Self {
        Self {
            skip_verify: Some(skip_verify),
            ..self
        }
    }

    /// Sets whether the source is marked; for acquisition apps alone.
    pub fn mark_source(self, mark_source: bool) -> Self {
        Self {
            mark_source: Some(mark_source),
            ..self
        }
    }

    /// Returns the code that is to be changed.
    #[must_use]
    pub const fn config_id(&self) -> &ConfigId {
        &self.config_id
    }

    /// Returns whether nothing is to be changed.
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        let Self {
            config_id: _,
            remark,
            skip_verify,
            style,
            state,
            user,
            party,
            expires_in,
            chat_expires_in,
            unionid,
            mark_source,
            conclusions,
            way: _,
        } = self;
        let patches =
            remark.is_leave() && state.is_leave() && party.is_leave() && unionid.is_leave();
        let lists = user.is_none() && conclusions.is_none();
        let values = skip_verify.is_none() && style.is_none() && mark_source.is_none();
        patches && lists && values && expires_in.is_none() && chat_expires_in.is_none()
    }
}

impl<W: Sync> Call for UpdateContactWay<W> {
    const API: Api = Api::new("update_contact_way");
    type Reply = Done;

    fn encode(&self) -> Result<Wire, Invalid> {
        if self.is_nothing() {
            let wanted = "at least one that is set or cleared";
            return Err(Invalid::new("fields", "none", wanted));
        }
        Wire::post("/cgi-bin/externalcontact/update_contact_way", self)
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Changes a code.
    ///
    /// # Errors
    ///
    /// See [`Error`]. [`Member`](crate::Class::Member) says that one of the members is not fit, but not
    /// which: see [`find_unfit`](Self::find_unfit). [`CodeGone`](crate::Class::CodeGone) says that there is
    /// no such code any more.
    pub async fn update_contact_way<W: Sync>(
        &self,
        change: &UpdateContactWay<W>,
    ) -> Result<(), Error> {
        self.send(change).await?;
        Ok(())
    }
}
