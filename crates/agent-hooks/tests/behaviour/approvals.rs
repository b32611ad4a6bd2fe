//! An approver lifts a deny, for what was shown and no other.

use std::sync::{Arc, Mutex};

use hookgate::{Engine, Event, Hook, Verdict};
use hookgate_agent_hooks::{
    AgentContext, ApprovalRequest, ApprovalResolver, Host, Interceptors, Profile, Resolution,
    ResolvedBy, ResolverFailed, TargetPath, WireDecision,
};
use hookgate_test_support::command;
use serde_json::{Value, json};

use crate::support::{Says, at_tool_calls, call, engine, reason, session, table};

/// An approver that answers as a function of the request, and remembers it.
struct Approver<F> {
    answer: F,
    seen: Arc<Mutex<Vec<ApprovalRequest>>>,
}

impl<F> ApprovalResolver for Approver<F>
where
    F: Fn(&ApprovalRequest) -> Result<Value, ResolverFailed> + Send + Sync,
{
    fn resolve<'a>(&'a self, request: &'a ApprovalRequest) -> Resolution<'a> {
        self.seen.lock().unwrap().push(request.clone());
        Box::pin(async move { (self.answer)(request) })
    }
}

fn escalates() -> Interceptors {
    let verdict = json!({"decision": "deny", "reason": "ask first", "approval": {"amount": 5}});
    Interceptors::new(Profile::FirstDeny).register("escalates", at_tool_calls(verdict))
}

type Asked = (Host<Arc<Engine>>, Arc<Mutex<Vec<ApprovalRequest>>>);

fn asking(
    engine: Arc<Engine>,
    answer: impl Fn(&ApprovalRequest) -> Result<Value, ResolverFailed> + Send + Sync + 'static,
) -> Asked {
    let seen = Arc::<Mutex<Vec<ApprovalRequest>>>::default();
    let approver = Approver { answer, seen: Arc::clone(&seen) };
    (Host::with(engine, &escalates()).resolver(approver), seen)
}

fn resolution(request: &ApprovalRequest, outcome: &str, verdict: Value) -> Value {
    json!({"outcome": outcome, "context_identity": request.context_identity, "verdict": verdict})
}

fn approves(request: &ApprovalRequest) -> Result<Value, ResolverFailed> {
    Ok(resolution(request, "approve", json!({"decision": "allow"})))
}

#[tokio::test]
async fn an_approval_lifts_the_deny_and_a_resolution_is_checked_in_order() {
    let (host, seen) = asking(engine(&escalates(), []), approves);
    let emission = host.emit(call("ls")).await;
    let record = emission.record().clone();
    assert_eq!(record.verdict.decision, WireDecision::Allow);
    assert_eq!((record.resolved_by, record.decided_by), (Some(ResolvedBy::Approval), Some(0)));
    assert!(emission.permitted().is_ok());
    let request = seen.lock().unwrap().pop().unwrap();
    assert_eq!(request.verdict.approval.unwrap()["amount"], 5, "the approver sees what is asked");
    assert_eq!(request.context_identity, record.input_identity);

    let other = |outcome: &'static str, verdict: Value| {
        move |request: &ApprovalRequest| Ok(resolution(request, outcome, verdict.clone()))
    };
    let allow = || json!({"decision": "allow"});
    let deny = || json!({"decision": "deny", "reason": "not today"});
    let wrong = json!({"outcome": "nonsense", "context_identity": "sha256:0", "verdict": 1});
    let failed = |_: &ApprovalRequest| Err(ResolverFailed("the chat is down".to_owned()));
    let panics = |_: &ApprovalRequest| -> Result<Value, ResolverFailed> { panic!("a defect") };
    let unresolved = |request: &ApprovalRequest| {
        Ok(json!({"outcome": "unresolved", "context_identity": request.context_identity}))
    };
    let engine = || engine(&escalates(), []);
    for ((host, _), why) in [
        (asking(engine(), other("reject", deny())), "not today"),
        (asking(engine(), other("reject", allow())), "host_error:verdict_invalid"),
        (asking(engine(), other("approve", deny())), "host_error:verdict_invalid"),
        (
            asking(engine(), other("approve", json!({"decision": "perhaps"}))),
            "host_error:verdict_invalid",
        ),
        (asking(engine(), other("perhaps", allow())), "host_error:approval_resolver_failed"),
        (asking(engine(), other("unresolved", allow())), "host_error:approval_resolver_failed"),
        (asking(engine(), unresolved), "host_error:approval_unresolved"),
        (asking(engine(), move |_| Ok(wrong.clone())), "host_error:approval_identity_mismatch"),
        (asking(engine(), |_| Ok(json!("yes"))), "host_error:approval_resolver_failed"),
        (asking(engine(), failed), "host_error:approval_resolver_failed"),
        (asking(engine(), panics), "host_error:approval_resolver_failed"),
    ] {
        let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
        assert_eq!(reason(&blocked), why);
        assert_eq!(blocked.record.resolved_by, Some(ResolvedBy::Rejection), "{why}");
    }
}

#[tokio::test]
async fn what_an_approver_writes_is_judged_before_it_runs() {
    let edits = |value: &'static str| {
        move |request: &ApprovalRequest| {
            let change = json!({"path": "$target.command", "value": value});
            Ok(resolution(
                request,
                "approve",
                json!({"decision": "transform", "transform": change}),
            ))
        }
    };
    let guard = Hook::sync("guard", |call| {
        Ok(if command(call).contains("rm") { Verdict::deny("it deletes") } else { Verdict::none() })
    });
    let engine = engine(&escalates(), [guard.event(Event::PreToolUse).build()]);
    let (host, _) = asking(Arc::clone(&engine), edits("ls -l"));
    let emission = host.emit(call("ls")).await;
    let record = emission.record().clone();
    assert_eq!(emission.permitted().unwrap()["target"]["command"], "ls -l");
    assert_eq!(record.verdict.decision, WireDecision::Transform);
    assert_ne!(record.input_identity, record.enforced_identity);

    let (host, _) = asking(engine, edits("rm -r /"));
    let blocked = host.emit(call("ls")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "hookgate: it deletes (by guard)");
    assert_eq!(blocked.record.resolved_by, Some(ResolvedBy::Approval));
}

#[tokio::test]
async fn an_approval_of_a_table_that_was_swapped_meanwhile_is_asked_for_again() {
    let engine = engine(&escalates(), []);
    let swapped = Arc::clone(&engine);
    // The first time, another table comes into force while the approver looks.
    let (host, seen) = asking(engine, {
        let times = Mutex::new(0);
        move |request| {
            let mut times = times.lock().unwrap();
            *times += 1;
            if *times == 1 {
                swapped.swap(table(&escalates(), []));
            }
            approves(request)
        }
    });
    assert!(host.emit(call("ls")).await.permitted().is_ok());
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn an_approver_sees_no_more_than_the_host_shows_and_decides_about_that() {
    let (host, seen) = asking(engine(&escalates(), []), approves);
    let host = host.redactor(|context: AgentContext| {
        let path = TargetPath::parse("$target.command").unwrap();
        context.transform(&path, "[redacted]".into()).unwrap()
    });
    let emission = host.emit(call("secret")).await;
    let record = emission.record().clone();
    assert_eq!(emission.permitted().unwrap()["target"]["command"], "secret");
    let request = seen.lock().unwrap().pop().unwrap();
    assert!(!format!("{:?}", request.context.members()).contains("secret"));
    assert_ne!(request.context_identity, record.input_identity, "it is that of what was shown");

    let (host, seen) = asking(engine(&escalates(), []), approves);
    let host = host.redactor(|_| panic!("a defect"));
    let blocked = host.emit(call("secret")).await.permitted().unwrap_err();
    assert_eq!(reason(&blocked), "host_error:approval_resolver_failed");
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test]
async fn where_nobody_can_be_asked_a_deny_stands_though_it_could_be_lifted() {
    let escalates = || {
        Interceptors::new(Profile::FirstDeny).register(
            "escalates",
            Says(|_: &AgentContext| {
                Ok(json!({"decision": "deny", "reason": "ask", "approval": {}}))
            }),
        )
    };
    let seen = Arc::<Mutex<Vec<ApprovalRequest>>>::default();
    let approver = Approver { answer: approves, seen: Arc::clone(&seen) };
    let host = Host::with(engine(&escalates(), []), &escalates()).resolver(approver);
    let output = host.emit(session().output(json!("text"))).await;
    let record = output.record().clone();
    assert!(output.permitted().is_err() && seen.lock().unwrap().is_empty());
    assert!(record.verdict.is_liftable() && record.resolved_by.is_none());
    // At the end of a session there is nothing to approve either.
    assert!(host.emit(session().agent_shutdown("completed")).await.permitted().is_ok());
    assert!(seen.lock().unwrap().is_empty());
    assert!(host.emit(session().input(json!("hi"), "user")).await.permitted().is_ok());
    assert_eq!(seen.lock().unwrap().len(), 1);
}
