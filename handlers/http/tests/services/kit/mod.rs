//! Handlers of tests, and the services that they call.

use std::path::Path;
use std::time::Duration;

use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuiltHandler, Envelope, FailureClass, Handler, Invocation, Observed, Reply, StepContext,
    VerdictDecision,
};
use hookgate_http::HttpFactory;
use serde_json::{Value, json};

pub(crate) use hookgate_test_support::http_service as service;
pub(crate) use hookgate_test_support::unused_port::UnusedPort;
pub(crate) use service::{Mode, Service};

/// How many bytes an answer may have.
pub(crate) const OUTPUT: usize = 8 * 1024;

/// The variables of the tests.
pub(crate) fn variables(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("correct-horse-battery".into()),
        "SECRET" => Some("it-is-a-secret".into()),
        "BREAK" => Some("line-one\r\nx-evil: 1".into()),
        "EMPTY" => Some(" ".into()),
        _ => None,
    }
}

/// Handlers whose variables are those of the tests.
pub(crate) fn http() -> HttpFactory {
    HttpFactory::default().variables(variables)
}

/// A handler, or what is wrong with its settings.
pub(crate) fn build_in(
    http: &HttpFactory,
    settings: &Value,
    base: &Path,
) -> Result<BuiltHandler, Vec<String>> {
    let node = Node::from_json(settings);
    let mut reader = Settings::new(&node);
    let built = http.build(&mut reader, &BuildContext::new(base, OUTPUT));
    let errors: Vec<_> = reader.finish().iter().map(ToString::to_string).collect();
    match built {
        Some(built) if errors.is_empty() => Ok(built),
        Some(_) => Err(errors),
        None => {
            assert!(!errors.is_empty(), "no handler, and no reason: {settings}");
            Err(errors)
        }
    }
}

/// A handler, or what is wrong with its settings.
pub(crate) fn build(settings: &Value) -> Result<BuiltHandler, Vec<String>> {
    build_in(&http(), settings, Path::new(""))
}

/// The settings of a handler that calls a service of the tests.
pub(crate) fn settings(service: &Service, more: &Value) -> Value {
    let mut settings = json!({
        "url": service.url(),
        "allow_loopback": [service.address.to_string()],
    });
    let all = settings.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    settings
}

/// Invokes a handler about a step.
pub(crate) async fn invoke(built: &BuiltHandler) -> Reply {
    let minute = Duration::from_secs(60);
    invoke_within(built, minute).await.unwrap_or_else(|left| panic!("it hangs: {left:?}"))
}

/// Invokes a handler and gives up after some time, as the engine does; returns what it left.
pub(crate) async fn invoke_within(
    built: &BuiltHandler,
    time: Duration,
) -> Result<Reply, Option<VerdictDecision>> {
    invoke_as(built, time, None).await
}

/// Invokes a handler as the run of a key.
pub(crate) async fn invoke_as(
    built: &BuiltHandler,
    time: Duration,
    key: Option<&str>,
) -> Result<Reply, Option<VerdictDecision>> {
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let context = StepContext::new("session");
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
    let Handler::Async(handler) = &built.handler else { panic!("it must wait") };
    let invocation = Invocation::new("policy", &envelope);
    let invocation = key.map_or(invocation, |key| invocation.keyed(key));
    let reply = tokio::time::timeout(time, handler.handle(invocation)).await;
    reply.map_err(|_| invocation.take_salvaged())
}

/// Tells a handler of a step that was denied.
pub(crate) async fn tell(built: &BuiltHandler) -> Reply {
    let call = ToolCall::new("Bash", json!({"command": "ls"}));
    let context = StepContext::new("session");
    let id = StepId::new(Some("step-1"), String::new);
    let decision = Observed::new("deny", vec!["guard"], Some("no \"quotes\""), &[]);
    let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024).decided(&decision);
    let Handler::Async(handler) = &built.handler else { panic!("it must wait") };
    handler.handle(Invocation::new("policy", &envelope)).await
}

/// Invokes a handler once, whose service answers in this mode.
pub(crate) async fn invoke_once(mode: Mode, more: Value) -> Reply {
    let service = Service::start(mode).await;
    let built = build(&settings(&service, &more)).unwrap();
    let reply = tokio::time::timeout(Duration::from_secs(20), invoke(&built)).await;
    reply.expect("it hangs")
}

/// The class and the detail of a failure.
pub(crate) fn failed(reply: Reply) -> (FailureClass, String) {
    let failure = reply.unwrap_err();
    assert!(!failure.detail.is_empty());
    (failure.class, failure.detail.into_owned())
}
