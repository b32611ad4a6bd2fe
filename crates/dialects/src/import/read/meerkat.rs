//! The configs of Meerkat: `[[hooks.entries]]`.

use std::time::Duration;

use super::event_of;
use super::handlers::{self, Unit};
use crate::import::agent::Agent;
use crate::import::node::{Entry, Node};
use crate::import::report::Findings;
use crate::import::source::{Command, Failure, Handler, Line, Source, SourceHook};

const KEYS: &[&str] = &[
    "id",
    "enabled",
    "point",
    "mode",
    "capability",
    "priority",
    "failure_policy",
    "timeout_ms",
    "model_operations",
    "runtime",
];

/// Reads a config.
pub(super) fn read(root: &Node, builtins: &[String]) -> Source {
    let mut source = Source::default();
    let Some(hooks) = root.get("hooks") else { return source };
    let default = hooks.get("default_timeout_ms").and_then(Node::number).unwrap_or(5000.0);
    for node in hooks.get("entries").map_or(&[][..], Node::items) {
        source.hooks.push(hook(node, default, builtins));
    }
    source
}

fn hook(node: &Node, default_ms: f64, builtins: &[String]) -> SourceHook {
    let mut findings = Findings::default();
    let point = node.entry("point");
    let written = point.and_then(|point| point.node.text()).unwrap_or("turn_boundary");
    if point.is_none() {
        findings.add(
            "missing",
            node.at,
            "without `point` the hook runs at `turn_boundary`, and a misspelt key is ignored without a word",
            "say at which point it runs",
        );
    }
    let at = point.map_or(node.at, |point| point.node.at);
    let entry = Entry { key: written.to_owned(), key_at: at, node: node.clone() };
    let event =
        event_of(Agent::Meerkat, &entry, &mut findings).unwrap_or_else(|| written.to_owned());
    handlers::tell_unknown_keys(
        Agent::Meerkat,
        node,
        KEYS,
        "ignores it without a word",
        &mut findings,
    );

    let handler = handler(node, builtins, &mut findings);
    let mut hook = SourceHook::new(node.at, event, handler);
    handlers::name(node, &mut hook);
    hook.timeout =
        Duration::try_from_secs_f64(default_ms / 1000.0).unwrap_or(Duration::from_secs(5));
    if let Some(limit) = node.get("timeout_ms")
        && let Ok(limit) =
            handlers::timeout(Agent::Meerkat, limit, Unit::Milliseconds, &mut findings)
    {
        (hook.timeout, hook.timeout_is_given) = (limit, true);
    }
    let observes = node.text_of("capability").unwrap_or("observe") == "observe";
    hook.background = node.text_of("mode") == Some("background");
    // Since 0.9 an enabled guardrail is mandatory: what it could not be asked about is withheld.
    hook.mandatory = node.text_of("capability") == Some("guardrail") && !hook.background;
    if node.text_of("model_operations") == Some("ordinary_only") {
        hook.notes.push(
            "`model_operations`: Meerkat asks it about no request that tells the model of a refusal; here it is \
             asked about all"
                .to_owned(),
        );
    }
    // Every failure of a hook that it waits for ends the run, whatever is written.
    hook.failure = Failure::Closed;
    if let Some(policy) = node.get("failure_policy") {
        findings.add(
            "ignored_key",
            policy.at,
            "`failure_policy` has had no effect since Meerkat 0.6: there every failure of a hook ends the run",
            "it is imported so; `on_failure = \"allow\"` lets the step go on",
        );
    }
    if observes && !hook.background {
        findings.add(
            "stronger",
            node.at,
            "Meerkat obeys a deny of a hook with `capability = \"observe\"`, which is the default",
            "it is imported so; write `role = \"observe\"` if it shall only watch",
        );
    }
    if node.get("enabled").and_then(Node::flag) == Some(false) {
        hook.off = Some("`enabled = false`".to_owned());
    }
    if let Some(priority) = node.get("priority").and_then(Node::number) {
        hook.conditions.push(("priority".to_owned(), priority.to_string()));
    }
    hook.findings = findings;
    hook
}

fn handler(node: &Node, builtins: &[String], findings: &mut Findings) -> Handler {
    let runtime = node.get("runtime");
    let text =
        |key: &str| runtime.and_then(|runtime| runtime.text_of(key)).unwrap_or_default().to_owned();
    match runtime.and_then(|runtime| runtime.text_of("type")) {
        Some("command") => {
            let args = runtime.map(|runtime| runtime.texts_of("args")).unwrap_or_default();
            let words = std::iter::once(text("command")).chain(args).collect();
            let env = runtime.map(|runtime| runtime.pairs_of("env")).unwrap_or_default();
            Handler::Command(Command { line: Line::Argv(words), env, cwd: None })
        }
        Some("http") => Handler::Http {
            url: text("url"),
            headers: runtime.map(|runtime| runtime.pairs_of("headers")).unwrap_or_default(),
            allowed_env: Vec::new(),
        },
        other => {
            let handler = [text("handler"), text("name")].into_iter().find(|text| !text.is_empty());
            let handler = handler.unwrap_or_else(|| "noop".to_owned());
            let kind = other.unwrap_or("in_process").to_owned();
            if kind == "in_process" && builtins.contains(&handler) {
                return Handler::OfHost(handler);
            }
            findings.add(
                "not_imported",
                node.at,
                format!(
                    "the handler `{handler}` is code of the host, which no file can bring along"
                ),
                "register it as a kind of handler; the hook stands in the file as a comment",
            );
            Handler::Unknown { kind, detail: handler }
        }
    }
}
