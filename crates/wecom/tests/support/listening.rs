//! A log that is captured whole although other tests run beside it.
//!
//! A place in the code that is first reached by a thread without a subscriber counts as one that interests nobody,
//! for as long as there is only one subscriber in the process, and that one another thread's. With one for all
//! threads, every place is of interest from the start.

use std::io;

use tracing::{Level, subscriber::set_global_default};

/// Makes every place in the code tell what it has to tell, to nobody where nobody listens.
pub(crate) fn listen_everywhere() {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::TRACE)
        .with_writer(io::sink)
        .finish();
    // Another test of this program may have done it.
    let _ = set_global_default(subscriber);
}
