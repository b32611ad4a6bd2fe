//! `goal_gate`: the agent does not stop before its goal is reached.

use std::fmt;
use std::path::{Component, Path};
use std::sync::Arc;

use hookgate_contract::payload::{Stop, SubagentStop};
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Contract, Event, Failure, FailureClass, Invocation, Layer, Reply,
    Role, SyncHandler, Truth, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::folder::session_folder;
use crate::host::{Host, Marks};
use crate::settings::required_prose;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "goal_gate",
    role: Role::Guard,
    about: "tells the model its goal, and denies that it stops before the goal is reached",
    supports: Some(briefs_or_stops),
    settings: &[
        SettingDoc::required("goal", SettingType::Text, "the goal, in words for the model"),
        SettingDoc::optional(
            "mark",
            SettingType::Text,
            "the goal is reached when the session has this mark",
        ),
        SettingDoc::optional("after", SettingType::Text, "a mark; that of `mark` must be later"),
        SettingDoc::optional(
            "file",
            SettingType::Text,
            "the goal is reached when this file is there, in the folder of the session",
        ),
        SettingDoc::optional(
            "says",
            SettingType::Text,
            "the goal is reached when the last message of the agent has this text",
        ),
    ],
    example: r#"[[hook]]
id = "goal"
event = ["session_start", "stop"]
builtin = { name = "goal_gate", goal = "all tests pass and report.md says what was changed", mark = "tested", file = "report.md" }
"#,
    build: Build::WithHost(build),
};

/// Tells the model its goal, and denies that it stops before the goal is reached.
///
/// ```toml
/// [[hook]]
/// id = "goal"
/// event = ["session_start", "stop"]
/// builtin = { name = "goal_gate", goal = "all tests pass and report.md says what was changed", mark = "tested", file = "report.md" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `goal` | string, required | the goal, in words for the model |
/// | `mark` | string | the goal is reached when the session has this mark, which other hooks set with `mark = "…"` |
/// | `after` | string | a mark; that of `mark` must be later |
/// | `file` | string | the goal is reached when this file is there, in the folder of the session |
/// | `says` | string | the goal is reached when the last message of the agent has this text |
///
/// At least one of `mark`, `file` and `says` must say when the goal is reached; of several all must hold. `says` is the
/// weakest: the agent decides for itself.
///
/// Where a session, a sub-agent or a turn begins, or a conversation was compacted, it adds the goal as `context`. Where
/// the agent wants to stop it has no opinion if the goal is reached, and else answers `deny` with what is missing: the
/// agent goes on with that as its feedback, as often as `limits.stop_denials` lets it. If it cannot be told whether
/// the goal is reached (the host does not say what the last message was, or in which folder the session works), it fails
/// with the class `unclear`: a failed hook lets the agent stop, unless the hook says otherwise.
///
/// A mark needs the [marks](crate::Marks) of the host; in a host that has none, `mark` is an error of the config.
///
/// ```
/// use hookgate_builtin::GoalGate;
/// use hookgate_contract::payload::Stop;
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler, Verdict};
///
/// let gate = GoalGate::new("the plan is written").says("PLAN DONE");
/// let context = StepContext::new("session-1");
/// let at_stop = |message: &str| {
///     let (stop, id) = (Stop::new().last_assistant_message(message), StepId::new(Some("1"), String::new));
///     gate.handle(Invocation::new("goal", &Envelope::new(&stop, &context, &id, 1, 64 * 1024)))
/// };
/// assert_eq!(at_stop("PLAN DONE, see plan.md"), Ok(Verdict::none()));
/// let missing = "the goal is not reached: the plan is written. Missing: the text `PLAN DONE` in your last message";
/// assert_eq!(at_stop("good night"), Ok(Verdict::deny(missing)));
/// ```
pub struct GoalGate {
    goal: String,
    mark: Option<Mark>,
    file: Option<String>,
    says: Option<String>,
}

/// A mark that the session must have.
struct Mark {
    name: String,
    after: Option<String>,
    layer: Layer,
    marks: Arc<dyn Marks>,
}

impl fmt::Debug for GoalGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoalGate").field("goal", &self.goal).finish_non_exhaustive()
    }
}

impl GoalGate {
    /// Creates a gate for a goal. Until it is said when that is reached, it lets every stop pass.
    #[must_use]
    pub fn new(goal: impl Into<String>) -> Self {
        Self { goal: goal.into(), mark: None, file: None, says: None }
    }

    /// The goal needs this mark.
    #[must_use]
    pub fn mark(self, name: impl Into<String>, marks: Arc<dyn Marks>) -> Self {
        let mark = Mark { name: name.into(), after: None, layer: Layer::Code, marks };
        Self { mark: Some(mark), ..self }
    }

    /// The goal needs this file in the folder of the session.
    #[must_use]
    pub fn file(self, name: impl Into<String>) -> Self {
        Self { file: Some(name.into()), ..self }
    }

    /// The goal needs this text in the last message of the agent.
    #[must_use]
    pub fn says(self, text: impl Into<String>) -> Self {
        Self { says: Some(text.into()), ..self }
    }

    /// Returns what is missing.
    fn missing(&self, invocation: &Invocation<'_>) -> Result<Vec<String>, Failure> {
        let mut missing = Vec::new();
        if let Some(Mark { name, after, layer, marks }) = &self.mark {
            let what = match after {
                Some(after) => format!("the mark `{name}`, later than `{after}`"),
                None => format!("the mark `{name}`"),
            };
            match marks.is_marked(invocation.envelope, *layer, name, after.as_deref()) {
                Truth::True => {}
                Truth::False => missing.push(what),
                Truth::Unknown => return Err(unclear(&format!("whether there is {what}"))),
            }
        }
        if let Some(name) = &self.file {
            let folder = session_folder(invocation);
            let folder = folder.ok_or_else(|| unclear("in which folder the session works"))?;
            if !folder.join(name).is_file() {
                missing.push(format!("the file `{name}`"));
            }
        }
        if let Some(text) = &self.says {
            let message = last_message(invocation);
            let message = message.ok_or_else(|| unclear("what the last message was"))?;
            if !message.contains(text) {
                missing.push(format!("the text `{text}` in your last message"));
            }
        }
        Ok(missing)
    }
}

fn unclear(what: &str) -> Failure {
    Failure::new(FailureClass::Unclear, format!("it cannot be told {what}"))
}

/// The last message of an agent that wants to stop.
fn last_message<'a>(invocation: &Invocation<'a>) -> Option<&'a str> {
    let payload = invocation.payload().as_any();
    if let Some(stop) = payload.downcast_ref::<Stop>() {
        return stop.last_assistant_message.as_deref();
    }
    payload.downcast_ref::<SubagentStop>()?.last_assistant_message.as_deref()
}

const fn is_stop(event: Event) -> bool {
    matches!(event, Event::Stop | Event::SubagentStop)
}

impl SyncHandler for GoalGate {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        if !is_stop(invocation.contract().event) {
            return Ok(Verdict::none().context(format!("The goal of this work: {}", self.goal)));
        }
        let missing = self.missing(&invocation)?;
        if missing.is_empty() {
            return Ok(Verdict::none());
        }
        let (goal, missing) = (&self.goal, missing.join("; "));
        Ok(Verdict::deny(format!("the goal is not reached: {goal}. Missing: {missing}")))
    }
}

/// Accepts events at which the goal is told, or the agent wants to stop.
fn briefs_or_stops(contract: &Contract) -> Result<(), &'static str> {
    match contract.event {
        Event::SessionStart | Event::SubagentStart | Event::TurnStart | Event::PostCompact => {
            Ok(())
        }
        event if is_stop(event) => Ok(()),
        _ => Err("a goal is told where work begins, and asked for where an agent wants to stop"),
    }
}

impl From<GoalGate> for BuiltHandler {
    fn from(handler: GoalGate) -> Self {
        let has_mark = handler.mark.is_some();
        let built = Self::from_sync(handler).role(Role::Guard).supports(briefs_or_stops);
        if has_mark { built.uses_history() } else { built }
    }
}

/// Builds the handler from the settings of a config.
fn build(
    settings: &mut Settings<'_>,
    context: &BuildContext<'_>,
    host: &Host,
) -> Option<BuiltHandler> {
    let goal = required_prose(settings, "goal");
    let (mark, after) = (settings.text("mark"), settings.text("after"));
    let (file, says) = (settings.text("file"), settings.text("says"));
    let goal = goal?;
    for (key, value) in [("mark", mark), ("after", after), ("file", file), ("says", says)] {
        if value.is_some_and(|value| value.trim().is_empty()) {
            settings.invalid(key, "it is empty");
            return None;
        }
    }
    if mark.is_none() && file.is_none() && says.is_none() {
        let problem = "nothing says when it is reached: write `mark`, `file` or `says` beside it";
        settings.invalid("goal", problem);
        return None;
    }
    if after.is_some() && (mark.is_none() || mark == after) {
        settings.invalid("after", "it says since when `mark` counts: name another mark in `mark`");
        return None;
    }
    let is_plain = |name: &str| {
        let mut parts = Path::new(name).components();
        parts.all(|part| matches!(part, Component::Normal(_)))
    };
    if let Some(name) = file.filter(|name| !is_plain(name)) {
        let problem =
            format!("`{name}` is not below the folder of the session: write a relative path");
        settings.invalid("file", problem);
        return None;
    }
    let mut gate = GoalGate::new(goal);
    gate.file = file.map(str::to_owned);
    gate.says = says.map(str::to_owned);
    let Some(mark) = mark else { return Some(gate.into()) };
    let Some(marks) = host.marks.clone() else {
        settings.invalid("mark", "this program keeps no marks, so nothing could ever be marked");
        return None;
    };
    let layer = context.layer;
    marks.note_required(layer, mark);
    gate.mark = Some(Mark {
        name: mark.to_owned(),
        after: after.map(str::to_owned),
        layer,
        marks: Arc::clone(&marks),
    });
    let names: Vec<String> = std::iter::once(mark).chain(after).map(str::to_owned).collect();
    Some(
        BuiltHandler::from(gate)
            .doubts(move || names.iter().filter_map(|name| marks.doubt(layer, name)).collect()),
    )
}
