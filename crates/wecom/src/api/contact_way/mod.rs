//! Contact ways (「联系我」), which are the live codes: document 92228.

mod add;
mod del;
mod get;
mod list;
mod scene;
mod temp_chat;
mod temporary;
mod update;

pub use self::{
    add::{AddContactWay, Added},
    del::DelContactWay,
    get::{
        ContactWay, ContactWayReply, GetContactWay, ShownConclusions, ShownImage, ShownLink,
        ShownMiniProgram, ShownText, WayScene, WayType,
    },
    list::{ContactWayPage, ListContactWay},
    scene::{Any, Multi, MultiStyle, Scene, Single, SingleStyle},
    temp_chat::CloseTempChat,
    temporary::Temporary,
    update::UpdateContactWay,
};
