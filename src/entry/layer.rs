//! The layer, and the handle to what it does.

use std::sync::Arc;

use tower_layer::Layer;

use super::{rules::Rules, service::Entry, table::Table};

/// Puts an [`Entry`] in front of a service; built by [`Entry::builder`].
///
/// Clones, and the services that they made, share one table: [`set_table`](Self::set_table) on any of them
/// changes it for all.
#[derive(Clone, Debug)]
pub struct EntryLayer {
    rules: Arc<Rules>,
}

impl EntryLayer {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules: Arc::new(rules),
        }
    }

    /// Sets the table of businesses, its default included, for all requests from now on. Requests under way
    /// keep what they have.
    pub fn set_table(&self, table: Table) {
        self.rules.table.store(Arc::new(table));
    }

    /// Returns the table of businesses as it is now.
    #[must_use]
    pub fn table(&self) -> Arc<Table> {
        self.rules.table.load_full()
    }
}

impl<S> Layer<S> for EntryLayer {
    type Service = Entry<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Entry::new(inner, Arc::clone(&self.rules))
    }
}
