//! Promise: everything that is wrong with a hooks.toml is reported in one run, each mistake with
//! its line and column and with what was probably meant; what is right does what it says.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]
#![cfg(feature = "builtin")]

#[path = "support/envelopes.rs"]
mod envelopes;
mod support;

use std::collections::BTreeSet;
use std::path::Path;

use hookgate::config::{ConfigErrors, ConfigProblem, Loaded, Loader};
use hookgate::contract::alias::ALIASES;
use hookgate::contract::envelope::Incoming;
use hookgate::contract::settings::SettingProblem;
use hookgate::contract::{Ask, Built, Contract, Kind};
use hookgate::matcher::MatchError;
use hookgate::table::BuildProblem;
use hookgate::{Engine, Event, FailureClass, HookEngine, Outcome, Registry, Role, Verdict};
use serde_json::{Value, json};
use support::Log;

// ==== Loading ====

static DEPLOY: Contract = Contract::custom("x.deploy", Kind::Gate);

/// A registry with a kind, an event and builtins of an embedder: `log` says that it was asked,
/// `patch` rewrites whatever can be rewritten.
fn registry(log: &Log) -> Registry {
    let registry = Registry::with_defaults();
    let log = log.clone();
    registry
        .register_builtin("log", move |_, _| {
            let log = log.clone();
            Some(Built::sync(move |ask: Ask<'_>| {
                log.push(ask.hook);
                Ok(Verdict::none())
            }))
        })
        .unwrap();
    registry
        .register_builtin("patch", |_, _| {
            Some(Built::sync(|ask: Ask<'_>| {
                let fields = ask.contract().patch.iter().take(1);
                Ok(fields
                    .fold(Verdict::none(), |verdict, field| verdict.patch(field.name, "patched")))
            }))
        })
        .unwrap();
    registry
        .register("my-kind", |settings, _| {
            settings.integer("anything");
            Some(Built::sync(|_: Ask<'_>| Ok(Verdict::none())))
        })
        .unwrap();
    registry.register("hopeless", |_, _| None).unwrap();
    registry
        .register("uneasy", |_, _| {
            let mut built = Built::sync(|_: Ask<'_>| Ok(Verdict::none()));
            built.warnings.push("everybody can change it".to_owned());
            Some(built)
        })
        .unwrap();
    registry.register_event(&DEPLOY).unwrap();
    registry
}

fn load_with(log: &Log, text: &str) -> Result<Loaded, ConfigErrors> {
    Loader::new(&registry(log)).parse("hooks.toml", text, Path::new("/"))
}

fn load(text: &str) -> Result<Loaded, ConfigErrors> {
    load_with(&Log::default(), text)
}

fn engine(log: &Log, text: &str) -> Engine {
    Engine::new(load_with(log, text).unwrap_or_else(|errors| panic!("{errors}\n{text}")).table)
}

fn wrong(text: &str) -> ConfigErrors {
    load(text).map(|loaded| loaded.table).expect_err(text)
}

/// A hook with these further lines.
fn hook(id: &str, event: &str, more: &str) -> String {
    format!("[[hook]]\nid = \"{id}\"\nevent = \"{event}\"\nbuiltin = \"log\"\n{more}\n")
}

// ==== Everything at once ====

const BAD: &str = r#"version = 2
tittle = "x"

[limits]
payload = "12 bananas"
dispatch_deadline = "0s"
concurency = 4
timeout = { comand = "5s" }

[[hook]]
id = "typos"
event = ["pre_tol_use", "stop"]
mode = "enfroce"
prioritty = 3
safety = ["destructiv"]
tool_glob = "[ab"
builtin = { name = "dney", reason = "né" }

[[hook]]
id = "contracts"
event = "session_start"
tool = "Bash"
role = "rewrite"
on_failure = "deny"
on_timeout = "ask"
background = true
builtin = { name = "add_context", text = "é", txet = "x" }

[[hook]]
id = "conditions"
event = "pre_tool_use"
tool_regex = ["ok", "(unclosed"]
input = { "command" = { regex = "x" }, "/a" = { rgex = "x" }, "/b" = {}, "/é" = { glob = "{" } }
timeout = 5
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "conditions"
event = "pre_tool_use"
after = ["condition", "typos"]
builtin = { name = "deny" }

[[hook]]
event = "pre_tool_use"
comand = { argv = ["/bin/true"] }

[[hook]]
id = "kinds"
event = "nothing_like_it"
handler = { kind = "my-kin", anything = 1 }
"#;

const BAD_REPORT: &str = r#"
hooks.toml:1:11: version 2 is not known, only 1
hooks.toml:2:1: unknown key `tittle`
hooks.toml:5:11: `payload`: no size such as "256KiB" or "1MiB"
hooks.toml:6:21: `dispatch_deadline`: a duration of nothing: nobody could answer in it
hooks.toml:7:1: unknown key `concurency`; did you mean `concurrency`?
hooks.toml:8:13: unknown key `comand`; did you mean `command`?
hooks.toml:12:10: unknown event `pre_tol_use`; did you mean `pre_tool_use`?
hooks.toml:13:8: `mode`: `enfroce` is not one of enforce, warn, shadow, off; did you mean `enforce`?
hooks.toml:14:1: unknown key `prioritty`; did you mean `priority`?
hooks.toml:15:10: `safety`: `destructiv` is not one of read_only, mutating, destructive, network; did you mean `destructive`?
hooks.toml:16:1: hook `typos`: the glob `[ab` cannot be read: `[` is never closed
hooks.toml:16:1: hook `typos`: `stop` is not about a tool: a condition on the tool can never hold there
hooks.toml:17:20: unknown builtin `dney`; did you mean `deny`?
hooks.toml:22:1: hook `contracts`: `session_start` is not about a tool: a condition on the tool can never hold there
hooks.toml:23:1: hook `contracts`: a hook cannot rewrite at `session_start`
hooks.toml:24:1: hook `contracts`: a failure cannot count as deny for a hook that can rewrite at `session_start`
hooks.toml:25:1: hook `contracts`: a failure cannot count as ask for a hook that can rewrite at `session_start`
hooks.toml:26:1: hook `contracts`: only observers run in the background, and rewriters of results; not this hook at `session_start`
hooks.toml:27:47: unknown key `txet`; did you mean `text`?
hooks.toml:32:1: hook `conditions`: the regular expression `(unclosed` cannot be used: unclosed group
hooks.toml:33:1: hook `conditions`: `command` is no JSON pointer: it must be empty or begin with `/`; `~` is written `~0`, `/` inside a key `~1`
hooks.toml:33:1: hook `conditions`: the glob `{` cannot be read: `{` is never closed
hooks.toml:33:49: unknown key `rgex`; did you mean `regex`?
hooks.toml:33:70: `input`: `/b` has no test: add exists, equals, glob, regex or one_of
hooks.toml:34:11: `timeout` must be a duration such as "2s", not an integer
hooks.toml:38:1: hook `conditions`: the id is used twice; every hook needs one of its own
hooks.toml:40:1: hook `conditions`: there is no hook `condition`
hooks.toml:41:11: `reason` is missing
hooks.toml:43:1: the hook has no handler: nobody would answer
hooks.toml:43:1: `id` is missing
hooks.toml:45:1: unknown key `comand`; did you mean `command`?
hooks.toml:49:9: unknown event `nothing_like_it`
hooks.toml:50:20: no handler of kind `my-kin` is registered; did you mean `my-kind`?
"#;

#[test]
fn one_run_reports_everything_with_its_place() {
    let report = wrong(BAD).to_string();
    assert_eq!(report, BAD_REPORT.trim(), "\n{report}\n");
}

/// What can be read is checked although the syntax is broken elsewhere.
#[test]
fn a_syntax_error_does_not_hide_the_rest() {
    let text =
        format!("{}[[hook]]\nid = \n\n{}", hook("a", "stopp", ""), hook("b", "stop", "x = 1"));
    let report = wrong(&text).to_string();
    assert!(
        report.contains("hooks.toml:3:9: unknown event `stopp`; did you mean `stop`?"),
        "{report}"
    );
    assert!(report.lines().any(|line| line.starts_with("hooks.toml:7:")), "{report}");
    assert!(report.contains(": unknown key `x`"), "{report}");
}

/// What follows from a mistake that was reported is not reported as another one.
#[test]
fn one_mistake_is_one_report() {
    for (text, report) in [
        (hook("a", "stopp", ""), "3:9: unknown event `stopp`; did you mean `stop`?"),
        (
            hook("a", "stop", "background = true").replace("log", "lob"),
            "4:11: unknown builtin `lob`; did you mean `log`?",
        ),
        (
            hook("a", "stopp", "") + &hook("b", "stop", "after = \"a\""),
            "3:9: unknown event `stopp`; did you mean `stop`?",
        ),
        ("[[hook]]\nid = \"a\"\nbuiltin = \"log\"".into(), "1:1: `event` is missing"),
        (
            hook("a", "stop", "").replace("\"log\"", "{ name = 1 }")
                + &hook("b", "stop", "after = \"a\""),
            "4:20: `name` must be a string, not an integer",
        ),
    ] {
        assert_eq!(wrong(&text).to_string(), format!("hooks.toml:{report}"), "{text}");
    }
}

// ==== Every problem ====

/// The name of the variant that a problem is, as it stands in the sources.
fn variant(problem: &impl std::fmt::Debug) -> String {
    let text = format!("{problem:?}");
    text.chars().take_while(|c| c.is_alphanumeric()).collect()
}

/// The variants of an enum in a source file. The enums may grow, and a new problem needs a case.
fn variants(source: &str, name: &str) -> BTreeSet<String> {
    let body = source.split_once(&format!("pub enum {name} {{")).expect(name).1;
    let body = body.split_once("\n}").expect(name).0;
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    lines
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(|line| variant(&line_name(line)))
        .collect()
}

/// A name that prints as itself.
fn line_name(line: &str) -> impl std::fmt::Debug + '_ {
    struct Name<'a>(&'a str);
    impl std::fmt::Debug for Name<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)
        }
    }
    Name(line)
}

/// Mistakes, each with all that is reported of it.
fn cases() -> Vec<(String, &'static str)> {
    let on = |more: &str| hook("a", "pre_tool_use", more);
    let at = |event: &str, more: &str| hook("a", event, more);
    let with = |builtin: &str| on("").replace("\"log\"", builtin);
    let two = |first: &str, second: &str| {
        format!("{}{}", hook("a", "stop", first), hook("b", "stop", second))
    };
    vec![
        // The table.
        (
            hook("a", "stop", "") + &hook("a", "stop", ""),
            "7:1: hook `a`: the id is used twice; every hook needs one of its own",
        ),
        (
            hook("a b", "stop", ""),
            "2:1: hook `a b`: the id must be made of letters, digits and `-_.:/`",
        ),
        (hook("", "stop", ""), "2:1: hook ``: the id must be made of letters, digits and `-_.:/`"),
        (at("stop", "").replace("\"stop\"", "[]"), "3:1: hook `a`: the hook names no event"),
        (
            at("stop", "").replace("\"stop\"", "[\"stop\", \"AfterAgent\"]"),
            "3:1: hook `a`: the event `stop` is named twice",
        ),
        (
            on("tool_glob = [\"ok\", \"{a\"]"),
            "5:1: hook `a`: the glob `{a` cannot be read: `{` is never closed",
        ),
        (
            on("cwd_glob = \"a}\""),
            "5:1: hook `a`: the glob `a}` cannot be read: `}` closes nothing; write `\\}` for the character",
        ),
        (
            on("tool_regex = \"a)|(b\""),
            "5:1: hook `a`: the regular expression `a)|(b` cannot be used: unopened group",
        ),
        (
            on("input.command.exists = true"),
            "5:1: hook `a`: `command` is no JSON pointer: it must be empty or begin with `/`; `~` is written `~0`, `/` inside a key `~1`",
        ),
        (
            at("stop", "tool = \"Bash\""),
            "5:1: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "tool_glob = \"B*\""),
            "5:1: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "tool_regex = \"B.*\""),
            "5:1: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            at("stop", "safety = \"network\""),
            "5:1: hook `a`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (at("stop", "role = \"rewrite\""), "5:1: hook `a`: a hook cannot rewrite at `stop`"),
        (
            at("session_end", "role = \"guard\""),
            "5:1: hook `a`: a hook cannot guard at `session_end`",
        ),
        (
            at("permission_request", "role = \"rewrite\""),
            "5:1: hook `a`: a hook cannot rewrite at `permission_request`",
        ),
        (
            at("stop", "").replace("\"log\"", "{ name = \"redact_secrets\" }"),
            "1:1: hook `a`: a hook cannot rewrite at `stop`\n3:1: hook `a`: this handler makes no sense at `stop`: no text can be rewritten here",
        ),
        (
            on("background = true"),
            "5:1: hook `a`: only observers run in the background, and rewriters of results; not this hook at `pre_tool_use`",
        ),
        (
            at("user_prompt_submit", "background = true\nrole = \"rewrite\""),
            "5:1: hook `a`: only observers run in the background, and rewriters of results; not this hook at `user_prompt_submit`",
        ),
        (
            at("session_start", "on_failure = \"deny\""),
            "5:1: hook `a`: a failure cannot count as deny for a hook that can guard at `session_start`",
        ),
        (
            at("stop", "on_timeout = \"ask\""),
            "5:1: hook `a`: a failure cannot count as ask for a hook that can guard at `stop`",
        ),
        (
            on("role = \"observe\"\non_failure = \"deny\""),
            "6:1: hook `a`: a failure cannot count as deny for a hook that can observe at `pre_tool_use`",
        ),
        (
            at("AfterTool", "on_failure = \"ask\""),
            "5:1: hook `a`: a failure cannot count as ask for a hook that can rewrite at `post_tool_use`\n5:1: hook `a`: a failure cannot count as ask for a hook that can rewrite at `post_tool_use_failure`",
        ),
        (two("after = \"c\"", ""), "5:1: hook `a`: there is no hook `c`"),
        (
            hook("log-all", "stop", "") + &hook("b", "stop", "before = [\"log-al\"]"),
            "10:1: hook `b`: there is no hook `log-al`; did you mean `log-all`?",
        ),
        (
            two("mode = \"off\"", "after = \"a\""),
            "10:1: hook `b`: the hook `a` is off, nothing can run before or after it",
        ),
        (
            hook("a", "stop", "") + &hook("b", "pre_tool_use", "before = \"a\""),
            "10:1: hook `b`: the hook `a` shares no event with this one, so there is no order between them",
        ),
        (
            two("after = \"b\"", "after = \"a\""),
            "5:1: hook `a`: the order goes round in a circle: a → b → a",
        ),
        (two("before = \"a\"", ""), "1:1: hook `a`: the order goes round in a circle: a → a"),
        // The file.
        (format!("{}x = [1,\n", on("")), "6:1: unknown key `x`\n6:8: unclosed array, expected `]`"),
        (format!("version = 3\n{}", on("")), "1:11: version 3 is not known, only 1"),
        ("[hook]\nid = \"a\"".into(), "1:1: hooks are written as `[[hook]]`, with two brackets"),
        (on("tolo = \"Bash\""), "5:1: unknown key `tolo`; did you mean `tool`?"),
        (
            on("mode = \"shadwo\""),
            "5:8: `mode`: `shadwo` is not one of enforce, warn, shadow, off; did you mean `shadow`?",
        ),
        (
            on("on_failure = \"block\""),
            "5:14: `on_failure`: `block` is not one of deny, ask, allow",
        ),
        (on("on_http_status = 1"), "5:18: `on_http_status` must be a string, not an integer"),
        (on("priority = \"high\""), "5:12: `priority` must be an integer, not a string"),
        (
            on("tool = [\"Bash\", 1]"),
            "5:8: `tool` must be a string or an array of strings, not an array",
        ),
        (
            on("timeout = \"2 bananas\""),
            "5:11: `timeout`: no duration such as \"2s\" or \"250ms\": unknown time unit \"bananas\", supported units: ns, us/µs, ms, sec, min, hours, days, weeks, months, years (and few variations)",
        ),
        (with("{ name = \"deny\" }"), "4:11: `reason` is missing"),
        (at("PreTolUse", ""), "3:9: unknown event `PreTolUse`; did you mean `PreToolUse`?"),
        (at("x.Deploy", ""), "3:9: unknown event `x.Deploy`"),
        (with("\"lgo\""), "4:11: unknown builtin `lgo`; did you mean `log`?"),
        (with("{ name = \"something else\" }"), "4:20: unknown builtin `something else`"),
        (
            on("").replace("builtin = \"log\"", "handler = { kind = \"my-knd\" }"),
            "4:20: no handler of kind `my-knd` is registered; did you mean `my-kind`?",
        ),
        (
            at("session_start", "mode = \"off\"\nrole = \"rewrite\""),
            "6:1: hook `a`: a hook cannot rewrite at `session_start`",
        ),
        (on("tool = []"), "5:8: `tool`: it is empty: leave it out to match everything"),
        (on("safety = []"), "5:10: `safety`: it is empty: leave it out to match everything"),
        (on("cwd_glob = []"), "5:12: `cwd_glob`: it is empty: leave it out to match everything"),
        (on("input = {}"), "5:9: `input`: it is empty: leave it out to match everything"),
        (
            on("input = { \"/a\" = { one_of = [] } }"),
            "5:29: `one_of`: it is empty: nothing is one of nothing",
        ),
        (
            on("tool = \"Bash\"\nrole = \"rewrit\"").replace("id = \"a\"\n", ""),
            "1:1: `id` is missing\n5:8: `role`: `rewrit` is not one of observe, guard, rewrite; did you mean `rewrite`?",
        ),
        (
            at("stop", "tool = \"Bash\"").replace("id = \"a\"\n", ""),
            "1:1: `id` is missing\n4:1: hook `line-1`: `stop` is not about a tool: a condition on the tool can never hold there",
        ),
        (
            "[[hook]]\nid = \"a\"\nevent = \"stop\"".into(),
            "1:1: the hook has no handler: nobody would answer",
        ),
        (on("my-kind = {}"), "5:1: the hook has several handlers: builtin, my-kind"),
        (
            on("").replace("builtin = \"log\"", "hopeless = {}"),
            "4:12: the handler could not be built from these settings",
        ),
        (
            at("x.other", ""),
            "3:9: unverified: event `x.other` is not registered here, so only its own runtime knows what may be said there",
        ),
    ]
}

#[test]
fn every_problem_is_reported_where_it_stands() {
    let mut seen = BTreeSet::new();
    let mut other = Vec::new();
    for (text, expected) in cases() {
        let errors = wrong(&text);
        let expected: Vec<_> = expected.lines().map(|line| format!("hooks.toml:{line}")).collect();
        if errors.to_string() != expected.join("\n") {
            other.push(format!(
                "{text}\n--- expected\n{}\n--- found\n{errors}",
                expected.join("\n")
            ));
        }
        note(&errors, &mut seen);
    }
    assert!(other.is_empty(), "\n{}", other.join("\n\n"));
    // What stands in no text of a config: files, and what is only worth knowing.
    let missing = Path::new("/nonexistent/hooks.toml");
    let loader_registry = registry(&Log::default());
    let errors = Loader::new(&loader_registry).load(missing).unwrap_err();
    assert!(errors.to_string().starts_with("/nonexistent/hooks.toml:1:1: cannot be read: "));
    assert!(errors.errors()[0].help().is_some());
    note(&errors, &mut seen);
    let errors = load_bytes(b"version = 1\nx = \"\xc3\xa9\xff\"").unwrap_err();
    let error = &errors.errors()[0];
    assert_eq!((error.line(), error.column()), (2, 7), "{errors}");
    note(&errors, &mut seen);
    for (text, place, variant) in [
        ("", (1, 1), "NoHooks"),
        ("version = 1", (1, 1), "NoHooks"),
        (&*hook("a", "x.other", ""), (3, 9), "UnverifiedEvent"),
        (&*hook("a", "stop", "").replace("builtin", "robot"), (4, 1), "UnverifiedKind"),
        (&*hook("a", "stop", "").replace("builtin = \"log\"", "uneasy = {}"), (4, 10), "Handler"),
    ] {
        // A kind that nobody has registered is taken for one only under `handler`.
        let text = text.replace("robot = \"log\"", "handler = { kind = \"robot\" }");
        let loaded = Loader::new(&loader_registry).allow_unverified();
        let loaded = loaded.parse("hooks.toml", &text, Path::new("/")).unwrap();
        let warning = &loaded.warnings[0];
        assert_eq!(self::variant(warning.problem()), variant);
        let place = if variant == "UnverifiedKind" { (4, 20) } else { place };
        assert_eq!((warning.line(), warning.column()), place, "{}", warning.message());
        seen.insert(variant.to_owned());
    }
    for (source, name) in [
        (include_str!("../src/config/error.rs"), "ConfigProblem"),
        (include_str!("../src/table/problem.rs"), "BuildProblem"),
        (include_str!("../src/matcher.rs"), "MatchError"),
        (include_str!("../handlers/contract/src/settings.rs"), "SettingProblem"),
    ] {
        let all = variants(source, name);
        assert!(all.len() >= 3, "{all:?}");
        let without: Vec<_> = all.difference(&seen).collect();
        assert!(without.is_empty(), "{name} has problems without a case: {without:?}");
    }
}

fn note(errors: &ConfigErrors, seen: &mut BTreeSet<String>) {
    for error in errors.errors() {
        seen.insert(variant(error.problem()));
        match error.problem() {
            ConfigProblem::Setting(problem) => {
                let _: &SettingProblem = problem;
                seen.insert(variant(problem));
            }
            ConfigProblem::Build { problem, .. } => {
                seen.insert(variant(problem));
                if let BuildProblem::Match(error) = problem {
                    let _: &MatchError = error;
                    seen.insert(variant(error));
                }
            }
            _ => {}
        }
    }
}

/// Loads a file with these bytes.
fn load_bytes(bytes: &[u8]) -> Result<Loaded, ConfigErrors> {
    let name = format!("hookgate-config-{}-{}.toml", std::process::id(), bytes.len());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, bytes).unwrap();
    let loaded = Loader::new(&registry(&Log::default())).load(&path);
    std::fs::remove_file(&path).unwrap();
    loaded
}

// ==== A good file, and pieces of it ====

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

// ==== Aliases ====

/// The table of DESIGN.md section 2: our name, then those of the systems that we replace.
const NAMES: &str = "
session_start after_session_enter SessionStart
session_resume on_session_resume
session_end SessionEnd
run_failed on_error StopFailure
user_prompt_submit user_followup_submit user_steering_messages_submit before_ingest UserPromptSubmit BeforeAgent
user_prompt_accepted after_ingest
user_input_requested on_user_input
turn_policy turn.pre_policy
turn_start after_turn_enter runtime.turn_pre_context
prompt_context turn.pre_prompt_context
prompt_context_planned turn.post_preflight_prompt_context
tool_selection turn.pre_tool_materialization BeforeToolSelection
prompt_compile turn.pre_prompt_compile
prompt_compiled turn.post_prompt_compile
pre_llm_request before_llm_call before_generate BeforeModel
post_llm_response after_llm_call after_generate AfterModel
pre_tool_use pre_tool_execution tool_guard tool_input_transform before_tool_apply PreToolUse BeforeTool
permission_request before_permission PermissionRequest
permission_decided on_tool_approval_decision after_permission PermissionDenied
post_tool_use post_tool_execution tool_response_transform after_tool_apply PostToolUse AfterTool
post_tool_use_failure post_tool_execution tool_response_transform after_tool_apply PostToolUseFailure AfterTool
post_tool_batch after_tool_batch PostToolBatch
turn_boundary turn_end turn.post_turn
stop before_turn_end Stop AfterAgent
subagent_start SubagentStart
subagent_stop SubagentStop
agent_switch on_agent_switch
pre_compact before_compaction before_compact turn.pre_compaction PreCompact PreCompress
post_compact after_compaction after_compact PostCompact
max_iterations on_max_iterations
notification Notification
config_change ConfigChange
worktree_create WorktreeCreate
";

/// The aliases with a role or a condition of their own: field, the value that it must have, another.
const ROLES: [(&str, Role); 3] = [
    ("tool_guard", Role::Guard),
    ("tool_input_transform", Role::Rewrite),
    ("tool_response_transform", Role::Rewrite),
];
const CONDITIONS: [(&str, &str, &str, &[&str]); 3] = [
    ("user_followup_submit", "source", "followup", &["user", "steering", "continuation"]),
    ("user_steering_messages_submit", "source", "steering", &["user", "followup", "background"]),
    ("PermissionDenied", "approval_decision", "deny", &["allow", "canceled"]),
];

/// The events of an alias, by the table.
fn events_of(name: &str) -> Vec<&'static str> {
    let rows = NAMES.lines().map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row.iter().skip(1).any(|other| *other == name)).map(|row| row[0]).collect()
}

#[test]
fn the_aliases_are_those_of_the_design() {
    let listed: BTreeSet<&str> =
        NAMES.lines().flat_map(|row| row.split_whitespace().skip(1)).collect();
    let known: BTreeSet<&str> = ALIASES.iter().map(|alias| alias.name).collect();
    assert_eq!(listed, known);
    assert!(
        NAMES
            .lines()
            .filter_map(|row| row.split_whitespace().next())
            .all(|name| Event::from_name(name).is_some())
    );
}

fn judge(engine: &Engine, envelope: serde_json::Map<String, Value>) -> hookgate::Report {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut incoming = Incoming::from_object(envelope).unwrap();
    runtime.block_on(engine.judge(&mut incoming))
}

#[test]
fn a_hook_under_an_alias_is_asked_where_the_alias_says() {
    for alias in ALIASES {
        let log = Log::default();
        let engine = engine(&log, &hook("a", alias.name, ""));
        let table = engine.table();
        let listed: Vec<_> = table.listing().map(|hook| (hook.event, hook.role())).collect();
        let role = ROLES.iter().find(|(name, _)| *name == alias.name).map(|(_, role)| *role);
        let expected: Vec<_> = events_of(alias.name)
            .into_iter()
            .map(|name| {
                (name, role.unwrap_or(Event::from_name(name).unwrap().contract().default_role()))
            })
            .collect();
        assert_eq!(listed, expected, "{}", alias.name);
        let condition = CONDITIONS.iter().find(|(name, ..)| *name == alias.name);
        for shape in envelopes::shapes() {
            let here = expected.iter().any(|(name, _)| *name == shape.event.name());
            assert_eq!(engine.armed(shape.event), here, "{}", alias.name);
            let Some((_, field, value, others)) = condition.filter(|_| here) else {
                judge(&engine, shape.least());
                assert_eq!(log.take().len(), usize::from(here), "{} {}", alias.name, shape.event);
                continue;
            };
            for (value, wanted) in others.iter().map(|other| (other, 0)).chain([(value, 1)]) {
                let mut envelope = shape.least();
                envelope.insert((*field).into(), json!(value));
                judge(&engine, envelope);
                assert_eq!(log.take().len(), wanted, "{} {value}", alias.name);
            }
        }
    }
}

/// The role of an alias is one that counts: a guard's patch is refused, a rewriter's applied.
#[test]
fn the_role_of_an_alias_is_enforced() {
    let log = Log::default();
    let patching = |event: &str| hook("a", event, "").replace("\"log\"", "\"patch\"");
    let shapes = envelopes::shapes();
    for (name, illegal) in
        [("tool_guard", true), ("tool_input_transform", false), ("tool_response_transform", false)]
    {
        let engine = engine(&log, &patching(name));
        for event in events_of(name) {
            let shape = shapes.iter().find(|shape| shape.event.name() == event).unwrap();
            let report = judge(&engine, shape.least());
            let failure = illegal.then_some(FailureClass::Illegal);
            assert_eq!(report.votes[0].failure, failure, "{name}");
            assert_eq!(report.patched.is_empty(), illegal, "{name}");
            assert_eq!(report.decision == Outcome::Deny, illegal, "{name}");
        }
    }
    // A role that the hook names itself goes first.
    let engine =
        engine(&log, &patching("tool_guard").replace("\"patch\"", "\"patch\"\nrole = \"rewrite\""));
    assert_eq!(judge(&engine, envelopes::shapes()[18].least()).patched, ["tool_input"]);
}

// ==== Order, modes ====

fn asked(text: &str) -> Vec<String> {
    let log = Log::default();
    let engine = engine(&log, text);
    let shape = envelopes::shapes().into_iter().find(|shape| shape.event == Event::PreToolUse);
    let report = judge(&engine, shape.unwrap().least());
    let asked = log.take();
    let votes: Vec<_> = report.votes.into_iter().map(|vote| vote.hook).collect();
    assert_eq!(votes, asked);
    let table = engine.table();
    let listed: Vec<_> = table.listing().map(|hook| hook.id()).collect();
    assert_eq!(listed, asked, "hooks are listed in the order in which they are asked");
    asked
}

#[test]
fn hooks_are_asked_in_the_order_that_the_file_says() {
    let on = |id: &str, more: &str| hook(id, "pre_tool_use", more);
    for (hooks, expected) in [
        (vec![on("b", ""), on("a", ""), on("c", "")], "b a c"),
        (
            vec![
                on("a", ""),
                on("b", "priority = 99"),
                on("c", "priority = 101"),
                on("d", "priority = -1"),
            ],
            "d b a c",
        ),
        (vec![on("a", "after = \"c\""), on("b", ""), on("c", "")], "b c a"),
        (vec![on("a", ""), on("b", ""), on("c", "before = [\"a\", \"b\"]")], "c a b"),
        // A dependency goes before a priority.
        (
            vec![
                on("a", "priority = 1\nafter = \"c\""),
                on("b", "priority = 2"),
                on("c", "priority = 3"),
            ],
            "b c a",
        ),
        (
            vec![
                on("a", "before = \"b\""),
                on("b", "priority = 1\nbefore = \"c\""),
                on("c", "priority = 0"),
            ],
            "a b c",
        ),
    ] {
        let expected: Vec<_> = expected.split(' ').collect();
        assert_eq!(asked(&hooks.concat()), expected);
    }
}

#[test]
fn a_hook_that_is_off_is_not_asked() {
    let off = hook("off", "pre_tool_use", "mode = \"off\"");
    assert_eq!(asked(&(off.clone() + &hook("on", "pre_tool_use", ""))), ["on"]);
    let log = Log::default();
    let engine = engine(&log, &off);
    assert!(!engine.armed(Event::PreToolUse));
    assert_eq!(engine.table().len(), 1);
    // Its mistakes are reported all the same.
    let bad = off.replace("mode", "tool_glob = \"[\"\nmode");
    assert!(wrong(&bad).to_string().starts_with("hooks.toml:5:1: hook `off`: the glob"));
}
