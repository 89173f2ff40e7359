//! What is wrong with one instance at the moment.

use std::{sync::Mutex, time::Duration};

use tokio::sync::Notify;

use super::lock;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Effect {
    /// Felt by calls from this service only, where it is on the way; `None` for everybody's.
    pub(super) from: Option<usize>,
    /// What.
    pub(super) kind: EffectKind,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum EffectKind {
    /// It works at this speed.
    Speed(f64),
    /// It is not there.
    Dead,
    /// It does nothing.
    Pause,
    /// What goes to it, and comes back, takes this much longer.
    Delay(Duration),
    /// Nothing gets to it or back.
    Partition,
    /// This share of its responses lose what policies say with them.
    LevelLost(f64),
    /// They say this share of what is open.
    LevelForged(f64),
}

/// The troubles of one instance; there is none for an instance that no fault of the scenario is about.
#[derive(Debug)]
pub(super) struct Trouble {
    state: Mutex<State>,
    // Both wake in the order in which they were waited for, which `watch` does not.
    /// Told when it no longer stands still.
    goes_on: Notify,
    /// Told when it dies.
    dies: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// With the number that ends each.
    active: Vec<(usize, Effect)>,
    /// How long it stood still, all pauses that are over together.
    stopped: Duration,
    /// Since when it does, if it does.
    stopped_at: Option<Duration>,
}

impl Trouble {
    /// No trouble yet.
    pub(super) fn new() -> Self {
        Self {
            state: Mutex::default(),
            goes_on: Notify::new(),
            dies: Notify::new(),
        }
    }

    /// Something begins to be wrong, until the end of `number`.
    pub(super) fn begin(&self, now: Duration, number: usize, effect: Effect) {
        lock(&self.state).active.push((number, effect));
        self.watch_pause(now);
    }

    /// It no longer is.
    pub(super) fn end(&self, now: Duration, number: usize) {
        lock(&self.state)
            .active
            .retain(|(active, _)| *active != number);
        self.watch_pause(now);
    }

    /// All that is under way there is lost.
    pub(super) fn die(&self) {
        self.dies.notify_waiters();
    }

    fn watch_pause(&self, now: Duration) {
        let goes_on = {
            let mut state = lock(&self.state);
            let paused = |(_, effect): &(usize, Effect)| effect.kind == EffectKind::Pause;
            let stopped = state.active.iter().any(paused);
            match (stopped, state.stopped_at) {
                (true, None) => {
                    state.stopped_at = Some(now);
                    false
                }
                (false, Some(since)) => {
                    state.stopped += now.saturating_sub(since);
                    state.stopped_at = None;
                    true
                }
                _ => false,
            }
        };
        if goes_on {
            self.goes_on.notify_waiters();
        }
    }

    /// Returns whether it stands still.
    pub(super) fn is_stopped(&self) -> bool {
        lock(&self.state).stopped_at.is_some()
    }

    /// Waits until it no longer stands still.
    pub(super) async fn resumed(&self) {
        loop {
            // Told of everything from here on.
            let goes_on = self.goes_on.notified();
            if !self.is_stopped() {
                return;
            }
            goes_on.await;
        }
    }

    /// Waits until it dies next.
    pub(super) async fn died(&self) {
        self.dies.notified().await;
    }

    /// Returns how long it stood still up to now.
    pub(super) fn stopped_for(&self, now: Duration) -> Duration {
        let state = lock(&self.state);
        let still = state.stopped_at.map(|since| now.saturating_sub(since));
        state.stopped + still.unwrap_or_default()
    }

    /// Returns whether it is not there.
    pub(super) fn is_dead(&self) -> bool {
        self.any(|kind| kind == EffectKind::Dead)
    }

    /// Returns how fast it works; 1 is as always.
    pub(super) fn speed(&self) -> f64 {
        let speeds = self.felt(None, |kind| match kind {
            EffectKind::Speed(speed) => Some(speed),
            _ => None,
        });
        speeds.into_iter().product()
    }

    /// Returns whether nothing gets through from this service.
    pub(super) fn is_cut(&self, from: Option<usize>) -> bool {
        !self
            .felt(from, |kind| (kind == EffectKind::Partition).then_some(()))
            .is_empty()
    }

    /// Returns how much longer one way takes from this service.
    pub(super) fn delay(&self, from: Option<usize>) -> Duration {
        let delays = self.felt(from, |kind| match kind {
            EffectKind::Delay(delay) => Some(delay),
            _ => None,
        });
        delays.into_iter().sum()
    }

    /// Returns the chance that a response to this service keeps its fields.
    pub(super) fn keeps(&self, from: Option<usize>) -> f64 {
        let kept = self.felt(from, |kind| match kind {
            EffectKind::LevelLost(share) => Some(1.0 - share),
            _ => None,
        });
        kept.into_iter().product()
    }

    /// Returns the share of what is open that responses to this service claim, if they are forged.
    pub(super) fn forged(&self, from: Option<usize>) -> Option<f64> {
        let forged = self.felt(from, |kind| match kind {
            EffectKind::LevelForged(share) => Some(share),
            _ => None,
        });
        forged.last().copied()
    }

    fn any(&self, is: impl Fn(EffectKind) -> bool) -> bool {
        lock(&self.state)
            .active
            .iter()
            .any(|(_, effect)| is(effect.kind))
    }

    /// Returns what concerns calls from this service, in the order in which it began.
    fn felt<T>(&self, from: Option<usize>, pick: impl Fn(EffectKind) -> Option<T>) -> Vec<T> {
        let state = lock(&self.state);
        let concerned = state
            .active
            .iter()
            .filter(|(_, effect)| effect.from.is_none() || effect.from == from);
        concerned
            .filter_map(|(_, effect)| pick(effect.kind))
            .collect()
    }
}
