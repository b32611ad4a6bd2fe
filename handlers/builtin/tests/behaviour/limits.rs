//! Promise: `limit` counts what it says, for whom it says, and then does what it says.

use std::time::Duration;

use hookgate_contract::payload::{PostLlmResponse, PreLlmRequest, ToolCall};
use hookgate_contract::{
    BuiltHandler, Envelope, Event, FailureClass, Handler, Invocation, StepContext, StepId, Verdict,
    VerdictDecision,
};
use serde_json::{Value, json};

use crate::support::{build, build_at, invoke, invoke_in, supports};

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
    let id = StepId::new(Some("step-1"), String::new);
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
