//! The admin interface: JSON over the same listener, under `/admin`.
//!
//! A test breaks, changes and inspects the simulation with it, as somebody outside the app would: a member who is
//! disabled in the console, a code that is edited by hand, a customer who scans. Whatever WeCom would tell the app
//! of, is told with a callback; `"silent": true` in a change of a member or department keeps it quiet.
//!
//! | request | body | does |
//! |---|---|---|
//! | `GET /admin` | | lists these |
//! | `GET /admin/corps?cursor=&limit=` | | enterprises, by id |
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
//! | `GET /admin/corps/{id}/members?cursor=&limit=` | | members |
//! | `POST /admin/corps/{id}/members` | as `[[corp.member]]`, `silent` | adds a member |
//! | `GET /admin/corps/{id}/members/{userid}` | | a member |
//! | `PATCH /admin/corps/{id}/members/{userid}` | `userid`, `departments`, `flags` or `flag` and `unflag`, `customers_per_day`, `silent` | renames, moves, flags |
//! | `DELETE /admin/corps/{id}/members/{userid}?silent=true` | | removes a member |
//! | `GET /admin/corps/{id}/departments?cursor=&limit=` | | departments |
//! | `POST /admin/corps/{id}/departments` | as `[[corp.department]]`, `silent` | adds a department |
//! | `DELETE /admin/corps/{id}/departments/{number}?silent=true` | | removes a department |
//! | `GET /admin/corps/{id}/codes?cursor=&limit=` | | `config_id`s, oldest first |
//! | `POST /admin/corps/{id}/codes` | `codes` (`state`, `users`, `parties`, `created_s`), or `count`, `members_each`, `state` | loads codes without calls |
//! | `GET /admin/corps/{id}/codes/{config_id}` | | a code, and among whom a scan chooses: the first 1,000 (`scan_targets`) and how many (`scan_targets_total`) |
//! | `PATCH /admin/corps/{id}/codes/{config_id}` | `users`, `parties` | edits a code from outside |
//! | `DELETE /admin/corps/{id}/codes/{config_id}` | | deletes a code from outside |
//! | `GET /admin/corps/{id}/customers?cursor=&limit=` | | who has whom |
//! | `POST /admin/corps/{id}/customers/remove` | `external_userid`, `userid`, `by` (`customer`, `member`, `transfer`) | one leaves the other |
//! | `GET /admin/eligible?corp=&config_id=&cursor=&limit=` | | who is said to be there |
//! | `PUT /admin/eligible` | `corp`, `config_id`, `members` (or `null`: all) | says who is there, and so who is right |
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
//! every mistake by its key; so are an enterprise, a member, an API or a code that a body or query names and that is
//! not there (a code that was deleted may be named). A path that is none, or somebody in it who is not there: 404. A method that is none: 405 with
//! `Allow`. An address that does not verify: 409. A body of more than 64 MiB: 413.
//!
//! # Lists
//!
//! A list of `GET` comes in parts of at most `limit` elements (1 to 1,000, default 100), with the `total` of all and a
//! `next_cursor`: given back as `cursor` it is where the next part begins; it is empty behind the last part, and
//! there alone. An element that is there all the time is in exactly one part, whatever comes and goes meanwhile;
//! those that come later are behind. A `cursor` that no answer gave is 400, or a place like any other. Other lists
//! have at most their first 1,000 elements, with a `total` beside them; in the truth it is told what is left out.
//!
//! No request holds a lock for more than a thousand rows: calls go on meanwhile, however long a list is. Scans and the
//! list of a code let others have their turn after each thousand, and end when their connection does: scans that
//! happened until then have happened.
//!
//! # Keys that have a range and a default
//!
//! | key of | is | default |
//! |---|---|---|
//! | `cursor`, `limit` | 0 to 4294967295 or an id, 1 to 1,000 elements | the begin, 100 |
//! | `refused_with` | an `errcode` above 0 that every call but those for tokens is answered with; `null`: none | as it is |
//! | `verify` | whether the address has to answer an `echostr` within 1 s before it is taken | true |
//! | `silent` | whether the app is not told | false |
//! | events: `created_s` | `CreateTime`, seconds since the Unix epoch | now |
//! | codes: `created_s` | when it was made, seconds since the Unix epoch | now |
//! | codes: `users`, `parties` | at most 1,000 of each; a call can set 100 members | none |
//! | codes: `count`, `members_each` | 1 to 10,000,000 codes of 1 to 100 members each | needed, 1 |
//! | codes: `state` | at most 20 characters; with `count` the number of the code is put behind it | empty |
//! | members: `customers_per_day` | customers a day until it is full, 1 to 1,000,000; `null`: as its enterprise | as it is |
//! | customers: `by` | who parted: `customer` (`del_follow_user`), `member`, `transfer` (`del_external_contact`) | `customer` |
//! | scans, burst: `count` | 1 to 100,000 scans | 1; of a burst needed |
//! | scans: `external_userid` | who scans, 1 to 64 letters, digits, `-` and `_` | somebody new each time |
//! | loads: `per_second` | 0.001 to 100,000 scans a second | needed |
//! | loads: `scans` | how many in all, 1 or more; `null`: until it is ended | `null` |
//! | loads: `config_ids` | the codes that are scanned, each as likely | all, the first 1,000,000 |
//! | loads: `seed` | decides when and which, 0 to 2^64 - 1 | the profile's |
//!
//! The keys of settings, enterprises, members and departments have theirs in the [profile](crate::profile::TEMPLATE).
//!
//! # The truth
//!
//! | key of `GET /admin/truth` | is |
//! |---|---|
//! | `scans` | how many were routed, mis-routed, went nowhere, and added a customer |
//! | `mis_routed` | the last 1,000 of them: when, who, to whom, and who would have been right (`eligible`) |
//! | `calls`, `per_api`, `by_api` | calls, tokens fetched, windows exceeded (each begins a block), calls answered within a block, 45033, conflicts: in all, for each API, for each (corp, API) with peaks and a count of every `errcode` |
//! | `by_ip`, `ip_bans` | the same of windows for each (IP, API); IPs banned for wrong secrets |
//! | `callbacks` | events told, lost, doubled, reordered, dropped; callbacks sent, answered, repeated, given up |
//! | `faults` | every fault and how many calls it befell |
//!
//! `eligible` of a scan is everybody who was there and had no flag, whether or not the code's list named them: at most
//! 100, those on the list first, found among its first 1,000 and the first 1,000 who are there. If there may be more,
//! `eligible_cut` is true.
//!
//! It begins with the simulation, with `POST /admin/reset`, and for `faults` when others are set.
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
#[cfg(test)]
mod hold_tests;
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
