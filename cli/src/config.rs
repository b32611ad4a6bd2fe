//! The config that a verb works with.

use std::path::{Path, PathBuf};

use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::{Engine, HandlerTable, Registry};
use miette::Severity;

use crate::abort::Abort;
use crate::diagnostics;
use crate::text::count;

/// Which config.
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    /// The hooks
    #[arg(short = 'c', long = "config", value_name = "FILE", default_value = "hooks.toml")]
    pub(crate) path: PathBuf,
}

impl ConfigArgs {
    /// Loads the table; says what is wrong with it, and what is worth knowing.
    pub(crate) fn load(&self, registry: &Registry) -> Result<HandlerTable, Abort> {
        match load(&self.path, registry) {
            Ok(loaded) => {
                diagnostics::print(&loaded.warnings, Severity::Warning);
                Ok(loaded.table)
            }
            Err(errors) => {
                diagnostics::print(errors.errors(), Severity::Error);
                Err(invalid(&self.path, &errors))
            }
        }
    }
}

/// A registry with every kind of handler that the command line has.
pub(crate) fn registry() -> Registry {
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    registry.add(hookgate::command::kind());
    registry.add(hookgate::http::kind());
    registry.add(hookgate::prompt::kind());
    registry
}

/// Loads a config as the command line sees it: what only an embedder registers is unverified.
pub(crate) fn load(path: &Path, registry: &Registry) -> Result<Loaded, ConfigErrors> {
    Loader::new(registry).allow_unverified().load(path)
}

/// Loads a config anew; hooks that have not changed keep their handlers.
pub(crate) fn reload(
    path: &Path,
    registry: &Registry,
    engine: &Engine,
) -> Result<Loaded, ConfigErrors> {
    let earlier = engine.table();
    Loader::new(registry).allow_unverified().keeping(&earlier).load(path)
}

/// How a verb ends that found these mistakes and has printed them.
pub(crate) fn invalid(path: &Path, errors: &ConfigErrors) -> Abort {
    let number = count(errors.errors().len(), "error");
    Abort::invalid_config(format!("`{}` has {number}: no hook of it is in force", path.display()))
}
