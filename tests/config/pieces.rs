//! A good file is understood, and whatever is left of it is no trouble.

use hookgate::config::ConfigProblem;

use crate::loading::{load, load_bytes};

const GOOD: &str = r#"version = 1

[limits]
dispatch_deadline = "60s"
payload = "1MiB"
output = 262_144
background_queue = 0x400
concurrency = 4
stop_denials = 3
timeout = { command = "5s", my-kind = "30s" }

[[hook]]
id = "mine"
event = "x.deploy"
after = "first"
handler = { kind = "my-kind", anything = 1 }

[[hook]]
id = "first"
event = "x.deploy"
my-kind = {}

[[hook]]
id = "no-force-push"   # é
event = ["pre_tool_use", "PostToolUse"]
tool = ["Bash", "Shell"]
tool_glob = "{B,S}*"
tool_regex = 'B.*'
regex_search = true
safety = "destructive"
agent = "reviewer"
cwd_glob = "/srv/**"
mode = "warn"
priority = -10
timeout = "2s"
on_failure = "deny"
on_oversize = "allow"
may_allow = true
merge = true
tags = ["git", "é"]
builtin = { name = "deny", reason = "force push is not allowed here" }
role = "guard"

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
        loaded.table.listing().map(|hook| (hook.event.to_owned(), hook.id())).collect();
    let expected = [
        ("pre_tool_use", "no-force-push"),
        ("post_tool_use", "no-force-push"),
        ("x.deploy", "first"),
        ("x.deploy", "mine"),
    ];
    assert_eq!(order, expected.map(|(event, id)| (event.to_owned(), id)));
}

/// Whatever is wrong with it, a file is loaded or refused with places that it has. Tells which.
fn check_places(text: &str) -> bool {
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
fn a_file_that_was_cut_off_anywhere_is_no_trouble() {
    let mut refused = 0;
    for end in 0..GOOD.len() {
        match GOOD.get(..end) {
            Some(text) => refused += u32::from(check_places(text)),
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
fn a_file_with_a_wrong_character_anywhere_is_no_trouble() {
    let others = ["\"", "[", "é", "=", "\n"];
    let places = GOOD.char_indices().step_by(3);
    let refused = places.zip(others.into_iter().cycle()).filter(|((at, c), other)| {
        check_places(&format!("{}{other}{}", &GOOD[..*at], &GOOD[at + c.len_utf8()..]))
    });
    assert!(refused.count() > 150);
}
