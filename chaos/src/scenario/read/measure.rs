//! What is measured: of a criterion, and of a figure that was published.

use super::{Context, shape::require};
use crate::scenario::{Bound, CriterionKind, keys::criterion as keys, section::Section};

/// Reads it with this bound. The keys of both kinds of sections are the same.
pub(super) fn read(
    section: &Section<'_>,
    bound: Option<Bound>,
    context: &Context<'_>,
) -> Option<CriterionKind> {
    let has_business = section.given(&keys::BUSINESS).is_some();
    let business = section.one_of(&keys::BUSINESS, &context.businesses);
    let service = section.one_of(&keys::SERVICE, &context.services);
    let every_second = section.flag(&keys::EVERY_SECOND);
    let of_optimum = section.number(&keys::OF_OPTIMUM);
    let failing = section.number(&keys::SHARE);
    if section.switch()? == "share" {
        require(section, &keys::BUSINESS);
    }
    let bound = bound?;
    Some(match section.switch()? {
        "goodput" => CriterionKind::Goodput(bound),
        "p99" => CriterionKind::P99 {
            ms: bound,
            business: if has_business { Some(business?) } else { None },
        },
        "share" => CriterionKind::Share {
            business: business?,
            bound,
            every_second: every_second?,
        },
        "recovery" => CriterionKind::Recovery {
            share: of_optimum?,
            seconds: bound,
        },
        "wasted" => CriterionKind::Wasted(bound),
        "refused-at-caller" => CriterionKind::RefusedAtCaller(bound),
        "mean-wait" => CriterionKind::MeanWait {
            service: service?,
            ms: bound,
        },
        "fairness" => CriterionKind::Fairness(bound),
        "sheds-from" => CriterionKind::ShedsFrom {
            share: failing?,
            rate: bound,
        },
        _ => CriterionKind::Amplification(bound),
    })
}
