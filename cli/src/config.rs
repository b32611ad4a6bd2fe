//! The config that a verb works with.

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigError, ConfigErrors, Loaded, Loader};
use hookgate::{HandlerTable, Registry};
use hookgate_eval::Meter;
use miette::Severity;
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::foreign;
use crate::kinds::note_files;
pub(crate) use crate::kinds::{registry, registry_at};
use crate::terminal::diagnostics;
use crate::terminal::phrase::count;

/// Which config a verb works with.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ConfigArgs {
    /// The hooks: a hooks.toml, or the hook config of another agent, such as .claude/settings.json
    #[arg(short = 'c', long = "config", value_name = "FILE", default_value = "hooks.toml")]
    pub(crate) path: PathBuf,
    /// A failed hook of another agent's config refuses the step, as one of a hooks.toml does
    #[arg(long)]
    pub(crate) strict: bool,
}

impl ConfigArgs {
    /// The config at a path.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned(), strict: false }
    }

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
        let Loaded { table, warnings, .. } = load_or_print(self, registry)?;
        print_warnings(&warnings);
        Ok(table)
    }
}

/// Loads a config, and prints the mistakes. Warnings are left to the verbs that call its hooks.
pub(crate) fn load_table(path: &Path, registry: &Registry) -> Result<HandlerTable, Abort> {
    load_or_print(&ConfigArgs::at(path), registry).map(|loaded| loaded.table)
}

fn load_or_print(config: &ConfigArgs, registry: &Registry) -> Result<Loaded, Abort> {
    load(config, registry).map_err(|errors| {
        diagnostics::print(errors.errors(), Severity::Error);
        invalid_config(&config.path, &errors)
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
pub(crate) fn load(config: &ConfigArgs, registry: &Registry) -> Result<Loaded, ConfigErrors> {
    load_with(config, Loader::new(registry))
}

/// Loads a config again; hooks that have not changed keep their handlers.
pub(crate) fn reload(
    config: &ConfigArgs,
    registry: &Registry,
    earlier: &HandlerTable,
) -> Result<Loaded, ConfigErrors> {
    load_with(config, Loader::new(registry).keeping(earlier))
}

/// Loads a config, and notes its files, which can be in force now.
fn load_with(config: &ConfigArgs, loader: Loader<'_>) -> Result<Loaded, ConfigErrors> {
    let loaded = foreign::load(loader.allow_unverified(), &config.path, config.strict)?;
    note_files(&config.path, &loaded.table);
    Ok(loaded)
}

/// Returns a mistake as an entry of a JSON report.
pub(crate) fn mistake_json(error: &ConfigError) -> Value {
    json!({
        "file": error.file(),
        "line": error.line(),
        "column": error.column(),
        "message": error.message(),
        "help": error.help(),
    })
}

/// Returns the error of a verb that has printed these mistakes.
pub(crate) fn invalid_config(path: &Path, errors: &ConfigErrors) -> Abort {
    let errors = count(errors.errors().len(), "error");
    Abort::invalid_config(format!(
        "`{}` has {errors}: none of its hooks is in force",
        path.display()
    ))
}
