//! One enterprise: its members, codes, customers, tokens and traffic, behind a lock of its own.

use std::{fmt, sync::Arc};

use parking_lot::{Mutex, MutexGuard};

use super::{
    ApiTraffic, Codes, Members, Shared,
    contact::Contacts,
    hold,
    member::Departments,
    token::Tokens,
    traffic::Traffic,
    window::{Limits, Meter},
};
use crate::profile::Tokens as TokenRules;

/// One enterprise; its state is behind a lock of its own.
pub struct Corp {
    id: Box<str>,
    /// Its place among all: it is in its `config_id`s and tokens.
    number: u32,
    permanent_code: Option<Box<str>>,
    no_temp_codes: bool,
    shared: Arc<Shared>,
    /// Of a kind that can be given to whoever waits: a long list is read a piece at a time, and calls go between.
    state: Mutex<State>,
}

/// What of an enterprise changes.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) secret: Box<str>,
    pub(crate) refused_with: Option<i64>,
    pub(crate) members: Members,
    pub(crate) departments: Departments,
    pub(crate) codes: Codes,
    pub(crate) contacts: Contacts,
    pub(crate) traffic: Traffic,
    /// Of the calls with `debug=1`.
    pub(crate) debugged: Meter,
    pub(crate) tokens: Tokens,
}

// === impl Corp ===

impl Corp {
    pub(crate) fn new(
        corp: &crate::profile::Corp,
        number: u32,
        shared: &Arc<Shared>,
        state: State,
    ) -> Self {
        Self {
            id: corp.id.as_str().into(),
            number,
            permanent_code: corp.permanent_code.as_deref().map(Into::into),
            no_temp_codes: corp.no_temp_codes,
            shared: Arc::clone(shared),
            state: Mutex::new(state),
        }
    }

    /// Returns the `corpid`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sets or lifts the `errcode` of all calls but those for tokens.
    pub fn refuse_with(&self, errcode: Option<i64>) {
        self.state().refused_with = errcode;
    }

    /// Replaces the app's secret; tokens stay as they are.
    pub fn set_secret(&self, secret: &str) {
        self.state().secret = secret.into();
    }

    /// Gives out a token as `gettoken` does, without a call and its windows; returns it and its `expires_in` in seconds.
    #[must_use]
    pub fn token(&self) -> (String, u64) {
        self.give_token(&self.shared.settings().tokens)
    }

    /// Kills every token of this moment; returns how many there were.
    pub fn kill_tokens(&self) -> usize {
        let now = self.shared.now_ns();
        self.state().tokens.kill(now)
    }

    /// Makes every token of this moment as old as it gets; returns how many there were.
    pub fn expire_tokens(&self) -> usize {
        let now = self.shared.now_ns();
        self.state().tokens.expire(now)
    }

    /// Returns what was called, by API.
    #[must_use]
    pub fn traffic(&self) -> Vec<ApiTraffic> {
        self.state().traffic.report()
    }

    pub(crate) fn reset_traffic(&self) {
        self.state().traffic.reset();
    }

    pub(crate) fn rest(&self, now: u64, hour_ns: u64) {
        self.state().traffic.rest(now, hour_ns);
    }

    /// Admits a call with `debug=1`, or not.
    pub(crate) fn admit_debug(&self, limits: &Limits) -> bool {
        let mut state = self.state();
        let now = self.shared.now_ns();
        state.debugged.admit(now, limits).is_ok()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        hold::begin();
        state
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Whether its app is a provider's.
    pub(crate) fn is_provider_s(&self) -> bool {
        self.permanent_code.is_some()
    }

    pub(crate) fn may_make_temp_codes(&self) -> bool {
        !self.no_temp_codes
    }

    pub(crate) fn has_permanent_code(&self, code: &str) -> bool {
        self.permanent_code.as_deref() == Some(code)
    }

    /// Gives out a token; returns it and its `expires_in`.
    pub(crate) fn give_token(&self, rules: &TokenRules) -> (String, u64) {
        let (serial, expires_in) = {
            let mut state = self.state();
            state.tokens.give(self.shared.now_ns(), rules)
        };
        let names = &self.shared.names;
        let token =
            names.tokens.text(self.number, serial) + &names.token_tails.text(self.number, serial);
        (token, expires_in)
    }

    /// Says with what `errcode` a call with the token of this serial is refused.
    pub(crate) fn check_token(&self, serial: u32, rules: &TokenRules) -> Result<(), i64> {
        let state = self.state();
        state.tokens.check(serial, self.shared.now_ns(), rules)
    }
}

impl fmt::Debug for Corp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Corp")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
