//! How priority, level and demand travel: three short texts, the same in every protocol.
//!
//! | field | on | text | says |
//! |---|---|---|---|
//! | `dagor-priority` | requests | `3, 17;s=200;p;t=350` | business 3, user level 17.200, in progress, 350 ms left |
//! | `dagor-demand` | requests | `3;n=120, 5;n=40` | withheld from this instance since the last request |
//! | `dagor-level` | responses | `131072;w=3;r=8;shed` | admits below 131072; 3 wait, 8 run; this one was refused |
//!
//! The texts are structured fields (RFC 9651): lists of integers with parameters. What a reader does not
//! know, parameters and further members, it steps over, so later versions may add to them. What it
//! cannot use (no structured field, a number out of range, two lines of a name, a text longer than any
//! valid one) it ignores as if it were not there, and says why: a peer's mistake costs the peer its
//! priority and never the request.
//!
//! A [`Carrier`] is whatever takes them along: HTTP headers, which are gRPC's metadata too, or a plain map
//! for the headers of a record.
//!
//! ```
//! use std::{collections::BTreeMap, time::Duration};
//!
//! use dagor::{
//!     Business, Priority, Progress, User,
//!     observe::FieldFault,
//!     wire::{Carrier, Names, PriorityField, Reading, read_priority, write_priority},
//! };
//!
//! let names = Names::default();
//! let sent = PriorityField {
//!     priority: Priority::new(Business::new(3), User::new(17, 200)?),
//!     progress: Progress::InProgress,
//!     budget: Some(Duration::from_millis(350)),
//! };
//!
//! let mut record = BTreeMap::new();
//! write_priority(&mut record, &names, &sent);
//! assert_eq!(record["dagor-priority"], b"3, 17;s=200;p;t=350");
//! assert_eq!(read_priority(&record, &names), Reading::Valid(sent));
//!
//! record.set(&names.priority, "3, 128");
//! assert_eq!(
//!     read_priority(&record, &names),
//!     Reading::Ignored(FieldFault::Malformed),
//!     "there are 128 user levels, 0 to 127"
//! );
//! # Ok::<(), dagor::OutOfRange>(())
//! ```

use std::collections::BTreeMap;

use crate::observe::FieldFault;

mod demand;
mod fields;
#[cfg(feature = "grpc")]
pub mod grpc;
#[cfg(feature = "http")]
mod http;
mod names;
mod scan;
#[cfg(test)]
mod tests;
mod text;

pub use self::{
    demand::DemandField,
    fields::{LevelField, Outcome, PriorityField},
    names::{InvalidName, Name, Names},
    text::TextBuf,
};

/// Something that takes named texts from one service to another.
///
/// Implemented for `http::HeaderMap` (feature `http`), for a map, and for a list of
/// pairs, in which a name can stand more than once.
pub trait Carrier {
    /// Returns the field of this name.
    fn get(&self, name: &Name) -> Field<'_>;

    /// Sets the field to `value`, instead of all there were of this name.
    fn set(&mut self, name: &Name, value: &str);

    /// Removes all fields of this name.
    fn remove(&mut self, name: &Name);
}

/// A field as it was found in a [`Carrier`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Field<'a> {
    /// There is none.
    Absent,
    /// There is one, of these bytes.
    One(&'a [u8]),
    /// There are several of this name, which none of ours is sent as.
    Repeated,
}

/// What came of reading a field.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Reading<T> {
    /// There is none.
    Absent,
    /// There is one and it can be used.
    Valid(T),
    /// There is one that cannot be used; to be treated as absent, and counted.
    Ignored(FieldFault),
}

/// Reads the priority of a request.
#[inline]
pub fn read_priority(carrier: &impl Carrier, names: &Names) -> Reading<PriorityField> {
    Reading::of(carrier.get(&names.priority), PriorityField::parse)
}

/// Reads the level that a response carries.
#[inline]
pub fn read_level(carrier: &impl Carrier, names: &Names) -> Reading<LevelField> {
    Reading::of(carrier.get(&names.level), LevelField::parse)
}

/// Reads what the sender of a request withheld before it.
#[inline]
pub fn read_demand(carrier: &impl Carrier, names: &Names) -> Reading<DemandField> {
    Reading::of(carrier.get(&names.demand), DemandField::parse)
}

/// Puts a priority on a request, instead of any it has.
#[inline]
pub fn write_priority(carrier: &mut impl Carrier, names: &Names, field: &PriorityField) {
    carrier.set(&names.priority, field.text().as_str());
}

/// Puts a level on a response, instead of any it has.
#[inline]
pub fn write_level(carrier: &mut impl Carrier, names: &Names, field: &LevelField) {
    carrier.set(&names.level, field.text().as_str());
}

/// Puts on a request what was withheld before it, instead of any it has; nothing if that is nothing.
#[inline]
pub fn write_demand(carrier: &mut impl Carrier, names: &Names, field: &DemandField) {
    if field.is_empty() {
        carrier.remove(&names.demand);
    } else {
        carrier.set(&names.demand, &field.to_string());
    }
}

// === impl Reading ===

impl<T> Reading<T> {
    /// Returns the field, if there is one that can be used.
    pub fn valid(self) -> Option<T> {
        match self {
            Self::Valid(field) => Some(field),
            Self::Absent | Self::Ignored(_) => None,
        }
    }

    /// Returns why a field was ignored, if one was.
    pub const fn fault(&self) -> Option<FieldFault> {
        match self {
            Self::Ignored(fault) => Some(*fault),
            Self::Absent | Self::Valid(_) => None,
        }
    }

    #[inline]
    fn of(field: Field<'_>, parse: impl FnOnce(&[u8]) -> Result<T, FieldFault>) -> Self {
        match field {
            Field::Absent => Self::Absent,
            Field::One(text) => match parse(text) {
                Ok(field) => Self::Valid(field),
                Err(fault) => Self::Ignored(fault),
            },
            Field::Repeated => Self::Ignored(FieldFault::Repeated),
        }
    }
}

// === impl Carrier ===

impl Carrier for BTreeMap<String, Vec<u8>> {
    fn get(&self, name: &Name) -> Field<'_> {
        match self.get(name.as_str()) {
            Some(value) => Field::One(value),
            None => Field::Absent,
        }
    }

    fn set(&mut self, name: &Name, value: &str) {
        self.insert(name.as_str().to_owned(), value.as_bytes().to_vec());
    }

    fn remove(&mut self, name: &Name) {
        self.remove(name.as_str());
    }
}

impl Carrier for Vec<(String, Vec<u8>)> {
    fn get(&self, name: &Name) -> Field<'_> {
        let mut all = self.iter().filter(|(key, _)| key == name.as_str());
        match (all.next(), all.next()) {
            (None, _) => Field::Absent,
            (Some((_, value)), None) => Field::One(value),
            (Some(_), Some(_)) => Field::Repeated,
        }
    }

    fn set(&mut self, name: &Name, value: &str) {
        Carrier::remove(self, name);
        self.push((name.as_str().to_owned(), value.as_bytes().to_vec()));
    }

    fn remove(&mut self, name: &Name) {
        self.retain(|(key, _)| key != name.as_str());
    }
}
