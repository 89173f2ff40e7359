//! The peers that talk as whole policies, in a graph of two tiers, in tokio's paused time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::StatusCode;

use super::{
    Callee, Policy, breakwater, breakwater_dagor, cinnamon,
    peer::testing::{Bench, call, edge, link, request, scenario, service},
    rajomon, sre,
};
use crate::{
    wire::{Answering, Call, Ending, Exchange, Link, Request},
    world::Chance,
};

const MS: Duration = Duration::from_millis(1);

/// Work that is a call to the next tier, with the same task's call.
struct Forward {
    next: Link,
    made: Arc<AtomicUsize>,
}

impl Exchange for Forward {
    fn send(&self, request: Request) -> Answering {
        self.made.fetch_add(1, Ordering::Relaxed);
        let call = *request.extensions().get::<Call>().unwrap();
        self.next.send(crate::policy::peer::testing::request(call))
    }
}

/// How tasks ended that came every 10 ms for 3 s to a front of 50 workers, which calls a back of one worker of
/// 40 ms, four times too slow.
struct Seen {
    served: usize,
    refused: usize,
    /// Calls that the front began to make.
    made: usize,
}

async fn run(policy: &dyn Policy) -> Seen {
    let mut world = scenario(vec![service(Some(50), 0), service(Some(1), 40)]);
    world.edges = vec![edge(0, 1)];
    let bench = Bench::new(world).await;
    let back = policy.serve(&bench.place(1), link(&bench.work(40, StatusCode::OK)));
    let callee = Callee {
        service: 1,
        instances: &["back".into()],
    };
    let next = policy.call(&bench.place(0), &callee, vec![back.link]);
    let made = Arc::<AtomicUsize>::default();
    let front = Arc::new(Forward {
        next: Arc::clone(&next[0]),
        made: Arc::clone(&made),
    });
    let front = policy.serve(&bench.place(0), front).link;
    let mut chance = Chance::new(1, "tasks", 0);
    let mut tasks = Vec::new();
    for task in 0..300 {
        let mut call = call(0, bench.world.now() + 500 * MS);
        (call.task, call.draw) = (task, chance.bits());
        call.place = u16::try_from(chance.below(1 << 15)).unwrap();
        tasks.push(tokio::spawn(front.send(request(call))));
        tokio::time::sleep(10 * MS).await;
    }
    let mut seen = Seen {
        served: 0,
        refused: 0,
        made: 0,
    };
    for task in tasks {
        match Ending::of(&task.await.unwrap()) {
            Ending::Served => seen.served += 1,
            Ending::Refused | Ending::Withheld => seen.refused += 1,
            Ending::Failed => panic!("nothing fails here"),
        }
    }
    seen.made = made.load(Ordering::Relaxed);
    seen
}

#[tokio::test(start_paused = true)]
async fn what_the_back_can_serve_is_served_and_the_rest_refused() {
    let policies: [(&str, Box<dyn Policy>); 5] = [
        ("sre", Box::new(sre::policy())),
        ("breakwater", Box::new(breakwater::policy())),
        ("breakwater-dagor", Box::new(breakwater_dagor::policy())),
        ("cinnamon", Box::new(cinnamon::policy())),
        ("rajomon", Box::new(rajomon::policy())),
    ];
    for (name, policy) in policies {
        let seen = run(policy.as_ref()).await;
        let served = seen.served;
        assert!((60..=90).contains(&served), "{name}: {served}");
        assert_eq!(served + seen.refused, 300, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn only_rajomon_s_front_knows_what_the_back_asks() {
    let seen = run(&rajomon::policy()).await;
    assert!(seen.made < seen.served + 60, "{} calls", seen.made);
    // The others' front makes all calls and leaves it to the channel or the back.
    assert_eq!(run(&breakwater::policy()).await.made, 300);
}
