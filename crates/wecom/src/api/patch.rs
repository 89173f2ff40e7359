//! A field of an update: leave it, clear it, or set it.
//!
//! WeCom takes an absent field for "leave it" and an empty one for "clear it" (in another of its calls,
//! where clients that drop empty values could never clear anything). An `Option` has two states for these
//! three, so it is not used, and there is no conversion from it.

use serde::{Serialize, Serializer};

use super::{Parties, Remark, State, UnionId};

/// What an update does with one field.
///
/// Only a field that can be empty has one. A code without members is nothing that WeCom documents, so this
/// does not compile:
///
/// ```compile_fail,E0277
/// use wecom::api::{Patch, Users};
///
/// let nobody: Patch<Users> = Patch::Clear;
/// ```
///
/// The field that is set needs no word for it:
///
/// ```
/// use wecom::api::{Patch, Remark};
///
/// let patch: Patch<Remark> = Remark::new("门店 3")?.into();
/// assert_ne!(patch, Patch::Clear);
/// # Ok::<(), wecom::error::Invalid>(())
/// ```
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
pub enum Patch<T: Clearable> {
    /// It stays as it is: the field is not sent.
    #[default]
    Leave,
    /// It is emptied: the field is sent in its empty form, an empty text or an empty list.
    Clear,
    /// It gets this value.
    Set(T),
}

/// A field that can be emptied.
pub trait Clearable: Serialize + sealed::Sealed {
    /// The empty form, as it is sent.
    #[doc(hidden)]
    type Empty: Serialize + Default;
}

mod sealed {
    #[expect(unnameable_types, reason = "it seals the trait")]
    pub trait Sealed {}
}

// === impl Clearable ===

macro_rules! clearable {
    ($($name:ident: $empty:ty)+) => {$(
        impl sealed::Sealed for $name {}
        impl Clearable for $name {
            type Empty = $empty;
        }
    )+};
}

clearable! {
    Parties: [u32; 0]
    Remark: &'static str
    State: &'static str
    UnionId: &'static str
}

// === impl Patch ===

impl<T: Clearable> Patch<T> {
    pub(super) const fn is_leave(&self) -> bool {
        matches!(self, Self::Leave)
    }
}

impl<T: Clearable> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

/// For a struct that skips the field when it is [left](Patch::Leave).
impl<T: Clearable> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Leave => to.serialize_none(),
            Self::Clear => T::Empty::default().serialize(to),
            Self::Set(value) => value.serialize(to),
        }
    }
}
