//! `[[business]]`.

use crate::scenario::key::{Key, Takes};

super::keys! {
    NAME = Key::required("name", Takes::Name);
    NUMBER = Key::whole("number", 0.0, 255.0, 0.0);
    SHARE = Key::number("share", 0.0, 1.0, 1.0);
    ENTRY = Key::required("entry", Takes::Service);
    USERS = Key::whole("users", 1.0, 4e9, 1_000_000.0);
    FORGED = Key::number("forged", 0.0, 1.0, 0.0);
}
