//! The table as text for a terminal.

use std::fmt::Write as _;

use super::{Cell, Measured, Table};
use crate::policy::Name;

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
    text.push_str(
        "\ngoodput by optimum. fairness: highest success of tasks by their number of calls by the lowest, worst mix.\n\
         at callers: share of the shed calls that callers withheld, mean of overloaded cells. most wait: worst cell's mean.\n",
    );
}

/// Tells in which cells peers do better, a line for each cell.
fn behind(text: &mut String, table: &Table) {
    for ours in of(table, Name::Dagor) {
        let Cell { calls, load, .. } = ours.cell;
        let peers = table.measured().iter().filter(|peer| {
            let same_cell = peer.cell.calls == calls && same(peer.cell.load, load);
            same_cell && peer.ratio > ours.ratio + NOISE
        });
        let peers: Vec<String> = peers
            .map(|peer| format!("{} {:.3}", peer.cell.policy, peer.ratio))
            .collect();
        if !peers.is_empty() {
            let _ = writeln!(
                text,
                "dagor is behind: calls {calls}, load {load}x: {:.3} against {}",
                ours.ratio,
                peers.join(", ")
            );
        }
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
        Some(figure) if figure.is_infinite() => "inf".into(),
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
        ]);
        let text = render(&table);
        let behind: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("dagor is"))
            .collect();
        let said = "dagor is behind: calls 1, load 2x: 0.960 against sre 0.971, breakwater 0.980";
        assert_eq!(behind, [said]);
        let words: Vec<Vec<&str>> = text
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        let dagor = ["dagor", "0.955", "0.950", "inf", "0.50", "-"];
        assert!(words.contains(&dagor.to_vec()), "{text}");
    }
}
