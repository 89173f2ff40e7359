//! What kind of code it is, and where it is shown.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::error::Invalid;

/// The longest life of a temporary code and of its chats.
const LONGEST: Duration = Duration::from_secs(14 * 24 * 3600);

/// Marks a code that leads to one member (type 1).
#[derive(Clone, Copy, Debug)]
pub enum Single {}

/// Marks a code that leads to one of several members (type 2).
#[derive(Clone, Copy, Debug)]
pub enum Multi {}

/// Marks a code of which it does not matter to whom it leads.
#[derive(Clone, Copy, Debug)]
pub enum Any {}

/// Where the code is shown. Only in a mini-program it has a style.
///
/// ```compile_fail,E0559
/// use wecom::api::{Scene, SingleStyle};
///
/// let scene = Scene::QrCode { style: Some(SingleStyle::Two) };
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Scene<Style> {
    /// As a button in a mini-program (scene 1).
    MiniProgram {
        /// What the button looks like; if there is none, WeCom decides.
        style: Option<Style>,
    },
    /// As a QR code (scene 2).
    QrCode,
}

/// What the button of a code for one looks like; pictures are in the appendix of document 92228.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SingleStyle {
    /// Style 1.
    One,
    /// Style 2.
    Two,
    /// Style 3.
    Three,
}

/// What the button of a code for many looks like; pictures are in the appendix of document 92228.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum MultiStyle {
    /// Style 1.
    One,
    /// Style 2.
    Two,
}

// === impl Scene ===

impl<Style: Copy + Into<u8>> Scene<Style> {
    /// Returns the number of the scene, and that of the style.
    pub(super) fn numbers(self) -> (u8, Option<u8>) {
        match self {
            Self::MiniProgram { style } => (1, style.map(Into::into)),
            Self::QrCode => (2, None),
        }
    }
}

// === impl SingleStyle ===

impl From<SingleStyle> for u8 {
    fn from(style: SingleStyle) -> Self {
        match style {
            SingleStyle::One => 1,
            SingleStyle::Two => 2,
            SingleStyle::Three => 3,
        }
    }
}

// === impl MultiStyle ===

impl From<MultiStyle> for u8 {
    fn from(style: MultiStyle) -> Self {
        match style {
            MultiStyle::One => 1,
            MultiStyle::Two => 2,
        }
    }
}

/// A time in whole seconds, 1 to 14 days long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Seconds(u64);

// === impl Seconds ===

impl Seconds {
    pub(super) fn new(field: &'static str, time: Duration) -> Result<Self, Invalid> {
        let whole = time.subsec_nanos() == 0;
        if !whole || time.is_zero() || time > LONGEST {
            let what = format_args!("{time:?}");
            return Err(Invalid::new(
                field,
                what,
                "whole seconds, from 1 s to 14 days",
            ));
        }
        Ok(Self(time.as_secs()))
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }
}
