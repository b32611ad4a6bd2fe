//! Promise: no order of reading and writing blocks a program or its host.

use std::time::{Duration, Instant};

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{FailureClass, StepContext, Verdict};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{OUTPUT, invoke, invoke_with, shell};

/// Far more than a pipe holds.
fn large() -> ToolCall {
    ToolCall::new("Write", json!({"content": Value::String("x".repeat(1 << 20))}))
}

#[tokio::test]
async fn a_program_may_write_much_before_it_reads() {
    let built = shell(
        "head -c 1048576 /dev/zero | tr '\\0' e >&2; n=$(wc -c); \
         [ \"$n\" -gt 1048576 ] && echo '{\"decision\":\"deny\",\"reason\":\"read all\"}'",
    );
    let context = StepContext::new("s");
    let payload = large();
    let reply = timeout(Duration::from_secs(20), invoke_with(&built, &payload, &context)).await;
    assert_eq!(reply.expect("a deadlock").unwrap(), Verdict::deny("read all"));
}

#[tokio::test]
async fn a_program_need_not_read() {
    let (context, payload) = (StepContext::new("s"), large());
    for text in ["true", "exec 0<&-; echo '{}'"] {
        assert_eq!(invoke_with(&shell(text), &payload, &context).await.unwrap(), Verdict::none());
    }
}

#[tokio::test]
async fn too_much_on_stdout_is_refused_at_once() {
    let endless = shell("yes");
    let failure = timeout(Duration::from_secs(20), invoke(&endless)).await.unwrap().unwrap_err();
    assert_eq!(failure.class, FailureClass::Oversize);
    let exact = shell(&format!("head -c {OUTPUT} /dev/zero | tr '\\0' ' '"));
    assert_eq!(invoke(&exact).await.unwrap(), Verdict::none());
    let more = shell(&format!("head -c {} /dev/zero | tr '\\0' ' '", OUTPUT + 1));
    assert_eq!(invoke(&more).await.unwrap_err().class, FailureClass::Oversize);
}

#[tokio::test]
async fn a_child_that_holds_stdout_does_not_delay_the_answer() {
    let built = shell(r#"sleep 60 & echo '{"decision":"deny","reason":"fast"}'"#);
    let start = Instant::now();
    assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("fast"));
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

#[tokio::test]
async fn what_a_child_writes_right_after_the_end_still_counts() {
    let built = shell(r#"(sleep 0.05; echo '{"decision":"deny","reason":"late"}') & exit 0"#);
    assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("late"));
}
