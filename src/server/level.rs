//! The level on every response.

use std::cell::RefCell;

use http::{HeaderMap, HeaderValue};

use crate::wire::{LevelField, Names};

thread_local! {
    /// The last value written by this thread. While nothing changes it is handed out again, which costs
    /// a counter where a new one costs an allocation.
    static LAST: RefCell<Option<(LevelField, HeaderValue)>> = const { RefCell::new(None) };
}

/// Puts the level on a response's head, instead of any that is there.
pub(super) fn set_level(headers: &mut HeaderMap, names: &Names, field: &LevelField) {
    let value = LAST.with_borrow_mut(|last| match last {
        Some((same, value)) if same == field => Some(value.clone()),
        _ => {
            let value = HeaderValue::from_str(field.text().as_str()).ok()?;
            *last = Some((*field, value.clone()));
            Some(value)
        }
    });
    // A field's text is always a valid value: digits, letters and punctuation.
    if let Some(value) = value {
        headers.insert(names.level.header(), value);
    }
}
