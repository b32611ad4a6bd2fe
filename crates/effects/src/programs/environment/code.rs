//! Variables that code of other languages shows.

use crate::programs::sink::Sink;
use crate::variables::{is_name, leading_name};

/// What code of other languages calls the environment, and its end before a name: `os.environ["X"]`.
const IN_CODE: &[&str] = &[
    "environ",
    "process.env",
    "ENV",
    "$_ENV",
    "$_SERVER",
    "ENVIRON",
    "getenv",
    "Deno.env",
    "phpinfo",
];

/// Parts of code that shows something.
const SHOWS: &[&str] = &[
    "print", "console.", "puts", "echo", "write", "dump", "say ", "inspect", "-p ", "p ENV",
    "phpinfo",
];

/// What code shows: the variable that it names, or else all of them.
pub(super) fn in_code(code: &str, prints: bool, sink: &mut Sink<'_>) {
    if !prints && !SHOWS.iter().any(|show| code.contains(show)) {
        return;
    }
    for word in IN_CODE {
        for (at, _) in code.match_indices(word) {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            if before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                continue;
            }
            let rest = code.get(at + word.len()..).unwrap_or_default();
            let rest = rest.strip_prefix(".get").unwrap_or(rest);
            let rest = rest.strip_prefix(".fetch").unwrap_or(rest);
            let named = rest.starts_with(['[', '(', '.', '{']);
            if !named && (rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')) {
                continue;
            }
            let name: String = rest
                .trim_start_matches(['[', '(', '.', '{', '"', '\'', ' '])
                .chars()
                .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                .collect();
            sink.show_variable(Some(name).filter(|name| named && is_name(name) && is_upper(name)));
        }
    }
}

/// A variable has capital letters; `os.environ.items()` shows all.
fn is_upper(name: &str) -> bool {
    name.chars().all(|c| !c.is_ascii_lowercase())
}

/// What a filter of `jq` or `yq` reads: `env.A`, `$ENV["A"]`, `strenv(A)`.
pub(super) fn in_filter(code: &str, sink: &mut Sink<'_>) {
    for word in ["$ENV", "env", "strenv"] {
        for (at, _) in code.match_indices(word) {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            let rest = code.get(at + word.len()..).unwrap_or_default();
            let inside = |sign: char| sign.is_ascii_alphanumeric() || "_.$\"".contains(sign);
            // `.env` is a field, and `{env: 1}` and `{env}` have one.
            let text = code.get(..at).unwrap_or_default();
            let is_key = text.trim_end().ends_with(['{', ','])
                && opened_last(text) == Some('{')
                && rest.trim_start().starts_with([',', '}']);
            if is_key
                || before.is_some_and(inside)
                || rest
                    .starts_with(|sign: char| sign.is_ascii_alphanumeric() || "_:\"".contains(sign))
            {
                continue;
            }
            let name = leading_name(rest.trim_start_matches(['.', '[', '(', '"']));
            sink.show_variable(Some(name.to_owned()).filter(|name| is_name(name)));
        }
    }
}

/// The bracket that is opened last, and not closed.
fn opened_last(code: &str) -> Option<char> {
    let mut closed = 0_usize;
    for sign in code.chars().rev() {
        match sign {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed == 0 => return Some(sign),
            '(' | '[' | '{' => closed -= 1,
            _ => {}
        }
    }
    None
}
