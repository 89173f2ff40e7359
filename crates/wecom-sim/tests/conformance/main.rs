//! One test for each rule of what is documented of WeCom, and for each switch where it is not.
//!
//! The tests speak raw HTTP and JSON with the simulation as a service, in paused time; only `socket` opens one.

mod add;
mod concurrency;
mod del;
mod faults;
mod get;
mod list;
mod members;
mod order;
mod outside;
mod reads;
mod shape;
mod socket;
mod temp;
mod tokens;
mod update;
mod vendor;
mod windows;
