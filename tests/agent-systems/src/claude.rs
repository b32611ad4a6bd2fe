//! The hook system of Claude Code: how it reads its settings, selects hooks, runs them and joins their
//! answers.
//!
//! Layers are called `managed`, `cli`, `local`, `project`, `user` (the settings files), `plugin:NAME` and
//! `agent:NAME` (the hooks of a subagent's own file). Facts of [`Host`]: `batch_size` (how many tools the
//! turn calls), `trusted`, `flags` (`--safe-mode`, `--bare`), `remote`, `plugins`.
//!
//! Nearly all failures let the action go on. Each is reported as an error of its hook.

mod answer;
mod background;
mod combine;
mod condition;
mod config;
mod event;
mod fields;
mod later;
mod limits;
mod matcher;
mod output;
mod process;
mod prompt;
mod reply;
mod shape;
mod spill;
mod terminal;
mod worktree;

use std::time::Duration;

use serde_json::{Map, Value};

use crate::foreign::{
    Action, ForeignConfig, ForeignHook, HookResult, HookStatus, HookSystem, Host, Layer, McpCall,
    Order, Outcome, Process, RawRun, Selection, fill_paths,
};

/// The hook system of Claude Code.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeSystem;

impl HookSystem for ClaudeSystem {
    fn name(&self) -> &'static str {
        "claude"
    }

    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig {
        config::load(layers, host)
    }

    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Selection {
        let Some(event) = event::named(&hook.event) else { return Selection::NotMeant };
        let matcher = hook.matcher.as_deref().unwrap_or_default();
        let is_matched = event.subject(input).is_none_or(|subject| {
            // A bad regex is reported when the config is read.
            matcher::matches(matcher, event, subject).unwrap_or(false)
        });
        let condition = hook.options.get("if").and_then(Value::as_str);
        let holds = condition.is_none_or(|condition| {
            let rule = condition::Rule::parse(condition);
            rule.is_none_or(|rule| rule.holds(hook, input, host))
        });
        if is_matched && holds { Selection::Runs } else { Selection::NotMeant }
    }

    /// The same handler in several settings files runs once; those of plugins count one by one.
    fn is_same(&self, one: &ForeignHook, other: &ForeignHook) -> bool {
        let is_settings = |hook: &ForeignHook| !hook.layer.contains(':');
        is_settings(one)
            && is_settings(other)
            && (&one.event, &one.matcher) == (&other.event, &other.matcher)
            && one.options.get("if") == other.options.get("if")
            && is_same_action(&one.action, &other.action)
    }

    fn order(&self, _hooks: &[&ForeignHook]) -> Order {
        Order::Parallel
    }

    fn timeout(&self, hook: &ForeignHook, _input: &Map<String, Value>, _host: &Host) -> Duration {
        hook.timeout
    }

    fn process(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        host: &Host,
    ) -> Result<Process, String> {
        process::of(hook, input, host)
    }

    /// Every place becomes text.
    fn mcp_call(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        _host: &Host,
    ) -> Result<McpCall, String> {
        let Action::McpTool { server, tool, input: arguments } = &hook.action else {
            return Err("the hook calls no tool".to_owned());
        };
        let arguments = fill_paths(arguments, input, false);
        Ok(McpCall { server: server.clone(), tool: tool.clone(), arguments })
    }

    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        host: &Host,
    ) -> HookResult {
        let Some(event) = event::named(&hook.event) else {
            return HookResult::new(HookStatus::Ignored);
        };
        match &hook.action {
            _ if hook.background => background::read(hook, event, run, (input, host)),
            Action::Prompt { agent, .. } => {
                let flag = hook.options.get("continueOnBlock");
                let continue_on_block = flag == Some(&Value::Bool(true));
                prompt::read(event, prompt::Manner { agent: *agent, continue_on_block }, run)
            }
            _ if event.name == "WorktreeCreate" => worktree::read(event, run),
            _ => reply::read(event, input, run, host),
        }
    }

    fn combine(
        &self,
        input: &Map<String, Value>,
        results: Vec<HookResult>,
        host: &Host,
    ) -> Outcome {
        let event = input.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
        combine::combine(event, input, &results, host)
    }

    fn config_effect(
        &self,
        config: &ForeignConfig,
        event: &str,
        host: &Host,
    ) -> Map<String, Value> {
        let mut effect = Map::new();
        match event {
            "SessionEnd" => {
                let shared = limits::session_end(&config.hooks, host);
                effect.insert("session_end_budget_s".to_owned(), limits::seconds(shared));
            }
            "FileChanged" => {
                let hooks = config.hooks.iter().filter(|hook| hook.event == event);
                let matchers = hooks.filter_map(|hook| hook.matcher.as_deref());
                let path = |name| host.cwd.join(name).to_string_lossy().into_owned();
                let watched =
                    matchers.flat_map(matcher::watched).map(|name| Value::from(path(name)));
                effect.insert("watch".to_owned(), watched.collect());
            }
            _ => {}
        }
        effect
    }

    fn deliver(&self, results: &[HookResult], _host: &Host) -> Map<String, Value> {
        combine::effects(results)
    }
}

fn is_same_action(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Command { form: one, .. }, Action::Command { form: other, .. }) => one == other,
        (Action::Http { url: one, .. }, Action::Http { url: other, .. }) => one == other,
        (Action::McpTool { .. }, Action::McpTool { .. }) => one == other,
        (
            Action::Prompt { prompt: one, agent: one_agent, .. },
            Action::Prompt { prompt: other, agent: other_agent, .. },
        ) => (one, one_agent) == (other, other_agent),
        _ => false,
    }
}
