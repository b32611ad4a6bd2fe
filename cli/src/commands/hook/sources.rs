//! Which configs are in force for a session, and the one table that they become.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::config::{Loaded, Loader};
use hookgate::table::{Layer, TableBuilder};
use hookgate::{HandlerTable, Registry};
use serde_json::Value;

use super::error::HookError;
use crate::foreign;

/// The variable that names a config.
const VARIABLE: &str = "HOOKGATE_CONFIG";

/// The config of a project, in its own folder for such things.
const IN_FOLDER: &str = ".hookgate/hooks.toml";

/// The config of a project that has no such folder.
const PLAIN: &str = "hooks.toml";

/// The config of a user, in the folder of configurations.
const OF_USER: &str = "hookgate/hooks.toml";

/// A config, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    layer: Layer,
    /// The file.
    pub(super) file: PathBuf,
}

/// Returns the configs for a session in a folder, that of the user first.
pub(super) fn find(given: &[PathBuf], cwd: &Path) -> Vec<Source> {
    let of = |layer| move |file| Source { layer, file };
    if !given.is_empty() {
        return given.iter().cloned().map(of(Layer::CommandLine)).collect();
    }
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return vec![of(Layer::CommandLine)(PathBuf::from(named))];
    }
    let user = of_user().filter(|file| file.is_file()).map(of(Layer::User));
    let project = upwards(cwd, IN_FOLDER).or_else(|| upwards(cwd, PLAIN)).map(of(Layer::Project));
    // The folder of configurations may be above the session.
    let project =
        project.filter(|source| user.as_ref().is_none_or(|user| user.file != source.file));
    user.into_iter().chain(project).collect()
}

/// Loads the configs, and joins them to one table: all their hooks, requirements and sections. The limits
/// are those of the first.
///
/// # Errors
/// There is no config, one is not valid, or they do not go together.
pub(super) fn load(
    sources: &[Source],
    registry: &Registry,
    strict: bool,
) -> Result<HandlerTable, HookError> {
    let mut tables = sources.iter().map(|source| load_one(source, registry, strict));
    let first = tables.next().ok_or(HookError::NoConfig)??;
    let rest = tables.collect::<Result<Vec<_>, _>>()?;
    if rest.is_empty() {
        return Ok(first);
    }
    let first = Arc::new(first);
    let mut builder = TableBuilder::from_table(&first);
    let mut tools = list(first.section("tool"));
    for table in &rest {
        builder.extend(table.specs().cloned());
        builder.require(table.require().clone());
        tools.extend(list(table.section("tool")));
    }
    if !tools.is_empty() {
        builder.section("tool", tools);
    }
    let files: Vec<PathBuf> = sources.iter().map(|source| source.file.clone()).collect();
    builder.build().map_err(|errors| HookError::join(&files, &errors))
}

fn load_one(source: &Source, registry: &Registry, strict: bool) -> Result<HandlerTable, HookError> {
    let loader = Loader::new(registry).allow_unverified().layer(source.layer);
    let loaded = foreign::load(loader, &source.file, strict);
    loaded
        .map(|Loaded { table, .. }| table)
        .map_err(|errors| HookError::config(&source.file, &errors))
}

fn list(section: Option<&Value>) -> Vec<Value> {
    section.and_then(Value::as_array).cloned().unwrap_or_default()
}

fn upwards(cwd: &Path, name: &str) -> Option<PathBuf> {
    cwd.ancestors().map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn of_user() -> Option<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute());
    Some(folder.or_else(|| Some(set("HOME")?.join(".config")))?.join(OF_USER))
}
