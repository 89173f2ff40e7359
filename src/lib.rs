//! Overload control for a call graph of services, as tower layers, after DAGOR.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "http")]
pub mod client;
pub mod clock;
pub mod control;
pub mod error;
pub mod observe;
pub mod priority;
mod sync;
pub mod task;
pub mod wire;

#[cfg(feature = "http")]
#[doc(inline)]
pub use crate::client::Callee;
#[doc(inline)]
pub use crate::{
    clock::Clock,
    error::{Reason, Shed, Withheld, is_shed, is_withheld},
    observe::Observer,
    priority::{Business, Level, OutOfRange, Priority, Progress, User},
    task::Task,
};
