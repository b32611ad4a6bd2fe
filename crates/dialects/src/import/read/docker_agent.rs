//! The configs of Docker's agent: hooks of an agent, of the settings of a user, or of a file in `hooks.d`.

use std::time::Duration;

use super::event_of;
use super::handlers::{self, Unit};
use crate::import::agent::Agent;
use crate::import::node::{Entry, Node};
use crate::import::report::Findings;
use crate::import::source::{Command, Failure, Handler, Line, Matcher, Source, SourceHook};

/// Events at which a hook that breaks refuses the step.
const FAILS_CLOSED: &[&str] = &["pre_tool_use", "tool_guard"];

/// Reads a config.
pub(super) fn read(root: &Node) -> Source {
    let mut source = Source::default();
    if let Some(agents) = root.get("agents") {
        for agent in agents.entries() {
            if let Some(hooks) = agent.node.get("hooks") {
                events(hooks, Some(&agent.key), &mut source);
            }
        }
    }
    for path in [&["settings", "hooks"][..], &["hooks"]] {
        if let Some(hooks) = root.path(path) {
            events(hooks, None, &mut source);
        }
    }
    if source.hooks.is_empty() && root.get("agents").is_none() {
        events(root, None, &mut source);
    }
    source
}

fn events(hooks: &Node, agent: Option<&str>, source: &mut Source) {
    for entry in hooks.entries() {
        let Entry { node, .. } = entry;
        let name = event_of(Agent::DockerAgent, entry, &mut source.findings);
        let name = name.unwrap_or_else(|| entry.key.clone());
        // A single hook needs no list.
        let items = if node.is_table() { std::slice::from_ref(node) } else { node.items() };
        for item in items {
            match item.get("hooks") {
                Some(group) => {
                    if group.items().is_empty() {
                        source.findings.add(
                            "dropped",
                            group.at,
                            "a group without a hook is an error: the agent does not start",
                            "take it out, or give it a hook",
                        );
                    }
                    let matcher = handlers::matcher(item, &mut source.findings);
                    for inner in group.items() {
                        let mut hook = hook(&name, inner, agent);
                        hook.matcher = Matcher { text: matcher.text.clone(), at: matcher.at };
                        source.hooks.push(hook);
                    }
                }
                None => source.hooks.push(hook(&name, item, agent)),
            }
        }
    }
}

fn hook(event: &str, node: &Node, agent: Option<&str>) -> SourceHook {
    let mut findings = Findings::default();
    let handler = handler(event, node, &mut findings);
    let is_model = matches!(handler, Handler::Prompt { .. });
    let mut hook = SourceHook::new(node.at, event, handler);
    handlers::name(node, &mut hook);
    hook.timeout = Duration::from_secs(60);
    if let Some(limit) = node.get("timeout")
        && let Ok(limit) =
            handlers::timeout(Agent::DockerAgent, limit, Unit::Seconds, &mut findings)
        && !limit.is_zero()
    {
        (hook.timeout, hook.timeout_is_given) = (limit, true);
    }
    let blocks = node.text_of("on_error") == Some("block");
    if blocks || FAILS_CLOSED.contains(&event) {
        hook.failure = Failure::Closed;
    }
    if let Some(agent) = agent.filter(|agent| *agent != "root") {
        hook.notes.push(format!(
            "a hook of the agent `{agent}` alone; `agent = \"…\"` restricts it here"
        ));
    }
    if node.is_set("strict_output") && !is_model {
        hook.notes.push("`strict_output`: answers are always read strictly here".to_owned());
    }
    if event == "pre_tool_use" {
        findings.add(
            "bypassed",
            node.at,
            "docker agent asks this hook only about calls that its rules would ask the user about: what they \
             approve by themselves never comes here",
            "nothing: here the hook sees every call; in docker agent use `tool_guard`",
        );
    }
    hook.findings = findings;
    hook
}

fn handler(event: &str, node: &Node, findings: &mut Findings) -> Handler {
    let text = |key: &str| node.text_of(key).unwrap_or_default().to_owned();
    match node.text_of("type") {
        Some("command") => Handler::Command(Command {
            line: Line::Shell("sh", text("command")),
            env: node.pairs_of("env"),
            cwd: node.text_of("working_dir").map(str::to_owned),
        }),
        Some("builtin") => Handler::Builtin { name: text("command"), args: node.texts_of("args") },
        Some("model") => {
            if node.text_of("schema").is_none() && matches!(event, "pre_tool_use" | "tool_guard") {
                findings.add(
                    "never_blocks",
                    node.at,
                    "without `schema: pre_tool_use_decision` the answer of the model is context, and never \
                     a decision",
                    "it is imported as a judge that decides",
                );
            }
            Handler::Prompt {
                prompt: text("prompt"),
                model: node.text_of("model").map(str::to_owned),
            }
        }
        other => {
            let kind = other.unwrap_or("none");
            findings.add(
                "never_runs",
                node.at,
                format!("docker agent has no hooks of type `{kind}` of its own"),
                "the hook stands in the file as a comment",
            );
            Handler::Unknown { kind: kind.to_owned(), detail: text("command") }
        }
    }
}
