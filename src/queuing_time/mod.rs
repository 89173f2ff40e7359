//! Where queuing time comes from: how long a request waited before its work began.
//!
//! It is the signal of the control law, and most of it passes where a layer cannot see it. hyper calls the
//! service when it has *read* the request, so on HTTP/1 a plain layer measures nothing while requests wait
//! for half a second in their sockets.
//!
//! # The sources
//!
//! | source | sees | misses |
//! |---|---|---|
//! | [`Stamped`] connection | wake-up of the connection's task to the read of the bytes | what epoll has not reported yet; what the peer's HTTP/2 holds back |
//! | [`AcceptStamp`] in the outermost service | HTTP/2: the stream's task waiting for its turn | HTTP/1: there the call follows the read at once |
//! | [`stamp::request_start`] | everything since the proxy in front | needs a trusted proxy, and clocks in step |
//! | [`stamp::enqueued`] | a job's time in its queue | |
//! | [`Probe`] | how long a task waits, also when nothing moves | the single request; a busy worker beside an idle one |
//! | the gate | the wait for a permit, exactly | what is in front of it |
//!
//! Share of the true wait, from the client's send to the layer's call, that each saw in collapse: 1.5
//! times the capacity of one worker, handlers of 1 ms, true means of 220 to 950 ms; ranges of 2 to 5 runs on
//! two cores that others used as well.
//!
//! | | axum, HTTP/1, 1000 connections | HTTP/1, 200 | HTTP/2, 32 | tonic, 4 |
//! |---|---|---|---|---|
//! | a layer by itself | 0 | 0 | 0 | 0 |
//! | socket | 0.94-0.95 | 0.85 | 0.43-0.73 | 0.27-0.38 |
//! | accept | 0 | 0 | 0.61-0.75 | 0.77-0.82 |
//! | socket + accept | 0.94-0.95 | 0.85 | 1.18-1.34 | 1.07-1.15 |
//! | probe | 1.00-1.06 | 0.82-0.86 | 0.97-1.07 | 0.79-0.81 |
//!
//! More than one on HTTP/2 because all requests of a read are charged the wait of the first. Less than one
//! on HTTP/1 because bytes lie in the kernel until tokio looks at epoll: after 61 tasks, or when it has
//! nothing else to do. Below capacity that is most of the wait, and the two stamps see a fifth to a half of
//! it. None of this changes a verdict: the true mean is a few milliseconds then and hundreds in collapse,
//! and the threshold is 20.
//!
//! Sources *inside* the runtime were tried and left out, because they read low exactly when it matters: a
//! task that yields by 20 times, a timer's drift by 10, a spawn from a task by 40,000. A spawn from
//! *outside* alone saw 0.01 with 200 connections, whose tasks never reach the queue that workers share, and
//! a third with two workers; hence the second wait of the [`Probe`]. The kernel's `TCP_INFO` saw all of it
//! on HTTP/1, but nothing on HTTP/2, and needs `unsafe`.
//!
//! # How they combine
//!
//! Without counting a wait twice. Socket and accept follow each other and are added; the proxy's stamp
//! covers both of them and more, so the longer counts; the probe knows nothing of the single request and
//! is asked only where there is neither. That is the wait before the layer: [`Waits::before_layer`]. The
//! gate's wait begins where it ends, and a wait that the application reports passes behind the gate: both
//! are added to it.
//!
//! ```
//! use std::time::Duration;
//! use dagor::queuing_time::Waits;
//!
//! let probe = || Some(Duration::from_millis(90));
//! let mut waits = Waits::default();
//! assert_eq!(waits.before_layer(Some(&probe)), probe());
//!
//! waits.stamp = Some(Duration::from_millis(35));
//! assert_eq!(waits.before_layer(Some(&probe)), waits.stamp);
//! ```
//!
//! # What the stamps ask for
//!
//! - The layer is outermost but for the entry: outside of axum's `Router`, in `Server::layer` of tonic. Inside of
//!   `Router::layer` it still finds the socket's wait on HTTP/1, and nothing on HTTP/2.
//! - The socket is wrapped *below* TLS. Then TLS records are the bytes, and their wait is the request's.
//! - tokio runs the connection in a task, as every server does: see [`Stamped`].
//!
//! Waits in front of the layer include what other layers outside of it wait for.

mod accept;
#[cfg(feature = "axum")]
mod axum;
mod probe;
mod socket;
mod socket_waits;
pub mod stamp;
#[cfg(feature = "tonic")]
mod tonic;

use std::time::Duration;

#[cfg(feature = "axum")]
pub use self::axum::StampedListener;
#[cfg(feature = "tonic")]
pub use self::tonic::StampedIncoming;
pub use self::{
    accept::{AcceptStamp, Arrival},
    probe::Probe,
    socket::Stamped,
    socket_waits::{SocketWait, SocketWaits},
};

/// The longest wait that is believed: 10 minutes. Nobody waits that long for an answer, so what claims to
/// be longer is a wrong clock or a service that was kept for later.
pub const LONGEST: Duration = Duration::from_secs(600);

/// A source for the whole process: what a request that comes now will have waited, as far as it knows.
///
/// Closures are sources, for tests and for what an application measures by itself.
pub trait Source: Send + Sync + 'static {
    /// Returns the estimate, or `None` where there is none. Called once per request that has no wait of
    /// its own, so it must be cheap and must not block.
    fn wait(&self) -> Option<Duration>;
}

/// What is known of one request's wait before the layer; see [the module](self) for how it combines.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Waits {
    /// From the connection and the service: [`AcceptStamp::take`].
    pub arrival: Option<Arrival>,
    /// From a proxy that is trusted ([`stamp::request_start`]), or from a job's queue
    /// ([`stamp::enqueued`]).
    pub stamp: Option<Duration>,
}

impl Waits {
    /// Returns how long the request waited before it reached the layer: the longer of its two waits, or
    /// the estimate of `process` where it has neither; `None` where nobody knows.
    #[must_use]
    pub fn before_layer(&self, process: Option<&dyn Source>) -> Option<Duration> {
        let own = self.arrival.map(|arrival| arrival.total());
        // `None` is less than any duration.
        own.max(self.stamp).or_else(|| process?.wait())
    }
}

impl<F> Source for F
where
    F: Fn() -> Option<Duration> + Send + Sync + 'static,
{
    fn wait(&self) -> Option<Duration> {
        self()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn no_wait_is_counted_twice() {
        let arrival = Some(Arrival {
            socket: ms(30),
            accept: ms(12),
        });
        let probe = || Some(ms(500));
        let before = |arrival, stamp| Waits { arrival, stamp }.before_layer(Some(&probe));

        assert_eq!(before(arrival, None), Some(ms(42)));
        // The stamp covers socket and accept: the longer of the two, not the sum.
        assert_eq!(before(arrival, Some(ms(60))), Some(ms(60)));
        assert_eq!(before(arrival, Some(ms(10))), Some(ms(42)));
        assert_eq!(before(None, Some(ms(10))), Some(ms(10)));
        // A request known not to have waited is not charged with what others did.
        assert_eq!(before(Some(Arrival::default()), None), Some(ms(0)));
        assert_eq!(before(None, None), Some(ms(500)));
        assert_eq!(Waits::default().before_layer(None), None);
    }
}
