//! The policies at the callee alone, as a run makes them: sized by the service that they stand in front of.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use http::StatusCode;

use super::LATE;
use crate::{
    policy::{
        Policy, codel, gradient2,
        peer::testing::{Bench, call, link, request, scenario, service},
        seda, vegas,
    },
    wire::Ending,
};

/// Serves this many requests at once in front of 10 workers of 40 ms, or of any number; returns how many were served,
/// how many were worked on at once at most, and the level at the end.
async fn serve(
    policy: impl Policy,
    workers: Option<u32>,
    count: usize,
) -> (usize, usize, Option<f64>) {
    let bench = Bench::new(scenario(vec![service(workers, 40)])).await;
    let work = bench.work(40, StatusCode::OK);
    let served = policy.serve(&bench.place(0), link(&work));
    let sent = (0..count).map(|_| served.link.send(request(call(0, LATE))));
    let answers = join_all(sent).await;
    let good = answers
        .iter()
        .filter(|answer| Ending::of(answer) == Ending::Served);
    (good.count(), work.most(), served.level.map(|level| level()))
}

#[tokio::test(start_paused = true)]
async fn limits_begin_at_the_number_of_workers() {
    assert_eq!(
        serve(vegas::policy(), Some(10), 100).await,
        (10, 10, Some(0.5))
    );
    assert_eq!(
        serve(gradient2::policy(), Some(10), 100).await,
        (10, 10, Some(0.5))
    );
}

#[tokio::test(start_paused = true)]
async fn codel_queues_what_can_be_begun_in_an_interval() {
    // 10 at once and 25 in line; the last 5 of those would begin with the third round, at 120 ms.
    let served = serve(codel::policy(), Some(10), 100).await;
    assert_eq!(served, (30, 10, Some(1.0)));
}

#[tokio::test(start_paused = true)]
async fn seda_admits_its_bucket_at_once() {
    assert_eq!(
        serve(seda::policy(), Some(10), 100).await,
        (10, 10, Some(0.8))
    );
}

#[tokio::test(start_paused = true)]
async fn a_service_without_bound_is_left_alone() {
    let open = (100, 100, None);
    assert_eq!(serve(vegas::policy(), None, 100).await, open);
    assert_eq!(serve(gradient2::policy(), None, 100).await, open);
    assert_eq!(serve(codel::policy(), None, 100).await, open);
    assert_eq!(serve(seda::policy(), None, 100).await, open);
}

#[tokio::test(start_paused = true)]
async fn a_policy_sizes_every_service_of_its_run() {
    let bench = Bench::new(scenario(vec![service(Some(2), 40), service(Some(5), 40)])).await;
    let policy = Arc::new(vegas::policy());
    for (place, workers) in [(0, 2), (1, 5)] {
        let work = bench.work(40, StatusCode::OK);
        let served = policy.serve(&bench.place(place), link(&work));
        let sent = (0..20).map(|_| served.link.send(request(call(0, Duration::from_secs(9)))));
        join_all(sent).await;
        assert_eq!(work.most(), workers);
    }
}
