//! A config that judges recorded steps.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate::builtin::ConfigFiles;
use hookgate::conditions::Clock;
use hookgate::contract::json;
use hookgate::envelope::Incoming;
use hookgate::matcher::MatchSpec;
use hookgate::table::TableBuilder;
use hookgate::{
    ConfigHash, Engine, FailureClass, HandlerTable, HookId, Mode, Outcome, Report, Role,
};

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
    /// What the hooks that are not called can do at each event.
    influences: BTreeMap<(String, HookId), Influence>,
    /// The hooks that look at what is checked out, with what they do.
    of_branch: BTreeMap<HookId, ConfigHash>,
}

/// What came of a step.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) report: Report,
    /// The hooks that would count, and of which nobody knows what they would say.
    pub(crate) unknown: Vec<HookId>,
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
        let table = replayed(loaded.table, external, &recordings)?;
        Ok(Self {
            influences: influences(&table),
            of_branch: of_branch(&table),
            engine: Engine::new(table),
            clock,
            recordings,
        })
    }

    /// Returns the table.
    pub(crate) fn table(&self) -> Arc<HandlerTable> {
        self.engine.table()
    }

    /// Judges a step.
    pub(crate) async fn judge(&self, step: &RecordedStep) -> Judged {
        self.clock.set(step.time);
        let mut report = match self.incoming(step) {
            Ok(mut incoming) => {
                self.recordings.begin(step);
                self.engine.evaluate(&mut incoming).await
            }
            Err(wrong) => wrong.report(&self.engine),
        };
        let mut unknown = self.recordings.end();
        unknown.extend(self.recall(step, &mut report));
        let event = report.event.clone().unwrap_or_default();
        let influence = |hook: &HookId| {
            let key = (event.clone(), hook.clone());
            self.influences.get(&key).copied().unwrap_or(Influence::Raise)
        };
        unknown.retain(|hook| influence(hook) != Influence::None);
        let outcome = if unknown.is_empty() {
            Known::Sure(report.decision)
        } else if unknown.iter().any(|hook| influence(hook) == Influence::Any) {
            Known::AtLeast(Outcome::Allow)
        } else {
            match report.decision {
                Outcome::Halt => Known::Sure(Outcome::Halt),
                least => Known::AtLeast(least),
            }
        };
        if let Known::Sure(_) = outcome {
            unknown.clear();
        }
        Judged { report, unknown, outcome }
    }

    /// Hooks that look at what is checked out could not tell their conditions. Puts into the report what they said
    /// when the step was recorded, if that is known, and returns those of which it is not.
    fn recall(&self, step: &RecordedStep, report: &mut Report) -> Vec<HookId> {
        let unclear = report.votes.iter().filter(|vote| {
            vote.mode == Mode::Enforce && vote.failure == Some(FailureClass::Unclear)
        });
        let unclear: Vec<HookId> = unclear
            .map(|vote| vote.hook.clone())
            .filter(|hook| self.of_branch.contains_key(hook))
            .collect();
        if unclear.is_empty() {
            return unclear;
        }
        report.decision = without(report, &unclear);
        report.by.retain(|hook| !unclear.contains(hook));
        let mut unknown = Vec::new();
        for hook in unclear {
            let definition = self.of_branch.get(&hook);
            let said = step
                .was
                .as_ref()
                .zip(definition)
                .and_then(|(was, definition)| was.said_by(&hook, definition));
            match said {
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
        if let Some(stub) = external.stub.iter().find(|stub| *hook.id() == *stub.hook) {
            builder.replace(stubbed(hook, stub));
        } else if hook.is_external() && !hook.is_pure() && !external.live {
            builder.replace(stand_in(hook, recordings));
        }
    }
    let built = builder.build();
    built.map_err(|errors| {
        Abort::failure(format!("the hooks make no table without their handlers: {errors}"))
    })
}

fn influences(table: &HandlerTable) -> BTreeMap<(String, HookId), Influence> {
    let influences = table.listing().map(|listed| {
        let hook = listed.spec();
        let influence = match (listed.role(), listed.mode()) {
            (Role::Observe, _) | (_, Mode::Warn | Mode::Shadow | Mode::Off) => Influence::None,
            _ if hook.is_background() => Influence::None,
            (Role::Rewrite, _) => Influence::Any,
            _ if hook.may_allow() => Influence::Any,
            _ => Influence::Raise,
        };
        ((listed.event.to_owned(), hook.id().clone()), influence)
    });
    influences.collect()
}

fn of_branch(table: &HandlerTable) -> BTreeMap<HookId, ConfigHash> {
    let hooks = table.specs().filter(|hook| looks_at_branch(hook.matcher()));
    hooks.map(|hook| (hook.id().clone(), hook.definition_hash())).collect()
}

fn looks_at_branch(conditions: &MatchSpec) -> bool {
    conditions.registered.iter().any(|one| OF_BRANCH.contains(&one.key()))
        || conditions.any.iter().flatten().chain(&conditions.not).any(looks_at_branch)
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
