//! What sends callbacks: events of an enterprise, encrypted and signed as WeCom's, to an address on this machine.
//!
//! A receiver has 5 seconds; a callback that is not answered with 200 by then is sent again, three times, with the
//! same bytes. On purpose callbacks can get lost, come twice, or come after their successor: chance decides from the
//! seed and the number of the event. Many are on their way at once, as WeCom's are, so order is never promised;
//! with `in_flight` 1 they come one after the other. Those that wait are bounded (`queue`); what is more is dropped
//! and counted, since WeCom does not promise delivery either.
//!
//! An enterprise's app is not told of what it did itself: only what happens from outside (scans, the admin interface)
//! comes here. Where time is virtual a socket would not keep up with it: [`Sender::to_service`] puts a tower service
//! in the receiver's place.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::Full;
use tower_service::Service;
use wecom::BoxError;

use self::{counts::Count, deliver::Route, outlet::Outlet, target::Target};
use crate::{
    profile::{CallbackTo, Corp},
    world::{Mistake, World},
};

mod counts;
mod deliver;
pub(crate) mod directory;
mod event;
mod outlet;
mod post;
mod target;

pub use self::{
    counts::Counts,
    deliver::Unverified,
    event::{Event, Form},
};

/// Sends callbacks. Cheap to clone; clones are the same one.
#[derive(Clone, Debug)]
pub struct Sender(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    route: Route,
    outlets: RwLock<HashMap<String, Arc<Outlet>>>,
}

// === impl Sender ===

impl Sender {
    /// Returns the sender of a world, which sends over sockets.
    #[must_use]
    pub fn new(world: &World) -> Self {
        Self(Arc::new(Inner {
            route: Route::new(world, post::network()),
            outlets: RwLock::default(),
        }))
    }

    /// Sends to `service` from now on, whatever the address, and no more over sockets. It is given the requests that
    /// would go out, with their whole addresses; an axum `Router` fits.
    pub fn to_service<S, B>(&self, service: S)
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: Into<BoxError>,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        self.0.route.set_post(post::service(service));
    }

    /// Takes an enterprise, and the address of its callbacks if it has one.
    ///
    /// # Errors
    ///
    /// If the address, token or key is none.
    pub fn add_corp(&self, corp: &Corp) -> Result<(), Mistake> {
        let target = Target::of(corp)?;
        let outlet = Outlet::new(self.0.route.seed(), &corp.id, corp.suite());
        outlet.set_target(target);
        let mut outlets = self
            .0
            .outlets
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        outlets.insert(corp.id.clone(), Arc::new(outlet));
        Ok(())
    }

    /// Sets where the callbacks of an enterprise go; `None`: nowhere. Those on their way go where they go.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known, or the address, token or key is none.
    pub fn set_address(&self, corp: &str, to: Option<&CallbackTo>) -> Result<(), Mistake> {
        let outlet = self.known(corp)?;
        let target = to.map(|to| Target::new(to, corp, outlet.suite()));
        outlet.set_target(target.transpose()?);
        Ok(())
    }

    /// Returns where the callbacks of an enterprise go.
    #[must_use]
    pub fn address(&self, corp: &str) -> Option<String> {
        let target = self.outlet(corp)?.target()?;
        Some(String::from(target.url()))
    }

    /// Asks an address whether it is a receiver with these keys, as WeCom does before it takes one; `None`: the
    /// address that is set.
    ///
    /// # Errors
    ///
    /// If there is none, or it does not answer the plaintext, to the byte, within a second.
    pub async fn verify(&self, corp: &str, to: Option<&CallbackTo>) -> Result<(), Unverified> {
        let outlet = self.outlet(corp).ok_or(Unverified::Nowhere)?;
        let target = match to {
            Some(to) => Target::new(to, corp, outlet.suite()).ok().map(Arc::new),
            None => outlet.target(),
        };
        let target = target.ok_or(Unverified::Nowhere)?;
        let echo = target.echo(self.0.route.now_s(), &outlet.random);
        deliver::verify(echo, &self.0.route).await
    }

    /// Tells an enterprise's app of an event. Outside a runtime it waits for the next one that is told within one.
    ///
    /// # Errors
    ///
    /// If the enterprise is not known.
    pub fn tell(&self, corp: &str, event: Event) -> Result<(), Mistake> {
        let outlet = self.known(corp)?;
        outlet.tell(event, &self.0.route, &self.0.route.settings());
        Ok(())
    }

    /// Waits until nothing waits and nothing is on its way to this enterprise.
    pub async fn settled(&self, corp: &str) {
        if let Some(outlet) = self.outlet(corp) {
            outlet.pump(&self.0.route);
            outlet.settled().await;
        }
    }

    /// Returns what became of the callbacks of an enterprise; `None` if it is not known.
    #[must_use]
    pub fn counts(&self, corp: &str) -> Option<Counts> {
        Some(self.outlet(corp)?.counts.read(Count::now))
    }

    /// Returns the same, and begins to count anew.
    #[must_use]
    pub fn take_counts(&self, corp: &str) -> Option<Counts> {
        Some(self.outlet(corp)?.counts.read(Count::taken))
    }

    fn outlet(&self, corp: &str) -> Option<Arc<Outlet>> {
        let outlets = self
            .0
            .outlets
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        outlets.get(corp).map(Arc::clone)
    }

    fn known(&self, corp: &str) -> Result<Arc<Outlet>, Mistake> {
        let unknown = || Mistake(format!("there is no enterprise {corp:?}"));
        self.outlet(corp).ok_or_else(unknown)
    }
}
