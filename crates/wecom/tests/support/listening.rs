//! A log that is captured whole although other tests run beside it.
//!
//! A place in the code that is first reached by a thread without a subscriber counts as one that interests nobody,
//! for as long as there is only one subscriber in the process, and that one another thread's. With one for all
//! threads, every place is of interest from the start.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use tracing::{Level, subscriber::set_global_default};
use tracing_subscriber::fmt::MakeWriter;

/// Where everything logged goes; clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

/// Makes every place in the code tell what it has to tell, to nobody where nobody listens.
pub(crate) fn listen_everywhere() {
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(Level::TRACE)
        .with_writer(io::sink)
        .finish();
    // Another test of this program may have done it.
    let _ = set_global_default(subscriber);
}

// === impl Log ===

impl Log {
    /// Returns what was logged so far.
    pub(crate) fn text(&self) -> String {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
