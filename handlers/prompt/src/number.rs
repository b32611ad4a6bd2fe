//! Numbers in settings.

use hookgate_contract::settings::{NodeValue, Settings};

/// A number that is not negative.
pub(crate) fn number(settings: &mut Settings<'_>, key: &str) -> Option<f64> {
    let found = match settings.node(key)?.value {
        NodeValue::Float(number) => Some(number),
        NodeValue::Integer(number) => i32::try_from(number).ok().map(f64::from),
        _ => None,
    };
    let found = found.filter(|number| number.is_finite() && *number >= 0.0);
    if found.is_none() {
        settings.invalid(key, "no number, 0 or more");
    }
    found
}

/// A whole number between two others, which it may be.
pub(crate) fn count(
    settings: &mut Settings<'_>,
    key: &'static str,
    from: u32,
    to: u32,
) -> Option<u32> {
    let found = settings.integer(key)?;
    let fits = u32::try_from(found).ok().filter(|found| (from..=to).contains(found));
    if fits.is_none() {
        settings.invalid(key, format!("not between {from} and {to}"));
    }
    fits
}
