//! Whether one hook works.

use std::path::Path;

use hookgate::matcher::MatchSpec;
use hookgate::table::Canary;
use hookgate::{Engine, FailureClass, HandlerTable, HookSpec, Mode, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::made_up::{only_outcome, other_step, steps};
use super::way::{Agent, Came, send};
use crate::commands::eval::one_hook::alone;
use crate::commands::test::expectation::is_patched;
use crate::hook_standing::Standing;
use crate::kinds::manifests;
use crate::unreached::{Reach, begins_later};

/// What is said of a hook without canaries.
const ADD: &str = "add a `canary` that must be denied, and one that must be allowed";

/// Whether a hook works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// It stops what it must, and lets pass what it must.
    Proved,
    /// It does not.
    Dead,
    /// Nobody knows.
    Untested,
}

impl State {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Dead => "dead",
            Self::Untested => "untested",
        }
    }
}

/// One step that was sent.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sent {
    pub(super) event: String,
    /// Whether it was made up from the conditions.
    pub(super) made_up: bool,
    /// What must come out; `None` if nobody has said.
    pub(super) expected: Option<Outcome>,
    /// What came out; `None` if it could not be sent.
    pub(super) got: Option<Outcome>,
}

/// What is known of a hook.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Proof {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) mode: String,
    pub(super) state: State,
    /// Why it is not proved: a class of failures or a word of its own.
    pub(super) how: Option<String>,
    /// The same for people.
    pub(super) detail: Option<String>,
    pub(super) canaries: Vec<Sent>,
}

/// Why a hook is not proved.
struct Why(State, String, String);

fn dead(how: &str, detail: impl Into<String>) -> Why {
    Why(State::Dead, how.to_owned(), detail.into())
}

fn untested(how: &str, detail: impl Into<String>) -> Why {
    Why(State::Untested, how.to_owned(), detail.into())
}

/// What hooks are proved with.
pub(super) struct Prover<'a> {
    pub(super) table: &'a HandlerTable,
    pub(super) standing: &'a Standing,
    pub(super) agent: Option<&'a Agent>,
    /// The folder of the made-up session.
    pub(super) folder: &'a Path,
}

impl Prover<'_> {
    /// Sends the canaries of a hook to it.
    pub(super) async fn prove(&self, hook: &HookSpec) -> Proof {
        let mut canaries = Vec::new();
        let why = match self.why_not_sent(hook) {
            Some(why) => Some(why),
            None => self.send_all(hook, &mut canaries).await.err(),
        };
        let Why(state, how, detail) =
            why.unwrap_or(Why(State::Proved, String::new(), String::new()));
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        Proof {
            id: hook.id().to_string(),
            kind: hook.kind().to_owned(),
            mode: hook.mode().name().to_owned(),
            state,
            how: given(how),
            detail: given(detail),
            canaries,
        }
    }

    /// Says why nothing is sent to a hook.
    fn why_not_sent(&self, hook: &HookSpec) -> Option<Why> {
        if hook.mode() == Mode::Off {
            return Some(untested("off", "it is switched off"));
        }
        if let Some(why) = hook.why_set_aside() {
            return Some(dead("set_aside", why));
        }
        if let Some(why) = self.standing.why_refused(hook) {
            return Some(untested("not_trusted", why));
        }
        if let Some(begin) = begins_later(hook) {
            return Some(untested("later", format!("it is called from {begin} on")));
        }
        if hook.is_background() {
            return Some(untested("background", "nothing waits for what it says"));
        }
        let dialect = &*self.agent?.dialect;
        let manifests = manifests(self.table);
        let reach = Reach { dialect, manifests: &manifests, called_at: None };
        reach.why_never(hook).map(|why| dead("never_called", why))
    }

    async fn send_all(&self, hook: &HookSpec, sent: &mut Vec<Sent>) -> Result<(), Why> {
        let enforced = hook.clone().unordered().with_mode(Mode::Enforce);
        let table = alone(self.table, enforced);
        let table = table.map_err(|errors| dead("no_table", errors.to_string()))?;
        let engine = Engine::new(table);
        if hook.canaries().is_empty() {
            self.send_made_up(&engine, hook, sent).await
        } else {
            self.send_written(&engine, hook, sent).await
        }
    }

    async fn send_written(
        &self,
        engine: &Engine,
        hook: &HookSpec,
        sent: &mut Vec<Sent>,
    ) -> Result<(), Why> {
        let (mut why, mut unsent) = (None, None);
        for canary in hook.canaries() {
            let step = self.in_session(&canary.step, hook, sent.len());
            let came = send(engine, hook.id().as_str(), &step, self.agent).await;
            sent.push(note(&step, false, Some(canary.decision), came.as_ref().ok()));
            match came {
                Ok(came) => why = why.or_else(|| fault(hook, canary, &came)),
                Err(error) => unsent = unsent.or(Some(error)),
            }
        }
        if let Some(why) = why {
            return Err(why);
        }
        if let Some(error) = unsent {
            return Err(untested("not_sent", error));
        }
        if only_outcome(hook).is_none() && hook.canaries().iter().all(Canary::stops) {
            let detail = "it stops what it must, but may stop everything: add a canary with `decision = \"allow\"`";
            return Err(untested("no_pass", detail));
        }
        Ok(())
    }

    async fn send_made_up(
        &self,
        engine: &Engine,
        hook: &HookSpec,
        sent: &mut Vec<Sent>,
    ) -> Result<(), Why> {
        let expected = only_outcome(hook);
        let id = hook.id().as_str();
        let mut called = None;
        for step in steps(hook, self.folder) {
            let step = self.in_session(&step, hook, 0);
            let Ok(came) = send(engine, id, &step, self.agent).await else { continue };
            // Whether it is called about a step that nobody meant may be unclear.
            let failure = came.vote.as_ref().map(|vote| vote.failure);
            if failure.is_some_and(|failure| failure != Some(FailureClass::Unclear)) {
                called = Some((step, came));
                break;
            }
        }
        let Some((step, came)) = called else {
            let none = "no step was found that it is called about";
            return Err(untested("no_canary", format!("{none}: {ADD}")));
        };
        sent.push(note(&step, true, expected, Some(&came)));
        let canary = Canary::new(step, expected.unwrap_or(came.report.decision));
        if let Some(why) = fault(hook, &canary, &came) {
            return Err(why);
        }
        if expected.is_none() {
            let answers = "it answers, but what it must stop is not said";
            return Err(untested("no_canary", format!("{answers}: {ADD}")));
        }
        let Some(step) = other_step(hook, self.folder) else { return Ok(()) };
        let step = self.in_session(&step, hook, 1);
        // An agent may have no such call.
        let Ok(came) = send(engine, id, &step, self.agent).await else { return Ok(()) };
        sent.push(note(&step, true, Some(Outcome::Allow), Some(&came)));
        fault(hook, &Canary::new(step, Outcome::Allow), &came).map_or(Ok(()), Err)
    }

    /// Returns a step in a session of its own.
    fn in_session(
        &self,
        step: &Map<String, Value>,
        hook: &HookSpec,
        number: usize,
    ) -> Map<String, Value> {
        let mut step = step.clone();
        step.insert("session_id".to_owned(), format!("canary-{}-{number}", hook.id()).into());
        step.entry("cwd").or_insert_with(|| self.folder.display().to_string().into());
        step
    }
}

fn note(
    step: &Map<String, Value>,
    made_up: bool,
    expected: Option<Outcome>,
    came: Option<&Came>,
) -> Sent {
    let event = step.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let got = came.map(|came| came.report.decision);
    Sent { event: event.to_owned(), made_up, expected, got }
}

/// Says how a hook did not do what it must.
fn fault(hook: &HookSpec, canary: &Canary, came: &Came) -> Option<Why> {
    let Some(vote) = &came.vote else {
        if !canary.stops() {
            return None;
        }
        let event = canary.event();
        return Some(if needs_history(hook.matcher()) {
            untested(
                "history",
                "what it does depends on earlier steps: `hookgate test` has sessions of several",
            )
        } else {
            dead(
                "never_called",
                format!("its conditions do not hold for the step at `{event}` that it must stop"),
            )
        });
    };
    if let Some(class) = vote.failure {
        return Some(dead(class.name(), vote.detail.clone().unwrap_or_default()));
    }
    let (must, got) = (canary.decision, came.report.decision);
    if got != must {
        let reason = came.report.reason.as_deref().map(|reason| format!(": {reason}"));
        let reason = reason.unwrap_or_default();
        let (must_name, got_name) = (must.name(), got.name());
        return Some(match (must, got) {
            (_, Outcome::Allow) => {
                dead("let_pass", format!("it let pass what must come out as {must_name}"))
            }
            (Outcome::Allow, _) => {
                dead("stopped", format!("it says {got_name} where the step must pass{reason}"))
            }
            _ => {
                dead("other_answer", format!("it says {got_name} and must say {must_name}{reason}"))
            }
        });
    }
    if let Some(patch) = &canary.patch
        && !is_patched(patch, &came.report)
    {
        let changed = Value::Object(came.report.final_fields.clone());
        let detail = format!(
            "it made {changed} of the step, and must make {}",
            Value::Object(patch.clone())
        );
        return Some(dead("other_patch", detail));
    }
    came.disobeyed.clone().map(|why| dead("not_obeyed", why))
}

/// Whether conditions depend on steps before.
fn needs_history(conditions: &MatchSpec) -> bool {
    let own = &mut conditions.registered.iter().map(|one| one.condition());
    own.any(|one| one.uses_history() || one.comes_last())
        || conditions.any.iter().flatten().chain(&conditions.not).any(needs_history)
}
