//! One hook, from its agent's words to those of hooks.toml.

use std::path::PathBuf;
use std::time::Duration;

use hookgate_contract::dialect::HostEffect;

use super::agent::Agent;
use super::checks::{self, Checked};
use super::cursor;
use super::events::{self, Known};
use super::handler::{self, Context, Written};
use super::identifier::identifier;
use super::matcher::{self, Subject};
use super::report::{Finding, Findings};
use super::script::{self, Script};
use super::source::{Failure, Handler, SourceHook};
use super::write::{inline, literal};

/// The code of the finding that a hook is missing that could refuse a step.
pub(super) const LEFT_OUT_GUARD: &str = "left_out_guard";

/// A hook as it will be written.
#[derive(Debug)]
pub(super) struct Hook {
    pub(super) at: usize,
    /// Where its matcher is; where it begins if it has none.
    pub(super) matcher_at: usize,
    /// The event in its agent, with the matcher.
    pub(super) title: String,
    pub(super) id: String,
    pub(super) events: Vec<String>,
    /// Keys with values, and a remark behind them.
    pub(super) keys: Vec<(String, String, Option<String>)>,
    pub(super) handler: Written,
    pub(super) timeout: Duration,
    /// Whether the file requires it.
    pub(super) mandatory: bool,
    pub(super) notes: Vec<String>,
    pub(super) findings: Vec<Finding>,
}

/// What is the same for all hooks of a file.
pub(super) struct Translator<'a> {
    pub(super) agent: Agent,
    pub(super) is_strict: bool,
    pub(super) every_agent: bool,
    /// Where programs may be.
    pub(super) folders: &'a [PathBuf],
    /// The folder of the plugin that the file belongs to.
    pub(super) plugin: Option<String>,
}

/// The events at which a hook is called. What elides a repeated result has nothing to do where a tool has failed.
fn events_of(handler: &Handler, known: &Known) -> Vec<String> {
    let elides =
        matches!(handler, Handler::Builtin { name, .. } if name == "elide_repeated_tool_results");
    let events = known.ours.iter().filter(|event| !elides || **event != "post_tool_use_failure");
    events.map(|event| (*event).to_owned()).collect()
}

impl Translator<'_> {
    /// Translates a hook. `taken` are the ids of those before it.
    pub(super) fn translate(&self, source: SourceHook, taken: &mut Vec<String>) -> Hook {
        let script = match &source.handler {
            Handler::Command(command) => script::read(command, self.folders),
            _ => Script::default(),
        };
        let known = events::find(self.agent, &source.event);
        let title = match &source.matcher.text {
            Some(matcher) => format!("{}, matcher {}", source.event, inline(matcher)),
            None => source.event.clone(),
        };
        let id = identifier(&source, &script, known.as_ref(), taken);
        let matcher_at = source.matcher.text.as_ref().map_or(source.at, |_| source.matcher.at);
        let Some(known) = known else {
            return Hook {
                at: source.at,
                matcher_at,
                title,
                id,
                events: Vec::new(),
                keys: Vec::new(),
                handler: Written::Nothing(source.handler.described()),
                timeout: source.timeout,
                mandatory: false,
                notes: source.notes,
                findings: source.findings.0,
            };
        };
        Hook { matcher_at, ..self.known(source, &script, &known, title, id) }
    }

    fn known(
        &self,
        mut source: SourceHook,
        script: &Script,
        known: &Known,
        title: String,
        id: String,
    ) -> Hook {
        let mut findings = std::mem::take(&mut source.findings);
        let mut keys: Vec<(String, String, Option<String>)> = Vec::new();
        for (key, value) in self.conditions(&source, known, &mut findings) {
            if !keys.iter().any(|(known, ..)| *known == key) {
                keys.push((key, value, None));
            } else if !keys.iter().any(|(known, old, _)| *known == key && *old == value) {
                keys.push(("any".to_owned(), format!("[{{ {key} = {value} }}]"), None));
            }
        }
        let first = known.ours.first().copied().unwrap_or_default();
        let context = Context {
            agent: self.agent,
            at: source.at,
            script,
            plugin: self.plugin.as_deref(),
            event: first,
            native: events::is_ambiguous(self.agent, &source.event).then_some(&*source.event),
        };
        let handler = handler::write(&source.handler, &context, &mut findings);
        if matches!(handler, Written::Nothing(_)) {
            self.left_out(&source, known, &mut findings);
        } else {
            let checked = Checked {
                agent: self.agent,
                hook: &source,
                known,
                script,
                is_strict: self.is_strict,
            };
            checks::check(&checked, &mut findings);
        }
        self.role(&source, script, known, &mut keys);
        self.posture(&source, known, script, &mut keys);
        if let Some(why) = &source.off {
            keys.push((
                "mode".to_owned(),
                "\"off\"".to_owned(),
                Some(format!("{why} in the source")),
            ));
        }
        let timeout = source.timeout.min(Duration::from_secs(365 * 24 * 3600));
        let runs = matches!(source.handler, Handler::Command(_) | Handler::Http { .. });
        if runs || source.timeout_is_given {
            let remark =
                (!source.timeout_is_given).then(|| format!("what {} gives it", self.agent));
            keys.push(("timeout".to_owned(), literal(&duration(timeout)), remark));
        }
        Hook {
            at: source.at,
            matcher_at: source.at,
            title,
            id,
            events: events_of(&source.handler, known),
            keys,
            handler,
            timeout,
            mandatory: source.mandatory && source.off.is_none() && known.takes_deny(),
            notes: source.notes,
            findings: findings.0,
        }
    }

    /// Says with --strict that a hook is missing here that could refuse a step.
    fn left_out(&self, source: &SourceHook, known: &Known, findings: &mut Findings) {
        if self.is_strict && known.is_gate() && known.can(HostEffect::Deny) && !source.background {
            findings.add(
                LEFT_OUT_GUARD,
                source.at,
                format!("this hook can refuse a step in {}, and cannot run here", self.agent),
                "write a hook that does the same, or take it out",
            );
        }
    }

    fn conditions(
        &self,
        source: &SourceHook,
        known: &Known,
        findings: &mut Findings,
    ) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut subject = events::subject(self.agent, &source.event, known);
        if self.agent == Agent::Cursor {
            let (tool, constant) = cursor::tool_of(&source.event);
            if let Some(tool) = tool.filter(|_| known.has_tool()) {
                let more = if self.every_agent { cursor::elsewhere(tool) } else { Vec::new() };
                let names = [vec![tool.to_owned()], more].concat();
                all.push(("tool".to_owned(), literal(&names.join("|"))));
            }
            if let Some(constant) = constant {
                cursor::check_constant(source, constant, findings);
                subject = Subject::Nothing;
            }
        }
        if subject == Subject::Nothing
            && self.agent == Agent::Cursor
            && cursor::tool_of(&source.event).1.is_some()
        {
            // It was compared with a constant above.
        } else {
            let rules = events::rules(self.agent, &source.event);
            let (matcher, every) = (&source.matcher, self.every_agent);
            let more = matcher::translate(self.agent, rules, subject, matcher, every, findings);
            all.extend(more);
        }
        if self.agent == Agent::DockerAgent {
            let prompt = match source.event.as_str() {
                "user_followup_submit" => Some("followup"),
                "user_steering_messages_submit" => Some("steering"),
                _ => None,
            };
            if let Some(prompt) = prompt {
                let test = format!("{{ \"/source\" = {{ equals = {} }} }}", literal(prompt));
                all.push(("payload".to_owned(), test));
            }
        }
        if self.agent == Agent::Meerkat {
            let fact = match source.event.as_str() {
                "runtime_input_accepted" => Some(("/outcome", "accepted")),
                "runtime_input_rejected" => Some(("/outcome", "rejected")),
                "runtime_input_deduplicated" => Some(("/outcome", "deduplicated")),
                "peer_ingress_committed" => Some(("/direction", "in")),
                "peer_egress_committed" => Some(("/direction", "out")),
                _ => None,
            };
            if let Some((field, value)) = fact {
                let test = format!("{{ \"{field}\" = {{ equals = {} }} }}", literal(value));
                all.push(("payload".to_owned(), test));
            }
        }
        all.extend(source.conditions.iter().cloned());
        all
    }

    fn role(
        &self,
        source: &SourceHook,
        script: &Script,
        known: &Known,
        keys: &mut Vec<(String, String, Option<String>)>,
    ) {
        if keys.iter().any(|(key, ..)| key == "role") || known.is_watched() {
            return;
        }
        let mut add = |key: &str, value: &str, why: &str| {
            keys.push((key.to_owned(), value.to_owned(), Some(why.to_owned())));
        };
        if source.background || (self.agent == Agent::DockerAgent && source.event == "turn_end") {
            add("role", "\"observe\"", "its answer has no effect in the source");
            if source.background {
                add("background", "true", "nobody waits for it");
            }
            return;
        }
        let is_program = matches!(source.handler, Handler::Command(_) | Handler::Http { .. });
        let may_rewrite =
            known.can(HostEffect::Rewrite) && (script.may_rewrite() || !script.is_read);
        let transforms = self.agent == Agent::DockerAgent && source.event.ends_with("_transform");
        if is_program && known.is("pre_tool_use") && (may_rewrite || transforms) {
            let why = if script.may_rewrite() || transforms {
                "it may change the arguments"
            } else {
                "for all that is known it may change the arguments"
            };
            add("role", "\"rewrite\"", why);
            if matches!(source.handler, Handler::Command(_)) {
                let merges = matches!(self.agent, Agent::Gemini | Agent::DockerAgent);
                let merge = if merges { "true" } else { "false" };
                add("merge", merge, &format!("as in {}", self.agent));
            }
        }
        let says_allow = known.is("permission_request")
            || (known.is("pre_tool_use") && script.is_read && script.may_allow());
        if is_program && known.can(HostEffect::Allow) && says_allow {
            add("may_allow", "true", "its allow spares the user a question");
        }
    }

    /// What a failure counts as.
    fn posture(
        &self,
        source: &SourceHook,
        known: &Known,
        script: &Script,
        keys: &mut Vec<(String, String, Option<String>)>,
    ) {
        let watches = keys.iter().any(|(key, value, _)| key == "role" && value == "\"observe\"");
        let judges = matches!(
            source.handler,
            Handler::Prompt { .. } | Handler::Builtin { .. } | Handler::OfHost(_)
        );
        if watches || judges || known.is_watched() {
            return;
        }
        let mut add = |key: &str, value: &str, why: String| {
            keys.push((key.to_owned(), literal(value), Some(why)));
        };
        let is_custom = known.ours.iter().any(|event| event.starts_with("x."));
        let can_deny = known.takes_deny();
        if self.is_strict {
            if can_deny && known.fails_closed() {
                add("on_failure", "deny", "--strict".to_owned());
            }
            return;
        }
        match source.failure {
            Failure::Open if known.fails_closed() && !is_custom => {
                add(
                    "on_failure",
                    "allow",
                    format!("as in {}; \"deny\" refuses the step", self.agent),
                );
                if script.blocks_by_another_status() && known.is_gate() {
                    keys.push((
                        "# on_exit".to_owned(),
                        "\"deny\"".to_owned(),
                        Some("makes a status such as 1 a deny".to_owned()),
                    ));
                }
            }
            Failure::Closed if can_deny => {
                add("on_failure", "deny", format!("as in {}", self.agent));
            }
            Failure::OpenIfSlow if can_deny => {
                add("on_failure", "deny", format!("as in {}", self.agent));
                add(
                    "on_timeout",
                    "allow",
                    format!("as in {}; \"deny\" refuses the step", self.agent),
                );
            }
            _ => {}
        }
    }
}

/// Writes a time as hooks.toml reads it.
pub(super) fn duration(time: Duration) -> String {
    let millis = time.as_millis();
    if !millis.is_multiple_of(1000) {
        format!("{millis}ms")
    } else if millis >= 120_000 && millis.is_multiple_of(60_000) {
        format!("{}m", millis / 60_000)
    } else {
        format!("{}s", millis / 1000)
    }
}
