//! A throttled (corp, API) becomes a level, and less important calls are withheld (feature `dagor`).
//!
//! # What it is for
//!
//! The limiter keeps to the vendor's windows and lets the important go first, so that with three times the demand
//! two calls in three wait until their patience is over. The level spares them that: who would wait in vain is told
//! at once, with [`Kind::Withheld`], and neither takes a place in the line nor a timer.
//!
//! # Signals
//!
//! * A call that found no room within its patience ([`Kind::Limited`]): so the level falls *before* WeCom blocks. But
//!   only if the level would send it now. Those that stand in the line when the level falls below them are refused one
//!   after the other until the last one's patience is over; counted, they would drive it on, down into calls that are
//!   served: with a patience of 30 s and 3 times the demand 3.5 % of the important were withheld.
//! * 45009 and 45036, with how long WeCom is likely to go on, and 45033.
//!
//! Not 45035: two writers of one record are no overload. What WeCom answers otherwise counts as served, whatever it
//! says; what never came back as neither.
//!
//! # Two corps, two APIs
//!
//! Each (corp, API) is an instance of its own, `"{corp} {api}"`, and none affects another.
//!
//! # What it cannot do alone
//!
//! Take the place of the limiter. Inferred from refusals alone, with a window of a minute and 2.25 times the demand,
//! the level serves from a third to four fifths of the important calls, for it learns of a quota only by breaking
//! it. With the limiter it serves all of them (`tests/dagor.rs`).

use std::time::Duration;

use dagor::{
    client::{Builder, Callee, Feedback, Pass, Sign},
    control::Constants,
};

use crate::{
    error::{Errcode, Error, Kind},
    name::{Api, CorpId},
};

/// Reads from the result of a call whether its (corp, API) is throttled.
#[derive(Clone, Copy, Debug, Default)]
pub struct WecomFeedback;

impl<R> Feedback<R, Error> for WecomFeedback {
    fn classify(&self, result: &Result<R, Error>) -> Sign {
        let sign = result.as_ref().err().map_or(Some(Sign::Served), sign);
        sign.unwrap_or(Sign::Failed)
    }
}

/// Returns the settings of a callee that suit WeCom: what is to be given to [`Builder::callee`](crate::Builder::callee).
///
/// One for all clients of a process. Its defaults, where they are not those of dagor:
///
/// | setting | value | why |
/// |---|---|---|
/// | window, longest window | 1 s, 10 s | who waits in vain says so seconds later; with the usual 0.1 s to 1 s some 2 % of the important calls are withheld at 2.85 times the demand, with these none (simulated) |
/// | what an overloaded window takes away | 1 % of the admitted | so that a tenth of the quota is not left unused: the limiter bounds what goes out already |
/// | longest hold | 1 hour | the longest block that WeCom documents |
/// | instances | 16,384 (corp, API) | some 12 KiB each, 200 MiB if all are busy; the one unused for longest is forgotten |
///
/// ```
/// let callee = wecom::callee().build()?;
/// # Ok::<(), dagor::OutOfRange>(())
/// ```
pub fn callee() -> Builder {
    let constants = Constants {
        window: Duration::from_secs(1),
        longest_window: Duration::from_secs(10),
        down: 0.01,
        fewest_samples: 1,
        ..Constants::dagor()
    };
    Callee::builder("wecom")
        .constants(constants)
        .longest_hold(Duration::from_secs(3600))
        .instances(16_384)
}

/// Returns the name of the instance that is limited as a whole.
pub(crate) fn instance(corp: &CorpId, api: Api) -> String {
    format!("{corp} {api}")
}

/// Tells the level what came back; nothing where nothing was asked of WeCom or the limiter, and nothing that the level
/// has answered already.
pub(crate) fn settle(pass: Pass, error: Option<&Error>) {
    let waited_in_vain = matches!(error.map(Error::kind), Some(Kind::Limited { .. }));
    if waited_in_vain && !pass.is_still_admitted() {
        return;
    }
    if let Some(sign) = error.map_or(Some(Sign::Served), sign) {
        pass.settle(sign);
    }
}

fn sign(error: &Error) -> Option<Sign> {
    Some(match error.kind() {
        Kind::Refused(refused) => match refused.errcode {
            Errcode::FREQUENCY | Errcode::ABNORMAL => Sign::Refused {
                retry_after: refused.errcode.retry_after(),
            },
            Errcode::CONCURRENCY => Sign::Refused { retry_after: None },
            _ => Sign::Served,
        },
        Kind::PartlyApplied { .. } => Sign::Served,
        Kind::Limited { .. } => Sign::Refused { retry_after: None },
        Kind::NotConnected(_) | Kind::Lost(_) | Kind::Unreadable(_) => Sign::Failed,
        Kind::Invalid(_) | Kind::Withheld(_) | Kind::NoToken(_) | Kind::Shared(_) => return None,
    })
}
