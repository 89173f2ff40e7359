//! Overload control for a call graph of services, as tower layers, after DAGOR.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "the layers use what is left over then")
)]

pub mod admission;
pub mod clock;
pub mod config;
pub mod control;
#[cfg(feature = "http")]
pub mod entry;
pub mod error;
mod gate;
#[cfg(feature = "metrics")]
#[cfg_attr(docsrs, doc(cfg(feature = "metrics")))]
pub mod metrics;
pub mod observe;
pub mod priority;
pub mod queuing_time;
#[cfg(feature = "http")]
pub mod server;
mod sync;
pub mod task;
#[cfg(feature = "tracing")]
mod trace;
pub mod wire;

#[doc(inline)]
pub use crate::{
    admission::{Admission, Admitted, Snapshot},
    clock::Clock,
    config::{Concurrency, Mode, PermitEnds, Settings, SettingsError},
    error::{Reason, Shed, Withheld, is_shed, is_withheld},
    observe::Observer,
    priority::{Business, Level, OutOfRange, Priority, Progress, User},
    task::Task,
};

#[cfg(feature = "http")]
#[doc(inline)]
pub use crate::entry::{Entry, EntryLayer};
