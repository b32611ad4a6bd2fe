//! The payloads of all events, as DESIGN.md section 4 lists them.

use hookgate::Event;
use hookgate::envelope::Incoming;
use serde_json::{Map, Value, json};

/// A field of a payload, with a value that it can have.
pub type Field = (&'static str, Value);

/// The fields in the payload of an event.
pub struct EnvelopeFields {
    /// The event.
    pub event: Event,
    /// The fields without which an envelope is refused.
    pub required: Vec<Field>,
    /// The fields that may be absent.
    pub optional: Vec<Field>,
}

impl EnvelopeFields {
    /// An envelope with these fields and nothing in its header but the event.
    fn envelope<'a>(&self, fields: impl IntoIterator<Item = &'a Field>) -> Map<String, Value> {
        let event = ("hook_event_name".to_owned(), Value::from(self.event.name()));
        let fields = fields.into_iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        std::iter::once(event).chain(fields).collect()
    }

    /// Returns the smallest envelope that can be read.
    pub fn least(&self) -> Map<String, Value> {
        self.envelope(&self.required)
    }

    /// Returns an envelope with every field that the event has.
    pub fn whole(&self) -> Map<String, Value> {
        self.envelope(self.required.iter().chain(&self.optional))
    }
}

/// Parses the smallest envelope of an event.
pub fn incoming(event: Event) -> Incoming {
    let fields = event_fields()
        .into_iter()
        .find(|fields| fields.event == event)
        .expect("every event has fields");
    Incoming::from_object(fields.least()).expect("the least is enough")
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

/// Returns the fields of all events, in their order.
pub fn event_fields() -> Vec<EnvelopeFields> {
    let plain = |event, required: &[Field], optional: &[Field]| EnvelopeFields {
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
        plain(
            Event::SessionStart,
            &[("source", json!("resume"))],
            &[("model", json!("m")), ("title", json!("t"))],
        ),
        plain(
            Event::SessionResume,
            &[],
            &[("previous_max_iterations", json!(5)), ("new_max_iterations", json!(10))],
        ),
        plain(Event::SessionEnd, &[("reason", json!("done"))], &[]),
        plain(Event::RunStarted, &[], &[("prompt", json!("go"))]),
        plain(
            Event::RunCompleted,
            &[("result_text", json!("done")), ("turns", json!(4))],
            &[usage()],
        ),
        plain(Event::RunFailed, &[("error", json!("boom"))], &[("error_class", json!("quota"))]),
        // `source` has a default, `user`: what scripts of other agents send has none.
        plain(
            Event::UserPromptSubmit,
            &[("prompt", json!("hi"))],
            &[("source", json!("steering")), ("attachments", json!([{"kind": "image"}]))],
        ),
        plain(
            Event::UserPromptAccepted,
            &[("prompt", json!("hi"))],
            &[("committed_len", json!(7))],
        ),
        plain(Event::UserInputRequested, &[], &[("message", json!("which one?"))]),
        planning(Event::TurnPolicy),
        plain(Event::TurnStart, &[("iteration", json!(1))], &[("is_subagent", json!(true))]),
        planning(Event::PromptContext),
        planning(Event::PromptContextPlanned),
        planning(Event::ToolSelection),
        planning(Event::PromptCompile),
        plain(
            Event::PromptCompiled,
            &[("section_ids", json!(["head", "tail"]))],
            &[("token_estimate", json!(900))],
        ),
        plain(
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
        plain(
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
        plain(
            Event::PostToolBatch,
            &[(
                "results",
                json!([{"tool_name": "Bash", "tool_use_id": "toolu_1", "is_error": false}]),
            )],
            &[],
        ),
        plain(
            Event::TurnBoundary,
            &[],
            &[
                ("reason", json!("end_turn")),
                ("continues_so_far", json!(1)),
                ("voluntary", json!(true)),
            ],
        ),
        plain(
            Event::Stop,
            &[],
            &[
                ("stop_reason", json!("end_turn")),
                ("last_assistant_message", json!("done")),
                ("stop_hook_active", json!(true)),
                ("continues_so_far", json!(1)),
            ],
        ),
        plain(
            Event::SubagentStart,
            &[],
            &[("parent_session_id", json!("s0")), ("prompt", json!("look"))],
        ),
        plain(
            Event::SubagentStop,
            &[],
            &[
                ("parent_session_id", json!("s0")),
                ("last_assistant_message", json!("done")),
                ("stop_hook_active", json!(true)),
            ],
        ),
        plain(
            Event::AgentSwitch,
            &[("from_agent", json!("a")), ("to_agent", json!("b"))],
            &[("switch_kind", json!("handoff"))],
        ),
        plain(
            Event::PreCompact,
            &[("trigger", json!("auto"))],
            &[
                ("token_estimate", json!(9000)),
                ("threshold", json!(8000)),
                ("context_limit", json!(10_000)),
                ("custom_instructions", json!("keep the plan")),
            ],
        ),
        plain(
            Event::PostCompact,
            &[],
            &[
                ("tokens_before", json!(9000)),
                ("tokens_after", json!(900)),
                ("summary", json!("all of it")),
            ],
        ),
        plain(Event::MaxIterations, &[("max_iterations", json!(50))], &[]),
        plain(
            Event::Notification,
            &[("message", json!("hello"))],
            &[
                ("level", json!("info")),
                ("title", json!("t")),
                ("notification_type", json!("idle")),
            ],
        ),
        plain(
            Event::ConfigChange,
            &[("source", json!("project"))],
            &[("file_path", json!("/a/b"))],
        ),
        plain(
            Event::WorktreeCreate,
            &[("path", json!("/w"))],
            &[("branch", json!("b")), ("source_dir", json!("/s"))],
        ),
        plain(
            Event::RuntimeInput,
            &[
                ("input_id", json!("i1")),
                ("input_kind", json!("prompt")),
                ("outcome", json!("accepted")),
            ],
            &[
                ("handling_mode", json!("queue")),
                ("reason", json!("not_ready")),
                ("detail", json!("it stops")),
                ("runtime_state", json!("stopped")),
                ("existing_input_id", json!("i0")),
            ],
        ),
        plain(
            Event::PeerMessage,
            &[("direction", json!("in")), ("message_kind", json!("request"))],
            &[
                ("peer_id", json!("p1")),
                ("peer_name", json!("reviewer")),
                ("request_id", json!("r1")),
                ("sender_taint", json!("tainted")),
                ("envelope_id", json!("e1")),
                ("delivery", json!("acked")),
                ("interaction_id", json!("c1")),
                ("in_reply_to", json!("c0")),
            ],
        ),
        plain(
            Event::InteractionCompleted,
            &[("interaction_id", json!("c1")), ("result_text", json!("done"))],
            &[("structured_output", json!({"files": 2}))],
        ),
    ]
}
