//! Customers who scan.

use std::{collections::HashSet, ops::Bound};

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, not_there, told},
    asked::{Asked, MOST_LISTED, next_cursor},
    customers::CUSTOMER,
    members::now_s,
};
use crate::{
    Sim,
    given::Wanted,
    profile::names::{CORP_ID, USERID},
    scan::{Load, Scan},
    world::Corp,
};

/// `/admin/eligible`
pub(super) fn eligible(sim: &Sim, asked: &Asked) -> Answer {
    let scanner = sim.parts().scanner();
    match asked.method {
        Method::GET => {
            let part = asked.part_by_id(&["corp", "config_id"])?;
            let Some(corp) = asked.query_text("corp") else {
                return Err(Fault::Mistake(String::from("corp: it is missing")));
            };
            let all = scanner.list_of_eligible(corp, asked.query_text("config_id"))?;
            let after = part.from.map_or(Bound::Unbounded, Bound::Excluded);
            let those = all
                .iter()
                .flat_map(|all| all.range::<str, _>((after, Bound::Unbounded)));
            // One more, to know whether there is one.
            let those: Vec<&String> = those.take(part.limit + 1).collect();
            let members = &those[..those.len().min(part.limit)];
            let next = members.last().filter(|_| those.len() > part.limit);
            Ok(json!({
                "corp": corp,
                "total": all.as_ref().map(|all| all.len()),
                "members": all.is_some().then_some(members),
                "next_cursor": next_cursor(next),
            }))
        }
        Method::PUT => {
            asked.no_query()?;
            let (corp, code, members) = asked.body(|mut table| {
                let mut corp = String::new();
                let (mut code, mut members) = (None, None);
                table.needed("corp", CORP_ID, &mut corp);
                table.maybe_text("config_id", CODE, &mut code);
                if !table.has("members") {
                    table.missing("members", "a list of userids, or null for all");
                }
                table.maybe_texts("members", USERID, &mut members);
                table.end();
                (corp, code, members)
            })?;
            let members: Option<HashSet<String>> = members.map(HashSet::from_iter);
            let count = members.as_ref().map(HashSet::len);
            scanner.set_eligible(&corp, code.as_deref(), members)?;
            Ok(json!({ "corp": corp, "members": count }))
        }
        _ => Err(Fault::Method("GET, PUT")),
    }
}

/// `/admin/scans`
pub(super) async fn scan(sim: &Sim, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    let (corp, code, customer, count) = asked.body(|mut table| {
        let (mut corp, mut code) = (String::new(), String::new());
        let mut customer = None;
        let mut count = 1;
        table.needed("corp", CORP_ID, &mut corp);
        table.needed("config_id", CODE, &mut code);
        table.maybe_text("external_userid", CUSTOMER, &mut customer);
        table.whole("count", 1..=MOST_SCANS, &mut count);
        table.end();
        (corp, code, customer, count)
    })?;
    let scan = Scan {
        corp: &corp,
        config_id: &code,
        external_userid: customer.as_deref(),
        at_s: None,
    };
    several(sim, scan, count).await
}

/// `/admin/corps/{id}/burst`
pub(super) async fn burst(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    let (code, count) = asked.body(|mut table| {
        let mut code = String::new();
        table.needed("config_id", CODE, &mut code);
        let count = table.needed_whole("count", 1..=MOST_SCANS);
        table.end();
        (code, count.unwrap_or_default())
    })?;
    let scan = Scan {
        corp: corp.id(),
        config_id: &code,
        external_userid: None,
        at_s: Some(now_s(sim)),
    };
    several(sim, scan, count).await
}

/// `/admin/loads`
pub(super) fn loads(sim: &Sim, asked: &Asked) -> Answer {
    asked.no_query()?;
    let scanner = sim.parts().scanner();
    match asked.method {
        Method::GET => told(json!({ "loads": scanner.loads() })),
        Method::POST => {
            let seed = sim.world().seed();
            let mut load = asked.body(|mut table| {
                let mut load = Load {
                    corp: String::new(),
                    config_ids: Vec::new(),
                    per_second: 1.0,
                    scans: None,
                    seed,
                };
                table.needed("corp", CORP_ID, &mut load.corp);
                table.texts("config_ids", CODE, &mut load.config_ids);
                if let Some(rate) = table.needed_number("per_second", 0.001..=100_000.0) {
                    load.per_second = rate;
                }
                table.maybe_whole("scans", 1..=u64::MAX, &mut load.scans);
                table.whole("seed", 0..=u64::MAX, &mut load.seed);
                table.end();
                load
            })?;
            if load.config_ids.is_empty()
                && let Some(corp) = sim.world().corp(&load.corp)
            {
                load.config_ids = corp.config_ids_from(0, MOST_CODES).items;
            }
            Ok(json!({ "id": scanner.start(load)? }))
        }
        _ => Err(Fault::Method("GET, POST")),
    }
}

/// `/admin/loads/{number}`
pub(super) fn load(sim: &Sim, id: &str, asked: &Asked) -> Answer {
    asked.only(&Method::DELETE, "DELETE")?;
    asked.no_query()?;
    asked.no_body()?;
    match id.parse().is_ok_and(|id| sim.parts().scanner().stop(id)) {
        true => Ok(json!({ "stopped": id })),
        false => not_there("load", id),
    }
}

/// Scans so many times; returns the first scans, and how many there were.
async fn several(sim: &Sim, scan: Scan<'_>, count: u32) -> Answer {
    let scanner = sim.parts().scanner();
    let mut first = Vec::new();
    for _ in 0..count {
        let scanned = scanner.scan_in_turn(scan).await?;
        if first.len() < MOST_LISTED {
            first.push(scanned);
        }
    }
    told(json!({ "scans": first, "total": count }))
}

/// A `config_id`; whether there is one is another question.
const CODE: Wanted = Wanted::open("1 to 128 characters of ASCII that can be seen", |text| {
    (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
});

const MOST_SCANS: u32 = 100_000;

/// As many as a load can hold without thought.
const MOST_CODES: usize = 1_000_000;
