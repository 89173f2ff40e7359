//! The numbers of the law, and four sets of them that belong together.

use std::time::Duration;

/// How a verdict becomes the next level.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Algorithm {
    /// Falls by a fixed share of what is admitted; rises by a fixed share of demand, several times
    /// faster when hardly anybody waits. For a service with a gate.
    #[default]
    Graded,
    /// Falls and rises in proportion to how far the queuing time is from the threshold. For a service
    /// without a gate, whose queue nothing bounds: fixed small steps are too slow there.
    Proportional,
    /// The published algorithm (arXiv 1806.04075v3), step for step, for comparison. Not for production:
    /// after overload it needs minutes to open again.
    Paper,
}

/// The numbers of the law.
///
/// Start from one of the sets and change what must be changed; the sets' algorithms and numbers were
/// measured together:
///
/// ```
/// use std::time::Duration;
/// use dagor::control::Constants;
///
/// let patient = Constants {
///     threshold: Duration::from_millis(60),
///     ..Constants::dagor()
/// };
/// assert_eq!(patient.down, 0.05);
/// ```
///
/// No value makes the law panic or leave the range of levels, but outside the ranges given here it
/// need not control anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Constants {
    /// How a verdict becomes the next level. Default [`Graded`](Algorithm::Graded).
    pub algorithm: Algorithm,

    /// Mean queuing time above which a window is overloaded. 1 ms to 1 s, default 20 ms (the paper's).
    ///
    /// Too low: a service sheds on the ordinary jitter of its machine and stays below its capacity. Too
    /// high: served requests wait that long in every overload, and tasks of several calls miss their
    /// deadline. Services called several times *in parallel* by one task do better with 40 to 60 ms.
    pub threshold: Duration,

    /// Times the interval between two starts that the threshold is at least. 0 to 10, default 3
    /// (simulated: 0.87 instead of 0.70 of the optimum with one worker of 20 ms).
    ///
    /// Matters only where that interval is above 6.7 ms: with few slow workers a single request in front
    /// is a wait of 20 ms. Too low: such a service idles between overloads. Too high: it lets more
    /// requests wait than its callers have patience for.
    pub slots: f64,

    /// Time after which a window closes if it has seen enough. 10 ms to 10 s, default 100 ms (simulated:
    /// 50 to 1000 ms differ by less than 0.5 % when load is steady).
    ///
    /// Too low: windows close on noise, and the work of a step is done more often. Too high: a step in load
    /// is answered late; with 1 s, callers go on sending for four times as long and recovery takes 4.5 s
    /// instead of 0.8 s.
    pub window: Duration,

    /// Time after which a window closes whatever it has seen. At least `window`, default 1 s (the paper's).
    ///
    /// Too low: a service of few requests is judged on a handful. Too high: such a service reacts late.
    pub longest_window: Duration,

    /// Requests after which a window closes whatever its age. At least `fewest_requests`, default 2000
    /// (the paper's).
    ///
    /// Too low: a busy service computes a level many times a second from waits that have not had the time to
    /// change. Too high: without effect, time closes the window first.
    pub most_requests: u32,

    /// Requests that a window should have seen before `window` closes it. 0 to 1000, default 20
    /// (simulated).
    ///
    /// Does not apply while nobody waits. Too low: noisy verdicts at low rates. Too high: below
    /// `fewest_requests / window` requests a second, windows last up to `longest_window`.
    pub fewest_requests: u32,

    /// Requests that a window must have seen to be called overloaded. 0 to `most_requests`, default 10
    /// (ours: half of `fewest_requests`); 0 turns the rule off.
    ///
    /// Too low: one slow start in a quiet second costs a step. Too high: services with less than
    /// `fewest_samples / longest_window` requests a second are protected by their gate alone.
    pub fewest_samples: u32,

    /// Share of the remembered demand kept from window to window. 0 to below 1, default 0.7 (simulated:
    /// without memory 0.931 instead of 0.958). Ignored by [`Paper`](Algorithm::Paper), which has none.
    ///
    /// Too low: the histogram has gaps, and the level jumps over them. Too high: the level moves by the
    /// demand of some while ago; 0.9 remembers about ten windows.
    pub memory: f64,

    /// Share of the admitted demand that an overloaded window takes away. 0 to 0.5, default 0.05 (the
    /// paper's alpha).
    ///
    /// Too low: overload lasts longer. Too high: the level saws, and capacity is lost after every step down.
    /// With [`Proportional`](Algorithm::Proportional) the share per threshold's worth of excess.
    pub down: f64,

    /// Times what was served that an overloaded window leaves admitted at most, before `down`. 1 to 3,
    /// default 1.4 (simulated). Ignored by [`Paper`](Algorithm::Paper).
    ///
    /// Makes a sudden tenfold load a matter of one window. The one knob that trades goodput against refusals
    /// at the caller: too low (1.1) callers withhold most of the excess but workers run dry now and then;
    /// too high (above 1.5) the gate refuses what callers should have withheld.
    pub margin: f64,

    /// Share of all demand that a calm window adds. 0 to 0.2, default 0.01 (the paper's beta).
    ///
    /// Too low: after overload the service stays closed for long. Too high: every calm window overshoots,
    /// and the gate has to refuse the difference.
    pub up: f64,

    /// Share of the threshold at or below which a calm window counts as well below it. 0 to 1, default 0.75
    /// (simulated). [`Graded`](Algorithm::Graded) only.
    ///
    /// Too low: recovery is slower. Too high: the level rises fast just before it has to fall.
    pub well_below: f64,

    /// Times `up` that such a window adds. 1 to 20, default 5 (simulated).
    /// [`Graded`](Algorithm::Graded) only.
    ///
    /// Too low: slow recovery. Too high: overshoots.
    pub times_well_below: f64,

    /// Share of the threshold at or below which the queue counts as nearly empty. 0 to `well_below`,
    /// default 0.05 (simulated). Ignored by [`Paper`](Algorithm::Paper).
    ///
    /// Too low: a single wait in the window keeps a recovered service closed. Too high: as `well_below`.
    pub nearly_empty: f64,

    /// Times `up` that a window with a nearly empty queue adds. 1 to 100, default 20 (simulated: 20 % of
    /// demand; 0.8 s to recover from tenfold load). [`Graded`](Algorithm::Graded) only.
    ///
    /// Too low: recovery takes seconds (6.6 s if nothing is graded). Too high: the level opens into an overload that goes on.
    pub times_nearly_empty: f64,

    /// Share of the remembered demand that overload never takes away. 0 to 1, default 0.01 (ours); 0 turns
    /// the rule off. Ignored by [`Paper`](Algorithm::Paper).
    ///
    /// For waits that shedding cannot cure: a stalled disk, a neighbour that takes the processor. Too low:
    /// such a service is closed to everybody and nobody sees it recover. Too high: the share is more than
    /// the service can do in real overload, and callers withhold less than they should: keep it below
    /// capacity divided by the highest load to be survived.
    pub least_share: f64,

    /// Share of the admitted demand that one overloaded window takes away at most. `down` to 0.9, default
    /// 0.30 (simulated and measured on tokio). [`Proportional`](Algorithm::Proportional) only.
    ///
    /// Too low: without a gate, a step in load is answered for seconds. Too high: one long wait closes the
    /// service.
    pub steepest: f64,

    /// Share of all demand that a window with a nearly empty queue adds. `up` to 0.5, default 0.05
    /// (simulated and measured on tokio). [`Proportional`](Algorithm::Proportional) only.
    ///
    /// Too low: slow recovery. Too high: overshoots, and without a gate nothing catches them.
    pub up_idle: f64,
}

impl Constants {
    /// Returns the default set: the paper's steps of 5 % and 1 %, in windows of 100 ms over a remembered
    /// histogram, with the rise graded. Simulated: 0.953 of the optimum, 0.875 in the worst case.
    #[must_use]
    pub const fn dagor() -> Self {
        Self {
            algorithm: Algorithm::Graded,
            threshold: Duration::from_millis(20),
            slots: 3.0,
            window: Duration::from_millis(100),
            longest_window: Duration::from_secs(1),
            most_requests: 2000,
            fewest_requests: 20,
            fewest_samples: 10,
            memory: 0.7,
            down: 0.05,
            margin: 1.4,
            up: 0.01,
            well_below: 0.75,
            times_well_below: 5.0,
            nearly_empty: 0.05,
            times_nearly_empty: 20.0,
            least_share: 0.01,
            steepest: 0.30,
            up_idle: 0.05,
        }
    }

    /// Returns a set with small steps down (2 %) and large steps up (5 %, or 20 % when nearly empty).
    /// Simulated: 0.958 of the optimum, 0.884 in the worst case, at fewer refusals by the caller.
    #[must_use]
    pub const fn swift() -> Self {
        Self {
            down: 0.02,
            margin: 1.2,
            up: 0.05,
            times_well_below: 1.0,
            times_nearly_empty: 4.0,
            ..Self::dagor()
        }
    }

    /// Returns the paper's set: windows of 1 s or 2000 requests, steps of 5 % and 1 %, no memory and none
    /// of our additions. For comparison; after overload it needs minutes to open again.
    #[must_use]
    pub const fn paper() -> Self {
        Self {
            algorithm: Algorithm::Paper,
            slots: 0.0,
            window: Duration::from_secs(1),
            longest_window: Duration::from_secs(1),
            fewest_requests: 0,
            fewest_samples: 0,
            memory: 0.0,
            times_well_below: 1.0,
            times_nearly_empty: 1.0,
            least_share: 0.0,
            ..Self::dagor()
        }
    }

    /// Returns the set for a service without a gate. Simulated: 0.876 of the optimum, 0.827 in the worst
    /// case, and 2 s to answer a tenfold load: prefer a gate.
    #[must_use]
    pub const fn no_gate() -> Self {
        Self {
            algorithm: Algorithm::Proportional,
            margin: 1.0,
            ..Self::dagor()
        }
    }
}

impl Default for Constants {
    fn default() -> Self {
        Self::dagor()
    }
}
