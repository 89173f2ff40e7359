//! The spans and events; see the module above. Without the feature each of these is nothing.

use std::time::Duration;

use crate::{
    error::{Class, Errcode, Error, Refused},
    name::{Api, CorpId},
};

#[cfg(feature = "tracing")]
mod told {
    use std::{
        collections::HashMap,
        fmt,
        future::Future,
        sync::{Arc, Mutex, PoisonError},
    };

    use tracing::{Instrument as _, debug, error, field::Empty, info_span, warn};

    use super::{Api, Class, CorpId, Duration, Errcode, Error, Refused};
    use crate::clock::Clock;

    /// What one client logs.
    #[derive(Clone)]
    pub(crate) struct Log {
        corp: CorpId,
        clock: Clock,
        /// The last refusal of each API and when it was told; as many as there are APIs.
        news: Arc<Mutex<HashMap<Api, (Errcode, Duration)>>>,
    }

    /// The span of one call.
    #[derive(Clone, Debug)]
    pub(crate) struct Span(tracing::Span);

    // === impl Log ===

    impl Log {
        /// After this time the same refusal is news again.
        const OLD: Duration = Duration::from_secs(60);

        pub(crate) fn new(corp: CorpId) -> Self {
            Self {
                corp,
                clock: Clock::system(),
                news: Arc::default(),
            }
        }

        pub(crate) fn span(&self, api: Api) -> Span {
            Span(info_span!(
                "wecom.call",
                api = api.name(),
                corp = self.corp.as_str(),
                attempts = Empty,
                class = Empty,
                errcode = Empty,
            ))
        }

        pub(crate) fn refused(&self, api: Api, class: Class, refused: &Refused) {
            let (corp, api_name, class) = (self.corp.as_str(), api.name(), class.name());
            let errcode = refused.errcode.0;
            let hint = refused.hint.as_deref();
            if self.is_news(api, refused.errcode) {
                warn!(corp, api = api_name, class, errcode, hint, "refused");
            } else {
                debug!(corp, api = api_name, class, errcode, hint, "refused");
            }
        }

        pub(crate) fn partly_applied(&self, api: Api, hint: Option<&str>) {
            let corp = self.corp.as_str();
            error!(
                corp,
                api = api.name(),
                hint,
                "a part of the body was not applied"
            );
        }

        pub(crate) fn fetched(&self, result: Result<(), &Error>) {
            let corp = self.corp.as_str();
            match result {
                Ok(()) => debug!(corp, "a token was fetched"),
                Err(error) => warn!(corp, class = error.class().name(), %error, "no token"),
            }
        }

        pub(crate) fn breaker_opened(&self, errcode: Errcode, pause: Duration) {
            let corp = self.corp.as_str();
            error!(corp, errcode = errcode.0, ?pause, "the secret was refused");
        }

        pub(crate) fn store_failed(&self, what: &'static str) {
            warn!(
                corp = self.corp.as_str(),
                what, "the shared store did not answer"
            );
        }

        fn is_news(&self, api: Api, errcode: Errcode) -> bool {
            let now = self.clock.now();
            let mut news = self.news.lock().unwrap_or_else(PoisonError::into_inner);
            let told = news.get(&api);
            let old = told
                .is_some_and(|&(last, at)| last == errcode && now.saturating_sub(at) < Self::OLD);
            if !old {
                news.insert(api, (errcode, now));
            }
            !old
        }
    }

    impl fmt::Debug for Log {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "Log({})", self.corp)
        }
    }

    // === impl Span ===

    impl Span {
        pub(crate) async fn scope<F: Future>(self, future: F) -> F::Output {
            future.instrument(self.0).await
        }

        pub(crate) fn end(&self, class: &'static str, errcode: Option<Errcode>, attempts: u32) {
            self.0.record("class", class);
            self.0.record("attempts", attempts);
            if let Some(errcode) = errcode {
                self.0.record("errcode", errcode.0);
            }
        }
    }
}

#[cfg(not(feature = "tracing"))]
mod told {
    use std::future::Future;

    use super::{Api, Class, CorpId, Duration, Errcode, Error, Refused};

    #[derive(Clone, Debug)]
    pub(crate) struct Log;

    #[derive(Clone, Debug)]
    pub(crate) struct Span;

    impl Log {
        pub(crate) fn new(_: CorpId) -> Self {
            Self
        }

        pub(crate) const fn span(&self, _: Api) -> Span {
            Span
        }

        pub(crate) const fn refused(&self, _: Api, _: Class, _: &Refused) {}
        pub(crate) const fn partly_applied(&self, _: Api, _: Option<&str>) {}
        pub(crate) const fn fetched(&self, _: Result<(), &Error>) {}
        pub(crate) const fn breaker_opened(&self, _: Errcode, _: Duration) {}
        pub(crate) const fn store_failed(&self, _: &'static str) {}
    }

    impl Span {
        pub(crate) async fn scope<F: Future>(self, future: F) -> F::Output {
            future.await
        }

        pub(crate) const fn end(&self, _: &'static str, _: Option<Errcode>, _: u32) {}
    }
}

pub(super) use self::told::Log;
pub(crate) use self::told::Span;
