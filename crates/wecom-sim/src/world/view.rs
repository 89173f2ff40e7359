//! What others are told of an enterprise, and what they tell it.

use crate::profile::MemberFlag;

/// A code as it is now.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CodeView {
    /// Its `config_id`.
    pub config_id: String,
    /// 1 single, 2 multi.
    pub kind: u8,
    /// 1 button, 2 QR code.
    pub scene: u8,
    /// `state`, empty if it has none.
    pub state: String,
    /// `remark`.
    pub remark: String,
    /// `skip_verify`.
    pub skip_verify: bool,
    /// `is_exclusive`.
    pub is_exclusive: bool,
    /// When it was made, in seconds since the Unix epoch.
    pub created_s: u64,
    /// For a temporary one: when it ends, in seconds since the Unix epoch.
    pub ends_s: Option<u64>,
    /// The `user` list as it was set.
    pub users: Vec<String>,
    /// The `party` list as it was set.
    pub parties: Vec<u32>,
}

/// A code to be loaded without a call: a QR code for many that is not temporary.
#[derive(Clone, Debug, Default)]
pub struct CodeSeed<'a> {
    /// `state`.
    pub state: &'a str,
    /// `user`: each a member of the enterprise.
    pub users: &'a [&'a str],
    /// `party`.
    pub parties: &'a [u32],
    /// When it was made, in seconds since the Unix epoch; absent: now.
    pub created_s: Option<u64>,
}

/// A member as it is now.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MemberView {
    /// Its `userid`.
    pub userid: String,
    /// Departments.
    pub departments: Vec<u32>,
    /// What is wrong with it.
    pub flags: Vec<MemberFlag>,
}

/// A customer whom a member has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Relation {
    /// `external_userid`.
    pub external_userid: String,
    /// The member.
    pub userid: String,
    /// `state` of the code that was scanned, empty if none.
    pub state: String,
    /// How it came about; 1 is a scanned code.
    pub add_way: u8,
    /// When, in seconds since the Unix epoch.
    pub createtime: u64,
}

/// A relation to be added.
#[derive(Clone, Copy, Debug)]
pub struct NewRelation<'a> {
    /// `external_userid`.
    pub external_userid: &'a str,
    /// The member.
    pub userid: &'a str,
    /// `state` of the code that was scanned, empty if none.
    pub state: &'a str,
    /// How it came about; 1 is a scanned code.
    pub add_way: u8,
    /// When, in seconds since the Unix epoch.
    pub createtime: u64,
}
