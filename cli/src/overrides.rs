//! What one run adds to its config, or goes without.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::config::{ConfigError, ConfigErrors, Loaded, Loader, Overrides};
use hookgate::{HandlerTable, Mode, Registry};
use miette::Severity;
use serde_json::json;

use crate::abort::Abort;
use crate::terminal::diagnostics;
use crate::terminal::phrase::count;

/// The word for all hooks.
const ALL: &str = "all";

/// Changes to the hooks for one run. Nothing is guarded by it, so hooks of every layer are reached.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "For this run only")]
pub(crate) struct OverrideArgs {
    /// Go without this hook
    #[arg(long, value_name = "ID")]
    disable: Vec<String>,
    /// Let the decisions of this hook, or of `all`, be recorded and not count
    #[arg(long, value_name = "ID")]
    shadow: Vec<String>,
    /// Add hooks, or go without some: {"entries": [{"id": …}], "disable": ["…"], "shadow": ["…"]}
    #[arg(long, value_name = "JSON")]
    hooks_override_json: Vec<String>,
    /// The same from a file; relative paths in it begin at its folder
    #[arg(long, value_name = "FILE")]
    hooks_override_file: Vec<PathBuf>,
}

impl OverrideArgs {
    /// Changes a table, and prints the mistakes and the warnings.
    ///
    /// # Errors
    /// An override is not valid, or names a hook that is not there.
    pub(crate) fn apply(
        &self,
        table: HandlerTable,
        registry: &Registry,
    ) -> Result<HandlerTable, Abort> {
        let ids: Vec<&str> = table.specs().map(|spec| spec.id().as_str()).collect();
        let named = self.disable.iter().chain(self.shadow.iter().filter(|id| *id != ALL));
        for id in named {
            // One that an override adds is looked for later.
            if !ids.contains(&id.as_str()) && self.is_plain() {
                return Err(Abort::unknown_name("hook", id, &ids));
            }
        }
        let (table, warnings) = self.derive(table, registry).map_err(|errors| {
            diagnostics::print(errors.errors(), Severity::Error);
            let errors = count(errors.errors().len(), "error");
            Abort::invalid_config(format!("the override has {errors}: nothing was evaluated"))
        })?;
        diagnostics::print(&warnings, Severity::Warning);
        Ok(table)
    }

    /// Changes a table that was loaded.
    ///
    /// # Errors
    /// An override is not valid, or names a hook that is not there.
    pub(crate) fn apply_to(
        &self,
        mut loaded: Loaded,
        registry: &Registry,
    ) -> Result<Loaded, ConfigErrors> {
        let warnings;
        (loaded.table, warnings) = self.derive(loaded.table, registry)?;
        loaded.warnings.extend(warnings);
        Ok(loaded)
    }

    /// Whether hooks are to count less than their config says.
    pub(crate) fn weaken(&self) -> bool {
        !self.is_plain() || !self.disable.is_empty() || !self.shadow.is_empty()
    }

    fn derive(
        &self,
        mut table: HandlerTable,
        registry: &Registry,
    ) -> Result<(HandlerTable, Vec<ConfigError>), ConfigErrors> {
        let loader = Loader::new(registry).allow_unverified();
        let here = Path::new(".");
        let texts = self.hooks_override_json.iter();
        let texts = texts.map(|text| Overrides::parse("--hooks-override-json", text, here));
        let files = self.hooks_override_file.iter().map(|file| Overrides::load(file));
        let mut warnings = Vec::new();
        for overrides in texts.chain(files) {
            let overrides = overrides?.reaching_all_layers();
            let derived = loader.derive(&Arc::new(table), &overrides)?;
            table = derived.table;
            warnings.extend(derived.warnings);
        }
        if !self.disable.is_empty() || !self.shadow.is_empty() {
            let flags = self.flags(&table).to_string();
            let overrides = Overrides::parse("--disable, --shadow", &flags, here)?;
            table = loader.derive(&Arc::new(table), &overrides.reaching_all_layers())?.table;
        }
        Ok((table, warnings))
    }

    fn is_plain(&self) -> bool {
        self.hooks_override_json.is_empty() && self.hooks_override_file.is_empty()
    }

    /// Returns the flags as an override.
    fn flags(&self, table: &HandlerTable) -> serde_json::Value {
        let all = self.shadow.iter().any(|id| id == ALL);
        let shadow: Vec<String> = match all {
            true => {
                let counts = table.specs().filter(|spec| spec.mode() != Mode::Off);
                counts.map(|spec| spec.id().to_string()).collect()
            }
            false => self.shadow.clone(),
        };
        json!({"disable": self.disable, "shadow": shadow})
    }
}
