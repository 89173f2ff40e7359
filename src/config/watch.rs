//! Whether a file of settings changed.

use std::path::PathBuf;

use super::{
    Settings,
    fault::SettingsError,
    file::{File, contents},
};

/// Reads a file of settings again, and says so when it changed.
///
/// Has no thread and no timer: call [`poll`](Self::poll) on `SIGHUP`, or every few seconds. It compares
/// what the file holds, not its time stamp, in which two quick edits can look alike; the cost is one
/// read of a small file a poll.
///
/// Write a new file beside the old one and rename it over it. A file that is written in place can be
/// read half-way; what then is missing would have its default until the next poll.
///
/// # Example: reload on demand
///
/// ```
/// use dagor::config::FileWatch;
/// # fn reload(_: dagor::Settings) {}
/// # let folder = std::env::temp_dir().join(format!("dagor-watch-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("dagor.toml");
/// # std::fs::write(&path, "threshold_ms = 30")?;
///
/// let mut watch = FileWatch::new(&path);
/// // At the start, and then whenever it is time:
/// match watch.poll() {
///     Some(Ok(file)) => reload(file.settings),
///     Some(Err(error)) => eprintln!("kept the settings as they were:\n{error}"),
///     None => {}
/// }
/// assert!(watch.poll().is_none(), "nothing changed since");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct FileWatch {
    path: PathBuf,
    /// What the last poll found; `None` before the first.
    last: Option<Result<String, SettingsError>>,
}

// === impl FileWatch ===

impl FileWatch {
    /// Watches the file at `path`, which need not exist yet; reads nothing.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            last: None,
        }
    }

    /// Reads the file, and returns what it holds if this differs from what the last poll found.
    ///
    /// The first poll always returns something. A file that cannot be read, or has faults, is returned
    /// as an error once, and again only when it or the error has changed. Blocks on the file system, as
    /// [`Settings::load`].
    pub fn poll(&mut self) -> Option<Result<File, SettingsError>> {
        let name = self.path.display().to_string();
        let now = contents(&self.path, &name);
        if self.last.as_ref() == Some(&now) {
            return None;
        }
        let text = self.last.insert(now).as_ref();
        Some(match text {
            Ok(text) => Settings::from_toml(text, &name),
            Err(error) => Err(error.clone()),
        })
    }
}
