//! Finds values that stand behind a name without a sign between them: `ENV DB_PASSWORD …` of a Dockerfile,
//! `setenv API_TOKEN …`, `set -x API_TOKEN …`.

use crate::field_name::{self, NameHint};
use crate::scan::{OwnKey, Sink};
use crate::value::ValueContext;

/// What stands before the name.
const KEYWORDS: [&str; 6] = ["ENV ", "ARG ", "setenv ", "set -x ", "set -gx ", "set -Ux "];

/// Finds the values in the order of the text; returns whether it came to the end.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let words = line.trim_start_matches([' ', '\t']);
        let Some(rest) = KEYWORDS.iter().find_map(|keyword| words.strip_prefix(keyword)) else {
            continue;
        };
        let Some((name, value)) = rest.split_once([' ', '\t']) else { continue };
        let is_secret_name = own(name) || field_name::name_hint(name) == NameHint::Secret;
        let value = value.trim();
        let plain = value.trim_matches(['"', '\'']);
        let context = ValueContext {
            key: name,
            quoted: plain.len() < value.len(),
            equals: true,
            ends_line: true,
            if_random: false,
        };
        if is_secret_name && !name.contains(['=', ':']) && context.is_secret(plain) {
            let Some(at) = line.rfind(plain) else { continue };
            if !found(from + at..from + at + plain.len(), "assignment") {
                return false;
            }
        }
    }
    true
}
