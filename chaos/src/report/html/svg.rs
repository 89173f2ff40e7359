//! Lines, areas and axes as SVG, in whole units of half a pixel: as small as a page with hundreds of them needs.

use std::fmt::Write as _;

use maud::{Markup, html};

/// Where a chart's plot lies in its picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// From values to places in the picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    from: f64,
    to: f64,
    low: f64,
    high: f64,
    /// Whether equal steps are equal factors.
    logarithmic: bool,
}

/// A place in the picture.
type Place = (i32, i32);

// === impl Frame ===

impl Frame {
    pub(super) fn view_box(self) -> String {
        format!("0 0 {} {}", self.width, self.height)
    }

    /// Time, from 0 to `seconds`.
    pub(super) fn across(self, seconds: f64) -> Scale {
        let (low, high) = (self.left, self.width - self.right);
        Scale {
            from: 0.0,
            to: seconds,
            low,
            high,
            logarithmic: false,
        }
    }

    /// From 0 to `most` upwards.
    pub(super) fn up(self, most: f64) -> Scale {
        let (low, high) = (self.height - self.bottom, self.top);
        Scale {
            from: 0.0,
            to: most,
            low,
            high,
            logarithmic: false,
        }
    }

    /// From `least` (over 0) to `most` upwards, by factors.
    pub(super) fn up_by_factors(self, least: f64, most: f64) -> Scale {
        Scale {
            from: least,
            logarithmic: true,
            ..self.up(most)
        }
    }

    /// A stretch of time, behind the lines.
    pub(super) fn shade(self, x: Scale, from: f64, until: f64, class: &str) -> Markup {
        let (left, right) = (x.at(from), x.at(until));
        let (top, height) = (unit(self.top), unit(self.height - self.bottom - self.top));
        html! {
            // A moment is seen too.
            rect.(class) x=(left) y=(top) width=((right - left).max(3)) height=(height) {}
        }
    }
}

// === impl Scale ===

impl Scale {
    /// Returns the place of a value; one outside is put on the edge.
    pub(super) fn at(self, value: f64) -> i32 {
        let (from, to, value) = (self.bent(self.from), self.bent(self.to), self.bent(value));
        let share = if to > from {
            ((value - from) / (to - from)).clamp(0.0, 1.0)
        } else {
            0.0
        };
        unit(self.low + (self.high - self.low) * share)
    }

    fn bent(self, value: f64) -> f64 {
        // The least value of a scale by factors is over 0, and what is below is on its edge.
        if self.logarithmic {
            libm::log10(value.max(self.from))
        } else {
            value
        }
    }
}

/// Returns a path through values at even steps in time, in the middle of each; broken where there is none.
pub(super) fn line(values: &[Option<f64>], step: f64, x: Scale, y: Scale) -> String {
    let mut path = String::new();
    let mut run: Vec<Place> = Vec::new();
    let mut at = step / 2.0;
    for value in values {
        if let Some(value) = value {
            run.push((x.at(at), y.at(*value)));
        } else {
            add_run(&mut path, &run);
            run.clear();
        }
        at += step;
    }
    add_run(&mut path, &run);
    path
}

/// Returns a path around what lies below values at even steps.
pub(super) fn area(values: &[Option<f64>], step: f64, x: Scale, y: Scale) -> String {
    let mut path = line(values, step, x, y);
    if let Some(start) = path
        .strip_prefix('M')
        .and_then(|path| path.split(' ').next())
    {
        // Down to the ground, back to where it began, and up.
        let back = format!("V{}H{start}z", y.at(0.0));
        path.push_str(&back);
    }
    path
}

/// Adds places to a path, relative to one another.
fn add_run(path: &mut String, run: &[Place]) {
    let kept = simplified(run);
    let Some(&(mut x, mut y)) = kept.first() else {
        return;
    };
    // Writing into a String does not fail. A point by itself is drawn by the round ends of a line without length.
    let _ = write!(path, "M{x} {y}l");
    if kept.len() == 1 {
        path.push_str("0 0");
    }
    for &(next_x, next_y) in kept.iter().skip(1) {
        add_number(path, next_x - x);
        add_number(path, next_y - y);
        (x, y) = (next_x, next_y);
    }
}

/// Adds a number; a minus separates it from the one before.
fn add_number(path: &mut String, number: i32) {
    if number >= 0 && path.ends_with(|last: char| last.is_ascii_digit()) {
        path.push(' ');
    }
    let _ = write!(path, "{number}");
}

/// Leaves out places that are at most half a pixel above or below the line without them (Ramer, Douglas and Peucker,
/// with the distance measured upright).
fn simplified(run: &[Place]) -> Vec<Place> {
    let mut kept = vec![false; run.len()];
    let mut open = vec![(0, run.len().saturating_sub(1))];
    while let Some((first, last)) = open.pop() {
        if let Some(ends) = kept.get_mut(first..=last) {
            ends[0] = true;
            ends[last - first] = true;
        }
        let farthest = (first + 1..last).max_by(|&one, &two| {
            let distance = |at: usize| distance(run[first], run[last], run[at]);
            distance(one).total_cmp(&distance(two))
        });
        if let Some(at) = farthest
            && distance(run[first], run[last], run[at]) > 1.0
        {
            open.extend([(first, at), (at, last)]);
        }
    }
    run.iter()
        .zip(kept)
        .filter_map(|(&place, kept)| kept.then_some(place))
        .collect()
}

/// Returns how far a place is above or below the line between two.
fn distance(from: Place, to: Place, place: Place) -> f64 {
    let across = f64::from(to.0 - from.0).max(1.0);
    let share = f64::from(place.0 - from.0) / across;
    let line = f64::from(from.1) + f64::from(to.1 - from.1) * share;
    (f64::from(place.1) - line).abs()
}

/// Returns round values from 0 to `most`, about so many, without 0.
pub(super) fn ticks(most: f64, about: u32) -> Vec<f64> {
    if most <= 0.0 || !most.is_finite() {
        return Vec::new();
    }
    let rough = most / f64::from(about);
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    let step = steps
        .into_iter()
        .find(|&step| step >= rough * 0.999)
        .unwrap_or(rough);
    let ticks = (1..=2 * about).map(|tick| f64::from(tick) * step);
    ticks.take_while(|&tick| tick <= most * 1.000_001).collect()
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a place in a picture, which is some hundreds wide"
)]
fn unit(value: f64) -> i32 {
    libm::round(value) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame {
        width: 100.0,
        height: 100.0,
        left: 0.0,
        right: 0.0,
        top: 0.0,
        bottom: 0.0,
    };

    #[test]
    fn a_line_goes_through_its_values_and_breaks_where_there_are_none() {
        let (x, y) = (FRAME.across(5.0), FRAME.up(10.0));
        let values = [Some(0.0), Some(10.0), None, Some(5.0), Some(99.0)];
        assert_eq!(line(&values, 1.0, x, y), "M10 100l20-100M70 50l20-50");
        assert_eq!(line(&[None, Some(5.0)], 1.0, x, y), "M30 50l0 0");
        assert_eq!(line(&[None, None], 1.0, x, y), "");
    }

    #[test]
    fn a_straight_line_has_two_ends() {
        let (x, y) = (FRAME.across(100.0), FRAME.up(10.0));
        assert_eq!(line(&[Some(1.0); 100], 1.0, x, y), "M1 90l99 0");
    }

    #[test]
    fn what_is_not_seen_is_left_out() {
        let (x, y) = (FRAME.across(100.0), FRAME.up(100.0));
        let waves: Vec<Option<f64>> = (0..100)
            .map(|at| Some(if at % 2 == 0 { 50.0 } else { 51.0 }))
            .collect();
        assert_eq!(line(&waves, 1.0, x, y), "M1 50l99-1");
        let mut spike = vec![Some(50.0); 100];
        spike[30] = Some(90.0);
        assert_eq!(line(&spike, 1.0, x, y), "M1 50l29 0 1-40 1 40 68 0");
    }

    #[test]
    fn an_area_goes_down_to_the_ground_and_back() {
        let (x, y) = (FRAME.across(2.0), FRAME.up(10.0));
        assert_eq!(
            area(&[Some(5.0), Some(10.0)], 1.0, x, y),
            "M25 50l50-50V100H25z"
        );
        assert_eq!(area(&[], 1.0, x, y), "");
    }

    #[test]
    fn factors_are_even_steps() {
        let y = FRAME.up_by_factors(1.0, 100.0);
        assert_eq!(
            [0.0, 1.0, 10.0, 100.0, 1e9].map(|value| y.at(value)),
            [100, 100, 50, 0, 0]
        );
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(ticks(862.5, 4), [250.0, 500.0, 750.0]);
        assert_eq!(ticks(60.0, 5), [20.0, 40.0, 60.0]);
        assert_eq!(ticks(1.0, 4), [0.25, 0.5, 0.75, 1.0]);
        assert!(ticks(0.0, 4).is_empty() && ticks(f64::INFINITY, 4).is_empty());
    }
}
