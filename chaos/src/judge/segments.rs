//! Cutting a window where something changes.
//!
//! Over a stretch in which the load and the capacity stay the same, what comes is held against what can be done
//! as a whole: chance crowds one moment and leaves the next idle, and a short queue evens that out. Where they
//! change, the comparison is made bin by bin.

use std::{collections::BTreeSet, ops::Range, time::Duration};

use super::window::{begin_of, bin_of};
use crate::{
    measure::BIN,
    scenario::{Load, Shape},
};

/// Where something changes in a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Segments {
    /// Bins at whose beginning something changes.
    starts: BTreeSet<usize>,
    /// Bins that stand alone: something changes within them.
    alone: Vec<Range<usize>>,
}

impl Segments {
    /// Of these loads, with changes of something else besides.
    pub(super) fn new(loads: &[Load], others: impl Iterator<Item = Duration>) -> Self {
        let mut segments = Self::default();
        others.for_each(|at| segments.cut(at));
        for load in loads {
            segments.cut(load.from);
            segments.cut(load.until);
            segments.cut_shape(load);
        }
        segments.alone.sort_by_key(|bins| (bins.start, bins.end));
        segments
    }

    /// Returns the bins in stretches over which nothing changes.
    pub(super) fn of(&self, bins: Range<usize>) -> Vec<Range<usize>> {
        let mut alone = vec![false; bins.len()];
        for stretch in &self.alone {
            let (from, until) = (stretch.start.max(bins.start), stretch.end.min(bins.end));
            if from < until {
                alone[from - bins.start..until - bins.start].fill(true);
            }
        }
        let mut segments: Vec<Range<usize>> = Vec::new();
        for (bin, &is_alone) in bins.clone().zip(&alone) {
            let after_alone = bin > bins.start && alone[bin - bins.start - 1];
            match segments.last_mut() {
                Some(last) if !is_alone && !after_alone && !self.starts.contains(&bin) => {
                    last.end = bin + 1;
                }
                _ => segments.push(bin..bin + 1),
            }
        }
        segments
    }

    /// Something changes at once.
    fn cut(&mut self, at: Duration) {
        let bin = bin_of(at);
        if begin_of(bin) == at {
            self.starts.insert(bin);
        } else if bin < usize::MAX {
            self.alone.push(bin..bin + 1);
        }
    }

    /// Something changes all the time.
    fn vary(&mut self, from: Duration, until: Duration) {
        let end = until.saturating_add(BIN.saturating_sub(Duration::from_nanos(1)));
        self.alone.push(bin_of(from)..bin_of(end));
    }

    fn cut_shape(&mut self, load: &Load) {
        let (from, until) = (load.from, load.until);
        let after = |span: Duration| from.saturating_add(span).min(until);
        match &load.shape {
            Shape::Steady => {}
            Shape::Step { at, .. } => self.cut(after(*at)),
            Shape::Ramp { .. } | Shape::Sinusoid { .. } => self.vary(from, until),
            Shape::Bursts { length, every, .. } => {
                for begin in repeat(from, until, *every) {
                    self.cut(begin);
                    self.cut(begin.saturating_add(*length).min(until));
                }
            }
            Shape::FlashCrowd {
                at,
                rise,
                hold,
                fall,
                ..
            } => {
                let (risen, falls) = (*at + *rise, *at + *rise + *hold);
                self.cut(after(*at));
                self.vary(after(*at), after(risen));
                self.cut(after(falls));
                self.vary(after(falls), after(falls + *fall));
            }
            Shape::Replay { bin, .. } => {
                repeat(from, until, *bin).for_each(|begin| self.cut(begin));
            }
        }
    }
}

fn repeat(from: Duration, until: Duration, every: Duration) -> impl Iterator<Item = Duration> {
    let next = move |at: &Duration| at.checked_add(every).filter(|_| !every.is_zero());
    std::iter::successors(Some(from), next).take_while(move |&at| at < until)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn load(shape: Shape) -> Load {
        Load {
            business: None,
            from: Duration::ZERO,
            until: 10 * SECOND,
            rate: 100.0,
            shape,
        }
    }

    fn segments(shape: Shape, bins: Range<usize>) -> Vec<Range<usize>> {
        Segments::new(&[load(shape)], std::iter::empty()).of(bins)
    }

    #[track_caller]
    fn assert_whole(segments: &[Range<usize>], bins: &Range<usize>) {
        assert!(matches!(segments, [only] if only == bins), "{segments:?}");
    }

    #[test]
    fn a_steady_load_is_one_segment() {
        assert_whole(&segments(Shape::Steady, 10..100), &(10..100));
        assert!(segments(Shape::Steady, 10..10).is_empty());
        assert_eq!(
            segments(Shape::Steady, 90..120),
            [90..100, 100..120],
            "until it ends"
        );
    }

    #[test]
    fn a_step_cuts_once() {
        let step = |millis| Shape::Step {
            at: Duration::from_millis(millis),
            factor: 10.0,
        };
        assert_eq!(segments(step(5_000), 0..100), [0..50, 50..100]);
        assert_eq!(segments(step(5_050), 0..100), [0..50, 50..51, 51..100]);
        // After its end.
        assert_whole(&segments(step(50_000), 0..100), &(0..100));
    }

    #[test]
    fn what_varies_is_cut_in_bins() {
        let wave = Shape::Sinusoid {
            amplitude: 0.5,
            period: SECOND,
        };
        assert_eq!(segments(wave, 0..100).len(), 100);
        let crowd = Shape::FlashCrowd {
            at: SECOND,
            factor: 10.0,
            rise: Duration::from_millis(250),
            hold: SECOND,
            fall: Duration::ZERO,
        };
        assert_eq!(
            segments(crowd, 0..50),
            [0..10, 10..11, 11..12, 12..13, 13..22, 22..23, 23..50],
        );
    }

    #[test]
    fn bursts_and_counts_cut_at_their_edges() {
        let length = Duration::from_millis(200);
        let bursts = Shape::Bursts {
            factor: 5.0,
            length,
            every: SECOND,
        };
        assert_eq!(
            segments(bursts, 0..24),
            [0..2, 2..10, 10..12, 12..20, 20..22, 22..24]
        );
        let replay = Shape::Replay {
            bin: SECOND,
            counts: vec![1.0; 10],
        };
        assert_eq!(segments(replay, 0..25), [0..10, 10..20, 20..25]);
    }

    #[test]
    fn other_changes_cut_too() {
        let changes = [3 * SECOND, Duration::MAX].into_iter();
        let segments = Segments::new(&[load(Shape::Steady)], changes);
        assert_eq!(segments.of(0..60), [0..30, 30..60]);
    }

    #[test]
    fn every_bin_is_in_one_segment() {
        let shape = Shape::Bursts {
            factor: 2.0,
            length: SECOND / 3,
            every: SECOND / 7 * 5,
        };
        let segments = segments(shape, 3..97);
        assert_eq!(segments.first().unwrap().start, 3);
        assert_eq!(segments.last().unwrap().end, 97);
        assert!(
            segments.windows(2).all(|two| two[0].end == two[1].start),
            "{segments:?}"
        );
    }
}
