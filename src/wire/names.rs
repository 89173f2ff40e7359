//! What the fields are called.

#[cfg(not(feature = "http"))]
use std::borrow::Cow;
use std::{error, fmt};

#[cfg(feature = "http")]
use http::HeaderName;

/// The names of the three fields; the same for every service that talks to one another.
///
/// ```
/// use dagor::wire::{Name, Names};
///
/// let names = Names { priority: Name::new("x-priority")?, ..Names::default() };
/// assert_eq!(names.priority.as_str(), "x-priority");
/// assert_eq!(names.level.as_str(), "dagor-level");
/// # Ok::<(), dagor::wire::InvalidName>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Names {
    /// On requests: [`PriorityField`](super::PriorityField). Default `dagor-priority`.
    pub priority: Name,
    /// On responses: [`LevelField`](super::LevelField). Default `dagor-level`.
    pub level: Name,
    /// On requests: [`DemandField`](super::DemandField). Default `dagor-demand`.
    pub demand: Name,
}

/// The name of a field: a token in lower case that HTTP headers, gRPC metadata and record headers all
/// take.
///
/// Ready for the header map, so that looking a field up does not check its name again.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Name(
    #[cfg(feature = "http")] HeaderName,
    #[cfg(not(feature = "http"))] Cow<'static, str>,
);

/// A text that cannot be the name of a field; says why.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct InvalidName {
    name: String,
    problem: &'static str,
}

// === impl Names ===

impl Default for Names {
    fn default() -> Self {
        Self {
            priority: Name::known("dagor-priority"),
            level: Name::known("dagor-level"),
            demand: Name::known("dagor-demand"),
        }
    }
}

// === impl Name ===

impl Name {
    /// Bytes a name may have.
    pub const LONGEST: usize = 64;

    /// Returns the name.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than [`LONGEST`](Self::LONGEST), not of `a-z`, `0-9`, `-`, `_` and `.`, or
    /// reserved by gRPC (begins with `grpc-` or ends with `-bin`).
    pub fn new(name: &str) -> Result<Self, InvalidName> {
        let fault = |problem| InvalidName {
            name: name.chars().take(Self::LONGEST).collect(),
            problem,
        };
        if name.is_empty() || name.len() > Self::LONGEST {
            return Err(fault("a name has 1 to 64 bytes"));
        }
        let token = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
        if !name.bytes().all(token) {
            return Err(fault("a name is of a-z, 0-9, -, _ and . only"));
        }
        if name.starts_with("grpc-") || name.ends_with("-bin") {
            return Err(fault("names grpc-* and *-bin are gRPC's own"));
        }
        #[cfg(feature = "http")]
        {
            let header = HeaderName::from_lowercase(name.as_bytes());
            header.map(Self).map_err(|_| fault("no header has it"))
        }
        #[cfg(not(feature = "http"))]
        Ok(Self(Cow::Owned(name.to_owned())))
    }

    /// Returns the name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        #[cfg(feature = "http")]
        return self.0.as_str();
        #[cfg(not(feature = "http"))]
        &self.0
    }

    /// Returns the name as that of a header.
    #[cfg(feature = "http")]
    #[must_use]
    pub const fn header(&self) -> &HeaderName {
        &self.0
    }

    /// Returns a name known to be valid.
    const fn known(name: &'static str) -> Self {
        #[cfg(feature = "http")]
        return Self(HeaderName::from_static(name));
        #[cfg(not(feature = "http"))]
        Self(Cow::Borrowed(name))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl InvalidName ===

impl fmt::Display for InvalidName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid field name {:?}: {}", self.name, self.problem)
    }
}

impl error::Error for InvalidName {}
