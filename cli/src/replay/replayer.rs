//! A config that judges recorded steps.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate::builtin::ConfigFiles;
use hookgate::conditions::Clock;
use hookgate::contract::{BuiltCondition, Posture, Truth, json};
use hookgate::envelope::Incoming;
use hookgate::matcher::MatchSpec;
use hookgate::table::{Called, ExplainedHook, TableBuilder};
use hookgate::{
    ConfigHash, Engine, FailureClass, HandlerTable, HookId, HookSpec, Mode, Outcome, Report, Role,
};

use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use super::external::{ExternalArgs, Recordings, stand_in, stubbed};
use super::known::Known;
use super::recorded::{RecordedStep, outcome_of};
use crate::abort::Abort;
use crate::config::ConfigArgs;
use crate::input::envelope::Unreadable;
use crate::kinds;
use crate::self_protection;

/// The conditions that look at what is checked out.
const OF_BRANCH: &[&str] = &["git_branch", "pushes"];

/// Why no repository is read.
const BRANCH_OF_THEN: &str = "what was checked out is not recorded (--live looks at what is now)";

/// A config that judges recorded steps, each at its own time.
pub(crate) struct Replayer {
    engine: Engine,
    clock: Arc<StepClock>,
    recordings: Arc<Recordings>,
    /// What each hook does.
    definitions: BTreeMap<HookId, ConfigHash>,
    /// What the hooks can do at each event.
    influences: BTreeMap<(String, HookId), Influence>,
    /// The hooks that look at what is checked out.
    of_branch: BTreeSet<HookId>,
    /// The hooks that depend on steps before, and their conditions that do.
    of_history: BTreeSet<HookId>,
    history_keys: BTreeSet<&'static str>,
    /// The hooks that leave marks when their conditions hold.
    markers: BTreeSet<HookId>,
    /// The sessions of which nobody knows any more what hooks have counted and marked.
    doubtful: HashSet<String>,
}

/// What came of a step.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) report: Report,
    /// The hooks that would count, and of which nobody knows what they would say.
    pub(crate) unknown: Vec<HookId>,
    /// Whether it depends on what was unknown of an earlier step.
    pub(crate) is_doubtful: bool,
    pub(crate) outcome: Known,
}

/// What a hook can do to the outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Influence {
    /// Its answer does not count.
    None,
    /// It can make it stricter.
    Raise,
    /// It can make it another one: it rewrites, or approves.
    Any,
}

impl Replayer {
    /// Loads a config.
    ///
    /// # Errors
    /// It cannot be used, or a stub is for no hook of it.
    pub(crate) fn load(config: &ConfigArgs, external: &ExternalArgs) -> Result<Self, Abort> {
        if !external.live {
            hookgate_git::read_none(BRANCH_OF_THEN);
        }
        let clock = Arc::new(StepClock::default());
        let files = Arc::new(FilesOfTable::default());
        let registry = kinds::registry_at_steps(
            Arc::<StepClock>::clone(&clock),
            Arc::<FilesOfTable>::clone(&files),
        );
        let (configs, loaded) = config.load_in_part(&registry)?;
        // It is set once.
        let _ = files.0.set(kinds::files_of(&configs.all_files(&loaded), &loaded.table));
        let recordings = Arc::new(Recordings::default());
        let definitions =
            loaded.table.specs().map(|hook| (hook.id().clone(), hook.definition_hash())).collect();
        let table = replayed(loaded.table, external, &recordings)?;
        let hooks = || table.specs();
        let ids = |is_meant: &dyn Fn(&HookSpec) -> bool| -> BTreeSet<HookId> {
            hooks().filter(|hook| is_meant(hook)).map(|hook| hook.id().clone()).collect()
        };
        let conditions = hooks().flat_map(|hook| registered(hook.matcher()));
        let of_history = conditions.filter(|one| one.condition().uses_history());
        Ok(Self {
            definitions,
            influences: influences(&table),
            of_branch: ids(&looks_at_branch),
            of_history: ids(&HookSpec::depends_on_history),
            history_keys: of_history.map(BuiltCondition::key).collect(),
            markers: ids(&|hook| {
                registered(hook.matcher()).iter().any(|one| one.condition().keeps_history())
            }),
            doubtful: HashSet::new(),
            engine: Engine::new(table),
            clock,
            recordings,
        })
    }

    /// Returns what a hook does, as far as it is a hook of the config.
    pub(crate) fn definition(&self, hook: &HookId) -> Option<ConfigHash> {
        self.definitions.get(hook).copied()
    }

    /// Returns the table.
    pub(crate) fn table(&self) -> Arc<HandlerTable> {
        self.engine.table()
    }

    /// Judges a step.
    pub(crate) async fn judge(&mut self, step: &RecordedStep) -> Judged {
        self.clock.set(step.time);
        let mut of_history = Vec::new();
        let mut report = match self.incoming(step) {
            Ok(mut incoming) => {
                if self.doubtful.contains(&incoming.header.session_id) {
                    of_history = self.may_depend_on_history(&incoming);
                }
                self.recordings.begin(step);
                // How hooks failed then is no news now.
                let evaluated = self.engine.evaluate(&mut incoming);
                evaluated.with_subscriber(NoSubscriber::default()).await
            }
            Err(wrong) => wrong.report(&self.engine),
        };
        let mut unknown = self.recordings.end();
        let stops_now = report.decision;
        unknown.extend(self.recall(step, &mut report));
        // What would have been stopped was not counted by the hooks after it.
        let is_recalled = report.decision != stops_now;
        let event = report.event.clone().unwrap_or_default();
        let influence = |hook: &HookId| {
            let key = (event.clone(), hook.clone());
            self.influences.get(&key).copied().unwrap_or(Influence::Raise)
        };
        let matters =
            |hook: &HookId| influence(hook) != Influence::None || self.markers.contains(hook);
        let is_doubtful = !of_history.is_empty();
        let leaves_doubt = is_recalled || is_doubtful || unknown.iter().any(matters);
        unknown.extend(of_history);
        unknown.retain(|hook| influence(hook) != Influence::None);
        let outcome = if unknown.is_empty() {
            Known::Sure(report.decision)
        } else if unknown.iter().any(|hook| influence(hook) == Influence::Any) {
            Known::AtLeast(Outcome::Allow)
        } else {
            match without(&report, &unknown) {
                Outcome::Halt => Known::Sure(Outcome::Halt),
                least => Known::AtLeast(least),
            }
        };
        if let Known::Sure(_) = outcome {
            unknown.clear();
        } else {
            report.by.retain(|hook| !unknown.contains(hook));
        }
        if leaves_doubt && !self.of_history.is_empty() {
            self.doubtful.insert(report.session_id.clone());
        }
        Judged { report, unknown, is_doubtful, outcome }
    }

    /// Returns the hooks whose say about a step depends on earlier steps of its session.
    fn may_depend_on_history(&self, incoming: &Incoming) -> Vec<HookId> {
        let table = self.engine.table();
        let explained = table.explain(incoming.payload.as_ref(), &incoming.header.context());
        let may_be_called = |hook: &ExplainedHook| {
            let mut wrong = hook.conditions.iter().filter(|one| one.truth == Truth::False);
            hook.called != Called::No
                || wrong.all(|one| self.history_keys.contains(one.key) || !one.parts.is_empty())
        };
        let hooks = explained.into_iter().filter(|hook| self.of_history.contains(&hook.hook));
        hooks.filter(may_be_called).map(|hook| hook.hook).collect()
    }

    /// Hooks that look at what is checked out could not tell their conditions, which counts as nothing here. Puts into
    /// the report what they said when the step was recorded, if that is known, and returns those of which it is not.
    fn recall(&self, step: &RecordedStep, report: &mut Report) -> Vec<HookId> {
        let unclear = report.votes.iter().filter(|vote| {
            vote.mode == Mode::Enforce && vote.failure == Some(FailureClass::Unclear)
        });
        let unclear = unclear.map(|vote| vote.hook.clone());
        let unclear: BTreeSet<HookId> =
            unclear.filter(|hook| self.of_branch.contains(hook)).collect();
        let mut unknown = Vec::new();
        for hook in unclear {
            let definition = self.definition(&hook);
            let said = step.was.as_ref().zip(definition);
            match said.and_then(|(was, definition)| was.said_by(&hook, &definition)) {
                None => unknown.push(hook),
                Some(said) if said.outcome > report.decision => {
                    (report.decision, report.by, report.reason) =
                        (said.outcome, vec![hook], said.reason);
                }
                Some(said) if said.outcome == report.decision && said.outcome > Outcome::Allow => {
                    report.by.push(hook);
                }
                Some(_) => {}
            }
        }
        unknown
    }

    fn incoming(&self, step: &RecordedStep) -> Result<Incoming, Unreadable> {
        let integers = self.engine.table().limits().integers;
        for value in step.envelope.values() {
            json::check(value, integers)
                .map_err(|error| Unreadable::at_start(error.to_string()))?;
        }
        Incoming::from_object(step.envelope.clone())
            .map_err(|error| Unreadable::at_start(error.to_string()))
    }
}

/// Returns the outcome of a step without some hooks.
fn without(report: &Report, hooks: &[HookId]) -> Outcome {
    if !report.by.iter().any(|hook| hooks.contains(hook)) {
        return report.decision;
    }
    let counted = report
        .votes
        .iter()
        .filter(|vote| vote.mode == Mode::Enforce && !hooks.contains(&vote.hook));
    counted.filter_map(|vote| vote.decision).map(outcome_of).max().unwrap_or(Outcome::Allow)
}

/// Returns a table in which nothing outside of this process is called, unless it is to be.
fn replayed(
    table: HandlerTable,
    external: &ExternalArgs,
    recordings: &Arc<Recordings>,
) -> Result<HandlerTable, Abort> {
    let table = Arc::new(table);
    for stub in &external.stub {
        if !table.specs().any(|hook| *hook.id() == *stub.hook) {
            let known: Vec<String> = table.specs().map(|hook| hook.id().to_string()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(Abort::unknown_name("hook", &stub.hook, &known));
        }
    }
    let mut builder = TableBuilder::from_table(&table);
    for hook in table.specs() {
        let stub = external.stub.iter().find(|stub| *hook.id() == *stub.hook);
        let replaced = match stub {
            Some(stub) => Some(stubbed(hook, stub)),
            None if external.live => None,
            None if hook.is_external() && !hook.is_pure() => {
                Some(unclear_as_nothing(stand_in(hook, recordings)))
            }
            None => looks_at_branch(hook).then(|| unclear_as_nothing(hook.clone())),
        };
        if let Some(replaced) = replaced {
            builder.replace(replaced);
        }
    }
    let built = builder.build();
    built.map_err(|errors| {
        Abort::failure(format!("the hooks make no table without their handlers: {errors}"))
    })
}

/// Has a hook that cannot tell its conditions let the step pass: the hooks after it are called then, too.
fn unclear_as_nothing(hook: HookSpec) -> HookSpec {
    match looks_at_branch(&hook) {
        true => hook.with_posture_of(FailureClass::Unclear, Posture::Allow),
        false => hook,
    }
}

fn influences(table: &HandlerTable) -> BTreeMap<(String, HookId), Influence> {
    let influences = table.listing().map(|listed| {
        let hook = listed.spec();
        let influence = match (listed.role(), listed.mode()) {
            (Role::Observe, _) | (_, Mode::Warn | Mode::Shadow | Mode::Off) => Influence::None,
            _ if hook.is_background() || hook.never_refuses() => Influence::None,
            (Role::Rewrite, _) => Influence::Any,
            _ if hook.may_allow() => Influence::Any,
            _ => Influence::Raise,
        };
        ((listed.event.to_owned(), hook.id().clone()), influence)
    });
    influences.collect()
}

/// Whether a hook looks at what is checked out.
fn looks_at_branch(hook: &HookSpec) -> bool {
    registered(hook.matcher()).iter().any(|one| OF_BRANCH.contains(&one.key()))
}

/// Returns the registered conditions, those inside of others too.
fn registered(conditions: &MatchSpec) -> Vec<&BuiltCondition> {
    let inside = conditions.any.iter().flatten().chain(&conditions.not).flat_map(registered);
    conditions.registered.iter().chain(inside).collect()
}

/// The time of the step that is judged.
#[derive(Debug)]
struct StepClock(AtomicU64);

impl Default for StepClock {
    fn default() -> Self {
        let clock = Self(AtomicU64::new(0));
        clock.set(Some(SystemTime::now()));
        clock
    }
}

impl StepClock {
    /// Sets the time. A step without one is judged at the time of the step before, or else now.
    fn set(&self, time: Option<SystemTime>) {
        let Some(since) = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()) else {
            return;
        };
        // ORDERING: one step is judged after the other.
        self.0.store(u64::try_from(since.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}

impl Clock for StepClock {
    fn now(&self) -> SystemTime {
        let since = Duration::from_millis(self.0.load(Ordering::Relaxed));
        UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
    }
}

/// Tells the builtin `protect_config` which files the table is made of: a process may have several tables.
#[derive(Debug, Default)]
struct FilesOfTable(OnceLock<Vec<PathBuf>>);

impl ConfigFiles for FilesOfTable {
    fn files(&self) -> Vec<PathBuf> {
        kinds::protected(self.0.get().cloned().unwrap_or_default())
    }

    fn names(&self) -> Vec<PathBuf> {
        self_protection::names()
    }
}
