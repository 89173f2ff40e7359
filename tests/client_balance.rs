//! The load of instance-bound clients under tower's two-choice balancer.
#![cfg(feature = "balance")]

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use dagor::client::{Callee, Client};
use http::{Request, Response};
use tower::{Layer, Service, ServiceExt, balance::p2c::Balance, discover::ServiceList, load::Load};
use tower_test::mock;

#[tokio::test]
async fn load_is_what_was_heard_and_what_is_outstanding() {
    let callee = Callee::new("payments");
    let (channel, mut answers) = mock::pair::<Request<()>, Response<()>>();
    let mut service = callee.instance("a").layer(channel);
    assert_eq!(service.load(), 0);

    let first = service.ready().await.unwrap().call(Request::new(()));
    let second = service.ready().await.unwrap().call(Request::new(()));
    assert_eq!(service.load(), 2);

    let (_, reply) = answers.next_request().await.unwrap();
    let response = Response::builder().header("dagor-level", "8388608;w=30;r=8");
    reply.send_response(response.body(()).unwrap());
    first.await.unwrap();
    assert_eq!(service.load(), 39);
    drop(second);
    assert_eq!(service.load(), 38);
    assert_eq!(callee.layer().layer(service).load(), 0, "of no instance");
}

#[tokio::test]
async fn the_balancer_prefers_the_instance_that_is_less_busy() {
    let callee = Callee::new("payments");
    let sent: Arc<[AtomicU32; 3]> = Arc::default();
    let endpoints: Vec<Client<_>> = ["w=50;r=4", "w=2;r=4", "w=90;r=4"]
        .into_iter()
        .enumerate()
        .map(|(index, load)| {
            let sent = Arc::clone(&sent);
            let channel = tower::service_fn(move |_: Request<()>| {
                sent[index].fetch_add(1, Relaxed);
                async move {
                    let response =
                        Response::builder().header("dagor-level", format!("8388608;{load}"));
                    Ok::<_, Infallible>(response.body(()).unwrap())
                }
            });
            callee.instance(load).layer(channel)
        })
        .collect();
    let mut balancer = Balance::new(ServiceList::new(endpoints));
    for _ in 0..3000 {
        balancer
            .ready()
            .await
            .unwrap()
            .call(Request::new(()))
            .await
            .unwrap();
    }
    // Of two drawn from three: the least busy is taken in two draws of three, the busiest in none.
    let sent = [0, 1, 2].map(|index| sent[index].load(Relaxed));
    assert!(sent[1] > 1800, "{sent:?}");
    assert!(sent[0] > 800, "{sent:?}");
    assert!(sent[2] < 20, "{sent:?}");
}

/// An instance with a low load that refuses would otherwise get, and fail, every call.
#[tokio::test]
async fn the_balancer_leaves_an_instance_that_calls_are_withheld_from() {
    let callee = Callee::new("payments");
    // The first refuses everybody of no importance and has nothing to do; the second is busy.
    let endpoints = ["256;w=0;r=0", "8388608;w=9;r=4"].map(|level| {
        let channel = tower::service_fn(move |_: Request<()>| async move {
            Ok::<_, Infallible>(
                Response::builder()
                    .header("dagor-level", level)
                    .body(())
                    .unwrap(),
            )
        });
        callee.instance(level).layer(channel)
    });
    let mut balancer = Balance::new(ServiceList::new(endpoints));
    let mut failed = 0;
    for _ in 0..100 {
        let call = balancer.ready().await.unwrap().call(Request::new(()));
        failed += u32::from(call.await.is_err());
    }
    assert!(
        failed <= 28,
        "{failed}: no more than made it look as busy as the other"
    );
}
