//! Promise: conditions on the input and on the session hold as a naive reader says.

use std::collections::HashSet;

use hookgate::contract::payload::{Safety, ToolCall};
use hookgate::matcher::{InputSpec, InputTest, Test};
use hookgate::{HookEngine, Role, ToolUse, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::naive_values::naive_conditions;
use super::support::{self, Log};
use super::{engine, invoked, run, runtime, tools};

fn scalar() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!(null),
        json!(true),
        json!(1),
        json!(1.0),
        json!("1"),
        json!(""),
        json!("a"),
        json!("a\nb"),
        json!({"a": 1}),
        json!(["a"]),
        json!({"a": 1.0}),
        json!(-0.0),
        json!(0),
        json!(9_007_199_254_740_993_i64),
        json!(9_007_199_254_740_992.0),
        json!("{\"a\": 1}"),
        json!(["a", 1, {"a": "b"}]),
        json!([]),
        json!("A"),
        json!("ab"),
        json!(0.5),
        json!(-2),
    ])
}

fn input() -> impl Strategy<Value = Value> {
    (scalar(), scalar(), scalar(), any::<bool>()).prop_map(|(a, b, c, whole)| {
        if whole { json!({"a": a, "b": {"~/": b, "list": [c, "a"]}}) } else { a }
    })
}

fn condition() -> impl Strategy<Value = InputSpec> {
    let pointers = [
        "",
        "/a",
        "/b",
        "/b/~0~1",
        "/b/list/0",
        "/b/list/01",
        "/b/list/-",
        "/c",
        "/a/a",
        "/a/0/a",
        "/a/a/a",
        "/b/list/7",
        "/b/list/a",
        "/*",
        "/**",
        "/a/*",
        "/a/**",
        "/b/list/*",
        "/b/*/0",
        "/*/*/*",
        "/a/*/a",
        "/c/*",
    ];
    let pointer = prop::sample::select(pointers.to_vec()).prop_map(str::to_owned);
    let text = prop::sample::select(vec!["a", "A", "b", "\n", "1"]);
    let number = prop::sample::select(vec![json!(0), json!(1), json!(0.5), json!(1.5), json!(-1)]);
    let number = number.prop_map(|value| value.as_number().unwrap().clone());
    let texts = (text, 0..3).prop_map(|(text, kind)| match kind {
        0 => Test::contains(text),
        1 => Test::starts_with(text),
        _ => Test::ends_with(text),
    });
    let numbers = (number, 0..4).prop_map(|(number, kind)| match kind {
        0 => Test::Gt(number),
        1 => Test::Ge(number),
        2 => Test::Lt(number),
        _ => Test::Le(number),
    });
    let length = (0..3_u64, prop::option::of(0..3_u64))
        .prop_map(|(least, more)| Test::Length { least, most: more.map(|more| least + more) });
    let one_of = prop::collection::vec(texts.clone(), 1..3).prop_map(Test::Any);
    let test = prop_oneof![
        texts,
        numbers,
        length,
        one_of,
        any::<bool>().prop_map(Test::Exists),
        scalar().prop_map(Test::Equals),
        prop::collection::vec(scalar(), 0..3).prop_map(Test::OneOf),
        prop::sample::select(vec!["a", "a*", "*", "?"]).prop_map(|glob| Test::Glob(glob.into())),
        prop::sample::select(vec!["a", "a.b", "^a$", "^"]).prop_map(|s| Test::Regex(s.into())),
    ];
    let tests = prop::collection::vec(
        (test, any::<bool>(), any::<bool>()).prop_map(|(test, negated, ignore_case)| {
            let test = InputTest::from(test);
            let test = if ignore_case { test.ignore_case() } else { test };
            if negated { !test } else { test }
        }),
        1..3,
    );
    (pointer, tests).prop_map(|(pointer, tests)| {
        tests.into_iter().fold(InputSpec::new(pointer), InputSpec::test)
    })
}

#[test]
fn conditions_on_the_input_are_three_valued() {
    let hooks = prop::collection::vec(prop::collection::vec(condition(), 1..4), 1..8);
    let (yes, no) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    run(400, &(hooks, prop::collection::vec(input(), 4)), |(hooks, inputs)| {
        let log = Log::default();
        let matchers: Vec<_> = hooks.iter().map(|all| tools(|m| m.input.clone_from(all))).collect();
        let (engine, runtime) = (engine(&matchers, &log), runtime());
        for input in inputs {
            let expected: Vec<_> =
                (0..hooks.len()).filter(|&i| naive_conditions(&hooks[i], &input)).collect();
            yes.set(yes.get() + expected.len());
            no.set(no.get() + hooks.len() - expected.len());
            let call = ToolCall::new("Bash", input.clone());
            let got = invoked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{} {:?}", input, hooks);
        }
        Ok(())
    });
    assert!(yes.get() > 1000 && no.get() > 1000, "{} {}", yes.get(), no.get());
}

#[test]
fn false_beats_cannot_tell_and_cannot_tell_beats_true() {
    let regex = |pointer: &str| InputSpec::new(pointer).test(Test::regex("x"));
    let input = json!({"text": "x", "other": "y", "number": 1});
    for (pointers, expected) in [
        (&["/text"][..], true),
        (&["/other"], false),
        // A number has no letters, but the tool may read it as text.
        (&["/number"], true),
        (&["/text", "/number"], true),
        (&["/number", "/text"], true),
        (&["/number", "/other"], false),
        (&["/other", "/number"], false),
        (&["/number", "/missing"], false),
        // Nor what a tool makes of a text that may be JSON.
        (&["/text/deep/er"], true),
        (&["/text/deep", "/missing"], false),
    ] {
        let matcher = tools(|m| m.input = pointers.iter().map(|p| regex(p)).collect());
        let log = Log::default();
        let engine = engine(&[matcher], &log);
        let call = ToolCall::new("Bash", input.clone());
        let got = invoked(&runtime(), &engine, &log, call, &support::context());
        assert_eq!(!got.is_empty(), expected, "{pointers:?}");
    }
}

/// A model may write its arguments in a fields that the condition was not written for, and a rewriter
/// may give them one: the guard is invoked all the same, before and after.
#[test]
fn no_shape_of_the_input_escapes_a_guard() {
    let guard =
        || support::sync("guard", |_| Ok(Verdict::deny("no"))).input("/command", Test::regex("rm"));
    let event_fields = [
        json!("rm -rf /"),
        json!("{\"command\":\"rm -rf /\"}"),
        json!([{"command": "rm -rf /"}]),
        json!(null),
        json!({"command": ["rm", "-rf", "/"]}),
        json!({"command": {"text": "rm -rf /"}}),
        json!({"command": 1}),
    ];
    let runtime = runtime();
    for fields in event_fields {
        let denies = support::engine([guard()]);
        let step = ToolUse::from(ToolCall::new("Bash", fields.clone()));
        let gate = runtime.block_on(denies.dispatch(step, &support::context()));
        assert!(gate.cleared().is_none(), "{fields} escaped");
        if fields.is_null() {
            continue; // No patch can be null.
        }
        let made = fields.clone();
        let rewriter = support::sync("rewriter", move |_| {
            Ok(Verdict::none().patch("tool_input", made.clone()))
        })
        .role(Role::Rewrite);
        let denies = support::engine([guard(), rewriter]);
        let gate = runtime.block_on(denies.dispatch(support::bash("ls"), &support::context()));
        assert!(gate.cleared().is_none(), "a rewriter made {fields} of it");
    }
    let allows = support::engine([guard()]);
    let gate = runtime.block_on(allows.dispatch(support::bash("ls"), &support::context()));
    assert!(gate.cleared().is_some(), "the control");
}

/// All sorts of conditions together, with facts that are missing.
#[test]
fn conditions_on_the_session_are_three_valued_too() {
    const SAFETY: [Option<Safety>; 3] = [None, Some(Safety::ReadOnly), Some(Safety::Destructive)];
    const CWD: [Option<&str>; 3] = [None, Some("/srv/a/b"), Some("/home")];
    const AGENT: [Option<(&str, &str)>; 3] = [None, Some(("7", "reviewer")), Some(("8", "x"))];
    let log = Log::default();
    // Every subset of the three conditions is a hook.
    let matchers: Vec<_> = (0..8)
        .map(|bits| {
            tools(|m| {
                if bits & 1 > 0 {
                    m.safety = vec![Safety::Destructive, Safety::Network];
                }
                if bits & 2 > 0 {
                    m.cwd_glob = vec!["/srv/**".into()];
                }
                if bits & 4 > 0 {
                    m.agent = vec!["7".into(), "reviewer".into()];
                }
            })
        })
        .collect();
    let (engine, runtime) = (engine(&matchers, &log), runtime());
    let mut combinations = HashSet::new();
    for safety in SAFETY {
        for cwd in CWD {
            for agent in AGENT {
                let mut context = support::context();
                context.cwd = cwd;
                if let Some((id, kind)) = agent {
                    context = context.agent(id, kind);
                }
                let mut call = ToolCall::new("Bash", json!({}));
                call.safety = safety;
                // What is not known may be so.
                let no = [
                    safety == Some(Safety::ReadOnly),
                    cwd == Some("/home"),
                    agent == Some(("8", "x")),
                ];
                let expected: Vec<_> = (0..8_usize)
                    .filter(|bits| (0..3).all(|bit| bits & (1 << bit) == 0 || !no[bit]))
                    .collect();
                let got = invoked(&runtime, &engine, &log, call, &context);
                assert_eq!(got, expected, "{safety:?} {cwd:?} {agent:?}");
                combinations.insert(got);
            }
        }
    }
    assert_eq!(combinations.len(), 8);
}
