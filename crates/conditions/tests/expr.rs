//! Expressions in CEL: what they see, what is refused, and that none of them brings the host down.
#![cfg(feature = "expr")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{ask, at, condition, refused};
use hookgate_conditions::{Conditions, MemoryHistory};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, NodeValue, SettingEntry};
use hookgate_contract::{ConditionContext, Event, StepContext, Truth};
use proptest::prelude::*;
use serde_json::{Value, json};

fn run(source: &str, input: Value) -> (Truth, String) {
    ask(&condition("expr", &json!(source)), input, Some("/srv"))
}

#[test]
fn an_expression_sees_the_step_and_the_session() {
    let input = json!({"command": "cargo test", "timeout": 5000, "paths": ["a.rs", "b.lock"], "none": null});
    for source in [
        r#"step.tool_name == "Bash" && step.tool_input.command.startsWith("cargo")"#,
        "step.tool_input.timeout > 1000 && step.tool_input.timeout < 5000.5",
        r#"step.tool_input.paths.exists(path, path.endsWith(".lock"))"#,
        "has(step.tool_input.timeout) && !has(step.tool_input.other)",
        r#"step.tool_input.command.matches("^cargo (test|check)$")"#,
        "step.tool_input.none == null && size(step.tool_input.paths) == 2",
        r#"session.id == "session-1" && session.turn == 4 && session.cwd == "/srv" && session.agent == null"#,
        r#"step["hook_event_name"] == "pre_tool_use" && "command" in step.tool_input"#,
        "type(step.tool_input.timeout) == int",
    ] {
        let (truth, why) = run(source, input.clone());
        assert_eq!(truth, Truth::True, "{why}");
    }
    assert_eq!(run("step.tool_input.timeout > 6000", input).0, Truth::False);
}

#[test]
fn without_an_answer_it_is_unknown_and_says_why() {
    for (source, input, part) in [
        ("step.tool_input.timeout > 1", json!({}), "there is no `timeout`"),
        ("step.tool_input.timeout > 1", json!({"timeout": "5"}), "`>` does not take (string, int)"),
        (
            "step.tool_input.timeout",
            json!({"timeout": 5}),
            "its value is of type int, not a boolean",
        ),
        ("step.tool_input.a[3] == 1", json!({"a": []}), "an index is beyond the end of a list"),
        ("1 / step.tool_input.a == 1", json!({"a": 0}), "divided by zero"),
        (
            "step.tool_input.a.matches(step.tool_input.b)",
            json!({"a": "x", "b": "("}),
            "`matches` failed",
        ),
        ("step.tool_name == 'x'", json!({"a": "x".repeat(2 << 20)}), "larger than 1 MiB"),
    ] {
        let (truth, why) = run(source, input);
        assert!(truth == Truth::Unknown && why.contains(part), "{source}: {why}");
    }
    // Kleene's logic: what is not known does not matter here.
    assert_eq!(
        run(
            "step.tool_input.x > 1 || step.tool_name == 'Bash' || step.tool_name == 'x'",
            json!({})
        )
        .0,
        Truth::True
    );
}

#[test]
fn what_can_never_hold_is_refused() {
    for (source, part) in [
        ("", "it is empty"),
        ("  ", "it is empty"),
        ("stp.tool_name == 'x'", "column 1: there is no variable `stp`; did you mean `step`?"),
        (
            "true && tool_name == 'x'",
            "column 9: there is no variable `tool_name`; variables are step, session",
        ),
        ("session.turns > 3", "`session` has no `turns`; did you mean `turn`?"),
        (
            "step.tool_name.startswith('x')",
            "there is no function `startswith`; did you mean `startsWith`?",
        ),
        ("len(step.tool_name) > 3", "there is no function `len`"),
        ("step.tool_input.exists(x)", "`exists` is written as `list.exists(x, condition)`"),
        ("step.tool_input.all(x, y > 1)", "there is no variable `y`"),
        ("effects.runs.size() > 0", "effects are not known to this host"),
        ("step.tool_name.matches('(')", "column 24: "),
        ("step.tool_name == 'x' and true", "column 23: it is not CEL: "),
        ("step.tool_name == 'x' and true", "CEL writes `&&`"),
        ("step.tool_name = 'x'", "CEL writes `==`"),
        ("step.tool_name == 'x", "column 19: it is not CEL"),
        ("1 +", "unexpected input the end"),
        ("step.tool_name ==\n  tool", "line 2, column 3: there is no variable `tool`"),
        ("1 + 1", "its value is a number, and must be true or false"),
        ("'x'", "its value is a constant"),
        ("step", "its value is a map"),
        ("true", "it is always true"),
        ("false && step.tool_name == 'x'", "it is always false"),
        ("step.tool_name == 'x' || !false", "it is always true"),
        ("1 == 2", "it is always false"),
        ("step.cwd != step.cwd", "it is always false"),
        (
            "step.tool_name == 'a' && step.turn > 1 && step.tool_name == 'b'",
            "column 58: `step.tool_name` is never \"a\" and \"b\" at once",
        ),
        ("step.cwd == '/' && step.cwd != '/'", "`step.cwd` is never \"/\" and something else"),
        ("Foo{a: 1} == step", "there is no type `Foo`"),
    ] {
        let why = refused("expr", &json!(source));
        assert!(why.contains(part), "{source}: {why}");
    }
    assert!(refused("expr", &json!(1)).contains("must be a string"));
}

#[test]
fn a_value_is_compared_with_what_it_can_be() {
    let kinds = common::kinds_at(std::time::SystemTime::now());
    let kind = kinds.iter().find(|kind| kind.name() == "expr").unwrap();
    let events = [hookgate_contract::Event::PreToolUse];
    let context = hookgate_contract::ConditionContext::new("/".as_ref()).at(&events);
    let why = |source: &str| match kind.build(&json!(source), &context) {
        Ok(_) => String::new(),
        Err(errors) => errors[0].to_string(),
    };
    for (source, part) in [
        ("step.decision == 'deny'", "write `step.decision.outcome == \"deny\"`"),
        ("!(step.turn == '3')", "`step.turn` is a number"),
        ("step.rejudge == 'true' || step.turn > 3", "`step.rejudge` is true or false"),
        ("step.tool_name == 3", "`step.tool_name` is a text"),
        ("session.turn == 'x'", "`session.turn` is a number"),
        ("'x' == step.decision.by", "is a list"),
    ] {
        assert!(why(source).contains(part), "{source}: {}", why(source));
    }
    for source in [
        "step.decision.outcome == 'deny'",
        "step.tool_input.timeout == 'x'",
        "step.rejudge == true",
        "step.turn == 3 && step.tool_name != 'x' && step.tool_name != 'y'",
        "step.tool_name == 'x' || step.tool_name == 'y'",
    ] {
        assert_eq!(why(source), "", "{source}");
    }
}

#[test]
fn a_field_that_no_step_has_is_refused() {
    let kinds = common::kinds_at(std::time::SystemTime::now());
    let kind = kinds.iter().find(|kind| kind.name() == "expr").unwrap();
    let build = |source: &str, events: &[Event]| {
        let context = ConditionContext::new(Path::new("/")).at(events);
        kind.build(&json!(source), &context).map_err(|errors| errors[0].to_string())
    };
    let typo = "step.tool_nam == 'Bash'";
    let why = build(typo, &[Event::PreToolUse]).unwrap_err();
    assert!(why.ends_with("`step` has no `tool_nam`; did you mean `tool_name`?"), "{why}");
    build("step.tool_name == 'Bash' && step.cwd == '/'", &[Event::PreToolUse]).unwrap();
    build(typo, &[Event::Custom]).unwrap();
    build(typo, &[]).unwrap();
}

#[test]
fn the_span_of_a_mistake_is_in_the_expression() {
    let kinds = Conditions::new(Arc::new(MemoryHistory::new())).kinds();
    let kind = kinds.iter().find(|kind| kind.name() == "expr").unwrap();
    let span_of = |source: &str, quotes: usize| {
        let span = 100..100 + source.len() + quotes;
        let node = Node { span, value: NodeValue::Text(source.into()) };
        let entry = SettingEntry { key: "expr".into(), key_span: 0..4, node };
        let errors = kind.read(&entry, &ConditionContext::new(Path::new("/"))).unwrap_err();
        errors[0].span.clone()
    };
    let source = "step.tool_name == 'ä' && foo == 1";
    let at = source.find("foo").unwrap();
    assert_eq!(span_of(source, 2), 101 + at..102 + at);
    assert_eq!(span_of(source, 6), 103 + at..104 + at, "in three quotes");
    assert_eq!(
        span_of(source, 4),
        100..104 + source.len(),
        "with escapes the whole value is shown"
    );
}

#[test]
fn effects_come_from_the_host_and_are_made_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let effects = move |_: &hookgate_contract::Envelope<'_>| {
        counted.fetch_add(1, Ordering::Relaxed);
        json!({"runs": [{"program": "git", "args": ["push"]}], "writes": []})
    };
    let kinds = Conditions::new(Arc::new(MemoryHistory::new())).effects(effects).kinds();
    let build = |source: &str| common::build(&kinds, "expr", &json!(source));
    let runs_git = build("effects.runs.exists(run, run.program == 'git')").unwrap();
    let writes = build("size(effects.writes) > 0").unwrap();
    assert!(build("effects.write.size() > 0").unwrap_err()[0].contains("did you mean `writes`?"));
    let call = ToolCall::new("Bash", json!({"command": "git push"}));
    at(&call, &StepContext::new("s"), |step| {
        assert_eq!(runs_git.condition().hold(step), Truth::True);
        assert_eq!(writes.condition().hold(step), Truth::False);
    });
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn deep_and_long_expressions_are_refused_or_run_on_a_small_stack() {
    let wide = 4000;
    let chains = [
        vec!["1"; wide / 2].join("+") + "==1",
        format!("{}true{}", "(".repeat(wide / 2), ")".repeat(wide / 2)),
        format!("{}true", "!".repeat(wide)),
        format!("step{} == 1", ".a".repeat(wide / 2)),
        format!("step{} == 1", "[0]".repeat(wide / 4)),
        format!("{}{} == 1", "[".repeat(wide / 2), "]".repeat(wide / 2)),
        "true ? true : ".repeat(wide / 16) + "true",
        "(".repeat(wide),
        "a?".repeat(wide / 2),
        "{1:".repeat(wide / 4),
        "x".repeat(5000),
    ];
    for source in chains {
        let kinds = common::kinds_at(std::time::SystemTime::now());
        let Ok(condition) = common::build(&kinds, "expr", &json!(source)) else { continue };
        // As a host may have: the evaluation must not need more.
        let run = move || ask(&condition, json!({}), None);
        std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
    }
    let deepest = vec!["step.turn"; 21].join("+") + "==1";
    let run = move || run(&deepest, json!({}));
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn loops_have_bounds() {
    let many = json!({"a": vec![1; 5_000]});
    let (truth, why) = run("step.tool_input.a.all(x, x == 1)", many.clone());
    assert_eq!(truth, Truth::True, "{why}");
    let (truth, why) = run("step.tool_input.a.map(x, x + 1).size() == 5000", many.clone());
    assert_eq!(truth, Truth::True, "{why}");
    let (truth, why) = run("step.tool_input.a.all(x, step.tool_input.a.exists(y, x == y))", many);
    assert!(truth == Truth::Unknown && why.contains("too many for 2 loops"), "{why}");
    let some = json!({"a": vec![1; 250]});
    let (truth, why) = run("step.tool_input.a.all(x, step.tool_input.a.all(y, x == y))", some);
    assert_eq!(truth, Truth::True, "{why}");
    let (truth, why) = run("step.tool_input.a.all(x, x == 1)", json!({"a": vec![1; 100_001]}));
    assert!(truth == Truth::Unknown && why.contains("too many for a loop"), "{why}");
    let nested = "step.tool_input.a.all(a, a.all(b, b.all(c, c.all(d, d))))";
    assert!(refused("expr", &json!(nested)).contains("4 loops inside of one another"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_text_brings_the_parser_down(source in any::<String>()) {
        check(&source)?;
    }

    #[test]
    fn no_row_of_words_brings_parser_or_interpreter_down(words in prop::collection::vec(
        prop::sample::select(vec![
            "step", "session", "effects", ".", "tool_input", "(", ")", "[", "]", "{", "}", ",", ":", "?", "&&",
            "||", "!", "==", "!=", "<", "in", "+", "-", "*", "/", "%", "1", "-9223372036854775808", "1u", "0x",
            "1e999", "'x'", "\"", "'''", "b'\\xff'", "r'\\'", "\\", "`a`", "null", "true", "false", "has",
            "size", "matches", "exists", "all", "map", "filter", "x", "int", "bytes", "string", "double", " ",
            "\n", "//", "é", "😀", "\u{202e}", "\0",
        ]), 0..24)
    ) {
        check(&words.concat())?;
        check(&words.join(" "))?;
    }
}

/// Nothing panics; what was taken gives an answer and an explanation.
fn check(source: &str) -> Result<(), TestCaseError> {
    let kinds = common::kinds_at(std::time::SystemTime::UNIX_EPOCH);
    match common::build(&kinds, "expr", &json!(source)) {
        Err(errors) => {
            prop_assert!(!errors.is_empty());
            prop_assert!(!errors.iter().any(|error| error.contains("panicked")), "{errors:?}");
        }
        Ok(condition) => {
            let (_, why) = ask(&condition, json!({"a": [1, "x", null]}), Some("/srv"));
            prop_assert!(!why.is_empty() && !why.contains("panicked"), "{why}");
        }
    }
    Ok(())
}
