//! The hook system of Cursor: how it reads its configs, selects hooks, runs them and joins their answers.
//!
//! Cursor reads the files of Claude Code too: layers whose name begins with `claude` have that form.
//! `session_env` among the facts of the host is what hooks at the start of the session have set.

mod answer;
mod combine;
mod config;
mod event;
mod matcher;
mod process;
mod reply;
mod source;

use std::time::Duration;

use serde_json::{Map, Value};

use self::event::{CursorEvent, Matched};
use self::source::Source;
use crate::foreign::{
    ForeignConfig, ForeignHook, HookResult, HookStatus, HookSystem, Host, Layer, Order, Outcome,
    Process, RawRun, Selection,
};

/// The hooks of Cursor.
#[derive(Debug, Clone, Copy, Default)]
pub struct CursorSystem;

impl HookSystem for CursorSystem {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig {
        config::load(layers, host)
    }

    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, _host: &Host) -> Selection {
        let Some(event) = CursorEvent::from_name(&hook.event) else { return Selection::NotMeant };
        match matcher::read(hook.matcher.as_deref()) {
            Err(_) if event.matched() == Matched::Nothing => Selection::Runs,
            Err(why) => Selection::Skipped(why),
            Ok(None) => Selection::Runs,
            Ok(Some(pattern)) => {
                let is_claude = Source::of(&hook.layer).is_claude();
                if matcher::holds(&pattern, event, input, is_claude) {
                    Selection::Runs
                } else {
                    Selection::NotMeant
                }
            }
        }
    }

    fn is_same(&self, _one: &ForeignHook, _other: &ForeignHook) -> bool {
        false
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

    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        _host: &Host,
    ) -> HookResult {
        match CursorEvent::from_name(&hook.event) {
            Some(event) => reply::read(event, hook, input, run),
            None => HookResult::new(HookStatus::Ignored),
        }
    }

    fn combine(
        &self,
        _input: &Map<String, Value>,
        results: Vec<HookResult>,
        _host: &Host,
    ) -> Outcome {
        combine::combine(results)
    }
}
