//! Whether something can be written somewhere, found out before minutes of running rather than after.

use std::path::{Path, PathBuf};

/// Checks that `folder` is, or can become, a folder to write to. Nothing is left there.
pub(crate) fn folder(folder: &Path) -> Result<(), String> {
    let place = folder.display();
    // What exists of the way to it is where it would be made.
    let exists = folder.ancestors().map(or_here).find(|path| path.exists());
    let exists = exists.unwrap_or_else(|| PathBuf::from("."));
    if !exists.is_dir() {
        return Err(format!("{place}: {} is not a folder", exists.display()));
    }
    try_in(&exists).map_err(|error| format!("{place}: cannot be written: {error}"))
}

/// Checks that a file can be written, or written anew, at `file`.
pub(crate) fn file(file: &Path) -> Result<(), String> {
    let place = file.display();
    if file.is_dir() {
        return Err(format!("{place}: is a folder"));
    }
    let parent = or_here(file.parent().unwrap_or_else(|| Path::new("")));
    if !parent.is_dir() {
        return Err(format!("{place}: {} is not a folder", parent.display()));
    }
    try_in(&parent).map_err(|error| format!("{place}: cannot be written: {error}"))
}

/// Writes a whole file or none: beside it first, then in its place. What is there and is no file, a device or a pipe,
/// is written to as it is; a link stays one, and a file keeps its mode.
pub(crate) fn write(file: &Path, text: &str) -> Result<(), String> {
    let there = std::fs::metadata(file).ok();
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        return std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()));
    }
    let target = match &there {
        Some(_) => file.canonicalize().unwrap_or_else(|_| file.to_owned()),
        None => file.to_owned(),
    };
    let file = target.as_path();
    let parent = or_here(file.parent().unwrap_or_else(|| Path::new("")));
    let written = tempfile::NamedTempFile::new_in(parent).and_then(|mut beside| {
        use std::io::Write as _;
        beside.write_all(text.as_bytes())?;
        beside.as_file().sync_all()?;
        match &there {
            Some(there) => beside.as_file().set_permissions(there.permissions())?,
            None => open_to_readers(beside.as_file())?,
        }
        beside.persist(file).map_err(|error| error.error)
    });
    written
        .map(drop)
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// A file without a name, gone as soon as it is closed.
fn try_in(folder: &Path) -> std::io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}

fn or_here(path: &Path) -> PathBuf {
    match path.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => path.to_owned(),
    }
}

/// Temporary files are their owner's alone; a result is not.
#[cfg(unix)]
fn open_to_readers(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_readers(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_can_be_made_is_fine_and_is_not_made() {
        let here = tempfile::tempdir().unwrap();
        let deep = here.path().join("a/b");
        assert_eq!(folder(&deep), Ok(()));
        assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
        assert_eq!(folder(here.path()), Ok(()));
        assert_eq!(folder(Path::new("target-of-nobody")), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_written_to_and_a_link_stays_one() {
        use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
        let here = tempfile::tempdir().unwrap();
        let [kept, link, nowhere] = ["kept", "link", "nowhere"].map(|name| here.path().join(name));
        std::fs::write(&kept, "old").unwrap();
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&kept, &link).unwrap();
        symlink("/dev/null", &nowhere).unwrap();

        write(&link, "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "new");
        assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);

        write(&nowhere, "gone").unwrap();
        assert!(nowhere.symlink_metadata().unwrap().is_symlink());
        assert!(nowhere.metadata().unwrap().file_type().is_char_device());
    }

    #[test]
    fn a_file_in_the_way_is_told() {
        let here = tempfile::tempdir().unwrap();
        let taken = here.path().join("taken");
        std::fs::write(&taken, "").unwrap();
        assert!(folder(&taken).unwrap_err().contains("is not a folder"));
        assert!(
            folder(&taken.join("below"))
                .unwrap_err()
                .contains("is not a folder")
        );
        assert!(
            file(&taken.join("below"))
                .unwrap_err()
                .contains("is not a folder")
        );
        assert!(file(here.path()).unwrap_err().contains("is a folder"));
        assert_eq!(file(&taken), Ok(()));
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let here = tempfile::tempdir().unwrap();
        let cells = here.path().join("cells.json");
        write(&cells, "first").unwrap();
        write(&cells, "second").unwrap();
        assert_eq!(std::fs::read_to_string(&cells).unwrap(), "second");
        assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 1);
        let nowhere = here.path().join("none/cells.json");
        assert!(write(&nowhere, "").unwrap_err().contains("none/cells.json"));
    }
}
