//! How contact ways behave where the documents are silent.

use serde::Serialize;

use crate::given::{Section, Word};

/// How contact ways behave where the documents are silent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactWays {
    /// The order in which a call is checked: each of the five once. Default token, permission, params, config-id,
    /// members.
    pub order: Vec<Check>,
    /// What an update with an empty `user` list does. Default refuse (40058).
    pub empty_user: EmptyUser,
    /// What two updates of one code in flight at once do. Default 45035.
    pub conflict: ConflictMode,
    /// How many codes an enterprise may have, temporary ones not counted (41045), 1 to 100,000,000. Default 500,000.
    pub codes_per_corp: u64,
    /// How many temporary codes an enterprise may make in a day of UTC+8 (41045), 0 to 100,000,000. Default 100,000.
    pub temp_codes_per_day: u64,
    /// For how long the reads of customers still tell of one that was removed, in seconds, 0 to 86,400. Default 0.
    pub read_lag_s: u64,
    /// Whether `get_follow_user_list` names members whose real name is not verified (40098). Default true: then no read
    /// tells of them, and a client that is right with this is right with the other.
    pub unverified_may_follow: bool,
}

/// One step of checking a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// 40014, 41001, 42001.
    Token,
    /// 48002, 60020, 50003.
    Permission,
    /// 40058, 40063, 41037 to 41043 but 41041.
    Params,
    /// 41044.
    ConfigId,
    /// 60111, 40098, 41054, 40099, 84074, 50002, 41041.
    Members,
}

/// What an update with an empty `user` list does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyUser {
    /// Nothing: the old list stays.
    Keep,
    /// The list is empty then, and scans go nowhere.
    Clear,
    /// 40058.
    #[default]
    Refuse,
}

/// What two updates of one code in flight at once do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum ConflictMode {
    /// The second is answered with 45035.
    #[default]
    #[serde(rename = "conflict-45035")]
    Conflict45035,
    /// The second is answered with 6000.
    #[serde(rename = "conflict-6000")]
    Conflict6000,
    /// Both are applied; the one that ends last stays.
    #[serde(rename = "last-to-end")]
    LastToEnd,
}

// === impl ContactWays ===

impl ContactWays {
    /// Takes what a table says over what is.
    pub(crate) fn update(&mut self, mut table: Section<'_>) {
        let mut order = self.order.clone();
        table.words("order", &mut order);
        let all = Check::ALL.iter().map(|(_, check)| check);
        if order.len() == Check::ALL.len() && all.clone().all(|check| order.contains(check)) {
            self.order = order;
        } else {
            let given = format!("({} steps)", order.len());
            let names: Vec<&str> = Check::ALL.iter().map(|(name, _)| *name).collect();
            let expected = format!("each of {} once", names.join(", "));
            table.wrong("order", Some(&given), expected);
        }
        table.word("empty_user", &mut self.empty_user);
        table.word("conflict", &mut self.conflict);
        table.whole("codes_per_corp", 1..=100_000_000, &mut self.codes_per_corp);
        let temporary = &mut self.temp_codes_per_day;
        table.whole("temp_codes_per_day", 0..=100_000_000, temporary);
        table.whole("read_lag_s", 0..=86_400, &mut self.read_lag_s);
        let unverified = &mut self.unverified_may_follow;
        table.flag("unverified_may_follow", unverified);
        table.end();
    }
}

impl Default for ContactWays {
    fn default() -> Self {
        Self {
            order: Check::ALL.iter().map(|(_, check)| *check).collect(),
            empty_user: EmptyUser::Refuse,
            conflict: ConflictMode::Conflict45035,
            codes_per_corp: 500_000,
            temp_codes_per_day: 100_000,
            read_lag_s: 0,
            unverified_may_follow: true,
        }
    }
}

// === impl Check ===

/// In the order that is the default.
impl Word for Check {
    const ALL: &'static [(&'static str, Self)] = &[
        ("token", Self::Token),
        ("permission", Self::Permission),
        ("params", Self::Params),
        ("config-id", Self::ConfigId),
        ("members", Self::Members),
    ];
}

// === impl EmptyUser ===

impl Word for EmptyUser {
    const ALL: &'static [(&'static str, Self)] = &[
        ("keep", Self::Keep),
        ("clear", Self::Clear),
        ("refuse", Self::Refuse),
    ];
}

// === impl ConflictMode ===

impl Word for ConflictMode {
    const ALL: &'static [(&'static str, Self)] = &[
        ("conflict-45035", Self::Conflict45035),
        ("conflict-6000", Self::Conflict6000),
        ("last-to-end", Self::LastToEnd),
    ];
}
