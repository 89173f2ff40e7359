//! The figures as text.

use std::fmt::{self, Display, Formatter};

use super::{
    measure::Report,
    policy::Policy,
    row::{Row, ms},
    transient::{SETTLED, Transient},
};

/// A [`Report`] as what the terminal shows.
pub(crate) struct Table<'a>(pub(crate) &'a Report);

const HEAD: [&str; 2] = [
    "                      calls          latency, ms     mean wait, ms   tasks     refused at    \
     no con-  tasks in time per business",
    "policy         load  a task  goodput   p50    p99  before  inside in time  service   caller \
     nection  most important .. least, %",
];

impl Display for Table<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let report = self.0;
        let rule = "-".repeat(134);
        writeln!(f, "{}\n{}", HEAD[0], HEAD[1])?;
        let mut last = None;
        for row in &report.rows {
            if last.replace(row.policy) != Some(row.policy) {
                writeln!(f, "{rule}")?;
            }
            write_row(f, row)?;
        }
        writeln!(f, "{rule}")?;
        writeln!(f, "{LEGEND}")?;
        for transient in &report.transients {
            write_transient(f, transient)?;
        }
        write_calm(f, report)?;
        for note in &report.notes {
            writeln!(f, "Note: {note}.")?;
        }
        Ok(())
    }
}

const LEGEND: &str = "\
goodput: calls of tasks that ended within 500 ms, as a share of what could be served (the smaller of \
offer and capacity)
before, inside: from sending to the protecting layer, and from there to the handler; of served calls
no connection: calls that were not sent because all connections were waiting for an answer
";

fn write_row(f: &mut Formatter<'_>, row: &Row) -> fmt::Result {
    write!(
        f,
        "{:<13}{:>5}x{:>8}",
        row.policy.name(),
        row.load,
        row.calls_per_task
    )?;
    write!(f, "{:>8.2}", row.goodput_ratio)?;
    write!(f, "{:>6}{:>7}", Figure(row.p50_ms), Figure(row.p99_ms))?;
    write!(
        f,
        "{:>8}{:>8}",
        Figure(row.before_ms),
        Figure(row.inside_ms)
    )?;
    let in_time = row.tasks_in_time as f64 / row.tasks.max(1) as f64;
    write!(f, "{:>8.1}%", in_time * 100.0)?;
    write!(f, "{:>9}{:>9}{:>8}  ", row.shed, row.withheld, row.unsent)?;
    for share in &row.by_business {
        write!(f, "{:>4}", Percent(*share))?;
    }
    writeln!(f)
}

fn write_transient(f: &mut Formatter<'_>, transient: &Transient) -> fmt::Result {
    write!(f, "1x to 10x, {}: ", transient.policy.name())?;
    let limit = ms(SETTLED);
    match transient.settled_s {
        Some(settled) if settled < 0.05 => write!(f, "the mean wait never passes {limit} ms")?,
        Some(settled) => write!(
            f,
            "the mean wait stays below {limit} ms from {settled:.1} s on"
        )?,
        None => write!(f, "the mean wait does not come back below {limit} ms")?,
    }
    writeln!(
        f,
        " (worst tenth of a second: {} ms)",
        Figure(transient.worst_ms)
    )?;
    if transient.policy == Policy::None {
        return Ok(());
    }
    write!(f, "10x to 0.8x, {}: ", transient.policy.name())?;
    match transient.last_refusal_s {
        Some(last) => write!(f, "the last refusal came {last:.1} s after the drop")?,
        None => write!(f, "no refusal after the drop")?,
    }
    writeln!(f, ", {} later than 3 s", transient.refused_late)
}

/// Says whether anything was refused that need not be.
fn write_calm(f: &mut Formatter<'_>, report: &Report) -> fmt::Result {
    for load in [0.5, 0.8] {
        if let Some(row) = report.row(Policy::Dagor, load, 1) {
            let refused = row.shed + row.withheld;
            writeln!(
                f,
                "Below capacity, dagor at {load}x: {refused} of {} refused",
                row.tasks
            )?;
        }
    }
    Ok(())
}

/// A number with as many digits as it deserves.
struct Figure(Option<f64>);

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(number) if number < 9.95 => f.pad(&format!("{number:.1}")),
            Some(number) => f.pad(&format!("{number:.0}")),
            None => f.pad("-"),
        }
    }
}

/// A share in whole percent; 100 only where nothing is missing.
struct Percent(Option<f64>);

impl Display for Percent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(share) => f.pad(&format!("{:.0}", (share * 100.0).floor())),
            None => f.pad("-"),
        }
    }
}
