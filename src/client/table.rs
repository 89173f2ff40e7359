//! The instances of one callee, by name: bounded, whatever names appear.
//!
//! A hit takes a read lock and allocates nothing. A new name in a full table takes the place of the
//! instance unused for longest. To find that one without a scan for every new name, a scan collects
//! the eighth that is oldest; one of them that was not used since is, in that order, the oldest of all.

use std::{
    borrow::Borrow,
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    io::Write,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use super::levels::Instance;

/// Longest name kept, in bytes; a longer one is cut and ends in a hash of the whole.
pub(crate) const LONGEST_NAME: usize = 255;

/// The instances of one callee.
#[derive(Debug)]
pub(crate) struct Table {
    bound: usize,
    businesses: u16,
    entries: RwLock<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    by_name: HashSet<Entry>,
    /// Those unused for longest when they were collected, the oldest last, with the moment of use.
    oldest: Vec<(u64, Arc<Instance>)>,
    forgotten: u64,
}

/// An instance found by its name, which is stored once.
#[derive(Debug)]
struct Entry(Arc<Instance>);

// === impl Table ===

impl Table {
    pub(crate) fn new(bound: usize, businesses: u16) -> Self {
        Self {
            bound,
            businesses,
            entries: RwLock::default(),
        }
    }

    /// Returns the instance of this name, an unknown one with an open level.
    pub(crate) fn find(&self, name: &str, now: Duration) -> Arc<Instance> {
        let mut buffer = [0; LONGEST_NAME];
        let name = bounded(name, &mut buffer);
        let known = self.read().by_name.get(name).map(|e| Arc::clone(&e.0));
        let instance = known.unwrap_or_else(|| self.add(name));
        instance.touch(now);
        instance
    }

    /// Returns every instance, in no order.
    pub(crate) fn all(&self) -> Vec<Arc<Instance>> {
        let entries = self.read();
        entries.by_name.iter().map(|e| Arc::clone(&e.0)).collect()
    }

    /// Returns how many instances had to give way to new ones.
    pub(crate) fn forgotten(&self) -> u64 {
        self.read().forgotten
    }

    fn add(&self, name: &str) -> Arc<Instance> {
        let new = Arc::new(Instance::new(name.into(), self.businesses));
        let mut entries = self.write();
        // Another call may have been quicker.
        if let Some(known) = entries.by_name.get(name) {
            return Arc::clone(&known.0);
        }
        while entries.by_name.len() >= self.bound {
            entries.forget_oldest();
        }
        entries.by_name.insert(Entry(Arc::clone(&new)));
        new
    }

    fn read(&self) -> RwLockReadGuard<'_, Entries> {
        self.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Entries> {
        self.entries.write().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Entries ===

impl Entries {
    /// Forgets the instance unused for longest, if there is any.
    fn forget_oldest(&mut self) {
        if self.oldest.is_empty() {
            self.collect_oldest();
        }
        while let Some((used, instance)) = self.oldest.pop() {
            if instance.used() == used && self.by_name.remove(&**instance.name()) {
                self.forgotten += 1;
                return;
            }
        }
    }

    fn collect_oldest(&mut self) {
        let mut all: Vec<_> = self
            .by_name
            .iter()
            .map(|e| (e.0.used(), Arc::clone(&e.0)))
            .collect();
        let eighth = all.len().div_ceil(8);
        if eighth < all.len() {
            all.select_nth_unstable_by_key(eighth, |(used, _)| *used);
        }
        all.truncate(eighth);
        all.sort_unstable_by_key(|(used, _)| std::cmp::Reverse(*used));
        all.shrink_to_fit();
        self.oldest = all;
    }
}

// === impl Entry ===

impl Borrow<str> for Entry {
    fn borrow(&self) -> &str {
        self.0.name()
    }
}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        str::hash(self.0.name(), state);
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Entry {}

/// Returns `name`, or in `buffer` its beginning and a hash of the whole if it is too long.
fn bounded<'a>(name: &'a str, buffer: &'a mut [u8; LONGEST_NAME]) -> &'a str {
    const HASH: usize = 17; // '#' and 16 hexadecimal digits
    if name.len() <= LONGEST_NAME {
        return name;
    }
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    let mut cut = LONGEST_NAME - HASH;
    while !name.is_char_boundary(cut) {
        cut -= 1;
    }
    let (begin, mut rest) = buffer.split_at_mut(cut);
    begin.copy_from_slice(&name.as_bytes()[..cut]);
    // Both cannot fail: the buffer has room for the digits, and both parts are whole characters.
    let fits = write!(rest, "#{:016x}", hasher.finish()).is_ok();
    let text = std::str::from_utf8(&buffer[..cut + HASH]);
    text.ok().filter(|_| fits).unwrap_or(&name[..cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn names(table: &Table) -> Vec<String> {
        let mut names: Vec<_> = table.all().iter().map(|i| i.name().to_string()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_name_is_found_again() {
        let table = Table::new(4, 8);
        let first = table.find("a", at(0));
        assert!(Arc::ptr_eq(&first, &table.find("a", at(1))));
        assert!(!Arc::ptr_eq(&first, &table.find("b", at(1))));
    }

    #[test]
    fn the_one_unused_for_longest_gives_way() {
        let table = Table::new(3, 8);
        for (now, name) in ["a", "b", "c"].into_iter().enumerate() {
            table.find(name, at(now as u64));
        }
        table.find("a", at(3));
        table.find("d", at(4));
        assert_eq!(names(&table), ["a", "c", "d"]);
        assert_eq!(table.forgotten(), 1);
    }

    #[test]
    fn order_of_use_decides_over_many_rounds() {
        let table = Table::new(64, 8);
        for now in 0..1000_u64 {
            table.find(&format!("instance {now}"), at(now));
            // This one is in use all the time.
            table.find("instance 0", at(now));
            let known = table.all().len() as u64;
            assert_eq!(known, (now + 1).min(64));
            let oldest = table.all().iter().map(|i| i.used()).min();
            assert!(oldest >= Some(crate::clock::nanos(at(now.saturating_sub(63)))));
        }
    }

    #[test]
    fn long_names_are_cut_and_kept_apart() {
        let table = Table::new(4, 8);
        let long = "é".repeat(5000);
        let first = table.find(&long, at(0));
        assert!(first.name().len() <= LONGEST_NAME, "{}", first.name().len());
        assert!(Arc::ptr_eq(&first, &table.find(&long, at(0))));
        let other = table.find(&format!("{long}x"), at(0));
        assert!(!Arc::ptr_eq(&first, &other));
        let most = "n".repeat(LONGEST_NAME);
        assert_eq!(**table.find(&most, at(0)).name(), *most);
    }
}
