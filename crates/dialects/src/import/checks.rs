//! What a hook fails to stop in its agent, or means less than it seems.

use hookgate_contract::dialect::HostEffect;

use super::agent::Agent;
use super::events::Known;
use super::report::Findings;
use super::script::Script;
use super::source::{Failure, Handler, SourceHook};

/// A hook with what is known about it.
pub(super) struct Checked<'a> {
    pub(super) agent: Agent,
    pub(super) hook: &'a SourceHook,
    pub(super) known: &'a Known,
    pub(super) script: &'a Script,
    pub(super) is_strict: bool,
}

/// Adds what is to be said about a hook.
pub(super) fn check(checked: &Checked<'_>, findings: &mut Findings) {
    checked.path(findings);
    checked.background(findings);
    checked.decisions(findings);
    checked.answers(findings);
    checked.stop(findings);
    checked.failures(findings);
}

impl Checked<'_> {
    fn event(&self) -> &str {
        &self.hook.event
    }

    /// Whether nothing speaks against it that the hook says no.
    fn may_block(&self) -> bool {
        !self.script.is_read || self.script.may_block()
    }

    /// Whether nothing speaks against it that the hook keeps a step from going on, if only until somebody
    /// says yes.
    fn may_hold(&self) -> bool {
        self.may_block() || self.script.may_ask()
    }

    fn takes_decisions(&self) -> bool {
        self.known.can(HostEffect::Deny) || self.known.can(HostEffect::KeepGoing)
    }

    fn path(&self, findings: &mut Findings) {
        if let Some(path) = self.script.path_of_somebody() {
            let then = match self.agent {
                Agent::Copilot | Agent::DockerAgent => "on another one it cannot be started",
                Agent::Gemini => "on another one it cannot be started, which refuses every call",
                _ => "on another one it cannot be started, and the step goes on",
            };
            findings.add(
                "absolute_path",
                self.hook.at,
                format!("`{path}` is a path of one machine: {then}"),
                "write a path that starts at the project",
            );
        }
    }

    fn background(&self, findings: &mut Findings) {
        let means_to_block = self.script.may_block() || self.script.blocks_by_another_status();
        let may_be_guard = self.known.is_gate() && self.may_hold();
        if self.hook.background && self.takes_decisions() && (means_to_block || may_be_guard) {
            findings.add(
                "async_guard",
                self.hook.at,
                format!("{} does not wait for this hook, so that it stops nothing", self.agent),
                "it is imported as one that only watches; take `background` out if it shall decide",
            );
        }
    }

    /// Decisions that the agent does not take at the event, or not in this way.
    fn decisions(&self, findings: &mut Findings) {
        let (agent, event, script) = (self.agent, self.event(), self.script);
        let mut add = |meaning: String, advice: &str| {
            findings.add("never_blocks", self.hook.at, meaning, advice);
        };
        if !self.takes_decisions() && script.may_block() {
            add(
                format!("{agent} takes no decision at {event}, and the program seems to say no"),
                "use an event before the action",
            );
            return;
        }
        let exit_2_only = script.exits_2() && !script.says_block();
        let ignores_exit_2 = matches!(
            (agent, event),
            (Agent::Claude, "PermissionRequest")
                | (Agent::Copilot, "agentStop" | "Stop" | "subagentStop" | "SubagentStop")
                | (
                    Agent::Copilot,
                    "userPromptSubmitted" | "UserPromptSubmit" | "postToolUse" | "PostToolUse"
                )
                | (Agent::Qwen, "PostToolUse")
                | (Agent::Cursor, "stop" | "subagentStop")
        );
        if exit_2_only && ignores_exit_2 {
            add(
                format!(
                    "at {event} {agent} does nothing about the status 2, only about an answer in JSON"
                ),
                "print the decision as JSON, with the status 0",
            );
        } else if script.exits_2() && !script.writes_stderr() && script.is_read {
            let silent = match agent {
                Agent::Codex | Agent::Qwen => {
                    "takes the status 2 without a text on stderr for a failure"
                }
                Agent::Gemini if !script.prints_text() => {
                    "takes the status 2 without any text for nothing"
                }
                _ => return,
            };
            findings.add(
                "silent_exit_2",
                self.hook.at,
                format!("{agent} {silent}, and the step goes on"),
                "write the reason to stderr",
            );
        }
    }

    /// Answers of another agent, and answers that the agent takes for a failure.
    fn answers(&self, findings: &mut Findings) {
        let (agent, event, script) = (self.agent, self.event(), self.script);
        let is_gate = self.known.is_gate();
        let ask = match (agent, event) {
            (Agent::Codex, "PreToolUse") => {
                Some("takes an ask for a failure of the hook, and runs the tool")
            }
            (Agent::Kimi, _) if is_gate => Some("does nothing about an ask, and the step goes on"),
            (Agent::Cursor, "preToolUse" | "beforeReadFile" | "beforeTabFileRead") => {
                Some("does nothing about an ask at this event, and the tool runs")
            }
            (Agent::Gemini, "BeforeTool") => Some("ends a session without a user at an ask"),
            (Agent::Qwen, "PreToolUse") => Some("takes an ask for a deny if there is no user"),
            _ => None,
        };
        if let Some(what) = ask.filter(|_| script.may_ask()) {
            findings.add(
                "ask",
                self.hook.at,
                format!("{agent} {what}"),
                "answer deny with a reason",
            );
        }
        let foreign = match agent {
            Agent::Gemini if script.says_permission_decision() => Some("`permissionDecision`"),
            Agent::Cursor if script.says_permission_decision() => Some("`permissionDecision`"),
            Agent::Copilot if script.answers_nested() && is_camel(event) => {
                Some("`hookSpecificOutput`")
            }
            Agent::Claude | Agent::Codex | Agent::Gemini | Agent::Qwen | Agent::Kimi
                if script.says_permission() && !script.answers_nested() =>
            {
                Some("`permission`")
            }
            Agent::Kimi if script.says_block() && !script.answers_nested() && !script.exits_2() => {
                Some("`decision`")
            }
            _ => None,
        };
        if let Some(word) = foreign.filter(|_| self.takes_decisions()) {
            findings.add(
                "foreign_answer",
                self.hook.at,
                format!("the program answers with {word}, which is the word of another agent: {agent} does \
                         nothing about it at {event}"),
                "answer as the agent wants it, or correct `dialect` here",
            );
        }
        let fails_on_text = matches!(event, "Stop" | "SubagentStop" | "Interrupt");
        if agent == Agent::Codex && fails_on_text && script.prints_text() {
            findings.add(
                "plain_stdout",
                self.hook.at,
                format!("the program prints text, and Codex takes anything but JSON at {event} for a failure"),
                "print it to stderr, or nothing",
            );
        }
        if agent == Agent::Copilot && !is_camel(event) && script.reads_file_path() {
            findings.add(
                "argument_names",
                self.hook.at,
                "Copilot gives tools the names of Claude Code's, but not their arguments: `file_path` is \
                 `path` here, so that the program sees nothing in it",
                "read `.tool_input.path` too",
            );
        }
    }

    fn stop(&self, findings: &mut Findings) {
        let ends = self.known.is("stop") || self.known.is("subagent_stop");
        if !ends || !self.script.may_loop() {
            return;
        }
        let limit = match self.agent {
            Agent::Codex | Agent::Gemini => "without end: there is no limit",
            Agent::Claude | Agent::Copilot => "8 times in a row",
            Agent::Qwen => "7 times in a row",
            Agent::Cursor => "5 times in a row, or as `loop_limit` says",
            _ => return,
        };
        findings.add(
            "stop_loop",
            self.hook.at,
            format!("the program keeps the agent from stopping and does not look at how often it did: {} goes \
                     on {limit}", self.agent),
            "let it pass if `stop_hook_active` is true; hookgate lets an agent be kept going 3 times in a row",
        );
    }

    /// What happens if the hook itself fails.
    fn failures(&self, findings: &mut Findings) {
        if !self.known.is_gate() || !self.known.can(HostEffect::Deny) || self.hook.background {
            return;
        }
        let agent = self.agent;
        let here = if self.is_strict {
            "here it is a deny (--strict)"
        } else {
            "it is imported so; `on_failure = \"deny\"` or --strict makes it a deny"
        };
        let all_statuses_deny = self.hook.failure != Failure::Open;
        if self.script.blocks_by_another_status() && !all_statuses_deny {
            findings.add(
                "exit_1",
                self.hook.at,
                format!("the program ends with a status other than 0 and 2 and says no in no other way: \
                         {agent} takes that for a failure, and the step goes on"),
                "write `exit 2` with the reason on stderr, or `on_exit = \"deny\"` here",
            );
        } else if self.may_hold() {
            match (self.hook.failure, &self.hook.handler) {
                (Failure::Open, Handler::Http { .. }) => findings.add(
                    "fails_open",
                    self.hook.at,
                    format!("if the service cannot be reached, is too slow or answers with an error, {agent} \
                             lets the step go on"),
                    here,
                ),
                (Failure::Open, Handler::Command(_)) => findings.add(
                    "fails_open",
                    self.hook.at,
                    format!("if the program is missing, crashes or is too slow, {agent} lets the step go on"),
                    here,
                ),
                (Failure::OpenIfSlow, _) => findings.add(
                    "fails_open",
                    self.hook.at,
                    format!("if the program is too slow, {agent} lets the step go on"),
                    here.replace("on_failure", "on_timeout"),
                ),
                _ => {}
            }
        }
        if self.script.swallows_failures() && self.may_hold() {
            findings.add(
                "swallows",
                self.hook.at,
                "the program turns failures of its own into silence (`|| true`, `trap 'exit 0'`), so that no \
                 agent sees them",
                "end with the status 2 where it cannot tell, or nobody can make it fail closed",
            );
        }
    }
}

fn is_camel(event: &str) -> bool {
    event.starts_with(|c: char| c.is_ascii_lowercase())
}
