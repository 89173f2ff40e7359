//! The names of policies, as files, commands and reports have them.

use std::{fmt, str::FromStr};

/// A policy by name; in the order in which reports show them.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Name {
    /// No control: everybody waits in line.
    None,
    /// tower's `concurrency_limit` and `load_shed`.
    Tower,
    /// Controlled delay: requests that waited too long are dropped from the head of the line.
    Codel,
    /// SEDA's response time controller: additive increase, multiplicative decrease of the admitted rate.
    Seda,
    /// The Vegas concurrency limit.
    Vegas,
    /// The Gradient2 concurrency limit.
    Gradient2,
    /// Client throttling as in Google's SRE book.
    Sre,
    /// Breakwater's credits.
    Breakwater,
    /// DAGOR as Breakwater's authors wrote it.
    BreakwaterDagor,
    /// Uber's Cinnamon: a PID controller that rejects by priority.
    Cinnamon,
    /// Rajomon's tokens and prices.
    Rajomon,
    /// The paper's law at the callee alone.
    Paper,
    /// The paper's law with callers that obey the level and tell nothing.
    PaperBlind,
    /// The paper's law at the callee, by response time over 250 ms instead of queuing time.
    PaperResponse,
    /// dagor.
    Dagor,
    /// tower-resilience's AIMD limit; live only.
    ResilienceAimd,
    /// tower-resilience's Vegas limit; live only.
    ResilienceVegas,
    /// tower-acc's Vegas limit; live only.
    Acc,
    /// governor as a fixed quota at the measured capacity; live only.
    Governor,
}

/// No policy has this name.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownName(pub String);

impl Name {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 19] = [
        Self::None,
        Self::Tower,
        Self::Codel,
        Self::Seda,
        Self::Vegas,
        Self::Gradient2,
        Self::Sre,
        Self::Breakwater,
        Self::BreakwaterDagor,
        Self::Cinnamon,
        Self::Rajomon,
        Self::Paper,
        Self::PaperBlind,
        Self::PaperResponse,
        Self::Dagor,
        Self::ResilienceAimd,
        Self::ResilienceVegas,
        Self::Acc,
        Self::Governor,
    ];

    /// Returns the word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Tower => "tower",
            Self::Codel => "codel",
            Self::Seda => "seda",
            Self::Vegas => "vegas",
            Self::Gradient2 => "gradient2",
            Self::Sre => "sre",
            Self::Breakwater => "breakwater",
            Self::BreakwaterDagor => "breakwater-dagor",
            Self::Cinnamon => "cinnamon",
            Self::Rajomon => "rajomon",
            Self::Paper => "paper",
            Self::PaperBlind => "paper-blind",
            Self::PaperResponse => "paper-response",
            Self::Dagor => "dagor",
            Self::ResilienceAimd => "resilience-aimd",
            Self::ResilienceVegas => "resilience-vegas",
            Self::Acc => "acc",
            Self::Governor => "governor",
        }
    }

    /// Returns whether virtual time can run it: those that read the system's clock by themselves cannot.
    #[must_use]
    pub const fn is_simulated(self) -> bool {
        !matches!(
            self,
            Self::ResilienceAimd | Self::ResilienceVegas | Self::Acc | Self::Governor
        )
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Name {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let found = Self::ALL.into_iter().find(|name| name.as_str() == text);
        found.ok_or_else(|| UnknownName(text.into()))
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy = {:?}, expected one of", self.0)?;
        for name in Name::ALL {
            write!(f, " {name}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownName {}
