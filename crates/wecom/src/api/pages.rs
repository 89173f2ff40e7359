//! Reads that come page by page, as a stream.
//!
//! The reader must never take a failed read for an empty one, nor for the end. So a page that fails ends
//! the stream with its error, and so does a page that leads nowhere:
//!
//! - a cursor that was given before;
//! - a page that came before, entry by entry, under another cursor (of two entries or more: a single one
//!   may come again because the list has moved);
//! - 100 pages in a row without an entry.
//!
//! Each of these is [`Unreadable`]. What [`Pages::cursor`] says then is where to
//! go on. Kept for each page are 16 bytes; no page is fetched before all entries of the one before were
//! taken.

use std::{
    collections::HashSet,
    fmt,
    future::{Future, poll_fn},
    hash::{DefaultHasher, Hash, Hasher},
    pin::Pin,
    task::{Context, Poll, ready},
    vec,
};

use futures_core::Stream;

use crate::{
    call::Call,
    client::{Client, Transport},
    error::{Error, Invalid, Kind, Unreadable},
};

/// How many pages in a row may be empty although the last of them names another.
const MOST_EMPTY: u32 = 100;

/// A call whose reply is a page of a list.
pub trait Paged: Call + Clone + Send + 'static {
    /// An entry of the list. Its hash tells pages apart.
    type Item: Hash + Send;

    /// Sets the place to read from: what the page before has named.
    fn set_cursor(&mut self, cursor: String);

    /// Returns the place to read from, if it is not the beginning.
    fn cursor(&self) -> Option<&str>;

    /// Takes a page apart.
    fn turn(reply: Self::Reply) -> Turn<Self::Item>;
}

/// A page, and where the next one is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Turn<T> {
    /// The entries.
    pub items: Vec<T>,
    /// The cursor of the next page; none or an empty one after the last.
    pub next: Option<String>,
}

/// The entries of all pages: a [`Stream`] that ends after the first error.
#[must_use = "nothing is read before it is polled"]
pub struct Pages<S, C: Paged> {
    client: Client<S>,
    /// Reads the page that is read now or next.
    call: C,
    step: Step<C::Reply>,
    /// The entries of the page read last that were not taken yet.
    items: vec::IntoIter<C::Item>,
    seen: Seen,
}

enum Step<R> {
    /// A page is to be read.
    Due,
    /// A page is being read.
    Reading(Pin<Box<dyn Future<Output = Result<R, Error>> + Send>>),
    /// There is nothing more.
    Over,
}

/// What the pages so far were, to tell when they go round in circles.
#[derive(Default)]
struct Seen {
    cursors: HashSet<u64>,
    pages: HashSet<u64>,
    empty: u32,
}

// === impl Client ===

impl<S: Transport> Client<S> {
    /// Returns the entries of all pages from `call` on.
    pub fn pages<C: Paged>(&self, call: C) -> Pages<S, C> {
        let mut seen = Seen::default();
        seen.cursors.extend(call.cursor().map(hash));
        Pages {
            client: self.clone(),
            call,
            step: Step::Due,
            items: Vec::new().into_iter(),
            seen,
        }
    }
}

// === impl Pages ===

impl<S: Transport, C: Paged> Pages<S, C> {
    /// Returns the next entry, or an error and nothing more.
    ///
    /// # Cancellation
    ///
    /// A dropped future loses nothing: a page that is being read is read on by the next one.
    pub async fn next(&mut self) -> Option<Result<C::Item, Error>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }

    /// Returns the cursor of the page that is read now or next, if it is not the first one. After an error,
    /// that of the page that failed: reading can go on there.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.call.cursor()
    }

    fn start(&self) -> Step<C::Reply> {
        let (client, call) = (self.client.clone(), self.call.clone());
        Step::Reading(Box::pin(async move { client.send(&call).await }))
    }

    fn take(&mut self, reply: C::Reply) -> Result<Step<C::Reply>, Error> {
        let Turn { items, next } = C::turn(reply);
        let next = next.filter(|cursor| !cursor.is_empty());
        if let Some(why) = self.seen.circle(&items, next.as_deref()) {
            let unreadable = Unreadable { status: 200, why };
            return Err(Error::new(C::API, Kind::Unreadable(unreadable)));
        }
        self.items = items.into_iter();
        Ok(match next {
            Some(cursor) => {
                self.call.set_cursor(cursor);
                Step::Due
            }
            None => Step::Over,
        })
    }
}

impl<S: Transport, C: Paged> Stream for Pages<S, C> {
    type Item = Result<C::Item, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.items.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            let reply = match &mut this.step {
                Step::Due => {
                    this.step = this.start();
                    continue;
                }
                Step::Reading(reading) => ready!(reading.as_mut().poll(cx)),
                Step::Over => return Poll::Ready(None),
            };
            // Over, until a page says that there is another.
            this.step = Step::Over;
            match reply.and_then(|reply| this.take(reply)) {
                Ok(step) => this.step = step,
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }
}

/// Nothing in it is ever pinned but what is in a box.
impl<S, C: Paged> Unpin for Pages<S, C> {}

impl<S, C: Paged> fmt::Debug for Pages<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("api", &C::API)
            .field("waiting", &self.items.len())
            .field("over", &matches!(self.step, Step::Over))
            .finish_non_exhaustive()
    }
}

// === impl Seen ===

impl Seen {
    /// Notes a page, and returns what is wrong if it leads nowhere.
    fn circle<T: Hash>(&mut self, items: &[T], next: Option<&str>) -> Option<&'static str> {
        if items.len() > 1 && !self.pages.insert(hash(items)) {
            return Some("a page came twice under different cursors");
        }
        let next = next?;
        if !self.cursors.insert(hash(next)) {
            return Some("next_cursor is one that was given before");
        }
        self.empty = if items.is_empty() { self.empty + 1 } else { 0 };
        (self.empty >= MOST_EMPTY).then_some("100 pages in a row without an entry")
    }
}

/// Returns a cursor, if it can be one.
pub(super) fn checked(cursor: String) -> Result<String, Invalid> {
    if cursor.is_empty() {
        return Err(Invalid::new(
            "cursor",
            "empty",
            "what a page has named as the next",
        ));
    }
    Ok(cursor)
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_that_repeats_is_a_circle() {
        let mut seen = Seen::default();
        assert_eq!(seen.circle(&[1, 2], Some("a")), None);
        assert_eq!(seen.circle(&[3, 4], Some("b")), None);
        assert!(seen.circle(&[5, 6], Some("a")).is_some());
    }

    #[test]
    fn a_page_that_repeats_is_a_circle_unless_it_has_one_entry() {
        let mut seen = Seen::default();
        assert_eq!(seen.circle(&[1, 2], Some("a")), None);
        assert_eq!(seen.circle(&[7], Some("b")), None);
        assert_eq!(seen.circle(&[7], Some("c")), None);
        assert!(seen.circle(&[1, 2], Some("d")).is_some());
    }

    #[test]
    fn empty_pages_are_taken_a_hundred_in_a_row() {
        let mut seen = Seen::default();
        for n in 0..1000 {
            let items: &[u32] = if n % 100 == 99 { &[n] } else { &[] };
            assert_eq!(seen.circle(items, Some(&n.to_string())), None, "page {n}");
        }
        let circle = (1000..1100).find_map(|n: u32| seen.circle::<u32>(&[], Some(&n.to_string())));
        assert!(circle.is_some());
    }

    #[test]
    fn the_last_page_may_be_empty() {
        let mut seen = Seen {
            empty: 99,
            ..Seen::default()
        };
        assert_eq!(seen.circle::<u32>(&[], None), None);
    }
}
