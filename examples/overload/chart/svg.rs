//! Lines, dots and letters.

use std::fmt::{Display, Write};

/// A picture under construction. Points are (x, y) from the upper left corner.
pub(super) struct Svg {
    text: String,
}

pub(super) type Point = (f64, f64);

/// How letters look.
#[derive(Clone, Copy)]
pub(super) struct Text {
    size: f64,
    colour: &'static str,
    weight: u16,
    anchor: Anchor,
}

/// Which part of a text is at its point.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

// === impl Svg ===

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let mut svg = Self {
            text: String::new(),
        };
        svg.push(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" \
             font-family=\"Inter, system-ui, 'Segoe UI', Helvetica, Arial, sans-serif\">"
        ));
        svg.rect((0.0, 0.0), (width, height), "#ffffff");
        svg
    }

    pub(super) fn rect(&mut self, (x, y): Point, (width, height): Point, fill: &str) {
        self.push(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"/>"
        ));
    }

    pub(super) fn line(&mut self, from: Point, to: Point, colour: &str, width: f64) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\" stroke-linecap=\"round\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    pub(super) fn dashes(&mut self, from: Point, to: Point, colour: &str) {
        self.push(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" \
             stroke-width=\"1.2\" stroke-dasharray=\"5 4\"/>",
            from.0, from.1, to.0, to.1
        ));
    }

    /// Joins points by straight lines.
    pub(super) fn curve(&mut self, points: &[Point], colour: &str, width: f64) {
        let points: Vec<_> = points
            .iter()
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        self.push(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
            points.join(" ")
        ));
    }

    /// A dot with a white rim, so that it stands out where lines cross.
    pub(super) fn circle(&mut self, (x, y): Point, radius: f64, colour: &str) {
        self.push(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\" stroke=\"#ffffff\" \
             stroke-width=\"1.5\"/>"
        ));
    }

    /// Writes a text, which must not hold any of the letters that XML keeps to itself.
    pub(super) fn text(&mut self, (x, y): Point, text: &str, style: Text) {
        let Text {
            size,
            colour,
            weight,
            anchor,
        } = style;
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.push(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" font-weight=\"{weight}\" \
             fill=\"{colour}\" text-anchor=\"{anchor}\">{text}</text>"
        ));
    }

    pub(super) fn finish(mut self) -> String {
        self.push("</svg>");
        self.text
    }

    fn push(&mut self, element: impl Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{element}");
    }
}

// === impl Text ===

impl Text {
    pub(super) const fn new(size: f64, colour: &'static str) -> Self {
        Self {
            size,
            colour,
            weight: 400,
            anchor: Anchor::Start,
        }
    }

    pub(super) const fn bold(mut self) -> Self {
        self.weight = 600;
        self
    }

    pub(super) const fn anchored(mut self, anchor: Anchor) -> Self {
        self.anchor = anchor;
        self
    }
}
