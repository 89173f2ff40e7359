//! The keys above all sections.

use crate::scenario::key::{Key, Takes};

super::keys! {
    PURPOSE = Key::required("purpose", Takes::Text);
    SOURCE = Key::optional("source", Takes::Text, "none");
    SEED = Key::whole("seed", 0.0, 1e15, 1.0);
    DURATION = Key::number("duration_s", 1.0, 86_400.0, 60.0);
    WARM_UP = Key::number("warm_up_s", 0.0, 86_400.0, 0.0);
    ENGINES = Key::optional("engines", Takes::Engines, "[\"sim\"]");
    POLICIES = Key::optional("policies", Takes::Policies, "all that virtual time can run");
    DEADLINE = Key::number("deadline_ms", 1.0, 600_000.0, 500.0);
    NETWORK = Key::number("network_ms", 0.0, 10_000.0, 0.5);
    REFUSAL_COST = Key::number("refusal_cost", 0.0, 1.0, 0.05);
    HANG_UP = Key::flag("hang_up", true);
    THRESHOLD = Key::number("threshold_ms", 0.1, 10_000.0, 20.0);
    MEASURED = Key::optional("measured", Takes::Service, "every task weighs 1");
    CALENDAR = Key::optional("calendar", Takes::Date, "2026-11-30T08:00:00Z");
}
