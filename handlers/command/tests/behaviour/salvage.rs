//! Promise: however an answer is damaged and however a program ends, what comes of it is never
//! weaker than the strictest decision in what it wrote.

use std::time::Duration;

use hookgate_contract::StepId;
use hookgate_contract::{
    BuiltHandler, Envelope, FailureClass, Handler, Invocation, Reply, StepContext, Verdict,
    VerdictDecision,
};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{Dice, build, call};

const DECISIONS: [(&str, VerdictDecision); 8] = [
    ("allow", VerdictDecision::Allow),
    ("ask", VerdictDecision::Ask),
    ("deny", VerdictDecision::Deny),
    ("halt", VerdictDecision::Halt),
    ("DENY", VerdictDecision::Deny),
    ("Ask", VerdictDecision::Ask),
    ("Halt", VerdictDecision::Halt),
    ("deny", VerdictDecision::Deny),
];

/// Bytes with decisions at the top level of damaged verdicts, and the strictest of them.
fn bytes(dice: &mut Dice) -> (Vec<u8>, Option<VerdictDecision>) {
    let mut all = Vec::new();
    let mut strictest = None;
    for _ in 0..=dice.next(3) {
        let (name, decision) = dice.one(&DECISIONS);
        let key = dice.one(&["decision", "decision", "Decision", "DECISION"]);
        let verdict = match dice.next(8) {
            0 => format!(r#"{{"{key}":"{name}"}}"#),
            1 => format!(r#"{{"{key}" : "{name}","reason":"r"}}"#),
            2 => format!(r#"{{"{key}":"{name}","surprise":1}}"#),
            3 => format!(r#"{{"reason":"{}","{key}":"{name}"}}"#, "x".repeat(dice.next(300))),
            4 => format!(r#"{{"{key}":"{name}","reason":"cut o"#),
            5 => format!("{{\"reason\":\"two\nlines\",\"{key}\":\"{name}\"}}"),
            6 => format!(r#"[{{"{key}":"{name}"}}]"#),
            _ => format!(r#"{{"{key}":"{name}","payload":{}"#, "[".repeat(150)),
        };
        all.extend_from_slice(verdict.as_bytes());
        strictest = strictest.max(Some(decision));
        let between: &[&[u8]] = &[b"", b"\n", b" ", b"noise ", b"\xff\xfe", b"{}", b"null", b","];
        all.extend_from_slice(dice.one(between));
    }
    (all, strictest.filter(|decision| *decision > VerdictDecision::Allow))
}

#[test]
fn what_is_salvaged_is_the_strictest_decision() {
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    for _ in 0..20_000 {
        let (bytes, strictest) = bytes(&mut dice);
        let shown = String::from_utf8_lossy(&bytes);
        assert!(Verdict::salvage(&bytes) >= strictest, "{shown}");
        assert!(Verdict::salvage_anywhere(&bytes) >= strictest, "{shown}");
        let counted = counted(&Verdict::parse(&bytes));
        assert!(counted >= strictest, "{shown}");
    }
}

/// What a reply counts as where every failure counts as allow.
fn counted(reply: &Reply) -> Option<VerdictDecision> {
    match reply {
        Ok(verdict) => verdict.parts().and_then(|parts| parts.decision),
        Err(failure) => failure.salvaged,
    }
}

/// Invokes as an engine does: at the deadline the future is dropped, and what it leaves counts.
async fn invoke(built: &BuiltHandler, deadline: Duration) -> Reply {
    let payload = call();
    let context = StepContext::new("session-1");
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(&payload, &context, &id, 1, 4 << 20);
    let Handler::Async(handler) = &built.handler else { panic!("a program answers at once") };
    let invocation = Invocation::new("guard", &envelope);
    match timeout(deadline, handler.handle(invocation)).await {
        Ok(reply) => reply,
        Err(_) => Err(hookgate_contract::Failure::new(FailureClass::Timeout, "late")
            .with_salvaged(invocation.take_salvaged())),
    }
}

/// A program that writes bytes and then ends as its second argument says.
fn program(ending: &str, timing: &str, written: &std::path::Path, worker: bool) -> BuiltHandler {
    let file = written.display();
    let write = match timing {
        "late" => format!("sleep 0.05; cat {file}"),
        "other" => format!("(sleep 0.05; cat {file}) &"),
        _ => format!("cat {file}"),
    };
    // A verdict of a worker is in a frame, which is damaged as well.
    let text = if worker {
        format!(
            "echo '{{\"ready\":1}}'; read -r call; id=${{call#*:}}; id=${{id%%,*}}\n\
             printf '{{\"id\":%s,\"verdict\":' \"$id\"\n{write}\n{}\n{ending}",
            if timing == "other" { "wait" } else { "true" }
        )
    } else {
        format!("cat >/dev/null; {write}\n{ending}")
    };
    let mode = if worker { "worker" } else { "plain" };
    build(&json!({"shell": text, "mode": mode, "grace": "10ms"}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_end_of_a_program_weakens_its_decision() {
    let base = tempfile::tempdir().unwrap();
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let endings = [
        "exit 0",
        "exit 1",
        "exit 2",
        "exit 3",
        "exit 139",
        "kill -9 $$",
        "kill -15 $$",
        "kill -11 $$",
        "sleep 30",
        "head -c 100000 /dev/zero | tr '\\0' ' '",
        "echo; exit 0",
    ];
    let mut running = tokio::task::JoinSet::new();
    let mut strict = 0;
    for number in 0..200 {
        let (mut bytes, strictest) = bytes(&mut dice);
        let ending = dice.one(&endings);
        let timing = dice.one(&["at once", "at once", "late", "other"]);
        let worker = dice.next(3) == 0;
        if dice.next(8) == 0 {
            // The decision is beyond what is kept.
            bytes.splice(0..0, vec![b' '; crate::support::OUTPUT]);
        }
        let file = base.path().join(number.to_string());
        std::fs::write(&file, &bytes).unwrap();
        let built = program(ending, timing, &file, worker);
        strict += usize::from(strictest.is_some());
        running.spawn(async move {
            let deadline = Duration::from_millis(if ending == "sleep 30" { 1_500 } else { 20_000 });
            let reply = invoke(&built, deadline).await;
            let shown = String::from_utf8_lossy(&bytes);
            let shown = shown.trim_start();
            // A frame is one line: what comes behind is not waited for once it is refused.
            let line = shown.split('\n').next().unwrap_or_default().len() == shown.len();
            if !worker || line {
                assert!(
                    counted(&reply) >= strictest,
                    "{ending}, {timing}, worker: {worker}: {shown}: {reply:?}"
                );
            }
        });
        if running.len() >= 6 {
            running.join_next().await.unwrap().unwrap();
        }
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    assert!(strict > 100, "{strict}");
}

#[tokio::test]
async fn a_decision_before_a_deadline_counts() {
    let plain = build(&json!({"shell": r#"echo '{"decision":"deny","reason":"no"}'; sleep 30"#}));
    let reply = invoke(&plain, Duration::from_millis(800)).await.unwrap_err();
    assert_eq!((reply.class, reply.salvaged), (FailureClass::Timeout, Some(VerdictDecision::Deny)));
    let silent = build(&json!({"shell": "sleep 30"}));
    let reply = invoke(&silent, Duration::from_millis(300)).await.unwrap_err();
    assert_eq!((reply.class, reply.salvaged), (FailureClass::Timeout, None));
    // Text for the model is not a verdict.
    let text = r#"echo '{"decision":"deny","reason":"no"}'; sleep 30"#;
    let context = build(&json!({"shell": text, "stdout": "context"}));
    let reply = invoke(&context, Duration::from_millis(300)).await.unwrap_err();
    assert_eq!((reply.class, reply.salvaged), (FailureClass::Timeout, None));
}
