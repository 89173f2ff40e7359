//! How long bytes waited in the socket: a wrapper round the connection that notes when it was woken and
//! when it was read.

use std::{
    cell::Cell,
    fmt, io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

use pin_project_lite::pin_project;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    task,
};

use super::SocketWaits;
use crate::clock::{Clock, nanos};

thread_local! {
    /// The latest read of the connection whose task is being polled on this thread. Written by
    /// [`Stamped`] whenever it is polled, read by [`AcceptStamp`](super::AcceptStamp) in the same task.
    static LAST_READ: Cell<Option<(task::Id, Read)>> = const { Cell::new(None) };
}

pin_project! {
    /// A connection that measures how long the bytes it yields had waited.
    ///
    /// Wrap the connection itself, *below* TLS and below hyper's `TokioIo`:
    /// `TokioIo::new(Stamped::new(tcp, &waits))` in a loop of your own,
    /// [`StampedListener`](super::StampedListener) for `axum::serve`,
    /// [`StampedIncoming`](super::StampedIncoming) for `serve_with_incoming` of tonic.
    ///
    /// The wait of a read is the time from the wake-up of the reading task (for the first read of a
    /// connection: from [`new`](Self::new)) to the read. A read that follows one which filled its buffer
    /// belongs to the same burst and has the same wait. What was not waited for has a wait of zero. Every
    /// request that came with a read is charged that read's wait, also the HTTP/2 streams that came behind
    /// the first: too much for those, by a factor of two on average.
    ///
    /// The service finds the wait by the tokio task that reads the connection and calls or clones the
    /// service. A connection that is polled outside of a task, by `block_on` itself or by another runtime,
    /// counts in its [`SocketWaits`], but its requests are charged nothing.
    ///
    /// It costs 0.1 to 0.2 us per read, two readings of the clock included, and one allocation per
    /// connection. After an upgrade, hyper's `downcast` finds `TokioIo<Stamped<Io>>`.
    pub struct Stamped<Io> {
        #[pin]
        io: Io,
        waits: SocketWaits,
        // When it was wrapped; taken by the first poll for bytes.
        wrapped: Option<Duration>,
        // The waker given to `io`: made anew only when another task comes to read.
        watch: Option<(Arc<Watch>, Waker)>,
        // The last read that yielded bytes.
        last: Option<Read>,
        // Whether that read filled its buffer, so that the next one continues it.
        filled: bool,
    }
}

/// A read that yielded bytes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Read {
    /// How long the bytes had waited since the task was woken for them.
    pub(crate) wait: Duration,
    /// When they were read.
    pub(crate) at: Duration,
}

/// The waker that a connection is polled with: notes when it is woken and wakes the task.
struct Watch {
    task: Waker,
    clock: Clock,
    /// The moment of the first wake-up since the last poll, in nanoseconds, or [`NOT_WOKEN`]. Written by
    /// whoever wakes, taken by the connection's poll.
    woken: AtomicU64,
}

const NOT_WOKEN: u64 = u64::MAX;

/// Returns the last read of the connection whose task is running now: `None` outside of a task, and in
/// every task that reads from no [`Stamped`] connection.
pub(crate) fn last_read_of_this_task() -> Option<Read> {
    let (reader, read) = LAST_READ.get()?;
    (task::try_id()? == reader).then_some(read)
}

/// Makes `last` what [`last_read_of_this_task`] finds.
///
/// Done at every poll, also without new bytes: a task changes its thread between polls, and the value it
/// left on a thread long ago must not be found there again.
fn publish(last: Option<Read>) {
    LAST_READ.set(last.and_then(|read| Some((task::try_id()?, read))));
}

// === impl Stamped ===

impl<Io> Stamped<Io> {
    /// Returns `io` wrapped. Its bytes count as waiting from now on, so wrap it where it is accepted.
    #[must_use]
    pub fn new(io: Io, waits: &SocketWaits) -> Self {
        Self {
            io,
            waits: waits.clone(),
            wrapped: Some(waits.clock().now()),
            watch: None,
            last: None,
            filled: false,
        }
    }

    /// Returns the connection.
    pub const fn get_ref(&self) -> &Io {
        &self.io
    }

    /// Returns the connection; what is read from it directly is not measured.
    pub const fn get_mut(&mut self) -> &mut Io {
        &mut self.io
    }

    /// Returns the connection without its wrapper.
    pub fn into_inner(self) -> Io {
        self.io
    }
}

impl<Io: AsyncRead> AsyncRead for Stamped<Io> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.project();
        // Taken before the poll: a wake-up during it announces other bytes, or none.
        let wrapped = this.wrapped.take();
        let woken = this
            .watch
            .as_ref()
            .and_then(|(watch, _)| watch.take())
            .or(wrapped);
        let waker = match this.watch {
            Some((watch, waker)) if watch.task.will_wake(cx.waker()) => waker,
            watch => &watch.insert(Watch::new(cx.waker(), this.waits.clock())).1,
        };

        let before = buf.filled().len();
        let poll = this.io.poll_read(&mut Context::from_waker(waker), buf);
        match &poll {
            Poll::Ready(Ok(())) if buf.filled().len() > before => {
                let at = this.waits.clock().now();
                let wait = match (woken, *this.last) {
                    (Some(woken), _) => {
                        let wait = at.saturating_sub(woken);
                        this.waits.add(wait);
                        wait
                    }
                    (None, Some(last)) if *this.filled => last.wait,
                    (None, _) => Duration::ZERO,
                };
                *this.last = Some(Read { wait, at });
                *this.filled = buf.remaining() == 0;
            }
            // Nothing was there: whatever comes next was not part of the burst, nor of that wake-up.
            Poll::Ready(_) | Poll::Pending => *this.filled = false,
        }
        publish(*this.last);
        poll
    }
}

impl<Io: AsyncWrite> AsyncWrite for Stamped<Io> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        // The next pipelined request is parsed after this write and without a read of its own.
        publish(*this.last);
        this.io.poll_write(cx, buf)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.project().io.poll_shutdown(cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.project();
        publish(*this.last);
        this.io.poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
}

impl<Io: fmt::Debug> fmt::Debug for Stamped<Io> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stamped")
            .field("io", &self.io)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}

// === impl Watch ===

impl Watch {
    fn new(task: &Waker, clock: &Clock) -> (Arc<Self>, Waker) {
        let watch = Arc::new(Self {
            task: task.clone(),
            clock: clock.clone(),
            woken: AtomicU64::new(NOT_WOKEN),
        });
        (Arc::clone(&watch), Waker::from(watch))
    }

    /// Returns when the task was first woken since the last call.
    fn take(&self) -> Option<Duration> {
        if self.woken.load(Ordering::Relaxed) == NOT_WOKEN {
            return None;
        }
        // Relaxed, as everywhere here: the moment stands for itself, nothing else is read through it.
        let woken = self.woken.swap(NOT_WOKEN, Ordering::Relaxed);
        Some(Duration::from_nanos(woken))
    }
}

impl Wake for Watch {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.woken.load(Ordering::Relaxed) == NOT_WOKEN {
            let now = nanos(self.clock.now());
            // The first wake-up counts; one that comes second brought bytes that waited less.
            let _ =
                self.woken
                    .compare_exchange(NOT_WOKEN, now, Ordering::Relaxed, Ordering::Relaxed);
        }
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
#[path = "socket_tests.rs"]
mod tests;
