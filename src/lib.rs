//! Overload control for a call graph of services, as tower layers, after DAGOR.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod clock;
pub mod config;
pub mod control;
#[cfg(feature = "http")]
pub mod entry;
pub mod error;
pub mod observe;
pub mod priority;
pub mod queuing_time;
mod sync;
pub mod task;
pub mod wire;

#[doc(inline)]
pub use crate::{
    clock::Clock,
    config::{Concurrency, Mode, PermitEnds, Settings},
    error::{Reason, Shed, Withheld, is_shed, is_withheld},
    observe::Observer,
    priority::{Business, Level, OutOfRange, Priority, Progress, User},
    task::Task,
};

#[cfg(feature = "http")]
#[doc(inline)]
pub use crate::entry::{Entry, EntryLayer};
