//! tower's `load_shed` around its `concurrency_limit`: so many requests at once, the rest refused.
//!
//! The real layers of tower 0.5. A service is built once for an instance and cloned for each request; the clones share
//! one semaphore, as `GlobalConcurrencyLimit` would make them. Traps that users report are kept out of the
//! comparison: a permit is reserved when a request is there for it, by no idle clone (vector 26457); a fresh clone
//! asks for one without spending of tokio's cooperative budget, whose end would pass for overload
//! (apollographql/router 9034); and the layers' error is answered as a refusal that says so.
//!
//! **Tuned** on the reference cells (3 servers of 10 workers of 40 ms, 1 to 4 calls and the mix at 0.67 to 10
//! times the capacity, geometric mean of goodput by optimum), by the limit for 10 workers:
//!
//! | limit | 10 | 12 | 13 | 15 | 16 | 17 | **18** | 19 | 20 | 25 | 30 |
//! |---|---|---|---|---|---|---|---|---|---|---|---|
//! | all cells | 0.538 | 0.588 | 0.599 | 0.611 | 0.613 | 0.617 | **0.617** | 0.618 | 0.617 | 0.607 | 0.571 |
//! | 1.33x and more | 0.464 | 0.506 | 0.514 | 0.521 | 0.521 | 0.524 | **0.522** | 0.522 | 0.520 | 0.506 | 0.463 |
//!
//! So it is the workers and what they begin within one and a half times the scenario's threshold, which an operator
//! finds by Little's law from a test at low load. A service without bound on its workers gets no limit.
//!
//! **Tested**: never more at once than the limit, the rest refused at once without touching the work; a permit comes back when
//! a request ends or is given up; a spent cooperative budget refuses nobody.

use std::sync::Arc;

use tower::{
    Service as _, ServiceBuilder, ServiceExt as _,
    limit::ConcurrencyLimit,
    load_shed::{LoadShed, error::Overloaded},
};

use super::{
    Callee, Place, Policy, Served,
    peer::{Sizing, sizing::whole},
};
use crate::wire::{self, Answer, Answering, Exchange, Link, LinkService, Request};

/// What stands in line at most, in times of what is begun within the threshold.
const LINE: f64 = 1.5;

#[derive(Debug)]
struct Tower(Sizing);

/// The layers in front of one instance.
#[derive(Clone, Debug)]
struct Limited(LoadShed<ConcurrencyLimit<LinkService>>);

/// The policy.
#[must_use]
pub fn policy() -> impl Policy {
    Tower(Sizing::new())
}

impl Tower {
    /// How many at once, if that is bounded.
    fn limit(&self, place: &Place<'_>) -> Option<usize> {
        let (workers, line) = self.0.line(place, place.scenario.threshold)?;
        Some(workers + whole((LINE * line).ceil()))
    }
}

impl Policy for Tower {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let link = match self.limit(place) {
            Some(limit) => Arc::new(Limited::new(limit, work)),
            None => work,
        };
        Served { link, level: None }
    }

    fn call(&self, _: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        channels
    }
}

impl Limited {
    fn new(limit: usize, work: Link) -> Self {
        let layers = ServiceBuilder::new().load_shed().concurrency_limit(limit);
        Self(layers.service(LinkService(work)))
    }

    async fn serve(mut self, request: Request) -> Answer {
        let service = self.0.ready().await?;
        match service.call(request).await {
            Err(error) if error.is::<Overloaded>() => Ok(wire::refuse()),
            answer => answer,
        }
    }
}

impl Exchange for Limited {
    fn send(&self, request: Request) -> Answering {
        Box::pin(self.clone().serve(request))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::{FutureExt as _, future::join_all};
    use http::StatusCode;

    use super::*;
    use crate::{
        policy::peer::testing::{Bench, Work, call, link, request, scenario, service},
        wire::Ending,
    };

    const LATE: Duration = Duration::from_secs(60);

    fn ask() -> Request {
        request(call(0, LATE))
    }

    /// Work of 40 ms behind the policy: 18 at once for 10 workers.
    async fn stand() -> (Bench, Arc<Work>, Link) {
        let bench = Bench::new(scenario(vec![service(Some(10), 40)])).await;
        let work = bench.work(40, StatusCode::OK);
        let link = policy().serve(&bench.place(0), link(&work)).link;
        (bench, work, link)
    }

    #[test]
    fn the_limit_grows_with_workers_and_threshold() {
        let services = vec![service(Some(10), 40), service(Some(1), 4), service(None, 4)];
        let mut bench = Bench::still(scenario(services));
        let limit = |bench: &Bench, service| Tower(Sizing::new()).limit(&bench.place(service));
        assert_eq!(limit(&bench, 0), Some(18));
        assert_eq!(limit(&bench, 1), Some(9));
        assert_eq!(limit(&bench, 2), None);
        bench.scenario.threshold *= 2;
        assert_eq!(limit(&bench, 0), Some(25));
    }

    #[tokio::test(start_paused = true)]
    async fn never_more_at_once_and_the_rest_refused_at_once() {
        let (bench, work, link) = stand().await;
        let sent = (0..50).map(|_| {
            let (link, world) = (Arc::clone(&link), bench.world.clone());
            async move { (Ending::of(&link.send(ask()).await), world.now()) }
        });
        let answers = join_all(sent).await;
        let served = answers
            .iter()
            .filter(|(ending, at)| *ending == Ending::Served && *at == Duration::from_millis(40));
        let refused = answers
            .iter()
            .filter(|answer| **answer == (Ending::Refused, Duration::ZERO));
        assert_eq!((served.count(), refused.count()), (18, 32));
        assert_eq!(work.most(), 18);
        // All permits are back.
        let again = join_all((0..20).map(|_| link.send(ask()))).await;
        let served = again
            .iter()
            .filter(|answer| Ending::of(answer) == Ending::Served);
        assert_eq!(served.count(), 18);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_given_up_gives_its_permit_back() {
        let (_bench, _work, link) = stand().await;
        let mut held: Vec<_> = (0..18).map(|_| link.send(ask())).collect();
        assert!(held.iter_mut().all(|sent| sent.now_or_never().is_none()));
        assert_eq!(Ending::of(&link.send(ask()).await), Ending::Refused);
        held.pop();
        let mut next = link.send(ask());
        assert!((&mut next).now_or_never().is_none(), "served");
        // A link that is asked for nothing holds nothing.
        drop((next, held));
        let idle = Arc::clone(&link);
        let all = join_all((0..18).map(|_| link.send(ask()))).await;
        assert!(
            all.iter()
                .all(|answer| Ending::of(answer) == Ending::Served)
        );
        drop(idle);
    }

    #[tokio::test(start_paused = true)]
    async fn a_spent_budget_is_no_overload() {
        let (_bench, _work, link) = stand().await;
        let spent = async move {
            let spent = (0..1000).any(|_| tokio::task::consume_budget().now_or_never().is_none());
            assert!(spent);
            Ending::of(&link.send(ask()).await)
        };
        assert_eq!(tokio::spawn(spent).await.unwrap(), Ending::Served);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_passes_as_it_is_and_so_does_a_service_without_bound() {
        let bench = Bench::new(scenario(vec![service(None, 4), service(Some(1), 4)])).await;
        let work = bench.work(4, StatusCode::BAD_GATEWAY);
        let bounded = policy().serve(&bench.place(1), link(&work)).link;
        let answer = bounded.send(ask()).await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
        assert!(!wire::is_refusal(&answer));
        let open = policy().serve(&bench.place(0), link(&work)).link;
        let answers = join_all((0..100).map(|_| open.send(ask()))).await;
        assert!(
            answers
                .iter()
                .all(|answer| Ending::of(answer) == Ending::Failed)
        );
        assert_eq!(work.most(), 100);
        let names = ["one".to_owned()];
        let callee = Callee {
            service: 1,
            instances: &names,
        };
        assert_eq!(policy().call(&bench.place(0), &callee, vec![open]).len(), 1);
    }
}
