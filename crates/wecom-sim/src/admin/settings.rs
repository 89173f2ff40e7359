//! Settings while it runs, what really happened, and counting anew.

use http::Method;
use serde_json::json;

use super::{
    answer::{Answer, Fault, not_there, told},
    asked::Asked,
};
use crate::{
    Sim,
    profile::{Profile, no_corp},
    truth,
    world::Settings,
};

/// `/admin/settings`
pub(super) fn settings(sim: &Sim, asked: &Asked) -> Answer {
    asked.no_query()?;
    let Settings {
        windows,
        tokens,
        contact_ways,
        faults,
        callbacks,
    } = sim.world().settings().as_ref().clone();
    let mut profile = Profile {
        windows,
        tokens,
        contact_ways,
        faults,
        callbacks,
        ..Profile::default()
    };
    match asked.method {
        Method::GET => {}
        Method::PUT => {
            asked.body(|mut table| {
                let world = sim.world();
                profile.update(&mut table, &|id| match world.corp(id) {
                    Some(_) => Ok(()),
                    None => {
                        let some = world.corps_after(None, MOST_NAMED);
                        Err(no_corp(id, some.iter().map(|corp| corp.id())))
                    }
                });
                table.end();
            })?;
            sim.world().set_settings(Settings::of(&profile))?;
        }
        _ => return Err(Fault::Method("GET, PUT")),
    }
    told(json!({
        "windows": profile.windows,
        "tokens": profile.tokens,
        "contact_ways": profile.contact_ways,
        "callbacks": profile.callbacks,
        "fault": profile.faults,
    }))
}

/// `/admin/truth`
pub(super) fn truth(sim: &Sim, asked: &Asked) -> Answer {
    asked.only(&Method::GET, "GET")?;
    asked.query(|mut table| {
        table.take("corp");
        table.end();
    })?;
    let corp = asked.query_text("corp");
    if let Some(id) = corp
        && sim.world().corp(id).is_none()
    {
        return not_there("enterprise", id);
    }
    told(truth::truth(sim.world(), sim.parts(), corp))
}

/// `/admin/reset`
pub(super) fn reset(sim: &Sim, asked: &Asked) -> Answer {
    asked.only(&Method::POST, "POST")?;
    asked.no_query()?;
    asked.no_body()?;
    sim.parts().scanner().reset();
    for corp in sim.world().corps() {
        let _ = sim.parts().sender().take_counts(corp.id());
    }
    sim.world().reset_traffic();
    Ok(json!({ "reset": true }))
}

/// Enterprises that one which is not there is held against.
const MOST_NAMED: usize = 1000;
