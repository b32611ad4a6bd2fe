//! Which configs are in force for a session, and the one table that they become.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use hookgate::builtin::ConfigFiles;
use hookgate::config::{Loaded, Loader};
use hookgate::table::{EventSelector, Layer, TableBuilder};
use hookgate::{Engine, HandlerTable, Hook, Verdict};
use serde_json::Value;

use super::call::Call;
use super::error::HookError;
use super::state::State;
use super::trust::{self, Skipped};
use crate::foreign;
use crate::kinds::{files_of, registry_of};

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
    file: PathBuf,
    /// Whether a failed hook of another agent's config refuses the step.
    strict: bool,
}

/// The table that configs became, in an engine, with what belongs to it.
#[derive(Debug)]
pub(super) struct InForce {
    /// The engine.
    pub(super) engine: Engine,
    /// What its hooks keep of sessions.
    pub(super) state: State,
    /// What of its hooks was not called.
    pub(super) skipped: Skipped,
    files: Arc<Files>,
    is_whole: bool,
}

impl InForce {
    /// Returns the files that it is made of.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.files.files()
    }

    /// Tells whether all configs are in force, for all events.
    pub(super) const fn is_whole(&self) -> bool {
        self.is_whole
    }
}

/// The files that a table is made of, as soon as they are known: a builtin of it protects them.
#[derive(Debug, Default)]
struct Files(OnceLock<Vec<PathBuf>>);

impl ConfigFiles for Files {
    fn files(&self) -> Vec<PathBuf> {
        self.0.get().cloned().unwrap_or_default()
    }
}

impl Source {
    fn is_of_project(&self) -> bool {
        self.layer == Layer::Project
    }
}

/// Returns the configs for a session in a folder, that of the user first.
pub(super) fn find(call: &Call, cwd: &Path) -> Vec<Source> {
    let (given, strict) = (call.config(), call.strict());
    let of = |layer| move |file| Source { layer, file, strict };
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
pub(super) fn load(sources: &[Source], event: &str) -> Result<InForce, HookError> {
    let parts = Parts::default();
    let (table, is_whole) = match sources {
        [] => return Err(HookError::NoConfig),
        [one] => (parts.load(one)?, true),
        [first, rest @ ..] => parts.load_all(first, rest, event)?,
    };
    let configs: Vec<PathBuf> = sources.iter().map(|source| source.file.clone()).collect();
    // Nobody else sets them.
    let _ = parts.files.0.set(files_of(&configs, &table));
    let Parts { state, skipped, files } = parts;
    Ok(InForce { engine: Engine::new(table), state, skipped, files, is_whole })
}

fn join(
    first: (&Source, &Arc<HandlerTable>),
    rest: &[(&Source, HandlerTable)],
) -> Result<HandlerTable, HookError> {
    let (source, first) = first;
    let mut builder = TableBuilder::from_table(first);
    let mut tools = list(first.section("tool"));
    for (_, table) in rest {
        builder.extend(table.specs().cloned());
        builder.require(table.require().clone());
        tools.extend(list(table.section("tool")));
    }
    if rest.iter().any(|(source, _)| source.is_of_project()) {
        builder.extend(first.unguarded().into_iter().map(unguarded));
    }
    if !tools.is_empty() {
        builder.section("tool", tools);
    }
    let all = std::iter::once(source).chain(rest.iter().map(|(source, _)| *source));
    let files: Vec<PathBuf> = all.map(|source| source.file.clone()).collect();
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

/// What the tables of several configs share.
#[derive(Default)]
struct Parts {
    state: State,
    skipped: Skipped,
    files: Arc<Files>,
}

impl Parts {
    /// Returns the table of several configs, and whether all of them are in force.
    fn load_all(
        &self,
        first: &Source,
        rest: &[Source],
        event: &str,
    ) -> Result<(HandlerTable, bool), HookError> {
        let of_first = Arc::new(self.load(first)?);
        let tables: Result<Vec<_>, _> =
            rest.iter().map(|source| Ok((source, self.load(source)?))).collect();
        let error = match tables.and_then(|tables| join((first, &of_first), &tables)) {
            Ok(joined) => return Ok((joined, true)),
            Err(error) if !rest.iter().any(Source::is_of_project) => return Err(error),
            Err(error) => error,
        };
        let refusal = trust::refusal("hookgate-project-config", error.to_string(), &self.skipped);
        let mut builder = TableBuilder::from_table(&of_first);
        let built = builder.insert(refusal.event_selectors(named(event))).build();
        built.map(|table| (table, false)).map_err(|_| error)
    }

    fn load(&self, source: &Source) -> Result<HandlerTable, HookError> {
        let (file, is_project) = (&source.file, source.is_of_project());
        let history = if is_project { self.state.history_of(file) } else { self.state.history() };
        let registry = registry_of(history, None, Arc::clone(&self.files) as Arc<dyn ConfigFiles>);
        if is_project {
            trust::restrict(&registry);
        }
        let loader = Loader::new(&registry).allow_unverified().layer(source.layer);
        let loaded = foreign::load(loader, file, source.strict);
        let Loaded { table, .. } = loaded.map_err(|errors| HookError::config(file, &errors))?;
        if !is_project {
            return Ok(table);
        }
        trust::refuse_untrusted(table, file, &self.skipped)
            .map_err(|errors| HookError::join(std::slice::from_ref(file), &errors))
    }
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
