//! What a customer is, and what a member knows of him.

use serde::Deserialize;

use crate::api::{
    ExternalUserId, Personal, UnionId, UserId,
    reply::{nullable, numbered, unionid},
};

/// A customer.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ExternalContact {
    /// His id.
    pub external_userid: ExternalUserId,
    /// His name.
    #[serde(default, deserialize_with = "nullable")]
    pub name: Personal,
    /// Whether he uses `WeChat` or WeCom.
    #[serde(default)]
    pub r#type: ContactType,
    /// His id in all apps of one owner; only if he uses `WeChat` and the enterprise has bound an account.
    #[serde(default, deserialize_with = "unionid")]
    pub unionid: Option<UnionId>,
    /// The address of his picture.
    #[serde(default, deserialize_with = "nullable")]
    pub avatar: Personal,
    /// 0 not known, 1 male, 2 female.
    #[serde(default, deserialize_with = "nullable")]
    pub gender: i64,
    /// His position; only if he uses WeCom.
    #[serde(default, deserialize_with = "nullable")]
    pub position: Personal,
    /// The short name of his enterprise; only if he uses WeCom.
    #[serde(default, deserialize_with = "nullable")]
    pub corp_name: String,
    /// The full name of his enterprise; only if he uses WeCom.
    #[serde(default, deserialize_with = "nullable")]
    pub corp_full_name: String,
}

/// One member's relation to a customer.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct FollowUser {
    /// The member.
    pub userid: UserId,
    /// What he calls the customer.
    #[serde(default, deserialize_with = "nullable")]
    pub remark: Personal,
    /// What he notes of the customer.
    #[serde(default, deserialize_with = "nullable")]
    pub description: Personal,
    /// When he added the customer, in seconds since the Unix epoch; 0 if that was not told.
    #[serde(default, deserialize_with = "nullable")]
    pub createtime: i64,
    /// The name of the channel by which the customer came; empty if there is none. It may be none of the
    /// codes': a customer who comes back has been seen with an odd one.
    #[serde(default, deserialize_with = "nullable")]
    pub state: String,
    /// How he was added.
    #[serde(default)]
    pub add_way: AddWay,
    /// Who has added whom: the member's own id, or the customer's. Empty if that was not told.
    #[serde(default, deserialize_with = "nullable")]
    pub oper_userid: Personal,
    /// What the member calls the customer's enterprise.
    #[serde(default, deserialize_with = "nullable")]
    pub remark_corp_name: Personal,
    /// The customer's telephone numbers.
    #[serde(default, deserialize_with = "nullable")]
    pub remark_mobiles: Vec<Personal>,
    /// The tags, of which `get` tells names and all.
    #[serde(default, deserialize_with = "nullable")]
    pub tags: Vec<Tag>,
    /// The ids of the tags, of which `batch/get_by_user` tells nothing else.
    #[serde(default, deserialize_with = "nullable")]
    pub tag_id: Vec<String>,
}

/// A tag that a customer has.
#[derive(Clone, Debug, Deserialize, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct Tag {
    /// The name of its group.
    #[serde(default, deserialize_with = "nullable")]
    pub group_name: String,
    /// Its name.
    #[serde(default, deserialize_with = "nullable")]
    pub tag_name: String,
    /// 1 the enterprise's, 2 the member's own, 3 of a rule.
    #[serde(default, deserialize_with = "nullable")]
    pub r#type: i64,
    /// Its id; a member's own has none.
    #[serde(default, deserialize_with = "nullable")]
    pub tag_id: String,
}

numbered! {
    /// What a customer uses (`type`).
    ContactType {
        /// `WeChat`.
        WeChat = 1,
        /// WeCom.
        WeCom = 2,
    }
}

numbered! {
    /// How a customer was added (`add_way`).
    AddWay {
        /// By a QR code, such as a live code.
        QrCode = 1,
        /// By searching for a telephone number.
        SearchPhone = 2,
        /// By a card that was passed on.
        Card = 3,
        /// In a group chat.
        GroupChat = 4,
        /// By a link of an acquisition app.
        AcquisitionLink = 16,
        /// A colleague has shared him.
        Shared = 201,
        /// The administrator has given him to the member.
        Assigned = 202,
    }
}
