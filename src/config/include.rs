//! `include`: other files that belong to a hooks.toml.
//!
//! ```toml
//! include = ["more.toml", "policies/*.toml"]
//! ```
//!
//! They are of the layer of the file that includes them, and come after it, in the order of the list; the
//! files of a pattern come by their names. Each file counts once. A test file (`*_test.toml`) or a hidden
//! file is none that a pattern means.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hookgate_contract::settings::Settings;

use super::Loader;
use super::error::ConfigError;
use super::include_problem::{IncludeProblem, MOST};
use super::loaded_file::Included;
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::spans::item_spans;

/// The key at the top of the file.
pub(super) const INCLUDE: &str = "include";

/// The characters that make a name a pattern.
const WILD: [char; 4] = ['*', '?', '[', '{'];

/// How the name of a test file ends, before `.toml`.
const TEST: &str = "_test";

/// An entry of a list of files.
#[derive(Debug, Clone)]
pub(super) struct FileEntry {
    pub(super) written: String,
    pub(super) span: Range<usize>,
}

/// Reads a list of files that belong to a file.
pub(super) fn read_entries(settings: &mut Settings<'_>, key: &'static str) -> Vec<FileEntry> {
    let written = settings.one_or_more(key).unwrap_or_default();
    let spans = item_spans(settings, key);
    let entries = written.into_iter().zip(spans);
    entries.map(|(written, span)| FileEntry { written: written.to_owned(), span }).collect()
}

/// Returns what tells the names that a pattern means; `None` if it cannot be read.
#[cfg(feature = "globs")]
fn matcher(pattern: &str) -> Option<impl Fn(&OsStr) -> bool> {
    let glob = globset::Glob::new(pattern).ok()?.compile_matcher();
    Some(move |name: &OsStr| glob.is_match(name))
}

/// Without globs no pattern is read.
#[cfg(not(feature = "globs"))]
fn matcher(_: &str) -> Option<fn(&OsStr) -> bool> {
    None
}

/// What belongs to a file.
#[derive(Debug, Default)]
pub(super) struct Belonging {
    pub(super) files: Vec<Included>,
    /// The folders in which patterns have looked.
    pub(super) folders: Vec<PathBuf>,
    /// The mistakes of the files.
    pub(super) errors: Vec<ConfigError>,
}

impl Belonging {
    /// Adds what else belongs to it.
    pub(super) fn add(&mut self, mut more: Self) {
        self.files.append(&mut more.files);
        self.folders.append(&mut more.folders);
        self.errors.append(&mut more.errors);
    }
}

/// Which files were read on the way to one, and before.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Each includes the next one.
    pub(super) above: Vec<PathBuf>,
    pub(super) known: BTreeSet<PathBuf>,
    /// The folder of the pack that is read: what it includes is in there.
    pub(super) pack: Option<PathBuf>,
}

impl Trail {
    /// Begins at a file.
    pub(super) fn of(path: &Path) -> Self {
        let path = identity(path);
        Self { above: vec![path.clone()], known: BTreeSet::from([path]), pack: None }
    }

    /// Returns the files that an entry means and that are not known yet, and the folder of a pattern.
    fn resolve(
        &mut self,
        folder: &Path,
        include: &FileEntry,
    ) -> Result<(Vec<PathBuf>, Option<PathBuf>), IncludeProblem> {
        let written = &include.written;
        let path = folder.join(written);
        let (meant, searched) = if written.contains(WILD) {
            let (files, searched) = self.matching(&path, written)?;
            (files, Some(searched))
        } else if path.exists() {
            (vec![path], None)
        } else {
            return Err(IncludeProblem::Missing(written.clone()));
        };
        let mut new = Vec::new();
        for file in meant {
            let identity = identity(&file);
            if self.pack.as_ref().is_some_and(|pack| !identity.starts_with(pack)) {
                return Err(IncludeProblem::OutOfPack(written.clone()));
            }
            if self.above.contains(&identity) {
                return Err(IncludeProblem::Circle(file.display().to_string()));
            }
            if self.known.insert(identity) {
                new.push(file);
            }
        }
        // The file itself is known, too.
        if self.known.len() > MOST + 1 { Err(IncludeProblem::TooMany) } else { Ok((new, searched)) }
    }

    /// Returns the files that a pattern means, by their names, and their folder. A file does not mean itself.
    fn matching(
        &self,
        path: &Path,
        written: &str,
    ) -> Result<(Vec<PathBuf>, PathBuf), IncludeProblem> {
        let wrong = || IncludeProblem::Pattern(written.to_owned());
        let folder = path.parent().ok_or_else(wrong)?;
        let name = path.file_name().and_then(OsStr::to_str).ok_or_else(wrong)?;
        if Path::new(written).parent().is_some_and(|of| of.to_string_lossy().contains(WILD)) {
            return Err(wrong());
        }
        let glob = matcher(name).ok_or_else(wrong)?;
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let is_meant = |name: &OsStr| {
            let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
            !stem.starts_with('.') && !stem.ends_with(TEST) && glob(name)
        };
        // A folder whose entries are not all known may hold another guard.
        let unread = |error: std::io::Error| {
            if error.kind() == std::io::ErrorKind::NotFound {
                return IncludeProblem::NoMatch(written.to_owned());
            }
            IncludeProblem::Unreadable(written.to_owned(), error.to_string())
        };
        let entries = std::fs::read_dir(here).map_err(unread)?;
        let names: Vec<_> = entries
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<Result<_, _>>()
            .map_err(unread)?;
        // A folder with the name of a config is a mistake, which is told when it is read.
        let is_other = |file: &Path| file.is_dir() && file.extension().is_none();
        let mut files: Vec<PathBuf> = names
            .iter()
            .filter(|name| is_meant(name))
            .map(|name| folder.join(name))
            .filter(|file| !is_other(file) && self.above.last() != Some(&identity(file)))
            .collect();
        files.sort();
        match files.is_empty() {
            true => Err(IncludeProblem::NoMatch(written.to_owned())),
            false => Ok((files, here.to_owned())),
        }
    }
}

/// Returns the one path of a file.
pub(super) fn identity(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

impl Loader<'_> {
    /// Reads the files that belong to one. A mistake of an entry is reported where it is written; what it
    /// names is relative to the folder of the file.
    pub(super) fn read_includes(
        &self,
        reader: &mut Reader<'_>,
        includes: &[FileEntry],
        folder: &Path,
        trail: &mut Trail,
    ) -> Belonging {
        let mut found = Belonging::default();
        for include in includes {
            let files = match trail.resolve(folder, include) {
                Ok((files, searched)) => {
                    found.folders.extend(searched);
                    files
                }
                Err(problem) => {
                    reader.error(include.span.clone(), ConfigProblem::Include(problem));
                    continue;
                }
            };
            for path in files {
                trail.above.push(identity(&path));
                match self.read_path(&path, trail) {
                    Ok(file) => found.files.push(Included { path, file, pack: None }),
                    Err(errors) => found.errors.extend(errors.into_errors()),
                }
                trail.above.pop();
            }
        }
        found
    }
}
