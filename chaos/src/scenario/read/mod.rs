//! Puts a document's sections into a scenario.

mod criterion;
mod fault;
mod graph;
mod load;
mod measure;
mod service;
mod shape;
mod top;
mod window;

use std::{cell::OnceCell, path::Path, time::Duration};

use super::{
    Scenario,
    document::Document,
    files::Folder,
    key::{NAME_ALLOWED, is_name},
    keys::{quick, top as keys},
    mistake::{Mistake, Mistakes},
    names::Names,
    section::Section,
};
use crate::policy::Name;

/// What the sections need to know of the file and of each other.
struct Context<'a> {
    file: &'a str,
    folder: Folder<'a>,
    mistakes: &'a Mistakes,
    /// How long the run is; `None` if that could not be read, and then nothing is outside of it.
    duration: Option<Duration>,
    warm_up: Option<Duration>,
    deadline: Option<Duration>,
    /// The policies run, unless they could not be read.
    policies: Option<Vec<Name>>,
    services: Names,
    businesses: Names,
    /// Whether every section of the file is among those that are read.
    is_complete: bool,
    /// Whether it is certain how many calls a task makes and how many a service can take.
    can_count: bool,
    /// What is asked for by many sections and takes time to tell.
    told: Told,
}

/// What was told once.
#[derive(Default)]
struct Told {
    /// The capacity in tasks of the mix.
    capacity: OnceCell<f64>,
    /// Whether tasks make different numbers of calls at the measured service.
    differs: OnceCell<bool>,
}

/// Reads everything; `None`, or anything at all, if there are mistakes.
pub(super) fn scenario(
    file: &str,
    document: &Document,
    folder: Folder<'_>,
    mistakes: &Mistakes,
) -> Option<Scenario> {
    let sections: Vec<Section<'_>> = document
        .sections
        .iter()
        .map(|raw| Section::new(raw, mistakes))
        .collect();
    let of = |name: &str| -> Vec<Section<'_>> {
        let named = sections.iter().filter(|section| section.name() == name);
        named.copied().collect()
    };
    let top = of("").first().copied()?;
    let (mut scenario, mut context) =
        top::read(&top, named(file, mistakes), file, folder, mistakes);
    context.is_complete = document.is_complete;
    let graph = graph::read(&of, scenario.seed, &mut context);
    scenario.services = graph.services;
    scenario.edges = graph.edges;
    scenario.businesses = graph.businesses;
    scenario.measured = top.one_of(&keys::MEASURED, &context.services);
    let is_sound = graph::check(&scenario, &graph.calls, &of, &context, graph.is_structured);
    context.can_count = is_sound && !graph.has_mistakes;
    load::read(&of, &mut scenario, &context);
    scenario.faults = fault::read(&of("fault"), &scenario, &context, graph.is_structured);
    criterion::read(&of, &mut scenario, &context);
    if let Some(section) = of("quick").first() {
        scenario.quick.skip = section.flag(&quick::SKIP).unwrap_or_default();
        scenario.quick.policies = top::policies(section, &quick::POLICIES, &context);
    }
    Some(scenario)
}

/// Returns the scenario's name.
fn named(file: &str, mistakes: &Mistakes) -> String {
    let name = Path::new(file)
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if !is_name(name) {
        mistakes.push(Mistake::new(
            file,
            0,
            format!("as the file's name {NAME_ALLOWED}"),
        ));
    }
    String::from(name)
}

impl Context<'_> {
    /// Says what the file lacks.
    fn lacks(&self, what: &str, allowed: &str) {
        if self.is_complete {
            self.of_all(&format!("a file without {what}"), allowed);
        }
    }

    /// Says what the scenario as a whole must be.
    fn whole(&self, allowed: &str) {
        self.of_all("the scenario", allowed);
    }

    fn of_all(&self, what: &str, allowed: &str) {
        let place = format!("{}:1", self.file);
        self.mistakes
            .push(Mistake::new(&place, 0, allowed).key_is(what));
    }
}
