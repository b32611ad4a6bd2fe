//! The configs of defect: `[[hooks.<event>]]`.

use std::time::Duration;

use super::event_of;
use super::handlers::{self, Unit};
use crate::import::agent::Agent;
use crate::import::node::Node;
use crate::import::report::Findings;
use crate::import::source::{Command, Handler, Line, Source, SourceHook};
use crate::import::write::{list, literal};

/// Reads a config.
pub(super) fn read(root: &Node) -> Source {
    let mut source = Source::default();
    let Some(hooks) = root.get("hooks") else { return source };
    for entry in hooks.entries() {
        if entry.key == "disable" {
            source.findings.add(
                "not_imported",
                entry.key_at,
                "`[[hooks.disable]]` takes hooks of other files away",
                "leave those hooks out, or write `mode = \"off\"` there",
            );
            continue;
        }
        let event = event_of(Agent::Defect, entry, &mut source.findings);
        let event = event.unwrap_or_else(|| entry.key.clone());
        for node in entry.node.items() {
            source.hooks.push(hook(&event, node));
        }
    }
    source
}

fn hook(event: &str, node: &Node) -> SourceHook {
    let mut findings = Findings::default();
    let handler_node = node.get("handler");
    let handler = handler_node.map_or_else(
        || Handler::Unknown { kind: "none".to_owned(), detail: String::new() },
        |handler_node| handler(event, handler_node, &mut findings),
    );
    let mut hook = SourceHook::new(node.at, event, handler);
    handlers::name(node, &mut hook);
    hook.timeout = Duration::from_secs(5);
    if let Some(limit) = handler_node.and_then(|handler| handler.get("timeout_sec"))
        && let Ok(limit) = handlers::timeout(Agent::Defect, limit, Unit::Seconds, &mut findings)
    {
        (hook.timeout, hook.timeout_is_given) = (limit, true);
    }
    if let Some(matcher) = node.get("match") {
        if let Some(tool) = matcher.text_of("tool") {
            hook.conditions.push(("tool".to_owned(), literal(tool)));
        }
        if let Some(glob) = matcher.text_of("tool_glob") {
            hook.conditions.push(("tool_glob".to_owned(), literal(glob)));
        }
        let safety = matcher.texts_of("safety");
        if !safety.is_empty() {
            hook.conditions.push(("safety".to_owned(), list(&safety)));
        }
        let has_tool = matches!(
            event,
            "before_tool_apply" | "after_tool_apply" | "before_permission" | "after_permission"
        );
        if !has_tool && !hook.conditions.is_empty() {
            findings.add(
                "never_matches",
                matcher.at,
                format!(
                    "a step of `{event}` has no tool, so that a hook with this `match` never runs"
                ),
                "the hook is imported without it",
            );
            hook.conditions.clear();
        } else if event != "before_tool_apply" && !safety.is_empty() {
            findings.add(
                "never_matches",
                matcher.at,
                format!("defect says `safety` at before_tool_apply only, so that the hook never runs at `{event}`"),
                "here it does run if the host says what the tool can do",
            );
        }
    }
    hook.findings = findings;
    hook
}

fn handler(event: &str, node: &Node, findings: &mut Findings) -> Handler {
    let text = |key: &str| node.text_of(key).unwrap_or_default().to_owned();
    match node.text_of("type") {
        Some("command") => {
            let argv = node.texts_of("argv");
            let line = if argv.is_empty() {
                let shell = match node.text_of("shell") {
                    Some("bash") => "bash",
                    Some("pwsh") => "pwsh",
                    _ => "sh",
                };
                Line::Shell(shell, text("command"))
            } else {
                Line::Argv(argv)
            };
            let cwd = node.text_of("cwd").map(str::to_owned);
            Handler::Command(Command { line, env: node.pairs_of("env"), cwd })
        }
        Some("builtin") => Handler::Builtin { name: text("name"), args: Vec::new() },
        Some("prompt") => {
            findings.add(
                "never_blocks",
                node.at,
                format!("defect never reads the answer of a model as a decision: at `{event}` it is context at most"),
                "it is imported as a judge that decides",
            );
            Handler::Prompt {
                prompt: text("system"),
                model: node.text_of("model").map(str::to_owned),
            }
        }
        other => {
            let kind = other.unwrap_or("none").to_owned();
            findings.add(
                "never_runs",
                node.at,
                format!("defect has no handlers of type `{kind}`"),
                "the hook stands in the file as a comment",
            );
            Handler::Unknown { kind, detail: String::new() }
        }
    }
}
