//! The tasks: what comes from outside, and whether it succeeded.

use std::{sync::Arc, time::Duration};

use http::Uri;

use super::{At, Fabric, Run, fields::claim, spread, within::within};
use crate::{
    scenario::Weigher,
    wire::{Answering, Body, Call, Ending, Link, Request},
    world::{Chance, World},
};

/// Sends each of `arrivals` (in order of time) to an instance of its entry service when its time comes.
///
/// A task succeeds if it is answered with a 2xx before its deadline, when its client hangs up.
pub fn generate<A>(fabric: &Arc<Fabric>, arrivals: A)
where
    A: IntoIterator<Item = (Duration, Call)>,
    A::IntoIter: Send + 'static,
{
    generate_in(&fabric.run.world, fabric, arrivals);
}

/// The same with the clients in a world of their own, whose time is that of the services.
pub fn generate_in<A>(world: &World, fabric: &Arc<Fabric>, arrivals: A)
where
    A: IntoIterator<Item = (Duration, Call)>,
    A::IntoIter: Send + 'static,
{
    let run = Run {
        world: world.clone(),
        ..fabric.run.clone()
    };
    let mut entries = entries(fabric);
    let mut chance = Chance::new(run.seed, "entry", 0);
    let arrivals = arrivals.into_iter();
    world.spawn(async move {
        let scenario = Arc::clone(&run.scenario);
        let weighers: Vec<_> = (0..scenario.businesses.len())
            .map(|business| {
                let measured = scenario.measured;
                measured.map(|measured| Weigher::new(&scenario, business, measured))
            })
            .collect();
        for (at, call) in arrivals {
            run.world.sleep_until(at).await;
            let weigher = &weighers[call.business];
            let weight = weigher.as_ref().map_or(1, |weigher| weigher.of(call.draw));
            let entry = &mut entries[call.business];
            let instance = chance.below(entry.links.len());
            let request = entry.request(instance, call);
            let task = Task {
                call,
                weight,
                came: at,
            };
            run.recorder.task_came(at, &call, weight);
            // Sent here, so that the task need not keep the request.
            let answering = entry.links[instance].send(request);
            run.world.spawn(task.run(run.clone(), answering));
        }
    });
}

/// Where the tasks of a business begin.
struct Entry {
    links: Vec<Link>,
    uris: Vec<Uri>,
    /// The share of tasks that claim too much.
    forged: f64,
}

struct Task {
    call: Call,
    weight: u32,
    came: Duration,
}

impl Entry {
    fn request(&self, instance: usize, call: Call) -> Request {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = self.uris[instance].clone();
        let mut call = call;
        if is_forged(call.draw, self.forged) {
            claim(&mut request);
            // What peers go by, as their entry would not know better.
            (call.number, call.place) = (0, 0);
        }
        request.extensions_mut().insert(call);
        request
    }
}

impl Task {
    async fn run(self, run: Run, answering: Answering) {
        let Self { call, weight, came } = self;
        let answer = within(&run.world, call.deadline, answering).await;
        let now = run.world.now();
        // Where time is real, a client that is kept from its turn finds both the answer and the deadline gone by.
        let in_time = now <= call.deadline;
        let good = in_time && answer.is_some_and(|answer| Ending::of(&answer) == Ending::Served);
        run.recorder.task_ended(came, now, &call, weight, good);
    }
}

fn entries(fabric: &Fabric) -> Vec<Entry> {
    let businesses = fabric.run.scenario.businesses.iter();
    let entry = |business: &crate::scenario::Business| {
        let service = business.entry;
        let instances = 0..fabric.run.scenario.services[service].instances;
        let all = instances.map(|instance| At { service, instance });
        Entry {
            links: all.clone().map(|at| fabric.client_link(at)).collect(),
            uris: all
                .map(|at| uri(fabric.address(at), business.number))
                .collect(),
            forged: business.forged,
        }
    };
    businesses.map(entry).collect()
}

/// Returns the URI of tasks of the business of this number at an instance.
fn uri(address: &str, number: u8) -> Uri {
    let path = format!("/b/{number}");
    let uri = Uri::builder()
        .scheme("http")
        .authority(address)
        .path_and_query(path)
        .build();
    uri.unwrap_or_else(|_| Uri::from_static("/"))
}

/// Decides from the task's own chance, by other bits of it than those that decide on its calls.
#[expect(clippy::cast_precision_loss, reason = "53 bits are what a double has")]
fn is_forged(draw: u64, share: f64) -> bool {
    let bits = spread(draw ^ 0x666f_7267_6564);
    let unit = (bits >> 11) as f64 / (1_u64 << 53) as f64;
    unit < share
}
