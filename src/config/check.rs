//! Whether settings make sense, each by itself and together.

use super::{
    Concurrency, Settings,
    fault::{Fault, Faults, SettingsError},
    numbers::{NUMBERS, Range, millis},
};
use crate::control::Algorithm;

/// A fault that no place is known for yet.
pub(super) struct Finding {
    /// The key whose value is reported.
    pub(super) key: &'static str,
    value: String,
    allowed: Allowed,
}

enum Allowed {
    This(String),
    AtLeast(&'static str, f64),
    MoreThan(&'static str, f64),
}

/// Checks how many businesses a service tells apart: 1 to 256.
///
/// Not among the [`Settings`], because it cannot change while the service runs.
///
/// # Errors
///
/// If `count` is outside the range.
pub fn check_businesses(count: u16) -> Result<(), SettingsError> {
    if (1..=256).contains(&count) {
        return Ok(());
    }
    let fault = Fault::new("1 to 256").key_is("businesses");
    Err(fault.value_is(&count.to_string()).into())
}

// === impl Settings ===

impl Settings {
    /// Checks every value and those that must go together.
    ///
    /// # Errors
    ///
    /// If anything is out of range or in contradiction; all of it at once. The faults name the keys of
    /// the file, in the order of the documentation.
    pub fn check(&self) -> Result<(), SettingsError> {
        let mut faults = Faults::default();
        for finding in findings(self) {
            faults.push(finding.fault(str::to_owned));
        }
        faults.none_or(())
    }
}

// === impl Finding ===

impl Finding {
    fn new(key: &'static str, value: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self {
            key,
            value: value.into(),
            allowed: Allowed::This(allowed.into()),
        }
    }

    fn pair((key, value): (&'static str, f64), allowed: Allowed) -> Self {
        Self {
            key,
            value: value.to_string(),
            allowed,
        }
    }

    /// Returns the other key, where two do not go together.
    #[cfg(feature = "config")]
    pub(super) const fn other(&self) -> Option<&'static str> {
        match &self.allowed {
            Allowed::This(_) => None,
            Allowed::AtLeast(key, _) | Allowed::MoreThan(key, _) => Some(*key),
        }
    }

    /// Returns the fault, with keys under the names they have where it came from.
    pub(super) fn fault(&self, name_of: fn(&str) -> String) -> Fault {
        let allowed = match &self.allowed {
            Allowed::This(allowed) => allowed.clone(),
            Allowed::AtLeast(key, low) => format!("at least {} ({low})", name_of(key)),
            Allowed::MoreThan(key, low) => format!("more than {} ({low})", name_of(key)),
        };
        Fault::new(allowed)
            .key_is(&name_of(self.key))
            .value_is(&self.value)
    }
}

/// Returns everything that is wrong with `settings`.
pub(super) fn findings(settings: &Settings) -> Vec<Finding> {
    let mut found = Vec::new();
    numbers(settings, &mut found);
    pairs(settings, &mut found);
    refusal(settings, &mut found);
    exempt(settings, &mut found);
    found
}

fn numbers(settings: &Settings, found: &mut Vec<Finding>) {
    // A slot is for reading and writing; a copy lets one table serve both.
    let mut copy = settings.clone();
    for number in NUMBERS {
        let value = number.slot(&mut copy).and_then(|slot| slot.get());
        if let Some(value) = value.filter(|value| !number.range.contains(*value)) {
            let allowed = number.range.to_string();
            found.push(Finding::new(number.key, value.to_string(), allowed));
        }
    }
}

/// Numbers that must not be below another one.
fn pairs(settings: &Settings, found: &mut Vec<Finding>) {
    let law = &settings.constants;
    let most_requests = ("most_requests", f64::from(law.most_requests));
    let mut at_least = |high: (&'static str, f64), low: (&'static str, f64)| {
        if high.1 < low.1 {
            found.push(Finding::pair(high, Allowed::AtLeast(low.0, low.1)));
        }
    };
    at_least(
        ("longest_window_ms", millis(law.longest_window)),
        ("window_ms", millis(law.window)),
    );
    at_least(
        most_requests,
        ("fewest_requests", f64::from(law.fewest_requests)),
    );
    // Otherwise no window would ever be judged overloaded.
    at_least(
        most_requests,
        ("fewest_samples", f64::from(law.fewest_samples)),
    );
    at_least(
        ("well_below_ratio", law.well_below),
        ("nearly_empty_ratio", law.nearly_empty),
    );
    if law.algorithm == Algorithm::Proportional {
        at_least(("steepest_ratio", law.steepest), ("down_ratio", law.down));
        at_least(("up_idle_ratio", law.up_idle), ("up_ratio", law.up));
    }
    if let Some(longest_wait) = settings.longest_wait {
        // Otherwise nobody would wait long enough for the level to fall.
        at_least(
            ("longest_wait_ms", millis(longest_wait)),
            ("threshold_ms", millis(law.threshold)),
        );
    }
    if let Concurrency::Adaptive(adaptive) = &settings.concurrency {
        let calm = ("concurrency.calm_ms", millis(adaptive.calm));
        let busy = ("concurrency.busy_ms", millis(adaptive.busy));
        if busy.1 <= calm.1 {
            found.push(Finding::pair(busy, Allowed::MoreThan(calm.0, calm.1)));
        }
    }
}

fn refusal(settings: &Settings, found: &mut Vec<Finding>) {
    let refusal = &settings.refusal;
    if refusal.body.len() > LONGEST_BODY {
        let value = format!("{} bytes", refusal.body.len());
        let allowed = format!("at most {LONGEST_BODY} bytes");
        found.push(Finding::new("refusal.body", value, allowed));
    }
    if !is_content_type(&refusal.content_type) {
        let value = format!("{:?}", refusal.content_type);
        let allowed = "a media type such as text/plain, in visible ASCII of at most 256 bytes";
        found.push(Finding::new("refusal.content_type", value, allowed));
    }
    let (low, high) = refusal.retry_after;
    let (low, high) = (low.as_secs_f64(), high.as_secs_f64());
    if !(RETRY_AFTER.contains(low) && RETRY_AFTER.contains(high) && low <= high) {
        let value = format!("[{low}, {high}]");
        found.push(Finding::new(RETRY_AFTER_KEY, value, retry_after_allowed()));
    }
}

fn exempt(settings: &Settings, found: &mut Vec<Finding>) {
    let count = settings.exempt.len();
    if count > MOST_EXEMPT {
        let value = format!("{count} paths");
        found.push(Finding::new(
            "exempt",
            value,
            format!("at most {MOST_EXEMPT}"),
        ));
    }
    for path in settings.exempt.iter().filter(|path| !is_path(path)) {
        found.push(Finding::new("exempt", format!("{path:?}"), PATH_ALLOWED));
    }
}

fn is_content_type(text: &str) -> bool {
    let visible = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let (kind, subtype) = text.split_once('/').unwrap_or_default();
    visible && text.len() <= 256 && text.trim() == text && !kind.is_empty() && !subtype.is_empty()
}

/// Whether `text` is a path, or with a `*` at its end the beginning of one.
fn is_path(text: &str) -> bool {
    let path = text.strip_suffix('*').unwrap_or(text);
    let visible = |char: char| !char.is_control() && !char.is_whitespace();
    text.len() <= 1_024
        && path.starts_with('/')
        && path.chars().all(|char| visible(char) && char != '*')
}

pub(super) fn retry_after_allowed() -> String {
    format!("[low, high] with low not above high, each {RETRY_AFTER}")
}

/// The one key whose value is a pair of numbers.
pub(super) const RETRY_AFTER_KEY: &str = "refusal.retry_after_seconds";

const RETRY_AFTER: Range = Range::new(0.0, 3_600.0, " s");

pub(super) const PATH_ALLOWED: &str =
    "a path that begins with / and has * nowhere but at its end, at most 1024 bytes";

/// Enough for a page that says what happened, few enough to send under overload.
const LONGEST_BODY: usize = 64 * 1_024;

/// Every request is compared with every exempt path.
const MOST_EXEMPT: usize = 1_024;
