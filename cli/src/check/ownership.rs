//! Who could change what decides: the config, what its hooks are made of, and the folders on the
//! way to them.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hookgate::HandlerTable;
use hookgate::config::ConfigError;
use serde_json::{Value, json};

use crate::colour;
use crate::watch::folders_of;

/// The bits by which others than the owner may write.
const OTHERS: u32 = 0o022;

/// In such a folder only the owner of a file can replace it.
const STICKY: u32 = 0o1000;

/// A place that somebody else could change.
#[derive(Debug)]
pub(super) struct Exposed {
    place: PathBuf,
    message: String,
    help: String,
}

impl Exposed {
    /// Tells it on stderr.
    pub(super) fn tell(&self) {
        colour::warning(&format!("{}; {}", self.message, self.help));
    }

    /// As it stands among the warnings.
    pub(super) fn json(&self) -> Value {
        json!({
            "file": self.place.display().to_string(),
            "line": 1,
            "column": 1,
            "message": self.message,
            "help": self.help,
        })
    }
}

/// Everything that others than its user and the superuser could change, and every script that is
/// a link into the folder that sessions work in.
pub(super) fn exposed(config: &Path, table: &HandlerTable, told: &[ConfigError]) -> Vec<Exposed> {
    let hooks = table.specs().flat_map(|hook| hook.files().iter().chain(hook.sources()));
    let files: BTreeSet<PathBuf> = hooks.cloned().chain([config.to_owned()]).collect();
    let mut places: BTreeSet<PathBuf> =
        files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    for folder in folders_of(&files) {
        places.extend(folder.ancestors().map(Path::to_path_buf));
    }
    let told: Vec<String> = told.iter().map(ConfigError::message).collect();
    let new = |exposed: &Exposed| {
        let quoted = format!("`{}`", exposed.place.display());
        !told.iter().any(|text| text.contains(&quoted) && text.contains("chmod"))
    };
    let mut found: Vec<_> = places.iter().filter_map(|place| of(place)).filter(new).collect();
    found.extend(files.iter().filter_map(|file| into_session(file, config)));
    found
}

/// Who but its user and the superuser could change a file or a folder.
fn of(place: &Path) -> Option<Exposed> {
    let found = place.metadata().ok()?;
    let shown = place.display();
    let (who, help) = match stranger(&found) {
        Some(owner) => (format!("user {owner}"), format!("run `chown $USER {shown}`")),
        None => (writers(&found)?.to_owned(), format!("run `chmod go-w {shown}`")),
    };
    let message = if found.is_dir() {
        format!("{who} can replace what the hooks are made of in `{shown}`")
    } else {
        format!("{who} can change `{shown}`")
    };
    Some(Exposed { place: place.to_owned(), message, help })
}

/// The owner, if that is neither the superuser nor who runs this.
fn stranger(found: &Metadata) -> Option<u32> {
    let ours = rustix::process::geteuid().as_raw();
    Some(found.uid()).filter(|&owner| owner != 0 && owner != ours)
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

/// Whether a file is a link out of the config's folder, into the one where this is run: the session
/// that is judged may work there.
fn into_session(file: &Path, config: &Path) -> Option<Exposed> {
    let folder = std::path::absolute(config).ok()?.parent()?.canonicalize().ok()?;
    let session = std::env::current_dir().ok()?.canonicalize().ok()?;
    let real = file.canonicalize().ok()?;
    let named = std::path::absolute(file).ok()?;
    let linked = named.parent()?.canonicalize().ok()?.join(named.file_name()?) != real;
    if !linked || !real.starts_with(&session) || real.starts_with(&folder) {
        return None;
    }
    Some(Exposed {
        message: format!(
            "`{}` is a link to `{}`, in the folder that a session may work in: what is judged could change it",
            file.display(),
            real.display()
        ),
        help: "copy the file to the config's folder".to_owned(),
        place: file.to_owned(),
    })
}
