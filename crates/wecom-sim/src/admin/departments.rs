//! Departments.

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, not_there, told},
    asked::{Asked, next_cursor},
    members::{now_s, tell},
};
use crate::{Sim, callback::directory, profile::Department, world::Corp};

/// `/admin/corps/{id}/departments`
pub(super) fn all(sim: &Sim, corp: &Corp, asked: &Asked) -> Answer {
    match asked.method {
        Method::GET => {
            let part = asked.part()?;
            let page = corp.departments_from(part.from, part.limit);
            told(json!({
                "total": corp.department_count(),
                "departments": page.items,
                "next_cursor": next_cursor(page.next),
            }))
        }
        Method::POST => {
            asked.no_query()?;
            let (department, is_silent) = asked.body(|mut table| {
                let mut is_silent = false;
                table.flag("silent", &mut is_silent);
                (Department::read(table), is_silent)
            })?;
            corp.add_department(&department)?;
            let event = directory::party_created(&department, now_s(sim));
            tell(sim, corp, is_silent, Some(event))?;
            told(department)
        }
        _ => Err(Fault::Method("GET, POST")),
    }
}

/// `/admin/corps/{id}/departments/{number}`
pub(super) fn one(sim: &Sim, corp: &Corp, id: &str, asked: &Asked) -> Answer {
    asked.only(&Method::DELETE, "DELETE")?;
    let is_silent = asked.is_silent()?;
    asked.no_body()?;
    let Ok(number) = id.parse() else {
        return not_there("department", id);
    };
    if !corp.remove_department(number)? {
        return not_there("department", id);
    }
    let event = directory::party_deleted(number, now_s(sim));
    tell(sim, corp, is_silent, Some(event))?;
    Ok(json!({ "removed": number }))
}
