//! The configs of Cursor: events with a list of hooks.

use std::time::Duration;

use super::handlers::{self, Unit};
use super::{event_of, tell_duplicates};
use crate::import::agent::Agent;
use crate::import::node::Node;
use crate::import::report::Findings;
use crate::import::source::{Command, Failure, Handler, Line, Source, SourceHook};

const KEYS: &[&str] = &[
    "command",
    "type",
    "prompt",
    "model",
    "timeout",
    "loop_limit",
    "failClosed",
    "matcher",
    "name",
    "description",
];

/// Reads a config.
pub(super) fn read(root: &Node) -> Source {
    let mut source = Source::default();
    let Some(hooks) = root.get("hooks") else { return source };
    if let Some(version) = root.get("version").filter(|version| version.number() != Some(1.0)) {
        source.findings.add(
            "version",
            version.at,
            "Cursor knows version 1 of this file, and what it does with another one is not known",
            "write `\"version\": 1`",
        );
    }
    tell_duplicates(hooks, "the event", &mut source.findings);
    for entry in hooks.entries() {
        let event = event_of(Agent::Cursor, entry, &mut source.findings);
        let event = event.unwrap_or_else(|| entry.key.clone());
        if !entry.node.is_list() {
            dropped(entry.node.at, "an event has a list of hooks", &mut source.findings);
        }
        for node in entry.node.items() {
            match node.get("hooks") {
                Some(group) if node.get("command").is_none() => {
                    dropped(
                        node.at,
                        "a group stands here, as Claude Code has it, where a hook belongs",
                        &mut source.findings,
                    );
                    let matcher = handlers::matcher(node, &mut source.findings);
                    for inner in group.items() {
                        let mut hook = hook(&event, inner);
                        hook.matcher.text = hook.matcher.text.or_else(|| matcher.text.clone());
                        source.hooks.push(hook);
                    }
                }
                _ if node.is_table() => source.hooks.push(hook(&event, node)),
                _ => dropped(node.at, "a hook must be an object", &mut source.findings),
            }
        }
    }
    source
}

fn dropped(at: usize, what: &str, findings: &mut Findings) {
    findings.add(
        "dropped",
        at,
        format!("{what}; what stands here never runs in Cursor"),
        "it is imported as it is meant, as far as that can be told",
    );
}

fn hook(event: &str, node: &Node) -> SourceHook {
    let mut findings = Findings::default();
    let handler = match node.text_of("type") {
        None | Some("command") => match node.text_of("command") {
            Some(command) if !command.trim().is_empty() => Handler::Command(Command {
                line: Line::Shell("sh", command.to_owned()),
                ..Command::default()
            }),
            _ => never(node, "command", "it has no command to run", &mut findings),
        },
        Some("prompt") => Handler::Prompt {
            prompt: node.text_of("prompt").unwrap_or_default().to_owned(),
            model: node.text_of("model").map(str::to_owned),
        },
        Some(other) => {
            let why = format!("Cursor has no hooks of type `{other}`");
            never(node, other, &why, &mut findings)
        }
    };
    handlers::tell_unknown_keys(Agent::Cursor, node, KEYS, "ignores it", &mut findings);
    let mut hook = SourceHook::new(node.at, event, handler);
    hook.matcher = handlers::matcher(node, &mut findings);
    handlers::name(node, &mut hook);
    hook.timeout = Duration::from_secs(60);
    if let Some(limit) = node.get("timeout") {
        match handlers::timeout(Agent::Cursor, limit, Unit::Seconds, &mut findings) {
            Ok(limit) => (hook.timeout, hook.timeout_is_given) = (limit, true),
            Err(why) => findings.add(
                "wrong_type",
                limit.at,
                format!("the time limit cannot be read: {why}"),
                "60 s are imported; the reference names no default",
            ),
        }
    }
    if node.is_set("failClosed") {
        hook.failure = Failure::Closed;
    }
    if let Some(limit) = node.get("loop_limit") {
        let limit =
            limit.number().map_or_else(|| "without end".to_owned(), |limit| limit.to_string());
        hook.notes.push(format!(
            "`loop_limit`: {limit}. hookgate lets an agent be kept going 3 times in a row (`stop_denials` \
             in [limits])"
        ));
    }
    hook.findings = findings;
    hook
}

fn never(node: &Node, kind: &str, why: &str, findings: &mut Findings) -> Handler {
    findings.add(
        "never_runs",
        node.at,
        format!("the hook never runs: {why}"),
        "the hook stands in the file as a comment",
    );
    Handler::Unknown { kind: kind.to_owned(), detail: String::new() }
}
