//! The forms in which a known value may be written.
//!
//! A service that got a token may send it back in a header, in a JSON string, in a URL, or as part of
//! a base64 text. Each is searched for literally, which is fast and has no false findings.

use crate::encoding;

/// Shorter values and forms are words such as `true` or `dev`: hiding them would say more than it
/// hides.
pub(super) const MIN_LENGTH: usize = 6;

/// Of longer values only the plain forms are searched for.
const MAX_ENCODED: usize = 4096;

/// Returns the forms of a value, each once.
pub(super) fn forms_of_value(value: &str) -> Vec<String> {
    // A trace may show a value line by line.
    let mut forms: Vec<String> = value.lines().map(|line| line.trim().to_owned()).collect();
    let escaped = encoding::json(value);
    forms.push(escaped.replace('/', "\\/"));
    forms.extend([value.to_owned(), escaped]);
    if value.len() <= MAX_ENCODED {
        for (upper, space) in [(true, "%20"), (false, "%20"), (true, "+"), (false, "+")] {
            forms.push(encoding::percent(value, upper, space));
        }
        for before in 0..3 {
            let base64 = encoding::base64_inside(value, before);
            forms.push(encoding::url_safe(&base64));
            forms.push(base64);
        }
        let hex = encoding::hex(value);
        forms.push(hex.to_ascii_uppercase());
        forms.push(hex);
    }
    forms.retain(|form| form.len() >= MIN_LENGTH);
    forms.sort();
    forms.dedup();
    forms
}
