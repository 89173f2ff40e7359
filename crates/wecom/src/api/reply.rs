//! What replies have in common: how lenient their reading is.

use std::time::Duration;

use serde::{Deserialize, Deserializer};

use super::UnionId;

/// The reply of a call that returns nothing but that it was done.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[non_exhaustive]
pub struct Done {}

/// Reads a value, and `null` as the default of its type.
pub(super) fn nullable<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// Reads a text; `null` and the empty one are none.
pub(super) fn non_empty<'de, D>(from: D) -> Result<Option<String>, D::Error>
where
    D: Deserializer<'de>,
{
    let text: Option<String> = Option::deserialize(from)?;
    Ok(text.filter(|text| !text.is_empty()))
}

/// Reads an id; `null`, the empty text and what is no id are none.
pub(super) fn unionid<'de, D>(from: D) -> Result<Option<UnionId>, D::Error>
where
    D: Deserializer<'de>,
{
    Ok(non_empty(from)?.and_then(|text| UnionId::new(text).ok()))
}

/// Reads seconds; `null`, 0 and less are none.
pub(super) fn seconds<'de, D>(from: D) -> Result<Option<Duration>, D::Error>
where
    D: Deserializer<'de>,
{
    let seconds: Option<i64> = Option::deserialize(from)?;
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    Ok(seconds
        .filter(|&seconds| seconds > 0)
        .map(Duration::from_secs))
}

/// Makes an enum of numbers, of which one that is not known stays the number it is.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
            /// Another number, which this version does not know; 0 also if there was none.
            Other(i64),
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                match number {
                    $($number => Self::$variant,)+
                    other => Self::Other(other),
                }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::from(0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                crate::api::reply::nullable::<D, i64>(from).map(Self::from)
            }
        }
    };
}

pub(super) use numbered;
