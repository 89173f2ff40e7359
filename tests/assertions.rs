//! What can be sent, shared, cloned and printed. Broken by one field of the wrong kind, and then noticed by a
//! user whose router or spawned task no longer compiles; so it is checked here, and never runs.
#![cfg(feature = "http")]

use std::{convert::Infallible, fmt::Debug, rc::Rc, time::Duration};

use dagor::{
    Admission, Admitted, Business, Callee, Clock, Concurrency, Entry, EntryLayer, Level, Priority,
    Settings, SettingsError, Shed, Snapshot, Task, User, Withheld,
    admission::Builder as AdmissionBuilder,
    client::{self, Avoid, Client, ClientLayer, Fields, HttpFeedback, Inferred, Pass, Refused},
    entry::{self, EntryBuilder, EntryError, Table},
    queuing_time::{AcceptStamp, Probe, SocketWaits, Stamped},
    server::{self, Server, ServerLayer},
    wire::Names,
};
use http::{Request, Response};
use tower_service::Service;

/// What a request's way through a stack asks of everything: it goes from thread to thread.
const fn sent<T: Send + Debug>() {}
const fn shared<T: Send + Sync + Debug>() {}
const fn cloned<T: Send + Sync + Clone + Debug>() {}
const fn error<T: std::error::Error + Send + Sync + Clone + 'static>() {}

/// Implements `Service` for stacks that nothing may be expected of but what a test needs.
#[derive(Clone, Debug)]
struct Inner;

/// A body that is neither `Clone` nor `Sync`, as most are.
#[derive(Debug)]
struct NotSync(#[expect(dead_code, reason = "for its kind")] std::cell::Cell<u8>);

type Ready<T> = std::future::Ready<Result<T, Infallible>>;

impl<B> Service<Request<B>> for Inner {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = Ready<Self::Response>;

    fn poll_ready(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Infallible>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<B>) -> Self::Future {
        std::future::ready(Ok(Response::default()))
    }
}

const _: () = {
    cloned::<Admission>();
    cloned::<Settings>();
    cloned::<Concurrency>();
    cloned::<Snapshot>();
    cloned::<Clock>();
    cloned::<Task>();
    cloned::<Names>();
    cloned::<(Business, User, Priority, Level, Duration)>();
    sent::<AdmissionBuilder>();
    shared::<Admitted>();
};

/// Handles, layers and services: stored in a router, cloned for every connection.
const _: () = {
    cloned::<ServerLayer>();
    cloned::<Server<Inner>>();
    cloned::<EntryLayer>();
    cloned::<Entry<Inner>>();
    cloned::<Table>();
    sent::<EntryBuilder>();
    cloned::<Callee>();
    cloned::<client::Builder>();
    cloned::<client::Snapshot>();
    cloned::<ClientLayer<Fields>>();
    cloned::<ClientLayer<Inferred<HttpFeedback>>>();
    cloned::<Client<Inner>>();
    cloned::<Client<Inner, Inferred<HttpFeedback>>>();
    cloned::<(Avoid, Refused)>();
    shared::<Pass>();
};

/// Futures and bodies: moved by whatever runs them, whatever the request's body is.
const _: () = {
    sent::<server::future::ResponseFuture<Inner, NotSync>>();
    sent::<server::body::Body<NotSync>>();
    shared::<server::body::Body<String>>();
    sent::<entry::ResponseFuture<Ready<Response<NotSync>>>>();
    sent::<client::future::ResponseFuture<Ready<Response<NotSync>>, Fields>>();
};

const _: () = {
    error::<Shed>();
    error::<Withheld>();
    error::<SettingsError>();
    error::<EntryError>();
};

/// Where the waits come from.
const _: () = {
    cloned::<SocketWaits>();
    cloned::<AcceptStamp>();
    shared::<Probe>();
    sent::<Stamped<NotSync>>();
    shared::<Stamped<tokio::net::TcpStream>>();
};

#[cfg(feature = "axum")]
const _: () = shared::<dagor::queuing_time::StampedListener<tokio::net::TcpListener>>();

#[cfg(feature = "tonic")]
const _: () = sent::<dagor::queuing_time::StampedIncoming<tonic::transport::server::TcpIncoming>>();

#[cfg(feature = "retry")]
const _: () = {
    cloned::<client::RetryPolicy>();
    cloned::<client::RetryBudget>();
};

#[cfg(feature = "config")]
const _: () = {
    cloned::<dagor::config::File>();
    sent::<dagor::config::FileWatch>();
};

/// The job's future as well: consumers spawn it.
#[tokio::test]
async fn admit_can_be_spawned() {
    let admission = Admission::builder("mailer").build().unwrap();
    let admit = async move {
        admission
            .admit(Priority::MOST_IMPORTANT, Duration::ZERO)
            .await
    };
    assert!(tokio::spawn(admit).await.unwrap().is_ok());
}

/// Nothing is asked of requests that stay on their thread: a local stack may have a body with an `Rc` in it.
#[tokio::test(flavor = "current_thread")]
async fn a_body_need_not_be_send() {
    use tower::{ServiceBuilder, ServiceExt};

    let admission = Admission::builder("orders").build().unwrap();
    let entry = Entry::builder().build().unwrap();
    let stack = ServiceBuilder::new()
        .layer(Callee::new("orders").layer())
        .layer(entry)
        .layer(admission.layer())
        .service(Inner);
    let response = stack.oneshot(Request::new(Rc::new(()))).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(admission.snapshot().businesses[7].arrived, 1);
}
