//! The body of an answer: whole, or a few bytes at a time.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// The body of an answer: whole, or a few bytes at a time.
#[derive(Debug)]
pub struct ReplyBody {
    rest: Bytes,
    pace: Option<Pace>,
}

#[derive(Debug)]
struct Pace {
    /// How many bytes come at once: those of a tenth of a second, at least one.
    step: usize,
    every: Duration,
    wait: Pin<Box<Sleep>>,
}

// === impl ReplyBody ===

impl ReplyBody {
    pub(crate) fn new(rest: Bytes, bytes_per_s: Option<u64>) -> Self {
        let pace = bytes_per_s.map(Pace::new);
        Self { rest, pace }
    }
}

impl Body for ReplyBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let next = match &mut self.pace {
            None => self.rest.split_off(0),
            Some(pace) => {
                ready!(pace.wait.as_mut().poll(cx));
                pace.wait = Box::pin(sleep(pace.every));
                let step = pace.step;
                let step = step.min(self.rest.len());
                self.rest.split_to(step)
            }
        };
        Poll::Ready(Some(Ok(Frame::data(next))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.rest.len()).unwrap_or(u64::MAX))
    }
}

// === impl Pace ===

impl Pace {
    fn new(bytes_per_s: u64) -> Self {
        // None a second is one in eleven days: nobody waits that long.
        let bytes_per_s = u32::try_from(bytes_per_s).unwrap_or(u32::MAX);
        let step = (bytes_per_s / 10).max(1);
        let every = match bytes_per_s {
            0 => Duration::from_secs(1_000_000),
            _ => Duration::from_secs(1) * step / bytes_per_s,
        };
        Self {
            step: usize::try_from(step).unwrap_or(usize::MAX),
            every,
            wait: Box::pin(sleep(every)),
        }
    }
}
