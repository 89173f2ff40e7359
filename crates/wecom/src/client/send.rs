//! The way of one call.
//!
//! 1. It is encoded. A value out of its range ends it here.
//! 2. With feature `dagor` its (corp, API) is asked whether calls this important are worth sending.
//! 3. A token is asked for, then room, then the token once more (see below).
//! 4. The request goes out with the token in its query, and its answer is read.
//! 5. If the answer says that the token is no good, that token is rejected by its value and 3 and 4 are done once
//!    more. The repeat takes room of its own, for WeCom counts it.
//! 6. The limiter and the level are told what came back.
//!
//! # Token or room first?
//!
//! Room first would hold a share of the windows, and one of few places in flight, while a token is fetched; and of
//! a tenant whose secret is wrong every call would use up room for nothing, having waited for it. Token first would go
//! out with a token that was good before a wait of up to the whole patience. So the token is asked for first, which
//! fails fast and costs no room, and again once there is room: that is one read of memory, unless the token was
//! replaced meanwhile.
//!
//! # How long it takes at most
//!
//! All waits together the patience, and each of at most two requests the time-out. A limiter that does not keep to
//! the patience it was given is left after one time-out more.
//!
//! # Cancellation
//!
//! A call can be dropped at any moment. Room that it had counts as used, and its place in flight is given back; it is
//! counted as `cancelled`. WeCom may have done what was asked.

use std::{future::Future, time::Duration};

use tokio::time::timeout;

use super::{Client, Transport, importance::Weight, request::request};
use crate::{
    call::{Call, Wire},
    error::{BoxError, Class, Errcode, Error, Kind, NoToken, TimedOut},
    limit::{Ask, Permit, Refusal, Sign},
    name::Api,
    observe::Ongoing,
    secret::Secret,
};

/// When the patience of a call ends, on the client's clock.
#[derive(Clone, Copy, Debug)]
struct Deadline(Duration);

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Makes a call and returns its reply: waits for its room, puts the token in, reads the answer, and if the
    /// token was refused fetches one and repeats the call once.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    ///
    /// # Cancellation
    ///
    /// Can be dropped at any moment; whether WeCom did what was asked is not known then.
    pub async fn send<C: Call>(&self, call: &C) -> Result<C::Reply, Error> {
        let mut ongoing = self.shared.watch.begin(C::API);
        let span = ongoing.span();
        let encoded = call.encode();
        let result = match encoded {
            Ok(wire) => span.scope(self.judged::<C>(&wire, &mut ongoing)).await,
            Err(invalid) => Err(Error::new(C::API, Kind::Invalid(invalid))),
        };
        ongoing.ended(&result);
        result
    }

    /// Sends what is worth sending, and tells the level what came back.
    async fn judged<C: Call>(&self, wire: &Wire, ongoing: &mut Ongoing) -> Result<C::Reply, Error> {
        let weight = self.importance.weigh();
        #[cfg(feature = "dagor")]
        let pass = self.pass(C::API, &weight)?;
        let result = self.repeated::<C>(wire, &weight, ongoing).await;
        #[cfg(feature = "dagor")]
        if let Some(pass) = pass {
            crate::feedback::settle(pass, result.as_ref().err());
        }
        result
    }

    /// Asks the level.
    #[cfg(feature = "dagor")]
    fn pass(&self, api: Api, weight: &Weight) -> Result<Option<dagor::client::Pass>, Error> {
        let Some(callee) = &self.shared.callee else {
            return Ok(None);
        };
        let instance = crate::feedback::instance(&self.shared.corp, api);
        let pass = match &weight.task {
            Some(task) => callee.decide_for(&instance, task),
            None => callee.decide(&instance, weight.priority),
        };
        pass.map(Some)
            .map_err(|withheld| Error::new(api, Kind::Withheld(withheld)))
    }

    /// Sends once, and once more if the token was no good.
    async fn repeated<C: Call>(
        &self,
        wire: &Wire,
        weight: &Weight,
        ongoing: &mut Ongoing,
    ) -> Result<C::Reply, Error> {
        let deadline = Deadline(self.shared.clock.now().saturating_add(self.patience));
        let mut repeated = false;
        loop {
            let (permit, token) = self.admitted(C::API, weight, deadline).await?;
            let mut request = request(&self.shared.line.base, wire, Some(&token))
                .map_err(|invalid| Error::new(C::API, Kind::Invalid(invalid)))?;
            self.mark(C::API, weight, request.extensions_mut());
            ongoing.attempted();
            let exchange = self.shared.line.exchange(&self.transport, C::API, request);
            let result: Result<C::Reply, _> = exchange.await;
            permit.settle(sign(&result));
            match result {
                Err(error) if !repeated && is_about_token(&error) => {
                    repeated = true;
                    // Late is as good as not at all: the next wait for a token says so.
                    let _ = self
                        .within(deadline, self.shared.keeper.reject(&token))
                        .await;
                }
                result => return result,
            }
        }
    }

    /// Waits for room and a token, and returns both.
    async fn admitted(
        &self,
        api: Api,
        weight: &Weight,
        deadline: Deadline,
    ) -> Result<(Permit, Secret), Error> {
        let begun = self.shared.clock.now();
        self.token(api, deadline).await?;
        let permit = self.room(api, weight, deadline).await?;
        let token = self.token(api, deadline).await?;
        let waited = self.shared.clock.now().saturating_sub(begun);
        self.shared.watch.waited(api, waited);
        Ok((permit, token))
    }

    async fn token(&self, api: Api, deadline: Deadline) -> Result<Secret, Error> {
        let late = || {
            let patience = self.patience;
            Err(Error::new(api, Kind::NoToken(NoToken::Late { patience })))
        };
        let token = self.within(deadline, self.shared.keeper.token()).await;
        token.unwrap_or_else(late).map_err(|error| error.of(api))
    }

    async fn room(&self, api: Api, weight: &Weight, deadline: Deadline) -> Result<Permit, Error> {
        let patience = self.left(deadline);
        let ask = Ask {
            corp: &self.shared.corp,
            api,
            rank: weight.rank,
            patience,
        };
        // It keeps to the patience itself; the time-out is for one that does not.
        let bound = patience.saturating_add(self.shared.line.timeout);
        let refusal = match timeout(bound, self.shared.limiter.acquire(ask)).await {
            Ok(Ok(permit)) => return Ok(permit),
            Ok(Err(refusal)) => refusal,
            Err(_) => Refusal::Unreachable(BoxError::from(TimedOut(bound))),
        };
        let kind = match refusal {
            Refusal::NoRoom { retry_after } => Kind::Limited { retry_after },
            Refusal::Unreachable(error) => Kind::Shared(error),
        };
        Err(Error::new(api, kind))
    }

    /// Tells layers of the transport what call this is.
    fn mark(&self, api: Api, weight: &Weight, extensions: &mut http::Extensions) {
        extensions.insert(api);
        extensions.insert(self.shared.corp.clone());
        extensions.insert(weight.rank);
        #[cfg(feature = "dagor")]
        {
            extensions.insert(weight.priority);
            // A layer looks at the current task before it looks at a priority, so what was told needs a task too.
            let task = weight.task.clone();
            extensions.insert(task.unwrap_or_else(|| dagor::Task::new(weight.priority)));
        }
    }

    fn left(&self, deadline: Deadline) -> Duration {
        deadline.0.saturating_sub(self.shared.clock.now())
    }

    /// Waits for `future` until the deadline; what is ready at once is never too late.
    async fn within<F: Future>(&self, deadline: Deadline, future: F) -> Option<F::Output> {
        timeout(self.left(deadline), future).await.ok()
    }
}

/// Returns whether another token may help.
fn is_about_token(error: &Error) -> bool {
    matches!(error.kind(), Kind::Refused(_)) && error.class() == Class::Token
}

/// Returns what the limiter is to learn.
fn sign<R>(result: &Result<R, Error>) -> Sign {
    match result.as_ref().map_err(Error::kind) {
        Ok(_) | Err(Kind::PartlyApplied { .. }) => Sign::Served,
        Err(Kind::Refused(refused)) => match refused.errcode {
            Errcode::FREQUENCY => Sign::Frequency,
            Errcode::CONCURRENCY => Sign::Concurrency,
            Errcode::CONFLICT => Sign::Conflict,
            Errcode::ABNORMAL => Sign::Abnormal,
            _ => Sign::Served,
        },
        Err(_) => Sign::Lost,
    }
}
