//! The order in which a call is checked: WeCom's is not known, so it is the profile's.

use super::context::Context;
use crate::{profile::Check, world::State};

/// What of a call can be checked; a step that reports what the parameters did leaves it to them.
pub(crate) trait Steps {
    /// Checks what can be told from the parameters alone.
    fn params(&self) -> Result<(), i64>;

    /// Checks that the code is there and is such that the parameters fit it.
    fn config_id(&mut self, state: &State) -> Result<(), i64> {
        let _ = state;
        Ok(())
    }

    /// Checks that every member and department is there and fit.
    fn members(&mut self, state: &State) -> Result<(), i64> {
        let _ = state;
        Ok(())
    }
}

/// The steps of a call whose parameters are all that can be wrong with it.
pub(crate) struct ParamsAlone(pub(crate) Result<(), i64>);

/// Checks a call.
///
/// # Errors
///
/// With the `errcode` of the first step that fails.
pub(crate) fn check(
    context: &Context<'_>,
    state: &State,
    steps: &mut impl Steps,
) -> Result<(), i64> {
    for step in &context.ways().order {
        match step {
            Check::Token => context.token?,
            Check::Permission => context.permission(state)?,
            Check::Params => steps.params()?,
            Check::ConfigId => steps.config_id(state)?,
            Check::Members => steps.members(state)?,
        }
    }
    Ok(())
}

// === impl ParamsAlone ===

impl Steps for ParamsAlone {
    fn params(&self) -> Result<(), i64> {
        self.0
    }
}
