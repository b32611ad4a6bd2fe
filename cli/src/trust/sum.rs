//! Check sums.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use hmac_sha256::Hash;
use hookgate::contract::file;

/// What the text of a check sum begins with.
const PREFIX: &str = "sha256:";

/// The sum of a file that is not there.
pub(super) const MISSING: &str = "missing";

/// Returns the check sum of bytes, as text.
pub(super) fn sum(bytes: impl AsRef<[u8]>) -> String {
    text(Hash::hash(bytes.as_ref()))
}

/// Returns the check sum of several parts, none of which can run into the next one.
pub(super) fn sum_of_parts<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut hash = Hash::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    text(hash.finalize())
}

/// Returns the check sum of a file. Of a program larger than a config may be, its size and the time of its last
/// change must do: interpreters of many megabytes would make each call slow.
pub(super) fn sum_of_file(path: &Path) -> String {
    let Ok(found) = fs::metadata(path) else { return MISSING.to_owned() };
    if found.is_dir() {
        return "folder".to_owned();
    }
    if found.is_file() && found.len() > file::LIMIT {
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.unwrap_or_default();
        let (seconds, nanoseconds) = (modified.as_secs(), modified.subsec_nanos());
        return format!("{} bytes, of {seconds}.{nanoseconds:09}", found.len());
    }
    file::read(path, file::LIMIT).map_or_else(|error| format!("unreadable: {error}"), sum)
}

fn text(sum: [u8; 32]) -> String {
    sum.iter().fold(PREFIX.to_owned(), |text, byte| text + &format!("{byte:02x}"))
}
