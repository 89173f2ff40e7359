//! The response body: counts the request in flight, and holds its permit where the work is in the stream.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf, Bytes};
use http_body::{Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::{admission::InFlight, gate::Permit};

pin_project! {
    /// The body of a response that went through the layer: the inner service's, or a refusal's.
    pub struct Body<B> {
        #[pin]
        content: Content<B>,
        held: Held,
    }
}

pin_project! {
    #[project = ContentProjection]
    enum Content<B> {
        Inner { #[pin] body: B },
        Full { data: Option<Bytes> },
    }
}

/// What ends with the body.
#[derive(Debug, Default)]
struct Held {
    in_flight: Option<InFlight>,
    permit: Option<Permit>,
    /// Bytes that were announced and did not come yet, if a length was announced.
    left: Option<u64>,
}

impl<B> Body<B> {
    /// Wraps the body of a response, of as many bytes as its head announced; `permit` is held to its end.
    pub(super) fn new(
        body: B,
        announced: Option<u64>,
        in_flight: Option<InFlight>,
        permit: Option<Permit>,
    ) -> Self
    where
        B: http_body::Body,
    {
        let mut held = Held {
            in_flight,
            permit,
            left: announced,
        };
        if held.left == Some(0) || body.is_end_stream() {
            held.end();
        }
        Self {
            content: Content::Inner { body },
            held,
        }
    }

    /// Returns a body of these bytes.
    pub(super) fn full(data: Bytes) -> Self {
        let data = Some(data).filter(|data| !data.is_empty());
        Self {
            content: Content::Full { data },
            held: Held::default(),
        }
    }
}

impl Held {
    /// Whoever reads may stop at the last frame without asking for one more: after trailers, and on
    /// HTTP/1 after as many bytes as were announced. A size that the body hints at does not do, for
    /// trailers that are still worked on can follow.
    fn ends_with<D: Buf>(&mut self, frame: &Frame<D>) -> bool {
        if let (Some(left), Some(data)) = (&mut self.left, frame.data_ref()) {
            // Lossless: usize has at most 64 bits.
            *left = left.saturating_sub(data.remaining() as u64);
        }
        frame.is_trailers() || self.left == Some(0)
    }

    /// The body came to its end: the work is done.
    fn end(&mut self) {
        self.in_flight = None;
        if let Some(permit) = self.permit.take() {
            permit.finish();
        }
    }
}

impl<B> http_body::Body for Body<B>
where
    B: http_body::Body,
    B::Data: From<Bytes>,
{
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let this = self.project();
        match this.content.project() {
            ContentProjection::Inner { mut body } => {
                let frame = ready!(body.as_mut().poll_frame(cx));
                let last = match &frame {
                    Some(Ok(frame)) => this.held.ends_with(frame),
                    Some(Err(_)) => false,
                    None => true,
                };
                if last || body.is_end_stream() {
                    this.held.end();
                }
                Poll::Ready(frame)
            }
            ContentProjection::Full { data } => {
                Poll::Ready(data.take().map(|data| Ok(Frame::data(data.into()))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Inner { body } => body.is_end_stream(),
            Content::Full { data } => data.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Inner { body } => body.size_hint(),
            Content::Full { data } => {
                SizeHint::with_exact(data.as_ref().map_or(0, |data| data.len() as u64))
            }
        }
    }
}

impl<B: Default> Default for Body<B> {
    fn default() -> Self {
        Self {
            content: Content::Inner { body: B::default() },
            held: Held::default(),
        }
    }
}

impl<B> fmt::Debug for Body<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body")
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}
