//! A policy that does nothing and looks at what happens.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use chaos::{
    measure::Outcome,
    policy::{Callee, Place, Policy, Served},
    scenario::Scenario,
    wire::{Answering, Exchange, Link, Request, TOLD},
};
use dagor::Clock;

use super::{SEED, at};

/// What a spy saw.
#[derive(Clone, Default)]
pub struct Seen(Arc<Mutex<Notes>>);

#[derive(Default)]
struct Notes {
    /// Service, instance and start of each that was started.
    starts: Vec<(usize, u32, u32)>,
    /// Service, and its calendar when a request came.
    calendars: Vec<(usize, Duration)>,
    /// What callers heard.
    told: Vec<Option<String>>,
}

impl Seen {
    pub fn starts(&self, service: usize) -> Vec<(u32, u32)> {
        let notes = self.0.lock().unwrap();
        let all = notes.starts.iter().filter(|start| start.0 == service);
        all.map(|(_, instance, start)| (*instance, *start))
            .collect()
    }

    pub fn calendars(&self, service: usize) -> Vec<f64> {
        let notes = self.0.lock().unwrap();
        let all = notes.calendars.iter().filter(|read| read.0 == service);
        all.map(|(_, calendar)| calendar.as_secs_f64()).collect()
    }

    pub fn told(&self) -> Vec<Option<&'static str>> {
        let notes = self.0.lock().unwrap();
        let known = |told: &Option<String>| match told.as_deref() {
            Some("40") => Some("40"),
            Some("20") => Some("20"),
            None => None,
            other => panic!("{other:?}"),
        };
        notes.told.iter().map(known).collect()
    }
}

/// Tells 40 with each response.
struct Spy(Seen);

impl Policy for Spy {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let (service, instance, start) = (place.service, place.instance, place.start);
        self.0
            .0
            .lock()
            .unwrap()
            .starts
            .push((service, instance, start));
        let (seen, clock) = (self.0.clone(), place.clock.clone());
        let link = Arc::new(SpiedWork {
            seen,
            clock,
            service,
            work,
        });
        Served { link, level: None }
    }

    fn call(&self, _: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        let spied = |channel| -> Link { Arc::new(SpiedChannel(self.0.clone(), channel)) };
        channels.into_iter().map(spied).collect()
    }
}

struct SpiedWork {
    seen: Seen,
    clock: Clock,
    service: usize,
    work: Link,
}

impl Exchange for SpiedWork {
    fn send(&self, request: Request) -> Answering {
        let read = (self.service, self.clock.calendar());
        self.seen.0.lock().unwrap().calendars.push(read);
        let working = self.work.send(request);
        Box::pin(async move {
            let mut response = working.await?;
            response.headers_mut().insert(TOLD, "40".parse().unwrap());
            Ok(response)
        })
    }
}

struct SpiedChannel(Seen, Link);

impl Exchange for SpiedChannel {
    fn send(&self, request: Request) -> Answering {
        let (seen, answering) = (self.0.clone(), self.1.send(request));
        Box::pin(async move {
            let response = answering.await?;
            let told = response
                .headers()
                .get(TOLD)
                .map(|told| told.to_str().unwrap().to_owned());
            seen.0.lock().unwrap().told.push(told);
            Ok(response)
        })
    }
}

/// Runs just these tasks with a spy.
pub fn run_spied(scenario: &Scenario, moments: &[u64], seen: &Seen) -> Outcome {
    chaos::sim::run_tasks(
        scenario,
        Box::new(Spy(seen.clone())),
        SEED,
        at(moments, scenario),
    )
}
