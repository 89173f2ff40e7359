//! What concerns a third party's suite rather than an enterprise.

use crate::{callback::Fields, secret::Secret};

pub(super) fn ticket(fields: &Fields) -> Option<Secret> {
    fields.some("SuiteTicket").map(Secret::from)
}
