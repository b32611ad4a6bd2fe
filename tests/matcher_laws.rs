//! Promise: a hook is asked exactly where its conditions hold, however many hooks there are and
//! however odd the names: each matcher is compared with a naive one.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[path = "support/naive_glob.rs"]
mod naive_glob;
#[path = "support/naive_values.rs"]
mod naive_values;
mod support;

use std::collections::HashSet;

use hookgate::contract::payload::{Safety, ToolCall};
use hookgate::contract::{Ask, Built};
use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};
use hookgate::table::HookSpec;
use hookgate::{Engine, Event, HandlerTable, HookEngine, Role, StepContext, ToolUse, Verdict};
use naive_glob::{alternatives, in_class, naive_glob, naive_names, piece_length};
use naive_values::naive_conditions;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use regex::Regex;
use serde_json::{Value, json};
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
        // A dot may stand before a star only if it is not meant as in a regular expression.
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

// ==== Which hooks are asked ====

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn run<S: Strategy>(cases: u32, strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 500, ..Config::default() };
    TestRunner::new(config).run(strategy, law).unwrap_or_else(|error| panic!("{error}"));
}

/// A hook at `pre_tool_use` that says nothing but that it was asked.
fn watched(id: String, matcher: MatchSpec, log: &Log) -> HookSpec {
    let (log, own) = (log.clone(), id.clone());
    let built = Built::sync(move |_: Ask<'_>| {
        log.push(own.clone());
        Ok(Verdict::none())
    });
    HookSpec::new(id, "test", built).on(Event::PreToolUse).when(matcher)
}

fn engine(matchers: &[MatchSpec], log: &Log) -> Engine {
    let hooks = matchers.iter().cloned().enumerate();
    support::engine(hooks.map(|(index, matcher)| watched(index.to_string(), matcher, log)))
}

fn asked(
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

fn asked_about(matcher: MatchSpec, name: &str) -> bool {
    let log = Log::default();
    let engine = engine(&[matcher], &log);
    let call = ToolCall::new(name, json!({}));
    !asked(&runtime(), &engine, &log, call, &support::context()).is_empty()
}

// ==== Patterns ====

#[test]
fn a_glob_means_what_the_naive_matcher_says() {
    let (runtime, log) = (runtime(), Log::default());
    let (met, missed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let near = (prop::collection::vec(0..64_usize, 6), prop::bool::weighted(0.3));
    let names = (prop::collection::vec(near, 4), prop::collection::vec(name(), 2));
    run(500, &(glob(), names), |(glob, (near, other))| {
        let engine = engine(&[tools(|m| m.tool_glob.push(glob.clone()))], &log);
        let near = near.iter().map(|(numbers, wrong)| instance(&glob, numbers, *wrong));
        for name in near.chain(other) {
            let expected = naive_glob(&glob, &name);
            let call = ToolCall::new(name.clone(), json!({}));
            let got = !asked(&runtime, &engine, &log, call, &support::context()).is_empty();
            prop_assert_eq!(got, expected, "{:?} on {:?}", glob, name);
            let count = if expected { &met } else { &missed };
            count.set(count.get() + 1);
        }
        Ok(())
    });
    assert!(met.get() > 500 && missed.get() > 500, "{} {}", met.get(), missed.get());
}

/// The control: obvious recipes differ from the naive matcher, so the comparison would tell.
#[test]
fn the_naive_matcher_tells_wrong_recipes_apart() {
    // A dot that does not match newlines; a star that stops at a slash; a byte for a character.
    assert!(
        naive_glob("git *", "git a\nb") && !Regex::new("^git .*$").unwrap().is_match("git a\nb")
    );
    assert!(naive_glob("a*c", "a/b/c") && naive_glob("?", "é") && !naive_glob("??", "é"));
    assert!(naive_glob("{a,b{c,d}}e", "bde") && !naive_glob("{a,b{c,d}}e", "be"));
    assert!(naive_glob("[!a-c]", "\n") && naive_glob("[]-]", "-") && !naive_glob("[!]]", "]"));
    assert!(naive_glob("\\{a,b\\}", "{a,b}") && !naive_glob("bash", "Bash"));
}

#[test]
fn a_tool_regex_means_the_whole_name() {
    let (runtime, log) = (runtime(), Log::default());
    let met = std::cell::Cell::new(0);
    run(400, &(regex_source(), prop::collection::vec(name(), 6)), |(source, names)| {
        let whole = Regex::new(&format!("(?s)^(?:{source})$"));
        let Ok(whole) = whole else { return Ok(()) };
        let parts = Regex::new(&format!("(?s){source}")).unwrap();
        let anchored = tools(|m| m.tool_regex.push(source.clone()));
        let searching = tools(|m| {
            m.tool_regex.push(source.clone());
            m.regex_search = true;
        });
        let engine = engine(&[anchored, searching], &log);
        for name in names {
            let mut expected = Vec::new();
            if whole.is_match(&name) {
                expected.push(0);
                met.set(met.get() + 1);
            }
            if parts.is_match(&name) {
                expected.push(1);
            }
            let call = ToolCall::new(name.clone(), json!({}));
            let got = asked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{:?} on {:?}", source, name);
        }
        Ok(())
    });
    assert!(met.get() > 150, "only {} matches", met.get());
}

#[test]
fn a_regex_does_not_leave_its_brackets() {
    assert!(!asked_about(tools(|m| m.tool_regex.push("Bash".into())), "Bash\n"));
    assert!(!asked_about(tools(|m| m.tool_regex.push("Read|Bash".into())), "xBash"));
    assert!(asked_about(tools(|m| m.tool_regex.push("a.b".into())), "a\nb"));
    for source in ["a)|(b", "(?x) a # a comment\n)|(b", "a(?x) # "] {
        let log = Log::default();
        let hook = watched("h".into(), tools(|m| m.tool_regex.push(source.into())), &log);
        let built = HandlerTable::builder().insert(hook).build();
        assert!(built.is_err(), "{source:?}");
    }
}

/// Whatever is written under `tool`: it is refused, or means what it says.
fn tool_means_what_it_says(patterns: &[String], names: &[String]) -> Option<(usize, usize)> {
    let log = Log::default();
    let hook = watched("0".into(), tools(|m| m.tool = patterns.to_vec()), &log);
    let engine = Engine::new(HandlerTable::builder().insert(hook).build().ok()?);
    let runtime = runtime();
    let (mut met, mut missed) = (0, 0);
    for name in names {
        let expected = naive_names(patterns, name);
        let call = ToolCall::new(name.clone(), json!({}));
        let got = !asked(&runtime, &engine, &log, call, &support::context()).is_empty();
        assert_eq!(got, expected, "{patterns:?} on {name:?}");
        if got { met += 1 } else { missed += 1 }
    }
    Some((met, missed))
}

#[test]
fn names_globs_alternatives_and_what_is_left_out_mean_what_the_naive_matcher_says() {
    let (met, missed) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let near = [
        "a",
        "b",
        "ab",
        "Bash",
        "Read",
        "Ead",
        "mcp__fs__",
        "_",
        "/",
        "x",
        "",
        "|",
        "Basha",
        "é",
        "a x",
    ];
    let names = prop::collection::vec(
        prop_oneof![1 => name(), 3 => prop::sample::select(near.to_vec()).prop_map(str::to_owned)],
        8,
    );
    run(1500, &(tool_patterns(), names), |(patterns, names)| {
        if let Some((hits, others)) = tool_means_what_it_says(&patterns, &names) {
            met.set(met.get() + hits);
            missed.set(missed.get() + others);
        }
        Ok(())
    });
    assert!(met.get() > 2000 && missed.get() > 1500, "{} {}", met.get(), missed.get());
}

/// The property test of the fuzz target `tool_pattern`.
#[test]
fn any_text_under_tool_is_refused_or_means_what_it_says() {
    let text = prop::collection::vec(letter(), 0..8).prop_map(String::from_iter);
    let names = prop::collection::vec(name(), 4);
    let taken = std::cell::Cell::new(0);
    run(1500, &(prop::collection::vec(text, 1..3), names), |(patterns, names)| {
        let meant = tool_means_what_it_says(&patterns, &names);
        taken.set(taken.get() + usize::from(meant.is_some()));
        Ok(())
    });
    assert!(taken.get() > 20, "only {} were taken", taken.get());
}

#[test]
fn a_name_that_can_never_match_does_not_load() {
    for text in [
        "",
        " ",
        "Bash ",
        " Bash",
        "Edit | Write",
        "Edit|",
        "mcp__.*",
        ".*",
        "^Bash",
        "Bash$",
        "(a|b)",
        r"\w+",
        "Bash(git push:*)",
        "“Bash”",
        "'Bash'",
        "Ba\u{8}sh",
        "Ba\u{0}sh",
        "Bash\u{200b}",
        "Edit, Write",
        "!",
        "!!Bash",
        "!*",
        "[ab",
        "a}",
        "/Bash/",
        "a+",
    ] {
        for set in [(|m, text| m.tool.push(text)) as fn(&mut MatchSpec, String), |m, text| {
            m.agent.push(text)
        }] {
            let hook = watched("h".into(), tools(|m| set(m, text.into())), &Log::default());
            assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
        }
    }
    for text in ["", " ", "Bash ", "Edit|Write", "^Bash$", "mcp__.*", "!Bash", "a\u{8}"] {
        let hook = watched("h".into(), tools(|m| m.tool_glob.push(text.into())), &Log::default());
        assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
    }
    for text in ["", "\t", "Bash ", " Bash", "“Bash”", "\u{8}Bash\u{8}"] {
        let hook = watched("h".into(), tools(|m| m.tool_regex.push(text.into())), &Log::default());
        assert!(HandlerTable::builder().insert(hook).build().is_err(), "{text:?}");
    }
}

#[test]
fn a_star_under_tool_is_every_tool() {
    for name in ["Bash", "mcp__fs__read", "", "a\nb", &"x".repeat(100_000)] {
        assert!(asked_about(tools(|m| m.tool.push("*".into())), name), "{name:.20}");
    }
    for (pattern, yes, no) in
        [("Bash|Edit", "Edit", "Write"), ("mcp__*", "mcp__git", "Bash"), ("!Bash", "Edit", "Bash")]
    {
        assert!(asked_about(tools(|m| m.tool.push(pattern.into())), yes), "{pattern}");
        assert!(!asked_about(tools(|m| m.tool.push(pattern.into())), no), "{pattern}");
    }
}

// ==== Whole tables ====

/// The conditions of a hook on the tool: lists of names, globs and regexes.
#[derive(Debug, Clone)]
struct Patterns {
    tool: Vec<String>,
    glob: Vec<String>,
    regex: Vec<String>,
    search: bool,
}

impl Patterns {
    fn matcher(&self) -> MatchSpec {
        tools(|m| {
            m.tool.clone_from(&self.tool);
            m.tool_glob.clone_from(&self.glob);
            m.tool_regex.clone_from(&self.regex);
            m.regex_search = self.search;
        })
    }

    fn regexes(&self) -> Vec<Regex> {
        let whole = |source: &String| {
            if self.search { format!("(?s){source}") } else { format!("(?s)^(?:{source})$") }
        };
        self.regex.iter().map(|source| Regex::new(&whole(source)).unwrap()).collect()
    }

    /// One entry of each list that is not empty.
    fn holds(&self, regexes: &[Regex], name: &str) -> bool {
        naive_names(&self.tool, name)
            && (self.glob.is_empty() || self.glob.iter().any(|glob| naive_glob(glob, name)))
            && (regexes.is_empty() || regexes.iter().any(|regex| regex.is_match(name)))
    }
}

/// Whether a table takes the patterns.
fn usable(patterns: &Vec<String>) -> bool {
    let matcher = tools(|m| m.tool.clone_from(patterns));
    let hook = watched("h".into(), matcher, &Log::default());
    HandlerTable::builder().insert(hook).build().is_ok()
}

fn patterns() -> impl Strategy<Value = Patterns> {
    let good =
        |source: &String| !source.is_empty() && Regex::new(&format!("(?s)^(?:{source})$")).is_ok();
    (
        prop_oneof![1 => Just(Vec::new()), 1 => tool_patterns().prop_filter("it can be meant", usable)],
        prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec(glob(), 1..3)],
        prop_oneof![
            3 => Just(Vec::new()),
            1 => prop::collection::vec(regex_source().prop_filter("compiles", good), 1..3),
        ],
        any::<bool>(),
    )
        .prop_map(|(tool, glob, regex, search)| Patterns { tool, glob, regex, search })
}

#[test]
fn a_table_asks_exactly_the_hooks_that_match() {
    let table = prop::collection::vec(patterns(), 0..50);
    let names = prop::collection::vec(name(), 1..12);
    let met = std::cell::Cell::new(0);
    run(40, &(table, names), |(table, names)| {
        let log = Log::default();
        let matchers: Vec<_> = table.iter().map(Patterns::matcher).collect();
        let regexes: Vec<_> = table.iter().map(Patterns::regexes).collect();
        let (engine, runtime) = (engine(&matchers, &log), runtime());
        // The first time is matched, the others are remembered.
        for name in names.iter().chain(&names).chain(names.iter().rev()) {
            let expected: Vec<_> =
                (0..table.len()).filter(|&i| table[i].holds(&regexes[i], name)).collect();
            met.set(met.get() + expected.len());
            let call = ToolCall::new(name.clone(), json!({}));
            let got = asked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{:?}", name);
        }
        Ok(())
    });
    assert!(met.get() > 1000, "only {} matches", met.get());
}

/// More names than a bucket remembers.
#[test]
fn a_full_memo_changes_nothing() {
    let log = Log::default();
    let globs = ["t*1", "t*2", "*7", "t?"];
    let matchers = globs.map(|glob| tools(|m| m.tool_glob.push(glob.into())));
    let (engine, runtime) = (engine(&matchers, &log), runtime());
    for _ in 0..2 {
        for number in 0..1500 {
            let name = format!("t{number}");
            let expected: Vec<_> = (0..4).filter(|&i| naive_glob(globs[i], &name)).collect();
            let call = ToolCall::new(name.clone(), json!({}));
            let got = asked(&runtime, &engine, &log, call, &support::context());
            assert_eq!(got, expected, "{name}");
        }
    }
}

// ==== Conditions on the input ====

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
    let test = prop_oneof![
        any::<bool>().prop_map(Test::Exists),
        scalar().prop_map(Test::Equals),
        prop::collection::vec(scalar(), 0..3).prop_map(Test::OneOf),
        prop::sample::select(vec!["a", "a*", "*", "?"]).prop_map(|glob| Test::Glob(glob.into())),
        prop::sample::select(vec!["a", "a.b", "^a$", "^"]).prop_map(|s| Test::Regex(s.into())),
    ];
    let tests = prop::collection::vec(
        (test, any::<bool>()).prop_map(|(test, negated)| InputTest { test, negated }),
        1..3,
    );
    (pointer, tests).prop_map(|(pointer, tests)| InputSpec { pointer, tests })
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
            let got = asked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{} {:?}", input, hooks);
        }
        Ok(())
    });
    assert!(yes.get() > 1000 && no.get() > 1000, "{} {}", yes.get(), no.get());
}

#[test]
fn false_beats_cannot_tell_and_cannot_tell_beats_true() {
    let regex = |pointer: &str| {
        let test = InputTest { test: Test::Regex("x".into()), negated: false };
        InputSpec { pointer: pointer.into(), tests: vec![test] }
    };
    let input = json!({"text": "x", "other": "y", "number": 1});
    for (pointers, expected) in [
        (&["/text"][..], true),
        (&["/other"], false),
        // A number has no letters, but who knows what the tool makes of it.
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
        let got = asked(&runtime(), &engine, &log, call, &support::context());
        assert_eq!(!got.is_empty(), expected, "{pointers:?}");
    }
}

/// A model may write its arguments in a shape that the condition was not written for, and a rewriter
/// may give them one: the guard is asked all the same, before and after.
#[test]
fn no_shape_of_the_input_escapes_a_guard() {
    let guard = || {
        let test = InputTest { test: Test::Regex("rm".into()), negated: false };
        let input = vec![InputSpec { pointer: "/command".into(), tests: vec![test] }];
        support::sync("guard", |_| Ok(Verdict::deny("no"))).when(tools(|m| m.input = input))
    };
    let shapes = [
        json!("rm -rf /"),
        json!("{\"command\":\"rm -rf /\"}"),
        json!([{"command": "rm -rf /"}]),
        json!(null),
        json!({"command": ["rm", "-rf", "/"]}),
        json!({"command": {"text": "rm -rf /"}}),
        json!({"command": 1}),
    ];
    let runtime = runtime();
    for shape in shapes {
        let denies = support::engine([guard()]);
        let step = ToolUse::from(ToolCall::new("Bash", shape.clone()));
        let gate = runtime.block_on(denies.dispatch(step, &support::context()));
        assert!(gate.cleared().is_none(), "{shape} escaped");
        if shape.is_null() {
            continue; // No patch can be null.
        }
        let made = shape.clone();
        let rewriter = support::sync("rewriter", move |_| {
            Ok(Verdict::none().patch("tool_input", made.clone()))
        })
        .role(Role::Rewrite);
        let denies = support::engine([guard(), rewriter]);
        let gate = runtime.block_on(denies.dispatch(support::bash("ls"), &support::context()));
        assert!(gate.cleared().is_none(), "a rewriter made {shape} of it");
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
                    m.cwd_glob = vec!["/srv/*".into()];
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
                let got = asked(&runtime, &engine, &log, call, &context);
                assert_eq!(got, expected, "{safety:?} {cwd:?} {agent:?}");
                combinations.insert(got);
            }
        }
    }
    assert_eq!(combinations.len(), 8);
}
