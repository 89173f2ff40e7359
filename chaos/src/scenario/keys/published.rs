//! `[[published]]`.

use super::criterion;
use crate::scenario::key::{Key, Range, Takes};

super::keys! {
    POLICY = Key::required("policy", Takes::Policy);
    WHAT = Key::required("what", Takes::Text);
    VALUE = Key::required("value", Takes::Number(Range::new(-1e12, 1e12)));
    FROM = criterion::FROM;
    UNTIL = criterion::UNTIL;
    MEASURE = criterion::MEASURE;
    BUSINESS = criterion::BUSINESS;
    SERVICE = criterion::SERVICE;
    EVERY_SECOND = criterion::EVERY_SECOND;
    OF_OPTIMUM = criterion::OF_OPTIMUM;
    SHARE = criterion::SHARE;
}
