//! Promise: `limit` counts what it says, for whom it says, and then does what it says.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hookgate_builtin::Host;
use hookgate_contract::payload::{
    AnyPayload, PostLlmResponse, PostToolUse, PreLlmRequest, ToolCall,
};
use hookgate_contract::{
    BuiltHandler, Envelope, Event, FailureClass, Handler, Invocation, Reply, StepContext, StepId,
    Verdict, VerdictDecision,
};
use hookgate_store::StateDatabase;
use serde_json::{Map, Value, json};

use crate::support::{build, build_at, build_in, invoke, invoke_in, step_id, supports};

fn call() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "ls"}))
}

fn decision(verdict: &Verdict) -> Option<VerdictDecision> {
    verdict.parts().and_then(|parts| parts.decision)
}

#[test]
fn calls_are_counted_by_session_and_once_a_step() {
    let built = build("limit", &json!({"of": "calls", "over": 2})).unwrap();
    let step = |session, again| invoke_in(&built, &call(), session, again).unwrap();
    assert_eq!(
        [step("a", false), step("a", true), step("a", false)],
        [(); 3].map(|()| Verdict::none())
    );
    assert_eq!(step("a", false), Verdict::halt("the limit of 2 calls per session is reached"));
    assert_eq!(step("a", true), Verdict::halt("the limit of 2 calls per session is reached"));
    assert_eq!(step("b", false), Verdict::none());
}

fn at_turn(built: &BuiltHandler, turn: u64) -> Verdict {
    let (call, context) = (call(), StepContext::new("session-1").turn(turn));
    let id = step_id(false);
    let id = StepId::new(Some(&id), String::new);
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let Handler::Sync(handler) = &built.handler else { unreachable!() };
    handler.handle(Invocation::new("hook", &envelope)).unwrap()
}

#[test]
fn a_turn_begins_anew() {
    let settings = json!({"of": "calls", "over": 1, "per": "turn", "then": "deny"});
    let built = build("limit", &settings).unwrap();
    let turns = [1, 1, 2, 2, 2].map(|turn| decision(&at_turn(&built, turn)));
    let deny = Some(VerdictDecision::Deny);
    assert_eq!(turns, [None, deny, None, deny, deny]);
}

#[test]
fn a_window_moves_along() {
    let settings = json!({"of": "calls", "over": 2, "per": "1s", "then": "ask"});
    let built = build("limit", &settings).unwrap();
    let step = || decision(&invoke(&built, &call()).unwrap());
    assert_eq!([step(), step(), step()], [None, None, Some(VerdictDecision::Ask)]);
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(step(), None);
}

#[test]
fn time_runs_from_the_first_step() {
    let built = build("limit", &json!({"of": "time", "over": "50ms"})).unwrap();
    assert_eq!(invoke(&built, &call()).unwrap(), Verdict::none());
    std::thread::sleep(Duration::from_millis(60));
    let verdict = invoke(&built, &call()).unwrap();
    assert_eq!(verdict, Verdict::halt("the limit of 50ms per session is reached"));
    assert_eq!(invoke_in(&built, &call(), "b", false).unwrap(), Verdict::none());
}

fn response(usage: Value) -> PostLlmResponse {
    PostLlmResponse::new("fine", vec![]).usage(usage)
}

#[test]
fn tokens_are_those_that_the_provider_counts() {
    let events = [Event::PostLlmResponse, Event::PreLlmRequest];
    let built = build_at("limit", &json!({"of": "tokens", "over": 100}), &events).unwrap();
    for usage in [
        json!({"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 9}),
        json!({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}),
        json!({"promptTokenCount": 15, "candidatesTokenCount": 5}),
    ] {
        assert_eq!(invoke(&built, &response(usage)).unwrap(), Verdict::none());
        assert_eq!(invoke(&built, &PreLlmRequest::new("m", 1)).unwrap(), Verdict::none());
    }
    // 60 so far.
    assert_eq!(invoke(&built, &response(json!({"total_tokens": 40}))).unwrap(), Verdict::none());
    assert_eq!(invoke(&built, &PreLlmRequest::new("m", 1)).unwrap(), Verdict::none());
    let over = Verdict::halt("the limit of 100 tokens per session is reached");
    assert_eq!(invoke(&built, &response(json!({"total_tokens": 1}))).unwrap(), over);
    assert_eq!(invoke(&built, &PreLlmRequest::new("m", 1)).unwrap(), over);
}

#[test]
fn a_response_that_does_not_say_what_it_took_is_a_failure() {
    let built = build("limit", &json!({"of": "tokens", "over": 100})).unwrap();
    let failure = invoke(&built, &PostLlmResponse::new("", vec![])).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
    let broken = PostLlmResponse::new("", vec![]).error("overloaded");
    assert_eq!(invoke(&built, &broken).unwrap(), Verdict::none());
}

#[test]
fn the_decision_follows_where_it_is_known_and_the_reason_says_how_much() {
    let reason = "{{ used }} of {{ over }} in {{ session_id }}";
    let settings = json!({"of": "cost", "over": 0.5, "then": "ask", "reason": reason});
    let events = [Event::PostLlmResponse, Event::PreToolUse];
    let built = build_at("limit", &settings, &events).unwrap();
    assert_eq!(invoke(&built, &call()).unwrap(), Verdict::none());
    let spent = PostLlmResponse::new("", vec![]).cost(0.75);
    assert_eq!(invoke(&built, &spent).unwrap(), Verdict::none(), "nobody can be asked here");
    let asked = Verdict::ask("a cost of 0.75 of a cost of 0.5 in session-1");
    assert_eq!(invoke(&built, &call()).unwrap(), asked);
}

#[test]
fn a_limit_is_refused_where_it_could_not_act() {
    let names = |settings: Value| {
        let built = build("limit", &settings).unwrap();
        let fits = |event: &Event| supports(&built, event.contract());
        Event::NAMED.into_iter().filter(fits).map(Event::name).collect::<Vec<_>>()
    };
    let deny = names(json!({"of": "calls", "over": 1, "then": "deny"}));
    assert!(deny.contains(&"pre_tool_use") && !deny.contains(&"stop"));
    let halt = names(json!({"of": "calls", "over": 1, "then": "halt"}));
    assert!(halt.contains(&"stop") && !halt.contains(&"permission_request"));
    let ask = names(json!({"of": "calls", "over": 1, "then": "ask"}));
    assert_eq!(ask, ["user_prompt_submit", "pre_tool_use", "permission_request", "config_change"]);
    assert!(names(json!({"of": "cost", "over": 1, "then": "ask"})).contains(&"post_llm_response"));
}

#[test]
fn wrong_settings_say_what_to_write() {
    let wrong = |settings: Value| build_at("limit", &settings, &[Event::PreToolUse]).unwrap_err();
    assert_eq!(wrong(json!({})), "`of` is missing; `over` is missing");
    assert!(wrong(json!({"of": "call", "over": 1})).contains("did you mean `calls`?"));
    assert!(wrong(json!({"of": "calls", "over": 0})).starts_with("`over`: must be 1 or more"));
    assert!(wrong(json!({"of": "calls", "over": "1m"})).contains("must be an integer"));
    assert!(wrong(json!({"of": "time", "over": 5})).contains("must be a duration"));
    assert!(wrong(json!({"of": "cost", "over": -1.5})).contains("a number above 0"));
    assert!(wrong(json!({"of": "time", "over": "5m", "per": "1h"})).contains("per `session`"));
    assert!(
        wrong(json!({"of": "calls", "over": 5, "per": "trun"})).contains("`turn` or a duration")
    );
    assert!(wrong(json!({"of": "tokens", "over": 5})).contains("add that to `event`"));
    let reason = json!({"of": "calls", "over": 5, "reason": "{{ usd }}"});
    assert!(wrong(reason).contains("`used`, `over`, `effect`"));
}

/// A home in a folder, as a process of its own has it.
fn host_in(folder: &std::path::Path) -> Host {
    Host::new().state(Arc::new(StateDatabase::new(folder).part("sessions")))
}

/// Each builtin that counts or remembers, and the settings of one that lets one step pass.
#[test]
fn what_is_counted_in_a_home_outlives_the_process_and_is_never_zero() {
    let result = |text: &str| PostToolUse::new(call(), text.repeat(1000));
    let settings = [
        ("limit", json!({"of": "calls", "over": 1, "then": "deny"})),
        ("limit", json!({"of": "calls", "over": 1, "per": "1h", "then": "deny"})),
        ("limit", json!({"of": "calls", "over": 1, "per": "turn", "then": "deny"})),
        ("max_iterations", json!({"limit": 1})),
        ("elide_repeated_tool_results", json!({})),
    ];
    for (name, settings) in settings {
        let folder = tempfile::tempdir().unwrap();
        let step = || {
            let built =
                build_in(name, &settings, &[], Path::new("/"), &host_in(folder.path())).unwrap();
            assert!(built.keeps_state, "{name}");
            let answer = match name {
                "elide_repeated_tool_results" => invoke(&built, &result("a")),
                _ => invoke(&built, &call()),
            };
            answer.map(|verdict| verdict.parts().is_some())
        };
        assert_eq!((step(), step(), step()), (Ok(false), Ok(true), Ok(true)), "{name} {settings}");
        std::fs::remove_file(folder.path().join("state.db")).unwrap();
        let failure = step().unwrap_err();
        assert_eq!((failure.class, failure.is_shown), (FailureClass::State, true), "{name}");
    }
}

#[test]
fn the_cost_is_read_wherever_hosts_write_it() {
    let events = [Event::PostLlmResponse, Event::PreLlmRequest];
    for usage in [
        json!({"cost": 0.75}),
        json!({"total_cost": 0.75, "prompt_tokens": 3}),
        json!({"cost_usd": 0.75}),
        json!({"total_cost_usd": 0.75}),
        json!({"costUSD": 0.75}),
    ] {
        let of = json!({"of": "cost", "over": 0.5, "then": "deny"});
        let built = build_at("limit", &of, &events).unwrap();
        assert!(invoke(&built, &response(usage.clone())).unwrap().parts().is_some(), "{usage}");
        // Beside `usage`, where it is a fact of the host.
        let built = build_at("limit", &of, &events).unwrap();
        let response = PostLlmResponse::new("", vec![]);
        let verdict = invoke_with(&built, &response, usage.as_object().unwrap()).unwrap();
        assert!(verdict.parts().is_some(), "{usage}");
    }
    let built = build_at("limit", &json!({"of": "cost", "over": 0.5}), &events).unwrap();
    let failure = invoke(&built, &response(json!({"prompt_tokens": 3}))).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
}

fn invoke_with(built: &BuiltHandler, payload: &dyn AnyPayload, host: &Map<String, Value>) -> Reply {
    let context = StepContext::new("session-1").host(host);
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    match &built.handler {
        Handler::Sync(handler) => handler.handle(Invocation::new("hook", &envelope)),
        Handler::Async(_) => panic!("it answers at once"),
    }
}

#[test]
fn a_transcript_that_never_comes_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let host = json!({"transcript_path": folder.path().join("session.jsonl")});
    let events = [Event::PostLlmResponse, Event::PreToolUse];
    let settings = json!({"of": "tokens", "over": 100, "then": "deny"});
    let built = build_at("limit", &settings, &events).unwrap();
    let call = || {
        let said = invoke_with(&built, &call(), host.as_object().unwrap());
        said.map(|_| ()).map_err(|failure| failure.class)
    };
    for _ in 0..10 {
        assert_eq!(call(), Ok(()), "calls of one response may run side by side");
    }
    assert_eq!([call(), call()], [Err(FailureClass::Unclear); 2]);
}

#[test]
fn a_coding_agent_is_limited_by_its_transcript() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("session.jsonl");
    let line = |id: &str, tokens: u64| {
        format!(
            "{{\"type\":\"assistant\",\"message\":{{\"id\":\"{id}\",\"role\":\"assistant\",\"usage\":{{\"input_tokens\":{tokens}}}}}}}\n"
        )
    };
    let host = json!({"transcript_path": file});
    let events = [Event::PostLlmResponse, Event::PreToolUse];
    let built =
        build_at("limit", &json!({"of": "tokens", "over": 100, "then": "deny"}), &events).unwrap();
    let stopped = |host: &Value| {
        invoke_with(&built, &call(), host.as_object().unwrap())
            .map(|verdict| verdict.parts().is_some())
            .map_err(|failure| failure.class)
    };
    assert_eq!(stopped(&host), Ok(false), "nothing was written yet");
    std::fs::write(&file, line("a", 60)).unwrap();
    assert_eq!([stopped(&host), stopped(&host)], [Ok(false), Ok(false)], "it is not added twice");
    std::fs::write(&file, line("a", 60) + &line("b", 60)).unwrap();
    assert_eq!(stopped(&host), Ok(true));
    // Who cuts it, empties it or takes it away has used no less.
    for less in [line("a", 1), String::new()] {
        std::fs::write(&file, less).unwrap();
        assert_eq!(stopped(&host), Err(FailureClass::State));
    }
    std::fs::remove_file(&file).unwrap();
    assert_eq!(stopped(&host), Err(FailureClass::State));
    std::fs::write(&file, line("c", 130)).unwrap();
    assert_eq!(stopped(&host), Ok(true));
    std::fs::write(&file, "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\"}}\n")
        .unwrap();
    assert_eq!(stopped(&host), Err(FailureClass::Unclear));
    assert_eq!(stopped(&json!({"transcript_path": null})), Err(FailureClass::Unclear));
    assert_eq!(stopped(&json!({"transcript_path": ""})), Err(FailureClass::Unclear));
    assert_eq!(stopped(&json!({"team": "a"})), Ok(true), "a host that counts each response");
}
