//! What somebody who checks a config should know about the files that a hook runs.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::line::Line;

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

/// What the hook brings along, its script or its own program. Programs of the system are known by
/// name only, so that the same files are the same hook on every machine.
pub(crate) fn own<'a>(line: &'a Line, base: &Path) -> Option<&'a PathBuf> {
    line.script().or_else(|| line.program.starts_with(base).then_some(&line.program))
}

/// A hash of a file: a changed script is another handler.
pub(crate) fn fingerprint(own: Option<&PathBuf>) -> String {
    let mut hash = hmac_sha256::Hash::new();
    if let Some(own) = own {
        match std::fs::read(own) {
            Ok(bytes) => hash.update(bytes),
            // What may be run need not be readable; when it was changed must do then.
            Err(_) => hash.update(format!("{:?}", own.metadata().and_then(|it| it.modified()))),
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
