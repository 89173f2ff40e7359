use std::{
    collections::VecDeque,
    future::poll_fn,
    task::{Context, Poll, Waker},
};

use futures_util::FutureExt as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::*;
use crate::clock::{Clock, Hand};

/// A connection that yields what it is given, a chunk a read, and keeps the waker it was polled with.
#[derive(Debug, Default)]
struct Script {
    chunks: VecDeque<usize>,
    waker: Option<Waker>,
    wakers: usize,
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Not `will_wake`: the table of functions of one waker may be there more than once.
        if self
            .waker
            .as_ref()
            .is_none_or(|w| w.data() != cx.waker().data())
        {
            self.waker = Some(cx.waker().clone());
            self.wakers += 1;
        }
        match self.chunks.pop_front() {
            Some(chunk) => {
                buf.put_slice(&vec![0; chunk]);
                Poll::Ready(Ok(()))
            }
            None => Poll::Pending,
        }
    }
}

/// A scripted connection, its clock, and the hand that moves it.
struct Bench {
    io: Stamped<Script>,
    waits: SocketWaits,
    hand: Hand,
}

const BUFFER: usize = 8;

impl Bench {
    fn new() -> Self {
        let (clock, hand) = Clock::manual();
        let waits = SocketWaits::new(clock);
        let mut bench = Self {
            io: Stamped::new(Script::default(), &waits),
            waits,
            hand,
        };
        assert!(bench.read(Waker::noop()).is_none());
        bench
    }

    /// Gives the connection a chunk and wakes whoever waits for it.
    fn arrive(&mut self, chunk: usize) {
        let script = self.io.get_mut();
        script.chunks.push_back(chunk);
        script.waker.as_ref().unwrap().wake_by_ref();
    }

    /// Polls for at most [`BUFFER`] bytes; the wait of what was read, in ms.
    fn read(&mut self, waker: &Waker) -> Option<u128> {
        let mut bytes = [0; BUFFER];
        let mut buf = ReadBuf::new(&mut bytes);
        let poll = Pin::new(&mut self.io).poll_read(&mut Context::from_waker(waker), &mut buf);
        match poll {
            Poll::Ready(result) => {
                result.unwrap();
                self.io.last.map(|read| read.wait.as_millis())
            }
            Poll::Pending => None,
        }
    }

    fn wait(&self, ms: u64) {
        self.hand.advance(Duration::from_millis(ms));
    }

    fn taken(&self) -> (u128, u64) {
        let taken = self.waits.take();
        (taken.sum.as_millis(), taken.reads)
    }
}

#[test]
fn the_wait_is_from_the_first_wake_up_to_the_read() {
    let mut bench = Bench::new();
    bench.wait(1000);
    bench.arrive(3);
    bench.wait(20);
    bench.arrive(3);
    bench.wait(10);
    assert_eq!(bench.read(Waker::noop()), Some(30));
    assert_eq!(bench.taken(), (30, 1));
    // The second chunk's wake-up was the same one; it needed none of its own.
    assert_eq!(bench.read(Waker::noop()), Some(0));
    assert_eq!(bench.read(Waker::noop()), None);
    assert_eq!(bench.taken(), (0, 0));
}

#[test]
fn a_wake_up_without_bytes_is_forgotten() {
    let mut bench = Bench::new();
    bench.io.get_ref().waker.as_ref().unwrap().wake_by_ref();
    bench.wait(50);
    assert_eq!(bench.read(Waker::noop()), None);
    bench.wait(50);
    bench.arrive(1);
    bench.wait(2);
    assert_eq!(bench.read(Waker::noop()), Some(2));
}

#[test]
fn reads_that_continue_a_full_one_share_its_wait() {
    let mut bench = Bench::new();
    bench.arrive(BUFFER);
    bench.arrive(BUFFER);
    bench.arrive(2);
    bench.arrive(2);
    bench.wait(40);
    assert_eq!(bench.read(Waker::noop()), Some(40));
    // However long the application takes in between.
    bench.wait(500);
    assert_eq!(bench.read(Waker::noop()), Some(40));
    assert_eq!(bench.read(Waker::noop()), Some(40));
    // The one before did not fill the buffer: the burst was over.
    assert_eq!(bench.read(Waker::noop()), Some(0));
    assert_eq!(bench.taken(), (40, 1), "one burst, one wait");
}

#[test]
fn nothing_continues_past_an_empty_socket() {
    let mut bench = Bench::new();
    bench.arrive(BUFFER);
    bench.wait(40);
    assert_eq!(bench.read(Waker::noop()), Some(40));
    assert_eq!(bench.read(Waker::noop()), None);
    // As if woken by something else, and the bytes came just now.
    bench.io.get_mut().chunks.push_back(1);
    assert_eq!(bench.read(Waker::noop()), Some(0));
}

#[test]
fn a_new_connection_waits_from_when_it_was_wrapped() {
    let (clock, hand) = Clock::manual();
    let waits = SocketWaits::new(clock);
    let mut script = Script::default();
    script.chunks.push_back(1);
    let mut bench = Bench {
        io: Stamped::new(script, &waits),
        waits,
        hand,
    };
    bench.wait(70);
    assert_eq!(bench.read(Waker::noop()), Some(70));
    assert_eq!(bench.taken(), (70, 1));
}

#[test]
fn the_waker_is_made_once_per_task() {
    /// Waits `wait` ms in the socket and reads, three times over.
    async fn in_a_task(mut bench: Bench, wait: u64) -> Bench {
        poll_fn(|cx| {
            for _ in 0..3 {
                bench.arrive(1);
                bench.wait(wait);
                assert_eq!(bench.read(cx.waker()), Some(u128::from(wait)));
                assert_eq!(bench.read(cx.waker()), None);
            }
            Poll::Ready(())
        })
        .await;
        bench
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let bench = Bench::new();
        let before = bench.io.get_ref().wakers;
        let bench = tokio::spawn(in_a_task(bench, 4)).await.unwrap();
        assert_eq!(bench.io.get_ref().wakers, before + 1);
        // What the one task waited counts where the other reads.
        let bench = tokio::spawn(in_a_task(bench, 9)).await.unwrap();
        assert_eq!(bench.io.get_ref().wakers, before + 2);
    });
}

#[test]
fn the_task_is_woken() {
    let mut bench = Bench::new();
    let (waker, woken) = counting();
    assert_eq!(bench.read(&waker), None);
    bench.arrive(1);
    bench.arrive(1);
    assert_eq!(woken.load(Ordering::Relaxed), 2);
}

#[test]
fn the_mean_is_taken_and_starts_again() {
    let mut bench = Bench::new();
    for wait in [10, 20, 60] {
        bench.arrive(1);
        bench.wait(wait);
        assert!(bench.read(Waker::noop()).is_some());
    }
    assert_eq!(bench.waits.take().mean(), Some(Duration::from_millis(30)));
    assert_eq!(bench.waits.take().mean(), None);
}

#[test]
fn a_read_is_known_in_its_own_task_only() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut outside = Bench::new();
        outside.arrive(1);
        outside.read(Waker::noop());
        assert_eq!(last_read_of_this_task(), None, "not in a task");

        let connection = tokio::spawn(async {
            let mut bench = Bench::new();
            assert_eq!(last_read_of_this_task(), None);
            bench.arrive(1);
            bench.wait(25);
            bench.read(Waker::noop());
            let other = tokio::spawn(async { last_read_of_this_task() });
            let before = last_read_of_this_task();
            assert_eq!(other.await.unwrap(), None, "another task, same thread");

            // Another connection was served on this thread meanwhile; any poll brings ours back.
            tokio::spawn(async {
                let mut bench = Bench::new();
                bench.arrive(1);
                bench.read(Waker::noop());
            })
            .await
            .unwrap();
            assert_eq!(last_read_of_this_task(), None);
            assert_eq!(bench.read(Waker::noop()), None);
            assert_eq!(last_read_of_this_task(), before);
            before.map(|read| (read.wait.as_millis(), read.at.as_millis()))
        });
        assert_eq!(connection.await.unwrap(), Some((25, 25)));
    });
}

#[test]
fn a_write_brings_back_the_read_of_its_task() {
    // Where a request was pipelined, nothing is read between the answer to the one before and its call.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let connection = async {
        let (ours, mut peers) = tokio::io::duplex(64);
        let mut io = Stamped::new(ours, &SocketWaits::default());
        peers.write_all(b"x").await.unwrap();
        let mut byte = [0];
        io.read_exact(&mut byte).await.unwrap();
        let read = last_read_of_this_task();
        assert!(read.is_some());

        LAST_READ.set(None);
        io.write_all(b"x").await.unwrap();
        assert_eq!(last_read_of_this_task(), read);
        LAST_READ.set(None);
        let written = io.write_vectored(&[io::IoSlice::new(b"x")]).await.unwrap();
        assert_eq!(written, 1);
        assert_eq!(last_read_of_this_task(), read);
    };
    runtime
        .block_on(async { tokio::spawn(connection).await })
        .unwrap();
}

#[test]
fn bytes_pass_unchanged_in_both_directions() {
    let (ours, mut peers) = tokio::io::duplex(64);
    let mut io = Stamped::new(ours, &SocketWaits::default());
    assert_eq!(io.is_write_vectored(), io.get_ref().is_write_vectored());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        peers.write_all(b"ping").await.unwrap();
        let mut bytes = [0; 4];
        io.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"ping");
        io.write_all(b"po").await.unwrap();
        let slices = [io::IoSlice::new(b"n"), io::IoSlice::new(b"g")];
        assert_eq!(io.write_vectored(&slices).await.unwrap(), 2);
        io.flush().await.unwrap();
        io.shutdown().await.unwrap();
        let mut all = Vec::new();
        peers.read_to_end(&mut all).await.unwrap();
        assert_eq!(all, b"pong");
        drop(peers);
        // The end of the stream is no read that yields bytes.
        let last = io.last;
        assert_eq!(io.read(&mut bytes).now_or_never().unwrap().unwrap(), 0);
        assert_eq!(io.last, last);
    });
}

/// A waker that counts.
fn counting() -> (Waker, Arc<AtomicU64>) {
    struct Count(Arc<AtomicU64>);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let count = Arc::new(AtomicU64::new(0));
    (Waker::from(Arc::new(Count(Arc::clone(&count)))), count)
}
