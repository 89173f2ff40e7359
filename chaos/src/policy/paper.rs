//! The paper's law, as published: at the callee alone, with callers that obey the level and tell nothing, and with
//! response time for a signal, which the paper compares with.
//!
//! dagor's admission with the paper's constants (windows of 1 s or 2000 requests, steps of 5 % and 1 %, levels of
//! whole users, threshold as the scenario says), in front of the service's own queue, first come, first served, whose
//! waits are its signal. There is no gate, no task in progress and no report of what was withheld: the paper has
//! none. Its one departure is a probe: a caller that heard nothing of an instance for a second sends one call
//! there whatever the level, or silence would be for ever (the paper does not say what ends it).
//!
//! Nothing is tuned. Its claim, that the law at the callee holds the queue near the threshold and sheds what is too
//! much, is tested on tasks of one call (`tests/paper_law.rs`), and so is that callers which tell nothing undo it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use dagor::{
    Admission, Concurrency, Level, Progress, Settings, Task,
    control::Constants,
    wire::{Names, PriorityField, Reading, read_level, write_priority},
};
use tower::Layer as _;

use super::{
    Callee, Place, Policy, Served,
    dagor::{admit, businesses, entry, openness, settings},
};
use crate::{
    wire::{Answering, Exchange, Link, LinkService, Request, Withheld, tower_link},
    world::World,
};

/// Returns the law at the callee alone.
#[must_use]
pub fn server_side() -> impl Policy {
    Paper {
        obey: false,
        signal: Signal::QueuingTime,
    }
}

/// Returns the law with callers that obey, and are blind to what they withhold.
#[must_use]
pub fn blind() -> impl Policy {
    Paper {
        obey: true,
        signal: Signal::QueuingTime,
    }
}

/// Returns the law at the callee alone, with overload detected by response time: what the paper compares with
/// (DAGOR_r).
#[must_use]
pub fn by_response_time() -> impl Policy {
    Paper {
        obey: false,
        signal: Signal::ResponseTime,
    }
}

struct Paper {
    obey: bool,
    signal: Signal,
}

/// What the mean is taken of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Signal {
    QueuingTime,
    ResponseTime,
}

/// The threshold of response time in the paper's experiment.
const RESPONSE_THRESHOLD: Duration = Duration::from_millis(250);

impl Policy for Paper {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let threshold = match self.signal {
            Signal::QueuingTime => place.scenario.threshold,
            Signal::ResponseTime => RESPONSE_THRESHOLD,
        };
        let settings = Settings {
            constants: Constants {
                threshold,
                ..Constants::paper()
            },
            concurrency: Concurrency::Unlimited,
            ..settings(place.scenario)
        };
        let builder = Admission::builder(place.spec().name.as_str())
            .settings(settings)
            .businesses(businesses(place.scenario))
            .clock(place.clock.clone());
        let admission = admit(place.world, builder);
        let work = match self.signal {
            Signal::QueuingTime => {
                let heard = admission.clone();
                place.waits.tell(move |waited| heard.report_wait(waited));
                work
            }
            Signal::ResponseTime => Arc::new(Timed {
                work,
                world: place.world.clone(),
                admission: admission.clone(),
            }),
        };
        let service = admission.layer().layer(LinkService(work));
        let link = match entry(place) {
            Some(entry) => tower_link(entry.layer(service)),
            None => tower_link(service),
        };
        Served {
            link,
            level: Some(openness(admission, place.scenario)),
        }
    }

    fn call(&self, place: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        let names = Arc::new(Names::default());
        let caller = |channel| -> Link {
            Arc::new(Caller {
                channel,
                obey: self.obey,
                world: place.world.clone(),
                names: Arc::clone(&names),
                known: Arc::new(Known::default()),
            })
        };
        channels.into_iter().map(caller).collect()
    }
}

/// Work whose response time is reported as if it were queuing time.
struct Timed {
    work: Link,
    world: World,
    admission: Admission,
}

impl Exchange for Timed {
    fn send(&self, request: Request) -> Answering {
        let came = self.world.now();
        let answer = self.work.send(request);
        let (world, admission) = (self.world.clone(), self.admission.clone());
        Box::pin(async move {
            let response = answer.await;
            admission.report_wait(world.now().saturating_sub(came));
            response
        })
    }
}

/// How long nothing may be heard of an instance before a call passes as a probe.
const SILENCE: Duration = Duration::from_secs(1);

struct Caller {
    channel: Link,
    obey: bool,
    world: World,
    names: Arc<Names>,
    known: Arc<Known>,
}

/// What is known of an instance.
struct Known {
    level: AtomicU32,
    /// When it was last heard of, or probed, in nanoseconds.
    heard: AtomicU64,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            level: AtomicU32::new(Level::OPEN.get()),
            heard: AtomicU64::new(0),
        }
    }
}

impl Known {
    fn hear(&self, now: Duration) {
        self.heard.store(nanos(now), Relaxed);
    }

    fn is_silent(&self, now: Duration) -> bool {
        nanos(now).saturating_sub(self.heard.load(Relaxed)) >= nanos(SILENCE)
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

impl Exchange for Caller {
    fn send(&self, mut request: Request) -> Answering {
        if let Some(task) = Task::current() {
            let field = PriorityField {
                budget: task
                    .deadline()
                    .map(|at| at.saturating_sub(self.world.clock().now())),
                ..PriorityField::new(task.priority())
            };
            write_priority(request.headers_mut(), &self.names, &field);
            let level = Level::new(self.known.level.load(Relaxed)).unwrap_or(Level::OPEN);
            let now = self.world.now();
            if self.obey && !level.admits(field.priority, Progress::New) {
                if !self.known.is_silent(now) {
                    return Box::pin(std::future::ready(Err(Withheld.into())));
                }
                self.known.hear(now);
            }
        }
        let answer = self.channel.send(request);
        let (known, names) = (Arc::clone(&self.known), Arc::clone(&self.names));
        let world = self.world.clone();
        Box::pin(async move {
            let response = answer.await?;
            known.hear(world.now());
            if let Reading::Valid(field) = read_level(response.headers(), &names) {
                known.level.store(field.level.get(), Relaxed);
            }
            Ok(response)
        })
    }
}
