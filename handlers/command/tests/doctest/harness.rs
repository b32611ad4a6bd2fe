// What the examples of `hookgate_command::docs` share; they include this file.

/// Builds the handler of a hook whose config is in a folder.
pub fn build_in(
    folder: &std::path::Path,
    settings: serde_json::Value,
) -> Result<hookgate_contract::BuiltHandler, String> {
    let node = hookgate_contract::settings::Node::from_json(&settings);
    let mut settings = hookgate_contract::settings::Settings::new(&node);
    let context = hookgate_contract::BuildContext::new(folder, 64 * 1024);
    let built = hookgate_command::build(&mut settings, &context);
    let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
    built.filter(|_| errors.is_empty()).ok_or_else(|| errors.join("; "))
}

/// Invokes a handler once, about the tool call `Bash {"command": "ls"}`, as an engine does: at the
/// deadline the future is dropped.
pub fn invoke_within(
    built: &hookgate_contract::BuiltHandler,
    deadline: std::time::Duration,
) -> Option<hookgate_contract::Reply> {
    let call = serde_json::json!({"command": "ls"});
    let payload = hookgate_contract::payload::ToolCall::new("Bash", call);
    let context = hookgate_contract::StepContext::new("session-1");
    let id = hookgate_contract::StepId::new(Some("step-1"), String::new);
    let envelope = hookgate_contract::Envelope::new(&payload, &context, &id, 1, 1 << 20);
    let hookgate_contract::Handler::Async(handler) = &built.handler else { unreachable!() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let reply = handler.handle(hookgate_contract::Invocation::new("guard", &envelope));
        tokio::time::timeout(deadline, reply).await.ok()
    })
}

/// Invokes a handler once, without a deadline.
pub fn invoke(built: &hookgate_contract::BuiltHandler) -> hookgate_contract::Reply {
    invoke_within(built, std::time::Duration::from_secs(60)).unwrap()
}

/// Builds a hook whose config is in `/etc`, and invokes it once.
pub fn run(settings: serde_json::Value) -> hookgate_contract::Reply {
    invoke(&build_in(std::path::Path::new("/etc"), settings).unwrap())
}
