//! The config that a verb works with.

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigError, ConfigErrors, Loaded, Loader};
use hookgate::{HandlerTable, Registry};
use hookgate_eval::Meter;
use miette::Severity;

use crate::abort::Abort;
use crate::kinds::note_files;
pub(crate) use crate::kinds::{registry, registry_at};
use crate::terminal::diagnostics;
use crate::terminal::phrase::count;

/// Which config a verb works with.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// The hooks
    #[arg(short = 'c', long = "config", value_name = "FILE", default_value = "hooks.toml")]
    pub(crate) path: PathBuf,
}

impl ConfigArgs {
    /// Loads the table, and prints the mistakes and the warnings.
    pub(crate) fn load(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        self.load_and(registry, |warnings| diagnostics::print(warnings, Severity::Warning))
    }

    /// Loads the table, and prints the mistakes only.
    pub(crate) fn load_quietly(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        self.load_and(registry, |_| {})
    }

    fn load_and(
        &self,
        registry: &Registry,
        print_warnings: impl FnOnce(&[ConfigError]),
    ) -> Result<HandlerTable, Abort> {
        let Loaded { table, warnings, .. } = load_or_print(&self.path, registry)?;
        print_warnings(&warnings);
        Ok(table)
    }
}

/// Loads a config, and prints the mistakes. Warnings are left to the verbs that call its hooks.
pub(crate) fn load_table(path: &Path, registry: &Registry) -> Result<HandlerTable, Abort> {
    load_or_print(path, registry).map(|loaded| loaded.table)
}

fn load_or_print(path: &Path, registry: &Registry) -> Result<Loaded, Abort> {
    load(path, registry).map_err(|errors| {
        diagnostics::print(errors.errors(), Severity::Error);
        invalid_config(path, &errors)
    })
}

/// Returns the same registry with judges that report what they take.
pub(crate) fn metered_registry(meter: &Meter) -> Result<Registry, Abort> {
    let registry = registry();
    registry
        .register(hookgate::prompt::KIND, meter.judge_factory())
        .map_err(|error| Abort::failure(error.to_string()))?;
    Ok(registry)
}

/// Loads a config. Kinds and events that only an embedder registers are warnings.
pub(crate) fn load(path: &Path, registry: &Registry) -> Result<Loaded, ConfigErrors> {
    noted(path, Loader::new(registry).allow_unverified().load(path))
}

/// Loads a config again; hooks that have not changed keep their handlers.
pub(crate) fn reload(
    path: &Path,
    registry: &Registry,
    earlier: &HandlerTable,
) -> Result<Loaded, ConfigErrors> {
    noted(path, Loader::new(registry).allow_unverified().keeping(earlier).load(path))
}

/// Notes the files of a config that can be in force now.
fn noted(path: &Path, loaded: Result<Loaded, ConfigErrors>) -> Result<Loaded, ConfigErrors> {
    if let Ok(loaded) = &loaded {
        note_files(path, &loaded.table);
    }
    loaded
}

/// Returns the error of a verb that has printed these mistakes.
pub(crate) fn invalid_config(path: &Path, errors: &ConfigErrors) -> Abort {
    let errors = count(errors.errors().len(), "error");
    Abort::invalid_config(format!(
        "`{}` has {errors}: none of its hooks is in force",
        path.display()
    ))
}
