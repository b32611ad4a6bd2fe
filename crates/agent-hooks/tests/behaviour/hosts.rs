//! Interceptors and the guards of hookgate in one table.

use std::sync::Arc;
use std::time::Duration;

use hookgate::{Event, Hook, Role, Verdict};
use hookgate_agent_hooks::{
    AgentContext, EnforcementMode, Host, Interception, Interceptor, InterceptorFailed,
    Interceptors, Profile, WireDecision,
};
use hookgate_test_support::{Log, command};
use serde_json::{Value, json};

use crate::support::{Says, at_tool_calls, call, engine, host, logged, reason, session};

fn allow() -> Value {
    json!({"decision": "allow"})
}

#[tokio::test]
async fn a_guard_of_hookgate_judges_what_an_interceptor_has_written() {
    let log = Log::default();
    let guard = {
        let log = log.clone();
        Hook::sync("guard", move |call| {
            log.push(format!("guard {}", command(call)));
            Ok(if command(call).contains("--force") {
                Verdict::deny("force")
            } else {
                Verdict::none()
            })
        })
        .event(Event::PreToolUse)
    };
    let push = json!({"decision": "transform", "transform": {"path": "$target.command", "value": "git push --force"}});
    let interceptors = Interceptors::new(Profile::FirstDeny)
        .register("first", logged("first", log.clone(), allow()))
        .register("second", logged("second", log.clone(), push));
    let host = Host::with(engine(&interceptors, [guard.build()]), &interceptors);
    let blocked = host.emit(call("git push")).await.permitted().unwrap_err();
    // The guard is asked again about the final bytes, an interceptor is asked once.
    assert_eq!(
        log.take(),
        [
            "guard git push",
            r#"first {"command":"git push"}"#,
            r#"second {"command":"git push"}"#,
            "guard git push --force",
        ]
    );
    assert_eq!(reason(&blocked), "hookgate: force (by guard)");
    assert_eq!((blocked.record.decided_by, blocked.record.verdicts.len()), (None, 2));
}

#[tokio::test(start_paused = true)]
async fn each_failure_of_an_interceptor_is_a_deny_with_its_reason() {
    struct Slow;
    impl Interceptor for Slow {
        fn intercept<'a>(&'a self, _: &'a AgentContext) -> Interception<'a> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(60)).await;
                Ok(json!({"decision": "allow"}))
            })
        }
    }
    let blocked = host(Slow).emit(call("ls")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:interceptor_timeout");
    let fails = |_: &AgentContext| Err(InterceptorFailed("no policy is loaded".to_owned()));
    let panics = |_: &AgentContext| -> Result<Value, InterceptorFailed> { panic!("a defect") };
    for (blocked, why) in [
        (host(Says(fails)).emit(call("ls")).await, "host_error:interceptor_failed"),
        (host(Says(panics)).emit(call("ls")).await, "host_error:interceptor_failed"),
        (host(at_tool_calls(json!("yes"))).emit(call("ls")).await, "host_error:verdict_invalid"),
        (
            host(at_tool_calls(json!({"decision": "deny", "reason": "host_error:x"})))
                .emit(call("ls"))
                .await,
            "host_error:verdict_invalid",
        ),
    ] {
        let blocked = blocked.permitted().unwrap_err();
        assert_eq!((reason(&blocked), blocked.record.decided_by), (why, Some(0)));
    }
}

#[tokio::test]
async fn a_change_that_cannot_be_made_is_a_deny_and_ends_the_calls_even_under_run_all() {
    for (change, why) in [
        (json!({"path": "$target.none", "value": 1}), "host_error:transform_invalid"),
        (json!({"path": "$target..x", "value": 1}), "host_error:transform_invalid"),
        (json!({"path": "$session.id", "value": 1}), "host_error:transform_target_forbidden"),
        (
            json!({"path": "$target.command", "value": 9_007_199_254_740_993_u64}),
            "host_error:context_invalid",
        ),
    ] {
        let log = Log::default();
        let change = json!({"decision": "transform", "transform": change});
        let interceptors = Interceptors::new(Profile::RunAll)
            .register("changes", at_tool_calls(change))
            .register("later", logged("later", log.clone(), allow()));
        let host = Host::with(engine(&interceptors, []), &interceptors);
        let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
        assert_eq!((reason(&blocked), log.take().len()), (why, 0));
        let record = blocked.record;
        assert_eq!((record.decided_by, record.fold_truncated), (None, Some(true)));
    }
}

#[tokio::test]
async fn only_the_content_of_an_answer_can_be_changed() {
    let says = |change: Value| {
        host(Says(move |context: &AgentContext| {
            Ok(match context.point().may_transform() {
                true => json!({"decision": "transform", "transform": change.clone()}),
                false => json!({"decision": "allow"}),
            })
        }))
    };
    let input = || session().input(json!("secret"), "user");
    let content = says(json!({"path": "$target.content", "value": "hidden"}));
    let permitted = content.emit(input()).await.permitted().unwrap();
    assert_eq!(permitted["input"], json!({"content": "hidden", "role": "user"}));
    assert_eq!(permitted["target"], permitted["input"]);
    for refused in [
        json!({"path": "$target.role", "value": "system"}),
        json!({"path": "$target", "value": "text"}),
        json!({"path": "$target.content", "value": {"not": "a text"}}),
    ] {
        let blocked = says(refused).emit(input()).await.permitted().unwrap_err();
        assert_eq!(reason(&blocked), "host_error:transform_invalid");
    }
    // Of an object any part can.
    let object = session().output(json!({"parts": [{"text": "secret"}]}));
    let part = says(json!({"path": "$target.content.parts[0].text", "value": "hidden"}));
    let permitted = part.emit(object).await.permitted().unwrap();
    assert_eq!(permitted["output"]["content"], json!({"parts": [{"text": "hidden"}]}));
}

#[tokio::test]
async fn the_result_of_a_tool_that_failed_can_be_changed_and_withheld() {
    let failed = || session().post_tool_call("1", "Bash", json!({}), json!("password: x"), true);
    let says = |verdict: Value| {
        host(Says(move |context: &AgentContext| {
            Ok(match context.point().name() {
                "post_tool_call" => verdict.clone(),
                _ => json!({"decision": "allow"}),
            })
        }))
    };
    let hides =
        json!({"decision": "transform", "transform": {"path": "$target", "value": "hidden"}});
    let permitted = says(hides).emit(failed()).await.permitted().unwrap();
    assert_eq!(permitted["tool_result"], json!({"value": "hidden", "is_error": true}));
    let denies = says(json!({"decision": "deny", "reason": "leaks"}));
    assert_eq!(reason(&denies.emit(failed()).await.permitted().unwrap_err()), "leaks");
}

#[tokio::test]
async fn a_table_that_lacks_an_interceptor_or_ends_calls_elsewhere_lets_nothing_pass() {
    let interceptors =
        Interceptors::new(Profile::FirstDeny).register("one", at_tool_calls(allow()));
    // The table was made without it.
    let guard = Hook::sync("guard", |_| Ok(Verdict::allow())).event(Event::PreToolUse);
    let others = Interceptors::new(Profile::FirstDeny);
    let host = Host::with(engine(&others, [guard.build()]), &interceptors);
    let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:interceptor_failed");
    // The table is one of the other profile.
    let host = Host::with(engine(&interceptors, []), &interceptors).profile(Profile::RunAll);
    let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:context_invalid");
    assert!(blocked.record.verdict.message.unwrap().contains("stop_at = \"halt\""));
    // There is no interceptor at all, but a guard: the point is guarded.
    let guard = Hook::sync("guard", |_| Ok(Verdict::allow())).event(Event::PreToolUse);
    let host = Host::with(engine(&others, [guard.build()]), &others);
    assert!(host.emit(call("ls")).await.permitted().is_ok());
    let blocked = host.emit(session().input(json!("hi"), "user")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:no_interceptor");
}

#[tokio::test]
async fn a_table_that_is_swapped_for_one_without_guards_denies() {
    let interceptors =
        Interceptors::new(Profile::FirstDeny).register("one", at_tool_calls(allow()));
    let engine = engine(&interceptors, []);
    let host = Host::with(Arc::clone(&engine), &Interceptors::new(Profile::FirstDeny));
    let mut empty = hookgate::HandlerTable::builder();
    empty.limits(hookgate::table::Limits::new().stop_at(Profile::FirstDeny.stop_at()));
    engine.swap(empty.build().unwrap());
    let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:no_interceptor");
}

#[tokio::test]
async fn what_is_only_evaluated_is_recorded_and_changes_nothing() {
    let log = Log::default();
    let change = json!({"decision": "transform", "transform": {"path": "$target.command", "value": "other"}});
    let denies = json!({"decision": "deny", "reason": "would", "warnings": [{"reason": "w"}]});
    let interceptors = Interceptors::new(Profile::FirstDeny)
        .mode(EnforcementMode::EvaluateOnly)
        .register("changes", logged("changes", log.clone(), change))
        .register("denies", logged("denies", log.clone(), denies));
    let host = Host::with(engine(&interceptors, []), &interceptors);
    let emission = host.emit(call("ls")).await;
    let record = emission.record().clone();
    assert_eq!(emission.permitted().unwrap()["tool_call"]["args"], json!({"command": "ls"}));
    assert_eq!(log.take(), [r#"changes {"command":"ls"}"#, r#"denies {"command":"ls"}"#]);
    assert_eq!((record.verdict.decision, record.decided_by), (WireDecision::Deny, Some(1)));
    assert_eq!(record.verdict.warnings.len(), 1, "a hook in shadow says all that it would say");
    assert_eq!(record.input_identity, record.enforced_identity);
    // A guard of hookgate itself still counts.
    let guard = Hook::sync("guard", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    let host = Host::with(engine(&interceptors, [guard.build()]), &interceptors);
    assert!(host.emit(call("ls")).await.permitted().is_err());
}

#[tokio::test]
async fn warnings_of_all_and_labels_of_those_who_permit_are_united() {
    let says = |decision: &str, warning: &str, label: &str| json!({"decision": decision, "warnings": [{"reason": warning}, {"reason": "same"}], "result_labels": [label, "same"]});
    let united = async |third: &str| {
        let interceptors = Interceptors::new(Profile::RunAll)
            .register("a", at_tool_calls(says("allow", "w1", "l1")))
            .register("b", at_tool_calls(says("allow", "w2", "l2")))
            .register("c", at_tool_calls(says(third, "w3", "l3")));
        let host = Host::with(engine(&interceptors, []), &interceptors);
        let verdict = host.emit(call("ls")).await.record().verdict.clone();
        let warnings: Vec<_> =
            verdict.warnings.into_iter().map(|warning| warning.reason.unwrap()).collect();
        (warnings.join(" "), verdict.result_labels.join(" "))
    };
    assert_eq!(united("allow").await, ("w1 same w2 w3".into(), "l1 same l2 l3".into()));
    assert_eq!(united("deny").await, ("w1 same w2 w3".into(), String::new()));
}

#[tokio::test]
async fn what_the_standard_has_no_word_for_does_not_pass() {
    let interceptors =
        Interceptors::new(Profile::FirstDeny).register("one", at_tool_calls(allow()));
    let rewriter = |hook: Hook| hook.role(Role::Rewrite).build();
    let answers =
        Hook::sync("answers", |_| Ok(Verdict::none().answer("42", false))).event(Event::PreToolUse);
    let host = Host::with(engine(&interceptors, [rewriter(answers)]), &interceptors);
    let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
    assert!(reason(&blocked).starts_with("hookgate: a hook supplied the result"));
    let tokens = Hook::sync("tokens", |_| Ok(Verdict::none().patch("max_tokens", 5)))
        .event(Event::PreLlmRequest);
    let host = Host::with(engine(&interceptors, [rewriter(tokens)]), &interceptors);
    let blocked = host.emit(session().pre_model_call("m", &[])).await.permitted().unwrap_err();
    assert!(blocked.record.verdict.message.unwrap().contains("max_tokens"));
}
