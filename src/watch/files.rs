//! The files that a host has named, or finds.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Places, Source};
use crate::config::{Loaded, Loader, Packs};
use crate::registry::Registry;
use crate::reload::ReloadError;
use crate::table::{HandlerTable, Layer};

/// What finds files, each time that they are looked at.
pub(super) type Find = dyn Fn() -> Vec<(Layer, PathBuf)> + Send + Sync;

/// Files, each of a layer.
pub(super) struct Files {
    pub(super) registry: Arc<Registry>,
    pub(super) named: Vec<Named>,
    pub(super) finds: Vec<Box<Find>>,
    pub(super) packs: Option<Box<dyn Packs + Send>>,
    /// The files that were loaded: an optional one of them may not go any more.
    pub(super) known: Mutex<BTreeSet<PathBuf>>,
}

pub(super) struct Named {
    pub(super) layer: Layer,
    pub(super) path: PathBuf,
    /// Whether it need not be there.
    pub(super) is_optional: bool,
}

impl Files {
    fn known(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn found(&self) -> impl Iterator<Item = (Layer, PathBuf)> {
        self.finds.iter().flat_map(|find| find())
    }
}

impl Source for Files {
    fn load(&self, in_force: &HandlerTable) -> Result<Loaded, ReloadError> {
        let counts = |named: &&Named| {
            !named.is_optional || is_there(&named.path) || self.known().contains(&named.path)
        };
        let named: Vec<&Named> = self.named.iter().filter(counts).collect();
        let files: Vec<_> = named
            .iter()
            .map(|named| (named.layer, named.path.clone()))
            .chain(self.found())
            .collect();
        let loader = Loader::new(&self.registry).keeping(in_force);
        let loader = match &self.packs {
            Some(packs) => loader.packs(&**packs),
            None => loader,
        };
        let loaded = loader.load_layers(&files)?;
        self.known().extend(named.iter().map(|named| named.path.clone()));
        Ok(loaded)
    }

    fn places(&self) -> Places {
        let named = self.named.iter().map(|named| named.path.clone());
        let listened = named.chain(self.found().map(|(_, path)| path)).collect();
        Places { listened, looked_at: BTreeSet::new() }
    }
}

/// Whether something is there, such as a link that leads nowhere: what cannot be read is a mistake, and no file less.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().map_or_else(|error| error.kind() != ErrorKind::NotFound, |_| true)
}
