//! The scenarios that come with the binary.

use std::path::Path;

use super::{Mistake, Scenario, ScenarioError, files::Folder, nearest::near};

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// Returns the name and the text of each scenario that comes with the binary, in the order of their names.
pub fn builtin() -> impl Iterator<Item = (&'static str, &'static str)> {
    let named =
        |(file, text): &(&'static str, &'static str)| Some((file.strip_suffix(".toml")?, *text));
    SCENARIOS.iter().filter_map(named)
}

/// Returns a file beside the built-in scenarios.
pub(super) fn trace(path: &str) -> Option<&'static str> {
    let found = TRACES.iter().find(|(name, _)| *name == path);
    found.map(|(_, text)| *text)
}

impl Scenario {
    /// Returns a scenario that comes with the binary, by its name, or else the one in the file at this path.
    ///
    /// # Errors
    ///
    /// If there is neither, or as [`load`](Self::load). A name that nothing has is said with those that are
    /// like it.
    pub fn find(name_or_path: &str) -> Result<Self, ScenarioError> {
        if let Some((name, text)) = builtin().find(|(name, _)| *name == name_or_path) {
            return Self::parse(&format!("{name}.toml"), text, Folder::BuiltIn);
        }
        let looks_like_path = name_or_path.contains(['/', '\\', '.']);
        if looks_like_path || Path::new(name_or_path).exists() {
            return Self::load(name_or_path);
        }
        let near: Vec<String> = near(name_or_path, builtin().map(|(name, _)| name))
            .iter()
            .map(|name| format!("{name:?}"))
            .collect();
        let allowed = match near.as_slice() {
            [] => String::from("the name of a built-in scenario, or a file"),
            near => format!(
                "a built-in scenario, perhaps {}, or a file",
                near.join(" or ")
            ),
        };
        Err(Mistake::new(name_or_path, 0, allowed).into())
    }
}
