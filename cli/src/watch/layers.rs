//! The configs of a run, which are found anew each time they are loaded.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::config::Loaded;
use hookgate::reload::ReloadError;
use hookgate::{HandlerTable, Registry};

use crate::config::{ConfigArgs, Configs, Named};
use crate::overrides::OverrideArgs;
use crate::sources::Search;

/// The configs of all layers, with what the command line changes about them.
pub(super) struct Layers {
    config: ConfigArgs,
    overrides: OverrideArgs,
    /// What was found when they were last loaded.
    found: Mutex<Found>,
}

struct Found {
    configs: Configs,
    /// The files that they include, and the folders in which more of them may appear.
    belonging: BTreeSet<PathBuf>,
}

impl Layers {
    /// Finds the configs. Without any the run does not begin.
    pub(super) fn find(config: &ConfigArgs, overrides: &OverrideArgs) -> Self {
        let configs = config.find().unwrap_or_default();
        Self {
            config: config.clone(),
            overrides: overrides.clone(),
            found: Mutex::new(Found { configs, belonging: BTreeSet::new() }),
        }
    }

    /// Finds them again, and loads them with what the command line changes.
    ///
    /// # Errors
    /// The mistakes of all files.
    pub(super) fn load(
        &self,
        registry: &Arc<Registry>,
        in_force: &HandlerTable,
    ) -> Result<Loaded, ReloadError> {
        let before = self.found().configs.clone();
        let configs = self.config.find_again(&before);
        let loaded = configs.reload(registry, in_force);
        // Those with mistakes are followed as well.
        self.found().configs = configs;
        let loaded = loaded.and_then(|loaded| self.overrides.apply_to(loaded, registry))?;
        self.found().belonging = loaded.included.iter().chain(&loaded.searched).cloned().collect();
        Ok(loaded)
    }

    /// Returns the files, and those that they include.
    pub(super) fn written(&self) -> Vec<PathBuf> {
        let found = self.found();
        let included = found.belonging.iter().filter(|path| path.is_file()).cloned();
        found.configs.files().map(Path::to_path_buf).chain(included).collect()
    }

    /// Returns the files, those that they include, and the folders in which they look for more.
    pub(super) fn files(&self) -> BTreeSet<PathBuf> {
        let found = self.found();
        let belonging = found.belonging.iter().cloned();
        found.configs.files().map(Path::to_path_buf).chain(belonging).collect()
    }

    /// Returns what messages call them.
    pub(super) fn name(&self) -> Named {
        self.found().configs.name()
    }

    /// Returns where they are looked for.
    pub(super) fn search(&self) -> Search {
        self.config.search()
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
