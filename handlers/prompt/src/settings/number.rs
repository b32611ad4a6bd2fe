//! Numbers in settings.
//!
//! The models' interfaces count in 32 bits, so these are narrower than those of `Settings`.

use std::ops::RangeInclusive;

use hookgate_contract::settings::{NodeValue, Settings};

/// Reads an amount: a finite number, 0 or more.
pub(crate) fn amount(settings: &mut Settings<'_>, key: &str) -> Option<f64> {
    let found = match settings.node(key)?.value {
        NodeValue::Float(number) => Some(number),
        NodeValue::Integer(number) => i32::try_from(number).ok().map(f64::from),
        _ => None,
    };
    let found = found.filter(|number| number.is_finite() && *number >= 0.0);
    if found.is_none() {
        settings.invalid(key, "must be a number, 0 or more");
    }
    found
}

/// Reads a whole number within bounds, both included.
pub(crate) fn count(
    settings: &mut Settings<'_>,
    key: &'static str,
    range: RangeInclusive<u32>,
) -> Option<u32> {
    let found = settings.count(key, *range.start() as usize..=*range.end() as usize)?;
    u32::try_from(found).ok()
}
