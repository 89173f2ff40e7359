//! Fields that get lost, and fields that lie.

use std::sync::Mutex;

use dagor::{
    Business, Level, Priority, Progress, User,
    wire::{LevelField, Names, PriorityField, read_level, write_level, write_priority},
};
use http::HeaderValue;

use super::lock;
use crate::{
    scenario::Scenario,
    wire::{Request, Response, TOLD},
};

/// Writes fields that say something else than the instance did.
pub(super) struct Forger {
    names: Names,
    /// The first key of no business of the scenario: a level of this is open for all of them.
    open: f64,
    /// Whether a larger number in [`TOLD`] is more open.
    rises: bool,
    /// The largest number that was seen there.
    largest: Mutex<f64>,
}

/// Takes away what policies say with a response: dagor's level and the peers' [`TOLD`].
pub(super) fn lose(response: &mut Response) {
    let headers = response.headers_mut();
    headers.remove(Names::default().level.header());
    headers.remove(TOLD);
}

/// Makes a request claim that it is of the most important user and business, and in progress: to dagor.
pub(super) fn claim(request: &mut Request) {
    let priority = Priority::new(Business::MOST_IMPORTANT, User::MOST_IMPORTANT);
    let field = PriorityField {
        progress: Progress::InProgress,
        ..PriorityField::new(priority)
    };
    write_priority(request.headers_mut(), &Names::default(), &field);
}

impl Forger {
    /// For a run in which a larger number told is more open, or less (`rises` false).
    pub(super) fn new(scenario: &Scenario, rises: bool) -> Self {
        let numbers = scenario.businesses.iter().map(|business| business.number);
        let last = Business::new(numbers.max().unwrap_or(0));
        let end = Priority::new(last, User::LEAST_IMPORTANT).key() + 1;
        Self {
            names: Names::default(),
            open: f64::from(end),
            rises,
            largest: Mutex::new(0.0),
        }
    }

    /// Makes a response say `share` of what is open: 1 is open, 0 closed.
    ///
    /// Dagor's level becomes that share of the range that the scenario's businesses use, open from 1 on. Of
    /// what peers tell, the first number becomes that share of the largest seen on this channel so far, or
    /// what is missing to 1 where a large number means closed, as a price does.
    pub(super) fn forge(&self, response: &mut Response, share: f64) {
        let headers = response.headers_mut();
        if let Some(field) = read_level(headers, &self.names).valid() {
            let level = self.level(share);
            write_level(headers, &self.names, &LevelField { level, ..field });
        }
        let told = headers.get(TOLD).and_then(|told| told.to_str().ok());
        let forged = told.and_then(|told| self.number(told, share));
        let forged = forged.and_then(|forged| HeaderValue::try_from(forged).ok());
        if let Some(forged) = forged {
            headers.insert(TOLD, forged);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of at most 2^23"
    )]
    fn level(&self, share: f64) -> Level {
        if share >= 1.0 {
            return Level::OPEN;
        }
        let number = (self.open * share.max(0.0)) as u32;
        Level::new(number.max(Level::FLOOR.get())).unwrap_or(Level::OPEN)
    }

    fn number(&self, told: &str, share: f64) -> Option<String> {
        let digit = |byte: char| byte.is_ascii_digit();
        let from = told.find(digit)?;
        let rest = &told[from..];
        let until = rest
            .find(|byte| !digit(byte) && byte != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(until);
        let value: f64 = number.parse().ok()?;
        let largest = {
            let mut largest = lock(&self.largest);
            *largest = largest.max(value);
            *largest
        };
        let open = if self.rises { share } else { 1.0 - share };
        let forged = largest * open.max(0.0);
        let before = &told[..from];
        Some(if number.contains('.') {
            format!("{before}{forged:.3}{after}")
        } else {
            format!("{before}{forged:.0}{after}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Business as Kind;

    fn forger(rises: bool) -> Forger {
        let business = Kind {
            name: "any".into(),
            number: 3,
            share: 1.0,
            entry: 0,
            users: 1,
            forged: 0.0,
        };
        let mut scenario = crate::graph::samples::scenario();
        scenario.businesses = vec![business];
        Forger::new(&scenario, rises)
    }

    fn told(forger: &Forger, text: &str, share: f64) -> String {
        let mut response = Response::default();
        response.headers_mut().insert(TOLD, text.parse().unwrap());
        forger.forge(&mut response, share);
        response.headers()[TOLD].to_str().unwrap().to_owned()
    }

    #[test]
    fn a_level_becomes_a_share_of_the_businesses_there_are() {
        let names = Names::default();
        for (share, level) in [(0.0, 256), (0.5, 2 * 32_768), (1.0, Level::OPEN.get())] {
            let mut response = Response::default();
            let text = "1000;w=3;r=8;shed".parse().unwrap();
            response.headers_mut().insert(names.level.header(), text);
            forger(true).forge(&mut response, share);
            let field = read_level(response.headers(), &names).valid().unwrap();
            assert_eq!(field.level.get(), level, "share {share}");
            assert_eq!((field.waiting, field.running), (3, 8), "the rest stays");
        }
    }

    #[test]
    fn the_first_number_told_becomes_a_share_of_the_largest() {
        let forger = forger(true);
        assert_eq!(told(&forger, "c=40;d=7", 0.5), "c=20;d=7");
        assert_eq!(
            told(&forger, "c=10;d=7", 0.5),
            "c=20;d=7",
            "40 was the largest"
        );
        assert_eq!(told(&forger, "c=2.5", 1.0), "c=40.000");
        assert_eq!(told(&forger, "none", 1.0), "none");
    }

    #[test]
    fn a_price_falls_as_it_opens() {
        let forger = forger(false);
        assert_eq!(told(&forger, "80", 1.0), "0");
        assert_eq!(told(&forger, "10", 0.0), "80");
    }

    #[test]
    fn lost_fields_are_gone_and_others_stay() {
        let names = Names::default();
        let mut response = crate::wire::refuse();
        let headers = response.headers_mut();
        headers.insert(names.level.header(), "1000".parse().unwrap());
        headers.insert(TOLD, "5".parse().unwrap());
        lose(&mut response);
        assert_eq!(response.headers().len(), 1);
        assert!(crate::wire::is_refusal(&response));
    }
}
