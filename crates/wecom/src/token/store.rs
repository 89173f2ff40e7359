//! Where tokens are kept, so that processes share them.
//!
//! A store has to be atomic for one key and nothing more. It serves two ends that must not be mixed up: the
//! *lease* saves fetches (two holders cost one fetch too many, no more), the *generation* keeps order (an older
//! reply never takes the place of a newer one, whoever held what).

use std::{fmt, time::Duration};

use super::BoxFuture;
use crate::{
    error::{BoxError, Plain},
    name::CorpId,
    secret::Secret,
};

/// The longest token, in bytes. The documentation says to reserve 512 (path/91039); one too long for an address would be
/// kept and fail every call of its life.
pub(crate) const LONGEST_TOKEN: usize = 4096;

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
    /// The number of the lease under which it was fetched. A store takes none with a smaller one, nor one of
    /// 9 × 10¹⁵ or more: no lease has ever had that, and there must be room for those to come.
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

// === impl Stored ===

impl Stored {
    /// Every generation is below this. What `redis/common.lua` says, too.
    const MOST: u64 = 9_000_000_000_000_000;

    /// Returns whether it can be a token at all: one that is empty, or too long for an address, would fail every call,
    /// and WeCom would never be asked whether it is still good.
    pub(super) fn is_token(&self) -> bool {
        (1..=LONGEST_TOKEN).contains(&self.token.reveal().len())
    }

    /// Refuses one that would make all later ones look too old.
    pub(super) fn check_generation(&self) -> Result<(), BoxError> {
        if self.generation < Self::MOST {
            return Ok(());
        }
        Err(Plain("a token's generation is 9000000000000000 or more, which no lease has").into())
    }
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
    /// then: none if the later one has expired or was removed since. Fails for a generation that no lease can have.
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
