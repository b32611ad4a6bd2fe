//! What one run adds to its config, or goes without.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::config::{ConfigError, ConfigErrors, Loaded, Loader, Overrides};
use hookgate::require::Require;
use hookgate::table::Layer;
use hookgate::{Engine, HandlerTable, HookSpec, Mode, Registry};
use miette::Severity;
use serde_json::json;

use crate::abort::Abort;
use crate::terminal::phrase::count;
use crate::terminal::{diagnostics, stderr};

/// The word for all hooks.
const ALL: &str = "all";

/// Which hooks can be made to count less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Hooks of every layer: nothing is guarded by the run.
    All,
    /// Those of the lowest layer: no override takes a guard away from those who bind more.
    Lowest,
}

impl Reach {
    fn has(self, spec: &HookSpec) -> bool {
        self == Self::All || spec.origin().layer() == Layer::CommandLine
    }
}

/// A table that was changed.
struct Derived {
    table: HandlerTable,
    warnings: Vec<ConfigError>,
    /// The events that would have to be guarded, each with why it is not.
    forgotten: Vec<(String, String)>,
}

fn unguarded(table: &HandlerTable) -> Vec<(String, String)> {
    let found = table.unguarded().into_iter();
    found.map(|(event, why)| (event.to_owned(), why.to_string())).collect()
}

/// Returns a table that requires nothing.
fn without_requirements(table: HandlerTable) -> HandlerTable {
    let engine = Engine::new(table);
    // To require less is no mistake; a table that requires more than it should is strict.
    let _ = engine.set_require(Require::default());
    HandlerTable::clone(&engine.table())
}

/// Changes to the hooks for one run.
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
    /// Changes a table for a run in which nothing is guarded, so hooks of every layer are reached. Prints the
    /// mistakes and the warnings.
    ///
    /// What the config requires to be guarded and is not guarded any more is not required: every step would be
    /// denied instead.
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
        let derived = self.derive(table, registry, Reach::All).map_err(|errors| {
            diagnostics::print(errors.errors(), Severity::Error);
            let errors = count(errors.errors().len(), "error");
            Abort::invalid_config(format!("the override has {errors}: nothing was evaluated"))
        })?;
        diagnostics::print(&derived.warnings, Severity::Warning);
        for (event, why) in derived.forgotten {
            stderr::note(&format!("not required in this run: `{event}` is unguarded, {why}"));
        }
        Ok(derived.table)
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
        let derived = self.derive(loaded.table, registry, Reach::All)?;
        loaded.table = derived.table;
        loaded.warnings.extend(derived.warnings);
        Ok(loaded)
    }

    /// Changes a table that guards: only hooks of the lowest layer, those of the command line, can be made to
    /// count less.
    ///
    /// # Errors
    /// An override is not valid, or names a hook that is not there or is of a layer above.
    pub(crate) fn tighten(
        &self,
        table: HandlerTable,
        registry: &Registry,
    ) -> Result<HandlerTable, ConfigErrors> {
        self.derive(table, registry, Reach::Lowest).map(|derived| derived.table)
    }

    /// Whether there is nothing to change.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_plain() && self.disable.is_empty() && self.shadow.is_empty()
    }

    fn derive(
        &self,
        mut table: HandlerTable,
        registry: &Registry,
        reach: Reach,
    ) -> Result<Derived, ConfigErrors> {
        let before = unguarded(&table).len();
        let reaching = |overrides: Overrides| match reach {
            Reach::All => overrides.reaching_all_layers(),
            Reach::Lowest => overrides,
        };
        let loader = Loader::new(registry).allow_unverified();
        let here = Path::new(".");
        let texts = self.hooks_override_json.iter();
        let texts = texts.map(|text| Overrides::parse("--hooks-override-json", text, here));
        let files = self.hooks_override_file.iter().map(|file| Overrides::load(file));
        let mut warnings = Vec::new();
        for overrides in texts.chain(files) {
            let overrides = reaching(overrides?);
            let derived = loader.derive(&Arc::new(table), &overrides)?;
            table = derived.table;
            warnings.extend(derived.warnings);
        }
        if !self.disable.is_empty() || !self.shadow.is_empty() {
            let flags = self.flags(&table, reach).to_string();
            let overrides = reaching(Overrides::parse("--disable, --shadow", &flags, here)?);
            table = loader.derive(&Arc::new(table), &overrides)?.table;
        }
        let after = unguarded(&table);
        if reach == Reach::Lowest || after.len() == before {
            return Ok(Derived { table, warnings, forgotten: Vec::new() });
        }
        Ok(Derived { table: without_requirements(table), warnings, forgotten: after })
    }

    fn is_plain(&self) -> bool {
        self.hooks_override_json.is_empty() && self.hooks_override_file.is_empty()
    }

    /// Returns the flags as an override.
    fn flags(&self, table: &HandlerTable, reach: Reach) -> serde_json::Value {
        let all = self.shadow.iter().any(|id| id == ALL);
        let shadow: Vec<String> = match all {
            true => {
                let counts =
                    table.specs().filter(|spec| spec.mode() != Mode::Off && reach.has(spec));
                counts.map(|spec| spec.id().to_string()).collect()
            }
            false => self.shadow.clone(),
        };
        json!({"disable": self.disable, "shadow": shadow})
    }
}
