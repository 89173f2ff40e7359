//! The table as text for a terminal.

use std::fmt::{self, Write as _};

use super::{Cell, Measured, Table};
use crate::{policy::Name, report::cells::FLOOR};

/// Differences smaller than this are chance.
const NOISE: f64 = 0.01;

pub(super) fn render(table: &Table) -> String {
    let mut text = table.cells().table();
    text.push('\n');
    summary(&mut text, table);
    behind(&mut text, table);
    text
}

fn of(table: &Table, policy: Name) -> impl Iterator<Item = &Measured> {
    let cells = table.measured().iter();
    cells.filter(move |cell| cell.cell.policy == policy)
}

fn summary(text: &mut String, table: &Table) {
    let _ = writeln!(
        text,
        "{:<17} {:>8} {:>8} {:>9} {:>10} {:>13}",
        "policy", "geomean", "lowest", "fairness", "at callers", "most wait, ms"
    );
    for (policy, mean) in table.cells().geomean() {
        let lowest = of(table, *policy)
            .map(|cell| cell.ratio)
            .fold(f64::INFINITY, f64::min);
        let most = |pick: fn(&Measured) -> Option<f64>| {
            of(table, *policy).filter_map(pick).reduce(f64::max)
        };
        let overloaded = of(table, *policy).filter(|cell| cell.cell.load > 1.0);
        let withheld: Vec<f64> = overloaded.filter_map(|cell| cell.withheld).collect();
        let _ = writeln!(
            text,
            "{policy:<17} {mean:>8.3} {lowest:>8.3} {:>9} {:>10} {:>13}",
            number(most(|cell| cell.fairness), 2),
            number(mean_of(&withheld), 2),
            number(most(|cell| cell.wait), 1),
        );
    }
    let _ = write!(
        text,
        "\ngoodput by optimum; cells below {FLOOR} count as that in the geometric mean. fairness: highest success of\n\
         tasks by their number of calls by the lowest, worst mix; unbounded: the lowest is 0. at callers: share of the shed\n\
         calls that callers withheld, mean of overloaded cells. most wait: worst cell's mean. In virtual time the paper's own\n\
         policies run four times as long as the others: their level moves by 1 % a second.\n",
    );
}

/// Tells in which cells peers do better: a line for each that is overloaded, and one for all others, where there is
/// next to nothing to lose.
fn behind(text: &mut String, table: &Table) {
    let lost: Vec<Lost<'_>> = of(table, Name::Dagor)
        .filter_map(|ours| Lost::find(table, ours))
        .collect();
    let (overloaded, calm): (Vec<_>, Vec<_>) =
        lost.into_iter().partition(|lost| lost.ours.cell.load > 1.0);
    for lost in overloaded {
        let _ = writeln!(text, "dagor is behind: {lost}");
    }
    let most = calm.iter().max_by(|one, two| one.by().total_cmp(&two.by()));
    if let Some(most) = most {
        let (count, plural) = (calm.len(), if calm.len() == 1 { "" } else { "s" });
        let _ = writeln!(
            text,
            "dagor is behind at 1x or below in {count} cell{plural}, most in: {most}"
        );
    }
}

/// A cell in which peers do better.
struct Lost<'a> {
    ours: &'a Measured,
    /// Those that do, at least one.
    peers: Vec<&'a Measured>,
}

impl<'a> Lost<'a> {
    fn find(table: &'a Table, ours: &'a Measured) -> Option<Self> {
        let Cell { calls, load, .. } = ours.cell;
        let peers = table.measured().iter().filter(|peer| {
            let same_cell = peer.cell.calls == calls && same(peer.cell.load, load);
            same_cell && peer.ratio > ours.ratio + NOISE
        });
        let peers: Vec<&Measured> = peers.collect();
        (!peers.is_empty()).then_some(Self { ours, peers })
    }

    /// By how much the best is ahead.
    fn by(&self) -> f64 {
        let peers = self.peers.iter();
        peers
            .map(|peer| peer.ratio - self.ours.ratio)
            .fold(0.0, f64::max)
    }
}

impl fmt::Display for Lost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { calls, load, .. } = self.ours.cell;
        let peers: Vec<String> = self
            .peers
            .iter()
            .map(|peer| format!("{} {:.3}", peer.cell.policy, peer.ratio))
            .collect();
        write!(
            f,
            "calls {calls}, load {load}x: {:.3} against {}",
            self.ours.ratio,
            peers.join(", ")
        )
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are fewer cells than 2^52"
)]
fn mean_of(figures: &[f64]) -> Option<f64> {
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

fn number(figure: Option<f64>, digits: usize) -> String {
    match figure {
        None => "-".into(),
        Some(figure) if figure.is_infinite() => "unbounded".into(),
        Some(figure) => format!("{figure:.digits$}"),
    }
}

/// Loads come out of one list, so equal ones have equal bits.
fn same(a: f64, b: f64) -> bool {
    a.total_cmp(&b).is_eq()
}

#[cfg(test)]
mod tests {
    use super::{super::TaskCalls, *};

    fn measured(policy: Name, calls: TaskCalls, load: f64, ratio: f64) -> Measured {
        Measured {
            cell: Cell {
                policy,
                load,
                calls,
            },
            goodput: ratio * 750.0,
            optimum: 750.0,
            ratio,
            fairness: Some(f64::INFINITY),
            withheld: Some(0.5),
            wait: None,
        }
    }

    #[test]
    fn says_where_dagor_is_behind() {
        let table = Table::of(vec![
            measured(Name::Breakwater, TaskCalls::Fixed(1), 2.0, 0.98),
            measured(Name::Sre, TaskCalls::Fixed(1), 2.0, 0.971),
            measured(Name::Tower, TaskCalls::Fixed(1), 2.0, 0.969),
            measured(Name::Breakwater, TaskCalls::Fixed(2), 2.0, 0.61),
            measured(Name::Dagor, TaskCalls::Fixed(1), 2.0, 0.96),
            measured(Name::Dagor, TaskCalls::Fixed(2), 2.0, 0.95),
            measured(Name::None, TaskCalls::Fixed(1), 0.67, 1.0),
            measured(Name::Dagor, TaskCalls::Fixed(1), 0.67, 0.98),
            measured(Name::None, TaskCalls::Fixed(1), 1.0, 0.99),
            measured(Name::Dagor, TaskCalls::Fixed(1), 1.0, 0.95),
        ]);
        let text = render(&table);
        let behind: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("dagor is"))
            .collect();
        let said = "dagor is behind: calls 1, load 2x: 0.960 against sre 0.971, breakwater 0.980";
        let calm = "dagor is behind at 1x or below in 2 cells, most in: calls 1, load 1x: 0.950 against none 0.990";
        assert_eq!(behind, [said, calm]);
        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let dagor = ["dagor", "0.960", "0.950", "unbounded", "0.50", "-"];
        assert!(words.contains(&dagor.to_vec()), "{text}");
    }
}
