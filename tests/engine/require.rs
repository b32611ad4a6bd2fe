//! Promise: what must be guarded is guarded, or denied: no table that is put in force, and no edit,
//! removes a required guard silently.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;

use std::path::Path;

use hookgate::analysis::Options;
use hookgate::config::{ConfigErrors, ConfigProblem, Loaded, Loader};
use hookgate::contract::payload::{SessionEnd, UserPromptSubmit};
use hookgate::contract::suggest::Suggestion;
use hookgate::contract::{BuiltHandler, ReasonCode};
use hookgate::matcher::Test;
use hookgate::require::Require;
use hookgate::table::{BuildProblem, TableBuilder};
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, Invocation, Mode, Outcome, Report, Role,
    Verdict,
};
use support::{bash, context, engine, sync};

fn guard(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::none()))
}

fn table(hooks: impl IntoIterator<Item = Hook>) -> HandlerTable {
    hooks.into_iter().collect::<TableBuilder>().build().unwrap()
}

async fn report(engine: &Engine) -> Report {
    let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    assert_eq!(gate.outcome(), report.decision);
    // A dispatch without a report decides the same, and no other call goes round it.
    assert_eq!(engine.dispatch(bash("ls"), &context()).await.outcome(), report.decision);
    if report.decision == Outcome::Deny {
        assert!(engine.armed(Event::PreToolUse) && engine.pass(bash("ls")).is_err());
    }
    report
}

async fn is_unguarded(engine: &Engine, why: &str) {
    let report = report(engine).await;
    assert_eq!((report.decision, &*report.by), (Outcome::Deny, &["require".into()][..]));
    assert_eq!(report.reason_code, Some(ReasonCode::Unguarded));
    let reason = report.reason.unwrap();
    assert!(reason.contains(why), "{reason}");
    assert_eq!(engine.table().unguarded()[0].0, "pre_tool_use");
}

async fn is_guarded(engine: &Engine) {
    assert_eq!(report(engine).await.decision, Outcome::Allow);
    assert_eq!(engine.table().unguarded(), []);
}

fn events() -> Require {
    Require::default().event(Event::PreToolUse)
}

#[tokio::test]
async fn a_table_without_the_required_guard_denies() {
    let engine = engine([guard("g")]);
    engine.set_require(events()).unwrap();
    is_guarded(&engine).await;
    let none = "no hook that enforces is there";
    engine.swap(HandlerTable::empty());
    is_unguarded(&engine, none).await;
    // Again, by a table that was made of it: the deny is not a hook that could be removed.
    engine.edit(|_| {}).unwrap();
    is_unguarded(&engine, none).await;
    let background = || BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none()));
    let weak = [
        guard("w").mode(Mode::Off),
        guard("w").mode(Mode::Warn),
        guard("w").mode(Mode::Shadow),
        guard("w").role(Role::Observe),
        Hook::new("w", "test", background())
            .event(Event::PreToolUse)
            .role(Role::Observe)
            .background(true),
        Hook::new("w", "test", background()).event(Event::Stop),
        // It only adds to steps.
        Hook::new("w", "test", background().never_refuses()).event(Event::PreToolUse),
    ];
    for weak in weak {
        engine.swap(table([weak]));
        is_unguarded(&engine, none).await;
        let seen = engine.generation();
        engine.swap_if(seen, HandlerTable::empty()).unwrap();
        is_unguarded(&engine, none).await;
    }
    // Put back by an edit, or by a swap.
    engine.edit(|table| _ = table.insert(guard("g"))).unwrap();
    is_guarded(&engine).await;
    engine.edit(|table| _ = table.remove("g")).unwrap();
    is_unguarded(&engine, none).await;
    engine.swap(table([guard("other").role(Role::Rewrite)]));
    is_guarded(&engine).await;
}

#[tokio::test]
async fn a_required_hook_is_there_and_enforces_at_the_events_that_it_had() {
    let engine = engine([guard("g"), guard("other")]);
    engine.set_require(Require::default().hook("g")).unwrap();
    is_guarded(&engine).await;
    let weak = |hook: Hook| table([hook, guard("other")]);
    for (hook, why) in [
        (guard("g").mode(Mode::Off), "it is off"),
        (guard("g").mode(Mode::Warn), "its mode is `warn`"),
        (guard("g").mode(Mode::Shadow), "its mode is `shadow`"),
        (guard("g").role(Role::Observe), "it only observes"),
        (guard("renamed"), "it is not in the table any more"),
        (
            Hook::new("g", "test", BuiltHandler::sync(|_| Ok(Verdict::none())).never_refuses())
                .event(Event::PreToolUse),
            "it never refuses a step",
        ),
        (
            Hook::new(
                "g",
                "test",
                BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())),
            )
            .event(Event::Stop),
            "it is not at this event any more",
        ),
    ] {
        engine.swap(weak(hook));
        is_unguarded(&engine, why).await;
        is_unguarded(&engine, "`g`").await;
    }
    engine.swap(weak(guard("g")));
    is_guarded(&engine).await;
}

/// The guard is there, so the table is put in force; who checks it is told.
#[test]
fn a_required_hook_that_fits_no_step_is_told_when_the_table_is_checked() {
    let never =
        |id| guard(id).input("/command", Test::equals("a")).input("/command", Test::equals("b"));
    let told = |required: &str| {
        let mut table = HandlerTable::builder();
        table.insert(never("never")).insert(guard("other"));
        let table = table.require(Require::default().hook(required)).build().unwrap();
        assert_eq!(table.unguarded(), []);
        let analyzed = table.analyze(&Options::new()).findings;
        let checked = table.never_met();
        [analyzed, checked].map(|findings| {
            let of_id = findings.iter().filter(|finding| finding.message.contains("required"));
            of_id.map(|finding| finding.message.clone()).collect::<Vec<_>>()
        })
    };
    let message = "`never` is required, and may be called about no step";
    assert_eq!(told("never"), [[message], [message]]);
    assert_eq!(told("other"), [[""; 0]; 2]);
}

/// Only a rewriter of results can run in the background and still be no observer.
#[test]
fn a_required_hook_does_not_guard_from_the_background() {
    let withholds = || Hook::sync("g", |_| Ok(Verdict::deny("no"))).event(Event::PostToolUse);
    let engine = engine([withholds()]);
    engine.set_require(Require::default().hook("g")).unwrap();
    assert_eq!(engine.table().unguarded(), []);
    engine.swap(table([withholds().background(true)]));
    let why = "the hook `g` is required, but it runs in the background";
    assert_eq!(engine.table().unguarded(), [("post_tool_use", why.to_owned())]);
}

#[tokio::test]
async fn only_the_owner_lowers_what_is_required() {
    let strict = HandlerTable::builder().insert(guard("g")).require(events()).build().unwrap();
    let engine = Engine::new(strict);
    // A table may require more, none may require less.
    engine.swap(table([]));
    is_unguarded(&engine, "no hook").await;
    let hook = |event| {
        Hook::new("p", "test", BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::none())))
            .event(event)
    };
    let mut more = HandlerTable::builder();
    more.insert(guard("g"))
        .insert(hook(Event::UserPromptSubmit))
        .require(Require::default().hook("p"));
    engine.swap(more.build().unwrap());
    is_guarded(&engine).await;
    engine.swap(table([guard("g")]));
    is_guarded_but_for(&engine, "user_prompt_submit").await;
    let prompt = UserPromptSubmit::new("hello");
    let Gate::Denied(denied) = engine.dispatch(prompt, &context()).await else { panic!() };
    assert!(denied.reason().contains("the hook `p` is required"), "{}", denied.reason());
    engine.swap(table([]));
    is_unguarded(&engine, "no hook").await;
    // The owner.
    engine.set_require(Require::default()).unwrap();
    is_guarded(&engine).await;
    assert!(engine.pass(bash("ls")).is_ok(), "nothing is left behind");
    engine.swap(table([]));
    is_guarded(&engine).await;
}

async fn is_guarded_but_for(engine: &Engine, event: &str) {
    assert_eq!(report(engine).await.decision, Outcome::Allow);
    let unguarded: Vec<_> =
        engine.table().unguarded().iter().map(|(e, _)| (*e).to_owned()).collect();
    assert_eq!(unguarded, [event]);
}

#[tokio::test]
async fn observers_are_called_and_other_events_stay_as_they_were() {
    let log = support::Log::default();
    let seen = log.clone();
    let watch = sync("watch", move |invocation| {
        let text = String::from_utf8(invocation.envelope.bytes()?.to_vec()).unwrap();
        seen.push(text);
        Ok(Verdict::none())
    });
    let engine = engine([watch.role(Role::Observe)]);
    engine.set_require(events()).unwrap();
    is_unguarded(&engine, "no hook").await;
    // It is told of both dispatches.
    let told = log.take();
    assert_eq!(told.len(), 2);
    assert!(told.iter().all(|text| text.contains(r#""by":["require"]"#)), "{told:?}");
    let armed: Vec<_> = Event::NAMED.into_iter().filter(|event| engine.armed(*event)).collect();
    assert_eq!(armed, [Event::PreToolUse]);
    let Gate::Cleared(()) = engine.dispatch(SessionEnd::new("done"), &context()).await;
}

#[tokio::test]
async fn what_cannot_be_guarded_cannot_be_required() {
    let engine = engine([guard("g")]);
    let problem = |require| engine.set_require(require).unwrap_err().errors()[0].problem.clone();
    assert_eq!(
        problem(Require::default().event(Event::SessionEnd)),
        BuildProblem::NothingToRequire("session_end".into())
    );
    assert_eq!(
        problem(Require::default().named("pre_tool_us")),
        BuildProblem::UnknownRequiredEvent("pre_tool_us".into())
    );
    assert_eq!(
        problem(Require::default().hook("h")),
        BuildProblem::MissingRequired { id: "h".into(), near: Suggestion::default() }
    );
    // Who has mistyped an id is told what may be meant, of as many ids as takes no time worth mentioning.
    let near = |id: &str| Suggestion::nearest(id, &["guard"]);
    let misses = (10..50).map(|number| format!("guard{number}"));
    let require = misses.fold(Require::default(), |require, id| require.hook(id));
    let errors = self::engine([guard("guard")]).set_require(require).unwrap_err();
    let (hinted, bare): (Vec<_>, Vec<_>) = errors.errors().iter().partition(|error| {
        let BuildProblem::MissingRequired { id, near: found } = &error.problem else { panic!() };
        assert!(*found == near(id) || *found == Suggestion::default());
        *found == near(id)
    });
    assert_ne!(near("guard10"), Suggestion::default());
    assert_eq!((hinted.len(), bare.len()), (32, 8));
    assert_eq!(engine.generation(), 1, "nothing has changed");
    // Under these ids the engine itself denies.
    for id in ["require", "hookgate"] {
        let taken = HandlerTable::builder().insert(guard(id)).build().unwrap_err();
        assert_eq!(taken.errors()[0].problem, BuildProblem::ReservedId(id));
    }
}

fn load(text: &str) -> Result<Loaded, ConfigErrors> {
    let registry = support::registry();
    Loader::new(&registry).parse("hooks.toml", text, Path::new("/"))
}

fn hook(id: &str, event: &str, more: &str) -> String {
    format!(
        "\n[[hook]]\nid = \"{id}\"\nevent = \"{event}\"\n{more}\ntool = \"Write\"\nbuiltin = {{ name = \"deny\", reason = \"no\" }}\n"
    )
}

const HEAD: &str = "[require]\nevents = [\"pre_tool_use\"]\nhooks = [\"g\"]\n";

#[tokio::test]
async fn a_config_says_what_must_be_guarded() {
    let good = load(&(HEAD.to_owned() + &hook("g", "pre_tool_use", ""))).unwrap();
    assert_eq!(good.warnings, []);
    let plain = load(&hook("g", "pre_tool_use", "")).unwrap();
    assert_ne!(good.table.config_hash(), plain.table.config_hash(), "it is a part of the config");
    let engine = Engine::new(good.table);
    is_guarded(&engine).await;
    // Loaded again without it, and without the hook.
    engine.swap(load(&hook("other", "pre_tool_use", "")).unwrap().table);
    is_unguarded(&engine, "`g` is required, but it is not in the table any more").await;
    // A hook that is required and switched off is reported when the file is loaded.
    for (more, why) in [
        ("mode = \"off\"", "it is off"),
        ("mode = \"shadow\"", "its mode is `shadow`"),
        ("role = \"observe\"", "it only observes"),
    ] {
        let loaded = load(&(HEAD.to_owned() + &hook("g", "pre_tool_use", more))).unwrap();
        let message = loaded.warnings[0].message();
        assert!(
            message.contains(why) && message.contains("every step of it is denied"),
            "{message}"
        );
        assert_eq!((loaded.warnings[0].line(), loaded.warnings[0].column()), (1, 1));
        is_unguarded(&Engine::new(loaded.table), why).await;
    }
}

#[test]
fn mistakes_in_what_is_required_are_found_at_their_position() {
    let wrong = |require: &str| {
        let errors = load(&format!("[require]\n{require}\n{}", hook("g", "pre_tool_use", "")));
        let errors = errors.unwrap_err();
        let error = &errors.errors()[0];
        ((error.line(), error.column()), error.problem().clone())
    };
    let near = Suggestion::nearest("pre_tool_us", &["pre_tool_use"]);
    assert_eq!(
        wrong("events = [\"stop\", \"pre_tool_us\"]"),
        ((2, 19), ConfigProblem::UnknownEvent { name: "pre_tool_us".into(), near })
    );
    assert_eq!(
        wrong("events = \"session_end\""),
        ((2, 10), ConfigProblem::NotGuardable("session_end".into()))
    );
    assert_eq!(
        wrong("hooks = [\"h\"]"),
        ((2, 10), ConfigProblem::RequiredHook { id: "h".into(), near: Suggestion::default() })
    );
    let text = load("[require]\nevnts = [\"stop\"]\n").unwrap_err().to_string();
    assert!(text.contains("unknown key `evnts`") && text.contains("events"), "{text}");
    let observer = load(
        &("[require]\nhooks = \"o\"\n".to_owned()
            + "[[hook]]\nid = \"o\"\nevent = \"session_end\"\nbuiltin = \"audit\"\n"),
    );
    let text = observer.unwrap_err().to_string();
    assert!(text.contains("nothing can be denied at `o`"), "{text}");
}

/// A hook of the id that is required is not enough: it must be of the layer that requires it, or of one above.
#[tokio::test]
async fn a_hook_of_the_same_id_from_a_layer_below_does_not_guard() {
    let required = format!("[require]\nhooks = \"g\"\n{}", hook("g", "pre_tool_use", ""));
    let of_config = || Engine::new(load(&required).unwrap().table);
    is_guarded(&of_config()).await;
    let engine = of_config();
    engine
        .edit(|table| {
            table.replace(guard("g"));
        })
        .unwrap();
    is_unguarded(&engine, "it is of the layer `code`, and the layer `project` requires it").await;
    // The control: what code requires by the id alone, code can replace.
    let engine = self::engine([guard("g")]);
    engine.set_require(Require::default().hook("g")).unwrap();
    engine
        .edit(|table| {
            table.replace(guard("g").tool("never"));
        })
        .unwrap();
    is_guarded(&engine).await;
}

#[tokio::test]
async fn a_hook_that_is_required_by_its_definition_must_be_as_it_was() {
    let of = |sha256: &str, more: &str| {
        let require = format!("[require]\nhooks = [{{ id = \"g\", sha256 = \"{sha256}\" }}]\n");
        load(&(require + &hook("g", "pre_tool_use", more)))
    };
    let told = of("", "").unwrap_err();
    let ConfigProblem::RequiredDefinition { found, .. } = told.errors()[0].problem() else {
        panic!("{told}")
    };
    is_guarded(&Engine::new(of(found, "").unwrap().table)).await;
    // Its place is no part of its definition, all else is.
    is_guarded(&Engine::new(of(found, "priority = 7").unwrap().table)).await;
    for more in ["agent = \"other\"", "on_failure = \"allow\""] {
        let errors = of(found, more).unwrap_err().to_string();
        assert!(errors.contains("its definition is another one now"), "{errors}");
    }
    // A table that comes later meets it as well.
    let engine = Engine::new(of(found, "").unwrap().table);
    engine.swap(load(&hook("g", "pre_tool_use", "agent = \"other\"")).unwrap().table);
    is_unguarded(&engine, "it has another definition").await;
}
