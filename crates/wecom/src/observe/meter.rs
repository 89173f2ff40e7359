//! The metrics; see the table in the module above. Without the feature each of these is nothing.

use std::time::Duration;

use crate::{
    error::{Class, Errcode},
    name::Api,
};

#[cfg(feature = "metrics")]
mod told {
    use metrics::{Unit, counter, describe_counter, describe_histogram, histogram};

    use super::{Api, Class, Duration, Errcode};

    pub(in crate::observe) fn describe() {
        describe_counter!("wecom_calls_total", Unit::Count, "calls that have ended");
        describe_histogram!(
            "wecom_call_seconds",
            Unit::Seconds,
            "from a request to its answer"
        );
        describe_histogram!(
            "wecom_waited_seconds",
            Unit::Seconds,
            "what a request waited for its room and its token"
        );
        describe_counter!(
            "wecom_throttled_total",
            Unit::Count,
            "answers 45009, 45033, 45035 and 45036"
        );
        describe_counter!(
            "wecom_token_fetches_total",
            Unit::Count,
            "tokens fetched, or not"
        );
        describe_counter!(
            "wecom_breakers_opened_total",
            Unit::Count,
            "secrets that were refused"
        );
        describe_counter!(
            "wecom_store_failures_total",
            Unit::Count,
            "shared stores that did not answer"
        );
    }

    pub(in crate::observe) fn called(api: Api, class: &'static str) {
        counter!("wecom_calls_total", "api" => api.name(), "class" => class).increment(1);
    }

    pub(in crate::observe) fn took(api: Api, took: Duration) {
        histogram!("wecom_call_seconds", "api" => api.name()).record(took.as_secs_f64());
    }

    pub(in crate::observe) fn waited(api: Api, waited: Duration) {
        histogram!("wecom_waited_seconds", "api" => api.name()).record(waited.as_secs_f64());
    }

    pub(in crate::observe) fn throttled(api: Api, errcode: Errcode) {
        // Literals, so that a number from outside never becomes a label.
        let errcode = match errcode {
            Errcode::FREQUENCY => "45009",
            Errcode::CONCURRENCY => "45033",
            Errcode::CONFLICT => "45035",
            Errcode::ABNORMAL => "45036",
            _ => return,
        };
        counter!("wecom_throttled_total", "api" => api.name(), "errcode" => errcode).increment(1);
    }

    pub(in crate::observe) fn fetched(failed: Option<Class>) {
        let result = failed.map_or("ok", Class::name);
        counter!("wecom_token_fetches_total", "result" => result).increment(1);
    }

    pub(in crate::observe) fn breaker_opened() {
        counter!("wecom_breakers_opened_total").increment(1);
    }

    pub(in crate::observe) fn store_failed(what: &'static str) {
        counter!("wecom_store_failures_total", "what" => what).increment(1);
    }
}

#[cfg(not(feature = "metrics"))]
mod told {
    use super::{Api, Class, Duration, Errcode};

    pub(in crate::observe) const fn describe() {}
    pub(in crate::observe) const fn called(_: Api, _: &'static str) {}
    pub(in crate::observe) const fn took(_: Api, _: Duration) {}
    pub(in crate::observe) const fn waited(_: Api, _: Duration) {}
    pub(in crate::observe) const fn throttled(_: Api, _: Errcode) {}
    pub(in crate::observe) const fn fetched(_: Option<Class>) {}
    pub(in crate::observe) const fn breaker_opened() {}
    pub(in crate::observe) const fn store_failed(_: &'static str) {}
}

pub(super) use self::told::{
    breaker_opened, called, describe, fetched, store_failed, throttled, took, waited,
};
