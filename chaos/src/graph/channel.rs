//! What a request meets on its way from one instance to another, at the caller's end.

use std::{
    future,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    Run,
    detach::detach_if,
    fields::{Forger, lose},
    lock,
    trouble::Trouble,
};
use crate::{
    wire::{Answer, Answering, Exchange, Link, Request, Response},
    world::Chance,
};

/// A channel between two instances: counts what is sent.
pub(super) struct Channel {
    pub(super) run: Run,
    pub(super) raw: Link,
}

impl Exchange for Channel {
    fn send(&self, request: Request) -> Answering {
        self.run.recorder.sent();
        self.raw.send(request)
    }
}

/// A way on which something may go wrong.
pub(super) struct Way {
    run: Run,
    raw: Link,
    ends: Ends,
    /// Whether something in this scenario cuts it: the callee must then not notice that a caller hangs up.
    may_be_cut: bool,
    chance: Mutex<Chance>,
    forger: Forger,
}

/// Who is at the ends of a way.
pub(super) struct Ends {
    /// The service of the caller; `None` for the clients.
    pub(super) from: Option<usize>,
    pub(super) caller: Option<Arc<Trouble>>,
    pub(super) callee: Option<Arc<Trouble>>,
}

/// A way, as a link.
pub(super) struct Troubled(pub(super) Arc<Way>);

impl Exchange for Troubled {
    fn send(&self, request: Request) -> Answering {
        Box::pin(Arc::clone(&self.0).carry(request))
    }
}

impl Way {
    /// A way over `raw`, which some fault concerns.
    pub(super) fn new(run: &Run, raw: Link, ends: Ends, chance: Chance, forger: Forger) -> Self {
        Self {
            may_be_cut: super::timeline::cuts(&run.scenario),
            run: run.clone(),
            raw,
            ends,
            chance: Mutex::new(chance),
            forger,
        }
    }

    async fn carry(self: Arc<Self>, request: Request) -> Answer {
        self.pass().await;
        let answer = if self.may_be_cut {
            let way = Arc::clone(&self);
            detach_if(&self.run.world, self.raw.send(request), move || {
                way.is_cut()
            })
            .await
        } else {
            self.raw.send(request).await
        };
        self.pass().await;
        if let Some(caller) = &self.ends.caller {
            caller.resumed().await;
        }
        answer.map(|response| self.tamper(response))
    }

    /// Goes one way; never arrives if that is cut.
    async fn pass(&self) {
        if self.is_cut() {
            future::pending::<()>().await;
        }
        let callee = self.ends.callee.as_ref();
        let delay = callee.map_or(Duration::ZERO, |callee| callee.delay(self.ends.from));
        if !delay.is_zero() {
            self.run.world.sleep(delay).await;
        }
    }

    fn is_cut(&self) -> bool {
        let callee = self.ends.callee.as_ref();
        callee.is_some_and(|callee| callee.is_cut(self.ends.from))
    }

    fn tamper(&self, mut response: Response) -> Response {
        let Some(callee) = &self.ends.callee else {
            return response;
        };
        let keeps = callee.keeps(self.ends.from);
        if keeps < 1.0 && lock(&self.chance).unit() >= keeps {
            lose(&mut response);
        }
        if let Some(share) = callee.forged(self.ends.from) {
            self.forger.forge(&mut response, share);
        }
        response
    }
}
