//! `chaos list`

use std::fmt::Write as _;

use chaos::{Scenario, scenario::builtin};

use super::{Faults, Verdict, out::print};

/// Prints a header line and each scenario that comes with the program.
pub(super) fn list() -> Result<Verdict, Faults> {
    let mut faults = Faults::default();
    let found = builtin().filter_map(|(name, _)| faults.take(Scenario::find(name)));
    let scenarios: Vec<Scenario> = found.collect();
    faults.none_or(())?;
    print(&lines(&scenarios))?;
    Ok(Verdict::Holds)
}

fn lines(scenarios: &[Scenario]) -> String {
    let wide = scenarios.iter().map(|scenario| scenario.name.len()).max();
    let wide = wide.unwrap_or(0).max("name".len());
    let mut text = format!(
        "{:<wide$}  {:<9}  {:>6}  purpose\n",
        "name", "engines", "length"
    );
    for scenario in scenarios {
        let engines: Vec<&str> = scenario
            .engines
            .iter()
            .map(|engine| engine.as_str())
            .collect();
        let length = format!("{} s", scenario.duration.as_secs_f64());
        let _ = writeln!(
            text,
            "{:<wide$}  {:<9}  {length:>6}  {}",
            scenario.name,
            engines.join(","),
            scenario.purpose
        );
    }
    text
}
