//! All policies of a scenario in one picture each: goodput, queuing time, level.

use maud::{Markup, html};

use super::{
    compare::{ink, ranked},
    show,
    svg::{Frame, Scale, area, line, ticks},
};
use crate::{
    judge::Unit,
    policy::Name,
    report::{Line, PolicyReport, ScenarioReport, Series},
};

const FRAME: Frame = Frame {
    width: 800.0,
    height: 440.0,
    left: 84.0,
    right: 12.0,
    top: 14.0,
    bottom: 46.0,
};

/// The most points of a line here.
const POINTS: usize = 120;

/// A chart's words.
struct Words<'a> {
    title: &'a str,
    about: String,
}

pub(super) fn charts(scenario: &ScenarioReport) -> Markup {
    html! {
        @if scenario.policies.iter().any(|policy| !policy.series.good.is_empty()) {
            div.charts {
                (goodput(scenario))
                (wait(scenario))
                (level(scenario))
            }
            (legend(scenario))
        }
    }
}

/// Puts so many neighbours together that at most `points` are left.
pub(super) fn thinned<T: Copy, U>(
    values: &[T],
    points: usize,
    join: impl Fn(&[T]) -> U,
) -> (usize, Vec<U>) {
    let size = values.len().div_ceil(points).max(1);
    (size, values.chunks(size).map(join).collect())
}

/// For rates: neighbours come to their mean.
pub(super) fn mean(values: &[f64]) -> Option<f64> {
    let count = u32::try_from(values.len())
        .ok()
        .filter(|&count| count > 0)?;
    Some(values.iter().sum::<f64>() / f64::from(count))
}

/// For waits: neighbours come to the longest, which must not be lost from sight.
pub(super) fn longest(values: &[Option<f64>]) -> Option<f64> {
    values.iter().copied().flatten().reduce(f64::max)
}

/// For levels: neighbours come to the lowest.
pub(super) fn lowest(values: &[Option<f64>]) -> Option<f64> {
    values.iter().copied().flatten().reduce(f64::min)
}

/// Returns the top of a chart of rates: above the optimum and whatever succeeded. What is offered may go beyond.
pub(super) fn top_rate(scenario: &ScenarioReport) -> f64 {
    let all = scenario.policies.iter().flat_map(|policy| {
        let series = &policy.series;
        let best = thinned(&series.optimum, POINTS, mean).1;
        best.into_iter()
            .chain(thinned(&series.good, POINTS, mean).1)
            .flatten()
    });
    all.fold(0.0, f64::max) * 1.12
}

fn goodput(scenario: &ScenarioReport) -> Markup {
    let Some(first) = scenario.policies.first() else {
        return html! {};
    };
    let top = top_rate(scenario);
    let (x, y) = (FRAME.across(scenario.duration_s), FRAME.up(top));
    let rates = |values: &[f64]| {
        let (size, values) = thinned(values, POINTS, mean);
        (values, step(&first.series, size))
    };
    let (offered, step_s) = rates(&first.series.offered);
    let most = offered.iter().copied().flatten().fold(0.0, f64::max);
    let title = format!("Goodput, {} a second", scenario.counted);
    let words = Words {
        title: &title,
        about: about(scenario, "goodput"),
    };
    chart(
        scenario,
        &words,
        |policy| {
            let (values, step) = rates(&policy.series.good);
            line(&values, step, x, y)
        },
        &html! {
            path.offered d=(area(&offered, step_s, x, y)) { title { "offered, up to " (show::rate(most)) " a second" } }
            (shades(scenario, FRAME, x))
            (grid(&ticks(top, 4), y, show::rate))
            path.optimum d=(line(&rates(&first.series.optimum).0, step_s, x, y)) { title { "optimum" } }
        },
    )
}

fn wait(scenario: &ScenarioReport) -> Markup {
    let series = scenario.policies.iter().map(|policy| &policy.series);
    let all = series
        .flat_map(|series| &series.wait_ms)
        .flat_map(|line| &line.values);
    let most = all.copied().flatten().fold(100.0, f64::max);
    let decades: Vec<f64> = powers(most);
    let y = FRAME.up_by_factors(1.0, decades.last().copied().unwrap_or(most));
    let x = FRAME.across(scenario.duration_s);
    let words = Words {
        title: "Mean queuing time, of the service with the longest",
        about: about(scenario, "mean queuing time"),
    };
    let threshold = y.at(scenario.threshold_ms);
    chart(
        scenario,
        &words,
        |policy| {
            let longest_of_all = point_by_point(&policy.series, &policy.series.wait_ms, f64::max);
            let (size, values) = thinned(&longest_of_all, POINTS, longest);
            line(&values, step(&policy.series, size), x, y)
        },
        &html! {
            (shades(scenario, FRAME, x))
            (grid(&decades, y, show::millis))
            path.threshold d={ "M" (x.at(0.0)) " " (threshold) "H" (x.at(scenario.duration_s)) } {
                title { "threshold, " (show::millis(scenario.threshold_ms)) }
            }
        },
    )
}

fn level(scenario: &ScenarioReport) -> Markup {
    let is_shut = |series: &Series| {
        let levels = series.level.iter().flat_map(|line| &line.values);
        levels.flatten().any(|&level| level < 1.0)
    };
    if !scenario
        .policies
        .iter()
        .any(|policy| is_shut(&policy.series))
    {
        return html! {};
    }
    let (x, y) = (FRAME.across(scenario.duration_s), FRAME.up(1.05));
    let words = Words {
        title: "Level, lowest of the services",
        about: about(scenario, "level"),
    };
    chart(
        scenario,
        &words,
        |policy| {
            let series = &policy.series;
            if !is_shut(series) {
                return String::new();
            }
            let lowest_of_all = point_by_point(series, &series.level, f64::min);
            let (size, values) = thinned(&lowest_of_all, POINTS, lowest);
            line(&values, step(series, size), x, y)
        },
        &html! {
            (shades(scenario, FRAME, x))
            (grid(&[0.25, 0.5, 0.75, 1.0], y, |tick| format!("{tick}")))
        },
    )
}

/// Joins the lines of all services, point by point.
fn point_by_point(series: &Series, lines: &[Line], join: fn(f64, f64) -> f64) -> Vec<Option<f64>> {
    let at = |point: usize| {
        lines
            .iter()
            .filter_map(|line| line.values.get(point).copied().flatten())
            .reduce(join)
    };
    (0..series.good.len()).map(at).collect()
}

fn chart(
    scenario: &ScenarioReport,
    words: &Words<'_>,
    line: impl Fn(&PolicyReport) -> String,
    behind: &Markup,
) -> Markup {
    let x = FRAME.across(scenario.duration_s);
    // The ones that stand out are drawn last, dagor on top.
    let mut policies = scenario.policies.iter().collect::<Vec<_>>();
    let rank = |policy: &&PolicyReport| match ink(scenario, policy.policy) {
        "other" => 0,
        "bare" => 1,
        "best" => 2,
        _ => 3,
    };
    policies.sort_by_key(rank);
    html! {
        figure {
            figcaption { (words.title) }
            svg.chart viewBox=(FRAME.view_box()) role="img" {
                title { (words.title) }
                desc { (words.about) }
                (behind)
                (time(scenario.duration_s, x))
                @for policy in policies {
                    @let path = line(policy);
                    @if !path.is_empty() {
                        path.line.(ink(scenario, policy.policy)) data-policy=(policy.policy) d=(path) {
                            title { (policy.policy) }
                        }
                    }
                }
            }
        }
    }
}

/// Shades the warm-up and the faults.
pub(super) fn shades(scenario: &ScenarioReport, frame: Frame, x: Scale) -> Markup {
    html! {
        @if scenario.warm_up_s > 0.0 { (frame.shade(x, 0.0, scenario.warm_up_s, "warm")) }
        @for fault in &scenario.faults {
            (frame.shade(x, fault.from_s, fault.until_s.unwrap_or(scenario.duration_s), "fault"))
        }
    }
}

fn grid(values: &[f64], y: Scale, show: impl Fn(f64) -> String) -> Markup {
    let across = FRAME.across(1.0);
    html! {
        @for &value in values {
            path.grid d={ "M" (across.at(0.0)) " " (y.at(value)) "H" (across.at(1.0)) } {}
            text.tick x=(across.at(0.0) - 8) y=(y.at(value) + 7) text-anchor="end" { (show(value)) }
        }
    }
}

fn time(seconds: f64, x: Scale) -> Markup {
    let ground = FRAME.up(1.0).at(0.0);
    html! {
        path.axis d={ "M" (x.at(0.0)) " " (ground) "H" (x.at(seconds)) } {}
        text.tick x=(x.at(0.0)) y=(ground + 30) text-anchor="middle" { "0" }
        @for tick in ticks(seconds, 5) {
            text.tick x=(x.at(tick)) y=(ground + 30) text-anchor={ @if tick >= seconds * 0.99 { "end" } @else { "middle" } } {
                (show::seconds(tick))
            }
        }
    }
}

/// Returns 1, 10, 100 and so on, to the first that is not below `most`.
pub(super) fn powers(most: f64) -> Vec<f64> {
    let mut powers = vec![1.0];
    while powers.last().is_some_and(|&last| last < most) && powers.len() < 9 {
        powers.push(powers.last().map_or(1.0, |last| last * 10.0));
    }
    powers
}

/// Returns the seconds from one of the thinned points to the next.
pub(super) fn step(series: &Series, size: usize) -> f64 {
    series.step_s * u32::try_from(size).map_or(f64::INFINITY, f64::from)
}

/// Returns a chart in a sentence, for those who do not see it.
fn about(scenario: &ScenarioReport, of: &str) -> String {
    let policies = ranked(scenario);
    let few = policies.iter().map(|policy| {
        format!(
            "{} {}",
            policy.policy,
            Unit::Share.show(policy.summary.goodput)
        )
    });
    let few: Vec<String> = few.collect();
    format!(
        "Lines of the {of} of each policy over time. Goodput by optimum: {}.",
        few.join(", ")
    )
}

fn legend(scenario: &ScenarioReport) -> Markup {
    let has = |name: &str| {
        let found = scenario
            .policies
            .iter()
            .find(|policy| ink(scenario, policy.policy) == name);
        found.map(|policy| policy.policy)
    };
    let swatch = |class: &str| html! { svg.swatch.(class) viewBox="0 0 36 12" aria-hidden="true" { path.line.(class) d="M2 6H34" {} } };
    html! {
        ul.legend {
            @if has("own").is_some() { li { (swatch("own")) (Name::Dagor) } }
            @if has("bare").is_some() { li { (swatch("bare")) (Name::None) } }
            @if let Some(best) = has("best") { li { (swatch("best")) (best) ", the best of the others" } }
            @if has("other").is_some() { li { (swatch("other")) "others" } }
            li { (swatch("optimum")) "optimum, threshold" }
            li { span.box.offered {} "offered" }
            @if !scenario.faults.is_empty() { li { span.box.fault {} "fault" } }
            @if scenario.warm_up_s > 0.0 { li { span.box.warm {} "warm-up" } }
        }
    }
}
