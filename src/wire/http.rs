//! HTTP headers as a carrier; gRPC's metadata are the same.

use ::http::{HeaderMap, HeaderValue};

use super::{Carrier, Field, Name};

/// Up to this many headers are looked through one by one: that is quicker than to hash a name.
const FEW: usize = 8;

#[inline]
fn only<'a>(mut values: impl Iterator<Item = &'a HeaderValue>) -> Field<'a> {
    match (values.next(), values.next()) {
        (None, _) => Field::Absent,
        (Some(value), None) => Field::One(value.as_bytes()),
        (Some(_), Some(_)) => Field::Repeated,
    }
}

impl Carrier for HeaderMap {
    #[inline]
    fn get(&self, name: &Name) -> Field<'_> {
        let name = name.header();
        if self.len() <= FEW {
            let same = self.iter().filter(|(other, _)| *other == name);
            only(same.map(|(_, value)| value))
        } else {
            only(self.get_all(name).iter())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_among_few_headers_and_among_many() {
        let name = Name::new("dagor-priority").unwrap();
        for others in [0, 7, 8, 9, 100] {
            let mut headers = HeaderMap::new();
            for other in 0..others {
                let other = Name::new(&format!("other-{other}")).unwrap();
                headers.set(&other, "1");
            }
            assert_eq!(Carrier::get(&headers, &name), Field::Absent);
            headers.set(&name, "3, 17");
            assert_eq!(Carrier::get(&headers, &name), Field::One(b"3, 17"));
            headers.append(name.header(), HeaderValue::from_static("0, 0"));
            assert_eq!(Carrier::get(&headers, &name), Field::Repeated, "{others}");
        }
    }
}
