//! Texts that are too long for the model: the whole goes to a file, the model sees a part.

use std::fs::{DirBuilder, File};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use super::host::Host;

/// The number of files so far. It only keeps the names of files apart.
static FILES: AtomicU64 = AtomicU64::new(0);

/// Returns the session of an envelope, as a part of the name of a file.
#[must_use]
pub(crate) fn session_part(input: &Map<String, Value>) -> String {
    let session = input.get("session_id").and_then(Value::as_str).unwrap_or_default();
    session.chars().filter(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect()
}

/// Writes a text into a new file in a folder of temporary files that only the user can read.
///
/// # Errors
/// If the folder or the file cannot be made or written.
pub(crate) fn keep_text(text: &str, folder: &Path, host: &Host) -> std::io::Result<PathBuf> {
    let temporary = host.var("TMPDIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = temporary.join(folder);
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    // ORDERING: nothing else is read by way of it.
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let file = folder.join(format!("{}-{number}.txt", std::process::id()));
    File::create_new(&file)?.write_all(text.as_bytes())?;
    Ok(file)
}
