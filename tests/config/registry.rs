//! Promise: a config can use the kinds of handlers that the code of the host has added, and no others,
//! whatever this crate was compiled with.

use std::path::Path;

use hookgate::Registry;
use hookgate::config::Loader;

/// One handler of each kind of hookgate.
const HANDLERS: [(&str, &str); 5] = [
    ("builtin", "builtin = { name = 'deny', reason = 'no' }"),
    ("command", "command = { argv = ['/bin/true'] }"),
    ("http", "http = { url = 'https://hooks.example.com/policy' }"),
    ("mcp", "mcp = { server = { command = ['/bin/true'] }, tool = 'scan' }"),
    ("prompt", "prompt = { model = 'm', base_url = 'http://127.0.0.1:1/v1', prompt = 'No harm.' }"),
];

fn config(handler: &str) -> String {
    format!("[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{handler}\n")
}

#[test]
fn an_empty_registry_lets_a_config_start_nothing_and_says_what_to_add() {
    for (kind, handler) in HANDLERS {
        let registry = Registry::new();
        let loaded = Loader::new(&registry).parse("hooks.toml", &config(handler), Path::new("/"));
        let errors = loaded.expect_err(kind);
        let [error] = errors.errors() else { panic!("{errors}") };
        assert_eq!(error.message(), format!("no handler of kind `{kind}` is registered"));
        assert_eq!((error.line(), error.column()), (4, 1));
        let help = error.help().unwrap_or_default();
        assert!(help.contains(&format!("registry.add(hookgate::{kind}::kind())")), "{help}");
    }
}

/// The command line is built without some kinds, and its users read what to do about it.
#[test]
fn a_kind_that_is_not_in_every_command_line_says_how_to_get_one_with_it() {
    for kind in ["cedar", "rego"] {
        let text = config(&format!("{kind} = {{ file = 'p' }}"));
        let registry = Registry::new();
        let errors = Loader::new(&registry).parse("hooks.toml", &text, Path::new("/")).unwrap_err();
        // A program that was built without it is known to fail at each step: that is no guess of a check.
        let checked =
            Loader::new(&registry).allow_unverified().parse("hooks.toml", &text, Path::new("/"));
        for problem in errors.errors().iter().chain(checked.unwrap_err().errors()) {
            let help = problem.help().unwrap_or_default();
            assert!(help.contains(&format!("hookgate-cli --features {kind}")), "{problem}: {help}");
        }
    }
}

/// The control: with its kind, and nothing else, each of them loads.
#[test]
fn a_kind_that_was_added_can_be_used() {
    let kinds = [
        ("builtin", hookgate::builtin::kind()),
        #[cfg(feature = "command")]
        ("command", hookgate::command::kind()),
        #[cfg(feature = "http")]
        ("http", hookgate::http::kind()),
        #[cfg(feature = "mcp")]
        ("mcp", hookgate::mcp::kind()),
        #[cfg(feature = "prompt")]
        ("prompt", hookgate::prompt::kind()),
    ];
    for (name, kind) in kinds {
        let registry = Registry::from_iter([kind]);
        for (other, handler) in HANDLERS {
            let loaded =
                Loader::new(&registry).parse("hooks.toml", &config(handler), Path::new("/"));
            assert_eq!(loaded.is_ok(), other == name, "{name} {other}");
        }
    }
}

#[test]
fn a_kind_of_the_same_name_replaces_the_earlier_one_and_only_there() {
    use hookgate::Verdict;
    use hookgate::contract::{BuiltHandler, HandlerKind, Invocation};
    let registry = Registry::new();
    let kind = HandlerKind::new("mine", |_, _| {
        Some(BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())))
    });
    let first = registry.add(kind.clone());
    let copy = registry.clone();
    let second = registry.add(HandlerKind::new("mine", |_, _| None));
    assert!(second > first && copy.revision() == first);
    let load = |registry: &Registry| {
        Loader::new(registry).parse("hooks.toml", &config("mine = {}"), Path::new("/")).is_ok()
    };
    assert!(!load(&registry) && load(&copy));
}
