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
//! | [`AcceptStamp`] in the outermost service | HTTP/2: the stream's task waiting for its turn | HTTP/1, where the call follows the read at once |
//! | [`stamp::request_start`] | everything since the proxy in front | needs a trusted proxy, and clocks in step |
//! | [`stamp::enqueued`] | a job's time in its queue | |
//! | [`Probe`] | how long a new task waits, also when nothing moves | which request; a busy worker beside an idle one |
//! | the gate | the wait for a permit, exactly | what is in front of it |
//!
//! Share of the true wait (client's send to the layer's call) that each saw, in collapse at 1.5 times
//! the capacity of one worker, handlers of 1 ms:
//!
//! | | HTTP/1 (381 ms) | HTTP/2 (527 ms) | tonic (510 ms) |
//! |---|---|---|---|
//! | a plain layer, socket not wrapped | 0 | 0 | 0 |
//! | socket alone | MEASURED | | |
//! | accept stamp alone | | | |
//! | both | | | |
//! | [`Probe`], also for the layer alone | | | |
//!
//! Near capacity the two stamps see about a third: there the bytes wait for tokio to look at epoll (every
//! 61 tasks, or when it has nothing else to do), and only the kernel knows. A verdict is not changed by
//! that: the true mean is 1 to 6 ms at 0.9 of capacity and hundreds in collapse, with a threshold of 20.
//! Sources *inside* the runtime were tried and left out, because they read low exactly when it matters: a
//! task that yields 20 times, a timer's drift 10 times, a spawn from a task 40,000 times.
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
//! - The layer is outermost: outside of axum's `Router`, in `Server::layer` of tonic. Inside of
//!   `Router::layer` it still finds the socket's wait on HTTP/1, and nothing on HTTP/2.
//! - The socket is wrapped *below* TLS. Then TLS records are the bytes, and their wait is the request's.
//! - tokio runs the connection, in a task: see [`Stamped`].
//!
//! Waits in front of the layer include what other layers outside of it wait for.

mod accept;
#[cfg(feature = "axum")]
mod axum;
mod probe;
mod socket;
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
    socket::{SocketWait, SocketWaits, Stamped},
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
