//! The configs of a run, which are found anew each time they are loaded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::config::Loaded;
use hookgate::reload::ReloadError;
use hookgate::watch::{Places, Source};
use hookgate::{HandlerTable, Registry};

use crate::config::{ConfigArgs, Configs, Named};
use crate::overrides::OverrideArgs;

/// The configs of all layers, with what the command line changes about them. Clones share what was found.
#[derive(Clone)]
pub(super) struct Layers {
    config: ConfigArgs,
    overrides: OverrideArgs,
    registry: Arc<Registry>,
    /// What was found when they were last loaded.
    found: Arc<Mutex<Found>>,
}

struct Found {
    configs: Configs,
    /// The files that they include.
    included: Vec<PathBuf>,
}

impl Layers {
    /// Finds the configs. Without any the run does not begin.
    pub(super) fn find(
        config: &ConfigArgs,
        overrides: &OverrideArgs,
        registry: Arc<Registry>,
    ) -> Self {
        let configs = config.find().unwrap_or_default();
        Self {
            config: config.clone(),
            overrides: overrides.clone(),
            registry,
            found: Arc::new(Mutex::new(Found { configs, included: Vec::new() })),
        }
    }

    /// Returns the files, and those that they include.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        let found = self.found();
        found.configs.files().map(Path::to_path_buf).chain(found.included.iter().cloned()).collect()
    }

    /// Returns what messages call them.
    pub(super) fn name(&self) -> Named {
        self.found().configs.name()
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source for Layers {
    /// Finds them again, and loads them with what the command line changes.
    fn load(&self, in_force: &HandlerTable) -> Result<Loaded, ReloadError> {
        let before = self.found().configs.clone();
        let configs = self.config.find_again(&before);
        let loaded = configs.reload(&self.registry, in_force);
        // Those with mistakes are followed as well.
        self.found().configs = configs;
        let loaded = loaded.and_then(|loaded| self.overrides.apply_to(loaded, &self.registry))?;
        self.found().included =
            loaded.included.iter().filter(|path| path.is_file()).cloned().collect();
        Ok(loaded)
    }

    /// In folders above that of the session so much happens that is none of its business: those are not listened to.
    fn places(&self) -> Places {
        let search = self.config.search();
        let (far, near): (Vec<_>, Vec<_>) =
            search.places().into_iter().partition(|place| search.is_above(place));
        let mut listened: BTreeSet<_> = near.into_iter().map(|place| place.path).collect();
        listened.extend(self.found().configs.files().map(Path::to_path_buf));
        Places { listened, looked_at: far.into_iter().map(|place| place.path).collect() }
    }
}
