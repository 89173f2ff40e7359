//! `chaos watch`

use chaos::{Engine, live};

use super::{
    Faults, Verdict, args,
    out::note,
    pick::{self, Wish},
};

/// Runs one scenario on real sockets with its metrics open.
pub(super) fn watch(args: &args::Watch) -> Result<Verdict, Faults> {
    let mut faults = Faults::default();
    let names = std::slice::from_ref(&args.name);
    let policies = pick::policies(std::slice::from_ref(&args.policy), &mut faults);
    let wish = Wish {
        names,
        engine: Some(Engine::Live),
        policies: policies.as_deref(),
        quick: false,
    };
    let picks = pick::pick(wish, &mut faults);
    let mut picked = faults.none_or(picks.picked)?;
    let Some((policy, picked)) = picked
        .pop()
        .and_then(|picked| Some((*picked.policies.first()?, picked)))
    else {
        return Err(Faults::of("no policy was given"));
    };

    let seed = args.seed.unwrap_or(picked.scenario.seed);
    note(&format!(
        "{}: under {policy}, metrics at http://{}/metrics, end with Ctrl-C",
        picked.scenario.name, args.listen
    ));
    live::watch(&picked.scenario, policy, seed, args.listen, args.seconds).map_err(Faults::of)?;
    Ok(Verdict::Holds)
}
