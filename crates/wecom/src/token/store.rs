//! Where tokens are kept, so that processes share them.
//!
//! A store has to be atomic for one key and nothing more. It serves two ends that must not be mixed up: the
//! *lease* saves fetches (two holders cost one fetch too many, no more), the *generation* keeps order (an older
//! reply never takes the place of a newer one, whoever held what).

use std::{fmt, time::Duration};

use super::BoxFuture;
use crate::{error::BoxError, name::CorpId, secret::Secret};

/// Which token: of an enterprise, and of one of its apps, told by a hash of the secret it is fetched with.
///
/// A new secret is another key, so that a mended secret does not meet what the wrong one left behind.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct TokenKey {
    /// The enterprise.
    pub corp: CorpId,
    /// 16 hexadecimal digits of a BLAKE3 hash of the secret.
    pub app: Box<str>,
}

/// A token in a store.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stored {
    /// The token.
    pub token: Secret,
    /// How long it is still valid. A remainder and no date, so that no two calendars are compared.
    pub lasts: Duration,
    /// How long it was valid when it was fetched.
    pub whole: Duration,
    /// The number of the lease under which it was fetched. A store takes none with a smaller one.
    pub generation: u64,
}

/// Leave to fetch a token that only one process has; ends by itself.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lease {
    /// Greater than that of every lease before.
    pub generation: u64,
    /// Proves to the store who holds it.
    pub owner: Box<str>,
}

/// A place for tokens that several processes can share.
///
/// No error of a store reaches a caller while a token can be had without it: the one at hand is used on, and with
/// none at hand one is fetched without the lease. A call that takes longer than the store's
/// [timeout](super::Settings::timeouts) is given up and counts as failed; it may have been done.
pub trait TokenStore: Send + Sync + fmt::Debug + 'static {
    /// Returns the token, if there is one that has not expired.
    fn load<'a>(&'a self, key: &'a TokenKey) -> BoxFuture<'a, Result<Option<Stored>, BoxError>>;

    /// Takes the lease, unless somebody holds it. It ends after `lasts` if it is not given back.
    fn lease<'a>(
        &'a self,
        key: &'a TokenKey,
        lasts: Duration,
    ) -> BoxFuture<'a, Result<Option<Lease>, BoxError>>;

    /// Stores a token unless one of a later generation has been stored before, and returns the one that is there
    /// then: none if the later one has expired or was removed since.
    fn store<'a>(
        &'a self,
        key: &'a TokenKey,
        new: Stored,
    ) -> BoxFuture<'a, Result<Option<Stored>, BoxError>>;

    /// Gives the lease back, if it is still the holder's.
    fn release<'a>(
        &'a self,
        key: &'a TokenKey,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<(), BoxError>>;

    /// Removes the token if it is `value`, and returns whether it was.
    fn remove<'a>(
        &'a self,
        key: &'a TokenKey,
        value: &'a Secret,
    ) -> BoxFuture<'a, Result<bool, BoxError>>;
}
