//! Handlers in process, of both kinds: those that answer at once and those that wait.

use std::sync::Arc;

use hookgate::contract::BuildContext;
use hookgate::contract::settings::Settings;
use hookgate::contract::{
    AsyncHandler, BuiltHandler, Condition, ConditionKind, Envelope, Invocation, Kept, Reply,
    ReplyFuture, StateChange, StateError, StateHome, StateKey, StateScope, Truth, VerdictDecision,
};
use hookgate::{Failure, FailureClass, Registry, Verdict};
use serde_json::Value;

use crate::fault::{self, Fault, Kind, Needs};

/// Code in process can return any class, also one to which it does not come by itself.
pub(crate) const RETURNS: &str = "returns";

pub(crate) fn faults(kind: Kind, class: FailureClass) -> Vec<Fault> {
    let waits = kind == Kind::Async;
    let fault = |how| Fault::new(kind, class, how);
    let mut faults = match class {
        FailureClass::Timeout if waits => {
            vec![fault("hang").needs(Needs::Deadline), fault("hang").needs(Needs::DispatchDeadline)]
        }
        FailureClass::Malformed => {
            vec![fault("malformed"), fault("malformed-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Illegal => {
            vec![fault("illegal"), fault("illegal-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Oversize => vec![fault("bytes").needs(Needs::LargeStep)],
        FailureClass::Panic if waits => vec![fault("panic-before"), fault("panic-inside")],
        FailureClass::Panic => vec![fault("panic")],
        FailureClass::Cancelled if waits => {
            vec![fault("fine").needs(Needs::Cancelled), fault("hang").needs(Needs::CancelledLater)]
        }
        FailureClass::Cancelled => vec![fault("fine").needs(Needs::Cancelled)],
        // Only a handler that does not look for itself is not called.
        FailureClass::Unclear if !waits => {
            vec![fault("static").needs(Needs::UnknownCondition).detail("the moon is not known")]
        }
        FailureClass::State if !waits => vec![fault("counts").detail("nothing can be kept")],
        // Nothing stops code that does not wait; the rest is for processes, services and judges.
        FailureClass::Timeout
        | FailureClass::Spawn
        | FailureClass::Exit
        | FailureClass::Signal
        | FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
        | FailureClass::Overloaded
        | FailureClass::Budget
        | FailureClass::Unsure
        | FailureClass::Untrusted
        | FailureClass::State
        | FailureClass::Unclear => Vec::new(),
        class => fault::unknown(class),
    };
    faults.push(fault(RETURNS));
    faults
}

pub(crate) fn handler(fault: Fault) -> String {
    let name = if fault.kind == Kind::Async { "async" } else { "sync" };
    let Fault { class, how, .. } = fault;
    format!("builtin = {{ name = \"{name}\", how = \"{how}\", class = \"{class}\" }}")
}

/// The builtins that do as their settings say.
pub(crate) fn registry() -> Registry {
    let registry = crate::support::registry();
    registry.register_builtin("sync", build_sync).unwrap();
    registry.register_builtin("async", build_async).unwrap();
    registry.add_condition(ConditionKind::new("moon", |_, _| Some(Box::new(Moon)))).unwrap();
    registry
}

/// A condition that never can be told.
struct Moon;

impl Condition for Moon {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::Unknown
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "the moon is not known".to_owned()
    }
}

/// A home that has lost what it kept.
struct Broken;

impl StateHome for Broken {
    fn read(&self, _: &StateKey<'_>) -> Result<Option<Value>, StateError> {
        Err(StateError::Other("nothing can be kept".to_owned()))
    }

    fn update(&self, _: &StateKey<'_>, _: &mut StateChange<'_>) -> Result<(), StateError> {
        Err(StateError::Other("nothing can be kept".to_owned()))
    }
}

/// The settings of a handler.
struct Plan {
    how: String,
    class: FailureClass,
}

impl Plan {
    fn read(settings: &mut Settings<'_>) -> Option<Self> {
        let how = settings.required_text("how").map(str::to_owned);
        let class = settings.required_text("class").and_then(FailureClass::from_name);
        Some(Self { how: how?, class: class? })
    }

    fn carry_out(&self, invocation: Invocation<'_>) -> Reply {
        match &*self.how {
            "fine" => Ok(Verdict::none()),
            "static" => Ok(Verdict::halt("it is not to be called")),
            "panic" | "panic-inside" => panic!("on purpose"),
            "bytes" => invocation.envelope.bytes().map(|_| Verdict::none()),
            "malformed" => Verdict::parse(fault::MALFORMED.as_bytes()),
            "malformed-ask" => Verdict::parse(fault::MALFORMED_ASK.as_bytes()),
            "illegal" => Verdict::parse(fault::ILLEGAL.as_bytes()),
            "illegal-ask" => Verdict::parse(fault::ILLEGAL_ASK.as_bytes()),
            "counts" => {
                let count: Kept<u64> = Kept::new("count", 8).in_home(Some(Arc::new(Broken)));
                let scope = StateScope::Session(invocation.context().session_id);
                count.update(scope, invocation.hook, |count| *count += 1)?;
                Ok(Verdict::none())
            }
            RETURNS => Err(Failure::new(self.class, "on purpose")),
            how => panic!("unknown fault `{how}`"),
        }
    }
}

fn build_sync(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let plan = Plan::read(settings)?;
    let is_static = plan.how == "static";
    let built =
        BuiltHandler::from_sync(move |invocation: Invocation<'_>| plan.carry_out(invocation));
    Some(if is_static { built.static_answer() } else { built })
}

struct Waiting(Plan);

impl AsyncHandler for Waiting {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        assert_ne!(self.0.how, "panic-before", "on purpose");
        Box::pin(async move {
            tokio::task::yield_now().await;
            if self.0.how == "hang" {
                std::future::pending::<()>().await;
            }
            self.0.carry_out(invocation)
        })
    }
}

fn build_async(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(BuiltHandler::from_async(Waiting(Plan::read(settings)?)))
}

/// Panics of handlers are a part of the test; they need not be shown.
pub(crate) fn hide_panics_on_purpose() {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.to_string().contains("on purpose") {
            shown(info);
        }
    }));
}
