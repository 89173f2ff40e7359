//! The figures as a picture: one SVG that needs nothing from outside.

mod panel;
mod panels;
mod svg;

use super::{
    connections::{MOST_CALLS, Protocol},
    measure::Report,
    policy::Policy,
};
use svg::{Anchor, Svg, Text};

const WIDTH: f64 = 1120.0;
const MARGIN: f64 = 48.0;

/// Ink for what is to be read first, for what explains it, and for lines that only guide the eye.
const INK: &str = "#1b1f24";
const FAINT: &str = "#6b7480";
const GRID: &str = "#e6e9ed";

/// Returns the chart of everything that was measured.
pub(crate) fn of(report: &Report) -> String {
    let transients = !report.transients.is_empty();
    let height = if transients { 890.0 } else { 540.0 };
    let mut svg = Svg::new(WIDTH, height);
    header(&mut svg, report);
    legend(&mut svg, report);
    panels::goodput(&mut svg, report);
    panels::businesses(&mut svg, report);
    if transients {
        panels::waits(&mut svg, report);
    }
    svg.finish()
}

/// The same colour for a policy everywhere: dagor in blues, the others in greys and browns.
const fn colour(policy: Policy) -> &'static str {
    match policy {
        Policy::None => "#9aa3ad",
        Policy::Tower => "#d9822b",
        Policy::DagorCallee => "#69b1e6",
        Policy::Dagor => "#1552a8",
    }
}

fn header(svg: &mut Svg, report: &Report) {
    let title = Text::new(26.0, INK).bold();
    svg.text(
        (MARGIN, 58.0),
        "One service, asked for more than it can do",
        title,
    );
    let over = match report.protocol {
        Protocol::Http1 => format!("HTTP/1 on {MOST_CALLS} connections"),
        Protocol::Http2 => "HTTP/2 on 4 connections".to_owned(),
    };
    let about = format!(
        "axum on one worker thread, about 1 ms of CPU a call, capacity {:.0} calls/s; open loop, {over}, seed {}",
        report.capacity_rps, report.seed
    );
    svg.text((MARGIN, 84.0), &about, Text::new(14.0, FAINT));
}

fn legend(svg: &mut Svg, report: &Report) {
    let mut x = MARGIN;
    for policy in Policy::ALL {
        if !report.rows.iter().any(|row| row.policy == policy) {
            continue;
        }
        svg.line((x, 114.0), (x + 22.0, 114.0), colour(policy), 3.0);
        svg.circle((x + 11.0, 114.0), 4.5, colour(policy));
        let style = Text::new(14.0, INK).anchored(Anchor::Start);
        svg.text((x + 30.0, 119.0), policy.about(), style);
        // Letters of this size are some 7 wide; fonts differ, so room is left.
        x += 64.0 + 6.8 * policy.about().len() as f64;
    }
}
