//! One diagram: a frame, two scales, and curves in it.

use super::{
    FAINT, GRID, INK,
    svg::{Anchor, Point, Svg, Text},
};

/// Where a diagram is and what its axes mean.
pub(super) struct Panel {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

/// Turns a value into a share of the axis.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) logarithmic: bool,
}

impl Panel {
    /// Draws the heading above the diagram.
    pub(super) fn heading(&self, svg: &mut Svg, title: &str, about: &str) {
        svg.text(
            (self.left, self.top - 36.0),
            title,
            Text::new(17.0, INK).bold(),
        );
        svg.text((self.left, self.top - 16.0), about, Text::new(13.0, FAINT));
    }

    /// Draws a line across at each of these values of y.
    pub(super) fn rows(&self, svg: &mut Svg, marks: &[(f64, &str)]) {
        for (value, label) in marks {
            let (right, y) = self.at(self.x.high, *value);
            svg.line((self.left, y), (right, y), GRID, 1.0);
            let style = Text::new(12.5, FAINT).anchored(Anchor::End);
            svg.text((self.left - 9.0, y + 4.0), label, style);
        }
    }

    /// Writes these values of x below the diagram, and what they are below them.
    pub(super) fn columns(&self, svg: &mut Svg, marks: &[(f64, String)], what: &str) {
        let foot = self.top + self.height;
        for (value, label) in marks {
            let (x, _) = self.at(*value, self.y.low);
            let style = Text::new(12.5, FAINT).anchored(Anchor::Middle);
            svg.text((x, foot + 20.0), label, style);
        }
        let style = Text::new(12.5, FAINT).anchored(Anchor::Middle);
        svg.text((self.left + self.width / 2.0, foot + 40.0), what, style);
    }

    /// Returns where a pair of values is, at the edge if it is outside.
    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        (
            self.left + self.x.share(x) * self.width,
            self.top + (1.0 - self.y.share(y)) * self.height,
        )
    }
}

impl Scale {
    pub(super) const fn linear(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            logarithmic: false,
        }
    }

    pub(super) const fn logarithmic(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            logarithmic: true,
        }
    }

    fn share(self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}
