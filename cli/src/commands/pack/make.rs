//! Makes a pack of a config and of all that its hooks name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, LoadedFile, base_of, read};
use hookgate::contract::file;
use hookgate_dialects::import;

use crate::executable::is_executable;
use crate::packs::{Archive, ArchiveError, PackedFile};
use crate::trust::{files_of, is_of_system, root_of};
use crate::{foreign, kinds};

/// Why no pack can be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum MakeError {
    /// The config has mistakes.
    #[error("the config has mistakes")]
    Config(ConfigErrors),
    /// It is the config of another agent.
    #[error("`{}` is the config of another agent: `hookgate import` makes a hooks.toml of it", .0.display())]
    Foreign(PathBuf),
    /// It extends a pack.
    #[error("`{}` extends a pack itself, and a pack stands alone: make one of the files of both", .0.display())]
    Extends(PathBuf),
    /// A hook names a file that would not be in the pack.
    #[error("`{}`, which the hook `{hook}` names, is not below `{}`: move it there", .file.display(), .root.display())]
    Outside {
        /// The hook.
        hook: String,
        /// The file.
        file: PathBuf,
        /// The folder of the pack.
        root: PathBuf,
    },
    /// A file cannot be read.
    #[error("`{}`: {error}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the system.
        error: std::io::Error,
    },
    /// The pack would not be one.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// A pack that is being made.
#[derive(Debug)]
pub(super) struct Making {
    root: PathBuf,
    files: BTreeMap<String, PackedFile>,
    /// The programs that whoever extends it must have.
    pub(super) programs: Vec<PathBuf>,
}

/// Makes a pack of a config: of itself, of the files that it includes, and of all files that their hooks name;
/// and of further files, or all files of folders.
///
/// # Errors
/// The config has mistakes, or a file cannot be in the pack.
pub(super) fn make(
    config: &Path,
    more: &[PathBuf],
    name: &str,
) -> Result<(Archive, Making), MakeError> {
    let text = read(config).map_err(MakeError::Config)?;
    if import::is_foreign(config, &text) {
        return Err(MakeError::Foreign(config.to_owned()));
    }
    let registry = kinds::registry();
    let loader = hookgate::config::Loader::new(&registry).allow_unverified();
    let loaded = foreign::read_text(loader, config, &text, true).map_err(MakeError::Config)?;
    let root = root_of(config);
    let mut making = Making { root, files: BTreeMap::new(), programs: Vec::new() };
    // The text that was checked is the text that is packed.
    let own = base_of(config).join(config.file_name().unwrap_or_default());
    making.add(&own, "", Some(text.as_bytes()))?;
    making.add_named(&own, loaded.table())?;
    making.add_included(config, &loaded)?;
    for path in more {
        making.add_all(path)?;
    }
    let config = making.path_of(&own).unwrap_or_default();
    let archive = Archive::new(name, &config, making.files.clone())?;
    Ok((archive, making))
}

impl Making {
    fn add_included(&mut self, config: &Path, loaded: &LoadedFile) -> Result<(), MakeError> {
        for included in loaded.included() {
            if included.pack.is_some() {
                return Err(MakeError::Extends(config.to_owned()));
            }
            let name = included.path.file_name().unwrap_or_default();
            let path = base_of(included.path).join(name);
            self.add(&path, "", Some(included.text.as_bytes()))?;
            self.add_named(&path, included.table)?;
        }
        Ok(())
    }

    /// Adds the files that hooks name.
    fn add_named(
        &mut self,
        config: &Path,
        table: &hookgate::HandlerTable,
    ) -> Result<(), MakeError> {
        for hook in table.specs() {
            for file in files_of(hook, config, &self.root).files {
                let is_inside = self.path_of(&file).is_some();
                if !is_inside && (is_of_system(&file, &self.root) || is_on_path(&file)) {
                    if !self.programs.contains(&file) {
                        self.programs.push(file);
                    }
                    continue;
                }
                self.add(&file, hook.id().as_str(), None)?;
            }
        }
        Ok(())
    }

    /// Adds a file, or all files of a folder but hidden ones.
    fn add_all(&mut self, path: &Path) -> Result<(), MakeError> {
        let failed = |error| MakeError::Read { file: path.to_owned(), error };
        let absolute = path.canonicalize().map_err(failed)?;
        if !absolute.is_dir() {
            return self.add(&absolute, "", None);
        }
        let entries = fs::read_dir(&absolute).map_err(failed)?;
        let mut inner: Vec<PathBuf> = Vec::new();
        for entry in entries {
            inner.push(entry.map_err(failed)?.path());
        }
        inner.sort();
        let is_hidden = |path: &&PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        };
        inner.iter().filter(|path| !is_hidden(path)).try_for_each(|path| self.add_all(path))
    }

    /// Returns the path of a file in the pack: it is below the folder, without links that lead out of it.
    fn path_of(&self, file: &Path) -> Option<String> {
        let real = file.canonicalize().ok()?;
        // The folder may have a link in its path; below it the file keeps the name that the hook uses.
        let named = file.parent()?.canonicalize().ok()?.join(file.file_name()?);
        let inside = named.strip_prefix(&self.root).ok()?;
        real.starts_with(&self.root).then(|| inside.to_str().map(str::to_owned))?
    }

    fn add(&mut self, file: &Path, hook: &str, content: Option<&[u8]>) -> Result<(), MakeError> {
        let failed = |error| MakeError::Read { file: file.to_owned(), error };
        let outside = || MakeError::Outside {
            hook: hook.to_owned(),
            file: file.to_owned(),
            root: self.root.clone(),
        };
        let found = fs::metadata(file).map_err(failed)?;
        if !found.is_file() {
            return Ok(());
        }
        let path = self.path_of(file).ok_or_else(outside)?;
        let content = match content {
            Some(content) => content.to_vec(),
            None => file::read(file, file::LIMIT).map_err(failed)?,
        };
        let is_executable = is_executable(&found, &content);
        self.files.entry(path).or_insert(PackedFile { content, is_executable });
        Ok(())
    }
}

/// Tells whether a file is a program that is found by its name.
fn is_on_path(file: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folder = file.parent();
    std::env::split_paths(&path).any(|on| on.is_absolute() && Some(on.as_path()) == folder)
}
