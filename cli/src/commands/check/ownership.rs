//! Which other users could change what decides: the config, the files of its hooks, and the folders
//! that contain them.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

use hookgate::HandlerTable;
use hookgate::config::ConfigError;
use hookgate::watch::folders_of;

use super::entry::{Entry, Level};

/// The permission bits by which other users than the owner may write.
#[cfg(unix)]
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The permission bit of a folder in which only the owner of a file can replace it.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// Returns everything that other users than the current one and the superuser could change, and every
/// script that is a link into the folder that sessions work in. What a warning of the config says
/// already is left out.
pub(super) fn exposed(
    configs: &[PathBuf],
    table: &HandlerTable,
    warnings: &[ConfigError],
) -> Vec<Entry> {
    let hooks = table.specs().flat_map(|hook| hook.files().iter().chain(hook.sources()));
    let files: BTreeSet<PathBuf> = hooks.chain(configs).cloned().collect();
    let mut paths: BTreeSet<PathBuf> =
        files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    for folder in folders_of(&files) {
        paths.extend(folder.ancestors().map(Path::to_path_buf));
    }
    let warnings: Vec<String> = warnings.iter().map(ConfigError::message).collect();
    let new = |exposed: &Entry| {
        let quoted = format!("`{}`", exposed.file);
        !warnings.iter().any(|text| text.contains(&quoted) && text.contains("chmod"))
    };
    let mut found: Vec<_> =
        paths.iter().filter_map(|path| exposed_path(path)).filter(new).collect();
    found.extend(files.iter().filter_map(|file| link_into_session(file, configs)));
    found
}

/// Returns which other user could change a file or a folder.
fn exposed_path(path: &Path) -> Option<Entry> {
    let found = path.metadata().ok()?;
    let shown = path.display();
    let (who, help) = match other_owner(&found) {
        Some(owner) => (format!("user {owner}"), format!("run `chown $USER {shown}`")),
        None => (writers(&found)?.to_owned(), format!("run `chmod go-w {shown}`")),
    };
    let message = if found.is_dir() {
        format!("{who} can replace files of the hooks in `{shown}`")
    } else {
        format!("{who} can change `{shown}`")
    };
    Some(entry(path, message, help))
}

/// Windows has lists of who may do what, and nobody reads them here.
#[cfg(not(unix))]
fn other_owner(_found: &Metadata) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn writers(_found: &Metadata) -> Option<&'static str> {
    None
}

/// Returns the owner, if that is neither the superuser nor the user who runs this.
#[cfg(unix)]
fn other_owner(found: &Metadata) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;

    let ours = rustix::process::geteuid().as_raw();
    Some(found.uid()).filter(|&owner| owner != 0 && owner != ours)
}

#[cfg(unix)]
fn writers(found: &Metadata) -> Option<&'static str> {
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

/// Returns a file that is a link out of the folders of the configs into the current one, in which the
/// session may work.
fn link_into_session(file: &Path, configs: &[PathBuf]) -> Option<Entry> {
    let folder = |config: &PathBuf| std::path::absolute(config).ok()?.parent()?.canonicalize().ok();
    let mut folders = configs.iter().filter_map(folder);
    let session = std::env::current_dir().ok()?.canonicalize().ok()?;
    let real = file.canonicalize().ok()?;
    let named = std::path::absolute(file).ok()?;
    let linked = named.parent()?.canonicalize().ok()?.join(named.file_name()?) != real;
    if !linked || !real.starts_with(&session) || folders.any(|folder| real.starts_with(folder)) {
        return None;
    }
    let message = format!(
        "`{}` is a link to `{}`, in the folder that a session may work in: the agent could change it",
        file.display(),
        real.display()
    );
    Some(entry(file, message, "copy the file to the config's folder".to_owned()))
}

/// Returns the warning about a file or a folder as a whole.
fn entry(path: &Path, message: String, help: String) -> Entry {
    let file = path.display().to_string();
    Entry { code: "exposed_file", level: Level::Warning, file, at: None, message, help: Some(help) }
}
