//! Contexts and verdicts across the border of a process, both ways.

use hookgate::envelope::Incoming;
use hookgate_agent_hooks::{AgentContext, AgentHooks, InterceptorVerdict};
use hookgate_contract::dialect::{Dialect, HostAnswer, HostDecision, ScriptOutput};
use hookgate_contract::{Answer, FailureClass, Reply, VerdictDecision};
use serde_json::{Map, Value, json};

use crate::support::{call, session};

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// Returns the verdict that a host of the standard reads in an answer.
fn verdict(answer: &HostAnswer) -> Value {
    assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""));
    InterceptorVerdict::from_json(answer.stdout.as_bytes()).unwrap();
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn a_decision_is_a_verdict_that_a_host_of_the_standard_reads() {
    let step = AgentHooks.read(None, call("ls")).unwrap();
    assert_eq!((step.event.name, step.event.ours), ("pre_tool_call", "pre_tool_use"));
    assert_eq!(step.envelope["tool_input"]["command"], "ls");
    Incoming::from_object(step.envelope.clone()).unwrap();
    let none = Map::new();
    let answer =
        |decision, reason| AgentHooks.answer(&step, &HostDecision::new(decision, reason, &none));
    assert_eq!(verdict(&answer(None, None)), json!({"decision": "allow"}));
    assert_eq!(
        verdict(&answer(Some(VerdictDecision::Deny), Some("force push"))),
        json!({"decision": "deny", "reason": "hookgate:denied", "message": "force push"})
    );
    let asked = verdict(&answer(Some(VerdictDecision::Ask), Some("sure?")));
    assert_eq!((&asked["decision"], &asked["approval"]), (&json!("deny"), &json!({})));
    let halted = answer(Some(VerdictDecision::Halt), None);
    assert_eq!((verdict(&halted)["decision"].clone(), halted.losses.len()), (json!("deny"), 1));

    let patch = object(json!({"tool_input": {"command": "ls -l"}}));
    let changed = AgentHooks.answer(&step, &HostDecision::new(None, None, &patch));
    assert_eq!(
        verdict(&changed)["transform"],
        json!({"path": "$target", "value": {"command": "ls -l"}})
    );
    let messages = ["look out".to_owned()];
    let warned = HostDecision::new(None, None, &none).texts(&[], &messages);
    assert_eq!(
        verdict(&AgentHooks.answer(&step, &warned))["warnings"],
        json!([{"message": "look out"}])
    );
    let supplied = Answer::new("42");
    let answered = HostDecision::new(None, None, &none).answer(Some(&supplied));
    assert_eq!(verdict(&AgentHooks.answer(&step, &answered))["decision"], "deny");
}

#[test]
fn what_a_verdict_cannot_say_is_a_deny_and_named() {
    let output = AgentHooks.read(None, session().output(json!("text"))).unwrap();
    let none = Map::new();
    let asked = HostDecision::new(Some(VerdictDecision::Ask), None, &none);
    let answer = AgentHooks.answer(&output, &asked);
    assert_eq!(verdict(&answer), json!({"decision": "deny", "reason": "hookgate:asks"}));
    assert_eq!(answer.losses.len(), 1);
    let request = AgentHooks.read(None, session().pre_model_call("m", &[])).unwrap();
    let patch = object(json!({"model": "other"}));
    let answer = AgentHooks.answer(&request, &HostDecision::new(None, None, &patch));
    assert_eq!((verdict(&answer)["decision"].clone(), answer.losses.len()), (json!("deny"), 1));
}

#[test]
fn what_cannot_be_read_is_refused_with_a_verdict() {
    let mut context = call("ls");
    context.remove("session");
    let error = AgentHooks.read(None, context).unwrap_err().to_string();
    assert!(error.contains("session"), "{error}");
    let refused = verdict(&AgentHooks.refuse(Some("pre_tool_call"), &error));
    assert_eq!(refused["decision"], "deny");
    assert!(refused["message"].as_str().unwrap().contains("session"));
}

#[test]
fn an_interceptor_is_asked_about_the_steps_of_any_agent() {
    let steps = [
        (json!({"hook_event_name": "run_started"}), "agent_startup"),
        (json!({"hook_event_name": "user_prompt_submit", "prompt": "hi"}), "input"),
        (
            json!({"hook_event_name": "pre_llm_request", "model": "m", "message_count": 3}),
            "pre_model_call",
        ),
        (
            json!({"hook_event_name": "post_llm_response", "assistant_text": "a", "tool_call_names": ["Bash"]}),
            "post_model_call",
        ),
        (
            json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": "ls"}}),
            "pre_tool_call",
        ),
        (
            json!({"hook_event_name": "post_tool_use_failure", "tool_name": "Bash", "tool_input": {}, "error": "e"}),
            "post_tool_call",
        ),
        (json!({"hook_event_name": "run_completed", "result_text": "r", "turns": 1}), "output"),
        (json!({"hook_event_name": "session_end", "reason": "clear"}), "agent_shutdown"),
    ];
    let mut last = 0;
    for (step, point) in steps {
        let mut step = object(step);
        step.insert("session_id".into(), json!("s-1"));
        let input = AgentHooks.write(&step).unwrap();
        let context = AgentContext::from_value(input.envelope).unwrap();
        assert_eq!((input.event.as_str(), context.session_id()), (point, "s-1"));
        assert!(context.sequence() >= last, "it rises");
        last = context.sequence();
    }
    assert!(AgentHooks.write(&object(json!({"hook_event_name": "notification"}))).is_err());
    // A step whose sender claims that it is another one is not asked about.
    let mut step = AgentHooks.read(None, call("rm")).unwrap().envelope;
    step.insert("hook_event_name".into(), json!("user_prompt_submit"));
    assert!(AgentHooks.write(&step).is_err());
}

#[test]
fn what_an_interceptor_answers_is_checked() {
    let step = AgentHooks.read(None, call("ls")).unwrap().envelope;
    let input = AgentHooks.write(&step).unwrap();
    let reply = |exit, answer: &str| -> Reply {
        AgentHooks.reply(&input, &ScriptOutput::new(exit, answer.as_bytes(), ""))
    };
    let parts = |answer| reply(0, answer).unwrap().into_parts().unwrap();
    let denied = parts(
        r#"{"verdict":{"decision":"deny","reason":"r","message":"m"},"extensions":{"acs":1}}"#,
    );
    assert_eq!(
        (denied.decision, denied.reason.as_deref()),
        (Some(VerdictDecision::Deny), Some("m (r)"))
    );
    let asked = parts(r#"{"decision":"deny","approval":{}}"#);
    assert_eq!(asked.decision, Some(VerdictDecision::Ask));
    let changed =
        parts(r#"{"decision":"transform","transform":{"path":"$target.command","value":"pwd"}}"#);
    assert_eq!(changed.patch["tool_input"], json!({"command": "pwd"}));
    assert!(changed.note.unwrap().contains("$target.command") && changed.decision.is_none());
    for (exit, answer, class) in [
        (0, "", FailureClass::Malformed),
        (0, "allow", FailureClass::Malformed),
        (0, r#"{"decision":"allow","decision":"deny"}"#, FailureClass::Malformed),
        (0, r#"{"decision":"transform","transform":{"path":"$target.x"}}"#, FailureClass::Illegal),
        (2, "", FailureClass::Exit),
        (1, r#"{"decision":"allow"}"#, FailureClass::Exit),
    ] {
        assert_eq!(reply(exit, answer).unwrap_err().class, class, "{exit} {answer}");
    }
}
