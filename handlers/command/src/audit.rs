//! What somebody who checks a config should know about the files that a hook runs.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::pin::Pin;

/// The bits by which others than the owner may write.
const OTHERS: u32 = 0o022;

/// In such a folder only the owner of a file can replace it.
const STICKY: u32 = 0o1000;

/// Warns of each file that others than its owner could change or replace.
pub(crate) fn warnings(files: &[&PathBuf]) -> Vec<String> {
    let mut warnings = Vec::new();
    for file in files {
        // Behind a link both the link and the file can be replaced.
        let real = file.canonicalize().unwrap_or_else(|_| (*file).clone());
        let mut places = vec![real.as_path()];
        places.extend(real.parent());
        places.extend(file.parent());
        for place in places {
            if let Some(warning) = of(place)
                && !warnings.contains(&warning)
            {
                warnings.push(warning);
            }
        }
    }
    warnings
}

fn of(path: &Path) -> Option<String> {
    let found = path.metadata().ok()?;
    let who = writers(&found)?;
    let shown = path.display();
    Some(if found.is_dir() {
        format!("{who} can replace files in `{shown}`: run `chmod go-w {shown}`")
    } else {
        format!("{who} can change `{shown}`: run `chmod go-w {shown}`")
    })
}

fn writers(found: &Metadata) -> Option<&'static str> {
    if found.is_dir() && found.mode() & STICKY != 0 {
        return None;
    }
    match found.mode() & OTHERS {
        0 => None,
        0o020 => Some("its group"),
        _ => Some("everybody"),
    }
}

/// A hash of the files that the hook brings along: a changed script is another handler.
pub(crate) fn fingerprint(own: &[Pin]) -> String {
    let mut hash = hmac_sha256::Hash::new();
    let digest = match own {
        [one] => one.fingerprint(),
        all => {
            all.iter().for_each(|pin| hash.update(pin.fingerprint()));
            hash.finalize().to_vec()
        }
    };
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
