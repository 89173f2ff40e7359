//! Policies by name.

use super::{
    Callee, Name, Place, Policy, Served, breakwater, breakwater_dagor, cinnamon, codel, crates,
    dagor, gradient2, paper, rajomon, seda, sre, tower, vegas,
};
use crate::{run::RunError, wire::Link};

/// Makes a policy for one run.
///
/// # Errors
///
/// If there is no such policy here.
pub fn make(name: Name) -> Result<Box<dyn Policy>, RunError> {
    match name {
        Name::None => Ok(Box::new(Nothing)),
        Name::Tower => Ok(Box::new(tower::policy())),
        Name::Codel => Ok(Box::new(codel::policy())),
        Name::Seda => Ok(Box::new(seda::policy())),
        Name::Vegas => Ok(Box::new(vegas::policy())),
        Name::Gradient2 => Ok(Box::new(gradient2::policy())),
        Name::Sre => Ok(Box::new(sre::policy())),
        Name::Breakwater => Ok(Box::new(breakwater::policy())),
        Name::BreakwaterDagor => Ok(Box::new(breakwater_dagor::policy())),
        Name::Cinnamon => Ok(Box::new(cinnamon::policy())),
        Name::Rajomon => Ok(Box::new(rajomon::policy())),
        Name::Paper => Ok(Box::new(paper::server_side())),
        Name::PaperBlind => Ok(Box::new(paper::blind())),
        Name::PaperResponse => Ok(Box::new(paper::by_response_time())),
        Name::Dagor => Ok(Box::new(dagor::policy())),
        Name::ResilienceAimd => Ok(Box::new(crates::resilience::aimd())),
        Name::ResilienceVegas => Ok(Box::new(crates::resilience::vegas())),
        Name::Acc => Ok(Box::new(crates::acc::policy())),
        Name::Governor => Ok(Box::new(crates::governor::policy())),
    }
}

/// No control.
struct Nothing;

impl Policy for Nothing {
    fn serve(&self, _: &Place<'_>, work: Link) -> Served {
        Served {
            link: work,
            level: None,
        }
    }

    fn call(&self, _: &Place<'_>, _: &Callee<'_>, channels: Vec<Link>) -> Vec<Link> {
        channels
    }
}
