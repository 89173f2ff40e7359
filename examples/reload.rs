//! How does a service begin to observe, then to enforce, and what does a bad file do to it?
//!
//! Nothing, is the answer to the last: the settings stay as they were, and every fault is named at once.
#![expect(clippy::print_stdout, reason = "an example says what happened")]

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use dagor::{Admission, Business, Mode, Priority, SettingsError, User, config::FileWatch};
use tokio::time::sleep;
use tower::BoxError;

/// Puts a new file in the place of the old one in one step, so that nobody reads half of it.
fn rewrite(path: &Path, text: &str) -> std::io::Result<()> {
    let new = path.with_extension("new");
    fs::write(&new, text)?;
    fs::rename(new, path)
}

/// What a service does on `SIGHUP`, or every few seconds.
fn reload(watch: &mut FileWatch, admission: &Admission) -> Result<(), SettingsError> {
    match watch.poll() {
        Some(file) => admission.reload(file?.settings),
        None => Ok(()),
    }
}

/// A second of overload: 1,000 jobs that say they have waited for 50 ms. Returns how many were refused.
async fn overload(admission: &Admission) -> Result<u32, BoxError> {
    let mut refused = 0;
    for number in 0..1000_u32 {
        if number % 5 == 0 {
            sleep(Duration::from_millis(5)).await;
        }
        let user = User::new(u8::try_from(number * 37 % 128)?, 0)?;
        let priority = Priority::new(Business::new(3), user);
        let admitted = admission.admit(priority, Duration::from_millis(50)).await;
        refused += u32::from(admitted.is_err());
    }
    println!("{refused} refused; {}", admission.snapshot());
    Ok(refused)
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("dagor-reload-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done about a folder that will not go.
        drop(fs::remove_dir_all(&self.0));
    }
}

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let folder = Folder::new()?;
    let path = folder.0.join("dagor.toml");
    let mut watch = FileWatch::new(&path);
    let admission = Admission::builder("mailer").build()?;

    rewrite(&path, "mode = \"observe\"\n")?;
    reload(&mut watch, &admission)?;
    let refused = overload(&admission).await?;
    let would_be = admission.snapshot().shed();
    println!("observing: {would_be} would have been refused\n");
    assert_eq!(refused, 0);
    assert!(would_be > 100);

    rewrite(&path, "mode = \"enforce\"\nthreshold_ms = 30\n")?;
    reload(&mut watch, &admission)?;
    let refused = overload(&admission).await?;
    println!("enforcing: {refused} were refused\n");
    assert!(refused > 100);

    let bad =
        "mode = \"enforced\"\nthreshold_ms = 0\nthresold_ms = 20\n\n[refusal]\nstatus = 200\n";
    rewrite(&path, bad)?;
    let error = reload(&mut watch, &admission).expect_err("four faults");
    println!("a bad file:\n{error}");
    assert_eq!(error.faults().count(), 4);
    let kept = admission.settings();
    println!(
        "kept: {}, threshold {:?}",
        kept.mode, kept.constants.threshold
    );
    assert_eq!(kept.mode, Mode::Enforce);
    assert_eq!(kept.constants.threshold, Duration::from_millis(30));
    Ok(())
}
