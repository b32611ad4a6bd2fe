//! Interceptors of closures, and hosts with them.

use std::sync::Arc;

use hookgate::table::Limits;
use hookgate::{Engine, HandlerTable, HookSpec};
use hookgate_agent_hooks::{
    AgentContext, AgentSession, Blocked, Host, Interception, Interceptor, InterceptorFailed,
    Interceptors, Profile,
};
use hookgate_test_support::Log;
use serde_json::{Map, Value, json};

/// An interceptor that answers as a function of the context.
pub(crate) struct Says<F>(pub(crate) F);

impl<F> Interceptor for Says<F>
where
    F: Fn(&AgentContext) -> Result<Value, InterceptorFailed> + Send + Sync,
{
    fn intercept<'a>(&'a self, context: &'a AgentContext) -> Interception<'a> {
        Box::pin(async move { (self.0)(context) })
    }
}

/// An interceptor that says the same about every tool call, and allows all else.
pub(crate) fn at_tool_calls(verdict: Value) -> impl Interceptor {
    logged("", Log::default(), verdict)
}

/// As [`at_tool_calls`]; it writes down the arguments that it sees.
pub(crate) fn logged(name: &'static str, log: Log, verdict: Value) -> impl Interceptor {
    Says(move |context: &AgentContext| {
        if context.point().name() != "pre_tool_call" {
            return Ok(json!({"decision": "allow"}));
        }
        log.push(format!("{name} {}", context.target()));
        Ok(verdict.clone())
    })
}

/// An engine with interceptors and other hooks.
pub(crate) fn engine(
    interceptors: &Interceptors,
    hooks: impl IntoIterator<Item = HookSpec>,
) -> Arc<Engine> {
    Arc::new(Engine::new(table(interceptors, hooks)))
}

pub(crate) fn table(
    interceptors: &Interceptors,
    hooks: impl IntoIterator<Item = HookSpec>,
) -> HandlerTable {
    let mut table = HandlerTable::builder();
    table.limits(Limits::new().stop_at(interceptors.profile().stop_at()));
    for hook in hooks {
        table.insert(hook);
    }
    interceptors.install(&mut table);
    table.build().unwrap()
}

/// A host with one interceptor.
pub(crate) fn host(interceptor: impl Interceptor + 'static) -> Host<Arc<Engine>> {
    let interceptors = Interceptors::new(Profile::FirstDeny).register("one", interceptor);
    Host::with(engine(&interceptors, []), &interceptors)
}

pub(crate) fn session() -> AgentSession {
    AgentSession::new("agent-1", "tests", "session-1")
}

/// A call of a tool with one argument.
pub(crate) fn call(command: &str) -> Map<String, Value> {
    session().pre_tool_call("call-1", "Bash", json!({"command": command}))
}

pub(crate) fn reason(blocked: &Blocked) -> &str {
    blocked.record.verdict.reason.as_deref().unwrap_or_default()
}
