//! Where a user stands this hour.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    time::Duration,
};

use http::Extensions;

use crate::{clock::nanos, priority::User};

/// The order of users, drawn anew every epoch: a keyed BLAKE3 hash of (number of the epoch, identity).
///
/// Replicas with the same key and epoch agree without talking, as far as their calendars do. Entries that
/// are no HTTP service (a consumer of a queue, a scheduler) use it directly:
///
/// ```
/// use std::time::Duration;
///
/// use dagor::{Clock, entry::UserHash};
///
/// let hash = UserHash::default();
/// let (clock, hand) = Clock::manual();
/// let before = hash.user(clock.calendar(), b"alice");
/// hand.advance(Duration::from_secs(3599));
/// assert_eq!(hash.user(clock.calendar(), b"alice"), before, "the same all through the hour");
/// hand.advance(Duration::from_secs(1));
/// assert_ne!(hash.user(clock.calendar(), b"alice"), before, "and drawn anew in the next");
/// ```
#[derive(Clone)]
pub struct UserHash {
    key: [u8; 32],
    epoch_ns: u64,
}

/// Bytes that stand for the host a request came from.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Host {
    V4([u8; 4]),
    /// The upper half of an IPv6 address: a host chooses the lower one, and would choose until it likes
    /// its place.
    V6([u8; 8]),
}

// === impl UserHash ===

impl UserHash {
    /// The key unless another is set. It is known to everybody: see [`new`](Self::new).
    pub const DEFAULT_KEY: [u8; 32] = *b"dagor: order of users, version 1";
    /// How long an order lasts unless set otherwise: the paper's hour.
    pub const DEFAULT_EPOCH: Duration = Duration::from_secs(3600);
    /// The shortest epoch.
    pub const SHORTEST_EPOCH: Duration = Duration::from_secs(1);

    /// Returns the order drawn with `key` every `epoch` (at least [`SHORTEST_EPOCH`](Self::SHORTEST_EPOCH),
    /// which shorter ones become).
    ///
    /// All replicas of an entry need the same key, or a user is first on one and last on another. Make it a
    /// secret wherever users choose their own identities: whoever knows it can compute which names come
    /// first this hour, and register them.
    #[must_use]
    pub fn new(key: [u8; 32], epoch: Duration) -> Self {
        Self {
            key,
            epoch_ns: nanos(epoch.max(Self::SHORTEST_EPOCH)),
        }
    }

    /// Returns where the user of this identity stands at `calendar`, the time since the Unix epoch.
    #[must_use]
    pub fn user(&self, calendar: Duration, identity: &[u8]) -> User {
        let epoch = nanos(calendar) / self.epoch_ns;
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(&epoch.to_le_bytes()).update(identity);
        let [a, b, c, d, e, f, g, h, ..] = *hasher.finalize().as_bytes();
        User::from_hash(u64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }
}

impl Default for UserHash {
    fn default() -> Self {
        Self::new(Self::DEFAULT_KEY, Self::DEFAULT_EPOCH)
    }
}

/// Without the key, which may be a secret.
impl fmt::Debug for UserHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserHash")
            .field("epoch", &Duration::from_nanos(self.epoch_ns))
            .finish_non_exhaustive()
    }
}

// === impl Host ===

impl Host {
    /// Returns the host that a connection came from, where the server noted it in the extensions: as a
    /// `SocketAddr` or as axum's `ConnectInfo` (feature `axum`).
    pub(super) fn of(extensions: &Extensions) -> Option<Self> {
        #[cfg(feature = "axum")]
        if let Some(peer) = super::axum::peer(extensions) {
            return Some(Self::from(peer.ip()));
        }
        extensions
            .get::<SocketAddr>()
            .map(|peer| Self::from(peer.ip()))
    }

    pub(super) const fn as_bytes(&self) -> &[u8] {
        match self {
            Self::V4(address) => address,
            Self::V6(network) => network,
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self::V4(address.octets()),
            IpAddr::V6(address) => {
                let [a, b, c, d, e, f, g, h, ..] = address.octets();
                Self::V6([a, b, c, d, e, f, g, h])
            }
        }
    }
}
