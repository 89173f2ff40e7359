//! Each policy by itself: goodput, queuing time and level by service, refusals.

use maud::{Markup, html};

use super::{
    charts::{longest, lowest, mean, powers, shades, step, thinned, top_rate},
    compare::{ink, ranked},
    section::anchor,
    show,
    svg::{Frame, Scale, area, line},
};
use crate::report::{Line, PolicyReport, ScenarioReport, Series};

const FRAME: Frame = Frame {
    width: 480.0,
    height: 150.0,
    left: 2.0,
    right: 2.0,
    top: 4.0,
    bottom: 4.0,
};

/// The most points of a line here.
const POINTS: usize = 60;

/// What all panels of a scenario share, so that they can be compared.
struct Scales {
    x: Scale,
    rate: Scale,
    wait: Scale,
    level: Scale,
    refused: Scale,
    top_rate: f64,
    top_wait: f64,
    top_refused: f64,
}

pub(super) fn panels(scenario: &ScenarioReport) -> Markup {
    let scales = Scales::new(scenario);
    let services = scenario
        .policies
        .first()
        .map_or(&[][..], |policy| &policy.series.wait_ms);
    html! {
        details.panels {
            summary { "Each policy over time" }
            ul.legend {
                @for (place, line) in services.iter().enumerate() {
                    li {
                        svg.swatch viewBox="0 0 36 12" aria-hidden="true" { path class={ "tier t" (place) } d="M2 6H34" {} }
                        (line.service)
                    }
                }
                li { svg.swatch viewBox="0 0 36 12" aria-hidden="true" { path.refused d="M2 6H34" {} } "refused" }
                li { svg.swatch viewBox="0 0 36 12" aria-hidden="true" { path.withheld d="M2 6H34" {} } "withheld by callers" }
            }
            @for policy in ranked(scenario) { (row(scenario, policy, &scales)) }
        }
    }
}

fn row(scenario: &ScenarioReport, policy: &PolicyReport, scales: &Scales) -> Markup {
    let name = policy.policy;
    html! {
        div.row.(ink(scenario, name)) {
            h4 { (name) }
            (panel(&format!("{name}: goodput"), &format!("to {}/s", show::rate(scales.top_rate)), &goodput(scenario, policy, scales)))
            (panel(&format!("{name}: queuing time"), &format!("1 ms to {}", show::millis(scales.top_wait)),
                &waits(scenario, policy, scales)))
            (panel(&format!("{name}: level"), "0 to 1", &levels(scenario, policy, scales)))
            (panel(&format!("{name}: refused and withheld"), &format!("to {}/s", show::rate(scales.top_refused)),
                &refusals(scenario, policy, scales)))
        }
    }
}

fn panel(title: &str, range: &str, lines: &Markup) -> Markup {
    let short = title.split_once(": ").map_or(title, |(_, short)| short);
    html! {
        figure {
            figcaption { (short) ", " (range) }
            svg.panel viewBox=(FRAME.view_box()) role="img" {
                title { (title) }
                (lines)
            }
        }
    }
}

fn goodput(scenario: &ScenarioReport, policy: &PolicyReport, scales: &Scales) -> Markup {
    let (x, y) = (scales.x, scales.rate);
    let draw = |values: &[f64], path: fn(&[Option<f64>], f64, Scale, Scale) -> String| {
        let (size, values) = thinned(values, POINTS, mean);
        path(&values, step(&policy.series, size), x, y)
    };
    html! {
        (shared(scenario, policy, "offered", |series| &series.offered, |values| draw(values, area)))
        (shades(scenario, FRAME, x))
        (shared(scenario, policy, "optimum", |series| &series.optimum, |values| draw(values, line)))
        path.line.solo d=(draw(&policy.series.good, line)) {}
    }
}

/// A path that is the same for all policies that met the same tasks: drawn for the first, referred to by the others.
fn shared(
    scenario: &ScenarioReport,
    policy: &PolicyReport,
    class: &str,
    values: fn(&Series) -> &Vec<f64>,
    draw: impl FnOnce(&[f64]) -> String,
) -> Markup {
    let id = format!("{}-{class}", anchor(scenario));
    let own = values(&policy.series);
    let first = ranked(scenario)
        .first()
        .map(|first| (first.policy, values(&first.series)));
    html! {
        @match first {
            Some((name, _)) if name == policy.policy => path.(class) id=(id) d=(draw(own)) {},
            Some((_, theirs)) if theirs == own => use href={ "#" (id) } {},
            _ => path.(class) d=(draw(own)) {},
        }
    }
}

fn waits(scenario: &ScenarioReport, policy: &PolicyReport, scales: &Scales) -> Markup {
    let threshold = scales.wait.at(scenario.threshold_ms);
    html! {
        (shades(scenario, FRAME, scales.x))
        path.threshold d={ "M0 " (threshold) "H480" } {}
        (tiers(policy, &policy.series.wait_ms, longest, scales.x, scales.wait))
    }
}

fn levels(scenario: &ScenarioReport, policy: &PolicyReport, scales: &Scales) -> Markup {
    html! {
        (shades(scenario, FRAME, scales.x))
        (tiers(policy, &policy.series.level, lowest, scales.x, scales.level))
    }
}

fn tiers(
    policy: &PolicyReport,
    lines: &[Line],
    join: fn(&[Option<f64>]) -> Option<f64>,
    x: Scale,
    y: Scale,
) -> Markup {
    html! {
        @for (place, of) in lines.iter().enumerate() {
            @let (size, values) = thinned(&of.values, POINTS, join);
            path class={ "tier t" (place) } d=(line(&values, step(&policy.series, size), x, y)) {}
        }
    }
}

fn refusals(scenario: &ScenarioReport, policy: &PolicyReport, scales: &Scales) -> Markup {
    let series = &policy.series;
    let one = |values: &[f64]| {
        let (size, values) = thinned(values, POINTS, mean);
        line(&values, step(series, size), scales.x, scales.refused)
    };
    html! {
        (shades(scenario, FRAME, scales.x))
        path.withheld d=(one(&series.withheld)) {}
        path.refused d=(one(&series.refused)) {}
    }
}

// === impl Scales ===

impl Scales {
    fn new(scenario: &ScenarioReport) -> Self {
        let series = || scenario.policies.iter().map(|policy| &policy.series);
        let waits = series()
            .flat_map(|series| &series.wait_ms)
            .flat_map(|line| &line.values);
        let top_wait = powers(waits.copied().flatten().fold(100.0, f64::max));
        let top_wait = top_wait.last().copied().unwrap_or(100.0);
        let refused = series().flat_map(|series| [&series.refused, &series.withheld]);
        let refused = refused
            .flat_map(|values| thinned(values, POINTS, mean).1)
            .flatten();
        let top_refused = refused.fold(1.0, f64::max);
        let top_rate = top_rate(scenario);
        Self {
            x: FRAME.across(scenario.duration_s),
            rate: FRAME.up(top_rate),
            wait: FRAME.up_by_factors(1.0, top_wait),
            level: FRAME.up(1.05),
            refused: FRAME.up(top_refused * 1.05),
            top_rate,
            top_wait,
            top_refused,
        }
    }
}
