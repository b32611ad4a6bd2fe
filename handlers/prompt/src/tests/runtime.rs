//! Promise: outside of a tokio runtime a judge fails, and does not panic.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{Envelope, FailureClass, Invocation, StepContext};
use serde_json::json;

use crate::Judge;

#[test]
fn outside_a_runtime_it_is_a_failure_and_no_panic() {
    for more in [json!({}), json!({"batch": true}), json!({"cache": false})] {
        let mut all = json!({"model": "m", "base_url": "http://127.0.0.1:9/v1", "prompt": "No."});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let node = Node::from_json(&all);
        let context = BuildContext::new(Path::new("/"), 1000);
        let judge = Judge::build(&mut Settings::new(&node), &context, Arc::default()).unwrap();
        let call = ToolCall::new("Bash", json!({"command": "ls"}));
        let (step, id) = (StepContext::new("s"), StepId::new(Some("step-1"), String::new));
        let envelope = Envelope::new(&call, &step, &id, 1, 1000);
        let mut judgement = pin!(judge.evaluate(Invocation::new("judge", &envelope)));
        let polled = judgement.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(judgement) = polled else { panic!("it must not wait") };
        assert_eq!(judgement.reply.unwrap_err().class, FailureClass::Spawn, "{more}");
    }
}
