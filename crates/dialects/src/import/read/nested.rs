//! The configs of Claude Code, Codex, Gemini CLI and Qwen Code: events, groups with a matcher, handlers.

use std::time::Duration;

use super::handlers::{self, Unit};
use super::{event_of, tell_duplicates};
use crate::import::agent::Agent;
use crate::import::events;
use crate::import::node::{Entry, Node};
use crate::import::report::Findings;
use crate::import::source::{Command, Handler, Line, Matcher, Source, SourceHook};

/// Reads a config.
pub(super) fn read(agent: Agent, root: &Node) -> Source {
    let mut reader = Reader { agent, source: Source::default(), off: None };
    reader.switches(root);
    let Some(hooks) = root.get("hooks") else { return reader.source };
    if hooks.is_list() {
        reader.list(hooks);
    }
    tell_duplicates(root, "the key", &mut reader.source.findings);
    tell_duplicates(hooks, "the event", &mut reader.source.findings);
    for entry in hooks.entries() {
        // Older versions of Gemini CLI kept switches here, Codex keeps what was reviewed.
        let is_switch = !entry.node.is_list()
            && matches!(&*entry.key, "enabled" | "disabled" | "notifications" | "state");
        if !is_switch {
            reader.event(entry);
        }
    }
    reader.same_names();
    reader.source
}

struct Reader {
    agent: Agent,
    source: Source,
    /// Why no hook of the file runs.
    off: Option<String>,
}

impl Reader {
    fn switches(&mut self, root: &Node) {
        let switches: &[(&[&str], bool)] = match self.agent {
            Agent::Codex => {
                &[(&["features", "hooks"], false), (&["features", "codex_hooks"], false)]
            }
            Agent::Gemini => {
                &[(&["hooksConfig", "enabled"], false), (&["hooks", "enabled"], false)]
            }
            _ => &[(&["disableAllHooks"], true)],
        };
        for (path, value) in switches {
            let Some(node) = root.path(path).filter(|node| node.flag() == Some(*value)) else {
                continue;
            };
            let switch = format!("{} = {value}", path.join("."));
            self.source.findings.add(
                "switched_off",
                node.at,
                format!("`{switch}` turns all hooks of {} off without a word", self.agent),
                "they are imported with `mode = \"off\"`; take that out of those that shall run",
            );
            self.off = Some(format!("`{switch}`"));
        }
    }

    /// Reads a list where an object of events belongs: entries that name their event are taken as meant.
    fn list(&mut self, hooks: &Node) {
        let what = "`hooks` is a list, and an object belongs here, with an event for each key: \
                    {\"PreToolUse\": […]}";
        self.dropped(hooks.at, what);
        for item in hooks.items() {
            let mut findings = Findings::default();
            let matcher = handlers::matcher(item, &mut findings);
            self.source.findings.0.append(&mut findings.0);
            let event =
                item.text_of("event").filter(|event| events::find(self.agent, event).is_some());
            if let Some(event) = event
                && item.text_of("command").is_some()
            {
                self.hook(event, &matcher, item);
            }
        }
    }

    fn event(&mut self, entry: &Entry) {
        let mut findings = Findings::default();
        let event = event_of(self.agent, entry, &mut findings);
        let name = event.clone().unwrap_or_else(|| entry.key.clone());
        self.source.findings.0.append(&mut findings.0);
        let groups = match (entry.node.is_list(), entry.node.is_table()) {
            (true, _) => entry.node.items(),
            (false, true) => {
                self.dropped(entry.node.at, "an event has a list of groups here, and this is one");
                std::slice::from_ref(&entry.node)
            }
            _ => return self.dropped(entry.node.at, "an event has a list of groups"),
        };
        for group in groups {
            self.group(&name, group);
        }
    }

    /// Tells of something that the agent does not take, with what it does then.
    fn dropped(&mut self, at: usize, what: &str) {
        let then = match self.agent {
            Agent::Gemini => "drops what stands here with a warning",
            Agent::Qwen => "drops what stands here without a word",
            Agent::Codex => "drops all hooks of the file with a warning",
            _ => "reports the file and goes on without it",
        };
        let agent = self.agent;
        self.source.findings.add(
            "dropped",
            at,
            format!("{what}; {agent} {then}, so the hook does not run"),
            "it is imported as it is meant, as far as that can be told",
        );
    }

    fn group(&mut self, event: &str, group: &Node) {
        let mut findings = Findings::default();
        let matcher = handlers::matcher(group, &mut findings);
        self.source.findings.0.append(&mut findings.0);
        match group.get("hooks") {
            Some(hooks) if hooks.is_list() => {
                if hooks.items().is_empty() {
                    self.dropped(hooks.at, "a group without a hook guards nothing");
                }
                for node in hooks.items() {
                    self.hook(event, &matcher, node);
                }
            }
            Some(hooks) => self.dropped(hooks.at, "`hooks` of a group must be a list"),
            None if group.get("command").is_some() || group.get("type").is_some() => {
                self.dropped(group.at, "a handler stands here where a group with `hooks` belongs");
                self.hook(event, &matcher, group);
            }
            None => self.dropped(group.at, "a group without `hooks` guards nothing"),
        }
    }

    fn hook(&mut self, event: &str, matcher: &Matcher, node: &Node) {
        if !node.is_table() {
            return self.dropped(node.at, "a hook must be an object");
        }
        let mut findings = Findings::default();
        let kind = match (node.text_of("type"), node.get("command")) {
            (Some(kind), _) => kind,
            (None, Some(_)) => {
                self.dropped(node.at, "a hook needs a `type`");
                "command"
            }
            (None, None) => return self.dropped(node.at, "a hook needs a `type` and a `command`"),
        };
        let handler = self.handler(kind, node, &mut findings);
        let mut hook = SourceHook::new(node.at, event, handler);
        hook.matcher = Matcher { text: matcher.text.clone(), at: matcher.at };
        hook.findings = findings;
        handlers::name(node, &mut hook);
        self.time(kind, node, &mut hook);
        hook.background = node.is_set("async") || node.is_set("asyncRewake");
        hook.off.clone_from(&self.off);
        if self.agent == Agent::Claude {
            claude_keys(event, kind, node, &mut hook);
        }
        if self.agent == Agent::Codex && matches!(kind, "prompt" | "agent") {
            hook.findings.add(
                "never_runs",
                node.at,
                format!("Codex skips hooks of type `{kind}` with a warning"),
                "it is imported as a judge that does run",
            );
        }
        self.source.hooks.push(hook);
    }

    fn time(&mut self, kind: &str, node: &Node, hook: &mut SourceHook) {
        hook.timeout = default_timeout(self.agent, &hook.event, kind);
        let Some(written) = node.get("timeout") else { return };
        let unit = match self.agent {
            Agent::Gemini => Unit::Milliseconds,
            Agent::Qwen if kind == "command" => Unit::Milliseconds,
            _ => Unit::Seconds,
        };
        match handlers::timeout(self.agent, written, unit, &mut hook.findings) {
            Ok(limit) if limit.is_zero() && self.agent != Agent::Codex => {
                hook.findings.add(
                    "no_time",
                    written.at,
                    "the hook has no time at all, so that it never answers",
                    "the limit that it has without one is imported",
                );
            }
            Ok(limit) => {
                hook.timeout = limit;
                hook.timeout_is_given = true;
            }
            Err(why) => {
                let then = match self.agent {
                    Agent::Codex => "the file is dropped with a warning, and no hook runs",
                    Agent::Gemini if written.number().is_some() => {
                        "the hook times out at once, and the step goes on"
                    }
                    Agent::Gemini | Agent::Qwen => "the default counts",
                    _ => "the file is not valid, and no hook runs",
                };
                hook.findings.add(
                    "wrong_type",
                    written.at,
                    format!("the time limit counts for nothing: {why}; {then}"),
                    "the limit that it has without one is imported",
                );
            }
        }
    }

    fn handler(&self, kind: &str, node: &Node, findings: &mut Findings) -> Handler {
        let text = |key: &str| node.text_of(key).unwrap_or_default().to_owned();
        match kind {
            "command" => {
                if node.text_of("command").is_none_or(|command| command.trim().is_empty()) {
                    findings.add(
                        "never_runs",
                        node.at,
                        format!("{} has no command to run here", self.agent),
                        "the hook stands in the file as a comment",
                    );
                    return Handler::Unknown { kind: kind.to_owned(), detail: String::new() };
                }
                Handler::Command(self.command(node))
            }
            "http" => Handler::Http {
                url: text("url"),
                headers: node.pairs_of("headers"),
                allowed_env: node.texts_of("allowedEnvVars"),
            },
            "mcp_tool" => Handler::Mcp { server: text("server"), tool: text("tool") },
            "prompt" | "agent" => Handler::Prompt {
                prompt: text("prompt"),
                model: node.text_of("model").map(str::to_owned),
            },
            other => {
                let then = match self.agent {
                    Agent::Codex => "drops all hooks of the file",
                    Agent::Claude => "rejects the file",
                    _ => "drops the hook",
                };
                findings.add(
                    "never_runs",
                    node.at,
                    format!("{} has no hooks of type `{other}`, and {then}", self.agent),
                    "the hook stands in the file as a comment",
                );
                Handler::Unknown { kind: other.to_owned(), detail: text("command") }
            }
        }
    }

    fn command(&self, node: &Node) -> Command {
        let text = node.text_of("command").unwrap_or_default().to_owned();
        let env = node.pairs_of("env");
        let has_args = self.agent == Agent::Claude && node.get("args").is_some();
        let line = if has_args {
            Line::Argv(std::iter::once(text).chain(node.texts_of("args")).collect())
        } else if node
            .text_of("shell")
            .is_some_and(|shell| shell.eq_ignore_ascii_case("powershell"))
        {
            Line::Argv(vec!["pwsh".into(), "-NoProfile".into(), "-Command".into(), text])
        } else {
            Line::Shell(if self.agent == Agent::Codex { "sh" } else { "bash" }, text)
        };
        Command { line, env, cwd: None }
    }

    /// Qwen Code runs one of several hooks with the same name.
    fn same_names(&mut self) {
        if self.agent != Agent::Qwen {
            return;
        }
        let mut seen: Vec<(String, String)> = Vec::new();
        for hook in &mut self.source.hooks {
            let Some(name) = hook.name.clone() else { continue };
            let key = (hook.event.clone(), name.clone());
            if seen.contains(&key) {
                hook.findings.add(
                    "never_runs",
                    hook.at,
                    format!("another hook of this event is called `{name}`, so Qwen Code never runs this one"),
                    "give it a name of its own; it is imported as a hook that runs",
                );
            }
            seen.push(key);
        }
    }
}

fn default_timeout(agent: Agent, event: &str, kind: &str) -> Duration {
    let seconds = match (agent, event, kind) {
        (Agent::Claude, _, "prompt") | (Agent::Claude, "UserPromptSubmit", _) => 30,
        (Agent::Claude, _, "agent") | (Agent::Gemini | Agent::Qwen, ..) => 60,
        (Agent::Claude, "MessageDisplay", _) => 10,
        (Agent::Claude, "SessionEnd", _) => 2,
        (Agent::Codex, "SessionEnd" | "Interrupt", _) => 1,
        _ => 600,
    };
    Duration::from_secs(seconds)
}

/// The keys that only Claude Code has.
fn claude_keys(event: &str, kind: &str, node: &Node, hook: &mut SourceHook) {
    const WITH_IF: &[&str] = &[
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "PermissionDenied",
    ];
    if let Some(condition) = node.get("if") {
        let rule = condition.text().unwrap_or_default();
        if WITH_IF.contains(&event) {
            super::super::permission::conditions(rule, condition.at, hook);
        } else {
            hook.findings.add(
                "never_runs",
                condition.at,
                format!(
                    "`if` exists at events of tools only: at {event} a hook with it never runs"
                ),
                "the hook is imported without it",
            );
        }
    }
    if node.is_set("once") {
        hook.notes.push(
            "`once` counts in the frontmatter of skills only; the hook runs every time".into(),
        );
    }
    if node.is_set("asyncRewake") {
        hook.findings.add(
            "lost",
            node.at,
            "`asyncRewake` wakes the model when the hook ends with status 2, which hookgate cannot do",
            "the hook is imported as one that only watches",
        );
    }
    let judges = matches!(kind, "prompt" | "agent");
    if judges
        && matches!(event, "SessionStart" | "Setup" | "SessionEnd" | "Notification" | "PreCompact")
    {
        hook.findings.add(
            "never_runs",
            node.at,
            format!("Claude Code has no hooks of type `{kind}` at {event}"),
            "it is imported as a judge, and does run",
        );
    }
}
