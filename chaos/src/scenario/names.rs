//! What services and businesses are called, for those who refer to them.

use std::collections::BTreeMap;

use super::{
    key::{Key, Takes},
    mistake::Mistakes,
    nearest::nearest,
    section::Section,
};

/// Names and their places.
#[derive(Debug, Default)]
pub(super) struct Names {
    places: BTreeMap<String, usize>,
    /// Whether all of them are known; if one could not be read, nobody can say that a name is wrong.
    are_sure: bool,
}

impl Names {
    /// Reads the names of sections and puts down those that are there twice; `are_all` if there are no others.
    pub(super) fn read(
        sections: &[Section<'_>],
        key: &Key,
        mistakes: &Mistakes,
        are_all: bool,
    ) -> Self {
        let before = mistakes.count();
        let mut places = BTreeMap::new();
        for (place, section) in sections.iter().enumerate() {
            let Some(name) = section.name_of(key) else {
                continue;
            };
            if places.insert(String::from(name), place).is_some() {
                section.wrong(key, "a name that no other has");
            }
        }
        let are_sure = are_all && mistakes.count() == before && places.len() == sections.len();
        Self { places, are_sure }
    }

    /// Names that are known for certain.
    pub(super) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let places = names.into_iter().map(String::from).zip(0..).collect();
        let are_sure = true;
        Self { places, are_sure }
    }

    pub(super) const fn are_sure(&self) -> bool {
        self.are_sure
    }

    /// Returns the place of what `name` names, or puts down that `key` of `section` names nothing.
    pub(super) fn find(&self, section: &Section<'_>, key: &Key, name: &str) -> Option<usize> {
        let place = self.places.get(name).copied();
        if place.is_none() && self.are_sure {
            section.wrong_with(key, || self.allowed(key, name));
        }
        place
    }

    /// Returns what to say of a name that nothing has.
    fn allowed(&self, key: &Key, name: &str) -> String {
        let which = match key.takes {
            Takes::Policies | Takes::Businesses => format!(", which {name:?} is not"),
            _ => String::new(),
        };
        match nearest(name, self.places.keys().map(String::as_str)) {
            Some(near) => format!("{}{which}, perhaps {near:?}", key.takes),
            None => format!("{}{which}", key.takes),
        }
    }
}
