//! Writing a report so that there is a whole one or none.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{Report, Timing, page};

/// Writes `timing.json`, `index.html` and `report.json` into `dir`, which is made if it is not there.
///
/// All of them are written beside their places and then put there, each at once, `report.json` last: who finds a
/// new one finds the others too. If something fails before, what was there stays as it was, and nothing is left of
/// what was begun.
///
/// # Errors
///
/// What the file system says, with the file's name.
pub fn write(dir: &Path, report: &Report, timing: &Timing) -> io::Result<()> {
    let files = [
        ("timing.json", timing.json()?),
        ("index.html", page(report)),
        ("report.json", report.json()?),
    ];
    let files =
        files.map(|(name, text)| (name, move |file: &mut File| file.write_all(text.as_bytes())));
    write_all(dir, files)
}

/// Writes files by their names and what writes them: all, or none.
fn write_all<W, const N: usize>(dir: &Path, files: [(&str, W); N]) -> io::Result<()>
where
    W: FnOnce(&mut File) -> io::Result<()>,
{
    let mut made = Made::dir(dir)?;
    let mut ready = Vec::new();
    for (name, content) in files {
        let place = dir.join(name);
        if place.is_dir() {
            return Err(named(&place, &io::ErrorKind::IsADirectory.into()));
        }
        let written = Written::new(dir, name, content)?;
        ready.push((written, place));
    }
    for (written, place) in ready {
        let new = !place.exists();
        written.put(&place)?;
        if new {
            made.paths.push(place);
        }
    }
    made.paths.clear();
    Ok(())
}

/// Files and directories that were made, and go again unless all goes well.
#[derive(Debug, Default)]
struct Made {
    /// In the order in which they were made.
    paths: Vec<PathBuf>,
}

/// A file that was written and is not in its place yet; it goes if it never gets there.
#[derive(Debug)]
struct Written(PathBuf);

// === impl Made ===

impl Made {
    /// Makes a directory and those above it that are missing.
    fn dir(dir: &Path) -> io::Result<Self> {
        let mut made = Self::default();
        let missing: Vec<&Path> = dir
            .ancestors()
            .take_while(|path| is_missing(path))
            .collect();
        for path in missing.into_iter().rev() {
            match fs::create_dir(path) {
                Ok(()) => made.paths.push(path.into()),
                // Somebody else made it.
                Err(_) if path.is_dir() => {}
                Err(error) => return Err(named(path, &error)),
            }
        }
        Ok(made)
    }
}

impl Drop for Made {
    fn drop(&mut self) {
        for path in self.paths.drain(..).rev() {
            // There is nothing more to be done about it, and the error that led here is the one to tell.
            drop(if path.is_dir() {
                fs::remove_dir(&path)
            } else {
                fs::remove_file(&path)
            });
        }
    }
}

// === impl Written ===

impl Written {
    fn new(
        dir: &Path,
        name: &str,
        content: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<Self> {
        // One process writes a report after the other; what it left there when it was killed, it may overwrite.
        let path = dir.join(format!(".{name}.{}.tmp", std::process::id()));
        let mut file = File::create(&path).map_err(|error| named(&dir.join(name), &error))?;
        let written = Self(path);
        // Synced, so that a full disk shows now and not when the old file is gone.
        let done = content(&mut file).and_then(|()| file.sync_all());
        done.map_err(|error| named(&dir.join(name), &error))?;
        Ok(written)
    }

    fn put(self, place: &Path) -> io::Result<()> {
        fs::rename(&self.0, place).map_err(|error| named(place, &error))
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        // Once it is in its place it is not here, which is no error worth a word.
        drop(fs::remove_file(&self.0));
    }
}

fn is_missing(path: &Path) -> bool {
    !path.as_os_str().is_empty() && !path.exists()
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Content = Box<dyn FnOnce(&mut File) -> io::Result<()>>;

    fn text(text: &'static str) -> Content {
        Box::new(move |file| file.write_all(text.as_bytes()))
    }

    /// Writes something, and then there is no room for the rest.
    fn full() -> Content {
        Box::new(|file| {
            file.write_all(b"begun")?;
            Err(io::ErrorKind::StorageFull.into())
        })
    }

    /// A directory of this test alone, empty.
    fn place(name: &str) -> PathBuf {
        let place = std::env::temp_dir().join(format!("dagor-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&place));
        fs::create_dir(&place).unwrap();
        place
    }

    fn listed(dir: &Path) -> Vec<String> {
        let entries = fs::read_dir(dir).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn writes_all_and_nothing_else() {
        let root = place("all");
        let dir = root.join("a/b");
        write_all(&dir, [("one", text("1")), ("two", text("2"))]).unwrap();
        assert_eq!(listed(&dir), ["one", "two"]);
        write_all(&dir, [("one", text("3")), ("two", text("4"))]).unwrap();
        assert_eq!(listed(&dir), ["one", "two"]);
        assert_eq!(fs::read_to_string(dir.join("one")).unwrap(), "3");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_full_disk_leaves_nothing() {
        let root = place("full");
        let error = write_all(&root.join("a/b"), [("one", text("1")), ("two", full())]);
        let error = error.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert!(error.to_string().contains("two"), "{error}");
        assert!(listed(&root).is_empty(), "not even the directories");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_full_disk_leaves_the_old_report() {
        let root = place("old");
        write_all(&root, [("one", text("1")), ("two", text("2"))]).unwrap();
        write_all(&root, [("one", text("3")), ("two", full())]).unwrap_err();
        assert_eq!(listed(&root), ["one", "two"]);
        assert_eq!(fs::read_to_string(root.join("one")).unwrap(), "1");
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_directory_in_the_way_is_named_and_nothing_is_written() {
        let root = place("way");
        fs::create_dir(root.join("two")).unwrap();
        let error = write_all(&root, [("one", text("1")), ("two", text("2"))]).unwrap_err();
        assert!(error.to_string().contains("two"), "{error}");
        assert_eq!(listed(&root), ["two"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_put_takes_the_new_ones_with_it() {
        let root = place("put");
        // A directory gets in the way between the look at it and the end.
        let blocked = root.join("two");
        let block: Content = Box::new(move |_| fs::create_dir(blocked));
        let error = write_all(&root, [("one", text("1")), ("two", block)]).unwrap_err();
        assert!(error.to_string().contains("two"), "{error}");
        assert_eq!(listed(&root), ["two"]);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_file_for_a_directory_is_an_error_with_its_name() {
        let root = place("file");
        fs::write(root.join("out"), "").unwrap();
        let error = write_all(&root.join("out"), [("one", text("1"))]).unwrap_err();
        assert!(error.to_string().contains("out"), "{error}");
        let error = write_all(&root.join("out/deeper"), [("one", text("1"))]).unwrap_err();
        assert!(error.to_string().contains("out"), "{error}");
        assert_eq!(listed(&root), ["out"]);
        fs::remove_dir_all(root).unwrap();
    }
}
