//! The network of real sockets: a port for each instance, on loopback.

use std::{
    collections::BTreeMap,
    fmt, io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use axum::serve::Listener as _;
use tokio::runtime::Handle;

use super::{
    channel::{Address, channel},
    server::Server,
    socket::Incoming,
};
use crate::{
    graph::{At, Network, Slot},
    policy::Waits,
    scenario::{Protocol, Scenario},
    sim::host,
    wire::{Answering, Exchange, Link, Request, Unreachable},
    world::World,
};

/// All ports of a run.
pub(super) struct Sockets {
    /// Where the servers run.
    world: World,
    runtime: Handle,
    /// One way between two services, if the scenario's network is slower than loopback.
    span: Duration,
    /// By service.
    services: Vec<(String, Protocol)>,
    doors: Mutex<BTreeMap<At, Door>>,
    /// Of clients' tasks.
    outstanding: Arc<Outstanding>,
}

/// Where one instance listens.
struct Door {
    address: Address,
    /// Bound, and nobody accepts yet.
    bound: Option<Incoming>,
    server: Option<Server>,
}

/// Tasks under way, and the most there may be.
#[derive(Debug)]
struct Outstanding {
    now: AtomicUsize,
    most: usize,
    /// How many were not begun for that.
    surplus: Surplus,
}

/// How many tasks were too many. Clones are one.
#[derive(Clone, Debug, Default)]
pub(super) struct Surplus(Arc<AtomicU64>);

/// What is below this takes no longer over loopback by itself, with all that is around it.
const LOOPBACK: Duration = Duration::from_millis(1);

impl Sockets {
    /// Binds a port for each instance of the scenario, on the servers' runtime; at most `most` tasks of clients may be
    /// under way at once.
    pub(super) fn open(
        scenario: &Scenario,
        world: &World,
        runtime: &Handle,
        most: usize,
    ) -> io::Result<Self> {
        let _entered = runtime.enter();
        let mut doors = BTreeMap::new();
        for (service, spec) in scenario.services.iter().enumerate() {
            for instance in 0..spec.instances {
                doors.insert(At { service, instance }, Door::open()?);
            }
        }
        let services = scenario.services.iter();
        Ok(Self {
            world: world.clone(),
            runtime: runtime.clone(),
            span: scenario.network,
            services: services.map(|it| (it.name.clone(), it.protocol)).collect(),
            doors: Mutex::new(doors),
            outstanding: Arc::new(Outstanding {
                now: AtomicUsize::new(0),
                most,
                surplus: Surplus::default(),
            }),
        })
    }

    /// Returns how many tasks were too many, now and later.
    pub(super) fn surplus(&self) -> Surplus {
        self.outstanding.surplus.clone()
    }

    fn doors(&self) -> MutexGuard<'_, BTreeMap<At, Door>> {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Network for Sockets {
    /// A name and no port, as in virtual time: it stays when an instance comes back elsewhere.
    fn address(&self, at: At) -> String {
        format!("{}-{}", host(&self.services[at.service].0), at.instance)
    }

    fn channel(&self, from: Option<At>, slot: &Arc<Slot>) -> Link {
        let at = slot.at();
        let address = self.doors().get(&at).map(|door| door.address.clone());
        let sockets = channel(self.services[at.service].1, address.unwrap_or_default());
        match from {
            None => Arc::new(Bounded {
                link: sockets,
                outstanding: Arc::clone(&self.outstanding),
            }),
            Some(_) if self.span >= LOOPBACK => Arc::new(Slow {
                link: sockets,
                world: self.world.clone(),
                span: self.span,
            }),
            Some(_) => sockets,
        }
    }

    fn started(&self, slot: &Arc<Slot>, waits: &Waits) {
        let at = slot.at();
        let protocol = self.services[at.service].1;
        let _entered = self.runtime.enter();
        if let Some(door) = self.doors().get_mut(&at) {
            let place: Link = Arc::new(Place(Arc::clone(slot)));
            // Without a port nobody is there, and the run sees it.
            door.server = door.listen().ok().map(|incoming| {
                let watcher = waits.socket_watcher();
                Server::start(&self.runtime, incoming, (protocol, place), watcher)
            });
        }
    }

    fn died(&self, slot: &Arc<Slot>) {
        if let Some(door) = self.doors().get_mut(&slot.at()) {
            door.server = None;
        }
    }
}

// === impl Surplus ===

impl Surplus {
    /// Returns how many.
    pub(super) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

// === impl Door ===

impl Door {
    /// Binds any free port.
    fn open() -> io::Result<Self> {
        let incoming = Incoming::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = Address::default();
        address.set(incoming.local_addr()?);
        Ok(Self {
            address,
            bound: Some(incoming),
            server: None,
        })
    }

    /// Binds again, at the same port unless somebody has taken it.
    fn listen(&mut self) -> io::Result<Incoming> {
        if let Some(bound) = self.bound.take() {
            return Ok(bound);
        }
        let anywhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let incoming = Incoming::bind(self.address.get()).or_else(|_| Incoming::bind(anywhere))?;
        self.address.set(incoming.local_addr()?);
        Ok(incoming)
    }
}

// === Links ===

/// The callee's end of all ways to an instance.
struct Place(Arc<Slot>);

impl Exchange for Place {
    fn send(&self, request: Request) -> Answering {
        let slot = Arc::clone(&self.0);
        Box::pin(async move { slot.receive(request).await })
    }
}

/// A way that takes longer than over loopback.
struct Slow {
    link: Link,
    world: World,
    span: Duration,
}

impl Exchange for Slow {
    fn send(&self, request: Request) -> Answering {
        let (link, world, span) = (Link::clone(&self.link), self.world.clone(), self.span);
        Box::pin(async move {
            world.sleep(span).await;
            let answer = link.send(request).await;
            world.sleep(span).await;
            answer
        })
    }
}

/// The way of clients, for so many tasks at once: what is more fails at once, as where a client has no socket left.
struct Bounded {
    link: Link,
    outstanding: Arc<Outstanding>,
}

/// A task under way.
struct UnderWay(Arc<Outstanding>);

impl Exchange for Bounded {
    fn send(&self, request: Request) -> Answering {
        let Some(under_way) = UnderWay::begin(&self.outstanding) else {
            return Box::pin(std::future::ready(Err(Unreachable.into())));
        };
        let answer = self.link.send(request);
        Box::pin(async move {
            let _under_way = under_way;
            answer.await
        })
    }
}

impl UnderWay {
    fn begin(outstanding: &Arc<Outstanding>) -> Option<Self> {
        let one = Self(Arc::clone(outstanding));
        if outstanding.now.fetch_add(1, Relaxed) < outstanding.most {
            return Some(one);
        }
        outstanding.surplus.0.fetch_add(1, Relaxed);
        None
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Relaxed);
    }
}

impl fmt::Debug for Sockets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sockets")
            .field("services", &self.services)
            .field("outstanding", &self.outstanding)
            .finish_non_exhaustive()
    }
}
