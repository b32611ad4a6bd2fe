//! The hook system of OpenAI Codex: how it reads its configs, selects hooks, runs them and joins their answers.
//!
//! Layers are called `requirements`, `system`, `user`, `project`, `session` (its `hooks.json` each),
//! `system_toml`, `user_toml` or `config`, `project_toml`, `session_toml` (the `config.toml` of the same
//! layer), and `plugin:NAME`. Facts of [`Host`]: `trusted` (what holds for a hook about which no review is
//! recorded; the default is yes), `project_trusted`, `flags`, `plugins`.

mod combine;
mod config;
mod event;
mod group;
mod limit;
mod matcher;
mod reply;
mod source;
mod timeouts;
mod trust;
mod verdict;

use std::time::Duration;

use serde_json::{Map, Value};

use crate::foreign::{
    Action, ForeignConfig, ForeignHook, HookResult, HookSystem, Host, Layer, Order, Outcome,
    Process, RawRun, Selection,
};
use event::Event;

pub use trust::trust_hash;

/// How many hooks run that nobody waits for, at the same time in a session.
const MOST_IN_BACKGROUND: usize = 8;

/// The hook system of OpenAI Codex.
#[derive(Debug, Clone, Copy, Default)]
pub struct CodexSystem;

impl HookSystem for CodexSystem {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig {
        config::load(layers, host)
    }

    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, _host: &Host) -> Selection {
        let is_meant = Event::named(&hook.event).is_some_and(|event| {
            let matcher = hook.matcher.as_deref().filter(|_| event.has_matcher());
            matcher::matches(matcher, &event.matched(input))
        });
        if is_meant { Selection::Runs } else { Selection::NotMeant }
    }

    /// Codex runs each hook as often as it is written.
    fn is_same(&self, _one: &ForeignHook, _other: &ForeignHook) -> bool {
        false
    }

    fn order(&self, _hooks: &[&ForeignHook]) -> Order {
        Order::Parallel
    }

    fn most_in_background(&self) -> Option<usize> {
        Some(MOST_IN_BACKGROUND)
    }

    fn timeout(&self, hook: &ForeignHook, _input: &Map<String, Value>, _host: &Host) -> Duration {
        hook.timeout
    }

    fn process(
        &self,
        hook: &ForeignHook,
        _input: &Map<String, Value>,
        host: &Host,
    ) -> Result<Process, String> {
        let Action::Command { form, env, .. } = &hook.action else {
            return Err("it is no program".to_owned());
        };
        let (program, args) = form.argv(host.var("SHELL").filter(|shell| !shell.is_empty()));
        let env = host.env.iter().chain(env).cloned().collect();
        Ok(Process { program, args, env, cwd: host.cwd.clone() })
    }

    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        host: &Host,
    ) -> HookResult {
        reply::read(hook, input, run, host)
    }

    fn combine(
        &self,
        input: &Map<String, Value>,
        results: Vec<HookResult>,
        _host: &Host,
    ) -> Outcome {
        combine::combine(Event::of(input), results)
    }

    fn deliver(&self, results: &[HookResult], _host: &Host) -> Map<String, Value> {
        combine::later(results)
    }
}
