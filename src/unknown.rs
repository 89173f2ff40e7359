//! The place of a request of nobody: one that brings no priority and belongs to no task.

use std::cell::Cell;

use crate::priority::User;

/// Returns a user anywhere in the order, each place the same often.
///
/// If all the unknown stood in one place, a level could only admit all of them or none; spread out, it can
/// cut anywhere among them.
pub(crate) fn spread() -> User {
    thread_local!(static NEXT: Cell<u64> = const { Cell::new(0) });
    // The golden ratio's multiples spread evenly over the whole range.
    let next = NEXT.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
    NEXT.set(next);
    User::from_hash(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_taken_about_the_same_often() {
        let mut counts = [0_u32; User::LEVELS as usize];
        for _ in 0..12_800 {
            counts[usize::from(spread().level())] += 1;
        }
        let (fewest, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
        assert!(*fewest >= 98 && *most <= 102, "{fewest} to {most}");
    }
}
