//! Promise: a good file is understood, and what is left of it after damage causes no panic.

use hookgate::config::ConfigProblem;
use hookgate::{Event, Role};

use crate::loading::{hook, load, load_bytes};

const GOOD: &str = r#"version = 1

[limits]
dispatch_deadline = "60s"
payload = "1MiB"
output = 262_144
background_queue = 0x400
concurrency = 4
stop_denials = 3
stop_at = "halt"
integers = "exact"
timeout = { command = "5s", my-kind = "30s" }

[[hook]]
id = "mine"
event = "x.deploy"
after = "first"
merge = true
handler = { kind = "my-kind", anything = 1 }

[[hook]]
id = "first"
event = "x.deploy"
my-kind = {}

[[hook]]
id = "no-force-push"   # é
event = ["pre_tool_use", "PostToolUse"]
tool = ["Bash|Shell", "B*", "!Bad"]
tool_glob = "{B,S}*"
tool_regex = 'B.*'
regex_search = true
safety = "destructive"
agent = ["reviewer", "!re?*7"]
cwd_glob = "/srv/**"
mode = "warn"
priority = -10
timeout = "2s"
on_failure = "deny"
on_oversize = "allow"
may_allow = true
tags = ["git", "é"]
builtin = { name = "deny", reason = "force push is not allowed here" }
role = "guard"
payload = { "/tool_input/*/**" = { glob = "x*" } }

[hook.input."/command"]
regex = "push.*--force"
not = { equals = "x", one_of = [1, 2.5, { a = 1979-05-27 }] }
"#;

#[test]
fn every_key_of_a_good_file_is_understood() {
    let loaded = load(GOOD).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(loaded.warnings.is_empty());
    let limits = loaded.table.limits();
    assert_eq!((limits.output, limits.background_queue, limits.concurrency), (262_144, 1024, 4));
    assert_eq!(limits.timeout_of("my-kind").as_secs(), 30);
    let order: Vec<_> =
        loaded.table.listing().map(|hook| (hook.event.to_owned(), hook.id().as_str())).collect();
    let expected = [
        ("pre_tool_use", "no-force-push"),
        ("post_tool_use", "no-force-push"),
        ("x.deploy", "first"),
        ("x.deploy", "mine"),
    ];
    assert_eq!(order, expected.map(|(event, id)| (event.to_owned(), id)));
}

/// Whatever is wrong with it, a file is loaded or refused at positions within it. Tells which.
fn check_positions(text: &str) -> bool {
    let Err(errors) = load(text) else { return false };
    assert!(!errors.errors().is_empty());
    let lines = text.split('\n').count();
    for error in errors.errors() {
        let line = text.split('\n').nth(error.line() - 1);
        let width =
            line.unwrap_or_else(|| panic!("line {} of {lines}", error.line())).chars().count();
        assert!((1..=width + 1).contains(&error.column()), "{error} at {}", error.column());
        assert!(!error.message().is_empty());
    }
    true
}

#[test]
fn a_file_that_was_cut_off_anywhere_is_loaded_or_refused() {
    let mut refused = 0;
    for end in 0..GOOD.len() {
        match GOOD.get(..end) {
            Some(text) => refused += u32::from(check_positions(text)),
            // In the middle of a character: only a file can be cut off there.
            None => {
                let errors = load_bytes(&GOOD.as_bytes()[..end]).unwrap_err();
                assert!(matches!(errors.errors()[0].problem(), ConfigProblem::Utf8), "{errors}");
            }
        }
    }
    assert!(refused > 500, "{refused}");
}

#[test]
fn a_file_with_a_wrong_character_anywhere_is_loaded_or_refused() {
    let others = ["\"", "[", "é", "=", "\n"];
    let offsets = GOOD.char_indices().step_by(3);
    let refused = offsets.zip(others.into_iter().cycle()).filter(|((at, c), other)| {
        check_positions(&format!("{}{other}{}", &GOOD[..*at], &GOOD[at + c.len_utf8()..]))
    });
    assert!(refused.count() > 150);
}

fn events_of(text: &str) -> Vec<String> {
    let loaded = load(text).unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    loaded.table.listing().map(|hook| hook.event.to_owned()).collect()
}

/// The events that are registered by the embedder are events as well.
#[test]
fn a_star_is_every_event() {
    let mut all: Vec<_> = Event::NAMED.into_iter().map(|event| event.name().to_owned()).collect();
    all.push("x.deploy".into());
    assert_eq!(events_of(&hook("a", "*", "role = \"observe\"")), all);
    assert_eq!(events_of(&hook("a", "*", "")), all, "each with its own role");
}

#[test]
fn a_glob_takes_in_the_events_at_which_the_hook_makes_sense() {
    let of = |event: &str, more: &str| events_of(&hook("a", event, more));
    let posts = [
        "post_llm_response",
        "post_tool_use",
        "post_tool_use_failure",
        "post_tool_batch",
        "post_compact",
    ];
    assert_eq!(of("post_*", ""), posts);
    assert_eq!(of("post_*", "role = \"rewrite\""), posts[..3]);
    assert_eq!(of("post_*", "tool = \"Bash\""), posts[1..3]);
    assert_eq!(of("{stop,x.*}", ""), ["stop", "x.deploy"]);
    for contract in Event::NAMED.into_iter().map(Event::contract) {
        let guarded = of("*", "role = \"guard\"").contains(&contract.name.to_owned());
        assert_eq!(guarded, contract.takes_role(Role::Guard), "{}", contract.name);
    }
    // An event that is named as well is invoked once; an event that is named must suit the handler.
    let both = hook("a", "stop", "").replace("\"stop\"", "[\"stop\", \"s*p\", \"subagent_*\"]");
    assert_eq!(events_of(&both), ["stop", "subagent_start", "subagent_stop"]);
    let named = hook("a", "stop", "tool = \"Bash\"").replace("\"stop\"", "[\"stop\", \"pre_*\"]");
    assert!(load(&named).is_err());
}

/// A hook that reads its own handler's role: `redact_secrets` rewrites, and fits where text is.
#[test]
fn a_glob_selects_only_events_that_suit_the_handler() {
    let text = hook("a", "*", "").replace("\"log\"", "{ name = \"redact_secrets\" }");
    let events = events_of(&text);
    assert!(events.contains(&"post_tool_use".to_owned()), "{events:?}");
    assert!(!events.contains(&"stop".to_owned()), "{events:?}");
}

/// A condition is checked where it is written, at every event and under every name of it.
#[test]
fn a_pointer_to_a_field_that_exists_nowhere_is_refused_at_every_event() {
    for fields in crate::envelopes::event_fields() {
        let name = fields.event.name();
        for field in hookgate::contract::payload::fields(fields.event) {
            let good = format!("payload = {{ \"/{field}/x\" = {{ exists = true }} }}");
            assert!(load(&hook("a", name, &good)).is_ok(), "{name} {field}");
        }
        for field in fields.whole().keys().filter(|field| *field != "hook_event_name") {
            assert!(
                hookgate::contract::payload::fields(fields.event).contains(&field.as_str()),
                "{name} {field}"
            );
        }
        for wrong in ["/nowhere", "/nowhere/x", "/session_id"] {
            let bad = format!("payload = {{ \"{wrong}\" = {{ exists = true }} }}");
            assert!(load(&hook("a", name, &bad)).is_err(), "{name} {wrong}");
        }
        for open in ["", "/*", "/**", "/*/x"] {
            let good = format!("payload = {{ \"{open}\" = {{ exists = true }} }}");
            assert!(load(&hook("a", name, &good)).is_ok(), "{name} {open}");
        }
        let input = "input = { \"/nowhere\" = { exists = true } }";
        assert_eq!(load(&hook("a", name, input)).is_ok(), fields.event.contract().tool, "{name}");
    }
    // What an event of the embedder carries is not known.
    assert!(load(&hook("a", "x.deploy", "input = { \"/target\" = { exists = true } }")).is_ok());
}

#[test]
fn a_control_character_in_any_pattern_is_refused() {
    for (key, written) in [
        ("tool", "\"Ba\\bsh\""),
        ("agent", "\"a\\fb\""),
        ("tool_glob", "\"Ba\\u0000*\""),
        ("tool_regex", "\"\\bBash\\b\""),
        ("cwd_glob", "\"/srv/\\u001b*\""),
        ("input", "{ \"/a\" = { glob = \"\\brm\" } }"),
        ("input", "{ \"/a\" = { regex = \"\\u007f\" } }"),
        ("input", "{ \"/a\\b\" = { exists = true } }"),
        ("payload", "{ \"/tool_name\" = { not = { regex = \"\\brm\" } } }"),
    ] {
        let text = hook("a", "pre_tool_use", &format!("{key} = {written}"));
        let errors = load(&text).unwrap_err().to_string();
        assert!(errors.contains("control character"), "{key} {written}: {errors}");
        assert!(!errors.chars().any(|c| c.is_control() && c != '\n'), "{errors:?}");
    }
    let lines = "input = { \"/a\" = { regex = \"a\\tb\\nc\\r\", glob = \"*\\n*\" }, \"/b\" = { equals = \"\\b\" } }";
    assert!(load(&hook("a", "pre_tool_use", lines)).is_ok(), "a text may have tabs and lines");
}
