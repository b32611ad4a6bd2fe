//! The payloads of all events, as DESIGN.md section 4 lists them.

use hookgate::Event;
use hookgate::envelope::Incoming;
use serde_json::{Map, Value, json};

/// A field of a payload, with a value that it can have.
pub type Field = (&'static str, Value);

/// The payload of an event: what must be there, and what may be.
pub struct EnvelopeFields {
    pub event: Event,
    pub required: Vec<Field>,
    pub optional: Vec<Field>,
}

impl EnvelopeFields {
    /// An envelope with these fields and nothing in its header but the event.
    fn envelope<'a>(&self, fields: impl IntoIterator<Item = &'a Field>) -> Map<String, Value> {
        let event = ("hook_event_name".to_owned(), Value::from(self.event.name()));
        let fields = fields.into_iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        std::iter::once(event).chain(fields).collect()
    }

    /// The smallest envelope that can be read.
    pub fn least(&self) -> Map<String, Value> {
        self.envelope(&self.required)
    }

    /// An envelope with every field that the event knows.
    pub fn whole(&self) -> Map<String, Value> {
        self.envelope(self.required.iter().chain(&self.optional))
    }
}

/// The smallest envelope of an event, read.
pub fn incoming(event: Event) -> Incoming {
    let shape = shapes().into_iter().find(|shape| shape.event == event).expect("it has a shape");
    Incoming::from_object(shape.least()).expect("the least is enough")
}

fn call() -> Vec<Field> {
    vec![("tool_name", json!("Bash")), ("tool_input", json!({"command": "ls"}))]
}

fn call_optional() -> Vec<Field> {
    vec![
        ("tool_use_id", json!("toolu_1")),
        ("tool_category", json!("shell")),
        ("safety", json!("read_only")),
        ("provenance", json!({"kind": "mcp", "source_id": "fs"})),
    ]
}

fn planning(event: Event) -> EnvelopeFields {
    EnvelopeFields {
        event,
        required: vec![("input_text", json!("fix it"))],
        optional: vec![
            ("model", json!("gpt-5")),
            ("model_provider", json!("openai")),
            ("plan", json!({"steps": 2})),
            ("tool_names", json!(["Bash", "Read"])),
            ("policies", json!([1])),
            ("contexts", json!([{"id": "a"}])),
        ],
    }
}

/// All events, each with its payload.
pub fn shapes() -> Vec<EnvelopeFields> {
    let shape = |event, required: &[Field], optional: &[Field]| EnvelopeFields {
        event,
        required: required.to_vec(),
        optional: optional.to_vec(),
    };
    let tool = |event, required: &[Field], optional: &[Field]| EnvelopeFields {
        event,
        required: [&call(), required].concat(),
        optional: [&call_optional(), optional].concat(),
    };
    let usage = || ("usage", json!({"input_tokens": 3}));
    vec![
        shape(
            Event::SessionStart,
            &[("source", json!("resume"))],
            &[("model", json!("m")), ("title", json!("t"))],
        ),
        shape(
            Event::SessionResume,
            &[],
            &[("previous_max_iterations", json!(5)), ("new_max_iterations", json!(10))],
        ),
        shape(Event::SessionEnd, &[("reason", json!("done"))], &[]),
        shape(Event::RunStarted, &[], &[("prompt", json!("go"))]),
        shape(
            Event::RunCompleted,
            &[("result_text", json!("done")), ("turns", json!(4))],
            &[usage()],
        ),
        shape(Event::RunFailed, &[("error", json!("boom"))], &[("error_class", json!("quota"))]),
        // `source` has a default, `user`: what scripts of other agents send has none.
        shape(
            Event::UserPromptSubmit,
            &[("prompt", json!("hi"))],
            &[("source", json!("steering")), ("attachments", json!([{"kind": "image"}]))],
        ),
        shape(
            Event::UserPromptAccepted,
            &[("prompt", json!("hi"))],
            &[("committed_len", json!(7))],
        ),
        shape(Event::UserInputRequested, &[], &[("message", json!("which one?"))]),
        planning(Event::TurnPolicy),
        shape(Event::TurnStart, &[("iteration", json!(1))], &[("is_subagent", json!(true))]),
        planning(Event::PromptContext),
        planning(Event::PromptContextPlanned),
        planning(Event::ToolSelection),
        planning(Event::PromptCompile),
        shape(
            Event::PromptCompiled,
            &[("section_ids", json!(["head", "tail"]))],
            &[("token_estimate", json!(900))],
        ),
        shape(
            Event::PreLlmRequest,
            &[("model", json!("m")), ("message_count", json!(2))],
            &[
                ("model_provider", json!("p")),
                ("messages", json!([{"role": "user"}, {"role": "assistant"}])),
                ("max_tokens", json!(100)),
                ("temperature", json!(0.5)),
                ("provider_params", json!({"seed": 1})),
                ("iteration", json!(1)),
                ("attempt", json!(2)),
            ],
        ),
        shape(
            Event::PostLlmResponse,
            &[("assistant_text", json!("ok")), ("tool_call_names", json!(["Bash"]))],
            &[
                ("stop_reason", json!("end_turn")),
                usage(),
                ("model", json!("m")),
                ("cost", json!(0.25)),
                ("error", json!("cut off")),
            ],
        ),
        tool(Event::PreToolUse, &[], &[]),
        tool(Event::PermissionRequest, &[], &[("suggestions", json!([{"rule": "Bash(ls)"}]))]),
        tool(
            Event::PermissionDecided,
            &[("approval_decision", json!("deny"))],
            &[("approval_source", json!("user"))],
        ),
        tool(
            Event::PostToolUse,
            &[("tool_response", json!({"stdout": "x"}))],
            &[("content_blocks", json!([{"type": "text"}])), ("duration_ms", json!(12))],
        ),
        tool(
            Event::PostToolUseFailure,
            &[("error", json!("no such file"))],
            &[("is_interrupt", json!(false)), ("duration_ms", json!(12))],
        ),
        shape(
            Event::PostToolBatch,
            &[(
                "results",
                json!([{"tool_name": "Bash", "tool_use_id": "toolu_1", "is_error": false}]),
            )],
            &[],
        ),
        shape(
            Event::TurnBoundary,
            &[],
            &[
                ("reason", json!("end_turn")),
                ("continues_so_far", json!(1)),
                ("voluntary", json!(true)),
            ],
        ),
        shape(
            Event::Stop,
            &[],
            &[
                ("stop_reason", json!("end_turn")),
                ("last_assistant_message", json!("done")),
                ("stop_hook_active", json!(true)),
                ("continues_so_far", json!(1)),
            ],
        ),
        shape(
            Event::SubagentStart,
            &[],
            &[("parent_session_id", json!("s0")), ("prompt", json!("look"))],
        ),
        shape(
            Event::SubagentStop,
            &[],
            &[
                ("parent_session_id", json!("s0")),
                ("last_assistant_message", json!("done")),
                ("stop_hook_active", json!(true)),
            ],
        ),
        shape(
            Event::AgentSwitch,
            &[("from_agent", json!("a")), ("to_agent", json!("b"))],
            &[("switch_kind", json!("handoff"))],
        ),
        shape(
            Event::PreCompact,
            &[("trigger", json!("auto"))],
            &[
                ("token_estimate", json!(9000)),
                ("threshold", json!(8000)),
                ("context_limit", json!(10_000)),
                ("custom_instructions", json!("keep the plan")),
            ],
        ),
        shape(
            Event::PostCompact,
            &[],
            &[
                ("tokens_before", json!(9000)),
                ("tokens_after", json!(900)),
                ("summary", json!("all of it")),
            ],
        ),
        shape(Event::MaxIterations, &[("max_iterations", json!(50))], &[]),
        shape(
            Event::Notification,
            &[("message", json!("hello"))],
            &[
                ("level", json!("info")),
                ("title", json!("t")),
                ("notification_type", json!("idle")),
            ],
        ),
        shape(
            Event::ConfigChange,
            &[("source", json!("project"))],
            &[("file_path", json!("/a/b"))],
        ),
        shape(
            Event::WorktreeCreate,
            &[("path", json!("/w"))],
            &[("branch", json!("b")), ("source_dir", json!("/s"))],
        ),
    ]
}
