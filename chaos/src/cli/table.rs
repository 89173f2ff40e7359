//! `chaos table`

use std::{path::Path, time::Duration};

use chaos::{
    Engine,
    scenario::Balance,
    spread,
    table::{Cell, Options, Table},
};

use super::{
    Faults, Verdict, args,
    out::{NEEDS_IDLE, note, print},
    pick, place,
    progress::Progress,
};

/// Measures the cells and prints them.
pub(super) fn table(args: &args::Table) -> Result<Verdict, Faults> {
    let options = options(args)?;
    let live = options.engine == Engine::Live;
    if live {
        note(NEEDS_IDLE);
    }
    let cells = Cell::all(&options);
    let runs = cells.len() * options.seeds().count();
    let progress = Progress::begin(runs, live.then(|| duration(&cells, &options)));
    let measured = Table::measure(&options, spread::threads(), |share| progress.done(share));
    progress.end();
    let table = measured.map_err(Faults::of)?;

    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    if let Some(file) = &args.json {
        let json = table.cells().json().map_err(Faults::of)?;
        match to_stdout {
            true => print(&json)?,
            false => place::write(file, &json).map_err(Faults::of)?,
        }
    }
    if !to_stdout {
        print(&table.render())?;
    }
    Ok(Verdict::Holds)
}

fn options(args: &args::Table) -> Result<Options, Faults> {
    let mut faults = Faults::default();
    let engine = pick::engine(&args.engine, &mut faults).unwrap_or(Engine::Sim);
    let mut options = Options::new(engine);
    if let Some(policies) = pick::policies(&args.policy, &mut faults) {
        pick::fit(&policies, engine, &mut faults);
        options.policies = policies;
    }
    options.balance = match args.balance.as_str() {
        "random" => Balance::Random,
        "two-choices" => Balance::TwoChoices,
        other => {
            faults.push(format_args!(
                "balance = {other:?}, expected random or two-choices"
            ));
            Balance::Random
        }
    };
    options.seed = args.seed;
    options.runs = args.seeds;
    options.quick = args.quick;
    options.parallel = args.parallel;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        faults.take(place::file(file));
    }
    faults.none_or(options)
}

/// Returns how long all cells take where time is real.
fn duration(cells: &[Cell], options: &Options) -> Duration {
    let of_seed: Duration = cells
        .iter()
        .map(|cell| cell.scenario(options).duration)
        .sum();
    let seeds = u32::try_from(options.seeds().count()).unwrap_or(u32::MAX);
    of_seed.saturating_mul(seeds)
}
