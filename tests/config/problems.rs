//! Promise: every problem that a config can have is reported at its position.

mod cases;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use cases::cases;
use hookgate::config::{ConfigErrors, ConfigProblem, Loader};
use hookgate::contract::settings::SettingProblem;
use hookgate::contract::{
    BuiltCondition, BuiltHandler, Condition, ConditionContext, ConditionKind, ConfigSection,
    Contract, Envelope, EventKind, Truth,
};
use hookgate::matcher::{MatchError, MatchSpec, Test};
use hookgate::require::Require;
use hookgate::table::{BuildProblem, Layer, Limits, Retry, TableBuilder};
use hookgate::{Event, HandlerTable, Hook, Invocation, Mode, Role, Verdict};

use crate::layers::{Files, rule};
use crate::loading::{hook, load_bytes, registry, wrong};
use crate::support::Log;

/// The name of the variant that a problem is, as it is in the sources.
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

#[test]
fn every_problem_is_reported_at_its_position() {
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
    // Which builtins there are depends on what is compiled in.
    let unknown = "[[hook]]\nid = \"a\"\nevent = \"stop\"\nbuiltin = \"other\"\n";
    let errors = wrong(unknown);
    let start = "hooks.toml:4:11: unknown builtin `other`; known here: add_context, ";
    assert!(errors.to_string().starts_with(start), "{errors}");
    note(&errors, &mut seen);
    // What is in no text of a config: files, and warnings.
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
    for (text, position, variant) in [
        ("allow_empty = true", (1, 1), "Empty"),
        (&*hook("a", "x.other", ""), (3, 9), "UnverifiedEvent"),
        (&*hook("a", "stop", "").replace("builtin", "robot"), (4, 1), "UnverifiedKind"),
        (&*hook("a", "stop", "").replace("builtin = \"log\"", "uneasy = {}"), (4, 10), "Handler"),
        (
            &*hook("a", "pre_tool_use", "input = { \"/commnad\" = { exists = true } }"),
            (5, 11),
            "Condition",
        ),
        (&*hook("a", "pre_tool_use", "tool = \"bash\""), (5, 8), "Condition"),
        (
            &*(hook("a", "stop", "").replace("\"log\"", "{ name = \"deny\", reason = \"x\" }")
                + &hook("b", "stop", "")),
            (7, 6),
            "Shadowed",
        ),
        (&*hook("a", "pre_tool_use", "on_unclear = \"allow\""), (5, 14), "UnclearAllowed"),
        (
            &*("[limits]\nstop_at = \"ask\"\n".to_owned() + &hook("a", "stop", "")),
            (2, 11),
            "StopsAtAsk",
        ),
        (
            &*("[limits]\nprocesses = 1048576\nrequests = 1048576\n".to_owned()
                + &hook("a", "stop", "")),
            (2, 13),
            "TooFewFiles",
        ),
        (
            &*("[handler.m]\nbuiltin = \"log\"\n".to_owned() + &hook("a", "stop", "")),
            (1, 10),
            "UnusedHandler",
        ),
        (
            &*("[contributions.hook]\nab = { bytes = 9 }\n".to_owned() + &hook("a", "stop", "")),
            (2, 1),
            "BudgetOfNothing",
        ),
    ] {
        // A kind that is not registered is read as one only under `handler`.
        let text = text.replace("robot = \"log\"", "handler = { kind = \"robot\" }");
        let loaded = Loader::new(&loader_registry).allow_unverified();
        let loaded = loaded.parse("hooks.toml", &text, Path::new("/")).unwrap();
        let warning = &loaded.warnings[0];
        assert_eq!(self::variant(warning.problem()), variant);
        let position = if variant == "UnverifiedKind" { (4, 20) } else { position };
        assert_eq!((warning.line(), warning.column()), position, "{}", warning.message());
        seen.insert(variant.to_owned());
    }
    // What the file requires and does not have is worth knowing: each step of it is denied.
    let text = "[require]\nhooks = [\"a\"]\n".to_owned() + &hook("a", "stop", "mode = \"off\"");
    let loaded = Loader::new(&loader_registry).parse("hooks.toml", &text, Path::new("/")).unwrap();
    assert_eq!((loaded.warnings[0].line(), loaded.warnings[0].column()), (1, 1));
    seen.insert(variant(loaded.warnings[0].problem()));
    // What a file wants of the files beside it, and does not get.
    let below = "[limits]\nconcurrency = 1\n[[disable]]\nid = \"above\"\n[[disable]]\nid = \"b\"\n"
        .to_owned()
        + &rule("c", "ask", "may_allow = true");
    let copies = Files::new(&[
        (Layer::User, &rule("x", "deny", "")),
        (Layer::Project, &rule("x", "deny", "").replace("id = \"x\"", "id = \"y\"")),
    ]);
    let warnings = copies.load().unwrap().warnings;
    assert_eq!((warnings[0].line(), warnings[0].column()), (2, 1), "{}", warnings[0].message());
    seen.insert(variant(warnings[0].problem()));
    let files = Files::new(&[(Layer::User, &rule("above", "deny", "")), (Layer::Project, &below)]);
    for warning in files.load().unwrap().warnings {
        seen.insert(variant(warning.problem()));
    }
    // What only an embedder can get wrong: the loader has found it before.
    let unknown = Hook::new(
        "require",
        "test",
        BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())),
    );
    let require = Require::default().named("x").named("session_end").hook("a");
    let mut builder = HandlerTable::builder();
    builder.insert(unknown.custom_event("x.other")).require(require);
    for error in builder.build().unwrap_err() {
        seen.insert(variant(&error.problem));
    }
    let made = |id: &str| {
        Hook::new(id, "test", BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())))
    };
    let observer = made("observer").event(Event::SessionEnd).role(Role::Observe);
    let late = made("late").event(Event::PreToolUse).role(Role::Observe);
    let apart = made("apart").event(Event::PreToolUse).role(Role::Observe).background(true);
    let guard = made("guard").event(Event::PreToolUse).role(Role::Guard);
    let mut limits = Limits::default();
    limits.concurrency = usize::MAX;
    limits.dispatch_deadline = Duration::MAX;
    let mut builder = HandlerTable::builder();
    builder.limits(limits).insert(observer).insert(late).insert(apart);
    builder.insert(guard.after("late").after("apart"));
    for error in builder.build().unwrap_err() {
        seen.insert(variant(&error.problem));
    }
    let waits = Hook::async_fn("waits", |_| Box::pin(async { Ok(Verdict::none()) }));
    let mut builder = HandlerTable::builder();
    builder.insert(waits.event(Event::Stop).retry(Retry::times(0)));
    for error in builder.build().unwrap_err() {
        seen.insert(variant(&error.problem));
    }
    for (problem, inner) in conditions_of_an_embedder() {
        seen.extend([problem, inner]);
    }
    for text in ["", "version = 1", "allow_empty = false"] {
        let errors = wrong(text);
        assert_eq!(
            errors.to_string(),
            "hooks.toml:1:1: there is no hook in this file: nothing would be enforced"
        );
        note(&errors, &mut seen);
    }
    let text = format!(
        "[require]\nhooks = {{ id = \"a\", sha256 = \"beef\" }}\n{}",
        hook("a", "stop", "")
    );
    let errors = wrong(&text);
    assert!(
        errors.to_string().starts_with("hooks.toml:2:30: the hook `a` is required as it was"),
        "{errors}"
    );
    assert!(errors.errors()[0].help().is_some());
    note(&errors, &mut seen);
    let errors = wrong("include = \"no-such-file.toml\"\n");
    assert_eq!(
        errors.to_string(),
        "hooks.toml:1:11: the file `no-such-file.toml` is not there, so it cannot be included"
    );
    note(&errors, &mut seen);
    let errors = wrong("extends = \"guards.pack\"\n");
    assert!(errors.to_string().starts_with("hooks.toml:1:11: "), "{errors}");
    note(&errors, &mut seen);
    note(&section_of_the_machine(), &mut seen);
    note(&crate::overrides::unknown(), &mut seen);
    let foreign = hook("a", "AfterTool", "")
        .replace("builtin = \"log\"", "command = { argv = [\"/bin/true\"] }");
    let loaded = Loader::new(&loader_registry).allow_unverified();
    let loaded = loaded.parse("hooks.toml", &foreign, Path::new("/")).unwrap();
    let warning = loaded.warnings.last().unwrap();
    assert_eq!((warning.line(), warning.column()), (3, 9));
    assert_eq!(
        warning.help(),
        Some(
            "write `post_tool_use`, `post_tool_use_failure` if it speaks hookgate's JSON, or name the agent that it was written for: `dialect = \"claude\"`; see `hookgate schema envelope` and `hookgate schema verdict`"
        )
    );
    seen.insert(variant(warning.problem()));
    // No file can be wrong in this way: the contracts are those of the program.
    static ASKS: Contract = Contract::custom("x.deploy", EventKind::Context);
    static GATE: Contract = Contract::custom("x.deploy", EventKind::Gate);
    let errors = HandlerTable::builder().contract(&ASKS).contract(&GATE).build().unwrap_err();
    seen.extend(errors.into_iter().map(|error| variant(&error.problem)));
    let mut builder = HandlerTable::builder();
    builder.contract(&GATE);
    for (id, event) in [("a", "deploy"), ("b", "x.deplyo"), ("c", "pre_tool_us")] {
        builder.insert(Hook::sync(id, |_| Ok(Verdict::none())).custom_event(event));
    }
    let errors = builder.build().unwrap_err();
    let texts = [
        "there is no event `deploy`, and the name of an event of one's own begins with `x.`; did you mean `x.deploy`?",
        "the contract of `x.deplyo` is not known: give it with `TableBuilder::contract`; did you mean `x.deploy`?",
        "there is no event `pre_tool_us`, and the name of an event of one's own begins with `x.`; did you mean `pre_tool_use`?",
    ];
    assert_eq!(errors.errors().iter().map(|e| e.problem.to_string()).collect::<Vec<_>>(), texts);
    seen.extend(errors.into_iter().map(|error| variant(&error.problem)));
    // Of a file, a timeout that bounds nothing is a warning: the same key bounds a command. A builtin needs none.
    let kind = hook("a", "stop", "timeout = \"5s\"").replace("builtin = \"log\"", "my-kind = {}");
    for (text, expected) in [(kind, 1), (hook("a", "stop", "timeout = \"5s\""), 0)] {
        let loaded = Loader::new(&loader_registry).parse("hooks.toml", &text, Path::new("/"));
        let warnings = loaded.unwrap().warnings;
        let bounds_nothing = |text: String| text.contains("`timeout` has no effect");
        let told = warnings.iter().filter(|warning| bounds_nothing(warning.to_string()));
        assert_eq!(told.count(), expected, "{warnings:?}");
    }
    let mut builder = HandlerTable::builder();
    let closure = Hook::sync("scan", |_| Ok(Verdict::none()));
    builder.insert(closure.event(Event::PreToolUse).timeout(Duration::from_secs(1)));
    let errors = builder.build().unwrap_err();
    seen.extend(errors.into_iter().map(|error| variant(&error.problem)));
    seen.insert(variant(crate::translation::untranslatable().errors()[0].problem()));
    for (source, name) in [
        (include_str!("../../src/config/problem.rs"), "ConfigProblem"),
        (include_str!("../../src/table/build_error.rs"), "BuildProblem"),
        (include_str!("../../src/matcher/error.rs"), "MatchError"),
        (include_str!("../../crates/contract/src/input/settings.rs"), "SettingProblem"),
    ] {
        let all = variants(source, name);
        assert!(all.len() >= 3, "{all:?}");
        let without: Vec<_> = all.difference(&seen).collect();
        assert!(without.is_empty(), "{name} has problems without a case: {without:?}");
    }
}

/// The mistakes of a project that writes a section which only the administrator of the machine may write.
fn section_of_the_machine() -> ConfigErrors {
    let registry = registry(&Log::default());
    let section =
        ConfigSection::new("proxies", |settings, _| settings.text("proxies").map(str::to_owned));
    registry.add_section(section.of_machine()).unwrap();
    let text = format!("proxies = \"none\"\n{}", hook("a", "stop", ""));
    let load =
        |layer| Loader::new(&registry).layer(layer).parse("hooks.toml", &text, Path::new("/"));
    assert!(load(Layer::Managed).is_ok());
    let errors = load(Layer::Project).unwrap_err();
    assert!(errors.to_string().starts_with("hooks.toml:1:1: `[proxies]` counts"), "{errors}");
    errors
}

/// A condition that always holds, and what it says of itself.
struct Declaring {
    watches: Option<&'static str>,
    /// Whether it counts files, and whether it says which ones are meant.
    wants: bool,
    means: bool,
}

impl Condition for Declaring {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::True
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it always holds".to_owned()
    }

    fn watches(&self) -> Option<&str> {
        self.watches
    }

    fn wants_files(&self) -> bool {
        self.wants
    }

    fn means_files(&self) -> bool {
        self.means
    }
}

/// What can be wrong with conditions that are made in Rust: each problem, and what is in it.
fn conditions_of_an_embedder() -> Vec<(String, String)> {
    let made = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse);
    let declaring = |watches, wants| Declaring { watches, wants, means: false };
    let watching = |of| BuiltCondition::new("watching", of, declaring(Some(of), false));
    let wanting = BuiltCondition::new("files", true, declaring(None, true));
    let unfit =
        ConditionKind::new("unfit", move |_, _| Some(Box::new(declaring(Some("off"), false))));
    let unfit = unfit.supports(|_| Err("it suits no event")).top_level();
    let unfit = unfit.build(&true.into(), &ConditionContext::new(Path::new("/"))).unwrap();
    let deep =
        (0..9).fold(MatchSpec::new().tool("Bash"), |inner, _| MatchSpec::new().except(inner));
    let mut builder = HandlerTable::builder();
    builder
        .insert(made("off").mode(Mode::Off))
        .insert(made("a").condition(watching("gone")).condition(watching("off")))
        .insert(made("files").condition(wanting))
        .insert(made("b").condition(unfit.clone()))
        .insert(made("c").matching(MatchSpec::new().except(MatchSpec::new().condition(unfit))))
        .insert(made("d").matching(MatchSpec::new().any([])))
        .insert(made("e").matching(deep));
    let errors = builder.build().unwrap_err();
    let inner = |problem: &BuildProblem| match problem {
        BuildProblem::Match(error) => variant(error),
        problem => variant(problem),
    };
    errors.errors().iter().map(|error| (variant(&error.problem), inner(&error.problem))).collect()
}

/// A condition that counts the files of another hook needs one that asks about files.
#[test]
fn the_hook_whose_files_are_counted_says_which_files_it_means() {
    let build = |matching: MatchSpec| {
        let made = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse);
        let counting = BuiltCondition::new(
            "counting",
            true,
            Declaring { watches: Some("a"), wants: true, means: false },
        );
        TableBuilder::from_iter([made("a").matching(matching), made("b").condition(counting)])
            .build()
    };
    let errors = build(MatchSpec::new().tool("Write")).unwrap_err();
    let [error] = errors.errors() else { panic!("{errors}") };
    assert!(matches!(&error.problem, BuildProblem::NoFiles(id) if id == "a"), "{error}");
    let means =
        BuiltCondition::new("means", true, Declaring { watches: None, wants: false, means: true });
    assert!(build(MatchSpec::new().condition(means)).is_ok());
}

#[test]
fn only_an_observer_of_what_is_decided_has_conditions_on_the_decision() {
    let table = |event: Event, role: Role| {
        let matching = MatchSpec::new().payload("/decision/outcome", Test::Equals("deny".into()));
        let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(event).role(role);
        TableBuilder::from_iter([hook.matching(matching)]).build()
    };
    assert!(table(Event::PreToolUse, Role::Observe).is_ok());
    for (event, role, why) in [
        (Event::PreToolUse, Role::Guard, "only a hook with `role = \"observe\"` sees it"),
        (Event::PreToolUse, Role::Rewrite, "only a hook with `role = \"observe\"` sees it"),
        (Event::SessionEnd, Role::Observe, "has no field"),
    ] {
        let errors = table(event, role).unwrap_err().to_string();
        assert!(errors.contains(why), "{event} {role:?}: {errors}");
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
