//! The three diagrams.

use super::{
    super::{
        measure::Report,
        policy::Policy,
        row::ms,
        tally::BIN,
        transient::{PHASES, SETTLED, Transient},
        workload::BUSINESSES,
    },
    FAINT, INK, MARGIN, WIDTH, colour,
    panel::{Panel, Scale},
    svg::{Anchor, Svg, Text},
};

const TOP: f64 = 206.0;
const HEIGHT: f64 = 262.0;
/// Where the two upper diagrams begin, and how wide they are.
const COLUMNS: [f64; 2] = [MARGIN + 42.0, 630.0];
const COLUMN: f64 = 442.0;

/// Load of the middle diagram.
const OVERLOAD: f64 = 3.0;

/// Goodput over load: tasks of one call.
pub(super) fn goodput(svg: &mut Svg, report: &Report) {
    let panel = Panel {
        left: COLUMNS[0],
        top: TOP,
        width: COLUMN,
        height: HEIGHT,
        x: Scale::logarithmic(0.45, 11.0),
        y: Scale::linear(0.0, 1.1),
    };
    panel.heading(
        svg,
        "Goodput",
        "calls answered within 500 ms, as a share of what could be served",
    );
    let marks = [
        (0.0, "0"),
        (0.25, "25 %"),
        (0.5, "50 %"),
        (0.75, "75 %"),
        (1.0, "100 %"),
    ];
    panel.rows(svg, &marks);
    let loads = [0.5, 1.0, 3.0, 10.0].map(|load| (load, format!("{load}x")));
    panel.columns(svg, &loads, "load, in multiples of capacity");
    for policy in Policy::ALL {
        let rows = report.rows.iter();
        let rows = rows.filter(|row| row.policy == policy && row.calls_per_task == 1);
        let mut values: Vec<_> = rows.map(|row| (row.load, row.goodput_ratio)).collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        dotted(svg, &panel, policy, &values);
    }
}

/// The share served of each business under an overload.
pub(super) fn businesses(svg: &mut Svg, report: &Report) {
    let last = BUSINESSES as f64 - 1.0;
    let panel = Panel {
        left: COLUMNS[1],
        top: TOP,
        width: COLUMN,
        height: HEIGHT,
        x: Scale::linear(-0.3, last + 0.3),
        y: Scale::linear(0.0, 1.1),
    };
    let title = format!("Who is served at {OVERLOAD}x");
    panel.heading(
        svg,
        &title,
        "share of each business's tasks that ended in time",
    );
    let marks = [
        (0.0, "0"),
        (0.25, "25 %"),
        (0.5, "50 %"),
        (0.75, "75 %"),
        (1.0, "100 %"),
    ];
    panel.rows(svg, &marks);
    let numbers: Vec<_> = (0_u8..)
        .take(BUSINESSES)
        .map(|n| (f64::from(n), n.to_string()))
        .collect();
    panel.columns(svg, &numbers, "business, the most important first");
    for policy in Policy::ALL {
        let Some(row) = report.row(policy, OVERLOAD, 1) else {
            continue;
        };
        let shares = row.by_business.iter().zip(0_u8..);
        let values: Vec<_> = shares
            .filter_map(|(share, number)| Some((f64::from(number), (*share)?)))
            .collect();
        dotted(svg, &panel, policy, &values);
    }
}

/// The mean wait while the load jumps and drops.
pub(super) fn waits(svg: &mut Svg, report: &Report) {
    let [before, jump, after] = PHASES.map(|phase| phase.lasts.as_secs_f64());
    let panel = Panel {
        left: COLUMNS[0],
        top: 620.0,
        width: WIDTH - MARGIN - COLUMNS[0] - 90.0,
        height: 200.0,
        x: Scale::linear(-before, jump + after),
        y: Scale::logarithmic(1.0, 3_000.0),
    };
    panel.heading(
        svg,
        "Mean wait while the load jumps from 1x to 10x and drops to 0.8x",
        "from sending to the handler, per tenth of a second, of served calls",
    );
    let (left, top) = panel.at(0.0, panel.y.high);
    let (right, _) = panel.at(jump, panel.y.high);
    svg.rect((left, top), (right - left, panel.height), "#f4f1ea");
    let label = Text::new(13.0, FAINT).anchored(Anchor::Middle);
    svg.text(
        (f64::midpoint(left, right), top + panel.height - 9.0),
        "10x",
        label,
    );
    let marks = [
        (1.0, "1 ms"),
        (10.0, "10 ms"),
        (100.0, "100 ms"),
        (1_000.0, "1 s"),
    ];
    panel.rows(svg, &marks);
    let seconds: Vec<_> = (-1_i8..=6)
        .map(|s| (f64::from(s), format!("{s} s")))
        .collect();
    panel.columns(svg, &seconds, "time since the jump");
    let limit = ms(SETTLED);
    svg.dashes(
        panel.at(panel.x.low, limit),
        panel.at(panel.x.high, limit),
        FAINT,
    );
    let (edge, y) = panel.at(panel.x.high, limit);
    let label = Text::new(12.5, FAINT).anchored(Anchor::End);
    svg.text((edge, y - 6.0), &format!("{limit} ms"), label);
    for transient in &report.transients {
        wait(svg, &panel, transient);
    }
}

fn wait(svg: &mut Svg, panel: &Panel, transient: &Transient) {
    let half = BIN.as_secs_f64() / 2.0;
    let bins = transient.bins.iter();
    let points: Vec<_> = bins
        .filter(|bin| bin.at_s < panel.x.high)
        .filter_map(|bin| Some(panel.at(bin.at_s + half, bin.wait_ms?)))
        .collect();
    svg.curve(&points, colour(transient.policy), 2.5);
    if let Some((x, y)) = points.last() {
        let style = Text::new(13.0, INK).bold();
        svg.text((x + 10.0, y + 4.0), transient.policy.name(), style);
    }
}

fn dotted(svg: &mut Svg, panel: &Panel, policy: Policy, values: &[(f64, f64)]) {
    let points: Vec<_> = values.iter().map(|(x, y)| panel.at(*x, *y)).collect();
    svg.curve(&points, colour(policy), 2.5);
    for point in points {
        svg.circle(point, 4.5, colour(policy));
    }
}
