//! A section whose keys are known and fit, and how its values are taken out of it.
//!
//! Every accessor gives `None` for a value that is wrong, after putting that down; for a key that is not
//! given, its default, or `None` where only words can say the default.

use std::{collections::BTreeSet, time::Duration};

use super::{
    document::{Given, Raw, Value},
    key::{Key, LONGEST_TEXT, Preset, Takes, is_name},
    keys::{SECTIONS, TOP},
    mistake::{Mistake, Mistakes},
    names::Names,
    nearest::nearest,
};

/// One section.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section<'a> {
    raw: &'a Raw,
    mistakes: &'a Mistakes,
    /// What its switch says; `None` if nothing that is known.
    switch: Option<&'static str>,
    /// Whether keys are unknown, missing or do not fit.
    has_odd_keys: bool,
}

impl<'a> Section<'a> {
    /// Looks at the keys of a section: whether they are known and fit, and whether some are missing.
    pub(super) fn new(raw: &'a Raw, mistakes: &'a Mistakes) -> Self {
        let before = mistakes.count();
        let mut section = Self {
            raw,
            mistakes,
            switch: None,
            has_odd_keys: false,
        };
        if let Some(switch) = &raw.schema.switch {
            section.switch = section.word(switch);
        }
        for given in &raw.given {
            section.check_key(given);
        }
        let missing = raw.schema.keys.iter().filter(|key| key.is_required());
        for key in missing.filter(|key| section.fits(key) && section.given(key).is_none()) {
            section.missing(key, key.takes.to_string());
        }
        section.has_odd_keys = mistakes.count() > before;
        section
    }

    fn check_key(&self, given: &Given) {
        let schema = self.raw.schema;
        let Some(key) = schema.keys.iter().find(|key| key.name == given.key) else {
            let place = |allowed| self.mistake(given, allowed);
            return self
                .mistakes
                .push_with(|| place(known_key(&given.key, self.raw)));
        };
        if let (Some(switch), Some(word)) = (&schema.switch, self.switch)
            && !key.fits(word)
        {
            self.mistakes
                .push_with(|| self.mistake(given, only_where(key, switch)));
        }
    }

    /// Whether a key has a meaning here; not said of one that depends on a switch nobody understands.
    fn fits(&self, key: &Key) -> bool {
        match self.switch {
            Some(word) => key.fits(word),
            None => key.only.is_empty(),
        }
    }

    /// Returns what kind of section it is.
    pub(super) const fn name(&self) -> &'static str {
        self.raw.schema.name
    }

    /// Returns whether keys are unknown, missing or do not fit.
    pub(super) const fn has_odd_keys(&self) -> bool {
        self.has_odd_keys
    }

    /// Returns what decides which keys fit.
    pub(super) const fn switch(&self) -> Option<&'static str> {
        self.switch
    }

    /// Returns a key's value as it stands in the file.
    pub(super) fn given(&self, key: &Key) -> Option<&'a Given> {
        self.raw.given.iter().find(|given| given.key == key.name)
    }

    // === Mistakes ===

    fn mistake(&self, given: &Given, allowed: impl Into<String>) -> Mistake {
        Mistake::new(&given.place, given.order, allowed)
            .key_is(&given.key)
            .value_is(&given.written)
    }

    /// Says that something else is allowed: of the key, or of the section if the key is not given.
    pub(super) fn wrong(&self, key: &Key, allowed: impl Into<String>) {
        match self.given(key) {
            Some(given) => self.mistakes.push(self.mistake(given, allowed)),
            None => self.missing(key, allowed),
        }
    }

    /// As [`wrong`](Self::wrong), for a given key and what takes time to describe.
    pub(super) fn wrong_with(&self, key: &Key, allowed: impl FnOnce() -> String) {
        if let Some(given) = self.given(key) {
            self.mistakes.push_with(|| self.mistake(given, allowed()));
        }
    }

    /// Says that a key is missing.
    pub(super) fn missing(&self, key: &Key, allowed: impl Into<String>) {
        let what = format!("{} without {}", self.heading(), key.name);
        let mistake = Mistake::new(&self.raw.place, self.raw.order, allowed);
        self.mistakes.push(mistake.key_is(&what));
    }

    /// Says that the section should not be there.
    pub(super) fn surplus(&self, allowed: &str) {
        let mistake = Mistake::new(&self.raw.place, self.raw.order, allowed);
        self.mistakes.push(mistake.key_is(&self.heading()));
    }

    /// Returns where a key stands, or the section if it is not given.
    pub(super) fn place(&self, key: &Key) -> (&'a str, usize) {
        let given = self.given(key);
        given.map_or((&self.raw.place, self.raw.order), |given| {
            (&given.place, given.order)
        })
    }

    fn heading(&self) -> String {
        match self.raw.schema.name {
            "" => String::from("a file"),
            _ => self.raw.schema.heading(),
        }
    }

    // === Values ===

    /// Returns what `read` makes of a key's value, or puts down what is allowed; `None` if it is not given.
    pub(super) fn read<T>(
        &self,
        key: &Key,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let given = self.given(key)?;
        let value = read(&given.value);
        if value.is_none() {
            self.mistakes
                .push_with(|| self.mistake(given, key.takes.to_string()));
        }
        value
    }

    pub(super) fn number(&self, key: &Key) -> Option<f64> {
        match (self.given(key), key.preset) {
            (None, Preset::Number(number)) => Some(number),
            _ => self.read(key, |value| value.number_in(key.takes.range()?)),
        }
    }

    pub(super) fn seconds(&self, key: &Key) -> Option<Duration> {
        Duration::try_from_secs_f64(self.number(key)?).ok()
    }

    pub(super) fn millis(&self, key: &Key) -> Option<Duration> {
        Duration::try_from_secs_f64(self.number(key)? / 1e3).ok()
    }

    pub(super) fn whole<T: TryFrom<i64>>(&self, key: &Key) -> Option<T> {
        let whole = match (self.given(key), key.preset) {
            (None, Preset::Number(number)) => Value::from_preset(number),
            _ => self.read(key, |value| value.whole_in(key.takes.range()?)),
        };
        T::try_from(whole?).ok()
    }

    pub(super) fn flag(&self, key: &Key) -> Option<bool> {
        match (self.given(key), key.preset) {
            (None, Preset::Flag(flag)) => Some(flag),
            _ => self.read(key, |value| match value {
                Value::Flag(flag) => Some(*flag),
                _ => None,
            }),
        }
    }

    pub(super) fn word(&self, key: &Key) -> Option<&'static str> {
        match (self.given(key), key.preset, key.takes) {
            (None, Preset::Word(word), _) => Some(word),
            (_, _, Takes::Word(words)) => self.read(key, |value| {
                let text = value.text()?;
                words.iter().copied().find(|word| *word == text)
            }),
            _ => None,
        }
    }

    pub(super) fn text(&self, key: &Key) -> Option<String> {
        self.read(key, |value| {
            let text = value.text()?.trim();
            let fits = (1..=LONGEST_TEXT).contains(&text.chars().count());
            (fits && !text.chars().any(char::is_control)).then(|| String::from(text))
        })
    }

    pub(super) fn name_of(&self, key: &Key) -> Option<&'a str> {
        self.read(key, |value| value.text().filter(|text| is_name(text)))
    }

    /// As [`name_of`](Self::name_of), which has put down already what is wrong.
    pub(super) fn name_again(&self, key: &Key) -> String {
        let name = self.given(key).and_then(|given| given.value.text());
        String::from(name.unwrap_or_default())
    }

    /// Returns the place of what the key names.
    pub(super) fn one_of(&self, key: &Key, names: &Names) -> Option<usize> {
        let name = self.read(key, Value::text)?;
        names.find(self, key, name)
    }

    /// As [`one_of`](Self::one_of) for a list, which must not be empty or repeat itself.
    pub(super) fn some_of(&self, key: &Key, names: &Names) -> Option<Vec<usize>> {
        let list = self.read(key, |value| value.list(Value::text))?;
        let places = list.iter().map(|name| names.find(self, key, name));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        self.check_set(key, &places)?;
        Some(places)
    }

    /// Puts it down if a list is empty or repeats itself.
    pub(super) fn check_set<T: Ord>(&self, key: &Key, list: &[T]) -> Option<()> {
        let set: BTreeSet<&T> = list.iter().collect();
        let is_set = set.len() == list.len() && !list.is_empty();
        if !is_set {
            self.wrong(key, format!("{}, at least one and each once", key.takes));
        }
        is_set.then_some(())
    }
}

/// Returns what to say of a key that does not fit: the words with which it does, or without which if those are
/// fewer.
fn only_where(key: &Key, switch: &Key) -> String {
    let Takes::Word(all) = switch.takes else {
        return String::from("a key that fits");
    };
    let (fit, rest): (Vec<&str>, Vec<&str>) = all.iter().partition(|word| key.fits(word));
    let (is, words) = if rest.len() < fit.len() {
        ("is not", rest)
    } else {
        ("is", fit)
    };
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    format!("only where {} {is} {}", switch.name, words.join(" or "))
}

/// Returns what to say of a key that its section does not have.
fn known_key(key: &str, raw: &Raw) -> String {
    let here = raw.schema.keys.iter().map(|key| key.name);
    if let Some(near) = nearest(key, here) {
        return format!("a known key, perhaps {near}");
    }
    if TOP.keys.iter().any(|known| known.name == key) {
        return String::from("a known key; this one belongs above all sections");
    }
    let has = SECTIONS
        .iter()
        .find(|it| it.keys.iter().any(|known| known.name == key));
    has.map_or_else(
        || String::from("a known key"),
        |it| format!("a known key; this one belongs in {}", it.heading()),
    )
}
