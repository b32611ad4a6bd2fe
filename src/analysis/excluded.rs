//! A `not` that takes out every step which the other conditions of its hook let in, as far as calls can be made up
//! for these.

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{BuiltCondition, Envelope, StepContext, StepId, Truth};
use serde_json::{Value, json};

use super::finding::{Finding, FindingCode};
use crate::matcher::MatchSpec;
use crate::table::Listed;

/// The folder in which the calls are made.
const FOLDER: &str = "/home/w/x";

pub(super) fn find(hook: &Listed<'_>) -> Option<Finding> {
    let matcher = hook.matcher();
    let tables: Vec<&MatchSpec> = matcher.not.iter().filter(|table| is_of_effects(table)).collect();
    if tables.is_empty() || !hook.contract.tool {
        return None;
    }
    let asked: Vec<&BuiltCondition> =
        matcher.registered.iter().filter(|built| built.condition().means_commands()).collect();
    let mut calls: Vec<(&str, Value)> =
        asked.iter().flat_map(|built| built.condition().examples()).collect();
    if asked.is_empty() {
        calls = any_calls();
        calls.retain(|_| matcher.named_tools().is_some_and(|names| names.len() == 1));
    }
    calls.retain(|(tool, _)| matcher.may_hold_for(tool));
    let holds =
        |built: &BuiltCondition, step: &Envelope<'_>| built.condition().hold(step) == Truth::True;
    let (mut seen, mut left) = (0, 0);
    for (tool, input) in calls {
        let call = ToolCall::new(tool, input);
        let context = StepContext::new("made-up").cwd(FOLDER);
        let id = StepId::new(Some("made-up"), String::new);
        let step = Envelope::new(&call, &context, &id, 1, 64 * 1024);
        if !asked.iter().all(|built| holds(built, &step)) {
            continue;
        }
        seen += 1;
        let is_out = |table: &&MatchSpec| {
            table.may_hold_for(tool) && table.registered.iter().all(|built| holds(built, &step))
        };
        left += usize::from(!tables.iter().any(is_out));
    }
    if seen == 0 || left > 0 {
        return None;
    }
    let message = format!(
        "`{}` may never be called: no call was found that its conditions let in and `not` leaves",
        hook.spec().id()
    );
    let help = "make `not` narrower than the other conditions; a guard that is never called protects nothing";
    let code = FindingCode::UnreachableConditions;
    Some(Finding::new(code, hook.spec(), "not", message, help.to_owned()))
}

/// Returns whether a table asks for nothing but tools and what their calls do.
fn is_of_effects(table: &MatchSpec) -> bool {
    let rest = MatchSpec {
        tool: Vec::new(),
        tool_glob: Vec::new(),
        tool_regex: Vec::new(),
        regex_search: false,
        registered: Vec::new(),
        ..table.clone()
    };
    let of_calls = |built: &BuiltCondition| {
        built.condition().means_commands() && !built.condition().uses_history()
    };
    rest == MatchSpec::default()
        && !table.registered.is_empty()
        && table.registered.iter().all(of_calls)
}

/// Returns calls of tools that nearly every agent has.
fn any_calls() -> Vec<(&'static str, Value)> {
    let lines = ["w", "ls /etc", "git status", "curl https://w.example"];
    let at = |tool: &'static str, path: &str| (tool, json!({ "file_path": path }));
    let paths = ["/w", "/etc/w", "/home/w/x/w", "/tmp/w"];
    let shell = lines.map(|line| ("Bash", json!({ "command": line })));
    let files = paths.into_iter().flat_map(|path| [at("Read", path), at("Write", path)]);
    shell.into_iter().chain(files).collect()
}
