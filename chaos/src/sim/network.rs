//! The network of virtual time: a way takes as long as the scenario says.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use super::{Handle, Sleep};
use crate::{
    graph::{At, Network, Receiving, Slot},
    scenario::Scenario,
    wire::{Answer, Answering, Exchange, Link, Request},
};

/// Ways of one length between all instances; clients are where their entry is.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    handle: Handle,
    /// One way.
    span: Duration,
    /// The services' names, as they may stand in a URI.
    names: Vec<String>,
}

/// A channel to one instance.
struct Channel(Arc<Way>);

struct Way {
    handle: Handle,
    span: Duration,
    slot: Arc<Slot>,
}

/// A request on its way there, then its answer on its way back.
///
/// A future by hand, for its size: what the compiler makes of the same has room for the request several times.
struct Travelling {
    way: Arc<Way>,
    step: Step,
}

enum Step {
    There(Sleep, Option<Request>),
    Served(Receiving),
    Back(Sleep, Option<Answer>),
}

// === impl Ways ===

impl Ways {
    /// The network of a scenario.
    pub(super) fn new(handle: &Handle, scenario: &Scenario) -> Self {
        let names = scenario.services.iter().map(|service| host(&service.name));
        Self {
            handle: handle.clone(),
            span: scenario.network,
            names: names.collect(),
        }
    }
}

impl Network for Ways {
    fn address(&self, at: At) -> String {
        format!("{}-{}", self.names[at.service], at.instance)
    }

    fn channel(&self, from: Option<At>, slot: &Arc<Slot>) -> Link {
        Arc::new(Channel(Arc::new(Way {
            handle: self.handle.clone(),
            span: from.map_or(Duration::ZERO, |_| self.span),
            slot: Arc::clone(slot),
        })))
    }
}

// === impl Channel ===

impl Exchange for Channel {
    /// A refused connection takes the way there and back, like any answer.
    fn send(&self, request: Request) -> Answering {
        if self.0.span.is_zero() {
            return Box::pin(self.0.slot.receive(request));
        }
        Box::pin(Travelling {
            way: Arc::clone(&self.0),
            step: Step::There(self.0.sleep(), Some(request)),
        })
    }
}

impl Way {
    fn sleep(&self) -> Sleep {
        self.handle.sleep_until(self.handle.now() + self.span)
    }
}

// === impl Travelling ===

impl Future for Travelling {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let Self { way, step } = &mut *self;
        loop {
            *step = match step {
                Step::There(sleep, request) => {
                    ready!(Pin::new(sleep).poll(cx));
                    let Some(request) = request.take() else {
                        unreachable!("it arrives once, and then this step is over");
                    };
                    Step::Served(way.slot.receive(request))
                }
                Step::Served(receiving) => {
                    let answer = ready!(Pin::new(receiving).poll(cx));
                    Step::Back(way.sleep(), Some(answer))
                }
                Step::Back(sleep, answer) => {
                    ready!(Pin::new(sleep).poll(cx));
                    let Some(answer) = answer.take() else {
                        unreachable!("polled after it was ready");
                    };
                    return Poll::Ready(answer);
                }
            };
        }
    }
}

/// Returns a service's name with all that a host's name may not have as dashes.
pub(crate) fn host(name: &str) -> String {
    let letter = |letter: char| match letter.to_ascii_lowercase() {
        letter @ ('a'..='z' | '0'..='9') => letter,
        _ => '-',
    };
    name.chars().map(letter).collect()
}
