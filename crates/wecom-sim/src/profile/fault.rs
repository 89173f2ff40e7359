//! What goes wrong by itself.

use std::time::Duration;

use serde::Serialize;

use super::names::{API, CORP_ID};
use crate::{
    api::Api,
    given::{Section, Word, perhaps},
};

/// One thing that goes wrong by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fault {
    /// The API it befalls, by its [name](Api::name) or path as for [`Api::of_name`], such as `update_contact_way`;
    /// absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<String>,
    /// The enterprise it befalls, which has to be there; absent: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corp: Option<String>,
    /// How likely it is for one call, 0 to 1. Default 1.
    pub share: f64,
    /// How many calls it befalls in all; absent: no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// What happens: the keys `kind` and those of the kind, beside the others.
    #[serde(flatten)]
    pub what: FaultKind,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum FaultKind {
    /// The answer takes longer: a log-normal distribution. One that was drawn for a call has its delay as both.
    Latency {
        /// The median, in ms, 0.001 to an hour.
        median_ms: f64,
        /// The 99th percentile, in ms, the median to an hour.
        p99_ms: f64,
    },
    /// Nothing is done, and no answer comes.
    TimeoutBefore,
    /// It is done, and no answer comes.
    TimeoutAfter,
    /// The connection is reset; nothing is done.
    Reset,
    /// HTTP 502 with a page of HTML; nothing is done.
    #[serde(rename = "html-502")]
    Html502,
    /// `errcode` -1; nothing is done.
    Busy,
    /// `errcode` 0 with `Warning: wrong json format.`; all but the lists are done.
    WrongJson,
    /// It is done, and the body comes this slowly.
    SlowBody {
        /// Bytes a second, 1 to 1,000,000,000.
        bytes_per_s: u64,
    },
    /// This `errcode`; nothing is done.
    Errcode {
        /// The number, not 0.
        errcode: i64,
    },
}

/// The kinds by their words, before their own keys are read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    Latency,
    TimeoutBefore,
    TimeoutAfter,
    Reset,
    Html502,
    Busy,
    WrongJson,
    SlowBody,
    Errcode,
}

// === impl Fault ===

impl Fault {
    /// Returns a fault that befalls every call.
    #[must_use]
    pub fn always(what: FaultKind) -> Self {
        Self {
            api: None,
            corp: None,
            share: 1.0,
            times: None,
            what,
        }
    }

    /// Reads one; `None` if it is not known what is to go wrong. `corp` says what is expected of the id of an
    /// enterprise that is not there.
    pub(crate) fn read(
        mut table: Section<'_>,
        corp: &dyn Fn(&str) -> Result<(), String>,
    ) -> Option<Self> {
        let mut fault = Self::always(FaultKind::Busy);
        table.maybe_named("api", API, api_named, &mut fault.api);
        let named = |id: &str| corp(id).map(|()| String::from(id));
        table.maybe_named("corp", CORP_ID, named, &mut fault.corp);
        table.share("share", &mut fault.share);
        table.maybe_whole("times", 1..=u64::MAX, &mut fault.times);
        // Without its kind nobody knows which other keys it has.
        let kind = Kind::read(&mut table)?;
        let what = kind.with_keys(&mut table);
        table.end();
        fault.what = what?;
        Some(fault)
    }
}

/// Returns the name of a call, or what is expected.
pub(crate) fn api_named(given: &str) -> Result<String, String> {
    if let Some(api) = Api::of_name(given) {
        return Ok(String::from(api.name()));
    }
    let names = Api::ALL.map(Api::name);
    let short = given.strip_prefix("/cgi-bin/").unwrap_or(given);
    let near = perhaps(short, names.into_iter().chain(Api::ALL.map(Api::path)));
    let names = names.join(", ");
    Err(format!("one of {names}, or the path of one{near}"))
}

/// Says what is expected of the id of an enterprise that is not there. `some` are those that are, or the first ones.
pub(crate) fn no_corp<'a>(given: &str, some: impl Iterator<Item = &'a str>) -> String {
    let near = perhaps(given, some.take(MOST_COMPARED));
    format!("the id of an enterprise that is there{near}")
}

// === impl FaultKind ===

impl FaultKind {
    /// Returns how much longer the answer takes, of a latency that was drawn for a call.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        match self {
            Self::Latency { median_ms, .. } => {
                Some(Duration::try_from_secs_f64(median_ms / 1e3).unwrap_or_default())
            }
            _ => None,
        }
    }
}

// === impl Kind ===

impl Kind {
    fn read(table: &mut Section<'_>) -> Option<Self> {
        if !table.has("kind") {
            let words: Vec<&str> = Self::ALL.iter().map(|(word, _)| *word).collect();
            table.missing("kind", &format!("one of {}", words.join(", ")));
            return None;
        }
        let mut kind = None;
        table.maybe_word("kind", &mut kind);
        kind
    }

    /// Reads the keys that this kind has.
    fn with_keys(self, table: &mut Section<'_>) -> Option<FaultKind> {
        Some(match self {
            Self::Latency => {
                let median_ms = table.needed_number("median_ms", SHORTEST_MS..=LONGEST_MS);
                let least = median_ms.unwrap_or(SHORTEST_MS);
                let p99_ms = table.needed_number("p99_ms", least..=LONGEST_MS)?;
                let median_ms = median_ms?;
                FaultKind::Latency { median_ms, p99_ms }
            }
            Self::TimeoutBefore => FaultKind::TimeoutBefore,
            Self::TimeoutAfter => FaultKind::TimeoutAfter,
            Self::Reset => FaultKind::Reset,
            Self::Html502 => FaultKind::Html502,
            Self::Busy => FaultKind::Busy,
            Self::WrongJson => FaultKind::WrongJson,
            Self::SlowBody => {
                let bytes_per_s = table.needed_whole("bytes_per_s", 1..=1_000_000_000)?;
                FaultKind::SlowBody { bytes_per_s }
            }
            Self::Errcode => {
                let errcode = table.needed_whole("errcode", -1..=MOST_ERRCODE)?;
                if errcode == 0 {
                    table.wrong("errcode", Some("0"), "a number but 0, which is success");
                    return None;
                }
                FaultKind::Errcode { errcode }
            }
        })
    }
}

impl Word for Kind {
    const ALL: &'static [(&'static str, Self)] = &[
        ("latency", Self::Latency),
        ("timeout-before", Self::TimeoutBefore),
        ("timeout-after", Self::TimeoutAfter),
        ("reset", Self::Reset),
        ("html-502", Self::Html502),
        ("busy", Self::Busy),
        ("wrong-json", Self::WrongJson),
        ("slow-body", Self::SlowBody),
        ("errcode", Self::Errcode),
    ];
}

/// Ids that a wrong one is held against: enough for those that are written by hand.
const MOST_COMPARED: usize = 1000;

/// A microsecond: a logarithm needs a number above 0.
const SHORTEST_MS: f64 = 0.001;

/// An hour: longer than any client waits.
const LONGEST_MS: f64 = 3_600_000.0;

/// Far above the vendor's largest, 301007.
pub(crate) const MOST_ERRCODE: i64 = 999_999_999;
