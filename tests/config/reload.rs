//! Promise: a config that is loaded again keeps what has not changed, and the registry's names can
//! be replaced while the engine runs.
#![cfg(feature = "builtin")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use hookgate_test_support as support;

use std::path::Path;

use hookgate::config::Loader;
use hookgate::contract::{BuiltHandler, Invocation};
use hookgate::{Engine, Gate, HandlerTable, HookEngine, Registry, Verdict};
use support::{bash, context};

fn text(limit: u32) -> String {
    format!(
        "[[hook]]\nid = 'limit'\nevent = 'pre_tool_use'\nbuiltin = {{ name = 'max_iterations', limit = {limit} }}\n"
    )
}

async fn runs(engine: &Engine) -> bool {
    matches!(engine.dispatch(bash("x"), &context()).await, Gate::Cleared(_))
}

#[tokio::test]
async fn a_hook_that_has_not_changed_keeps_its_counters() {
    let registry = support::registry();
    let load = |limit, earlier: Option<&HandlerTable>| {
        let loader = Loader::new(&registry);
        let loader = earlier.map_or(loader, |table| loader.keeping(table));
        loader.parse("hooks.toml", &text(limit), Path::new(".")).unwrap().table
    };
    let engine = Engine::new(load(2, None));
    assert!(runs(&engine).await && runs(&engine).await);
    engine.swap(load(2, Some(&engine.table())));
    assert!(!runs(&engine).await, "the third call, whatever was reloaded");
    // The controls: another limit is another hook, and so is a load that keeps nothing.
    engine.swap(load(3, Some(&engine.table())));
    assert!(runs(&engine).await);
    engine.swap(load(3, None));
    assert!(runs(&engine).await && runs(&engine).await && runs(&engine).await);
    assert!(!runs(&engine).await);
}

#[tokio::test]
async fn a_builtin_is_replaced_while_the_engine_runs() {
    let engine = Engine::without_hooks();
    let says = |reason: &'static str| {
        move |_: &mut hookgate::contract::settings::Settings<'_>,
              _: &hookgate::contract::BuildContext<'_>| {
            Some(BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(Verdict::deny(reason))))
        }
    };
    let registry = Registry::new();
    let first = registry.register_builtin("mine", says("one")).unwrap();
    let config = "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\nbuiltin = 'mine'\n";
    let load = || Loader::new(&registry).parse("hooks.toml", config, Path::new(".")).unwrap().table;
    engine.swap(load());
    let reason = async || match engine.dispatch(bash("x"), &context()).await {
        Gate::Denied(denied) => denied.reason().to_owned(),
        _ => panic!("the hook denies"),
    };
    assert_eq!(reason().await, "one");
    let second = registry.register_builtin("mine", says("two")).unwrap();
    assert!(second > first && registry.revision() == second);
    assert_eq!(reason().await, "one", "a table that is in force stays what it is");
    engine.swap(load());
    assert_eq!(reason().await, "two");
    assert!(registry.register_builtin(" ", says("")).is_err());
    // A copy has the name, another registry does not.
    assert_eq!(registry.clone().builtins(), ["mine"]);
    assert_eq!(Registry::new().builtins(), [""; 0]);
}

/// What is kept is what has not changed; another registration has, whatever it declares.
#[tokio::test]
async fn a_handler_that_is_registered_anew_is_built_anew() {
    let registry = support::registry();
    let register = |reason: &'static str| {
        let build = move |_: &mut hookgate::contract::settings::Settings<'_>,
                          _: &hookgate::contract::BuildContext<'_>| {
            let built = BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(Verdict::deny(reason)));
            Some(built.identity("the same"))
        };
        registry.register("mine", build).unwrap();
        registry.register_builtin("mine", build).unwrap();
    };
    let engine = Engine::without_hooks();
    for handler in ["handler = { kind = 'mine' }", "builtin = 'mine'", "mine = {}"] {
        let config = format!("[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{handler}\n");
        let load = |earlier: &HandlerTable| {
            let loader = Loader::new(&registry).keeping(earlier);
            loader.parse("hooks.toml", &config, Path::new(".")).unwrap().table
        };
        let reason = async || match engine.dispatch(bash("x"), &context()).await {
            Gate::Denied(denied) => denied.reason().to_owned(),
            _ => panic!("the hook denies"),
        };
        register("one");
        engine.swap(load(&engine.table()));
        assert_eq!(reason().await, "one", "{handler}");
        register("two");
        engine.swap(load(&engine.table()));
        assert_eq!(reason().await, "two", "{handler}");
    }
}

#[cfg(feature = "command")]
mod workers {
    use std::time::Duration;

    use super::*;

    /// Says the number of its process.
    const SCRIPT: &str = r#"echo '{"ready":1}'
while read -r line; do
    id=${line#*\"id\":}
    echo "{\"id\":${id%%,*},\"verdict\":{\"context\":[\"$$\"]}}"
done
"#;

    async fn worker(engine: &Engine) -> String {
        let (_, report) = engine.dispatch_reported(bash("x"), &context()).await;
        assert_eq!(report.context.len(), 1, "{report:?}");
        report.context.concat()
    }

    /// Whether a process ends soon.
    async fn ends(pid: &str) -> bool {
        for _ in 0..200 {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if stat.is_empty() || stat.contains(") Z ") {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    #[tokio::test]
    async fn a_worker_is_kept_until_its_hook_or_its_script_changes() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("worker.sh");
        std::fs::write(&script, SCRIPT).unwrap();
        let registry = support::registry();
        let load = |timeout: &str, earlier: Option<&HandlerTable>| {
            let config = format!(
                "[[hook]]\nid = 'w'\nevent = 'pre_tool_use'\ntimeout = '{timeout}'\n\
                 command = {{ argv = ['sh', 'worker.sh'], mode = 'worker' }}\n"
            );
            let loader = Loader::new(&registry);
            let loader = earlier.map_or(loader, |table| loader.keeping(table));
            let loaded = loader.parse("hooks.toml", &config, folder.path());
            loaded.unwrap_or_else(|errors| panic!("{errors}")).table
        };
        let engine = Engine::new(load("20s", None));
        let first = worker(&engine).await;
        engine.swap(load("20s", Some(&engine.table())));
        assert_eq!(worker(&engine).await, first, "nothing has changed");

        engine.swap(load("21s", Some(&engine.table())));
        let second = worker(&engine).await;
        assert_ne!(second, first, "the hook has changed");
        assert!(ends(&first).await, "the worker of the earlier hook is still there");

        std::fs::write(&script, format!("{SCRIPT}# changed\n")).unwrap();
        let before = engine.table().config_hash().to_owned();
        engine.swap(load("21s", Some(&engine.table())));
        let third = worker(&engine).await;
        assert_ne!(third, second, "the script has changed");
        assert_ne!(engine.table().config_hash(), before, "another script is another config");
        assert!(ends(&second).await, "the worker of the earlier script is still there");
    }
}

/// The files with the rules are among the sources of a hook, and a changed rule is another hook.
#[cfg(feature = "prompt")]
#[test]
fn the_rule_of_a_judge_is_a_part_of_its_hook() {
    let folder = tempfile::tempdir().unwrap();
    let rules = ["first.md", "own.md"].map(|name| folder.path().join(name));
    let hook = "[[hook]]\nid = 'j'\nevent = 'pre_tool_use'\n[hook.prompt]\nmodel = 'm'\n\
                base_url = 'http://127.0.0.1:1/v1'\nprompt_file = 'own.md'\n\
                first = { model = 's', prompt_file = 'first.md' }\n";
    let registry = support::registry();
    let load = |first: &str, own: &str| {
        for (path, rule) in rules.iter().zip([first, own]) {
            std::fs::write(path, rule).unwrap();
        }
        let loaded = Loader::new(&registry).parse("hooks.toml", hook, folder.path());
        loaded.unwrap_or_else(|errors| panic!("{errors}")).table
    };
    let table = load("No harm.", "No force.");
    let mut sources = table.specs().flat_map(|hook| hook.sources().to_vec()).collect::<Vec<_>>();
    sources.sort();
    assert_eq!(sources, rules);
    assert_eq!(load("No harm.", "No force.").config_hash(), table.config_hash());
    assert_ne!(load("No harm.", "No forces.").config_hash(), table.config_hash());
    assert_ne!(load("No harms.", "No force.").config_hash(), table.config_hash());
}
