//! Promise: hooks that reach outside of the process say so, and `pure` says that a call changes nothing.

use std::path::Path;

use hookgate::HookSpec;
use hookgate::config::Loader;
use hookgate::contract::Handler;

/// A hook of each kind that reaches outside of the process.
const EXTERNAL: [&str; 4] = [
    "command = { shell = \"exit 0\" }",
    "command = { shell = \"exit 0\", mode = \"worker\" }",
    "http = { url = \"https://example.com/hook\" }",
    "builtin = { name = \"log\", file = \"steps.jsonl\" }",
];

fn load(lines: &str) -> Result<HookSpec, String> {
    let text = format!("[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n{lines}\n");
    let registry = hookgate_test_support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", &text, Path::new("/"));
    let table = loaded.map_err(|errors| errors.to_string())?.table;
    Ok(table.specs().next().unwrap().clone())
}

fn spec(lines: &str) -> HookSpec {
    load(lines).unwrap_or_else(|errors| panic!("{errors}\n{lines}"))
}

#[test]
fn what_reaches_outside_of_the_process_says_so() {
    for handler in EXTERNAL {
        assert!(spec(handler).is_external(), "{handler}");
    }
    // The control: a function of hookgate does not.
    for handler in ["builtin = { name = \"deny\", reason = \"no\" }", "builtin = \"audit\""] {
        assert!(!spec(handler).is_external(), "{handler}");
    }
}

#[test]
fn a_hook_is_pure_only_if_it_says_so() {
    let command = EXTERNAL[0];
    assert!(!spec(command).is_pure());
    assert!(!spec(&format!("pure = false\n{command}")).is_pure());
    assert!(spec(&format!("pure = true\n{command}")).is_pure());
    let error = load(&format!("pure = \"yes\"\n{command}")).unwrap_err();
    assert!(error.contains("`pure`"), "{error}");
}

#[test]
fn an_external_hook_of_a_layer_stays_external() {
    let spec = spec(EXTERNAL[0]).map_handler(|handler: Handler| handler);
    assert!(spec.is_external());
}
