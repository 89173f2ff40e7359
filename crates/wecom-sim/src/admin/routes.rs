//! Which request is whose.

use std::sync::Arc;

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, not_there},
    asked::Asked,
    callbacks, codes, corps, customers, departments, members, scans, settings,
};
use crate::{Sim, world::Corp};

/// Answers a request.
pub(super) async fn answer(sim: &Sim, asked: &Asked) -> Answer {
    let path: Vec<&str> = asked.path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [] => index(asked),
        ["corps"] => corps::all(sim, asked),
        ["corps", id, rest @ ..] => match sim.world().corp(id) {
            Some(corp) => of_corp(sim, &corp, rest, asked).await,
            None => not_there("enterprise", id),
        },
        ["eligible"] => scans::eligible(sim, asked),
        ["scans"] => scans::scan(sim, asked).await,
        ["loads"] => scans::loads(sim, asked),
        ["loads", id] => scans::load(sim, id, asked),
        ["settings"] => settings::settings(sim, asked),
        ["truth"] => settings::truth(sim, asked),
        ["reset"] => settings::reset(sim, asked),
        other => no_path(other),
    }
}

async fn of_corp(sim: &Sim, corp: &Arc<Corp>, path: &[&str], asked: &Asked) -> Answer {
    match path {
        [] => corps::one(sim, corp, asked),
        ["tokens", how] => corps::tokens(corp, how, asked),
        ["new-day"] => corps::new_day(sim, corp, asked),
        ["callback"] => callbacks::callback(sim, corp, asked).await,
        ["callback", "verify"] => callbacks::verify(sim, corp, asked).await,
        ["events"] => callbacks::event(sim, corp, asked),
        ["burst"] => scans::burst(sim, corp, asked).await,
        ["members"] => members::all(sim, corp, asked),
        ["members", userid] => members::one(sim, corp, userid, asked),
        ["departments"] => departments::all(sim, corp, asked),
        ["departments", id] => departments::one(sim, corp, id, asked),
        ["codes"] => codes::all(corp, asked).await,
        ["codes", config_id] => codes::one(corp, config_id, asked).await,
        ["customers"] => customers::all(corp, asked),
        ["customers", "remove"] => customers::remove(sim, corp, asked),
        other => no_path(other),
    }
}

fn index(asked: &Asked) -> Answer {
    asked.only(&Method::GET, "GET")?;
    let about = "the admin interface of a simulated WeCom";
    Ok(json!({ "about": about, "requests": REQUESTS }))
}

fn no_path(path: &[&str]) -> Answer {
    let path = path.join("/");
    let told = format!("there is no {path:?} here; GET /admin lists what there is");
    Err(Fault::NotThere(told))
}

// === impl Asked ===

impl Asked {
    /// Says that another method is none here.
    pub(super) fn only(&self, method: &Method, allow: &'static str) -> Result<(), Fault> {
        match self.method == *method {
            true => Ok(()),
            false => Err(Fault::Method(allow)),
        }
    }
}

/// As in the table of the module.
pub(super) const REQUESTS: &[&str] = &[
    "GET /admin",
    "GET /admin/corps?cursor=&limit=",
    "POST /admin/corps",
    "GET /admin/corps/{id}",
    "PATCH /admin/corps/{id}",
    "POST /admin/corps/{id}/tokens/kill",
    "POST /admin/corps/{id}/tokens/expire",
    "POST /admin/corps/{id}/new-day",
    "GET /admin/corps/{id}/callback",
    "PUT /admin/corps/{id}/callback",
    "DELETE /admin/corps/{id}/callback",
    "POST /admin/corps/{id}/callback/verify",
    "POST /admin/corps/{id}/events",
    "POST /admin/corps/{id}/burst",
    "GET /admin/corps/{id}/members?cursor=&limit=",
    "POST /admin/corps/{id}/members",
    "GET /admin/corps/{id}/members/{userid}",
    "PATCH /admin/corps/{id}/members/{userid}",
    "DELETE /admin/corps/{id}/members/{userid}?silent=true",
    "GET /admin/corps/{id}/departments?cursor=&limit=",
    "POST /admin/corps/{id}/departments",
    "DELETE /admin/corps/{id}/departments/{number}?silent=true",
    "GET /admin/corps/{id}/codes?cursor=&limit=",
    "POST /admin/corps/{id}/codes",
    "GET /admin/corps/{id}/codes/{config_id}",
    "PATCH /admin/corps/{id}/codes/{config_id}",
    "DELETE /admin/corps/{id}/codes/{config_id}",
    "GET /admin/corps/{id}/customers?cursor=&limit=",
    "POST /admin/corps/{id}/customers/remove",
    "GET /admin/eligible?corp=&config_id=&cursor=&limit=",
    "PUT /admin/eligible",
    "POST /admin/scans",
    "GET /admin/loads",
    "POST /admin/loads",
    "DELETE /admin/loads/{number}",
    "GET /admin/settings",
    "PUT /admin/settings",
    "GET /admin/truth?corp=",
    "POST /admin/reset",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_table_of_the_module() {
        let table = include_str!("mod.rs").lines().filter_map(|line| {
            let row = line.strip_prefix("//! | `")?;
            let (request, _) = row.split_once('`')?;
            // Other tables have keys, this one has a method and a path.
            request.contains(" /").then_some(request)
        });
        assert_eq!(table.collect::<Vec<_>>(), REQUESTS);
    }
}
