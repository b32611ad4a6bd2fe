//! Limits that no file can ask for, asked for in Rust: they are cut to what can be worked with.

use std::time::Duration;

use hookgate::contract::envelope::Incoming;
use hookgate::table::Limits;
use hookgate::{Engine, HandlerTable, Role, Verdict};
use serde_json::json;

use crate::support::waiting;

#[test]
fn limits_of_any_size_are_worked_with() {
    let mut limits = Limits::default();
    limits.dispatch_deadline = Duration::MAX;
    limits.payload = usize::MAX;
    limits.output = usize::MAX;
    limits.background_queue = usize::MAX;
    limits.concurrency = usize::MAX;
    limits.stop_denials = u64::MAX;
    limits.timeout = [("test".to_owned(), Duration::MAX)].into();
    let hook = |id: &str| waiting(id, |_| Box::pin(async { Ok(Verdict::deny("no")) }));
    let table = HandlerTable::builder()
        .limits(limits)
        .insert(hook("told").role(Role::Observe).background(true).timeout(Duration::MAX))
        .insert(hook("asked").timeout(Duration::MAX))
        .insert(hook("also"))
        .build()
        .unwrap();
    let call = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {}});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let report = runtime.block_on(async {
        let engine = Engine::new(table);
        let mut incoming = Incoming::from_object(call.as_object().unwrap().clone()).unwrap();
        let report = engine.judge(&mut incoming).await;
        assert_eq!(engine.drain(Duration::from_secs(20)).await.dropped, 0);
        report
    });
    assert_eq!((report.by, report.votes[0].failure), (vec!["asked".to_owned()], None));
}
