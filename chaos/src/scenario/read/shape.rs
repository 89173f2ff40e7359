//! How a load changes with time.

use std::time::Duration;

use super::Context;
use crate::scenario::{
    Shape, files,
    key::{Key, Range},
    keys::load as keys,
    section::Section,
};

/// Reads the shape of a load that is `length` long, if that is known.
pub(super) fn read(
    section: &Section<'_>,
    length: Option<Duration>,
    context: &Context<'_>,
) -> Option<Shape> {
    match section.switch()? {
        "step" => step(section, length),
        "ramp" => Some(Shape::Ramp {
            factor: factor(section)?,
        }),
        "sinusoid" => {
            let (amplitude, period) = (
                section.number(&keys::AMPLITUDE),
                section.seconds(&keys::PERIOD),
            );
            Some(Shape::Sinusoid {
                amplitude: amplitude?,
                period: period?,
            })
        }
        "bursts" => bursts(section),
        "flash-crowd" => flash_crowd(section, length),
        "replay" => replay(section, context),
        _ => Some(Shape::Steady),
    }
}

/// Returns how many tasks come on the average and at most, as factors of the rate, of a load that is `length` long;
/// for a replay they are tasks a second.
pub(super) fn bounds(shape: &Shape, length: Duration) -> (f64, f64) {
    match shape {
        Shape::Steady => (1.0, 1.0),
        Shape::Sinusoid { amplitude, .. } => (1.0 + amplitude, 1.0 + amplitude),
        Shape::Step { factor, .. }
        | Shape::Ramp { factor }
        | Shape::Bursts { factor, .. }
        | Shape::FlashCrowd { factor, .. } => (factor.max(1.0), factor.max(1.0)),
        Shape::Replay { bin, counts } => {
            let most = counts.iter().copied().fold(0.0, f64::max);
            let all: f64 = counts.iter().sum();
            (all / length.as_secs_f64(), most / bin.as_secs_f64())
        }
    }
}

fn step(section: &Section<'_>, length: Option<Duration>) -> Option<Shape> {
    let (at, factor) = (at(section, length), factor(section));
    Some(Shape::Step {
        at: at?,
        factor: factor?,
    })
}

fn bursts(section: &Section<'_>) -> Option<Shape> {
    let factor = factor(section);
    let (length, every) = (
        section.seconds(&keys::LENGTH_OF_BURST),
        section.seconds(&keys::EVERY),
    );
    let (length, every) = (length?, every?);
    if length >= every {
        let allowed = format!("less than every_s ({})", every.as_secs_f64());
        section.wrong(&keys::LENGTH_OF_BURST, allowed);
    }
    Some(Shape::Bursts {
        factor: factor?,
        length,
        every,
    })
}

fn flash_crowd(section: &Section<'_>, length: Option<Duration>) -> Option<Shape> {
    let (at, factor) = (at(section, length), factor(section));
    let (rise, hold) = (section.seconds(&keys::RISE), section.seconds(&keys::HOLD));
    let fall = section.seconds(&keys::FALL);
    Some(Shape::FlashCrowd {
        at: at?,
        factor: factor?,
        rise: rise?,
        hold: hold?,
        fall: fall?,
    })
}

fn replay(section: &Section<'_>, context: &Context<'_>) -> Option<Shape> {
    let (folder, mistakes) = (context.folder, context.mistakes);
    let counts = files::numbers(section, &keys::FILE, folder, COUNTS, mistakes);
    let bin = section.seconds(&keys::BIN);
    Some(Shape::Replay {
        bin: bin?,
        counts: counts?,
    })
}

fn factor(section: &Section<'_>) -> Option<f64> {
    require(section, &keys::FACTOR);
    section.number(&keys::FACTOR)
}

/// Puts it down if a key is missing that is required for some words of the switch only.
pub(super) fn require(section: &Section<'_>, key: &Key) {
    if section.given(key).is_none() {
        section.missing(key, key.takes.to_string());
    }
}

/// What happens after the load has ended does not happen.
fn at(section: &Section<'_>, length: Option<Duration>) -> Option<Duration> {
    let at = section.seconds(&keys::AT)?;
    if let Some(length) = length.filter(|length| at >= *length) {
        let allowed = format!(
            "less than the {} s that the load lasts: at_s counts from from_s",
            length.as_secs_f64()
        );
        section.wrong(&keys::AT, allowed);
    }
    Some(at)
}

/// The rows of a file of counts.
const COUNTS: Range = Range::new(0.0, 1e9);
