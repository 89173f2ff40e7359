//! A limit of requests in flight that an algorithm moves, enforced and sampled as in Netflix's concurrency-limits.
//!
//! After `SimpleLimiter` and `WindowedLimit` of <https://github.com/Netflix/concurrency-limits> (78a74b9): whoever
//! comes while the limit is reached is refused, and nobody waits in line; response times are averaged over
//! windows, and a window of fewer than ten says nothing.
//!
//! Two details differ. How many are in flight is counted when a request ends instead of when it begins; a window
//! takes the highest of its samples in any case. And a request that fails before its deadline is no sample
//! (`onIgnore` there, which the library's gRPC interceptor does not use for errors): a refusal from further down
//! comes back quickly and would pass for the shortest response time there is.

use std::time::Duration;

use super::{
    Arrival, Gatekeeper, Verdict,
    sizing::{real, whole},
};

/// An algorithm that moves a limit.
pub trait Limit: Send {
    /// Returns the limit, at least 1.
    fn limit(&self) -> f64;

    /// Returns the highest that the limit can be.
    fn most(&self) -> f64;

    /// Takes the sample of a window: the mean response time, how many were in flight at most, and whether a client
    /// gave up.
    fn sample(&mut self, response: Duration, in_flight: f64, late: bool);
}

/// Refuses whoever comes while the limit is reached.
#[derive(Debug)]
pub struct Limiter<L> {
    limit: L,
    span: Duration,
    window: Window,
    closes: Duration,
    in_flight: usize,
}

/// What was seen since the last window was closed.
#[derive(Debug, Default)]
struct Window {
    sum: Duration,
    count: u32,
    in_flight: usize,
    late: bool,
}

/// How long a window is unless set: 1 s, the library's `minWindowTime` and `maxWindowTime`.
pub(super) const WINDOW: Duration = Duration::from_secs(1);

/// A window of fewer samples says nothing: the library's `windowSize`.
const SAMPLES: u32 = 10;

/// Responses faster than this are none, nothing was done: the library's `minRttThreshold`.
const FASTEST: Duration = Duration::from_micros(100);

// === impl Limiter ===

impl<L: Limit> Limiter<L> {
    /// Moves the limit by windows of 1 s, as the library does unless told otherwise.
    #[must_use]
    pub fn new(limit: L) -> Self {
        Self::windowed(limit, WINDOW)
    }

    /// Moves the limit by windows of this length; the library allows 100 ms and more.
    #[must_use]
    pub fn windowed(limit: L, span: Duration) -> Self {
        Self {
            limit,
            span,
            window: Window::default(),
            closes: Duration::ZERO,
            in_flight: 0,
        }
    }

    /// The first sample of all closes a window of one, which says nothing; so the first window begins with it.
    fn sample(&mut self, now: Duration, response: Duration, late: bool) {
        if response < FASTEST {
            return;
        }
        self.window.sum += response;
        self.window.count += 1;
        self.window.in_flight = self.window.in_flight.max(self.in_flight);
        self.window.late |= late;
        if now > self.closes {
            let Window {
                sum,
                count,
                in_flight,
                late,
            } = std::mem::take(&mut self.window);
            self.closes = now + self.span;
            if count >= SAMPLES {
                self.limit.sample(sum / count, real(in_flight), late);
            }
        }
    }

    fn whole(&self) -> usize {
        whole(self.limit.limit()).max(1)
    }
}

impl<L: Limit> Gatekeeper for Limiter<L> {
    fn arrive(&mut self, _: Duration, _: &Arrival, _: usize, running: usize) -> Verdict {
        if running < self.whole() {
            Verdict::Queue(0)
        } else {
            Verdict::Refuse
        }
    }

    fn slots(&self) -> usize {
        self.whole()
    }

    fn start(&mut self, _: Duration, _: &Arrival, _: usize) -> bool {
        self.in_flight += 1;
        true
    }

    fn finish(&mut self, now: Duration, request: &Arrival, began: Duration, served: bool) {
        let late = !served && now >= request.call.deadline;
        if served || late {
            self.sample(now, now.saturating_sub(began), late);
        }
        self.in_flight -= 1;
    }

    fn level(&self) -> f64 {
        self.limit.limit() / self.limit.most()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::peer::testing::call;

    const MS: Duration = Duration::from_millis(1);

    /// Notes its samples.
    #[derive(Default)]
    struct Noted(Vec<(Duration, f64, bool)>);

    impl Limit for Noted {
        fn limit(&self) -> f64 {
            2.9
        }

        fn most(&self) -> f64 {
            5.8
        }

        fn sample(&mut self, response: Duration, in_flight: f64, late: bool) {
            self.0.push((response, in_flight, late));
        }
    }

    fn arrival(deadline: Duration) -> Arrival {
        Arrival {
            call: call(0, deadline),
            at: Duration::ZERO,
            ask: None,
        }
    }

    /// Runs a request that begins and ends then.
    fn run(limiter: &mut Limiter<Noted>, began: Duration, ended: Duration, served: bool) {
        let request = arrival(500 * MS);
        assert!(limiter.start(began, &request, 0));
        limiter.finish(ended, &request, began, served);
    }

    #[test]
    fn whoever_comes_when_the_limit_is_reached_is_refused() {
        let mut limiter = Limiter::new(Noted::default());
        let (now, request) = (Duration::ZERO, arrival(MS));
        assert_eq!(limiter.arrive(now, &request, 0, 1), Verdict::Queue(0));
        assert_eq!(limiter.arrive(now, &request, 0, 2), Verdict::Refuse);
        assert_eq!(limiter.slots(), 2);
        assert!((limiter.level() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_window_is_averaged_and_closed_by_the_first_sample_after_it() {
        let mut limiter = Limiter::windowed(Noted::default(), 100 * MS);
        run(&mut limiter, Duration::ZERO, 10 * MS, true);
        for ended in 11..=19 {
            run(&mut limiter, 10 * MS, ended * MS, true);
        }
        assert!(limiter.limit.0.is_empty(), "not over yet");
        let other = arrival(Duration::ZERO);
        assert!(limiter.start(100 * MS, &other, 0));
        run(&mut limiter, 100 * MS, 115 * MS, true);
        // 1 to 9 ms and 15 ms.
        assert_eq!(limiter.limit.0, [(6 * MS, 2.0, false)]);
    }

    #[test]
    fn a_window_of_few_says_nothing() {
        let mut limiter = Limiter::windowed(Noted::default(), 100 * MS);
        for ended in [1, 2, 3, 4, 5, 6, 7, 8, 200, 400] {
            run(&mut limiter, Duration::ZERO, ended * MS, true);
        }
        assert!(limiter.limit.0.is_empty());
    }

    #[test]
    fn failures_are_no_samples_but_lateness_is() {
        let mut limiter = Limiter::windowed(Noted::default(), 100 * MS);
        run(&mut limiter, Duration::ZERO, MS, true);
        for _ in 0..20 {
            run(&mut limiter, 10 * MS, 11 * MS, false);
            run(&mut limiter, 10 * MS, 10 * MS, true);
        }
        for _ in 0..9 {
            run(&mut limiter, 10 * MS, 20 * MS, true);
        }
        run(&mut limiter, 10 * MS, 510 * MS, false);
        assert_eq!(limiter.limit.0, [(59 * MS, 1.0, true)]);
    }
}
