//! Who goes first: the words every other module speaks in.
//!
//! A request carries a [`Priority`]: which [`Business`] it belongs to and where its [`User`] stands this
//! hour. A service publishes a [`Level`]: the point in that order up to which it admits. Small numbers
//! are important. Business comes first, user second, so a whole user is served or refused together
//! and a task of several calls does not die half-way.
//!
//! The paper has 128 user levels. Each is split once more into 256 sub-levels by further bits of the
//! same hash, so that a level can cut inside one user level: without them a workload whose users all
//! fall into one level could only be served whole or not at all.
//!
//! ```
//! use dagor::{Business, Level, Priority, Progress, User};
//!
//! let login = Priority::new(Business::new(0), User::new(90, 0)?);
//! let search = Priority::new(Business::new(5), User::new(3, 0)?);
//! assert!(login < search, "business decides before user");
//!
//! let level = Level::at(search);
//! assert!(level.admits(login, Progress::New));
//! assert!(!level.admits(search, Progress::New), "a level is the first priority refused");
//! assert!(level.admits(search, Progress::InProgress), "once served, only the business counts");
//! # Ok::<(), dagor::OutOfRange>(())
//! ```

use std::{error, fmt};

/// The business a request belongs to: 0 to 255, small is important.
///
/// Set once, at the entry service, from a table. A service that distinguishes fewer businesses (8 by
/// default) treats every larger number as its last one.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Business(u8);

/// Where a user stands inside a business: 128 levels of 256 sub-levels, small is important.
///
/// Derived from a keyed hash of the user's identity that changes every hour, so nobody is last for
/// ever; see [`entry`](crate::entry).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct User(u16);

/// The compound priority of one request: business first, then user. Smaller is more important.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Priority {
    business: Business,
    user: User,
}

/// Whether this service already served an earlier call of the same task.
///
/// The work done for a task in progress would be lost by refusing it, so it is judged by its business
/// alone and waits before new tasks of that business.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Progress {
    /// No call of the task was served here yet.
    New,
    /// An earlier call of the task was served here, by any instance.
    InProgress,
}

/// The admission level of one service instance: the first priority that is *not* admitted.
///
/// [`Level::OPEN`] admits everything; [`Level::FLOOR`], the lowest there is, still admits the most
/// important user level of the most important business.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Level(u32);

/// A number outside the range its type allows; says which and what would do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct OutOfRange {
    what: &'static str,
    value: u64,
    allowed: (u64, u64),
}

// === impl Business ===

impl Business {
    /// The most important business, 0.
    pub const MOST_IMPORTANT: Self = Self(0);
    /// The least important business, 255; what an unknown request is given.
    pub const LEAST_IMPORTANT: Self = Self(u8::MAX);

    /// Returns the business of this number; every number is valid.
    #[must_use]
    pub const fn new(number: u8) -> Self {
        Self(number)
    }

    /// Returns the number, 0 to 255.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Business {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

// === impl User ===

impl User {
    /// The most important user level and sub-level.
    pub const MOST_IMPORTANT: Self = Self(0);
    /// The least important user level and sub-level.
    pub const LEAST_IMPORTANT: Self = Self(Self::COUNT - 1);
    /// User levels inside a business, the paper's 128.
    pub const LEVELS: u16 = 128;
    /// Sub-levels inside a user level.
    pub const SUB_LEVELS: u16 = 256;

    const COUNT: u16 = Self::LEVELS * Self::SUB_LEVELS;

    /// Returns the user at `level` (0 to 127) and `sub_level` (0 to 255).
    ///
    /// # Errors
    ///
    /// If `level` is above 127.
    pub const fn new(level: u8, sub_level: u8) -> Result<Self, OutOfRange> {
        if level as u16 >= Self::LEVELS {
            return Err(OutOfRange::new("user level", level as u64, (0, 127)));
        }
        Ok(Self(level as u16 * Self::SUB_LEVELS + sub_level as u16))
    }

    /// Returns the user that a hash falls on: its 15 highest bits.
    #[must_use]
    pub const fn from_hash(hash: u64) -> Self {
        // 15 bits always fit.
        Self((hash >> 49) as u16)
    }

    /// Returns the user level, 0 to 127.
    #[must_use]
    pub const fn level(self) -> u8 {
        self.0.to_be_bytes()[0]
    }

    /// Returns the sub-level, 0 to 255.
    #[must_use]
    pub const fn sub_level(self) -> u8 {
        self.0.to_be_bytes()[1]
    }
}

// === impl Priority ===

impl Priority {
    /// Before everything else.
    pub const MOST_IMPORTANT: Self = Self::new(Business::MOST_IMPORTANT, User::MOST_IMPORTANT);
    /// After everything else; what an unknown request is given.
    pub const LEAST_IMPORTANT: Self = Self::new(Business::LEAST_IMPORTANT, User::LEAST_IMPORTANT);

    /// Keys of one business: 128 user levels of 256 sub-levels.
    pub(crate) const PER_BUSINESS: u32 = User::COUNT as u32;

    /// Returns the priority of `user` inside `business`.
    #[must_use]
    pub const fn new(business: Business, user: User) -> Self {
        Self { business, user }
    }

    /// Returns the business.
    #[must_use]
    pub const fn business(self) -> Business {
        self.business
    }

    /// Returns the user.
    #[must_use]
    pub const fn user(self) -> User {
        self.user
    }

    /// Returns the priority as one number, 0 to 2^23 - 1, in the same order.
    #[must_use]
    pub const fn key(self) -> u32 {
        self.business.0 as u32 * Self::PER_BUSINESS + self.user.0 as u32
    }

    /// Returns this priority with a business of at most `last`, for a service that tells fewer apart.
    #[must_use]
    pub fn clamped(self, last: Business) -> Self {
        Self::new(self.business.min(last), self.user)
    }
}

// === impl Level ===

impl Level {
    /// Admits everything: 2^23, whatever the number of businesses.
    pub const OPEN: Self = Self(256 * Priority::PER_BUSINESS);
    /// The lowest level: admits user level 0 of business 0, so silence is never complete.
    pub const FLOOR: Self = Self(User::SUB_LEVELS as u32);

    /// Returns the level with this number.
    ///
    /// # Errors
    ///
    /// If `number` is not in [`FLOOR`](Self::FLOOR) (256) to [`OPEN`](Self::OPEN) (8,388,608).
    pub const fn new(number: u32) -> Result<Self, OutOfRange> {
        if number < Self::FLOOR.0 || number > Self::OPEN.0 {
            let allowed = (Self::FLOOR.0 as u64, Self::OPEN.0 as u64);
            return Err(OutOfRange::new("level", number as u64, allowed));
        }
        Ok(Self(number))
    }

    /// Returns the level whose first refused priority is `priority`, at least the floor.
    #[must_use]
    pub fn at(priority: Priority) -> Self {
        Self(priority.key()).max(Self::FLOOR)
    }

    /// Returns the number, 256 to 8,388,608.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns whether everything is admitted.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.0 == Self::OPEN.0
    }

    /// Returns whether a request is admitted: the one rule, used by caller and callee alike.
    ///
    /// A new task is admitted if its priority is below the level; a task in progress already if its
    /// business begins below the level.
    #[must_use]
    pub const fn admits(self, priority: Priority, progress: Progress) -> bool {
        match progress {
            Progress::New => priority.key() < self.0,
            Progress::InProgress => (priority.business.0 as u32) * Priority::PER_BUSINESS < self.0,
        }
    }
}

impl Default for Level {
    fn default() -> Self {
        Self::OPEN
    }
}

/// For people: `open`, or the first priority that is refused, as in `before business 1, user 87`.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_open() {
            return f.write_str("open");
        }
        let business = self.0 / Priority::PER_BUSINESS;
        let user = self.0 % Priority::PER_BUSINESS / u32::from(User::SUB_LEVELS);
        write!(f, "before business {business}, user {user}")
    }
}

// === impl OutOfRange ===

impl OutOfRange {
    pub(crate) const fn new(what: &'static str, value: u64, allowed: (u64, u64)) -> Self {
        Self {
            what,
            value,
            allowed,
        }
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            what,
            value,
            allowed: (low, high),
        } = self;
        write!(f, "{what} {value} is outside {low} to {high}")
    }
}

impl error::Error for OutOfRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_bound_the_order() {
        assert_eq!(Priority::MOST_IMPORTANT.key(), 0);
        assert_eq!(Priority::LEAST_IMPORTANT.key(), Level::OPEN.get() - 1);
        assert!(Level::OPEN.admits(Priority::LEAST_IMPORTANT, Progress::New));
        assert!(Level::FLOOR.admits(Priority::MOST_IMPORTANT, Progress::New));
    }

    #[test]
    fn user_keeps_its_two_parts() {
        let user = User::new(127, 255).unwrap();
        assert_eq!((user.level(), user.sub_level()), (127, 255));
        assert_eq!(user, User::LEAST_IMPORTANT);
        assert_eq!(User::from_hash(u64::MAX), User::LEAST_IMPORTANT);
        assert_eq!(User::from_hash(0), User::MOST_IMPORTANT);
    }

    #[test]
    fn out_of_range_names_value_and_range() {
        let error = User::new(128, 0).unwrap_err();
        assert_eq!(error.to_string(), "user level 128 is outside 0 to 127");
        let error = Level::new(255).unwrap_err();
        assert_eq!(error.to_string(), "level 255 is outside 256 to 8388608");
    }

    #[test]
    fn a_level_says_what_it_refuses_first() {
        let priority = Priority::new(Business::new(1), User::new(87, 200).unwrap());
        assert_eq!(
            Level::at(priority).to_string(),
            "before business 1, user 87"
        );
        assert_eq!(Level::OPEN.to_string(), "open");
    }

    #[test]
    fn progress_never_turns_an_admit_into_a_refusal() {
        for key in (0..Level::OPEN.get()).step_by(4099) {
            let [_, business, high, low] = key.to_be_bytes();
            let business = Business::new((business << 1) | (high >> 7));
            let priority = Priority::new(business, User::new(high & 127, low).unwrap());
            assert_eq!(priority.key(), key);
            for level in (256..=Level::OPEN.get()).step_by(65_521) {
                let level = Level::new(level).unwrap();
                let new = level.admits(priority, Progress::New);
                assert!(!new || level.admits(priority, Progress::InProgress));
            }
        }
    }
}
