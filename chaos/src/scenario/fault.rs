//! What goes wrong.

use std::time::Duration;

/// Something that goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// When.
    pub at: Duration,
    /// For how long; `None` to the end.
    pub lasts: Option<Duration>,
    /// Where.
    pub service: usize,
    /// Which instances; empty for all of them.
    pub instances: Vec<u32>,
    /// Of calls from this service only, where that makes sense.
    pub from: Option<usize>,
    /// What.
    pub kind: FaultKind,
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// The instances work at this speed, relative to before (0.5: everything takes twice as long). Slow instances and
    /// losses of capacity alike.
    Speed(f64),
    /// They are not there: connections are refused, what was under way is lost.
    Dead,
    /// They do nothing, but their connections stay: everything waits for the end of it.
    Pause,
    /// Requests to them, and responses, take this much longer.
    Delay(Duration),
    /// Nothing gets to them or back: calls hang until their timeouts.
    Partition,
    /// Their responses lose the field that carries the level (or credits, or price), this share of them.
    LevelLost(f64),
    /// The field says this share of what is open instead: 1 is open, 0 closed.
    LevelForged(f64),
    /// Their calendar jumps by this many seconds, forward or back.
    ClockJump(f64),
    /// This share of the tasks that come is of one and the same user.
    HotKey(f64),
    /// They are down for `lasts`, and come back with empty memories and at `cold` speed for `warm`.
    ColdRestart {
        /// Speed after coming back.
        cold: f64,
        /// For how long.
        warm: Duration,
    },
    /// One instance after the other is restarted: each down for `down`, the next begins `every` after.
    DeployWave {
        /// How long each is down.
        down: Duration,
        /// From one to the next.
        every: Duration,
    },
}
