//! Texts that are too long for the model: the whole goes to a file, the model sees the beginning.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use crate::foreign::Host;

/// How many characters a text may have. Claude Code counts as JavaScript does, in units of UTF-16.
const MOST: usize = 10_000;

/// How many characters of a longer one are shown.
const SHOWN: usize = 2_000;

/// The number of files so far. It only keeps the names of files apart.
static FILES: AtomicU64 = AtomicU64::new(0);

/// Shortens a text that is too long; returns whether it was.
pub(super) fn shorten(text: &mut String, input: &Map<String, Value>, host: &Host) -> bool {
    if text.encode_utf16().count() <= MOST {
        return false;
    }
    let beginning: String = text.chars().take(SHOWN).collect();
    let place = match write(text, input, host) {
        Ok(file) => format!("the whole is in {}", file.display()),
        Err(error) => format!("the rest is lost: {error}"),
    };
    *text = format!("{beginning}\n… ({} characters; {place})", text.chars().count());
    true
}

fn write(text: &str, input: &Map<String, Value>, host: &Host) -> std::io::Result<PathBuf> {
    let session = input.get("session_id").and_then(Value::as_str).unwrap_or_default();
    let is_plain = |sign: &char| sign.is_ascii_alphanumeric() || *sign == '-';
    let session: String = session.chars().filter(is_plain).collect();
    let folder = host.var("TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("claude-hook-output-{session}"));
    fs::create_dir_all(&folder)?;
    // ORDERING: nothing else is read by way of it.
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = folder.join(format!("{}-{number}.txt", std::process::id()));
    fs::write(&file, text)?;
    Ok(file)
}
