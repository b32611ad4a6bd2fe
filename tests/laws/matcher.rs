//! Promise: a hook is invoked exactly where its conditions hold, however many hooks there are and
//! however odd the names: each matcher is compared with a naive one.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod conditions;
use hookgate_test_support::naive_glob;
use hookgate_test_support::naive_values;
mod patterns;
use hookgate_test_support as support;
mod tables;

use hookgate::contract::payload::ToolCall;
use hookgate::contract::{BuiltHandler, Invocation};
use hookgate::matcher::MatchSpec;
use hookgate::table::Hook;
use hookgate::{Engine, Event, HookEngine, StepContext, ToolUse, Verdict};
use naive_glob::{alternatives, in_class, piece_length};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use support::Log;
use tokio::runtime::Runtime;

// ==== What is generated ====

/// Few characters, so that patterns and names meet; among them all that trip up matchers.
fn letter() -> impl Strategy<Value = char> {
    prop::sample::select("abcA_-/.\n\r é😀{}[]*?!^\\,|$".chars().collect::<Vec<_>>())
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(vec!['a', 'b', '/', '\n', 'é', ',']), 0..7)
            .prop_map(String::from_iter),
        1 => prop::collection::vec(letter(), 0..7).prop_map(String::from_iter),
        1 => prop::sample::select(vec!["Bash", "Read", "Edit", "mcp__fs__read", ""])
            .prop_map(str::to_owned),
    ]
}

fn literal() -> impl Strategy<Value = String> {
    letter().prop_map(|c| match c {
        // A dot may precede a star only if it is not meant as in a regular expression.
        '*' | '?' | '[' | '{' | '}' | '\\' | ',' | '|' | '^' | '$' | '!' | '.' => format!("\\{c}"),
        c => c.to_string(),
    })
}

fn class() -> impl Strategy<Value = String> {
    let member = letter().prop_map(|c| match c {
        ']' | '\\' | '!' | '^' | '-' => format!("\\{c}"),
        c => c.to_string(),
    });
    let range = prop::sample::select(vec!["a-c", "A-z", "\\!-/", "à-ü"]).prop_map(str::to_owned);
    let members = prop::collection::vec(prop_oneof![3 => member, 1 => range], 1..4);
    let head = prop::sample::select(vec!["[", "[!", "[^", "[]", "[!]"]);
    let tail = prop::sample::select(vec!["]", "-]"]);
    (head, members, tail).prop_map(|(head, all, tail)| format!("{head}{}{tail}", all.concat()))
}

fn glob() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => literal(),
        2 => prop::sample::select(vec!["*", "**", "?", "é", "a"]).prop_map(str::to_owned),
        1 => class(),
    ];
    let row = |piece: BoxedStrategy<String>| {
        prop::collection::vec(piece, 0..5).prop_map(|all| all.concat()).boxed()
    };
    let nested = row(piece.boxed()).prop_recursive(2, 12, 3, move |inner| {
        let braces = prop::collection::vec(inner.clone(), 1..4)
            .prop_map(|all| format!("{{{}}}", all.join(",")));
        row(prop_oneof![2 => inner, 1 => braces].boxed())
    });
    // What cannot be meant is refused, see `what_cannot_be_meant_is_refused` in `matcher/name.rs`.
    nested.prop_filter("it can be meant", |glob| {
        let slashed = glob.len() > 2 && glob.starts_with('/') && glob.ends_with('/');
        !slashed && !glob.is_empty() && glob.trim() == glob
    })
}

/// Patterns of `tool`: names, globs, alternatives, and such that leave out.
fn tool_patterns() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(vec![
        "Bash",
        "Read",
        "a",
        "b",
        "ab",
        "é",
        "_",
        "*",
        "**",
        "?",
        "[ab]",
        "[!a]",
        "[a-z]",
        "{a,b}",
        "{Re,E}ad",
        "{,x}",
        "[]a]",
        "mcp__fs__",
        "[a|b]",
        "/",
        ":",
        "-",
        ".",
        " x",
    ]);
    let part = prop::collection::vec(piece, 1..4).prop_map(|all| all.concat());
    let pattern = (prop::collection::vec(part, 1..3), prop::bool::weighted(0.3)).prop_map(
        |(parts, negated)| format!("{}{}", if negated { "!" } else { "" }, parts.join("|")),
    );
    prop::collection::vec(pattern, 1..4)
}

/// A name that a glob matches, or nearly: each choice is made by the next of some numbers.
fn instance(glob: &str, numbers: &[usize], wrong: bool) -> String {
    let mut numbers = numbers.iter().copied().cycle();
    let mut pick = |from: &[char]| {
        let number = numbers.next().unwrap_or_default();
        from.get(number % from.len().max(1)).copied()
    };
    let glob: Vec<char> = glob.chars().collect();
    let all = alternatives(&glob);
    let index = pick(&['\0', '\u{1}', '\u{2}', '\u{3}']).map_or(0, |c| c as usize);
    let mut rest = &all[index % all.len()][..];
    let any: Vec<char> = "ab/\n é😀]A,".chars().collect();
    let mut name = String::new();
    while let Some(&first) = rest.first() {
        let length = piece_length(rest);
        match first {
            '*' if pick(&any) == Some('a') => {}
            '*' | '?' => name.extend(pick(&any)),
            '[' => {
                let class = &rest[1..length - 1];
                let fits: Vec<char> = any.iter().copied().filter(|c| in_class(class, *c)).collect();
                name.extend(pick(&fits));
            }
            _ => name.push(rest[length - 1]),
        }
        rest = &rest[length..];
    }
    if wrong {
        let extra = pick(&any).unwrap_or('a');
        if pick(&any) > Some('b') { name.push(extra) } else { name.insert(0, extra) }
    }
    name
}

fn regex_source() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "é", ".", "[^a]", "[a-c]", "a|b", "(?:a|bb)", "(?i)A", "\\n", "^", "$", "b*",
        ".+", "a?", "/", "\\.", "(?s:.)", "\\b", "|", "\\w", "(?m)$", "(?-s).", "\\A", "\\z",
    ]);
    prop::collection::vec(piece, 1..4).prop_map(|all| all.concat())
}

// ==== Which hooks are invoked ====

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn run<S: Strategy>(cases: u32, strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    TestRunner::new(config).run(strategy, law).unwrap_or_else(|error| panic!("{error}"));
}

/// A hook at `pre_tool_use` that only logs that it was invoked.
fn watched(id: String, matcher: MatchSpec, log: &Log) -> Hook {
    let (log, own) = (log.clone(), id.clone());
    let built = BuiltHandler::from_sync(move |_: Invocation<'_>| {
        log.push(own.clone());
        Ok(Verdict::none())
    });
    Hook::new(id, "test", built).event(Event::PreToolUse).matching(matcher)
}

fn engine(matchers: &[MatchSpec], log: &Log) -> Engine {
    let hooks = matchers.iter().cloned().enumerate();
    support::engine(hooks.map(|(index, matcher)| watched(index.to_string(), matcher, log)))
}

fn invoked(
    runtime: &Runtime,
    engine: &Engine,
    log: &Log,
    call: ToolCall,
    context: &StepContext<'_>,
) -> Vec<usize> {
    let gate = runtime.block_on(engine.dispatch(ToolUse::from(call), context));
    assert!(gate.cleared().is_some());
    log.take().iter().map(|id| id.parse().unwrap()).collect()
}

fn tools(change: impl FnOnce(&mut MatchSpec)) -> MatchSpec {
    let mut matcher = MatchSpec::default();
    change(&mut matcher);
    matcher
}

fn matches_tool(matcher: MatchSpec, name: &str) -> bool {
    let log = Log::default();
    let engine = engine(&[matcher], &log);
    let call = ToolCall::new(name, json!({}));
    !invoked(&runtime(), &engine, &log, call, &support::context()).is_empty()
}
