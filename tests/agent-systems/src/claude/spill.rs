//! Texts that are too long for the model: the whole goes to a file, the model sees the beginning.

use std::path::Path;

use serde_json::{Map, Value};

use crate::foreign::{Host, keep_text, session_part};

/// How many characters a text may have. Claude Code counts as JavaScript does, in units of UTF-16.
const MOST: usize = 10_000;

/// How many characters of a longer one are shown.
const SHOWN: usize = 2_000;

/// Shortens a text that is too long; returns whether it was.
pub(super) fn shorten(text: &mut String, input: &Map<String, Value>, host: &Host) -> bool {
    if text.encode_utf16().count() <= MOST {
        return false;
    }
    let beginning: String = text.chars().take(SHOWN).collect();
    let folder = format!("claude-hook-output-{}", session_part(input));
    let place = match keep_text(text, Path::new(&folder), host) {
        Ok(file) => format!("the whole is in {}", file.display()),
        Err(error) => format!("the rest is lost: {error}"),
    };
    *text = format!("{beginning}\n… ({} characters; {place})", text.chars().count());
    true
}
