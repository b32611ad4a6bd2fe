//! Promise: an override of a caller can tighten the table in force, and never weaken it.

use std::path::Path;
use std::sync::Arc;

use hookgate::config::{ConfigErrors, Loader, Overrides};
use hookgate::envelope::Incoming;
use hookgate::table::Layer;
use hookgate::{Engine, HandlerTable, Outcome, Registry};

const GUARDS: &str = r#"
[require]
hooks = ["no-bash"]

[[hook]]
id = "no-bash"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "log"
event = "pre_tool_use"
after = "no-bash"
builtin = "audit"
"#;

fn registry() -> Registry {
    Registry::from_iter([hookgate::builtin::kind()])
}

fn base(layer: Layer) -> Arc<HandlerTable> {
    let registry = registry();
    let loaded = Loader::new(&registry).layer(layer).parse("hooks.toml", GUARDS, Path::new("."));
    Arc::new(loaded.unwrap().table)
}

fn derive(base: &Arc<HandlerTable>, text: &str) -> Result<HandlerTable, ConfigErrors> {
    let overrides = Overrides::parse("request", text, Path::new("."))?;
    Ok(Loader::new(&registry()).derive(base, &overrides)?.table)
}

/// The error of an override that names a hook that is not there.
pub(crate) fn unknown() -> ConfigErrors {
    derive(&base(Layer::User), r#"{"disable": ["nobash"]}"#).unwrap_err()
}

async fn decide(table: HandlerTable, tool: &str) -> Outcome {
    let text =
        format!(r#"{{"hook_event_name":"pre_tool_use","tool_name":"{tool}","tool_input":{{}}}}"#);
    let mut step = Incoming::parse(text.as_bytes()).unwrap();
    Engine::new(table).evaluate(&mut step).await.decision
}

fn entry(id: &str, tool: &str, rest: &str) -> String {
    format!(
        r#"{{"id": "{id}", "event": "pre_tool_use", "tool": "{tool}", {rest}
            "builtin": {{"name": "deny", "reason": "not now"}}}}"#
    )
}

/// Whatever the layer of the host's hooks is, an override of a caller leaves them as they are.
#[tokio::test]
async fn a_caller_cannot_weaken_what_is_in_force() {
    for layer in [Layer::Managed, Layer::User, Layer::Project, Layer::Local, Layer::Code] {
        let base = base(layer);
        for key in ["disable", "shadow"] {
            let error = derive(&base, &format!(r#"{{"{key}": ["no-bash"]}}"#)).unwrap_err();
            let expected = format!("is a hook of the layer `{layer}`");
            assert!(error.to_string().contains(&expected), "{error}");
        }
        // With the id of a guard for something harmless, alone and after a disable.
        let harmless = entry("no-bash", "Read", "");
        for text in [
            format!(r#"{{"entries": [{harmless}]}}"#),
            format!(r#"{{"disable": ["no-bash"], "entries": [{harmless}]}}"#),
        ] {
            derive(&base, &text).unwrap_err();
        }
        // A hook of its own goes after those in force, whatever it asks for, and denies as well.
        let first = entry("mine", "WebFetch", r#""priority": -1000, "#);
        let table = derive(&base, &format!(r#"{{"entries": [{first}]}}"#)).unwrap();
        let order: Vec<_> = table.listing().map(|hook| hook.id().to_string()).collect();
        assert_eq!(order, ["no-bash", "mine", "log"], "{layer}");
        assert_eq!(decide(table.clone(), "Bash").await, Outcome::Deny);
        assert_eq!(decide(table.clone(), "WebFetch").await, Outcome::Deny);
        assert_eq!(decide(table, "Read").await, Outcome::Allow);
        assert_eq!(decide(HandlerTable::clone(&base), "WebFetch").await, Outcome::Allow);
    }
}

/// The host adds a guard of the id that a session has used, and the session must not go on without it.
#[tokio::test]
async fn a_session_never_keeps_the_policy_before_a_swap() {
    let registry = registry();
    let loader = Loader::new(&registry);
    let own = format!(r#"{{"entries": [{}]}}"#, entry("mine", "WebFetch", ""));
    let own = Overrides::parse("session", &own, Path::new(".")).unwrap();
    let host = Arc::new(Engine::new(HandlerTable::clone(&base(Layer::User))));
    let session = host.scope("s").overlay(&loader, own).open().unwrap();
    let decided = async |tool| decide(HandlerTable::clone(&session.table()), tool).await;
    assert_eq!(decided("WebFetch").await, Outcome::Deny);
    assert_eq!(decided("rm").await, Outcome::Allow);

    let more = "\n[[hook]]\nid = 'mine'\nevent = 'pre_tool_use'\ntool = 'rm'\n\
                builtin = { name = 'deny', reason = 'no' }\n";
    let text = format!("{GUARDS}{more}");
    let next = loader.layer(Layer::User).parse("hooks.toml", &text, Path::new(".")).unwrap();
    host.swap(next.table);
    assert_eq!(decided("rm").await, Outcome::Deny);
    assert_eq!(decided("Bash").await, Outcome::Deny);
    assert_eq!(decided("WebFetch").await, Outcome::Deny, "its own is there as well");
}

#[tokio::test]
async fn an_override_reaches_hooks_of_the_command_line() {
    let mine = entry("mine", "WebFetch", "");
    let first = derive(&base(Layer::Managed), &format!(r#"{{"entries": [{mine}]}}"#)).unwrap();
    let second = derive(&Arc::new(first), r#"{"disable": ["mine"]}"#).unwrap();
    assert_eq!(decide(second, "WebFetch").await, Outcome::Allow);
}

/// The tool of a person who only looks at recorded steps reaches all of them.
#[tokio::test]
async fn who_guards_nothing_may_reach_all_layers() {
    let text = r#"{"shadow": ["no-bash"]}"#;
    let overrides = Overrides::parse("mine", text, Path::new(".")).unwrap().reaching_all_layers();
    let table = Loader::new(&registry()).derive(&base(Layer::Managed), &overrides).unwrap().table;
    let engine = Engine::new(table);
    // What the config requires holds until the host says otherwise.
    let bash = r#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{}}"#;
    let decide = async || {
        let mut step = Incoming::parse(bash.as_bytes()).unwrap();
        engine.evaluate(&mut step).await.decision
    };
    assert_eq!(decide().await, Outcome::Deny);
    engine.set_require(hookgate::require::Require::default()).unwrap();
    assert_eq!(decide().await, Outcome::Allow);
}

#[test]
fn what_is_wrong_has_a_place() {
    let place = |text: &str| derive(&base(Layer::User), text).unwrap_err().to_string();
    let expected = "request:1:14: there is no hook `nobash`; did you mean `no-bash`?";
    assert_eq!(unknown().to_string(), expected);
    assert!(place("{\"entries\": [\n  {\"id\": \"x\"}]}").starts_with("request:2:3: "));
    assert!(place(r#"{"entries": [], "entries": []}"#).starts_with("request:1:"));
    assert!(place(&"[".repeat(100_000)).starts_with("request:1:"), "no stack overflows");
}
