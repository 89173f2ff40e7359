//! The calls for contact ways (path/92228).

mod add;
mod conclusions;
mod del;
mod get;
mod list;
mod members;
mod params;
mod update;

pub(crate) use self::{
    add::add,
    del::{del, target},
    get::get,
    list::list,
    update::update,
};
