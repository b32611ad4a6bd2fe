//! The hook system of GitHub Copilot: how it reads its configs, selects hooks, runs them and joins their answers.
//!
//! The command line and the cloud agent differ: the fact `surface` of the host is `cli` or `cloud`. The
//! name of an event in camelCase or PascalCase chooses the form of the envelope, so that both names
//! are events of their own here.

mod answer;
mod combine;
mod config;
mod event;
mod handler;
mod matcher;
mod process;
mod reply;
mod stdout;

use std::time::Duration;

use serde_json::{Map, Value};

use self::answer::Situation;
use self::config::Surface;
use self::event::CopilotEvent;
use self::matcher::Matcher;
use crate::foreign::{
    Action, ForeignConfig, ForeignHook, HookResult, HookStatus, HookSystem, Host, Layer, Order,
    Outcome, Process, RawRun, Selection,
};

/// The hooks of GitHub Copilot.
#[derive(Debug, Clone, Copy, Default)]
pub struct CopilotSystem;

impl HookSystem for CopilotSystem {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn load(&self, layers: &[Layer], host: &Host) -> ForeignConfig {
        config::load(layers, host)
    }

    fn selects(&self, hook: &ForeignHook, input: &Map<String, Value>, host: &Host) -> Selection {
        let Some((event, spelling)) = CopilotEvent::from_name(&hook.event) else {
            return Selection::NotMeant;
        };
        let matcher = match Matcher::read(hook.matcher.as_deref(), event, spelling) {
            Ok(matcher) => matcher,
            Err(invalid) => return Selection::Skipped(invalid.to_string()),
        };
        let field = event.matched_fields().iter().find_map(|field| input.get(*field));
        if !matcher.holds(field.and_then(Value::as_str).unwrap_or_default()) {
            return Selection::NotMeant;
        }
        match &hook.action {
            Action::Http { url, .. } if !handler::may_connect(url, host) => {
                Selection::Skipped(format!("{url} is not https://, so it is not called"))
            }
            _ => Selection::Runs,
        }
    }

    fn is_same(&self, _one: &ForeignHook, _other: &ForeignHook) -> bool {
        false
    }

    fn order(&self, _hooks: &[&ForeignHook]) -> Order {
        Order::Sequential
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
        process::of(hook, host)
    }

    fn read(
        &self,
        hook: &ForeignHook,
        input: &Map<String, Value>,
        run: &RawRun,
        host: &Host,
    ) -> HookResult {
        if let Action::Submit { text } = &hook.action {
            return reply::submitted(text, input, host.interactive);
        }
        match CopilotEvent::from_name(&hook.event) {
            Some((event, spelling)) => {
                let cloud = Surface::of(host).cloud;
                reply::read(hook, run, Situation { event, spelling, input, cloud })
            }
            None => HookResult::new(HookStatus::Ignored),
        }
    }

    fn combine(
        &self,
        input: &Map<String, Value>,
        results: Vec<HookResult>,
        host: &Host,
    ) -> Outcome {
        let event = results.first().and_then(|result| CopilotEvent::from_name(&result.event));
        let Some((event, spelling)) = event else { return Outcome::default() };
        let cloud = Surface::of(host).cloud;
        combine::combine(Situation { event, spelling, input, cloud }, results)
    }
}
