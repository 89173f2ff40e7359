//! Which pattern a request matches: exact path first, then the longest prefix.
//!
//! Both are sorted lists searched by halves: a path costs what it has in common with the patterns,
//! however long it is and however many slashes somebody put into it.

use std::collections::{BTreeMap, btree_map};

use http::Method;

use super::{
    error::{Fault, Problem},
    table::Table,
};

/// Values by pattern.
#[derive(Clone, Debug)]
pub(super) struct Patterns<V> {
    /// Sorted by path.
    exact: Vec<(Box<str>, Rules<V>)>,
    /// Sorted by path, which ends with `/`.
    prefixes: Vec<Prefix<V>>,
}

#[derive(Clone, Debug)]
struct Prefix<V> {
    path: Box<str>,
    rules: Rules<V>,
    /// The next shorter prefix of this prefix.
    parent: Option<usize>,
}

/// The values of one path.
#[derive(Clone, Debug)]
struct Rules<V> {
    by_method: Vec<(Method, V)>,
    any: Option<V>,
}

/// A pattern taken apart.
struct Pattern<'a> {
    method: Option<Method>,
    /// Ends with `/` if it is a prefix.
    path: &'a str,
    is_prefix: bool,
}

const METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::CONNECT,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

// === impl Patterns ===

impl<V: Copy> Patterns<V> {
    /// Collects patterns and their values; faults are added to `faults`.
    pub(super) fn collect<P: AsRef<str>>(
        entries: impl IntoIterator<Item = (P, V)>,
        faults: &mut Vec<Fault>,
    ) -> Self {
        let mut exact = BTreeMap::new();
        let mut prefixes = BTreeMap::new();
        for (index, (text, value)) in entries.into_iter().enumerate() {
            let text = text.as_ref();
            if index == Table::MOST_ENTRIES {
                faults.push(Fault::new(text, Problem::TooMany));
                break;
            }
            let added = Pattern::parse(text).and_then(|pattern| {
                let paths = match pattern.is_prefix {
                    true => &mut prefixes,
                    false => &mut exact,
                };
                let rules: &mut Rules<V> = match paths.entry(Box::from(pattern.path)) {
                    btree_map::Entry::Vacant(vacant) => vacant.insert(Rules::new()),
                    btree_map::Entry::Occupied(occupied) => occupied.into_mut(),
                };
                rules.add(pattern.method, value)
            });
            if let Err(problem) = added {
                faults.push(Fault::new(text, problem));
            }
        }
        Self {
            exact: exact.into_iter().collect(),
            prefixes: Self::link(prefixes),
        }
    }

    /// Returns the value of the pattern that matches best.
    pub(super) fn find(&self, method: &Method, path: &str) -> Option<V> {
        let exact = self
            .exact
            .binary_search_by(|(exact, _)| (**exact).cmp(path));
        if let Ok(index) = exact
            && let Some(value) = self.exact[index].1.find(method)
        {
            return Some(value);
        }
        // All prefixes of the path lie on one chain of parents, which begins at the last prefix that is
        // not behind the path.
        let mut next = self
            .prefixes
            .partition_point(|prefix| *prefix.path <= *path)
            .checked_sub(1);
        while let Some(index) = next {
            let prefix = &self.prefixes[index];
            if path.starts_with(&*prefix.path)
                && let Some(value) = prefix.rules.find(method)
            {
                return Some(value);
            }
            next = prefix.parent;
        }
        None
    }

    pub(super) fn len(&self) -> usize {
        let exact = self.exact.iter().map(|(_, rules)| rules);
        let prefixes = self.prefixes.iter().map(|prefix| &prefix.rules);
        exact.chain(prefixes).map(Rules::len).sum()
    }

    /// Gives every prefix its parent.
    fn link(sorted: BTreeMap<Box<str>, Rules<V>>) -> Vec<Prefix<V>> {
        let mut linked: Vec<Prefix<V>> = Vec::with_capacity(sorted.len());
        let mut parent: Option<usize> = None;
        for (path, rules) in sorted {
            while let Some(index) = parent
                && !path.starts_with(&*linked[index].path)
            {
                parent = linked[index].parent;
            }
            linked.push(Prefix {
                path,
                rules,
                parent,
            });
            parent = Some(linked.len() - 1);
        }
        linked
    }
}

// === impl Rules ===

impl<V: Copy> Rules<V> {
    const fn new() -> Self {
        Self {
            by_method: Vec::new(),
            any: None,
        }
    }

    fn add(&mut self, method: Option<Method>, value: V) -> Result<(), Problem> {
        match method {
            Some(method) if self.by_method.iter().all(|(known, _)| *known != method) => {
                self.by_method.push((method, value));
            }
            None if self.any.is_none() => self.any = Some(value),
            Some(_) | None => return Err(Problem::Duplicate),
        }
        Ok(())
    }

    fn find(&self, method: &Method) -> Option<V> {
        let own = self.by_method.iter().find(|(known, _)| known == method);
        own.map(|(_, value)| *value).or(self.any)
    }

    fn len(&self) -> usize {
        self.by_method.len() + usize::from(self.any.is_some())
    }
}

// === impl Pattern ===

impl<'a> Pattern<'a> {
    fn parse(text: &'a str) -> Result<Self, Problem> {
        if text.len() > Table::LONGEST_PATTERN {
            return Err(Problem::TooLong);
        }
        let (method, path) = match text.split_once(' ') {
            Some((method, path)) => (Some(method), path),
            None => (None, text),
        };
        if !path.starts_with('/') {
            return Err(Problem::NoSlash);
        }
        let method = match method {
            Some(name) => {
                let method = METHODS.into_iter().find(|method| method == name);
                Some(method.ok_or(Problem::UnknownMethod)?)
            }
            None => None,
        };
        // The star goes, the slash before it stays.
        let is_prefix = path.ends_with("/*");
        let path = if is_prefix {
            &path[..path.len() - 1]
        } else {
            path
        };
        if path.contains('*') {
            return Err(Problem::Wildcard);
        }
        let matches = |byte: u8| byte.is_ascii_graphic() && !b"?#{}".contains(&byte);
        if !path.bytes().all(matches) {
            return Err(Problem::Character);
        }
        Ok(Self {
            method,
            path,
            is_prefix,
        })
    }
}
