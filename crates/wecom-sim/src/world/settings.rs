//! The parts of a profile that may be changed while the world runs.

use crate::{
    profile::{Callbacks, ContactWays, Fault, Profile, Tokens, WindowKind, Windows, api_named},
    world::Mistake,
};

/// What can be switched while the world runs; the enterprises have methods of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The vendor's limits.
    pub windows: Windows,
    /// How tokens are given out.
    pub tokens: Tokens,
    /// How contact ways behave where the documents are silent.
    pub contact_ways: ContactWays,
    /// What goes wrong by itself.
    pub faults: Vec<Fault>,
    /// How callbacks are sent.
    pub callbacks: Callbacks,
}

/// The largest limit of a window: each call admitted is remembered with 8 bytes for an hour.
pub const LARGEST_LIMIT: u64 = 2_000_000;

// === impl Settings ===

impl Settings {
    /// Returns these parts of a profile.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        Self {
            windows: profile.windows.clone(),
            tokens: profile.tokens.clone(),
            contact_ways: profile.contact_ways.clone(),
            faults: profile.faults.clone(),
            callbacks: profile.callbacks.clone(),
        }
    }

    /// Says what is wrong with them.
    ///
    /// # Errors
    ///
    /// If a limit is above [`LARGEST_LIMIT`], a divisor is 0 or makes a minute shorter than 1 ms, or a step of
    /// `contact_ways.order` is there twice or not at all, or a fault befalls a call that is none.
    pub fn check(&self) -> Result<(), Mistake> {
        check_windows(&self.windows)?;
        check_order(&self.contact_ways)?;
        check_faults(&self.faults)
    }
}

fn check_windows(windows: &Windows) -> Result<(), Mistake> {
    let limits = [
        ("corp_per_minute", windows.corp_per_minute),
        ("corp_per_hour", windows.corp_per_hour),
        ("ip_per_minute", windows.ip_per_minute),
        ("ip_per_hour", windows.ip_per_hour),
        ("provider_per_minute", windows.provider_per_minute),
        ("provider_per_hour", windows.provider_per_hour),
    ];
    for (name, limit) in limits {
        if limit > LARGEST_LIMIT {
            return Err(Mistake(format!(
                "windows.{name}: {limit} is above {LARGEST_LIMIT} (0 is no limit)"
            )));
        }
    }
    for (name, divisor, most) in [
        ("divide_counts", windows.divide_counts, LARGEST_LIMIT),
        ("divide_time", windows.divide_time, 60_000),
    ] {
        if divisor == 0 || divisor > most {
            return Err(Mistake(format!(
                "windows.{name}: {divisor} is not in 1..={most}"
            )));
        }
    }
    let _: WindowKind = windows.kind;
    Ok(())
}

fn check_faults(faults: &[Fault]) -> Result<(), Mistake> {
    for (index, api) in faults.iter().map(|fault| &fault.api).enumerate() {
        if let Some(api) = api
            && let Err(expected) = api_named(api)
        {
            let told = format!("fault[{index}].api = {api:?}, expected {expected}");
            return Err(Mistake(told));
        }
    }
    Ok(())
}

fn check_order(ways: &ContactWays) -> Result<(), Mistake> {
    use crate::profile::Check::{ConfigId, Members, Params, Permission, Token};
    for step in [Token, Permission, Params, ConfigId, Members] {
        let times = ways.order.iter().filter(|there| **there == step).count();
        if times != 1 {
            return Err(Mistake(format!(
                "contact_ways.order: {step:?} is there {times} times, not once"
            )));
        }
    }
    Ok(())
}
