//! How long a request that was read waited for its service: a stamp taken where the request is handed
//! over.

use std::{fmt, time::Duration};

use super::{LONGEST, socket::last_read_of_this_task};
use crate::clock::Clock;

/// How long a request waited before the outermost service was called.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct Arrival {
    /// In the socket, from the wake-up of the connection's task to the read.
    pub socket: Duration,
    /// From the read to the call: in the run queue on HTTP/2, nothing on HTTP/1.
    pub accept: Duration,
}

/// A field of the outermost service that learns how long each request waited.
///
/// hyper-util (and so axum and tonic) clones the service once for every request, in the task that has
/// just read the request from the connection, and calls the clone when the request's turn comes. The
/// clone of this field takes a stamp then; [`take`](Self::take) in `call` turns it into the wait.
///
/// A clone made in any other task has no stamp, so that a service kept for later invents no wait. In
/// [`take`] such a clone still finds the socket's wait where the call itself runs in the connection's
/// task, as it does on HTTP/1 in `Router::layer`; on HTTP/2 there is nothing to be found then.
///
/// ```
/// use std::time::Duration;
/// use dagor::{Clock, queuing_time::AcceptStamp};
///
/// #[derive(Clone)]
/// struct Service {
///     stamp: AcceptStamp,
/// }
///
/// impl Service {
///     fn call(&mut self, now: Duration) {
///         if let Some(arrival) = self.stamp.take(now) {
///             println!("waited {:?}", arrival.total());
///         }
///     }
/// }
///
/// let clock = Clock::system();
/// let mut service = Service { stamp: AcceptStamp::new(clock.clone()) };
/// service.clone().call(clock.now());
/// assert!(service.stamp.take(clock.now()).is_none(), "no connection, no wait");
/// ```
///
/// [`take`]: Self::take
pub struct AcceptStamp {
    clock: Clock,
    taken: Option<Taken>,
}

/// What was known when the service was cloned.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The wait of the read that the request came with.
    socket: Duration,
    at: Duration,
}

// === impl Arrival ===

impl Arrival {
    /// Returns the whole wait.
    #[must_use]
    pub const fn total(&self) -> Duration {
        self.socket.saturating_add(self.accept)
    }
}

// === impl AcceptStamp ===

impl AcceptStamp {
    /// Returns one without a stamp; its clones take theirs from `clock`, which must be the clock of the
    /// [`SocketWaits`](super::SocketWaits) as well.
    #[must_use]
    pub const fn new(clock: Clock) -> Self {
        Self { clock, taken: None }
    }

    /// Returns how long the request that is called at `now`, on the same clock, waited; `None` where that
    /// is not known.
    ///
    /// The stamp is used up: a service called again without being cloned gets what the connection's last
    /// read knows. A stamp older than [`LONGEST`] is not believed.
    #[must_use]
    pub fn take(&mut self, now: Duration) -> Option<Arrival> {
        let Some(Taken { socket, at }) = self.taken.take() else {
            let read = last_read_of_this_task()?;
            return Some(Arrival {
                socket: read.wait,
                accept: Duration::ZERO,
            });
        };
        let accept = now.saturating_sub(at);
        (accept <= LONGEST).then_some(Arrival { socket, accept })
    }
}

// By hand: a clone belongs to another request than its original, and takes a stamp of its own.
impl Clone for AcceptStamp {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            taken: last_read_of_this_task().map(|read| Taken {
                socket: read.wait,
                at: self.clock.now(),
            }),
        }
    }
}

impl fmt::Debug for AcceptStamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AcceptStamp").field(&self.taken).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::{pin::Pin, sync::Arc, task::Poll};

    use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};

    use super::*;
    use crate::{
        clock::Hand,
        queuing_time::{SocketWaits, Stamped},
    };

    /// Runs `task` as a task of a runtime, as connections are.
    fn in_a_task<F>(task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(async { tokio::spawn(task).await })
            .unwrap();
    }

    /// Reads a byte that waited `wait` in the socket.
    async fn read_after(hand: &Hand, io: &mut Stamped<tokio::io::DuplexStream>, wait: Duration) {
        let (ours, mut peers) = tokio::io::duplex(8);
        *io.get_mut() = ours;
        let mut byte = [0];
        std::future::poll_fn(|cx| {
            let mut buf = ReadBuf::new(&mut byte);
            assert!(Pin::new(&mut *io).poll_read(cx, &mut buf).is_pending());
            Poll::Ready(())
        })
        .await;
        peers.write_all(b"x").await.unwrap();
        hand.advance(wait);
        io.read_exact(&mut byte).await.unwrap();
    }

    fn connection() -> (Hand, AcceptStamp, Stamped<tokio::io::DuplexStream>) {
        let (clock, hand) = Clock::manual();
        let io = Stamped::new(tokio::io::duplex(8).0, &SocketWaits::new(clock.clone()));
        (hand, AcceptStamp::new(clock), io)
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn arrival(socket: u64, accept: u64) -> Option<Arrival> {
        Some(Arrival {
            socket: ms(socket),
            accept: ms(accept),
        })
    }

    #[test]
    fn every_request_of_a_read_is_charged_once() {
        let (hand, stamp, mut io) = connection();
        in_a_task(async move {
            read_after(&hand, &mut io, ms(40)).await;
            let (mut first, mut second) = (stamp.clone(), stamp.clone());
            hand.advance(ms(5));
            let now = stamp.clock.now();
            // Two streams in one read, called elsewhere and later.
            let called = tokio::spawn(async move {
                let calls = [first.take(now), second.take(now)];
                (calls, first.take(now), second)
            });
            let (calls, again, second) = called.await.unwrap();
            assert_eq!(calls, [arrival(40, 5); 2]);
            assert_eq!(again, None, "the stamp was used up");

            // The next read of the same connection has a wait of its own.
            read_after(&hand, &mut io, ms(3)).await;
            let mut third = second.clone();
            assert_eq!(third.take(stamp.clock.now()), arrival(3, 0));
        });
    }

    #[test]
    fn clones_of_other_tasks_have_no_stamp() {
        let (hand, stamp, mut io) = connection();
        in_a_task(async move {
            read_after(&hand, &mut io, ms(40)).await;
            let stamp = Arc::new(stamp);
            let other = Arc::clone(&stamp);
            let mut idle = tokio::spawn(async move { AcceptStamp::clone(&other) })
                .await
                .unwrap();
            hand.advance(ms(3_600_000));
            let now = stamp.clock.now();
            // Called in the connection's task after all: the socket's wait, without the hour.
            let (here, mut idle) = (idle.take(now), idle.clone());
            assert_eq!(here, arrival(40, 0));
            assert_eq!(idle.take(now), arrival(40, 0));
            let other = tokio::spawn(async move { AcceptStamp::clone(&stamp).take(now) });
            assert_eq!(other.await.unwrap(), None);
        });
    }

    #[test]
    fn a_stamp_of_long_ago_is_not_believed() {
        let (hand, stamp, mut io) = connection();
        in_a_task(async move {
            read_after(&hand, &mut io, ms(40)).await;
            let mut kept = stamp.clone();
            hand.advance(LONGEST + ms(1));
            assert_eq!(kept.take(stamp.clock.now()), None);
        });
    }
}
