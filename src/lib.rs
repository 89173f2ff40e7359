//! Overload control for a call graph of services, as tower layers, after DAGOR.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod clock;
pub mod config;
pub mod control;
pub mod error;
pub mod observe;
pub mod priority;
mod sync;
pub mod task;

#[doc(inline)]
pub use crate::{
    clock::Clock,
    config::{Concurrency, Mode, PermitEnds, Settings},
    error::{Reason, Shed, Withheld, is_shed, is_withheld},
    observe::Observer,
    priority::{Business, Level, OutOfRange, Priority, Progress, User},
    task::Task,
};
