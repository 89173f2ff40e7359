//! Ids as types of their own, so that none stands where another belongs.
//!
//! An id made by [`new`](UserId::new) is in the documented range. One out of a reply is taken at any length,
//! because WeCom knows what it calls its people, but not empty and not with white space or control
//! characters: that is no id, and could not be sent back.
//!
//! The ids of people have no `Display` and their `Debug` shows nothing.
//!
//! Events have types of their own ([`callback::UserId`], [`callback::ExternalUserId`]), since an event is never refused,
//! whatever stands in it, and a request is. `TryFrom` makes of them what goes into a call, under the rule for
//! replies.

use std::{fmt, num::NonZeroU32};

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use crate::{callback, error::Invalid};

/// Makes a newtype over a text that is an id.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $field:literal, $max:literal, $allowed:literal) => {
        $(#[$doc])*
        #[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// Returns the id, if it is one.
            ///
            /// # Errors
            ///
            #[doc = concat!("If it is not ", $allowed, ".")]
            pub fn new(id: impl Into<String>) -> Result<Self, Invalid> {
                let id = id.into();
                if id.len() > $max || !is_id(&id) {
                    // Only its length: it may be the id of a person, or hold one by mistake.
                    let what = format_args!("an id of {} bytes", id.len());
                    return Err(Invalid::new($field, what, $allowed));
                }
                Ok(Self(id.into()))
            }

            /// Returns the id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let id = String::deserialize(from)?;
                if !is_id(&id) {
                    return Err(D::Error::custom(concat!($field, " is not an id")));
                }
                Ok(Self(id.into()))
            }
        }
    };
}

/// Makes the `Debug` of an id that belongs to a person.
macro_rules! hidden {
    ($($name:ident)+) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )+};
}

/// Makes an id of one that an event told of.
macro_rules! told {
    ($($name:ident $field:literal)+) => {$(
        impl TryFrom<&callback::$name> for $name {
            type Error = Invalid;

            /// Takes the id out of an event, at any length, as one out of a reply.
            ///
            /// # Errors
            ///
            /// If it is empty or has white space or control characters: it could not be sent back.
            fn try_from(told: &callback::$name) -> Result<Self, Invalid> {
                let id = told.as_str();
                if !is_id(id) {
                    let what = format_args!("an id of {} bytes out of an event", id.len());
                    let allowed = "not empty, without white space and control characters";
                    return Err(Invalid::new($field, what, allowed));
                }
                Ok(Self(id.into()))
            }
        }

        impl TryFrom<callback::$name> for $name {
            type Error = Invalid;

            /// The same as of a reference.
            fn try_from(told: callback::$name) -> Result<Self, Invalid> {
                Self::try_from(&told)
            }
        }
    )+};
}

id! {
    /// The id of a member (`userid`): 1 to 64 bytes without white space and control characters.
    ///
    /// Plain ids consist of letters, digits and `_-@.` and are the same in upper and lower case; a third
    /// party's encrypted ids are not. So two ids are taken for one only if they are equal to the letter.
    ///
    /// `try_from` takes one out of an event, where it is a [`callback::UserId`], which may be anything:
    ///
    /// ```
    /// use wecom::{api::{UserId, Users}, callback};
    ///
    /// let told = callback::UserId::from("zhangsan"); // as in `Contact::user`
    /// let users = Users::one(UserId::try_from(&told)?);
    /// assert_eq!(users.as_slice()[0].as_str(), "zhangsan");
    ///
    /// let none = callback::UserId::from("");
    /// assert_eq!(UserId::try_from(&none).unwrap_err().field(), "userid");
    /// # Ok::<(), wecom::error::Invalid>(())
    /// ```
    UserId, "userid", 64, "1 to 64 bytes without white space and control characters"
}

id! {
    /// The id of a customer (`external_userid`): 1 to 128 bytes without white space and control characters. No
    /// limit is documented; those seen have 32.
    ///
    /// `try_from` takes one out of an event, where it is a [`callback::ExternalUserId`].
    ExternalUserId, "external_userid", 128, "1 to 128 bytes without white space and control characters"
}

id! {
    /// What `WeChat` calls a person in all apps of one owner (`unionid`): 1 to 128 bytes without white
    /// space and control characters. No limit is documented; those seen have 28.
    UnionId, "unionid", 128, "1 to 128 bytes without white space and control characters"
}

id! {
    /// The id of a contact way, that is of a live code (`config_id`): 1 to 128 bytes without white space and
    /// control characters. No limit is documented; those seen have 32.
    ///
    /// It names no person and may be shown. Store it before anything else is done with a new code: WeCom's
    /// console does not show codes made by API, and without its id one can never be changed or deleted.
    ConfigId, "config_id", 128, "1 to 128 bytes without white space and control characters"
}

hidden!(UserId ExternalUserId UnionId);

told!(UserId "userid" ExternalUserId "external_userid");

/// The id of a department (`party`, `department`): from 1, which is the enterprise itself, to 2³² - 1.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct PartyId(NonZeroU32);

// === impl ids of texts ===

fn is_id(text: &str) -> bool {
    let refused = |c: char| c.is_control() || c.is_whitespace();
    !text.is_empty() && !text.contains(refused)
}

impl fmt::Debug for ConfigId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ConfigId({self})")
    }
}

impl fmt::Display for ConfigId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// === impl PartyId ===

impl PartyId {
    /// The department that is the enterprise itself.
    pub const ROOT: Self = Self(NonZeroU32::MIN);

    /// Returns the id of this number.
    ///
    /// # Errors
    ///
    /// If it is 0.
    pub fn new(id: u32) -> Result<Self, Invalid> {
        let id = NonZeroU32::new(id).ok_or_else(|| Invalid::new("party", id, "1 to 4294967295"))?;
        Ok(Self(id))
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

impl TryFrom<u64> for PartyId {
    type Error = Invalid;

    /// Returns the id of this number, such as an event tells of.
    ///
    /// # Errors
    ///
    /// If it is 0 or above 2³² - 1.
    fn try_from(id: u64) -> Result<Self, Invalid> {
        let short = u32::try_from(id).ok().and_then(NonZeroU32::new);
        let id = short.ok_or_else(|| Invalid::new("party", id, "1 to 4294967295"))?;
        Ok(Self(id))
    }
}

impl fmt::Display for PartyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_has_its_range_and_its_name() {
        assert!(UserId::new("u".repeat(64)).is_ok());
        assert_eq!(UserId::new("u".repeat(65)).unwrap_err().field(), "userid");
        assert_eq!(UserId::new("").unwrap_err().field(), "userid");
        assert_eq!(UserId::new("zhang san").unwrap_err().field(), "userid");
        assert_eq!(
            ExternalUserId::new("\n").unwrap_err().field(),
            "external_userid"
        );
        assert_eq!(UnionId::new("\u{0}").unwrap_err().field(), "unionid");
        assert_eq!(
            ConfigId::new("c".repeat(129)).unwrap_err().field(),
            "config_id"
        );
        assert_eq!(PartyId::new(0).unwrap_err().field(), "party");
    }

    #[test]
    fn ids_of_people_are_not_shown() {
        let long = "zhangsan".repeat(9);
        let error = UserId::new(long.as_str()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("zhang"));
        assert_eq!(
            format!("{:?}", UserId::new("zhangsan").unwrap()),
            "UserId(..)"
        );
        assert_eq!(
            format!("{:?}", ExternalUserId::new("wm1").unwrap()),
            "ExternalUserId(..)"
        );
        assert_eq!(format!("{:?}", UnionId::new("oz1").unwrap()), "UnionId(..)");
        assert_eq!(
            format!("{:?}", ConfigId::new("42b3").unwrap()),
            "ConfigId(42b3)"
        );
    }

    #[test]
    fn what_an_event_tells_of_can_be_asked_for() {
        let long = "u".repeat(200);
        let user = callback::UserId::from(long.as_str());
        assert_eq!(UserId::try_from(&user).unwrap().as_str(), long);
        assert_eq!(UserId::try_from(user).unwrap().as_str(), long);
        let customer = callback::ExternalUserId::from("wmA");
        assert_eq!(ExternalUserId::try_from(&customer).unwrap().as_str(), "wmA");
        for bad in ["", "zhang san", "zhang\u{0}san", "\n"] {
            let error = UserId::try_from(&callback::UserId::from(bad)).unwrap_err();
            assert_eq!(error.field(), "userid");
            assert!(!format!("{error} {error:?}").contains("zhang"));
            let error = ExternalUserId::try_from(callback::ExternalUserId::from(bad));
            assert_eq!(error.unwrap_err().field(), "external_userid");
        }
        assert_eq!(PartyId::try_from(7_u64).unwrap().get(), 7);
        for bad in [0, 1 << 32] {
            assert_eq!(PartyId::try_from(bad).unwrap_err().field(), "party");
        }
    }

    #[test]
    fn an_id_out_of_a_reply_may_be_long_but_must_be_one() {
        let long = format!("\"{}\"", "u".repeat(200));
        assert_eq!(
            serde_json::from_str::<UserId>(&long)
                .unwrap()
                .as_str()
                .len(),
            200
        );
        for text in ["\"\"", "\"a b\"", "\"a\\u0001\"", "7", "null"] {
            let error = serde_json::from_str::<UserId>(text).unwrap_err();
            assert!(!error.to_string().contains("a b"));
        }
    }
}
