//! OpenCode, through a plugin.
//!
//! It has no hook commands. [`plugin`] is a plugin that runs hookgate for each call that OpenCode makes,
//! and refuses the action if there is no answer. So what it reads is a form of our own: every answer is an
//! object with `decision`, so that silence is never taken for a yes.

mod envelope;
mod events;
mod script;

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostStep};
use hookgate_contract::{VerdictDecision, patch_field};
use serde_json::{Value, json};

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::tools;
use crate::wire::{Output, Plan};
use envelope::PLACES;

/// Its name for people.
const TITLE: &str = "OpenCode";

/// The plugin, as it is kept here.
const PLUGIN: &str = include_str!("opencode/hookgate.js");

/// The line of the plugin that holds the command.
const COMMAND: &str =
    "const COMMAND = [\"hookgate\", \"hook\", \"--agent\", \"opencode\"]; // replaced\n";

/// Returns the plugin for OpenCode, as a file of JavaScript that runs this command: the program, and its
/// first arguments. `--event NAME` follows them.
///
/// ```
/// let plugin = hookgate_dialects::opencode::plugin(&["/usr/bin/hookgate", "hook", "--agent", "opencode"]);
/// assert!(plugin.contains(r#"["/usr/bin/hookgate","hook","--agent","opencode"]"#));
/// ```
#[must_use]
pub fn plugin(command: &[&str]) -> String {
    let line = format!("const COMMAND = {};\n", json!(command));
    PLUGIN.replacen(COMMAND, &line, 1)
}

/// The form in which OpenCode's plugin talks to hookgate.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "opencode",
    title: TITLE,
    events: events::EVENTS,
    tools: tools::OPENCODE,
    calls_tool: any_tool,
    read: |dialect, given, native| PLACES.step(dialect, given, native),
    answer,
    refuse: HostAnswer::refusal,
    write: envelope::write,
    reply: script::reply,
};

fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let mut plan = Plan::new(TITLE, step, decision);
    let mut out = Output::default();
    if plan.refuses() {
        out.top("decision", "deny");
        out.top("reason", plan.reason.as_ref());
        return plan.json(out.finish(step.event.name));
    }
    out.top("decision", "pass");
    match plan.decision {
        Some(VerdictDecision::Ask) => out.top("status", "ask"),
        Some(VerdictDecision::Allow) => out.top("status", "allow"),
        _ => {}
    }
    out.top_if("args", plan.patch.remove(patch_field::TOOL_INPUT));
    out.top_if("prompt", plan.patch.remove(patch_field::PROMPT));
    if let Some(result) = plan.patch.remove(patch_field::TOOL_RESPONSE) {
        out.top("output", text_of(&result));
    }
    out.top_if("context", plan.context.take());
    plan.json(out.finish(step.event.name))
}

/// The text of a result, which has a title and other facts beside it.
fn text_of(result: &Value) -> String {
    let text = result.as_str().or_else(|| result.get("output")?.as_str());
    text.map_or_else(|| result.to_string(), str::to_owned)
}
