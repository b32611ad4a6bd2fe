//! What a check of the config should know about the files that a hook runs: which accounts could
//! replace them, and the fingerprint of their content.
//!
//! A guard that another account can write to is only as strong as that account. `hookgate check`
//! prints these warnings; nothing is refused, since a team may share a folder on purpose.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;

use crate::program_pin::ProgramPin;

/// The bits by which accounts other than the owner may write.
#[cfg(unix)]
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// In a folder with this bit only the owner of a file can replace it, as in `/tmp`.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// Returns a warning for each file that accounts other than its owner could change or replace.
///
/// The file, its folder, and behind a link both folders are looked at: an account that can write to a
/// folder can replace the files in it.
pub(crate) fn write_warnings(files: &[&PathBuf]) -> Vec<String> {
    let mut warnings = Vec::new();
    for file in files {
        let real = file.canonicalize().unwrap_or_else(|_| (*file).clone());
        let mut paths = vec![real.as_path()];
        paths.extend(real.parent());
        paths.extend(file.parent());
        for path in paths {
            if let Some(warning) = write_warning(path)
                && !warnings.contains(&warning)
            {
                warnings.push(warning);
            }
        }
    }
    warnings
}

fn write_warning(path: &Path) -> Option<String> {
    let found = path.metadata().ok()?;
    let writers = other_writers(&found)?;
    let shown = path.display();
    Some(if found.is_dir() {
        format!("{writers} can replace files in `{shown}`: run `chmod go-w {shown}`")
    } else {
        format!("{writers} can change `{shown}`: run `chmod go-w {shown}`")
    })
}

/// Windows has lists of who may do what instead of modes; nobody reads them here.
#[cfg(not(unix))]
fn other_writers(_found: &Metadata) -> Option<&'static str> {
    None
}

#[cfg(unix)]
fn other_writers(found: &Metadata) -> Option<&'static str> {
    use std::os::unix::fs::MetadataExt as _;

    if found.is_dir() && found.mode() & STICKY != 0 {
        return None;
    }
    match found.mode() & WRITABLE_BY_OTHERS {
        0 => None,
        0o020 => Some("its group"),
        _ => Some("everybody"),
    }
}

/// Returns a hash of the files that the hook brings along, in hexadecimal: a changed script makes
/// another handler.
pub(crate) fn fingerprint(pins: &[ProgramPin]) -> String {
    let digest = match pins {
        [pin] => pin.fingerprint(),
        pins => {
            let mut hash = hmac_sha256::Hash::new();
            pins.iter().for_each(|pin| hash.update(pin.fingerprint()));
            hash.finalize().to_vec()
        }
    };
    HEXLOWER.encode(&digest)
}
