//! `[[criterion]]` and `[[published]]`.

mod check;

use std::collections::BTreeSet;

use super::{Context, measure, top, window::Window};
use crate::{
    policy::Name,
    scenario::{
        Bound, Criterion, Published, Scenario,
        keys::{criterion as keys, published},
        names::Names,
        section::Section,
    },
};

/// Reads all of both kinds into `scenario`.
pub(super) fn read<'s>(
    of: &dyn Fn(&str) -> Vec<Section<'s>>,
    scenario: &mut Scenario,
    context: &Context<'_>,
) {
    let (criteria, figures) = (of("criterion"), of("published"));
    if criteria.len().max(figures.len()) > MOST_CRITERIA {
        context.whole(&format!(
            "at most {MOST_CRITERIA} [[criterion]] and as many [[published]]"
        ));
        return;
    }
    let mut names = BTreeSet::new();
    for section in &criteria {
        let criterion = criterion(section, scenario, context);
        if let Some(name) = section.given(&keys::NAME).and_then(|it| it.value.text())
            && !names.insert(name)
        {
            section.wrong(&keys::NAME, "a name that no other criterion has");
        }
        scenario.criteria.extend(criterion);
    }
    let figures = figures
        .iter()
        .filter_map(|section| figure(section, scenario, context));
    scenario.published = figures.collect();
}

fn criterion(
    section: &Section<'_>,
    scenario: &Scenario,
    context: &Context<'_>,
) -> Option<Criterion> {
    let window = window(context).read(section, context);
    let name = section.text(&keys::NAME);
    let policies = policies(section, context);
    let kind = measure::read(section, bound(section), context);
    if let Some(kind) = &kind {
        check::bound(section, kind, window, context);
        check::subject(section, kind, window, scenario, context);
    }
    let (from, until) = window?;
    Some(Criterion {
        name: name?,
        from,
        until,
        policies: policies?,
        kind: kind?,
    })
}

fn figure(section: &Section<'_>, scenario: &Scenario, context: &Context<'_>) -> Option<Published> {
    let window = window(context).read(section, context);
    let names = Names::of(Name::ALL.map(Name::as_str));
    let policy = section.one_of(&published::POLICY, &names);
    let what = section.text(&published::WHAT);
    let value = section.number(&published::VALUE);
    let ours = measure::read(
        section,
        Some(Bound::AtLeast(value.unwrap_or_default())),
        context,
    );
    if let Some(ours) = &ours {
        check::subject(section, ours, window, scenario, context);
    }
    Some(Published {
        policy: Name::ALL[policy?],
        what: what?,
        value: value?,
        ours: ours?,
        window: window?,
    })
}

const fn window(context: &Context<'_>) -> Window {
    Window {
        from: keys::FROM,
        until: keys::UNTIL,
        preset_from: context.warm_up,
    }
}

fn policies(section: &Section<'_>, context: &Context<'_>) -> Option<Vec<Name>> {
    if section.given(&keys::POLICIES).is_some() {
        return top::policies(section, &keys::POLICIES, context);
    }
    if !context.policies.as_ref()?.contains(&Name::Dagor) {
        section.missing(
            &keys::POLICIES,
            "policies that are run, which the default, \"dagor\", is not",
        );
    }
    Some(vec![Name::Dagor])
}

fn bound(section: &Section<'_>) -> Option<Bound> {
    let is_given = |key| section.given(key).is_some();
    match (is_given(&keys::AT_LEAST), is_given(&keys::AT_MOST)) {
        (true, false) => section.number(&keys::AT_LEAST).map(Bound::AtLeast),
        (false, true) => section.number(&keys::AT_MOST).map(Bound::AtMost),
        (true, true) => {
            section.wrong(&keys::AT_MOST, "only one of at_least and at_most");
            None
        }
        (false, false) => {
            section.missing(
                &keys::AT_LEAST,
                format!("{}, or at_most", keys::AT_LEAST.takes),
            );
            None
        }
    }
}

/// More than anybody reads.
const MOST_CRITERIA: usize = 1_000;
