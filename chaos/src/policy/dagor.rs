//! dagor itself: its entry, its server layer and its caller layer, as any service would use them.
//!
//! Nothing is tuned: permits are fixed at the workers of an instance, since a worker is what a request waits for here; all the rest is
//! at its default, the threshold as the scenario says. A service without workers to wait for gets no gate.
//! Callees that know nothing of dagor and answer 429 or 503 are called with dagor's feedback.
//!
//! Its claims are the bars of the study that its law comes from, tested cell by cell (`tests/bars.rs`), and the
//! criteria of the scenarios.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use dagor::{
    Admission, Concurrency, Entry, EntryLayer, Observer, Settings,
    admission::{Builder, Due},
    client::{Client, HttpFeedback},
};
use tower::{Layer as _, load::Load as _};

use super::{Callee, Place, Policy, Served};
use crate::{
    scenario::Scenario,
    sim,
    wire::{Answering, Call, Exchange, Link, LinkService, Request, tower_link},
    world::World,
};

/// Returns the policy.
#[must_use]
pub fn policy() -> impl Policy {
    Dagor { observer: None }
}

/// Returns the policy with somebody listening to every admission and callee, for metrics.
#[must_use]
pub fn observed(observer: Arc<dyn Observer>) -> impl Policy {
    Dagor {
        observer: Some(observer),
    }
}

struct Dagor {
    observer: Option<Arc<dyn Observer>>,
}

impl Policy for Dagor {
    fn serve(&self, place: &Place<'_>, work: Link) -> Served {
        let spec = place.spec();
        let permits = spec
            .workers
            .and_then(|workers| NonZeroUsize::new(workers as usize));
        let settings = Settings {
            concurrency: permits.map_or(Concurrency::Unlimited, Concurrency::Fixed),
            ..settings(place.scenario)
        };
        let builder = Admission::builder(spec.name.as_str())
            .settings(settings)
            .businesses(businesses(place.scenario))
            .clock(place.clock.clone());
        let builder = match &self.observer {
            Some(observer) => builder.observer(Arc::clone(observer)),
            None => builder,
        };
        let admission = admit(place.world, builder);
        place.waits.watch_sockets(&admission);
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

    fn call(&self, place: &Place<'_>, callee: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        let spec = &place.scenario.services[callee.service];
        let builder = dagor::Callee::builder(&spec.name)
            .clock(place.clock.clone())
            .instances(u32::try_from(callee.instances.len()).unwrap_or(u32::MAX))
            .businesses(businesses(place.scenario));
        let builder = match &self.observer {
            Some(observer) => builder.observer(Arc::clone(observer)),
            None => builder,
        };
        let Ok(known) = builder.build() else {
            unreachable!("a scenario has 1 to 65,536 instances a service and 1 to 256 businesses");
        };
        let bound = channels.into_iter().zip(callee.instances);
        if !spec.protected && spec.quota.is_some() {
            let layer = |name: &str| known.instance(name).feedback(HttpFeedback);
            return bound
                .map(|(channel, name)| tower_link(layer(name).layer(LinkService(channel))))
                .collect();
        }
        bound
            .map(|(channel, name)| -> Link {
                Arc::new(Caller(known.instance(name).layer(LinkService(channel))))
            })
            .collect()
    }
}

/// A channel behind dagor's caller layer, with the load that it knows of.
struct Caller(Client<LinkService>);

impl Exchange for Caller {
    fn send(&self, request: Request) -> Answering {
        let mut client = self.0.clone();
        // A channel is always ready.
        Box::pin(tower::Service::call(&mut client, request))
    }

    fn load(&self) -> u64 {
        self.0.load()
    }

    fn knows_load(&self) -> bool {
        true
    }
}

/// Returns dagor's settings in a scenario, but for the permits.
pub(super) fn settings(scenario: &Scenario) -> Settings {
    let mut settings = Settings::default();
    settings.constants.threshold = scenario.threshold;
    settings
}

/// Returns how many businesses a scenario tells apart.
pub(super) fn businesses(scenario: &Scenario) -> u16 {
    let numbers = scenario.businesses.iter().map(|business| business.number);
    u16::from(numbers.max().unwrap_or(0)) + 1
}

/// Returns the entry of a service where tasks begin.
///
/// The user is the one in the request's [`Call`], hashed as everywhere else; the client of a task waits for as
/// long as the scenario says, and so does everybody who works for it.
pub(super) fn entry(place: &Place<'_>) -> Option<EntryLayer> {
    let scenario = place.scenario;
    if !scenario
        .businesses
        .iter()
        .any(|business| business.entry == place.service)
    {
        return None;
    }
    let numbers = scenario.businesses.iter().map(|business| business.number);
    let entry = Entry::builder()
        .service(place.spec().name.as_str())
        .businesses(numbers.map(|number| (format!("/b/{number}"), number)))
        .user(|parts| {
            parts
                .extensions
                .get::<Call>()
                .map(|call| call.user.to_le_bytes())
        })
        .deadline(scenario.deadline)
        .clock(place.clock.clone())
        .build();
    // The patterns are ours, and the epoch is the default.
    entry.ok()
}

/// Makes an admission that the world gives its turns.
pub(super) fn admit(world: &World, builder: Builder) -> Admission {
    let builder = match world {
        World::Real(_) => builder,
        World::Virtual(handle) => return dispatched(handle, builder),
    };
    built(builder)
}

fn built(builder: Builder) -> Admission {
    let Ok(admission) = builder.build() else {
        unreachable!("the settings are dagor's own but for a threshold that was checked");
    };
    admission
}

/// In virtual time, a permit is handed on when everybody else who is ready at this moment had a turn: what the
/// dispatcher task does on tokio.
fn dispatched(handle: &sim::Handle, builder: Builder) -> Admission {
    let turn = Arc::new(Turn {
        handle: handle.clone(),
        ticking: AtomicBool::new(false),
        of: OnceLock::new(),
    });
    let id = handle.register(Box::new({
        let turn = Arc::clone(&turn);
        move || turn.take()
    }));
    let asking = handle.clone();
    let admission = built(builder.dispatcher(move || asking.settle(id)));
    // Nothing was asked for yet, so nobody looked before this.
    drop(turn.of.set((id, admission.clone())));
    admission
}

/// The turns of one admission.
struct Turn {
    handle: sim::Handle,
    /// Whether a timer for the next turn by time is running.
    ticking: AtomicBool,
    of: OnceLock<(sim::SettleId, Admission)>,
}

impl Turn {
    fn take(self: &Arc<Self>) {
        let Some((id, admission)) = self.of.get() else {
            return;
        };
        match admission.dispatch() {
            Due::WhenAsked => {}
            Due::After(Duration::ZERO) => self.handle.settle(*id),
            Due::After(span) => self.tick(*id, span),
        }
    }

    fn tick(self: &Arc<Self>, id: sim::SettleId, span: Duration) {
        if self.ticking.swap(true, Relaxed) {
            return;
        }
        let sleep = self
            .handle
            .sleep_until(self.handle.now().saturating_add(span));
        let turn: Weak<Self> = Arc::downgrade(self);
        self.handle.spawn(async move {
            sleep.await;
            if let Some(turn) = turn.upgrade() {
                turn.ticking.store(false, Relaxed);
                turn.handle.settle(id);
            }
        });
    }
}

/// Returns how open an admission is: 1 when everybody is admitted.
pub(super) fn openness(
    admission: Admission,
    scenario: &Scenario,
) -> Box<dyn Fn() -> f64 + Send + Sync> {
    let whole = f64::from(businesses(scenario)) * 128.0 * 256.0;
    Box::new(move || (f64::from(admission.level().get()) / whole).min(1.0))
}
