//! Every key of a scenario's file: one table a section.

pub(super) mod business;
pub(super) mod call;
pub(super) mod criterion;
pub(super) mod fault;
pub(super) mod load;
pub(super) mod published;
pub(super) mod service;
pub(super) mod top;

#[cfg(test)]
mod tests;

use super::key::{Key, Schema};

/// Names each key of a section and puts all of them into its table, so that none can be forgotten.
macro_rules! keys {
    ($($name:ident = $key:expr;)*) => {
        $(pub(in crate::scenario) const $name: Key = $key;)*
        pub(in crate::scenario) const KEYS: &[Key] = &[$($name),*];
    };
}
use keys;

/// The keys above all sections.
pub(super) static TOP: Schema = Schema {
    name: "",
    is_list: false,
    switch: None,
    keys: top::KEYS,
};

/// All sections, in the order of the documentation.
pub(super) static SECTIONS: [Schema; 9] = [
    list("service", Some(service::DISTRIBUTION), service::KEYS),
    list("call", None, call::KEYS),
    list("business", None, business::KEYS),
    list("load", Some(load::SHAPE), load::KEYS),
    list("fault", Some(fault::KIND), fault::KEYS),
    list("criterion", Some(criterion::MEASURE), criterion::KEYS),
    list("published", Some(criterion::MEASURE), published::KEYS),
    one("quick", quick::KEYS),
    one("generated", generated::KEYS),
];

const fn list(name: &'static str, switch: Option<Key>, keys: &'static [Key]) -> Schema {
    Schema {
        name,
        is_list: true,
        switch,
        keys,
    }
}

const fn one(name: &'static str, keys: &'static [Key]) -> Schema {
    Schema {
        name,
        is_list: false,
        switch: None,
        keys,
    }
}

/// `[quick]`.
pub(super) mod quick {
    use crate::scenario::key::{Key, Takes};

    super::keys! {
        SKIP = Key::flag("skip", false);
        POLICIES = Key::optional("policies", Takes::Policies, "the scenario's");
    }
}

/// `[generated]`.
pub(super) mod generated {
    use crate::scenario::key::{Key, Range, Takes};

    super::keys! {
        KIND = Key::required("kind", Takes::Word(&["wechat"]));
        SERVICES = Key::required("services", Takes::Whole(Range::new(10.0, 10_000.0)));
        INSTANCES = Key::required("instances", Takes::Whole(Range::new(10.0, 100_000.0)));
    }
}
