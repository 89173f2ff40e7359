//! An enterprise: its app, its members, its departments.

use std::fmt;

use serde::{Serialize, Serializer};

use super::{
    fault::MOST_ERRCODE,
    names::{AES_KEY, CODE, CORP_ID, NAME, SECRET, TOKEN, URL, USERID},
};
use crate::given::{Section, Word};

/// An enterprise.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct Corp {
    /// The `corpid`: 1 to 64 letters, digits, `-` and `_`.
    pub id: String,
    /// The app's secret: 1 to 256 characters.
    #[serde(serialize_with = "hidden")]
    pub secret: String,
    /// For third parties: the `permanent_code`, 1 to 512 characters; the app is then a provider's, and events have
    /// the suite's form.
    #[serde(serialize_with = "hidden_too")]
    pub permanent_code: Option<String>,
    /// For third parties: the suite. Default `suite` before the `corpid`.
    pub suite_id: Option<String>,
    /// Whether the app has no permission (48002) or lost it by disuse (48006), is disabled (50003), has none on the
    /// agent (301002), calls from an IP that is not trusted (60020), or the enterprise is dissolved (301007): the
    /// `errcode` of all calls but those for tokens. Default none.
    pub refused_with: Option<i64>,
    /// Whether it may make no temporary codes (48002), as all but the medical industry. Default false.
    pub no_temp_codes: bool,
    /// Where callbacks go, and with what keys. Default nowhere.
    pub callback: Option<CallbackTo>,
    /// How many customers a day each member can take before it is full (40099), 1 to 1,000,000. Default no limit.
    pub customers_per_day: Option<u32>,
    /// So many members without flags, `m1`, `m2`, and so on, in department 1, besides those by hand, 0 to 1,000,000.
    /// Default 0.
    pub more_members: u32,
    /// The members by hand.
    #[serde(rename = "member")]
    pub members: Vec<Member>,
    /// Departments besides 1, the root.
    #[serde(rename = "department")]
    pub departments: Vec<Department>,
}

/// Where callbacks go.
#[derive(Clone, PartialEq, Serialize)]
pub struct CallbackTo {
    /// The address: `http`, on this machine.
    pub url: String,
    /// The token: 1 to 32 letters and digits.
    #[serde(serialize_with = "hidden")]
    pub token: String,
    /// The key: 43 letters and digits.
    #[serde(serialize_with = "hidden")]
    pub encoding_aes_key: String,
}

/// A member and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Member {
    /// The `userid`.
    pub userid: String,
    /// Departments. Default the root alone.
    pub departments: Vec<u32>,
    /// What is wrong with it. Default nothing.
    pub flags: Vec<MemberFlag>,
    /// As that of the enterprise, for this member alone.
    pub customers_per_day: Option<u32>,
}

/// What is wrong with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemberFlag {
    /// 60111: it is not there (any more).
    Missing,
    /// 40003, as some interfaces answer for one that is not there.
    MissingAsInvalid,
    /// 40098: not verified by its real name.
    NotVerified,
    /// 41054: never logged in.
    NotActivated,
    /// 40099: it has as many customers as it may.
    Full,
    /// 84074: no permission for external contacts.
    NoPermission,
    /// 50002: out of the app's scope.
    OutOfScope,
    /// 60011, as some interfaces answer for one out of scope.
    NoPrivilege,
    /// Disabled by the administrator: `status` 2. Accepted on a code, and sends scans nowhere; no event.
    Disabled,
    /// Left the enterprise: `status` 5, and 40003 on a code.
    Left,
}

/// A department.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Department {
    /// Its id, from 2; 1 is the root.
    pub id: u32,
    /// Its name. Default `department` and its id.
    pub name: String,
    /// The one above it. Default 1.
    pub parent: u32,
}

// === impl Corp ===

impl Corp {
    /// Reads one, all but what its parts say of each other.
    pub(crate) fn read(mut table: Section<'_>) -> Self {
        let mut corp = Self::default();
        table.needed("id", CORP_ID, &mut corp.id);
        table.needed("secret", SECRET, &mut corp.secret);
        table.maybe_text("permanent_code", CODE, &mut corp.permanent_code);
        table.maybe_text("suite_id", CORP_ID, &mut corp.suite_id);
        table.maybe_whole("refused_with", 1..=MOST_ERRCODE, &mut corp.refused_with);
        table.flag("no_temp_codes", &mut corp.no_temp_codes);
        corp.callback = table.section("callback").and_then(CallbackTo::read);
        let each = &mut corp.customers_per_day;
        table.maybe_whole("customers_per_day", MOST_CUSTOMERS, each);
        table.whole("more_members", 0..=1_000_000, &mut corp.more_members);
        let members = table.sections("member").unwrap_or_default();
        let departments = table.sections("department").unwrap_or_default();
        super::within::read(&mut corp, members, departments);
        table.end();
        corp
    }

    /// Returns the suite of a third party's app.
    #[must_use]
    pub fn suite(&self) -> Option<String> {
        self.permanent_code.as_ref()?;
        let preset = || format!("suite{}", self.id);
        Some(self.suite_id.clone().unwrap_or_else(preset))
    }
}

/// Without secrets.
impl fmt::Debug for Corp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corp")
            .field("id", &self.id)
            .field("refused_with", &self.refused_with)
            .field("members", &self.members.len())
            .field("more_members", &self.more_members)
            .field("departments", &self.departments.len())
            .finish_non_exhaustive()
    }
}

// === impl CallbackTo ===

impl CallbackTo {
    /// Reads one; `None` if anything is wrong with it.
    pub(crate) fn read(mut table: Section<'_>) -> Option<Self> {
        let mut to = Self {
            url: String::new(),
            token: String::new(),
            encoding_aes_key: String::new(),
        };
        table.needed("url", URL, &mut to.url);
        table.needed("token", TOKEN, &mut to.token);
        table.needed("encoding_aes_key", AES_KEY, &mut to.encoding_aes_key);
        table.end();
        let parts = [&to.url, &to.token, &to.encoding_aes_key];
        let whole = parts.iter().all(|part| !part.is_empty());
        whole.then_some(to)
    }
}

/// Without secrets.
impl fmt::Debug for CallbackTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackTo")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

// === impl Member ===

impl Member {
    /// Reads one.
    pub(crate) fn read(mut table: Section<'_>) -> Self {
        let mut member = Self::default();
        table.needed("userid", USERID, &mut member.userid);
        table.wholes("departments", 1..=u32::MAX, &mut member.departments);
        if member.departments.is_empty() {
            table.wrong("departments", Some("[]"), "at least one department");
        }
        table.words("flags", &mut member.flags);
        let own = &mut member.customers_per_day;
        table.maybe_whole("customers_per_day", MOST_CUSTOMERS, own);
        table.end();
        member
    }
}

impl Default for Member {
    fn default() -> Self {
        Self {
            userid: String::new(),
            departments: vec![ROOT],
            flags: Vec::new(),
            customers_per_day: None,
        }
    }
}

// === impl MemberFlag ===

impl Word for MemberFlag {
    const ALL: &'static [(&'static str, Self)] = &[
        ("missing", Self::Missing),
        ("missing-as-invalid", Self::MissingAsInvalid),
        ("not-verified", Self::NotVerified),
        ("not-activated", Self::NotActivated),
        ("full", Self::Full),
        ("no-permission", Self::NoPermission),
        ("out-of-scope", Self::OutOfScope),
        ("no-privilege", Self::NoPrivilege),
        ("disabled", Self::Disabled),
        ("left", Self::Left),
    ];
}

// === impl Department ===

impl Department {
    /// Reads one.
    pub(crate) fn read(mut table: Section<'_>) -> Self {
        let mut department = Self::default();
        if let Some(id) = table.needed_whole("id", 2..=u32::MAX) {
            department.id = id;
            department.name = format!("department {id}");
        }
        table.text("name", NAME, &mut department.name);
        table.whole("parent", 1..=u32::MAX, &mut department.parent);
        table.end();
        department
    }
}

impl Default for Department {
    fn default() -> Self {
        Self {
            id: 0,
            name: String::new(),
            parent: ROOT,
        }
    }
}

fn hidden<S: Serializer>(_: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("(hidden)")
}

pub(super) fn hidden_too<S: Serializer>(secret: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(|_| "(hidden)").serialize(to)
}

/// The department of all.
pub(super) const ROOT: u32 = 1;

pub(crate) const MOST_CUSTOMERS: std::ops::RangeInclusive<u32> = 1..=1_000_000;
