//! `wecom-sim demo`: a client and a simulated WeCom on this machine, and what becomes of them.
//!
//! Everything goes over sockets, as it would with the real thing: the client's calls, the admin interface that breaks
//! things, the callbacks. Each act says what it does and what came of it, and holds that against what the simulation
//! knows to be true; one that is not as it should be makes the whole fail.

mod bad_member;
mod callbacks;
mod code_life;
mod dead_token;
mod report;
mod stage;
mod throttle;
mod wrong_secret;

use std::{future::Future, pin::Pin};

use tokio::runtime::Runtime;
use wecom::BoxError;

use self::{report::Report, stage::Stage};

/// An act, and how it is announced.
struct Act {
    title: &'static str,
    play: for<'a> fn(&'a Stage, &'a mut Report) -> Played<'a>,
}

type Played<'a> = Pin<Box<dyn Future<Output = Result<(), BoxError>> + 'a>>;

const ACTS: [Act; 6] = [
    Act {
        title: "The life of a code",
        play: |stage, report| Box::pin(code_life::play(stage, report)),
    },
    Act {
        title: "A throttle: 100 calls a second allowed, 240 wanted, of three kinds",
        play: |stage, report| Box::pin(throttle::play(stage, report)),
    },
    Act {
        title: "A dead token: 50 tasks find it at once",
        play: |stage, report| Box::pin(dead_token::play(stage, report)),
    },
    Act {
        title: "A wrong secret: 20 calls of one tenant",
        play: |stage, report| Box::pin(wrong_secret::play(stage, report)),
    },
    Act {
        title: "A member who is not fit: the whole list is refused, and nobody is named",
        play: |stage, report| Box::pin(bad_member::play(stage, report)),
    },
    Act {
        title: "Encrypted callbacks: durable before they are answered, each sent twice",
        play: |stage, report| Box::pin(callbacks::play(stage, report)),
    },
];

/// Plays all acts; returns whether everything was as it should be.
///
/// # Errors
///
/// If the stage cannot be set up, which says nothing of the client, or nothing can be written to standard output.
pub(crate) fn demo() -> Result<bool, BoxError> {
    let runtime = Runtime::new()?;
    runtime.block_on(async {
        let stage = Stage::new().await?;
        let mut report = Report::default();
        report.line(&format!("WeCom is simulated at {}.", stage.base()));
        for act in ACTS {
            report.line(&format!("\n{}", act.title));
            if let Err(error) = (act.play)(&stage, &mut report).await {
                report.check(false, &format!("it could not go on: {error}"));
            }
        }
        stage.close().await;
        Ok(report.end()?)
    })
}
