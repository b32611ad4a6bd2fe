//! Which configs are in force for a session, and the one table that they become.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::config::{Loaded, Loader};
use hookgate::table::{EventSelector, Layer, TableBuilder};
use hookgate::{HandlerTable, Hook, Verdict};
use serde_json::Value;

use super::error::HookError;
use super::state::State;
use super::trust::{self, Skipped};
use crate::kinds::registry_with;

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

impl Source {
    fn is_of_project(&self) -> bool {
        self.layer == Layer::Project
    }
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
/// are those of the first. A project can only make stricter what its user has decided: see [`trust`]. That
/// goes for mistakes in its config as well: the hooks of the user are in force, and all that can be refused
/// at the event is.
///
/// # Errors
/// There is no config, one is not valid, or they do not go together.
pub(super) fn load(
    sources: &[Source],
    state: &State,
    skipped: &Skipped,
    event: &str,
) -> Result<HandlerTable, HookError> {
    let mut tables = sources.iter().map(|source| load_one(source, state, skipped));
    let first = Arc::new(tables.next().ok_or(HookError::NoConfig)??);
    let joined =
        tables.collect::<Result<Vec<_>, _>>().and_then(|rest| join(sources, &first, &rest));
    joined.or_else(|error| {
        let of_project = sources.iter().skip(1).any(Source::is_of_project);
        if !of_project {
            return Err(error);
        }
        let refusal = trust::refusal("hookgate-project-config", error.to_string(), skipped)
            .event_selectors(named(event));
        let mut builder = TableBuilder::from_table(&first);
        builder.insert(refusal).build().map_err(|_| error)
    })
}

fn join(
    sources: &[Source],
    first: &Arc<HandlerTable>,
    rest: &[HandlerTable],
) -> Result<HandlerTable, HookError> {
    let mut builder = TableBuilder::from_table(first);
    let mut tools = list(first.section("tool"));
    for table in rest {
        builder.extend(table.specs().cloned());
        builder.require(table.require().clone());
        tools.extend(list(table.section("tool")));
    }
    if sources.iter().skip(1).any(Source::is_of_project) {
        builder.extend(first.unguarded().into_iter().map(unguarded));
    }
    if !tools.is_empty() {
        builder.section("tool", tools);
    }
    let files: Vec<PathBuf> = sources.iter().map(|source| source.file.clone()).collect();
    builder.build().map_err(|errors| HookError::join(&files, &errors))
}

/// Makes the denial of an event that the user's config requires to be guarded, and leaves unguarded: a hook
/// of a project must not count as that guard.
fn unguarded((event, why): (&str, String)) -> Hook {
    Hook::sync(format!("hookgate-require-{event}"), move |_| Ok(Verdict::deny(why.as_str())))
        .event_selectors(named(event))
}

fn named(event: &str) -> impl Iterator<Item = EventSelector> {
    EventSelector::named(event).into_iter().flatten()
}

fn load_one(source: &Source, state: &State, skipped: &Skipped) -> Result<HandlerTable, HookError> {
    let is_project = source.is_of_project();
    let history = if is_project { state.history_of(&source.file) } else { state.history() };
    let registry = registry_with(history, None);
    if is_project {
        trust::restrict(&registry);
    }
    let loader = Loader::new(&registry).allow_unverified().layer(source.layer);
    let Loaded { table, .. } =
        loader.load(&source.file).map_err(|errors| HookError::config(&source.file, &errors))?;
    if !is_project {
        return Ok(table);
    }
    trust::refuse_untrusted(table, &source.file, skipped)
        .map_err(|errors| HookError::join(std::slice::from_ref(&source.file), &errors))
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
