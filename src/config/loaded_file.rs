//! A file that was read and is right by itself, with those that it includes.

use std::path::PathBuf;
use std::sync::Arc;

use super::disable::Disable;
use super::error::ConfigError;
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
    pub(super) disables: Vec<Disable>,
    /// The files that belong to it.
    pub(super) included: Vec<Included>,
    /// The folders in which they were looked for.
    pub(super) searched: Vec<PathBuf>,
}

impl LoadedFile {
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
        let changed = included
            .map(|Included { path, file }| Ok(Included { path, file: file.change(change)? }));
        self.included = changed.collect::<Result<_, E>>()?;
        Ok(self)
    }

    /// Puts the file and those that belong to it into one list, and notes their paths.
    pub(super) fn flatten(mut self, files: &mut Vec<Self>, paths: &mut Paths) {
        let included = std::mem::take(&mut self.included);
        paths.searched.append(&mut self.searched);
        files.push(self);
        for Included { path, file } in included {
            paths.included.push(path);
            file.flatten(files, paths);
        }
    }
}

/// What was read besides the files that were asked for.
#[derive(Default)]
pub(super) struct Paths {
    pub(super) included: Vec<PathBuf>,
    pub(super) searched: Vec<PathBuf>,
}

/// A file that another one includes.
#[derive(Debug)]
pub(super) struct Included {
    pub(super) path: PathBuf,
    pub(super) file: LoadedFile,
}
