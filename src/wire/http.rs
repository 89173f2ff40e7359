//! HTTP headers as a carrier; gRPC's metadata are the same.

use ::http::{HeaderMap, HeaderValue};

use super::{Carrier, Field, Name};

impl Carrier for HeaderMap {
    #[inline]
    fn get(&self, name: &Name) -> Field<'_> {
        let mut all = self.get_all(name.header()).iter();
        match (all.next(), all.next()) {
            (None, _) => Field::Absent,
            (Some(value), None) => Field::One(value.as_bytes()),
            (Some(_), Some(_)) => Field::Repeated,
        }
    }

    /// Sets the header. A value that no header can have (control characters) removes it instead.
    #[inline]
    fn set(&mut self, name: &Name, value: &str) {
        match HeaderValue::from_str(value) {
            Ok(value) => drop(self.insert(name.header(), value)),
            Err(_) => Carrier::remove(self, name),
        }
    }

    #[inline]
    fn remove(&mut self, name: &Name) {
        self.remove(name.header());
    }
}
