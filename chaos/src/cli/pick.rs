//! What a command is about: which scenarios, on which engine, under which policies.

use std::path::PathBuf;

use chaos::{Engine, Scenario, policy::Name, scenario::builtin};

use super::faults::Faults;

/// A scenario and how it is run.
#[derive(Clone, Debug)]
pub(super) struct Picked {
    pub(super) scenario: Scenario,
    /// The path of its file; `None` if it comes with the program.
    pub(super) file: Option<PathBuf>,
    pub(super) engine: Engine,
    /// In the order of reports, each once.
    pub(super) policies: Vec<Name>,
}

/// Everything that is to be run.
#[derive(Debug, Default)]
pub(super) struct Picks {
    pub(super) picked: Vec<Picked>,
    /// What was left out and why, for standard error.
    pub(super) notes: Vec<String>,
}

/// What the command line says about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    /// Names or paths; empty for all that come with the program.
    pub(super) names: &'a [String],
    pub(super) engine: Option<Engine>,
    pub(super) policies: Option<&'a [Name]>,
    pub(super) quick: bool,
}

/// Returns the engine of this name.
pub(super) fn engine(word: &str, faults: &mut Faults) -> Option<Engine> {
    faults.take(word.parse())
}

/// Returns the policies of these names in the order of reports, each once; `None` without names or if one is unknown.
pub(super) fn policies(words: &[String], faults: &mut Faults) -> Option<Vec<Name>> {
    let parsed: Vec<Option<Name>> = words
        .iter()
        .map(|word| faults.take(policy(word.trim())))
        .collect();
    let mut policies: Vec<Name> = parsed.into_iter().collect::<Option<_>>()?;
    policies.sort_unstable();
    policies.dedup();
    (!policies.is_empty()).then_some(policies)
}

/// Returns the policy of this name, or what to say of a name that none has.
fn policy(word: &str) -> Result<Name, String> {
    word.parse().map_err(|_| {
        let names = Name::ALL.map(Name::as_str);
        let perhaps = nearest(word, &names).map(|near| format!(", perhaps {near}"));
        format!(
            "policy = {word:?}, expected one of {}{}",
            names.join(", "),
            perhaps.unwrap_or_default()
        )
    })
}

/// Returns the name that somebody may have meant, if a slip or two lead from it to `word`.
fn nearest<'a>(word: &str, names: &[&'a str]) -> Option<&'a str> {
    // What is longer than any name was no slip, and would take long to compare.
    const LONGEST: usize = 64;
    let slips = |name: &str| strsim::osa_distance(word, name);
    let near = names
        .iter()
        .filter(|_| word.len() <= LONGEST)
        .filter(|name| slips(name) <= (name.len() / 3).max(1));
    near.min_by_key(|name| slips(name)).copied()
}

/// Says of policies that were asked for whether the engine can run them.
pub(super) fn fit(policies: &[Name], engine: Engine, faults: &mut Faults) {
    for policy in policies.iter().filter(|policy| !runs(**policy, engine)) {
        faults.push(format_args!(
            "policy = \"{policy}\" runs on real sockets only, with --engine live"
        ));
    }
}

/// Returns what is to be run, and adds everything that keeps it from being run to `faults`.
pub(super) fn pick(wish: Wish<'_>, faults: &mut Faults) -> Picks {
    let scenarios: Vec<(Option<PathBuf>, Scenario)> = match wish.names {
        [] => {
            let found = builtin().filter_map(|(name, _)| faults.take(Scenario::find(name)));
            found.map(|scenario| (None, scenario)).collect()
        }
        names => named(names, faults),
    };
    let nothing = scenarios.is_empty();
    let mut picks = Picks::default();
    for (file, scenario) in scenarios {
        if wish.quick && scenario.quick.skip {
            picks
                .notes
                .push(format!("{}: left out by --quick", scenario.name));
            continue;
        }
        let engine = match engine_of(&scenario, wish.engine) {
            Ok(engine) => engine,
            Err(why) if wish.names.is_empty() => {
                picks
                    .notes
                    .push(format!("{}: left out, {why}", scenario.name));
                continue;
            }
            Err(why) => {
                faults.push(format_args!("{}: {why}", scenario.name));
                continue;
            }
        };
        let policies = policies_of(&scenario, engine, wish, faults);
        picks.picked.push(Picked {
            scenario,
            file,
            engine,
            policies,
        });
    }
    if picks.picked.is_empty() && !nothing && faults.is_empty() {
        faults.push("nothing is left to run");
    }
    picks
}

/// Returns the named scenarios with their files, each once. Two of one name would be one in the report.
fn named(names: &[String], faults: &mut Faults) -> Vec<(Option<PathBuf>, Scenario)> {
    let mut found: Vec<(&String, Scenario)> = Vec::new();
    for name in names {
        if found.iter().any(|(other, _)| *other == name) {
            continue;
        }
        let Some(scenario) = faults.take(Scenario::find(name)) else {
            continue;
        };
        let same = found.iter().find(|(_, other)| other.name == scenario.name);
        if let Some((other, _)) = same {
            faults.push(format_args!(
                "{name}: has the same name as {other}, {:?}",
                scenario.name
            ));
        }
        found.push((name, scenario));
    }
    let is_builtin = |given: &str| builtin().any(|(name, _)| name == given);
    let found = found.into_iter();
    found
        .map(|(given, scenario)| ((!is_builtin(given)).then(|| given.into()), scenario))
        .collect()
}

fn engine_of(scenario: &Scenario, wished: Option<Engine>) -> Result<Engine, String> {
    let first = scenario.engines.first().copied();
    match wished
        .or(first)
        .filter(|engine| scenario.engines.contains(engine))
    {
        Some(engine) => Ok(engine),
        None => {
            let fits: Vec<&str> = scenario.engines.iter().map(|it| it.as_str()).collect();
            Err(format!("it runs with --engine {} only", fits.join(" or ")))
        }
    }
}

fn policies_of(
    scenario: &Scenario,
    engine: Engine,
    wish: Wish<'_>,
    faults: &mut Faults,
) -> Vec<Name> {
    if let Some(policies) = wish.policies {
        let mut misfits = Faults::default();
        fit(policies, engine, &mut misfits);
        if let Err(misfits) = misfits.none_or(()) {
            for line in misfits.lines() {
                faults.push(format_args!("{}: {line}", scenario.name));
            }
        }
        return policies.to_vec();
    }
    let own = match &scenario.quick.policies {
        Some(policies) if wish.quick => policies,
        _ => &scenario.policies,
    };
    let mut policies: Vec<Name> = own
        .iter()
        .copied()
        .filter(|policy| runs(*policy, engine))
        .collect();
    policies.sort_unstable();
    policies.dedup();
    if policies.is_empty() {
        faults.push(format_args!(
            "{}: none of its policies runs with --engine {engine}",
            scenario.name
        ));
    }
    policies
}

fn runs(policy: Name, engine: Engine) -> bool {
    engine == Engine::Live || policy.is_simulated()
}
