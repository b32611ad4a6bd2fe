//! What the hooks of a project are made of, and the hash of it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use hookgate::config::{ConfigErrors, LoadedFile, PackReference};
use serde::{Deserialize, Serialize};

use super::describe::Described;
use super::files::files_of;
use super::permissions::{fault, is_of_system};
use super::sum::{sum, sum_of_file, sum_of_parts};
use crate::packs::packs_folder;
use crate::sources::Source;

/// The form of the hash. Another form is another hash: nothing that was trusted before is then.
const FORM: &str = "hookgate trust 1";

/// A config that was read.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    /// Which one.
    pub(crate) source: Source,
    /// Its text, which is read once: what is hashed is what is parsed.
    pub(crate) text: String,
}

impl Text {
    /// Reads a config.
    ///
    /// # Errors
    /// It cannot be read, is too large, or is not UTF-8.
    pub(crate) fn read(source: &Source) -> Result<Self, ConfigErrors> {
        Ok(Self { source: source.clone(), text: source.read()? })
    }
}

/// What a file is to a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileRole {
    /// A config of the layer project.
    Project,
    /// A config of the layer local.
    Local,
    /// A file that a config includes, or a pack that it extends.
    Included,
    /// A file that a hook names: a script, a program, a prompt, a certificate.
    Named,
}

/// A file, with its check sum.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrustedFile {
    /// Its path, from the folder of the project if it is below it.
    pub(crate) path: String,
    /// What it is to the project.
    pub(crate) role: FileRole,
    /// Its check sum: `sha256:…`.
    pub(crate) sum: String,
}

/// What the hooks of a project are made of.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// The folder.
    pub(crate) root: PathBuf,
    /// The hash of all of it, which is the same wherever the folder is: `sha256:…`.
    pub(crate) hash: String,
    /// The files: the configs first.
    pub(crate) files: Vec<TrustedFile>,
    /// The hooks.
    pub(crate) hooks: Vec<Described>,
    /// Why it must not be trusted.
    pub(crate) faults: Vec<String>,
    /// The same files, as absolute paths.
    pub(crate) paths: Vec<PathBuf>,
}

impl Content {
    /// Describes the configs of a folder, with the tables that they have become. What the handlers have read
    /// is a part of the hash of their table, so it does not matter when the files are read here.
    pub(crate) fn of(root: &Path, loaded: &[(&Text, &LoadedFile)]) -> Self {
        let mut content = Self {
            root: root.to_owned(),
            hash: String::new(),
            files: Vec::new(),
            hooks: Vec::new(),
            faults: Vec::new(),
            paths: Vec::new(),
        };
        let mut tables = Vec::new();
        let mut named = BTreeSet::new();
        for (Text { source, text }, loaded) in loaded {
            content.add(&source.file, role_of(source), sum(text));
            let included = loaded.included();
            for file in &included {
                match file.pack {
                    Some(pack) => content.add_pack(pack, file.path),
                    None => content.add(file.path, FileRole::Included, sum(file.text)),
                }
            }
            let included = included.iter().map(|file| (file.path, file.table));
            let own = (source.file.as_path(), loaded.table());
            for (file, table) in std::iter::once(own).chain(included) {
                tables.push(table.config_hash().to_string());
                for hook in table.specs() {
                    let found = files_of(hook, file, root);
                    named.extend(found.files.iter().map(|file| without_parents(file)));
                    content.faults.extend(found.unresolved);
                    content.hooks.push(Described::new(hook, source.layer.name()));
                }
            }
        }
        // What is in a pack is known by the hash of the pack.
        let unpacked = packs_folder();
        named.retain(|file| !unpacked.as_ref().is_some_and(|folder| is_below(file, folder)));
        for file in named {
            if !is_of_system(&file, root) {
                content.add(&file, FileRole::Named, sum_of_file(&file));
            }
        }
        let files = content.files.iter();
        let files: Vec<String> =
            files.map(|file| format!("{:?} {} {}", file.role, file.sum, file.path)).collect();
        let parts = [FORM].into_iter().chain(tables.iter().chain(&files).map(String::as_str));
        content.hash = sum_of_parts(parts);
        content
    }

    /// Adds a pack. It is what its hash says, wherever it is, so nobody else can change it.
    fn add_pack(&mut self, pack: &PackReference, config: &Path) {
        self.paths.push(config.to_owned());
        let (path, sum) = (pack.place().to_owned(), format!("sha256:{}", pack.hash()));
        let file = TrustedFile { path, role: FileRole::Included, sum };
        if !self.files.contains(&file) {
            self.files.push(file);
        }
    }

    /// Adds a file. Its folder is taken without links, as the folder of the project is.
    fn add(&mut self, file: &Path, role: FileRole, sum: String) {
        let file = without_links_above(file, &self.root);
        if self.paths.contains(&file) {
            return;
        }
        if file.to_str().is_none() {
            self.faults.push(format!("the name of `{}` is not UTF-8", file.display()));
        }
        self.faults.extend(fault(&file, &self.root));
        let shown = file.strip_prefix(&self.root).unwrap_or(&file);
        self.files.push(TrustedFile { path: shown.to_string_lossy().into_owned(), role, sum });
        self.paths.push(file);
    }
}

/// Returns the path without `..`. What is before the last of them is followed as the system does it, links and all.
fn without_parents(file: &Path) -> PathBuf {
    let parts: Vec<Component<'_>> = file.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else {
        return file.to_owned();
    };
    let (above, rest) = parts.split_at(last.saturating_add(1));
    let above: PathBuf = above.iter().collect();
    above
        .canonicalize()
        .map_or_else(|_| file.to_owned(), |real| real.join(rest.iter().collect::<PathBuf>()))
}

/// Returns the path so that it begins with the folder of the project, if it is below it by some name. Links
/// below that folder stay as they are written.
fn without_links_above(file: &Path, root: &Path) -> PathBuf {
    if file.starts_with(root) {
        return file.to_owned();
    }
    let mut above = file.ancestors().skip(1);
    let inside = above.find(|folder| folder.canonicalize().is_ok_and(|real| real == root));
    let rest = inside.and_then(|folder| file.strip_prefix(folder).ok());
    rest.map_or_else(|| file.to_owned(), |rest| root.join(rest))
}

/// Tells whether a file is in a folder, by either of their names.
fn is_below(file: &Path, folder: &Path) -> bool {
    let real = folder.canonicalize();
    file.starts_with(folder) || real.is_ok_and(|real| file.starts_with(real))
}

fn role_of(source: &Source) -> FileRole {
    match source.layer {
        hookgate::table::Layer::Local => FileRole::Local,
        _ => FileRole::Project,
    }
}
