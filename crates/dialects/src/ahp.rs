//! AHP, the Agent Hooks Protocol: JSON-RPC between an agent (the harness) and a backend that judges.
//!
//! ```toml
//! http = { url = "https://policy.example.com/ahp", dialect = "ahp" }
//! ```
//!
//! The protocol is a draft, and this is the part of it on which its revisions agree: a call of a tool may be
//! denied (`tool.before`). A request names the effects that are obeyed, and deny is the only one here, so a
//! backend that returns another has broken the protocol.

use std::time::SystemTime;

use hookgate_contract::Reply;
use hookgate_contract::VerdictDecision::Deny;
use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, ScriptInput,
    ScriptOutput,
};
use hookgate_contract::json::JsonType;
use serde_json::{Map, Value, json};

use crate::agent_dialect::{AgentDialect, any_tool};
use crate::places::{Field, Places, by_table};
use crate::pointer;
use crate::script_verdict::{Printed, Said, crashed, text};
use crate::wire::Plan;
use crate::wire::reply::malformed;

/// Its name for people.
const TITLE: &str = "AHP";

/// The revision that requests and answers name.
const VERSION: &str = "draft";

const EVENT_TYPE: &str = "/params/event/type";
const EVENT_ID: &str = "/params/event/id";
const INPUT: &str = "/params/event/tool/input";

static EVENTS: &[HostEvent] = &[HostEvent::new("tool.before", "pre_tool_use", &[HostEffect::Deny])
    .on_deny("the tool does not run")
    .note(
        "It cannot ask or change arguments: the call is denied. What a backend that fails counts as is \
         for the harness to say.",
    )];

const PLACES: Places = Places {
    event_key: "method",
    header: &[
        Field::at("session_id", "/params/event/session/id", JsonType::Text),
        Field::at("cwd", "/params/event/session/cwd", JsonType::Text),
    ],
    fields: |_, _| {
        const {
            &[
                Field::at("tool_name", "/params/event/tool/name", JsonType::Text).required(),
                Field::at("tool_input", INPUT, JsonType::Object).required(),
                Field::at("tool_use_id", "/params/event/call/id", JsonType::Text),
            ]
        }
    },
    ours: by_table,
    facts: &[],
};

/// The form of AHP.
pub static DIALECT: AgentDialect = AgentDialect {
    name: "ahp",
    title: TITLE,
    events: EVENTS,
    tools: &[],
    calls_tool: any_tool,
    read,
    answer,
    refuse: HostAnswer::refusal,
    write,
    reply,
};

fn read(
    dialect: &AgentDialect,
    event: Option<&str>,
    envelope: Map<String, Value>,
) -> Result<HostStep, DialectError> {
    let named = pointer::get(&envelope, EVENT_TYPE).and_then(Value::as_str);
    let name = named.or(event).ok_or(DialectError::NoEvent { field: "params.event.type" })?;
    let event = dialect
        .event(name)
        .ok_or_else(|| DialectError::UnknownEvent { agent: TITLE, name: name.to_owned() })?;
    PLACES.read(event, envelope)
}

fn answer(step: &HostStep, decision: &HostDecision<'_>) -> HostAnswer {
    let plan = Plan::new(TITLE, step, decision);
    let effects =
        if plan.refuses() { json!([{ "type": "deny", "reason": plan.reason }]) } else { json!([]) };
    let id = step.native.get("id").or_else(|| pointer::get(&step.native, EVENT_ID));
    let result = json!({ "protocolVersion": VERSION, "effects": effects });
    plan.json(Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })))
}

fn write(
    dialect: &AgentDialect,
    envelope: &Map<String, Value>,
) -> Result<ScriptInput, DialectError> {
    let event = Places::event_of(dialect, envelope)?;
    let mut native = PLACES.write(event, envelope);
    native.insert("method".to_owned(), "hooks/intercept".into());
    let id = envelope.get("step_id").cloned().unwrap_or_default();
    let id = pointer::get(&native, EVENT_ID).cloned().unwrap_or(id);
    let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
    for (place, value) in [
        ("/jsonrpc", json!("2.0")),
        ("/id", id.clone()),
        ("/params/protocolVersion", VERSION.into()),
        (EVENT_ID, id),
        ("/params/event/source", "urn:hookgate".into()),
        (EVENT_TYPE, event.name.into()),
        ("/params/event/time", time.into()),
        ("/params/event/tool/origin", "native".into()),
        ("/params/event/path", "native".into()),
        ("/params/capabilities/effects", json!(["deny"])),
    ] {
        if pointer::get(&native, place).is_none() {
            pointer::put(&mut native, place, value);
        }
    }
    Ok(ScriptInput::new(event.name, Value::Object(native)))
}

fn reply(_: &HostEvent, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
    if output.exit != 0 {
        return Err(crashed(output));
    }
    let wrong = |detail: &str| malformed(detail, output.stdout);
    let Printed::Object(answer) = Printed::read(output.stdout)? else {
        return Err(wrong("the answer is no JSON-RPC response"));
    };
    if answer.get("id") != input.envelope.get("id") {
        return Err(wrong("the response has the id of another request"));
    }
    let effects = effects(&answer).map_err(|detail| wrong(&detail))?;
    let mut said = Said::default();
    match effects {
        [] => {}
        [effect] => said.decide(Deny, Some(denial(effect).map_err(wrong)?)),
        _ => return Err(wrong("there is more than one effect")),
    }
    said.verdict("pre_tool_use", output.stdout)
}

/// Returns the effects of a response, or what is wrong with it.
fn effects(answer: &Map<String, Value>) -> Result<&[Value], String> {
    if let Some(error) = answer.get("error") {
        let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
        return Err(format!("the backend answered with an error: {message}"));
    }
    let result = answer.get("result").ok_or("the response has no `result`")?;
    let effects = result.get("effects").and_then(Value::as_array);
    Ok(effects.ok_or("`effects` of the result is no list")?.as_slice())
}

/// Returns the reason of the only effect that the request has allowed.
fn denial(effect: &Value) -> Result<&str, &'static str> {
    let effect = effect.as_object().ok_or("an effect is no object")?;
    if text(effect, "type") != Some("deny") {
        return Err("the backend returned an effect that the request does not name");
    }
    let reason = text(effect, "reason").filter(|reason| !reason.trim().is_empty());
    reason.ok_or("a deny needs a `reason`")
}
