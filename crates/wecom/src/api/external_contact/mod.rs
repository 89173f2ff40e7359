//! Customers (external contacts), and by which code they came: documents 92114 and 92994.
//!
//! Rows whose `add_way` is [`QrCode`](AddWay::QrCode) tell by their `state` and `createtime` what a counter of
//! added customers must say, so that one that has drifted can be put right.

mod batch;
mod contact;
mod get;

pub use self::{
    batch::{BatchEntry, BatchGetByUser, BatchPage, FailInfo, Followed},
    contact::{AddWay, ContactType, ExternalContact, FollowUser, Tag},
    get::{ExternalContactPage, GetExternalContact},
};
