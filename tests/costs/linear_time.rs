//! Promise: no text that a judged party, a handler or a config can choose makes the work grow by
//! more than 2.5 times where the text doubles: builtins, parsers, hiders, matchers, messages.
//!
//! What is measured is the processor time of this thread, as the kernel counts it, so a busy machine
//! does not matter much; and the least of several runs counts. Four times the text may take 2.5 ×
//! 2.5 times the work: what is linear takes 4 times as much, what is quadratic 16 times.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may fail")]

use hookgate_test_support as support;

use std::hint::black_box;
use std::sync::LazyLock;
use std::time::Instant;

use hookgate::builtin::BUILTINS;
use hookgate::config::Loader;
use hookgate::contract::BuildContext;
use hookgate::contract::payload::{AnyPayload, PostToolUse, ToolCall, UserPromptSubmit};
use hookgate::contract::settings::{Node, Settings};
use hookgate::contract::suggest::nearest;
use hookgate::contract::{BuiltHandler, Handler, Invocation, json, quote};
use hookgate::contract::{Envelope, StepId};
use hookgate::envelope::Incoming;
use hookgate::{Engine, HookEngine, StepContext, ToolUse, Verdict};
use hookgate_secrets::{Finder, Secrets};
use serde_json::{Value, json};

/// Work may grow so much where the text becomes four times as long.
const MOST: f64 = 2.5 * 2.5;

/// The text is made so long that the work takes so many nanoseconds at least.
const BASE: u64 = 1_000_000;

/// Work that takes less than this tells nothing about growth.
const LEAST: u64 = 250_000;

/// The shortest and the longest text to begin with.
const SIZES: std::ops::Range<usize> = 8 << 10..64 << 10;

/// What hostile texts are made of.
const UNITS: &[&str] = &[
    "-----BEGIN PRIVATE KEY-----AAAAAAAAAAAAAAAA ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN ",
    "-----END PRIVATE KEY-----",
    "AAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----",
    "\"",
    "'\"`",
    "{",
    "[",
    "{\"a\":",
    "[1,",
    "\\u0000",
    "\\",
    "\\\"",
    "a",
    "aB1",
    "ü",
    "\u{202e}",
    "\u{1b}",
    " ",
    "\n",
    "a\n",
    "://a:",
    "a://a:b",
    "a://a:b@",
    "https://0aB1cD2eF3gH4iJ5kL6m@",
    "token=(",
    "token=a(",
    "password=",
    "password=\"",
    "password='a b c d e f ",
    "token: a = ",
    "token=abc12345,a=",
    "name: DB_PASSWORD,value:",
    "name=token ",
    "<token>",
    "<token>a</token>",
    "--password a ",
    "--password abc12345 ",
    "curl -u a:b ",
    " -u a:b",
    "Authorization: Digest a ",
    "Authorization: Bearer",
    "Cookie: a=bcdef;",
    "machine a login b password ",
    "eyJ",
    "eyJaaaaaaaaa.aaaaaaaaa.",
    "sk-a",
    "sk-aaaaaaaaaaaaaaaaaaaaaaaa",
    "ghp_",
    "bearer ",
    "AKIAIOSFODNN7EXAMPLE ",
    "[redacted:jwt]token=abc12345 ",
    "[redacted:",
    "[KEY]",
    "hunter2-and-mor",
    "hunter2-and-more",
    "{} ",
    "1 ",
    "{\"decision\":\"deny\"} ",
    "decision\"",
    "\"decision\":\"",
    "\"decision\" : ",
    "{\"decision\":\"deny\",\"x\":[",
    "\"a\":1,",
    "[[hook]]\n",
    "[[hook]]\nid = 'a'\n",
    "a = 1\n",
    "a.",
    "a.b = 1\n",
    "x = '''",
    "#",
    "token:/",
    "(-user=a:(",
    "(-user=1(",
    "Authorization: Digest ${",
    "Authorization: Bearer (",
    "key=a",
];

fn repeated(unit: &str, length: usize) -> String {
    unit.repeat(length / unit.len() + 1)
}

/// Nanoseconds that this thread has had a processor.
fn cpu() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The kernel brings the sum up to date when the thread lets go.
    std::thread::yield_now();
    let counted = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    counted
        .and_then(|text| text.split(' ').next()?.parse().ok())
        .filter(|nanos| *nanos > 0)
        .unwrap_or_else(|| u64::try_from(START.elapsed().as_nanos()).unwrap())
}

fn least<T>(input: &T, rounds: usize, run: &dyn Fn(&T)) -> u64 {
    let time = |_| {
        let before = cpu();
        run(input);
        cpu() - before
    };
    (0..rounds).map(time).min().unwrap()
}

/// How much the work grows where the input becomes four times as large, if that is too much.
fn excess<T>(make: &dyn Fn(usize) -> T, run: &dyn Fn(&T)) -> Option<f64> {
    let mut size = SIZES.start;
    run(&make(size));
    while size < SIZES.end && least(&make(size), 1, run) < BASE {
        size *= 2;
    }
    growth(size, make, run)?;
    // A bound that is reached, or memory that is given back, is a step: what is not linear goes on.
    let ratio = growth(4 * size, make, run)?;
    // Told at once: the other texts take a while.
    eprintln!("{size} bytes and sixteen times as many: {ratio:.1} times the work, twice");
    Some(ratio)
}

/// How much the work grows from this size to four times as much, if that is too much.
fn growth<T>(size: usize, make: &dyn Fn(usize) -> T, run: &dyn Fn(&T)) -> Option<f64> {
    let (small, large) = (make(size), make(4 * size));
    let mut ratio = 0.0;
    // Who is too slow once may have been disturbed.
    for rounds in [1, 2, 4] {
        let least = |input| least(input, rounds, run).max(LEAST);
        let (before, after) = (least(&small), least(&large));
        #[allow(clippy::cast_precision_loss, reason = "nanoseconds of seconds")]
        let now = after as f64 / before as f64;
        ratio = now;
        if ratio <= MOST {
            return None;
        }
    }
    Some(ratio)
}

/// All hostile texts, each through this work.
#[track_caller]
fn holds_for_all_texts(what: &str, run: &dyn Fn(&String)) {
    let slow: Vec<_> = UNITS
        .iter()
        .filter_map(|unit| Some((*unit, excess(&|length| repeated(unit, length), run)?)))
        .collect();
    assert!(slow.is_empty(), "{what} is not linear in these: {slow:?}");
}

/// All hostile values, each through this work.
#[track_caller]
fn holds_for_all_values(what: &str, run: &dyn Fn(&Value)) {
    holds_for_all_made_of_values(what, &|value| value, run);
}

/// All that is made of hostile values, each through this work.
#[track_caller]
fn holds_for_all_made_of_values<T>(what: &str, prepare: &dyn Fn(Value) -> T, run: &dyn Fn(&T)) {
    let texts = UNITS.iter().step_by(3).map(|unit| {
        let make: Box<dyn Fn(usize) -> Value> =
            Box::new(move |length| Value::String(repeated(unit, length)));
        (format!("{unit:?}"), make)
    });
    let many = |of: &'static dyn Fn(usize) -> (String, Value)| -> Box<dyn Fn(usize) -> Value> {
        Box::new(move |length| Value::Object((0..length / 24).map(of).collect()))
    };
    let rows = |row: fn() -> Value| -> Box<dyn Fn(usize) -> Value> {
        Box::new(move |length| (0..length / 24).map(|_| row()).collect())
    };
    let values = [
        ("many keys", many(&|at| (format!("key-{at}"), json!(at)))),
        ("many secret keys", many(&|at| (format!("{at}_password"), json!("x")))),
        ("many keys that are secrets", many(&|at| (format!("AKIA{at:016}"), json!(1)))),
        (
            "many keys that become one",
            many(&|at| (format!("AKIAIOSFODNN7EXAMPLE {}", at % 7), json!(at))),
        ),
        ("many flags", rows(|| json!("--password"))),
        ("many pairs", rows(|| json!({"name": "DB_PASSWORD", "value": "x"}))),
        ("many objects", rows(|| json!({"secret": {"a": ["b"]}}))),
        (
            "a long key",
            Box::new(|length: usize| json!({ ("a_".repeat(length / 2)): 1 }))
                as Box<dyn Fn(usize) -> Value>,
        ),
    ];
    let all = values.into_iter().map(|(name, make)| (name.to_owned(), make)).chain(texts);
    let slow: Vec<_> = all
        .filter_map(|(name, make)| Some((name, excess(&|length| prepare(make(length)), run)?)))
        .collect();
    assert!(slow.is_empty(), "{what} is not linear in these: {slow:?}");
}

#[test]
fn what_is_quadratic_is_seen() {
    let quadratic = |text: &String| {
        let bytes = text.as_bytes();
        let equal = |at: &usize| bytes[..*at].iter().filter(|byte| **byte == b'b').count() == 1;
        black_box((0..bytes.len()).step_by(512).filter(equal).count());
    };
    let make = |length| "a".repeat(length);
    assert!(excess(&make, &quadratic).is_some());
    let linear = |text: &String| {
        black_box(text.bytes().filter(|byte| black_box(*byte) == b'b').count());
    };
    assert!(excess(&make, &linear).is_none());
}

#[test]
fn secrets_are_hidden_in_linear_time() {
    let secrets = Secrets::new([
        ("KEY".to_owned(), "hunter2-and-more".to_owned()),
        ("PEM".to_owned(), "line one of it\nline two of it\n".to_owned()),
    ]);
    holds_for_all_texts("hide_cut", &|text| {
        black_box(secrets.hide_cut(text, true, true));
    });
}

#[test]
fn secrets_are_redacted_in_linear_time() {
    let finder = Finder::new(&["(?m)^internal.*$", "a+b", "[0-9]{4}"], &["x-pin"]).unwrap();
    holds_for_all_texts("redact", &|text| {
        black_box(finder.redact(text));
    });
    holds_for_all_texts("suspects", &|text| {
        black_box(Finder::catalogue().suspects(text));
    });
}

#[test]
fn verdicts_envelopes_and_json_are_read_in_linear_time() {
    holds_for_all_texts("a verdict", &|text| {
        let _ = black_box(Verdict::parse(text.as_bytes()));
        let _ =
            black_box(Verdict::parse(format!("{{\"decision\":\"deny\",\"x\":\"{text}").as_bytes()));
    });
    holds_for_all_texts("an envelope", &|text| {
        let line = json!({"hook_event_name": text, "session_id": text});
        let _ = black_box(
            Incoming::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()),
        );
        let _ = black_box(Incoming::parse(text.as_bytes()).map_err(|error| error.to_string()));
    });
    holds_for_all_values("an envelope", &|value| {
        let line = json!({"hook_event_name": "post_tool_use", "tool_name": "x", "tool_input": value,
            "tool_response": value, "more": value});
        let _ = black_box(
            Incoming::parse(line.to_string().as_bytes()).map_err(|error| error.to_string()),
        );
        let line = json!({"hook_event_name": "stop", "tool_name": value}).to_string();
        let _ = black_box(json::parse(line.as_bytes()));
    });
    holds_for_all_values("a verdict", &|value| {
        for verdict in [
            json!({"decision": "deny", "patch": value, "annotations": value}),
            json!({"decision": "deny", "answer": value, "contributions": [value]}),
            json!({"decision": value, "reason_code": value}),
            value.clone(),
        ] {
            let _ = black_box(Verdict::parse(verdict.to_string().as_bytes()));
        }
        let mut target = value.clone();
        json::merge(&mut target, value.clone());
        black_box(target);
    });
}

#[test]
fn messages_and_hints_are_made_in_linear_time() {
    holds_for_all_texts("a message", &|text| {
        black_box(nearest(text, &["pre_tool_use", "stop"]));
        black_box(nearest("pre_tool_use", &[text.as_str(), "stop"]));
        black_box((quote::Quoted(text).to_string(), quote::message(text), quote::lines(text)));
    });
    holds_for_all_values("settings", &|value| {
        let node = Node::from_json(&json!({"known": 1, "table": value, "unknown": value}));
        let mut settings = Settings::new(&node);
        settings.integer("known");
        if let Some(mut table) = settings.table("table") {
            table.text("key");
            settings.absorb(table.finish());
        }
        let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
        black_box(errors);
    });
}

#[test]
fn the_texts_of_a_hook_are_read_in_linear_time() {
    let registry = support::registry();
    holds_for_all_texts("a hook", &|text| {
        let text = Value::String(text.chars().filter(|c| !c.is_control()).collect());
        let config = format!(
            "version = 1\n[[hook]]\nid = {text}\nevent = {text}\ntool = {text}\n\
             builtin = {{ name = {text}, reason = {text} }}\n"
        );
        let loaded = Loader::new(&registry).parse("hooks.toml", &config, "/nonexistent".as_ref());
        let _ = black_box(loaded.map(|_| ()).map_err(|errors| errors.to_string()));
    });
}

fn load(config: &str) {
    let registry = support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", config, "/nonexistent".as_ref());
    match loaded {
        Ok(loaded) => drop(black_box((loaded.table.config_hash(), loaded.warnings.len()))),
        Err(errors) => drop(black_box(errors.to_string())),
    }
}

#[test]
fn configs_are_read_in_linear_time() {
    holds_for_all_texts("a config", &|text| load(text));
}

/// A config: its name here, its beginning, what is repeated, its end.
type Rows = (&'static str, &'static str, fn(usize) -> String, &'static str);

#[test]
fn configs_of_many_mistakes_are_read_in_linear_time() {
    const DENY: &str = "builtin = { name = 'deny', reason = 'no' }\n";
    // As many of these as the config is long.
    let rows: &[Rows] = &[
        ("hooks", "", |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\n{DENY}"), ""),
        ("one id", "", |_| format!("[[hook]]\nid='h'\nevent='stop'\n{DENY}"), ""),
        ("one id, no event", "", |_| format!("[[hook]]\nid='h'\n{DENY}"), ""),
        (
            "one id, wrong role",
            "",
            |_| format!("[[hook]]\nid='h'\nevent='stop'\ntool='X'\n{DENY}"),
            "",
        ),
        (
            "missing ids",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='stop'\nafter='x{at}'\n{DENY}"),
            "",
        ),
        (
            "other events",
            "[[hook]]\nid='h'\nevent='stop'\nbuiltin='audit'\n",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\nafter='h'\n{DENY}"),
            "",
        ),
        (
            "observers",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nrole='observe'\nbuiltin='audit'\n",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\nafter='h'\n{DENY}"),
            "",
        ),
        (
            "a circle",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='stop'\nafter='h{}'\n{DENY}", at / 2),
            "",
        ),
        ("a long list", "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[", |_| "'stop',".into(), "]\n"),
        (
            "unknown events",
            "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[",
            |at| format!("'x.{at}',"),
            "]\n",
        ),
        ("globs", "[[hook]]\nid='h'\nbuiltin='audit'\nevent=[", |_| "'pre_*',".into(), "]\n"),
        ("unknown keys", "[[hook]]\nid='h'\n", |at| format!("k{at}=1\n"), ""),
        ("a line", "hook=[", |at| format!("{{id='h{at}',x=1}},"), "]\n"),
        ("required", "[require]\nhooks=[", |at| format!("'h{at}',"), "]\n"),
        (
            "required and there",
            "",
            |at| format!("[[hook]]\nid='h{at}'\nevent='pre_tool_use'\n{DENY}[require.x{at}]\n"),
            "",
        ),
        (
            "tools",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\ntool=[",
            |at| format!("'T{at}',"),
            "]\n",
        ),
        (
            "tools and not",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\ntool=[",
            |at| format!("'T{at}','!T{at}',"),
            "]\n",
        ),
        (
            "inputs",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\n[hook.input]\n",
            |at| format!("'/a{at}'={{equals={at}}}\n"),
            "",
        ),
        (
            "numbers",
            "[[hook]]\nid='h'\nevent='pre_tool_use'\nbuiltin='audit'\n[hook.input]\n'/a'={one_of=[",
            |at| format!("1e{at},99999999999999999999,"),
            "]}\n",
        ),
        (
            "arguments",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['sh'",
            |at| format!(",'-a{at}'"),
            "]}\n",
        ),
        (
            "wrappers",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['env'",
            |_| ",'env'".into(),
            "]}\n",
        ),
        (
            "variables",
            "[[hook]]\nid='h'\nevent='stop'\ncommand={argv=['env'",
            |at| format!(",'A{at}=b'"),
            "]}\n",
        ),
    ];
    let mut slow = Vec::new();
    for (name, head, row, tail) in rows {
        let make = |length: usize| {
            let mut config = format!("version = 1\n{head}");
            for at in 0.. {
                config.push_str(&row(at));
                if config.len() > length {
                    break;
                }
            }
            config + tail
        };
        slow.extend(excess(&make, &|config: &String| load(config)).map(|ratio| (*name, ratio)));
    }
    assert!(slow.is_empty(), "loading is not linear in these: {slow:?}");
}

fn build(name: &str, settings: &Value) -> BuiltHandler {
    let (_, factory) = BUILTINS.iter().find(|(known, _)| *known == name).unwrap();
    let node = Node::from_json(settings);
    factory(&mut Settings::new(&node), &BuildContext::new("/".as_ref(), 1024)).unwrap()
}

fn handle(built: &BuiltHandler, payload: &dyn AnyPayload, session: &str) {
    let Handler::Sync(handler) = &built.handler else { return };
    let context = StepContext::new(session);
    let id = StepId::new(None, || "made".into());
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 30);
    let _ = black_box(handler.handle(Invocation::new("hook", &envelope)));
}

#[test]
fn builtins_answer_in_linear_time() {
    let builtins = [
        ("audit", json!({})),
        ("deny", json!({"reason": "no"})),
        ("ask", json!({"reason": "sure?"})),
        (
            "add_context",
            json!({"text": "{{ tool_name }} {% for key in tool_input %}{{ key }}{% endfor %}"}),
        ),
        ("add_date", json!({})),
        ("redact_secrets", json!({"tool_input": true})),
        ("max_iterations", json!({"limit": 3})),
    ];
    assert_eq!(builtins.len(), BUILTINS.len(), "a new builtin belongs here");
    for (name, settings) in builtins {
        let built = build(name, &settings);
        let prepare = |value: Value| {
            let text = value.as_str().unwrap_or_default().to_owned();
            let call = ToolCall::new("Bash", value.clone());
            let result = PostToolUse::new(ToolCall::new("Bash", json!({})), value);
            (call, result, UserPromptSubmit::new(text))
        };
        holds_for_all_made_of_values(name, &prepare, &|(call, result, prompt)| {
            handle(&built, call, "session-1");
            handle(&built, result, "session-1");
            handle(&built, prompt, &prompt.prompt);
        });
    }
}

#[test]
fn steps_are_matched_in_linear_time() {
    let patterns =
        [("(a|b)*c", "*a*b*c*"), (".*a.{0,50}b", "*a?b{a,b}*x"), ("(?i)token.*=.*;", "*=*=*=*;")];
    let mut config = "version = 1\n".to_owned();
    for (at, (regex, glob)) in patterns.into_iter().enumerate() {
        for (name, condition) in [
            ("tool-glob", format!("tool_glob = '{glob}'")),
            ("tool-regex", format!("tool_regex = '{regex}'")),
            ("glob", format!("input = {{ \"/command\" = {{ glob = '{glob}' }} }}")),
            ("regex", format!("input = {{ \"/command\" = {{ regex = '{regex}' }} }}")),
        ] {
            config.push_str(&format!(
                "[[hook]]\nid = '{name}-{at}'\nevent = 'pre_tool_use'\n{condition}\n\
                 builtin = {{ name = 'ask', reason = 'sure?' }}\n"
            ));
        }
    }
    let registry = support::registry();
    let loaded = Loader::new(&registry).parse("hooks.toml", &config, "/nonexistent".as_ref());
    let engine = Engine::new(loaded.unwrap().table);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let context = StepContext::new("session-1");
    holds_for_all_texts("a match", &|text| {
        let call = ToolCall::new(text.as_str(), json!({"command": text}));
        let _ = black_box(runtime.block_on(engine.dispatch(ToolUse::from(call), &context)));
    });
}
