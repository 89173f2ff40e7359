//! The admin interface: JSON over the same listener, under `/admin`.
//!
//! A test breaks, changes and inspects the simulation with it, as somebody outside the app would: a member who is
//! disabled in the console, a code that is edited by hand, a customer who scans. Whatever WeCom would tell the app
//! of, is told with a callback; `"silent": true` in a change of a member or department keeps it quiet.
//!
//! | request | body | does |
//! |---|---|---|
//! | `GET /admin` | | lists these |
//! | `GET /admin/corps?skip=&limit=` | | enterprises, by id |
//! | `POST /admin/corps` | as `[[corp]]` in a profile | adds an enterprise |
//! | `GET /admin/corps/{id}` | | what is known of it |
//! | `PATCH /admin/corps/{id}` | `secret`, `refused_with` | changes its app |
//! | `POST /admin/corps/{id}/tokens/kill` | | kills all of its tokens |
//! | `POST /admin/corps/{id}/tokens/expire` | | makes all of its tokens as old as they get |
//! | `POST /admin/corps/{id}/new-day` | | nobody had a customer today |
//! | `GET /admin/corps/{id}/callback` | | where callbacks go, and what became of them |
//! | `PUT /admin/corps/{id}/callback` | `url`, `token`, `encoding_aes_key`, `verify` (default true) | verifies an address, and sets it |
//! | `DELETE /admin/corps/{id}/callback` | | no callbacks any more |
//! | `POST /admin/corps/{id}/callback/verify` | | asks the address that is set for its `echostr` |
//! | `POST /admin/corps/{id}/events` | `name`, `change_type`, `fields`, `created_s` | sends an event |
//! | `POST /admin/corps/{id}/burst` | `config_id`, `count` | so many scans in one second |
//! | `GET /admin/corps/{id}/members?skip=&limit=` | | members |
//! | `POST /admin/corps/{id}/members` | as `[[corp.member]]`, `silent` | adds a member |
//! | `GET /admin/corps/{id}/members/{userid}` | | a member |
//! | `PATCH /admin/corps/{id}/members/{userid}` | `userid`, `departments`, `flags` or `flag` and `unflag`, `customers_per_day`, `silent` | renames, moves, flags |
//! | `DELETE /admin/corps/{id}/members/{userid}?silent=true` | | removes a member |
//! | `GET /admin/corps/{id}/departments` | | departments |
//! | `POST /admin/corps/{id}/departments` | as `[[corp.department]]`, `silent` | adds a department |
//! | `DELETE /admin/corps/{id}/departments/{number}?silent=true` | | removes a department |
//! | `GET /admin/corps/{id}/codes?skip=&limit=` | | `config_id`s, oldest first |
//! | `POST /admin/corps/{id}/codes` | `codes` (`state`, `users`, `parties`, `created_s`), or `count`, `members_each`, `state` | loads codes without calls |
//! | `GET /admin/corps/{id}/codes/{config_id}` | | a code, and among whom a scan chooses |
//! | `PATCH /admin/corps/{id}/codes/{config_id}` | `users`, `parties` | edits a code from outside |
//! | `DELETE /admin/corps/{id}/codes/{config_id}` | | deletes a code from outside |
//! | `GET /admin/corps/{id}/customers?skip=&limit=` | | who has whom |
//! | `POST /admin/corps/{id}/customers/remove` | `external_userid`, `userid`, `by` (`customer`, `member`, `transfer`) | one leaves the other |
//! | `GET /admin/eligible?corp=&config_id=` | | who is said to be there |
//! | `PUT /admin/eligible` | `corp`, `config_id`, `members` (or `null`: all) | says who is there |
//! | `POST /admin/scans` | `corp`, `config_id`, `count`, `external_userid` | scans a code |
//! | `GET /admin/loads` | | scans that come by themselves |
//! | `POST /admin/loads` | `corp`, `config_ids`, `per_second`, `scans`, `seed` | begins a load |
//! | `DELETE /admin/loads/{number}` | | ends a load |
//! | `GET /admin/settings` | | settings, as the sections of a profile |
//! | `PUT /admin/settings` | any keys of them | changes those, or none if any is wrong |
//! | `GET /admin/truth?corp=` | | what really happened |
//! | `POST /admin/reset` | | begins to count anew |
//!
//! Answers are JSON. A key that is not known, a value out of its range: 400, `{"error": …, "mistakes": […]}` with
//! every mistake by its key. A path that is none, or somebody who is not there: 404. A method that is none: 405 with
//! `Allow`. An address that does not verify: 409. A body of more than
//! 64 MiB: 413. Lists have at most 1,000 elements; `skip` and `limit` (default
//! 100) go on.
//!
//! It is a test tool: it asks nobody for a password. Bind it to this machine alone.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;

use self::{answer::Fault, asked::Asked};
use crate::Sim;

mod answer;
mod asked;
mod callbacks;
mod codes;
mod corps;
mod customers;
mod departments;
mod members;
mod routes;
mod scans;
mod settings;

/// Answers a request whose path begins with `/admin`.
pub async fn handle(sim: &Sim, request: Request<Bytes>) -> Response<Full<Bytes>> {
    let answered = match Asked::new(request) {
        Ok(asked) => routes::answer(sim, &asked).await,
        Err(fault) => Err(fault),
    };
    answer::response(answered)
}

/// Answers a request whose body is longer than [`LONGEST_BODY`].
pub(crate) fn too_long() -> Response<Full<Bytes>> {
    answer::response(Err(Fault::TooLong))
}

/// In bytes: some 100,000 codes, each with its list.
pub(crate) const LONGEST_BODY: usize = 64 * 1024 * 1024;
