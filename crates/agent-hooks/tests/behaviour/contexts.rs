//! What a context is, and that it comes back from the engine as it went in.

use hookgate::Engine;
use hookgate::table::Limits;
use hookgate_agent_hooks::{AgentContext, ContextError, Host, Profile};
use serde_json::{Map, Value, json};

use crate::support::{call, session};

/// Contexts of all points, with contents of every type and with members that no event has a field for.
fn samples() -> Vec<Map<String, Value>> {
    let session = session()
        .with("extensions", json!({"acs": {"deep": [1, {"a": null}]}}))
        .with("trace", json!({"trace_id": "t", "span_id": "s", "more": 1}));
    let contents = [json!("text"), json!(""), json!({"parts": [1, "two"]}), json!([]), json!(null)];
    let mut samples = vec![session.agent_startup(&["a", "b"]), session.agent_startup(&[])];
    for content in &contents {
        samples.push(session.input(content.clone(), "external"));
        let calls = [
            json!({"id": "1", "name": "Bash", "args": {"x": 1.5}}),
            json!({"name": "b", "args": {}}),
        ];
        samples.push(session.post_model_call("m", content.clone(), &calls, "tool_calls"));
        samples.push(session.post_tool_call("1", "Bash", json!({"x": 1}), content.clone(), false));
        samples.push(session.post_tool_call("1", "Bash", json!({"x": 1}), content.clone(), true));
        samples.push(session.output(content.clone()));
    }
    samples.push(session.pre_model_call("m", &[json!({"role": "user", "content": {"a": 1}})]));
    samples.push(session.pre_tool_call("1", "mcp__x__y", json!({"a": [true, {"b": "c"}]})));
    samples
        .extend(["completed", "error", "cancelled"].map(|reason| session.agent_shutdown(reason)));
    samples
}

#[tokio::test]
async fn what_no_hook_has_changed_is_permitted_as_it_was() {
    let limits = Limits::new().stop_at(Profile::FirstDeny.stop_at());
    let allow = hookgate::Hook::sync("allow", |_| Ok(hookgate::Verdict::allow()));
    let deciding = hookgate::Event::NAMED.into_iter().filter(|event| event.contract().deny());
    let hook = deciding.fold(allow, hookgate::Hook::event);
    let table = hookgate::HandlerTable::builder().limits(limits).insert(hook).build().unwrap();
    let host = Host::new(Engine::new(table), &[]);
    for sample in samples() {
        let emission = host.emit(sample.clone()).await;
        let record = emission.record().clone();
        if sample["interception_point"] == "agent_shutdown" {
            assert_eq!(record.verdict.reason.as_deref(), Some("host_error:no_interceptor"));
        }
        assert_eq!(record.input_identity, record.enforced_identity);
        assert_eq!(emission.permitted().unwrap(), sample);
    }
}

#[tokio::test]
async fn what_is_no_context_is_denied_and_recorded_and_nobody_is_asked() {
    let host = crate::support::host(crate::support::Says(|_: &AgentContext| panic!("asked")));
    let broken = |change: fn(&mut Map<String, Value>)| {
        let mut context = call("ls");
        change(&mut context);
        context
    };
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let mut nested = call("ls");
    nested.insert("extensions".into(), json!({"x": deep}));
    for context in [
        Map::new(),
        nested,
        broken(|context| drop(context.remove("session"))),
        broken(|context| drop(context.insert("sequence".into(), json!(-1)))),
        broken(|context| drop(context.insert("spec".into(), json!("agent-hooks/x.1")))),
        broken(|context| drop(context.insert("interception_point".into(), json!("other")))),
        broken(|context| {
            drop(context.insert("agent".into(), json!({"id": "a", "framework": "A B"})))
        }),
        broken(|context| drop(context.insert("target".into(), json!({"command": "another"})))),
        broken(|context| drop(context.insert("tool_call".into(), json!({"id": "1", "args": {}})))),
    ] {
        let emission = host.emit(context).await;
        let record = emission.record();
        assert_eq!(record.verdict.reason.as_deref(), Some("host_error:context_invalid"));
        assert_eq!((&record.input_identity, &record.enforced_identity), (&None, &None));
        assert!(record.verdicts.is_empty() && record.decided_by.is_none());
        assert!(emission.report().is_none() && emission.permitted().is_err());
    }
}

#[test]
fn a_target_that_is_another_value_than_the_action_is_refused() {
    let mut context = call("ls");
    context.insert("target".into(), json!({"command": "rm"}));
    assert_eq!(
        AgentContext::new(context).unwrap_err(),
        ContextError::Target("tool_call.args".to_owned())
    );
}

#[tokio::test]
async fn a_number_that_two_readers_see_as_two_is_denied_before_anyone_is_asked() {
    let host = crate::support::host(crate::support::Says(|_: &AgentContext| panic!("asked")));
    let context = session().pre_tool_call("1", "Bash", json!({"id": 9_007_199_254_740_993_u64}));
    let blocked = host.emit(context).await.permitted().unwrap_err();
    assert_eq!(crate::support::reason(&blocked), "host_error:context_invalid");
    assert!(!format!("{blocked:?}").contains("9007199254740993"), "the number is not repeated");
}
