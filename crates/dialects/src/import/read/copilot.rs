//! The configs of GitHub Copilot: events with a list of hooks, in two spellings.

use std::time::Duration;

use super::handlers::{self, Unit};
use super::{event_of, tell_duplicates};
use crate::import::agent::Agent;
use crate::import::node::{Entry, Node};
use crate::import::report::Findings;
use crate::import::source::{Command, Failure, Handler, Line, Matcher, Source, SourceHook};

/// Reads a config.
pub(super) fn read(root: &Node) -> Source {
    let mut reader = Reader { source: Source::default(), off: None };
    let Some(hooks) = root.get("hooks") else { return reader.source };
    if let Some(switch) = root.get("disableAllHooks").filter(|switch| switch.flag() == Some(true)) {
        reader.source.findings.add(
            "switched_off",
            switch.at,
            "`disableAllHooks` turns these hooks off without a word",
            "they are imported with `mode = \"off\"`; take that out of those that shall run",
        );
        reader.off = Some("`disableAllHooks`".to_owned());
    }
    if let Some(version) = root.get("version").filter(|version| version.number() != Some(1.0)) {
        reader.source.findings.add(
            "version",
            version.at,
            "Copilot drops a file whose version is not 1 without a word, and no hook of it runs",
            "write `\"version\": 1`; the hooks are imported",
        );
    }
    tell_duplicates(hooks, "the event", &mut reader.source.findings);
    for entry in hooks.entries() {
        reader.event(entry);
    }
    reader.source
}

struct Reader {
    source: Source,
    /// Why no hook of the file runs.
    off: Option<String>,
}

impl Reader {
    fn event(&mut self, entry: &Entry) {
        let event = event_of(Agent::Copilot, entry, &mut self.source.findings);
        let event = event.unwrap_or_else(|| entry.key.clone());
        if !entry.node.is_list() {
            return self.source.findings.add(
                "dropped",
                entry.node.at,
                "an event has a list of hooks; Copilot drops the whole file without a word",
                "write a list",
            );
        }
        for node in entry.node.items() {
            self.entry(&event, node, &Matcher::default());
        }
    }

    /// Reads a hook, or a group as Claude Code has it, which Copilot takes too.
    fn entry(&mut self, event: &str, node: &Node, outer: &Matcher) {
        let mut matcher = handlers::matcher(node, &mut self.source.findings);
        if matcher.text.is_none() {
            matcher = Matcher { text: outer.text.clone(), at: outer.at };
        }
        if let Some(group) = node.get("hooks").filter(|group| group.is_list()) {
            for inner in group.items() {
                self.entry(event, inner, &matcher);
            }
            return;
        }
        let mut findings = Findings::default();
        let handler = handler(node, event, &mut findings);
        let mut hook = SourceHook::new(node.at, event, handler);
        hook.matcher = matcher;
        handlers::name(node, &mut hook);
        hook.timeout = Duration::from_secs(30);
        if let Some(limit) = node.get("timeoutSec").or_else(|| node.get("timeout")) {
            match handlers::timeout(Agent::Copilot, limit, Unit::Seconds, &mut findings) {
                Ok(limit) => (hook.timeout, hook.timeout_is_given) = (limit, true),
                Err(why) => findings.add(
                    "wrong_type",
                    limit.at,
                    format!("Copilot drops the hook without a word, since the time limit cannot be read: {why}"),
                    "30 s are imported, which is the default",
                ),
            }
        }
        let is_command = matches!(hook.handler, Handler::Command(_));
        if is_command && matches!(event, "preToolUse" | "PreToolUse") {
            hook.failure = Failure::OpenIfSlow;
        }
        hook.off.clone_from(&self.off);
        hook.findings = findings;
        self.source.hooks.push(hook);
    }
}

fn handler(node: &Node, event: &str, findings: &mut Findings) -> Handler {
    let text = |key: &str| node.text_of(key).filter(|text| !text.trim().is_empty());
    match node.text_of("type").unwrap_or("command") {
        "command" => {
            let cwd = text("cwd").map(str::to_owned);
            let env = node.pairs_of("env");
            let shell = text("bash").or_else(|| text("command"));
            let line = match (text("exec"), shell) {
                (Some(program), None) => {
                    let words = std::iter::once(program.to_owned()).chain(node.texts_of("args"));
                    Line::Argv(words.collect())
                }
                (_, Some(line)) => Line::Shell("bash", line.to_owned()),
                (None, None) => {
                    return never(node, "it has no command for this system", findings);
                }
            };
            Handler::Command(Command { line, env, cwd })
        }
        "http" => {
            let url = text("url").unwrap_or_default();
            let grants = matches!(
                event,
                "preToolUse" | "PreToolUse" | "permissionRequest" | "PermissionRequest"
            );
            if grants && !url.starts_with("https://") {
                findings.add(
                    "never_runs",
                    node.at,
                    "Copilot drops the hook: the address must begin with https:// at this event",
                    "it is imported as it is written",
                );
            }
            Handler::Http {
                url: url.to_owned(),
                headers: node.pairs_of("headers"),
                allowed_env: node.texts_of("allowedEnvVars"),
            }
        }
        "prompt" => Handler::Unknown {
            kind: "prompt".to_owned(),
            detail: format!("submits a text for the user: {}", text("prompt").unwrap_or_default()),
        },
        other => never(node, &format!("there are no hooks of type `{other}`"), findings),
    }
}

fn never(node: &Node, why: &str, findings: &mut Findings) -> Handler {
    findings.add(
        "never_runs",
        node.at,
        format!("Copilot never runs the hook: {why}"),
        "the hook stands in the file as a comment",
    );
    Handler::Unknown { kind: "command".to_owned(), detail: String::new() }
}
