//! Every kind of handler and condition that the command line has, and what they ask each other.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

use hookgate::builtin::{
    CallClass, CallClasses, ChangedPaths, Changes, ConfigFiles, Deeds, Host, Marks, OpenPath,
};
use hookgate::conditions::{
    Clock, Conditions, FixedClock, History, MarkNames, MemoryHistory, SessionMarks, SystemClock,
    WrittenFiles,
};
use hookgate::contract::settings::Node;
use hookgate::contract::{Layer, StateHome, Truth};
use hookgate::effects::patterns::{self, Deed, Folders, PathPatterns};
use hookgate::effects::{
    Action, DeniedAction, Effects, Manifests, PathEffect, Surroundings, UnclearWhat, WordPart,
};
use hookgate::prompt::JudgeState;
use hookgate::{Envelope, HandlerTable, Registry};
use serde::Deserialize;
use serde_json::Value;

use crate::{call_class, escalate_section, self_protection};

/// Where hooks keep what they count and remember.
#[derive(Clone)]
pub(crate) struct Memory {
    /// The marks and counts of conditions.
    history: Arc<dyn History>,
    /// What handlers keep; `None` is the memory of this process.
    home: Option<Arc<dyn StateHome>>,
}

impl Memory {
    /// Keeps the marks and counts of conditions here, and what handlers keep as long as the registry.
    pub(crate) fn of_process(history: Arc<dyn History>) -> Self {
        Self { history, home: None }
    }

    /// Keeps all of it in a home that outlives the process.
    pub(crate) fn outliving(history: Arc<dyn History>, home: Arc<dyn StateHome>) -> Self {
        Self { history, home: Some(home) }
    }
}

/// Returns a registry with all of them. Marks and counts live as long as the registry.
pub(crate) fn registry() -> Registry {
    registry_at(None)
}

/// Returns the same registry, in which it is always this time.
pub(crate) fn registry_at(now: Option<SystemTime>) -> Registry {
    registry_with(Arc::new(MemoryHistory::new()), now)
}

/// Returns the same registry, with marks and counts that live as long as this history.
pub(crate) fn registry_with(history: Arc<dyn History>, now: Option<SystemTime>) -> Registry {
    registry_of(Memory::of_process(history), now, Arc::new(FilesInForce))
}

/// Returns the same registry for steps of another time, which this clock tells. No builtin writes to a disk.
pub(crate) fn registry_at_steps(clock: Arc<dyn Clock>, files: Arc<dyn ConfigFiles>) -> Registry {
    let memory = Memory::of_process(Arc::new(MemoryHistory::new()));
    made_of(memory, clock, files, Host::dry_run)
}

/// Returns the same registry, whose builtins protect these files, and whose hooks remember there.
pub(crate) fn registry_of(
    memory: Memory,
    now: Option<SystemTime>,
    files: Arc<dyn ConfigFiles>,
) -> Registry {
    let clock: Arc<dyn Clock> = match now {
        Some(now) => Arc::new(FixedClock(now)),
        None => Arc::new(SystemClock),
    };
    made_of(memory, clock, files, |host| host)
}

fn made_of(
    Memory { history, home }: Memory,
    clock: Arc<dyn Clock>,
    files: Arc<dyn ConfigFiles>,
    change: fn(Host) -> Host,
) -> Registry {
    let session_marks = SessionMarks::new(Arc::clone(&history), Arc::clone(&clock));
    let written = WrittenFiles::new(Arc::clone(&history), Arc::clone(&clock));
    let limits = Arc::clone(&clock);
    let conditions = Conditions::new(history).clock(move || clock.now()).effects(report);
    let marks = MarksOf(session_marks, conditions.mark_names());
    let host = Host::new().marks(Arc::new(marks)).changes(Arc::new(ChangesOfCall));
    let host = host.clock(Arc::new(move || limits.now()));
    let host = host.config_files(files).deeds(Arc::new(DeedsOfCall));
    let host = host.call_classes(Arc::new(ClassesOfCall)).http(hookgate::http::build);
    let host = match &home {
        Some(home) => host.state(Arc::clone(home)),
        None => host,
    };
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind_with(change(host)));
    registry.add(hookgate::command::kind());
    registry.add(hookgate::http::kind());
    registry.add(hookgate::mcp::kind());
    let judges = JudgeState::default();
    let judges = match home {
        Some(home) => judges.with_home(home),
        None => judges,
    };
    registry.add(hookgate::prompt::kind_with(Arc::new(judges)));
    #[cfg(feature = "cedar")]
    registry.add(hookgate::cedar::kind_with(report));
    #[cfg(feature = "rego")]
    registry.add(hookgate::rego::kind_with(report));
    let home = std::env::var("HOME").ok();
    let on_effects = hookgate::effects::conditions::kinds_with(home, Some(Arc::new(written)));
    for kind in conditions.kinds().into_iter().chain(on_effects) {
        // The names are those of this program's own crates: none is taken, and a test loads them all.
        let _ = registry.add_condition(kind);
    }
    let _ = registry.add_section(hookgate::effects::conditions::section());
    let _ = registry.add_section(crate::trust_section::section());
    let _ = registry.add_section(hookgate_store::section());
    let _ = registry.add_section(hookgate::certify::section());
    let _ = registry.add_section(escalate_section::section());
    for dialect in hookgate_dialects::every() {
        // Each has a name.
        let _ = registry.add_dialect(dialect);
    }
    let _ = registry.add_dialect(Arc::new(hookgate_agent_hooks::AgentHooks));
    registry
}

/// Returns the effects of a step that is not in the course of a dispatch.
fn effects_of(step: &Envelope<'_>) -> Option<Effects> {
    let call = step.payload().tool()?;
    let around = surroundings(step.context().cwd);
    Some(Effects::of_call(&call.tool_name, &call.tool_input, &around, &Manifests::default()))
}

/// Returns the manifests that the `[[tool]]` of a config declare, and those that are built in. A config
/// with a mistake in them is not loaded.
pub(crate) fn manifests(table: &HandlerTable) -> Manifests {
    let tables = table.section("tool").and_then(Value::as_array);
    let tables: Vec<Node> = tables.into_iter().flatten().map(Node::from_json).collect();
    Manifests::read(&tables).0
}

/// Returns what is known of a session in a folder.
pub(crate) fn surroundings(cwd: Option<&str>) -> Surroundings {
    Surroundings { cwd: cwd.map(str::to_owned), home: std::env::var("HOME").ok() }
}

/// The variable `effects` of expressions.
fn report(step: &Envelope<'_>) -> Value {
    let tool = step.payload().tool().map_or("", |call| &call.tool_name);
    let effects = effects_of(step).unwrap_or_default();
    serde_json::to_value(effects.report(tool, step.context().cwd)).unwrap_or_default()
}

/// Tells the builtin `require` what the condition `mark` has set.
struct MarksOf(SessionMarks, MarkNames);

impl Marks for MarksOf {
    fn is_marked(
        &self,
        step: &Envelope<'_>,
        layer: Layer,
        mark: &str,
        after: Option<&str>,
    ) -> Truth {
        self.0.is_marked(step, layer, mark, after)
    }

    fn note_required(&self, layer: Layer, mark: &str) {
        self.1.note_required(layer, mark);
    }

    fn doubt(&self, layer: Layer, mark: &str) -> Option<String> {
        self.1.doubt(layer, mark)
    }
}

/// Tells the builtins `repeated_denials` and `note_denials` what calls do.
struct DeedsOfCall;

impl DeedsOfCall {
    fn action(step: &Envelope<'_>) -> Option<Arc<Action>> {
        let call = step.payload().tool()?;
        let around = surroundings(step.context().cwd);
        let make =
            || Action::of_call(&call.tool_name, &call.tool_input, &around, &Manifests::default());
        Some(step.derived(make))
    }
}

impl Deeds for DeedsOfCall {
    fn denied(&self, step: &Envelope<'_>) -> Option<Value> {
        serde_json::to_value(Self::action(step)?.denied()).ok()
    }

    fn repeats(&self, step: &Envelope<'_>, denied: &Value) -> bool {
        // What an earlier version has kept in another form is no action of this one.
        DeniedAction::deserialize(denied)
            .is_ok_and(|denied| Self::action(step).is_some_and(|action| action.repeats(&denied)))
    }
}

/// Tells the builtin `safer_shell` what class a call is of.
struct ClassesOfCall;

impl CallClasses for ClassesOfCall {
    fn class_of(&self, step: &Envelope<'_>) -> Option<CallClass> {
        let effects = effects_of(step)?;
        // Effects are what is known: `git reset --hard` has none, and does not only look.
        let only_looks = DeedsOfCall::action(step).is_none_or(|action| action.only_looks());
        Some(call_class::of_effects(&effects, step.context().cwd, only_looks))
    }
}

/// Tells the builtin `protect_config` what a call would write or delete.
struct ChangesOfCall;

impl Changes for ChangesOfCall {
    fn doubt_of_words(&self, words: &str) -> Option<String> {
        let pattern = hookgate::effects::patterns::RunPatterns::parse(&[words]).ok()?;
        pattern.doubts().into_iter().next().map(|(_, why)| why)
    }

    fn changes(&self, step: &Envelope<'_>) -> ChangedPaths {
        let Some(effects) = effects_of(step) else { return ChangedPaths::default() };
        let paths = |effects: &[PathEffect], is_meant: &dyn Fn(&PathEffect) -> bool| {
            let meant = effects.iter().filter(|effect| is_meant(effect));
            let known = meant.filter_map(|effect| Some(effect.path.known()?.as_ref().into()));
            known.collect::<Vec<PathBuf>>()
        };
        let all = |effects: &[PathEffect]| paths(effects, &|_| true);
        // A mode that is changed below a folder is told by `access`.
        let changes_mode = |write: &PathEffect| {
            effects.access.iter().any(|access| access.run == write.run && access.path == write.path)
        };
        let mut filled = paths(&effects.writes, &|write| write.below && !changes_mode(write));
        filled.extend(self_protection::changed_repositories(&effects));
        let changes = ChangedPaths::new(all(&effects.writes), all(&effects.deletes))
            .access(all(&effects.access))
            .filled(filled)
            .touched(all(&effects.mentions));
        let changes = match self_protection::loosens(&effects) {
            Some(why) => changes.loosens(why),
            None => changes,
        };
        let (mut open, mut unknown) = (Vec::new(), None);
        let deeds = [
            (&effects.writes, Deed::Write),
            (&effects.deletes, Deed::Delete),
            (&effects.access, Deed::Delete),
        ];
        for (effect, deed) in
            deeds.into_iter().flat_map(|(list, deed)| list.iter().map(move |effect| (effect, deed)))
        {
            if effect.path.known().is_some() {
                continue;
            }
            match open_path(effect, deed) {
                Some(path) => open.push(path),
                None => unknown = unknown.or(Some(effect)),
            }
        }
        let changes = changes.open(open);
        let unclear = effects.unclear.iter().find(|unclear| {
            matches!(
                unclear.what,
                UnclearWhat::Anything
                    | UnclearWhat::Program
                    | UnclearWhat::Writes
                    | UnclearWhat::Deletes
            )
        });
        match (unclear, unknown) {
            (Some(unclear), _) => changes.unclear(unclear.why.clone()),
            (None, Some(effect)) => {
                changes.unclear(format!("`{}` is not known before it runs", effect.path.written()))
            }
            (None, None) => changes,
        }
    }
}

/// Returns a path as the builtin asks about it, if all that is not known of it are names of files in its place.
fn open_path(effect: &PathEffect, deed: Deed) -> Option<OpenPath> {
    let is_glob = |part: &WordPart| match part {
        WordPart::Text(_) | WordPart::Glob(_) => true,
        WordPart::Unknown { written, .. } => written == "**",
    };
    let (folder, _) = effect.path.known_prefix().rsplit_once('/')?;
    if !effect.path.parts.iter().all(is_glob) {
        return None;
    }
    let folder = if folder.is_empty() { "/" } else { folder };
    let mut meant = effect.clone();
    // What is taken from a folder, or put out of reach with it, is all that is in it.
    meant.below |= deed == Deed::Delete;
    // A search finds names with a dot, too.
    let searches = meant.path.parts.iter().any(|part| matches!(part, WordPart::Unknown { .. }));
    for part in meant.path.parts.iter_mut().filter(|_| searches) {
        if !matches!(part, WordPart::Text(_)) {
            *part = WordPart::Unknown { written: "…".to_owned(), splits: false, plain: false };
        }
    }
    Some(OpenPath::new(effect.path.written(), folder, move |place| {
        // What stands for something else in a pattern is no plain path.
        let special = ['*', '?', '[', ']', '{', '}', '!', '\\', '~', '$'];
        let plain = place.to_str().filter(|text| !text.contains(special));
        let pattern = plain.and_then(|text| PathPatterns::parse(&[text]).ok());
        pattern.is_none_or(|pattern| {
            pattern.matches(&meant, deed, &Folders::default()) != patterns::Truth::False
        })
    }))
}

/// The files of the configs in force. The process has one table, so it has one list.
static FILES_IN_FORCE: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());

/// Notes the files of configs that were loaded: themselves, and the scripts, prompts and programs that
/// their hooks name.
pub(crate) fn note_files(configs: &[PathBuf], table: &HandlerTable) {
    *FILES_IN_FORCE.write().unwrap_or_else(PoisonError::into_inner) = files_of(configs, table);
}

/// Returns the files of configs that were joined to one table, each as it is named and without links and `..`.
pub(crate) fn files_of(configs: &[PathBuf], table: &HandlerTable) -> Vec<PathBuf> {
    let named = table.specs().flat_map(|hook| hook.files().iter().chain(hook.sources()));
    let all = named.chain(configs).cloned();
    let named: Vec<PathBuf> = all.filter_map(|file| std::path::absolute(file).ok()).collect();
    let real: Vec<PathBuf> = named.iter().filter_map(|file| file.canonicalize().ok()).collect();
    named.into_iter().chain(real).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns files with what else the builtin `protect_config` protects: see [`self_protection`]. A call may name each
/// of them by the path behind all links as well.
pub(crate) fn protected(mut files: Vec<PathBuf>) -> Vec<PathBuf> {
    files.extend(self_protection::places());
    let real: Vec<PathBuf> = files.iter().filter_map(|file| file.canonicalize().ok()).collect();
    files.extend(real);
    files
}

/// Tells the builtin `protect_config` which files the config in force is made of.
struct FilesInForce;

impl ConfigFiles for FilesInForce {
    fn files(&self) -> Vec<PathBuf> {
        protected(FILES_IN_FORCE.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    fn names(&self) -> Vec<PathBuf> {
        self_protection::names()
    }
}
