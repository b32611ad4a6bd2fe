//! Promise: a service that was written for an agent is asked and answers in the form of that agent.

use std::path::Path;
use std::sync::Arc;

use hookgate_contract::dialect::{
    Dialect, DialectError, HostAnswer, HostDecision, HostEvent, HostStep, ScriptInput, ScriptOutput,
};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{BuildContext, BuiltHandler, Event, Failure, FailureClass, Reply, Verdict};
use serde_json::{Map, Value, json};

use crate::kit::{Mode, OUTPUT, Service, failed, http, invoke, settings};

static EVENTS: [HostEvent; 1] = [HostEvent::new("BeforeTool", "pre_tool_use", &[])];

/// An agent whose hooks read the name of the tool and answer with a word.
#[derive(Debug)]
struct Terse;

impl Dialect for Terse {
    fn name(&self) -> &'static str {
        "terse"
    }

    fn title(&self) -> &'static str {
        "Terse"
    }

    fn events(&self) -> &'static [HostEvent] {
        &EVENTS
    }

    fn read(&self, _: Option<&str>, _: Map<String, Value>) -> Result<HostStep, DialectError> {
        Err(DialectError::NoEvent { field: "event" })
    }

    fn answer(&self, _: &HostStep, _: &HostDecision<'_>) -> HostAnswer {
        HostAnswer::silent()
    }

    fn write(&self, envelope: &Map<String, Value>) -> Result<ScriptInput, DialectError> {
        let event = envelope["hook_event_name"].as_str().unwrap().to_owned();
        if event != "pre_tool_use" {
            return Err(DialectError::NoCounterpart { agent: "Terse", event });
        }
        Ok(ScriptInput::new("BeforeTool", json!({"tool": envelope.get("tool_name")})))
    }

    fn reply(&self, input: &ScriptInput, output: &ScriptOutput<'_>) -> Reply {
        match output.stdout {
            b"no" => Ok(Verdict::deny(format!("no {}", input.envelope["tool"]))),
            b"" => Ok(Verdict::none()),
            _ => Err(Failure::new(FailureClass::Malformed, "neither no nor nothing")),
        }
    }

    fn asks_once(&self) -> bool {
        true
    }
}

fn build(settings: &Value, events: &[Event]) -> Result<BuiltHandler, Vec<String>> {
    let node = Node::from_json(settings);
    let mut reader = Settings::new(&node);
    let dialects: [Arc<dyn Dialect>; 1] = [Arc::new(Terse)];
    let context = BuildContext::new(Path::new(""), OUTPUT).at(events).speaking(&dialects);
    let built = http().build(&mut reader, &context);
    let errors: Vec<_> = reader.finish().iter().map(ToString::to_string).collect();
    built.filter(|_| errors.is_empty()).ok_or(errors)
}

async fn answered(mode: Mode) -> (Reply, Value) {
    let service = Service::start(mode).await;
    let settings = settings(&service, &json!({"dialect": "terse"}));
    let built = build(&settings, &[Event::PreToolUse]).unwrap();
    assert!(built.once, "the protocol asks once");
    let reply = invoke(&built).await;
    let body = service.requests().remove(0).body;
    (reply, serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn it_is_asked_and_answers_in_that_form() {
    let (reply, body) = answered(Mode::Verdict("no".to_owned())).await;
    assert_eq!(body, json!({"tool": "Bash"}));
    assert_eq!(reply.unwrap(), Verdict::deny("no \"Bash\""));
    // What silence means is for the agent to say.
    let (reply, _) = answered(Mode::Verdict(String::new())).await;
    assert_eq!(reply.unwrap(), Verdict::none());
    // A verdict of hookgate is nothing that this agent knows.
    let (reply, _) = answered(Mode::Verdict(r#"{"decision":"allow"}"#.to_owned())).await;
    assert_eq!(failed(reply).0, FailureClass::Malformed);
}

#[tokio::test]
async fn what_is_no_answer_of_the_service_is_a_failure_as_ever() {
    let (reply, _) = answered(Mode::Status(500, "", "no".to_owned())).await;
    assert_eq!(failed(reply).0, FailureClass::HttpStatus);
    let (reply, _) = answered(Mode::WrongLength("no")).await;
    assert_eq!(failed(reply).0, FailureClass::Malformed);
}

#[test]
fn a_dialect_that_is_not_known_or_has_no_such_event_is_a_mistake() {
    let http = |dialect: &str| json!({"url": "http://127.0.0.1:1/", "allow_loopback": ["127.0.0.1:1"], "dialect": dialect});
    let unknown = build(&http("ters"), &[Event::PreToolUse]).unwrap_err();
    assert_eq!(unknown, ["`dialect`: `ters` is not one of terse; did you mean `terse`?"]);
    let lacking = build(&http("terse"), &[Event::PreToolUse, Event::Stop]).unwrap_err();
    assert_eq!(lacking, ["`dialect`: Terse has no event for `stop`"]);
}
