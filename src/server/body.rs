//! The response body: counts the request in flight, and holds its permit where the work is in the stream.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
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
}

impl<B> Body<B> {
    /// Wraps the body of a response; `permit` is held to its end.
    pub(super) fn new(body: B, in_flight: Option<InFlight>, permit: Option<Permit>) -> Self
    where
        B: http_body::Body,
    {
        let mut held = Held { in_flight, permit };
        if body.is_end_stream() {
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
                // Whoever reads may stop at the last frame without asking for one more. Trailers are the last.
                let trailers = matches!(&frame, Some(Ok(frame)) if frame.is_trailers());
                if frame.is_none() || trailers || body.is_end_stream() {
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
