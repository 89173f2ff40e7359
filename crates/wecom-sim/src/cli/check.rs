//! `wecom-sim check`

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use wecom_sim::{Profile, Sim};

use super::{Failure, out::print};

/// Reads files; prints a line for each that is right.
pub(super) fn check(files: &[PathBuf]) -> Result<(), Failure> {
    let mut text = String::new();
    let mut wrong = Vec::new();
    for file in files {
        match read(file) {
            Ok(profile) => {
                let _ = writeln!(text, "{}: {}", file.display(), right(&profile));
            }
            Err(Failure(told)) => wrong.push(told),
        }
    }
    // What is wrong is told even where what is right cannot be.
    if let Err(error) = print(&text) {
        wrong.push(error.to_string());
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(Failure(wrong.join("\n"))),
    }
}

/// Reads one, and makes the simulation of it, which it would be a pity to refuse only when it is served.
fn read(file: &Path) -> Result<Profile, Failure> {
    let profile = Profile::read(file).map_err(Failure::of)?;
    let told = |wrong| Failure(format!("{}: {wrong}", file.display()));
    Sim::new(&profile).map_err(told)?;
    Ok(profile)
}

/// Says what was read, so that somebody who meant something else sees it.
fn right(profile: &Profile) -> String {
    let count = |count: usize, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let members: usize = profile
        .corps
        .iter()
        .map(|corp| {
            let more = usize::try_from(corp.more_members).unwrap_or(usize::MAX);
            corp.members.len().saturating_add(more)
        })
        .sum();
    let parts = [
        count(profile.corps.len(), "enterprise", "enterprises"),
        count(members, "member", "members"),
        count(profile.faults.len(), "fault", "faults"),
    ];
    format!("right: {}, seed {}", parts.join(", "), profile.seed)
}
