//! `chaos run`

use chaos::{
    Engine,
    report::{Report, Timing, commit, table, write},
};
use dagor::Clock;

use super::{
    Faults, Verdict, args, memory,
    out::{NEEDS_IDLE, note, print},
    pick::{self, Picks, Wish},
    place,
    runs::{self, Seeds},
};

/// Runs what was asked for, then writes and prints the report.
pub(super) fn run(args: &args::Run) -> Result<Verdict, Faults> {
    let Picks { picked, notes } = picks(args)?;
    notes.iter().for_each(|line| note(line));
    if picked.iter().any(|picked| picked.engine == Engine::Live) {
        note(NEEDS_IDLE);
    }

    let clock = Clock::system();
    let begun = clock.now();
    let seeds = Seeds {
        first: args.seed,
        count: args.seeds,
    };
    let (scenarios, runs) = runs::all(&picked, seeds, args.quick, &clock)?;
    let mut report = Report::new(commit());
    for scenario in scenarios {
        report.add(scenario);
    }

    if let Some(folder) = &args.out {
        let timing = Timing {
            seconds: clock.now().saturating_sub(begun).as_secs_f64(),
            peak_memory_bytes: memory::peak(),
            processors: Some(chaos::spread::threads().get()),
            runs,
        };
        write(folder, &report, &timing).map_err(Faults::of)?;
    }
    let text = match args.json {
        true => report.json().map_err(Faults::of)?,
        false => table(&report),
    };
    print(&text)?;
    unjudged(&report);
    let failed = report.failures().next().is_some();
    Ok(if failed {
        Verdict::Fails
    } else {
        Verdict::Holds
    })
}

/// Warns of scenarios in which no criterion was judged: their part in the exit status says nothing.
fn unjudged(report: &Report) {
    let names: Vec<&str> = report
        .unjudged()
        .map(|scenario| scenario.name.as_str())
        .collect();
    if !names.is_empty() {
        note(&format!(
            "{}: nothing was judged: none of the policies run has a criterion",
            names.join(", ")
        ));
    }
}

/// Returns what is to be run, or everything that is wrong with what was asked.
fn picks(args: &args::Run) -> Result<Picks, Faults> {
    let mut faults = Faults::default();
    let word = args.engine.as_deref();
    let engine: Option<Engine> = word.and_then(|word| pick::engine(word, &mut faults));
    let policies = pick::policies(&args.policy, &mut faults);
    let wish = Wish {
        names: &args.names,
        engine,
        policies: policies.as_deref(),
        quick: args.quick,
    };
    let picks = pick::pick(wish, &mut faults);
    if let Some(folder) = &args.out {
        faults.take(place::folder(folder));
    }
    faults.none_or(picks)
}
