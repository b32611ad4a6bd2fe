//! A file that was read and is right by itself, with those that it includes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::disable::Disable;
use super::error::ConfigError;
use super::lost_history::LostHistory;
use super::pack_reference::PackReference;
use super::source::Source;
use crate::table::{HandlerTable, Layer};

/// A file that was read and is right by itself, with what it wants of the files beside it. [`join`](super::join) makes a
/// table of one or several.
#[derive(Debug)]
pub struct LoadedFile {
    pub(super) layer: Layer,
    pub(super) source: Arc<Source>,
    pub(super) table: HandlerTable,
    pub(super) warnings: Vec<ConfigError>,
    /// The mistakes of hooks that were set aside.
    pub(super) set_aside: Vec<ConfigError>,
    /// Whether one of them would have kept what other hooks test.
    pub(super) lost_history: Option<LostHistory>,
    pub(super) disables: Vec<Disable>,
    /// The files that belong to it.
    pub(super) included: Vec<Included>,
    /// The folders in which they were looked for.
    pub(super) searched: Vec<PathBuf>,
    /// Whether it is a part of a pack.
    pub(super) is_of_pack: bool,
}

impl LoadedFile {
    /// Returns the table of the file alone: its hooks and what they are made of.
    #[must_use]
    pub const fn table(&self) -> &HandlerTable {
        &self.table
    }

    /// Returns the packs that it extends and the files that it includes, and those that they include, in order:
    /// each as it was read.
    #[must_use]
    pub fn included(&self) -> Vec<IncludedFile<'_>> {
        let mut all = Vec::new();
        for Included { path, file, pack } in &self.included {
            let pack = pack.as_ref().map(|pack| &pack.reference);
            all.push(IncludedFile { path, text: file.source.text(), table: &file.table, pack });
            // What a pack includes is a part of it.
            all.extend(
                file.included()
                    .into_iter()
                    .map(|below| IncludedFile { pack: pack.or(below.pack), ..below }),
            );
        }
        all
    }

    /// Changes the table of the file before it is joined with others, and the tables of those that it
    /// includes: replaces hooks that must not be called, for example.
    ///
    /// # Errors
    /// That of the change.
    pub fn map_table<E>(
        self,
        mut change: impl FnMut(HandlerTable) -> Result<HandlerTable, E>,
    ) -> Result<Self, E> {
        self.change(&mut change)
    }

    fn change<E>(
        mut self,
        change: &mut dyn FnMut(HandlerTable) -> Result<HandlerTable, E>,
    ) -> Result<Self, E> {
        self.table = change(self.table)?;
        let included = std::mem::take(&mut self.included).into_iter();
        let changed = included.map(|Included { path, file, pack }| {
            Ok(Included { path, file: file.change(change)?, pack })
        });
        self.included = changed.collect::<Result<_, E>>()?;
        Ok(self)
    }

    /// Puts the file and those that belong to it into one list, and notes what else was found. The packs that it
    /// extends come before it.
    pub(super) fn flatten(mut self, files: &mut Vec<Self>, found: &mut Found) {
        let included = std::mem::take(&mut self.included);
        let (packs, included): (Vec<_>, Vec<_>) =
            included.into_iter().partition(|included| included.pack.is_some());
        found.searched.append(&mut self.searched);
        found.set_aside.append(&mut self.set_aside);
        for Included { path, file, pack } in packs {
            found.included.push(path);
            found.included.extend(pack.and_then(|pack| pack.file));
            file.flatten(files, found);
        }
        files.push(self);
        for Included { path, file, .. } in included {
            found.included.push(path);
            file.flatten(files, found);
        }
    }
}

/// A file that another one includes, as it was read.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct IncludedFile<'f> {
    /// Its path.
    pub path: &'f Path,
    /// Its text.
    pub text: &'f str,
    /// The table of the file alone.
    pub table: &'f HandlerTable,
    /// The pack that it is a part of.
    pub pack: Option<&'f PackReference>,
}

/// What was found in files beside their tables.
#[derive(Default)]
pub(super) struct Found {
    pub(super) set_aside: Vec<ConfigError>,
    pub(super) included: Vec<PathBuf>,
    pub(super) searched: Vec<PathBuf>,
}

/// A file that another one includes.
#[derive(Debug)]
pub(super) struct Included {
    pub(super) path: PathBuf,
    pub(super) file: LoadedFile,
    /// If it is the config of a pack: which one.
    pub(super) pack: Option<OfPack>,
}

/// Where a config of a pack comes from.
#[derive(Debug)]
pub(super) struct OfPack {
    pub(super) reference: PackReference,
    /// The file of the pack, if there is one that may change.
    pub(super) file: Option<PathBuf>,
}
