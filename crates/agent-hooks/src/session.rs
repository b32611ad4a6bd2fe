//! A session of an agent: it numbers the contexts, and gives each what all of them have.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

use crate::context::SPEC;
use crate::point::InterceptionPoint;

/// Makes the contexts of one session, each for [`Host::emit`](crate::Host::emit).
///
/// ```
/// use hookgate_agent_hooks::AgentSession;
/// use serde_json::json;
///
/// let session = AgentSession::new("support-bot", "mine", "session-1").with("tenant", json!({"id": "acme"}));
/// let startup = session.agent_startup(&["Bash"]);
/// let call = session.pre_tool_call("call-1", "Bash", json!({"command": "ls"}));
/// assert_eq!((&startup["sequence"], &call["sequence"]), (&json!(0), &json!(1)));
/// assert_eq!(call["target"], json!({"command": "ls"}));
/// ```
#[derive(Debug)]
pub struct AgentSession {
    common: Map<String, Value>,
    next: AtomicU64,
}

impl AgentSession {
    /// Begins a session: the id of the agent, its framework (small letters, digits, `_` and `-`), and the
    /// id of the session.
    #[must_use]
    pub fn new(agent: &str, framework: &str, session: &str) -> Self {
        let mut common = Map::new();
        common.insert("spec".to_owned(), SPEC.into());
        common.insert("agent".to_owned(), json!({"id": agent, "framework": framework}));
        common.insert("session".to_owned(), json!({"id": session}));
        Self { common, next: AtomicU64::new(0) }
    }

    /// Adds an optional member to every context: `tenant`, `actor`, `trace`, `extensions`.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.common.insert(name.to_owned(), value);
        self
    }

    /// The session begins, with these tools.
    pub fn agent_startup(&self, tools: &[&str]) -> Map<String, Value> {
        self.context(
            InterceptionPoint::AgentStartup,
            json!({"agent_init": {"tools_registered": tools}}),
        )
    }

    /// A request comes in. The role is `user`, `system` or `external`.
    pub fn input(&self, content: Value, role: &str) -> Map<String, Value> {
        self.context(InterceptionPoint::Input, json!({"input": {"content": content, "role": role}}))
    }

    /// The model is about to be called with these messages.
    pub fn pre_model_call(&self, model: &str, messages: &[Value]) -> Map<String, Value> {
        self.context(
            InterceptionPoint::PreModelCall,
            json!({"model": {"id": model}, "messages": messages}),
        )
    }

    /// The model has answered: content, tool calls with `id`, `name` and `args`, and why it ended.
    pub fn post_model_call(
        &self,
        model: &str,
        content: Value,
        tool_calls: &[Value],
        finish_reason: &str,
    ) -> Map<String, Value> {
        let response =
            json!({"content": content, "tool_calls": tool_calls, "finish_reason": finish_reason});
        self.context(
            InterceptionPoint::PostModelCall,
            json!({"model": {"id": model}, "response": response}),
        )
    }

    /// A tool is about to run.
    pub fn pre_tool_call(&self, id: &str, name: &str, args: Value) -> Map<String, Value> {
        self.context(
            InterceptionPoint::PreToolCall,
            json!({"tool_call": {"id": id, "name": name, "args": args}}),
        )
    }

    /// A tool has run, with the arguments that were permitted.
    pub fn post_tool_call(
        &self,
        id: &str,
        name: &str,
        args: Value,
        value: Value,
        is_error: bool,
    ) -> Map<String, Value> {
        self.context(
            InterceptionPoint::PostToolCall,
            json!({
                "tool_call": {"id": id, "name": name, "args": args},
                "tool_result": {"value": value, "is_error": is_error},
            }),
        )
    }

    /// The answer is about to go to the caller.
    pub fn output(&self, content: Value) -> Map<String, Value> {
        self.context(InterceptionPoint::Output, json!({"output": {"content": content}}))
    }

    /// The session has ended: `completed`, `error` or `cancelled`.
    pub fn agent_shutdown(&self, reason: &str) -> Map<String, Value> {
        self.context(InterceptionPoint::AgentShutdown, json!({"summary": {"reason": reason}}))
    }

    fn context(&self, point: InterceptionPoint, own: Value) -> Map<String, Value> {
        let mut members = self.common.clone();
        // ORDERING: only that no number is given twice matters.
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        members.insert("interception_point".to_owned(), point.name().into());
        members.insert("timestamp".to_owned(), jiff::Timestamp::now().to_string().into());
        members.insert("sequence".to_owned(), number.into());
        let (member, inner) = point.target();
        let target = own.get(member);
        let target = inner.map_or(target, |inner| target.and_then(|member| member.get(inner)));
        members.insert("target".to_owned(), target.cloned().unwrap_or_default());
        if let Value::Object(own) = own {
            members.extend(own);
        }
        members
    }
}
