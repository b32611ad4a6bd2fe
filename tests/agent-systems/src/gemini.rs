//! The hook system of Gemini CLI: how it reads its configs, selects hooks, runs them and joins their answers.
//!
//! Layers are called `system_defaults`, `user`, `project`, `system` (its `settings.json` each), and
//! `extension:NAME` (its `hooks/hooks.json`). Facts of [`Host`]: `trusted_folder`, `plans_dir`, `plugins`.

mod config;
mod event;
mod expand;
mod join;
mod matcher;
mod meaning;
mod output;
mod result;

use std::time::Duration;

use serde_json::{Map, Value};

use crate::foreign::{
    Action, CommandForm, ForeignConfig, ForeignHook, HookResult, HookSystem, Host, Layer, Order,
    Outcome, Process, RawRun, Selection,
};
use event::Event;

/// The hook system of Gemini CLI.
#[derive(Debug, Clone, Copy, Default)]
pub struct GeminiSystem;

impl HookSystem for GeminiSystem {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig {
        config::load(layers, host)
    }

    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, _host: &Host) -> Selection {
        let is_meant = Event::named(&hook.event)
            .is_some_and(|event| matcher::matches(event, hook.matcher.as_deref(), input));
        if is_meant { Selection::Runs } else { Selection::NotMeant }
    }

    /// The same command under the same name runs once.
    fn is_same(&self, one: &ForeignHook, other: &ForeignHook) -> bool {
        let name = |hook: &ForeignHook| {
            let name = hook.options.get("name").and_then(Value::as_str);
            name.unwrap_or_default().to_owned()
        };
        let command = |hook: &ForeignHook| match &hook.action {
            Action::Command { form, .. } => Some(form.clone()),
            _ => None,
        };
        name(one) == name(other) && command(one) == command(other)
    }

    fn order(&self, hooks: &[&ForeignHook]) -> Order {
        let is_sequential =
            |hook: &&ForeignHook| hook.group.get("sequential") == Some(&Value::Bool(true));
        if hooks.iter().any(is_sequential) { Order::Sequential } else { Order::Parallel }
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
        let Action::Command { form: CommandForm::Shell(shell, command), env, .. } = &hook.action
        else {
            return Err("it is no command for a shell".to_owned());
        };
        let variables = expand::variables(input, host);
        let command = expand::command(command, &variables);
        let (program, args) = CommandForm::Shell(*shell, command).argv(None);
        let own = variables.into_iter().map(|(name, value)| (name.to_owned(), value));
        let env = host.env.iter().cloned().chain(own).chain(env.iter().cloned()).collect();
        Ok(Process { program, args, env, cwd: host.cwd.clone() })
    }

    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        _host: &Host,
    ) -> HookResult {
        result::read(hook, input, run)
    }

    fn carry(&self, input: &mut Map<String, Value>, result: &HookResult) {
        result::carry(input, result);
    }

    fn combine(
        &self,
        input: &Map<String, Value>,
        results: Vec<HookResult>,
        _host: &Host,
    ) -> Outcome {
        result::combine(input, &results)
    }
}
