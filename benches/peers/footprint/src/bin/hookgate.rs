//! hookgate: one hook that denies. With handlers, a config names the hook, and may name hooks of all kinds that are
//! linked: those that are not registered would be left out by the linker.

use std::process::ExitCode;

use hookgate::{Engine, Gate, HandlerTable, HookEngine, StepContext, ToolUse};
use hookgate_footprint::succeed_if_denied;

fn main() -> ExitCode {
    let Some(table) = table() else { return ExitCode::FAILURE };
    let engine = Engine::new(table);
    let Ok(call) = ToolUse::propose("Bash", r#"{"command":"ls"}"#) else {
        return ExitCode::FAILURE;
    };
    succeed_if_denied(async {
        let gate = engine.dispatch(call, &StepContext::new("session-1")).await;
        matches!(gate, Gate::Denied(_))
    })
}

/// The table of a host that writes its hooks itself.
#[cfg(not(any(feature = "builtin", feature = "command", feature = "http", feature = "prompt")))]
fn table() -> Option<HandlerTable> {
    use hookgate::{Event, Hook, Verdict};

    let hook = Hook::sync("no", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    HandlerTable::builder().insert(hook).build().ok()
}

/// The table of a config: the one that is named, or one whose only hook denies.
#[cfg(any(feature = "builtin", feature = "command", feature = "http", feature = "prompt"))]
fn table() -> Option<HandlerTable> {
    use hookgate::config::Loader;
    use hookgate::contract::{BuiltHandler, Invocation};
    use hookgate::{Registry, Verdict};

    const CONFIG: &str = "[[hook]]\nid = 'no'\nevent = 'pre_tool_use'\nbuiltin = 'say-no'\n";
    let kinds = [
        #[cfg(feature = "builtin")]
        hookgate::builtin::kind(),
        #[cfg(feature = "command")]
        hookgate::command::kind(),
        #[cfg(feature = "http")]
        hookgate::http::kind(),
        #[cfg(feature = "prompt")]
        hookgate::prompt::kind(),
    ];
    let registry = Registry::from_iter(kinds);
    let say_no = |_: Invocation<'_>| Ok(Verdict::deny("no"));
    registry.register_builtin("say-no", move |_, _| Some(BuiltHandler::from_sync(say_no))).ok()?;
    let config = std::env::args().nth(1);
    let config = config.as_deref().unwrap_or(CONFIG);
    Some(Loader::new(&registry).parse("hooks.toml", config, ".".as_ref()).ok()?.table)
}
