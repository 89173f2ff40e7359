//! The calls, one file for each, under the names that WeCom gives them.
//!
//! | method of [`Client`](crate::Client) | path below `/cgi-bin` | document |
//! |---|---|---|
//! | `add_contact_way` | `POST externalcontact/add_contact_way` | 92228 |
//! | `get_contact_way` | `POST externalcontact/get_contact_way` | 92228 |
//! | `list_contact_way`, `contact_ways` | `POST externalcontact/list_contact_way` | 92228 |
//! | `update_contact_way` | `POST externalcontact/update_contact_way` | 92228 |
//! | `del_contact_way` | `POST externalcontact/del_contact_way` | 92228 |
//! | `close_temp_chat` | `POST externalcontact/close_temp_chat` | 92228 |
//! | `get_follow_user_list` | `GET externalcontact/get_follow_user_list` | 92571 |
//! | `get_external_contact`, `follow_users` | `GET externalcontact/get` | 92114 |
//! | `batch_get_by_user`, `customers` | `POST externalcontact/batch/get_by_user` | 92994 |
//! | `get_user` | `GET user/get` | 90196 |
//! | `list_departments` | `GET department/list` | 90208 |
//! | `get_callback_ips` | `GET getcallbackip` | 92521 |
//! | none, the client fetches tokens by itself | `GET gettoken` | 91039 |
//! | none, likewise | `POST service/get_corp_token` | 90605 |
//!
//! A document is at `https://developer.work.weixin.qq.com/document/path/<number>`. Some methods are
//! made of several calls: `find_contact_ways` looks for codes whose id was lost, `find_unfit` and
//! `find_unfit_by_trial` for the members that make WeCom refuse a list.
//!
//! # Requests
//!
//! A request that WeCom would refuse does not compile or is not sent: the error names the field. What can
//! be told of a value by itself is told when the value is made ([`State`], [`Users`], [`Conclusions`],
//! ...), what follows from the kind of a code is in the types ([`Single`], [`Multi`]), and what is left
//! when the call is encoded. Fields that were not set are not sent; those that are true or false are sent
//! even if they have WeCom's default, which may change.
//!
//! # Replies
//!
//! Fields that this version does not know are ignored, those that may be missing have a default, a `null`
//! stands for an empty text or list, and a number that is not known stays the number it is. But **the list
//! that a read is about must be there**: a reply without it is an error, never an empty list, for what is
//! not there must not be taken for "nobody". Nor may it be `null` where all members, departments or addresses are asked for;
//! a page of other lists may.
//!
//! Texts about people and their ids show nothing in `Debug`.

mod callback_ip;
mod conclusions;
mod contact_way;
mod department;
mod external_contact;
mod follow_user;
mod ids;
mod members;
mod orphan;
mod pages;
mod patch;
mod reply;
mod text;
mod token;
mod unfit;
mod user;

pub use self::{
    callback_ip::{CallbackIps, GetCallbackIps},
    conclusions::{Attachment, Conclusions, Image, Link, MiniProgram},
    contact_way::{
        AddContactWay, Added, Any, CloseTempChat, ContactWay, ContactWayPage, ContactWayReply,
        DelContactWay, GetContactWay, ListContactWay, Multi, MultiStyle, Scene, ShownConclusions,
        ShownImage, ShownLink, ShownMiniProgram, ShownText, Single, SingleStyle, Temporary,
        UpdateContactWay, WayScene, WayType,
    },
    department::{Department, Departments, ListDepartments},
    external_contact::{
        AddWay, BatchEntry, BatchGetByUser, BatchPage, ContactType, ExternalContact,
        ExternalContactPage, FailInfo, FollowUser, Followed, GetExternalContact, Tag,
    },
    follow_user::{FollowUsers, GetFollowUserList},
    ids::{ConfigId, ExternalUserId, PartyId, UnionId, UserId},
    members::{Expansion, MOST_MEMBERS, Members, Parties, Users},
    pages::{Paged, Pages, Turn},
    patch::{Clearable, Patch},
    reply::Done,
    text::{Personal, Remark, State},
    token::{GetCorpToken, GetToken, Token},
    unfit::{Scratch, Unfit, UnfitMember},
    user::{GetUser, User, UserStatus},
};
