//! A small plant to test peers on, without engines: callers, a few servers with workers, tasks of several calls.
//!
//! One tier: each task makes its calls one after the other, each at a server drawn at random, and succeeds if all of
//! them are served before its deadline. A gatekeeper stands at each server behind the same [`Line`] as in a run,
//! a sender at each caller. Slots beyond the workers are waited for in the server, first come, first served.
//! A refusal costs a server some work, which its next request pays for.

mod setup;
mod sight;
mod tests;

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, VecDeque},
    time::Duration,
};

pub(crate) use self::{
    setup::{LOADS, Setup, cells, geometric_mean},
    sight::{Sight, mean, quantile},
};
use super::{
    Arrival, Gatekeeper, Reply, Send as Say, Sender,
    line::{Entry, Line, Spot, Turn},
};
use crate::{
    wire::{Call, Ending},
    world::Chance,
};

/// How often the gatekeepers' levels are looked at.
const LOOKS: Duration = Duration::from_millis(100);

/// The plant in operation.
pub(crate) struct Plant<'a, G, S> {
    setup: &'a Setup,
    servers: Vec<Server<G>>,
    senders: Vec<S>,
    tasks: Vec<Task>,
    requests: Vec<Request>,
    events: BinaryHeap<Reverse<(Duration, u64, Event)>>,
    scheduled: u64,
    now: Duration,
    arrivals: Chance,
    draws: Chance,
    sight: Sight,
}

struct Server<G> {
    line: Line<G, usize>,
    backlog: VecDeque<usize>,
    busy: usize,
    debt: Duration,
    times: Chance,
}

struct Task {
    call: Call,
    came: Duration,
    calls: u32,
    left: u32,
    caller: usize,
    /// Which request it waits for.
    waits: Option<usize>,
}

struct Request {
    task: usize,
    server: usize,
    sent: Duration,
    /// Where it waits, if it does.
    spot: Option<Spot>,
    /// With its beginning, once it has a slot.
    begun: Option<(Arrival, Duration)>,
}

#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Event {
    Come,
    Arrive(usize, Option<String>),
    Done(usize),
    Reply(usize, bool, Option<String>),
    GiveUp(usize),
    Tick(usize),
    Look,
}

impl<G: Gatekeeper> Plant<'_, G, Vacant> {
    /// Runs gatekeepers with callers that send everything.
    pub(crate) fn run_callee(setup: &Setup, gate: impl Fn(usize) -> G) -> Sight {
        Plant::run(setup, gate, |_| Vacant)
    }
}

impl<G: Gatekeeper, S: Sender> Plant<'_, G, S> {
    /// Runs gatekeepers, made for each server, and senders, made for each caller.
    pub(crate) fn run(
        setup: &Setup,
        gate: impl Fn(usize) -> G,
        sender: impl Fn(usize) -> S,
    ) -> Sight {
        let server = |index| Server {
            line: Line::new(gate(index)),
            backlog: VecDeque::new(),
            busy: 0,
            debt: Duration::ZERO,
            times: Chance::new(setup.seed, "service", u64::try_from(index).unwrap()),
        };
        let mut plant = Plant {
            setup,
            servers: (0..setup.servers).map(server).collect(),
            senders: (0..setup.callers).map(sender).collect(),
            tasks: Vec::new(),
            requests: Vec::new(),
            events: BinaryHeap::new(),
            scheduled: 0,
            now: Duration::ZERO,
            arrivals: Chance::new(setup.seed, "arrivals", 0),
            draws: Chance::new(setup.seed, "draws", 0),
            sight: Sight::new(setup),
        };
        for server in 0..setup.servers {
            if let Some(period) = plant.servers[server].line.gate().period() {
                let first = period.mul_f64(plant.draws.unit());
                plant.at(first, Event::Tick(server));
            }
        }
        plant.at(Duration::ZERO, Event::Come);
        plant.at(LOOKS, Event::Look);
        while let Some(Reverse((now, _, event))) = plant.events.pop()
            && now < setup.length
        {
            plant.now = now;
            plant.happen(event);
        }
        plant.sight
    }

    fn at(&mut self, at: Duration, event: Event) {
        self.scheduled += 1;
        self.events.push(Reverse((at, self.scheduled, event)));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Come => self.come(),
            Event::Arrive(request, ask) => self.arrive(request, ask),
            Event::Done(request) => self.done(request),
            Event::Reply(request, served, told) => self.reply(request, served, told),
            Event::GiveUp(task) => self.give_up(task),
            Event::Tick(server) => self.tick(server),
            Event::Look => self.look(),
        }
    }

    /// A task comes. Arrivals of the highest load are thinned out, so that any change of the load is exact.
    fn come(&mut self) {
        let setup = self.setup;
        let next = self.now + self.arrivals.exponential_time(setup.shortest_gap());
        self.at(next, Event::Come);
        if self.arrivals.unit() >= setup.share_of_peak(self.now) {
            return;
        }
        let task = self.tasks.len();
        let calls = setup.calls[self.draws.below(setup.calls.len())];
        let number = setup.numbers[self.draws.below(setup.numbers.len())];
        let deadline = self.now + setup.deadline;
        self.tasks.push(Task {
            call: Call {
                task: u64::try_from(task).unwrap(),
                business: 0,
                number,
                user: 0,
                place: u16::try_from(self.draws.below(1 << 15)).unwrap(),
                deadline,
                draw: self.draws.bits(),
            },
            came: self.now,
            calls,
            left: calls,
            caller: self.draws.below(setup.callers),
            waits: None,
        });
        self.sight.came(self.now, calls, number);
        self.at(deadline, Event::GiveUp(task));
        self.issue(task);
    }

    /// A task makes its next call.
    fn issue(&mut self, task: usize) {
        let server = self.draws.below(self.setup.servers);
        let (call, caller) = (self.tasks[task].call, self.tasks[task].caller);
        let Say::Go(ask) = self.senders[caller].send(self.now, &call, server) else {
            self.sight.withheld(self.now);
            return;
        };
        let request = self.requests.len();
        self.requests.push(Request {
            task,
            server,
            sent: self.now,
            spot: None,
            begun: None,
        });
        self.tasks[task].waits = Some(request);
        self.at(self.now + self.setup.network, Event::Arrive(request, ask));
    }

    fn arrive(&mut self, request: usize, ask: Option<String>) {
        let Request { server, task, .. } = self.requests[request];
        let arrival = Arrival {
            call: self.tasks[task].call,
            at: self.now,
            ask,
        };
        let line = &mut self.servers[server].line;
        match line.arrive(self.now, arrival) {
            Entry::Now(turn) => self.turn(request, turn),
            Entry::Wait(number, arrival) => {
                let spot = line.wait(self.now, number, arrival, request);
                self.requests[request].spot = Some(spot);
                self.turns(server);
            }
        }
    }

    fn turns(&mut self, server: usize) {
        for (request, turn) in self.servers[server].line.turns().collect::<Vec<_>>() {
            self.turn(request, turn);
        }
    }

    fn turn(&mut self, request: usize, turn: Turn) {
        let server = self.requests[request].server;
        match turn {
            Turn::Begin(arrival, began) => {
                self.requests[request].begun = Some((arrival, began));
                if self.servers[server].busy < self.setup.workers {
                    self.work(server, request);
                } else {
                    self.servers[server].backlog.push_back(request);
                }
            }
            Turn::Refused(told) => {
                self.sight.refused(self.now, server);
                self.servers[server].debt += self.setup.mean.mul_f64(self.setup.refusal_cost);
                let heard = self.now + self.setup.network;
                self.at(heard, Event::Reply(request, false, told));
            }
        }
    }

    /// A worker takes a request.
    fn work(&mut self, server: usize, request: usize) {
        let at = self.requests[request]
            .begun
            .as_ref()
            .map(|(arrival, _)| arrival.at);
        self.sight.waited(self.now, server, self.now - at.unwrap());
        let site = &mut self.servers[server];
        site.busy += 1;
        let time = self.setup.service_time(self.now, &mut site.times);
        let done = self.now + time + std::mem::take(&mut site.debt);
        self.at(done, Event::Done(request));
    }

    fn done(&mut self, request: usize) {
        let server = self.requests[request].server;
        let (arrival, began) = self.requests[request].begun.take().unwrap();
        self.sight.served(self.now, server, self.now - arrival.at);
        let site = &mut self.servers[server];
        site.busy -= 1;
        let told = site.line.finish(self.now, &arrival, began, true);
        self.at(
            self.now + self.setup.network,
            Event::Reply(request, true, told),
        );
        if let Some(next) = self.servers[server].backlog.pop_front() {
            self.work(server, next);
        }
        self.turns(server);
    }

    fn reply(&mut self, request: usize, served: bool, told: Option<String>) {
        let Request {
            task, server, sent, ..
        } = self.requests[request];
        if self.tasks[task]
            .waits
            .take_if(|waits| *waits == request)
            .is_none()
        {
            return;
        }
        let Task { call, caller, .. } = self.tasks[task];
        let ending = if served {
            Ending::Served
        } else {
            Ending::Refused
        };
        let took = self.now - sent;
        let reply = Reply { ending, told, took };
        self.senders[caller].heard(self.now, &call, server, &reply);
        if !served {
            return;
        }
        self.tasks[task].left -= 1;
        let Task {
            came, calls, left, ..
        } = self.tasks[task];
        if left > 0 {
            self.issue(task);
        } else {
            self.sight.succeeded(came, self.now, calls, call.number);
        }
    }

    fn give_up(&mut self, task: usize) {
        if let Some(request) = self.tasks[task].waits.take() {
            let Task { call, caller, .. } = self.tasks[task];
            let Request { server, spot, .. } = self.requests[request];
            self.senders[caller].gave_up(self.now, &call, server);
            if let Some(spot) = spot.filter(|_| self.setup.hang_up) {
                self.servers[server].line.leave(spot);
            }
        }
    }

    fn tick(&mut self, server: usize) {
        let line = &mut self.servers[server].line;
        line.tick(self.now);
        if let Some(period) = line.gate().period() {
            self.at(self.now + period, Event::Tick(server));
        }
        self.turns(server);
    }

    fn look(&mut self) {
        for (server, site) in self.servers.iter().enumerate() {
            self.sight.level(self.now, server, site.line.gate().level());
        }
        self.at(self.now + LOOKS, Event::Look);
    }
}

/// A sender that sends everything.
pub(crate) struct Vacant;

impl Sender for Vacant {
    fn send(&mut self, _: Duration, _: &Call, _: usize) -> Say {
        Say::Go(None)
    }

    fn heard(&mut self, _: Duration, _: &Call, _: usize, _: &Reply) {}

    fn gave_up(&mut self, _: Duration, _: &Call, _: usize) {}
}
