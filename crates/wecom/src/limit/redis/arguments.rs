//! The numbers that the scripts want, in their order and by their names.

use std::time::Duration;

use crate::{
    limit::{
        Sign,
        book::End,
        brake, cap,
        plan::{Micros, Plan, micros},
    },
    rank::Rank,
};

/// Returns what `acquire.lua` takes from its fourth argument on.
pub(super) fn acquire(plan: &Plan, rank: Rank, waited: Duration, poll: Duration) -> [Micros; 15] {
    [
        micros(plan.limits.lease),
        u64::from(plan.limits.concurrency),
        plan.credit_of(rank),
        plan.span,
        plan.calls,
        plan.step,
        plan.minute,
        plan.hour_calls_of(rank),
        micros(plan.limits.hour.length()),
        plan.long,
        plan.slot,
        plan.memory(),
        u64::from(rank.get()),
        micros(waited),
        micros(poll),
    ]
}

/// Returns the name of an end in `settle.lua`, and the numbers that it needs then.
pub(super) fn settle(plan: &Plan, end: End) -> (&'static str, Vec<(&'static str, u64)>) {
    let limits = &plan.limits;
    let ending = match end {
        End::Sent(Sign::Lost) => return ("lost", Vec::new()),
        End::Sent(Sign::Served | Sign::Conflict) => {
            let concurrency = u64::from(limits.concurrency);
            let successes = u64::from(limits.successes);
            let numbers = vec![
                ("concurrency", concurrency),
                ("successes", successes),
                ("most_cap_relapses", u64::from(cap::MOST_RELAPSES)),
            ];
            return ("served", numbers);
        }
        End::Unused => {
            let numbers = vec![
                ("lease", micros(limits.lease)),
                ("cost", plan.cost(plan.calls)),
                ("long", plan.long),
            ];
            return ("unused", numbers);
        }
        End::Sent(Sign::Frequency) => "frequency",
        End::Sent(Sign::Concurrency) => "concurrency",
        End::Sent(Sign::Abnormal) => "abnormal",
    };
    (ending, refusal(plan))
}

/// A refusal needs nearly all numbers, to know how long to remember; it is rare.
fn refusal(plan: &Plan) -> Vec<(&'static str, u64)> {
    let limits = &plan.limits;
    vec![
        ("concurrency", u64::from(limits.concurrency)),
        ("most_cap_relapses", u64::from(cap::MOST_RELAPSES)),
        ("pause", micros(limits.pause)),
        ("calls", plan.calls),
        ("minute", plan.minute),
        ("grid", plan.slot),
        ("step", plan.step),
        ("floor", plan.floor),
        ("keep_percent", u64::from(limits.keep_percent)),
        ("block", micros(limits.block)),
        ("repeated_block", micros(limits.repeated_block)),
        ("within", micros(limits.repeated_within)),
        ("hold", micros(limits.hold)),
        ("longest_hold", micros(limits.longest_hold)),
        ("most_relapses", u64::from(brake::MOST_RELAPSES)),
        ("abnormal_block", micros(limits.abnormal_block)),
        (
            "longest_abnormal_block",
            micros(limits.longest_abnormal_block),
        ),
        ("memory", plan.memory()),
    ]
}
