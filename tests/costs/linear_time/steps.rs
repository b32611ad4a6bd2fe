//! Promise: steps are matched, and the builtins answer, in linear time.

use std::hint::black_box;

use hookgate::builtin::{BUILTINS, Host, builtin};
use hookgate::config::Loader;
use hookgate::contract::BuildContext;
use hookgate::contract::payload::{AnyPayload, PostToolUse, ToolCall, UserPromptSubmit};
use hookgate::contract::settings::{Node, Settings};
use hookgate::contract::{BuiltHandler, Handler, Invocation};
use hookgate::contract::{Envelope, StepId};
use hookgate::{Engine, HookEngine, StepContext, ToolUse};
use hookgate_test_support as support;
use serde_json::{Value, json};

use super::{holds_for_all_made_of_values, holds_for_all_texts};

fn build(name: &str, settings: &Value) -> BuiltHandler {
    let node = Node::from_json(settings);
    let context = BuildContext::new("/".as_ref(), 1024);
    builtin(name).unwrap().build(&mut Settings::new(&node), &context, &Host::new()).unwrap()
}

fn handle(built: &BuiltHandler, payload: &dyn AnyPayload, session: &str) {
    let Handler::Sync(handler) = &built.handler else { return };
    let context = StepContext::new(session);
    let id = StepId::new(None, || "made".into());
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 30);
    let _ = black_box(handler.handle(Invocation::new("hook", &envelope)));
}

#[test]
fn builtins_answer_in_linear_time() {
    let builtins = [
        ("audit", json!({})),
        ("deny", json!({"reason": "no"})),
        ("ask", json!({"reason": "sure?"})),
        (
            "add_context",
            json!({"text": "{{ tool_name }} {% for key in tool_input %}{{ key }}{% endfor %}"}),
        ),
        ("add_date", json!({})),
        ("redact_secrets", json!({"tool_input": true})),
        ("max_iterations", json!({"limit": 3})),
        ("limit", json!({"of": "calls", "over": 3, "reason": "{{ tool_name }}: {{ used }}"})),
        ("rewrite", json!({"from": "npm", "to": "pnpm"})),
        ("rewrite", json!({"regex": "a+b", "replace": "$0", "pointer": ""})),
        ("answer", json!({"result": "fine"})),
        ("log", json!({"file": "/dev/null"})),
        ("limit_large_tool_results", json!({"max_bytes": 1000})),
        ("elide_repeated_tool_results", json!({})),
    ];
    // These look at the machine, or ask their host, and not at the content of the step; `goal_gate` looks for one
    // text in the last message.
    let others = [
        "require",
        "protect_config",
        "repeated_denials",
        "note_denials",
        "snapshot",
        "skill_manifest",
        "goal_gate",
        "safer_shell",
        "http_post",
    ];
    for builtin in BUILTINS {
        let listed = builtins.iter().any(|(name, _)| *name == builtin.name);
        let looks_around = others.contains(&builtin.name) || builtin.name.starts_with("add_");
        assert!(listed || looks_around, "`{}` belongs here", builtin.name);
    }
    for (name, settings) in builtins {
        let built = build(name, &settings);
        let prepare = |value: Value| {
            let text = value.as_str().unwrap_or_default().to_owned();
            let call = ToolCall::new("Bash", value.clone());
            let result = PostToolUse::new(ToolCall::new("Bash", json!({})), value);
            (call, result, UserPromptSubmit::new(text))
        };
        holds_for_all_made_of_values(name, &prepare, &|(call, result, prompt)| {
            handle(&built, call, "session-1");
            handle(&built, result, "session-1");
            handle(&built, prompt, &prompt.prompt);
        });
    }
}

#[test]
fn steps_are_matched_in_linear_time() {
    let patterns =
        [("(a|b)*c", "*a*b*c*"), (".*a.{0,50}b", "*a?b{a,b}*x"), ("(?i)token.*=.*;", "*=*=*=*;")];
    let mut config = "version = 1\n".to_owned();
    for (at, (regex, glob)) in patterns.into_iter().enumerate() {
        for (name, condition) in [
            ("tool-glob", format!("tool_glob = '{glob}'")),
            ("tool-regex", format!("tool_regex = '{regex}'")),
            ("glob", format!("input = {{ \"/command\" = {{ glob = '{glob}' }} }}")),
            ("regex", format!("input = {{ \"/command\" = {{ regex = '{regex}' }} }}")),
        ] {
            config.push_str(&format!(
                "[[hook]]\nid = '{name}-{at}'\nevent = 'pre_tool_use'\n{condition}\n\
                 builtin = {{ name = 'ask', reason = 'sure?' }}\n"
            ));
        }
    }
    let registry = support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", &config, "/nonexistent".as_ref());
    let engine = Engine::new(loaded.unwrap().table);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let context = StepContext::new("session-1");
    holds_for_all_texts("a match", &|text| {
        let call = ToolCall::new(text.as_str(), json!({"command": text}));
        let _ = black_box(runtime.block_on(engine.dispatch(ToolUse::from(call), &context)));
    });
}
