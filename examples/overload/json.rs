//! The figures as data.

use serde_json::{Value, json};

use super::{
    connections::Protocol,
    measure::Report,
    policy::Policy,
    row::{Row, ms},
    transient::{PHASES, SETTLED, Transient},
};

/// Returns everything that was measured. Ratios are 0 to 1, absent figures null.
pub(crate) fn of(report: &Report) -> Value {
    json!({
        "capacity_rps": report.capacity_rps,
        "capacity_after_rps": report.capacity_after_rps,
        "seed": report.seed,
        "protocol": match report.protocol {
            Protocol::Http1 => "http/1.1",
            Protocol::Http2 => "h2",
        },
        "rows": report.rows.iter().map(row).collect::<Vec<_>>(),
        "step": report.transient(Policy::Dagor).map(step),
        "drop": report.transient(Policy::Dagor).map(drop),
        "step_without": report.transient(Policy::None).map(step),
        "notes": report.notes,
    })
}

fn row(row: &Row) -> Value {
    json!({
        "policy": row.policy.name(),
        "load": row.load,
        "calls_per_task": row.calls_per_task,
        "goodput_ratio": row.goodput_ratio,
        "p50_ms": row.p50_ms,
        "p99_ms": row.p99_ms,
        "wait_before_ms": row.before_ms,
        "wait_inside_ms": row.inside_ms,
        "wait_ms": row.wait_ms(),
        "tasks": row.tasks,
        "tasks_in_time": row.tasks_in_time,
        "served": row.served,
        "shed": row.shed,
        "withheld": row.withheld,
        "unsent": row.unsent,
        "failed": row.failed,
        "at_caller": row.at_caller(),
        "by_business": row.by_business,
        "top_fifth": row.top_fifth,
        "generator_lag_ms": row.lag_ms,
    })
}

fn step(transient: &Transient) -> Value {
    let bins = transient.bins.iter().map(|bin| {
        json!({
            "at_s": bin.at_s,
            "wait_ms": bin.wait_ms,
            "served": bin.served,
            "shed": bin.shed,
            "withheld": bin.withheld,
            "unsent": bin.unsent,
        })
    });
    json!({
        "policy": transient.policy.name(),
        "from": PHASES[0].load,
        "to": PHASES[1].load,
        "settled_below_ms": ms(SETTLED),
        "settled_s": transient.settled_s,
        "worst_ms": transient.worst_ms,
        "bins": bins.collect::<Vec<_>>(),
    })
}

fn drop(transient: &Transient) -> Value {
    json!({
        "from": PHASES[1].load,
        "to": PHASES[2].load,
        "last_refusal_s": transient.last_refusal_s,
        "refused_after_3_s": transient.refused_late,
    })
}
