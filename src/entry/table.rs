//! Which business a request belongs to.

use http::Method;

use super::{
    error::{EntryError, Fault},
    patterns::Patterns,
};
use crate::priority::Business;

/// Businesses by route.
///
/// | pattern | matches |
/// |---|---|
/// | `POST /checkout` | this method and path |
/// | `/checkout` | this path, whatever the method |
/// | `/pay.Payments/Charge` | a gRPC method, which is a path too |
/// | `/pay.Payments/*`, `GET /api/*` | every path that begins with what stands before the `*` |
///
/// The first line of these that matches decides; of prefixes the longest, and of one prefix that with the
/// method. What no pattern matches is of the default business. Paths are compared byte by byte, without
/// the query, as they came: `/checkout/` and `/Checkout` are others than `/checkout`.
///
/// ```
/// use dagor::{Business, entry::Table};
/// use http::Method;
///
/// let table = Table::from_entries([
///     ("POST /orders", 1),
///     ("/orders", 3),
///     ("/pay.Payments/*", 0),
/// ])?
/// .with_default(Business::new(6));
///
/// assert_eq!(table.business(&Method::POST, "/orders").get(), 1);
/// assert_eq!(table.business(&Method::GET, "/orders").get(), 3);
/// assert_eq!(table.business(&Method::POST, "/pay.Payments/Charge").get(), 0);
/// assert_eq!(table.business(&Method::GET, "/elsewhere").get(), 6);
///
/// let error = Table::from_entries([("orders", 1), ("FETCH /x", 2), ("/y", 3), ("/y", 4)]).unwrap_err();
/// assert_eq!(error.faults().len(), 3, "every fault at once");
/// assert_eq!(error.faults()[0].to_string(), r#""orders" has no path that begins with '/'"#);
/// # Ok::<(), dagor::entry::EntryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    patterns: Patterns<Business>,
    default: Business,
}

impl Table {
    /// Entries a table may have.
    pub const MOST_ENTRIES: usize = 4096;
    /// Bytes a pattern may have.
    pub const LONGEST_PATTERN: usize = 1024;

    /// Returns the table of these patterns and the numbers of their businesses (0 to 255, small is
    /// important), as a configuration file has them.
    ///
    /// What no pattern matches is of the least important business; see [`with_default`](Self::with_default).
    ///
    /// # Errors
    ///
    /// All faults at once: a pattern that is there twice, whose path does not begin with `/`, whose method
    /// is unknown, that could not match anything, or that is one too many.
    pub fn from_entries<P: AsRef<str>>(
        entries: impl IntoIterator<Item = (P, u8)>,
    ) -> Result<Self, EntryError> {
        let mut faults = Vec::new();
        let table = Self::collect(entries, &mut faults);
        EntryError::check(faults, table)
    }

    /// Collects the entries; faults are added to `faults`.
    pub(super) fn collect<P: AsRef<str>>(
        entries: impl IntoIterator<Item = (P, u8)>,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let entries = entries.into_iter();
        let entries = entries.map(|(pattern, number)| (pattern, Business::new(number)));
        Self {
            patterns: Patterns::collect(entries, faults),
            default: Business::LEAST_IMPORTANT,
        }
    }

    /// Sets the business of what no pattern matches. Default: the least important, 255.
    #[must_use]
    pub const fn with_default(mut self, business: Business) -> Self {
        self.default = business;
        self
    }

    /// Returns the business of a request.
    #[must_use]
    pub fn business(&self, method: &Method, path: &str) -> Business {
        self.patterns.find(method, path).unwrap_or(self.default)
    }

    /// Returns the number of patterns.
    #[must_use]
    pub fn len(&self) -> usize {
        self.patterns.len()
    }

    /// Returns whether there are no patterns: everything is of the default business.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
