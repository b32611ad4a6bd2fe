//! What the conditions of the hooks say of a step, without calling any.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{BuiltCondition, Command, Envelope, Mode, StepContext, StepId, Truth};
use serde::Serialize;
use serde_json::Value;

use super::HandlerTable;
use super::compiled_hook::CompiledHook;
use super::condition_text::{assignment, plain_values, pointer_value, table_text};
use super::origin::Origin;
use crate::clock;
use crate::hook_id::HookId;
use crate::matcher::{Conditions, Holding, InputSpec, MatchSpec};
use crate::panic_boundary::catch;

/// How many characters of a value are shown.
const SHOWN: usize = 120;

/// What one hook would do about a step, and why.
///
/// See [`HandlerTable::explain`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExplainedHook {
    /// The hook.
    pub hook: HookId,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether its decisions count.
    pub mode: Mode,
    /// Whether it would be called.
    pub called: Called,
    /// Its conditions, in the order in which they are evaluated. Without any the hook is called about
    /// every step of its events.
    pub conditions: Vec<ExplainedCondition>,
}

/// Whether a hook would be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Called {
    /// It would be called.
    Yes,
    /// It would not be called.
    No,
    /// A registered condition cannot be told, and its handler does not look for itself: it would fail
    /// with class `unclear`.
    Unclear,
}

/// What one condition says of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExplainedCondition {
    /// The key in hooks.toml.
    pub key: &'static str,
    /// The condition as it is written: `tool = "Bash"`.
    pub written: String,
    /// Where it is written, if that is known: `hooks.toml:4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Whether it holds.
    pub truth: Truth,
    /// What of the step was looked at: "the tool is `Read`".
    pub why: String,
    /// The conditions inside of it: of `any` the tables, of a table its conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Self>,
}

impl HandlerTable {
    /// Explains for each hook at the event of a step what its conditions say of it, in the order in
    /// which hooks are called. Nothing is called, counted or recorded.
    ///
    /// Every condition is evaluated, also those that a dispatch would not look at because an earlier one
    /// is false.
    ///
    /// ```
    /// use hookgate::contract::Truth;
    /// use hookgate::contract::payload::ToolCall;
    /// use hookgate::table::Called;
    /// use hookgate::{Event, HandlerTable, Hook, StepContext, Verdict};
    ///
    /// let no_bash = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let table = HandlerTable::builder().insert(no_bash.tool("Bash")).build()?;
    /// let read = ToolCall::new("Read", serde_json::json!({"file_path": "a.txt"}));
    ///
    /// let explained = table.explain(&read, &StepContext::new("session-1"));
    /// assert_eq!(explained[0].called, Called::No);
    /// let condition = &explained[0].conditions[0];
    /// assert_eq!((condition.written.as_str(), condition.truth), ("tool = \"Bash\"", Truth::False));
    /// assert_eq!(condition.why, "the tool is `Read`");
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn explain(
        &self,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
    ) -> Vec<ExplainedHook> {
        let Some(bucket) = self.bucket(payload) else { return Vec::new() };
        let step_id = StepId::new(context.step_id, clock::step_id);
        let generation = self.generation().get();
        let step = Envelope::new(payload, context, &step_id, generation, self.limits.payload);
        let hooks = |watches| bucket.entries.iter().filter(move |hook| hook.watches() == watches);
        let all = hooks(false).chain(hooks(true));
        all.map(|hook| explain_hook(hook, payload.event_name(), &step)).collect()
    }
}

fn explain_hook(hook: &CompiledHook, event: &str, step: &Envelope<'_>) -> ExplainedHook {
    let spec = &hook.definition.spec;
    let origin = spec.origin();
    let tools = spec.matcher().tool_holds(step.payload());
    let holding = catch("a condition", || hook.conditions.holding(step)).ok();
    let called = match (tools, holding) {
        (Truth::False, _) | (_, Some(Holding::No)) => Called::No,
        (_, Some(Holding::Unclear)) if hook.static_answer => Called::Unclear,
        // A condition that panics is a failure of the hook, as one of its handler is.
        _ => Called::Yes,
    };
    // An event that is named as another system does may bring a condition of its own.
    let selector = spec.events().iter().find(|selector| selector.name() == event);
    let only = selector.and_then(|selector| selector.only.as_ref());
    let at = Place { origin: Some(origin), key: None };
    ExplainedHook {
        hook: spec.id().clone(),
        origin: origin.clone(),
        mode: hook.mode,
        called,
        conditions: explain_table(spec.matcher(), &hook.conditions, only, step, at, None),
    }
}

/// Where conditions are written: those of a hook under their own keys, those of a table in it under the
/// key of the hook that it belongs to.
#[derive(Clone, Copy)]
struct Place<'o> {
    origin: Option<&'o Origin>,
    key: Option<&'static str>,
}

impl Place<'_> {
    fn of(self, key: &'static str) -> Option<String> {
        let origin = self.origin?;
        let line = origin.line_of(self.key.unwrap_or(key))?;
        Some(format!("{}:{line}", origin.file_name()?))
    }

    fn inside(self, key: &'static str) -> Self {
        Self { key: self.key.or(Some(key)), ..self }
    }
}

/// Explains the conditions of a hook, or of a table in it.
fn explain_table(
    spec: &MatchSpec,
    compiled: &Conditions,
    only: Option<&InputSpec>,
    step: &Envelope<'_>,
    at: Place<'_>,
    outer: Option<&Command>,
) -> Vec<ExplainedCondition> {
    // What depends on a place is explained for the command that decides.
    let own = catch("a condition", || compiled.deciding_command(step)).ok().flatten();
    let command = own.as_ref().or(outer);
    let (payload, context) = (step.payload(), step.context());
    let condition = |key, written, truth, why| ExplainedCondition {
        key,
        written,
        origin: at.of(key),
        truth,
        why,
        parts: Vec::new(),
    };
    let mut all = Vec::new();
    for (key, value) in plain_values(spec) {
        let (truth, why) = match key {
            "tool" | "tool_glob" | "tool_regex" => {
                (tool_alone(spec, key).tool_holds(payload), tool_text(payload))
            }
            "safety" => (compiled.safety_holds(payload), safety_text(payload)),
            "agent" => (compiled.agent_holds(context), agent_text(context)),
            "subagent" => (compiled.subagent_holds(context), agent_text(context)),
            "cwd_glob" => match command {
                Some(command) => {
                    (compiled.folder_holds(command.folder.as_deref()), folder_text(command))
                }
                None => (compiled.cwd_holds(context), cwd_text(context)),
            },
            // `regex_search` says how to read `tool_regex`.
            _ => continue,
        };
        all.push(condition(key, assignment(key, &value), truth, why));
    }
    let mut root = payload.to_value().unwrap_or_default();
    if let (Some(decision), Some(fields)) = (step.decision(), root.as_object_mut()) {
        let decision = serde_json::to_value(decision).unwrap_or_default();
        fields.entry("decision").or_insert(decision);
    }
    let input = payload.tool().map_or(&root, |call| &call.tool_input);
    for (spec, truth) in spec.input.iter().zip(compiled.each_input(payload)) {
        let written = assignment("input", &pointer_value(spec));
        all.push(condition("input", written, truth, value_text(input, &spec.pointer)));
    }
    for (spec, truth) in spec.payload.iter().chain(only).zip(compiled.each_payload(step)) {
        let written = assignment("payload", &pointer_value(spec));
        all.push(condition("payload", written, truth, value_text(&root, &spec.pointer)));
    }
    for built in &spec.registered {
        let (truth, why) = registered(built, step, command);
        all.push(condition(built.key(), assignment(built.key(), built.written()), truth, why));
    }
    all.extend(explain_nested(spec, compiled, step, at, command));
    all
}

/// Explains the tables of `any` and `not`.
fn explain_nested(
    spec: &MatchSpec,
    compiled: &Conditions,
    step: &Envelope<'_>,
    at: Place<'_>,
    command: Option<&Command>,
) -> Vec<ExplainedCondition> {
    let Some(nested) = compiled.nested() else { return Vec::new() };
    let mut all = Vec::new();
    for (specs, tables) in spec.any.iter().zip(nested.any()) {
        let inside = at.inside("any");
        let parts: Vec<_> = specs
            .iter()
            .zip(tables)
            .map(|(spec, table)| {
                let parts = explain_table(spec, table.conditions(), None, step, inside, command);
                let truth = conjunction_of(&parts);
                let origin = inside.of("any");
                let why = least_text(&parts);
                let written = table_text(spec);
                ExplainedCondition { key: "any", written, origin, truth, why, parts }
            })
            .collect();
        let truth = Truth::disjunction(parts.iter().map(|part| part.truth));
        let holds = parts.iter().filter(|part| part.truth == truth).count();
        let why = match truth {
            Truth::True => format!("{holds} of its {} tables hold", parts.len()),
            Truth::False => format!("none of its {} tables holds", parts.len()),
            Truth::Unknown => parts
                .iter()
                .find(|part| part.truth == Truth::Unknown)
                .map(|part| part.why.clone())
                .unwrap_or_default(),
        };
        let written: Vec<_> = parts.iter().map(|part| part.written.as_str()).collect();
        let written = format!("any = [{}]", written.join(", "));
        let origin = at.of("any");
        all.push(ExplainedCondition { key: "any", written, origin, truth, why, parts });
    }
    for (spec, table) in spec.not.iter().zip(nested.not()) {
        let inside = at.inside("not");
        let parts = explain_table(spec, table.conditions(), None, step, inside, command);
        let inner = conjunction_of(&parts);
        let why = match inner {
            Truth::True => "its table holds".to_owned(),
            _ => least_text(&parts),
        };
        let (written, origin) = (format!("not = {}", table_text(spec)), at.of("not"));
        all.push(ExplainedCondition { key: "not", written, origin, truth: !inner, why, parts });
    }
    all
}

fn conjunction_of(parts: &[ExplainedCondition]) -> Truth {
    Truth::conjunction(parts.iter().map(|part| part.truth))
}

/// Returns the explanation of the condition that decides about a table.
fn least_text(parts: &[ExplainedCondition]) -> String {
    parts.iter().min_by_key(|part| part.truth).map(|part| part.why.clone()).unwrap_or_default()
}

/// Returns the patterns for tools of one key alone.
fn tool_alone(spec: &MatchSpec, key: &str) -> MatchSpec {
    let mut alone = MatchSpec::new().regex_search(spec.regex_search);
    match key {
        "tool" => alone.tool.clone_from(&spec.tool),
        "tool_glob" => alone.tool_glob.clone_from(&spec.tool_glob),
        _ => alone.tool_regex.clone_from(&spec.tool_regex),
    }
    alone
}

fn registered(
    built: &BuiltCondition,
    step: &Envelope<'_>,
    command: Option<&Command>,
) -> (Truth, String) {
    let condition = built.condition();
    let command = command.filter(|_| condition.depends_on_place());
    let explained = catch("the condition", || match command {
        Some(command) => (condition.hold_for(step, command), condition.explain_for(step, command)),
        None => (condition.hold(step), condition.explain(step)),
    });
    explained.unwrap_or_else(|failure| (Truth::Unknown, failure.detail.into_owned()))
}

fn tool_text(payload: &dyn AnyPayload) -> String {
    match payload.tool() {
        Some(call) => format!("the tool is `{}`", call.tool_name),
        None => "the step is not about a tool".to_owned(),
    }
}

fn safety_text(payload: &dyn AnyPayload) -> String {
    match payload.tool().and_then(|call| call.safety) {
        Some(safety) => format!("the tool is classified as {}", safety.name()),
        None => "the host has not classified the tool".to_owned(),
    }
}

fn agent_text(context: &StepContext<'_>) -> String {
    let given = |name: Option<&'_ str>| name.filter(|name| !name.is_empty()).map(str::to_owned);
    match (given(context.agent_id), given(context.agent_type)) {
        (Some(id), Some(kind)) => format!("the agent is `{id}` of type `{kind}`"),
        (Some(id), None) => format!("the agent is `{id}`, and its type is not known"),
        (None, Some(kind)) => format!("the agent is of type `{kind}`"),
        (None, None) => "which agent acts is not known".to_owned(),
    }
}

fn cwd_text(context: &StepContext<'_>) -> String {
    match context.cwd {
        Some(folder) => format!("the folder is `{folder}`"),
        None => "the folder of the session is not known".to_owned(),
    }
}

fn folder_text(command: &Command) -> String {
    let shown = command.shown.as_deref().unwrap_or("a command");
    match &command.folder {
        Some(folder) => format!("{shown} works in `{folder}`"),
        None => format!("the folder in which {shown} works is not known"),
    }
}

/// Says what a pointer leads to; one that may lead to several values is only named.
fn value_text(root: &Value, pointer: &str) -> String {
    if pointer.split('/').any(|token| token == "*" || token == "**") {
        return format!("`{pointer}` leads to any of several values");
    }
    match root.pointer(pointer) {
        None => format!("there is no value at `{pointer}`"),
        Some(value) => {
            let text = value.to_string();
            let shown: String = text.chars().take(SHOWN).collect();
            let rest = if shown.len() < text.len() { "…" } else { "" };
            format!("`{pointer}` is {shown}{rest}")
        }
    }
}
