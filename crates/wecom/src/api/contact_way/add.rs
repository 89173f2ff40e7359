//! `add_contact_way`: makes a code.
//!
//! It is not idempotent: a call that [may have been applied](crate::Error::may_have_been_applied) must not
//! simply be repeated, for the code it may have made can only be found again by
//! [`find_contact_ways`](crate::Client::find_contact_ways). So give each code a `state` of its own.

use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

use super::{
    MultiStyle, Scene, SingleStyle,
    scene::{Multi, Seconds, Single},
};
use crate::{
    api::{
        Conclusions, ConfigId, Members, Parties, Remark, State, Temporary, UnionId, UserId, Users,
        reply::non_empty,
    },
    call::{Call, Wire},
    client::{Client, Transport},
    error::{Error, Invalid},
    name::Api,
};

/// A code that is to be made; `W` is [`Single`] or [`Multi`].
///
/// ```
/// use wecom::{Call, api::{AddContactWay, Members, Scene, State, UserId, Users}};
///
/// let users = Users::new([UserId::new("zhangsan")?, UserId::new("lisi")?])?;
/// let code = AddContactWay::multi(Scene::QrCode, Members::users(users))
///     .state(State::new("门店-3")?)
///     .skip_verify(false);
///
/// let body = String::from_utf8(code.encode()?.body).unwrap();
/// assert_eq!(
///     body,
///     r#"{"type":2,"scene":2,"skip_verify":false,"state":"门店-3","user":["zhangsan","lisi"],"#.to_owned()
///         + r#""is_temp":false,"is_exclusive":false}"#,
/// );
/// # Ok::<(), wecom::error::Invalid>(())
/// ```
///
/// A code for many cannot be temporary:
///
/// ```compile_fail,E0599
/// # use wecom::api::{AddContactWay, Members, Scene, Temporary, UserId, Users};
/// # fn f(members: Members) {
/// AddContactWay::multi(Scene::QrCode, members).temporary(Temporary::new());
/// # }
/// ```
///
/// Nor can one be made of nobody:
///
/// ```compile_fail,E0061
/// # use wecom::api::{AddContactWay, Scene};
/// AddContactWay::multi(Scene::QrCode);
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is made before it is sent"]
pub struct AddContactWay<W> {
    r#type: u8,
    /// Of the scene, and of the style.
    scene: (u8, Option<u8>),
    remark: Option<Remark>,
    skip_verify: bool,
    state: Option<State>,
    members: Members,
    /// Never set but for a code for one.
    temporary: Option<Temporary>,
    is_exclusive: bool,
    mark_source: Option<bool>,
    way: PhantomData<W>,
}

/// A code that was made.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Added {
    /// Its id. Store it before anything else: nothing else leads to the code.
    pub config_id: ConfigId,
    /// The address of its picture; only a QR code has one.
    #[serde(default, deserialize_with = "non_empty")]
    pub qr_code: Option<String>,
}

/// What is sent: the fields in the order of the document.
#[derive(Serialize)]
struct Body<'a> {
    r#type: u8,
    scene: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    style: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'a Remark>,
    skip_verify: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a State>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a Users>,
    #[serde(skip_serializing_if = "Option::is_none")]
    party: Option<&'a Parties>,
    is_temp: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_in: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_expires_in: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unionid: Option<&'a UnionId>,
    is_exclusive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    mark_source: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conclusions: Option<&'a Conclusions>,
}

// === impl AddContactWay ===

impl AddContactWay<Single> {
    /// Returns a code that leads to this member.
    pub fn single(scene: Scene<SingleStyle>, user: UserId) -> Self {
        Self::new(1, scene.numbers(), Members::users(Users::one(user)))
    }

    /// Makes the code temporary. Such a code is not listed, does not count among the 500,000 of the
    /// enterprise, and 100,000 may be made a day.
    pub fn temporary(self, temporary: Temporary) -> Self {
        Self {
            temporary: Some(temporary),
            ..self
        }
    }
}

impl AddContactWay<Multi> {
    /// Returns a code that leads to one of these members.
    ///
    /// Those of the departments count too, and 100 are the most: see [`Members::expand`].
    pub fn multi(scene: Scene<MultiStyle>, members: Members) -> Self {
        Self::new(2, scene.numbers(), members)
    }
}

impl<W> AddContactWay<W> {
    const fn new(r#type: u8, scene: (u8, Option<u8>), members: Members) -> Self {
        Self {
            r#type,
            scene,
            remark: None,
            skip_verify: true,
            state: None,
            members,
            temporary: None,
            is_exclusive: false,
            mark_source: None,
            way: PhantomData,
        }
    }

    /// Sets the note for the code's owners. Default: none.
    pub fn remark(self, remark: Remark) -> Self {
        Self {
            remark: Some(remark),
            ..self
        }
    }

    /// Sets the name of the channel, by which the code is also found again. Default: none.
    pub fn state(self, state: State) -> Self {
        Self {
            state: Some(state),
            ..self
        }
    }

    /// Sets whether customers are added without the member's consent. Default: `true`, as WeCom has it; sent in
    /// any case.
    pub fn skip_verify(self, skip_verify: bool) -> Self {
        Self {
            skip_verify,
            ..self
        }
    }

    /// Sets whether a customer stays with the member who added him first. Default: `false`, as WeCom has it;
    /// sent in any case.
    pub fn is_exclusive(self, is_exclusive: bool) -> Self {
        Self {
            is_exclusive,
            ..self
        }
    }

    /// Sets whether the source is marked. For acquisition apps alone, so it is not sent if it is not set.
    pub fn mark_source(self, mark_source: bool) -> Self {
        Self {
            mark_source: Some(mark_source),
            ..self
        }
    }

    fn body(&self) -> Body<'_> {
        let temporary = self.temporary.as_ref();
        Body {
            r#type: self.r#type,
            scene: self.scene.0,
            style: self.scene.1,
            remark: self.remark.as_ref(),
            skip_verify: self.skip_verify,
            state: self.state.as_ref(),
            user: self.members.user_list(),
            party: self.members.party_list(),
            is_temp: temporary.is_some(),
            expires_in: temporary.and_then(|temporary| temporary.expires_in),
            chat_expires_in: temporary.and_then(|temporary| temporary.chat_expires_in),
            unionid: temporary.and_then(|temporary| temporary.unionid.as_ref()),
            is_exclusive: self.is_exclusive,
            mark_source: self.mark_source,
            conclusions: temporary.and_then(|temporary| temporary.conclusions.as_ref()),
        }
    }
}

impl<W: Sync> Call for AddContactWay<W> {
    const API: Api = Api::new("add_contact_way");
    type Reply = Added;

    fn encode(&self) -> Result<Wire, Invalid> {
        Wire::post("/cgi-bin/externalcontact/add_contact_way", &self.body())
    }
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Makes a code. Store [`Added::config_id`] before anything else is done with it.
    ///
    /// # Errors
    ///
    /// See [`Error`]. If the call [may have been applied](Error::may_have_been_applied), look for the code with
    /// [`find_contact_ways`](Self::find_contact_ways) before it is made again.
    pub async fn add_contact_way<W: Sync>(&self, code: &AddContactWay<W>) -> Result<Added, Error> {
        self.send(code).await
    }
}
