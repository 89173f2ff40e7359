//! What somebody gave: a profile's file or the body of a request to the admin interface, taken apart.
//!
//! TOML and JSON become the same tree, so that a key has one reader, one range and one message wherever it comes
//! from. A reader takes its keys one after the other from a [`Section`] and changes what it was handed: what is not
//! given stays as it is, which makes a whole profile an update of the defaults, and a `PUT` one of what runs. Keys
//! that no reader takes are mistakes. Nothing stops at the first mistake: all are told at once.

mod mistake;
mod nearest;
mod node;
mod section;
mod takes;
mod value;
mod word;

pub use self::mistake::Faulty;
pub use self::mistake::Mistake;
pub(crate) use self::{
    mistake::Mistakes,
    nearest::perhaps,
    node::{Node, Value},
    section::{Section, Wanted},
    word::Word,
};
