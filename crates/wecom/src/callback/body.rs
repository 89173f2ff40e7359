//! Reads bodies whose senders are not known yet.
//!
//! The signature covers the message, and the message is the body: until the last byte is here, a stranger's body
//! looks like WeCom's. So whoever knows the address can have as many read as they like, and what they may take is
//! bounded four times: by length, by time, by the number of frames that hold nothing, and by how many are read
//! at once.
//!
//! When as many are read as may be, the one that has been read for longest gives way to the new one. To refuse
//! the new one instead would let a stranger close the address with a trickle: with 1,024 places and 2 s for
//! each, 512 requests a second fill them for good. Thus WeCom's bodies, which are here within milliseconds, get
//! through until a stranger makes 1,024 requests in those milliseconds.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use axum::body::Body;
use http_body::Body as _;
use http_body_util::BodyExt;
use tokio::{sync::oneshot, task::coop};

use super::{rejected::Rejected, watch::Outcome};

/// Reads the bodies of one address.
pub(super) struct Bodies {
    /// How long a body may be, in bytes.
    pub(super) limit: usize,
    pub(super) time: Duration,
    /// How many are read at once.
    pub(super) most: NonZeroU32,
    pub(super) readers: Mutex<Readers>,
}

/// Those that are being read. Whoever reads puts itself in, and takes itself or the oldest out.
#[derive(Default)]
pub(super) struct Readers {
    /// The number of the next one.
    next: u64,
    /// By number, hence the oldest first. To drop one of these tells its reader to give way.
    reading: BTreeMap<u64, oneshot::Sender<Infallible>>,
}

/// A reader's place; gives it back when dropped.
struct Place<'a> {
    bodies: &'a Bodies,
    number: u64,
    lost: oneshot::Receiver<Infallible>,
}

/// How many frames of a body may be without data. A frame costs time and counts for nothing against the
/// length, so without a bound a body of such frames never ends. HTTP/1 has none but the trailers; HTTP/2 and
/// layers between may have a few.
const MOST_EMPTY: usize = 256;

/// What is allocated before the first byte is here, whatever length the sender tells of. WeCom's bodies have
/// about a thousand.
const FIRST_BYTES: usize = 4096;

// === impl Bodies ===

impl Bodies {
    /// Reads a body; of one that is too long, not much more than its length tells.
    pub(super) async fn read(&self, body: Body) -> Result<Vec<u8>, Outcome> {
        let told = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        if told > self.limit {
            return Err(self.too_long());
        }
        let mut place = self.enter();
        let all = tokio::time::timeout(self.time, self.collect(body, told));
        tokio::select! {
            biased;
            all = all => all.unwrap_or(Err(Outcome::Torn)),
            _ = &mut place.lost => Err(Outcome::Busy),
        }
    }

    async fn collect(&self, mut body: Body, told: usize) -> Result<Vec<u8>, Outcome> {
        let mut all = Vec::with_capacity(told.min(FIRST_BYTES));
        let mut empty = 0;
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Outcome::Torn)?;
            let data = frame.into_data().unwrap_or_default();
            if all.len() + data.len() > self.limit {
                return Err(self.too_long());
            }
            empty += usize::from(data.is_empty());
            if empty > MOST_EMPTY {
                return Err(Outcome::Torn);
            }
            all.extend_from_slice(&data);
            // A body whose frames are all there would keep the worker, and its own time from being looked at.
            coop::consume_budget().await;
        }
        Ok(all)
    }

    fn too_long(&self) -> Outcome {
        let limit = self.limit;
        Outcome::Rejected(Rejected::TooLong { limit })
    }

    /// Takes a place; if there is none, that of whoever has had theirs for longest.
    fn enter(&self) -> Place<'_> {
        let most = usize::try_from(self.most.get()).unwrap_or(usize::MAX);
        let (told, lost) = oneshot::channel();
        let number = self.with(|readers| {
            if readers.reading.len() >= most {
                readers.reading.pop_first();
            }
            let number = readers.next;
            readers.next += 1;
            readers.reading.insert(number, told);
            number
        });
        Place {
            bodies: self,
            number,
            lost,
        }
    }

    fn with<T>(&self, run: impl FnOnce(&mut Readers) -> T) -> T {
        run(&mut self.readers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

// === impl Place ===

impl Drop for Place<'_> {
    fn drop(&mut self) {
        // Dropped only after the lock is: it wakes a task.
        let _told = self
            .bodies
            .with(|readers| readers.reading.remove(&self.number));
    }
}
