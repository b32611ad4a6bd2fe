//! Texts that are too long for the model: the whole goes to a file, the model sees a part.

use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::host::Host;

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
    let file = folder.join(format!("{}.txt", random_uuid()));
    File::create_new(&file)?.write_all(text.as_bytes())?;
    Ok(file)
}

/// Returns a random UUID (version 4). It keeps the names of files apart, and is no secret.
fn random_uuid() -> String {
    // The standard library seeds each state anew.
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    let (high, low) = (high & !0xf000 | 0x4000, low & !(0b11 << 62) | (0b10 << 62));
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::random_uuid;

    #[test]
    fn a_name_is_a_uuid_and_never_the_same() {
        let (one, other) = (random_uuid(), random_uuid());
        assert_ne!(one, other);
        let lengths: Vec<_> = one.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12], "{one}");
        assert!(one.chars().all(|sign| sign == '-' || sign.is_ascii_hexdigit()), "{one}");
        assert_eq!(one.chars().nth(14), Some('4'), "{one}");
        assert!(one.chars().nth(19).is_some_and(|sign| "89ab".contains(sign)), "{one}");
    }
}
