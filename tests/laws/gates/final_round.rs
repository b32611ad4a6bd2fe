//! Promise: no final bytes are let through that a hook which may deny has not seen.

use std::sync::{Arc, Mutex};

use hookgate::contract::BuiltHandler;
use hookgate::contract::payload::PostToolUse;
use hookgate::matcher::{MatchSpec, Test};
use hookgate::step::ToolResult;
use hookgate::{
    Engine, Event, FailureClass, Gate, HandlerTable, Hook, HookEngine, HookStep, Invocation, Mode,
    Role, StepContext, ToolUse, Verdict,
};
use proptest::prelude::*;
use serde_json::json;

use super::support::{self, bash, call, context, engine, sync};
use super::{run, waits_for};

/// What a hook of the chains below does with the text of a step.
#[derive(Clone, Debug)]
struct Does {
    /// It denies a text with this letter.
    denies: Option<char>,
    /// It puts one letter for another.
    replaces: Option<(char, char)>,
    /// It adds a letter, at each call.
    adds: Option<char>,
    /// It is called only for a text with this letter.
    only: Option<char>,
    mode: Mode,
    waits: bool,
    background: bool,
    merge: bool,
    guard: bool,
}

const LETTERS: [char; 5] = ['a', 'b', 'c', 'd', 'e'];

fn does() -> impl Strategy<Value = Does> {
    let letter = || prop::sample::select(LETTERS.to_vec());
    (
        (
            prop::option::of(letter()),
            prop::option::of((letter(), letter())),
            prop::option::weighted(0.15, letter()),
            prop::option::weighted(0.3, letter()),
        ),
        (
            prop_oneof![5 => Just(Mode::Enforce), 1 => Just(Mode::Warn), 1 => Just(Mode::Shadow)],
            any::<bool>(),
            prop::bool::weighted(0.1),
            any::<bool>(),
            any::<bool>(),
        ),
    )
        .prop_map(
            |((denies, replaces, adds, only), (mode, waits, background, merge, guard))| Does {
                denies,
                replaces,
                adds,
                only,
                mode,
                waits,
                background,
                merge,
                guard,
            },
        )
}

impl Does {
    fn rewritten(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if let Some((from, to)) = self.replaces.filter(|_| !self.guard) {
            text = text.replace(from, &to.to_string());
        }
        text.extend(self.adds.filter(|_| !self.guard));
        text
    }

    fn denies(&self, text: &str) -> bool {
        self.denies.is_some_and(|letter| text.contains(letter))
    }

    fn evaluates(&self, text: &str) -> bool {
        self.mode == Mode::Enforce
            && !self.background
            && self.only.is_none_or(|letter| text.contains(letter))
    }
}

/// The texts that each hook was called with.
type Seen = Arc<Mutex<Vec<(usize, String)>>>;

fn text_of(invocation: Invocation<'_>) -> String {
    match invocation.payload().as_any().downcast_ref::<PostToolUse>() {
        Some(result) => result.tool_response.as_str().unwrap().to_owned(),
        None => support::command(invocation),
    }
}

fn chain(event: Event, hooks: &[Does], seen: &Seen) -> Engine {
    let mut table = HandlerTable::builder();
    for (index, does) in hooks.iter().cloned().enumerate() {
        let (seen, of) = (Arc::clone(seen), does.clone());
        let answer = move |invocation: Invocation<'_>| {
            let text = text_of(invocation);
            seen.lock().unwrap().push((index, text.clone()));
            if of.denies(&text) {
                return Ok(Verdict::deny("no"));
            }
            let rewritten = of.rewritten(&text);
            // One that replaces always sets the field, also to what it is.
            if of.guard || (of.replaces.is_none() && rewritten == text) {
                return Ok(Verdict::none());
            }
            Ok(match event {
                Event::PostToolUse => Verdict::none().patch("tool_response", rewritten),
                _ => Verdict::none().patch("tool_input", json!({ "command": rewritten })),
            })
        };
        let built = if does.waits {
            waits_for(move |invocation| {
                let reply = answer(invocation);
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    reply
                })
            })
        } else {
            BuiltHandler::from_sync(answer)
        };
        let mut when = MatchSpec::default();
        if let Some(letter) = does.only {
            let pointer = match event {
                Event::PostToolUse => "/tool_response",
                _ => "/tool_input/command",
            };
            when = when.payload(pointer, Test::regex(letter.to_string()));
        }
        let role = if does.guard { Role::Guard } else { Role::Rewrite };
        let background = does.background && event == Event::PostToolUse && !does.guard;
        table.insert(
            Hook::new(format!("h{index}"), "test", built)
                .event(event)
                .matching(when)
                .role(role)
                .mode(does.mode)
                .merge(does.merge)
                .background(background),
        );
    }
    Engine::new(table.build().unwrap())
}

/// The text with which a step was let through, if it was.
async fn let_through(event: Event, engine: &Engine, text: &str, reported: bool) -> Option<String> {
    if event == Event::PostToolUse {
        let tool = Engine::without_hooks().pass(bash("ls")).unwrap();
        let ran = tool.start().finish(Ok::<_, String>(text.to_owned()));
        let gate = evaluated(engine, ran, reported).await;
        let done: ToolUse<hookgate::step::Done> = gate.cleared()?;
        let ToolResult::Success(result) = done.result() else { panic!() };
        return Some(result.tool_response.as_str().unwrap().to_owned());
    }
    let gate = evaluated(engine, ToolUse::from(call(text)), reported).await;
    let tool = gate.cleared()?;
    Some(tool.call().tool_input["command"].as_str().unwrap().to_owned())
}

async fn evaluated<S: HookStep>(engine: &Engine, step: S, reported: bool) -> Gate<S> {
    let context = StepContext::new("session-1");
    if reported {
        let (gate, report) = engine.dispatch_reported(step, &context).await;
        assert_eq!(gate.outcome(), report.decision);
        gate
    } else {
        engine.dispatch(step, &context).await
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn no_final_bytes_are_let_through_that_one_who_may_deny_has_not_seen(
        hooks in prop::collection::vec(does(), 1..7),
        text in "[a-e]{1,4}",
        at_result in any::<bool>(),
        reported in any::<bool>(),
    ) {
        let event = if at_result { Event::PostToolUse } else { Event::PreToolUse };
        let hooks: Vec<_> = hooks.into_iter().map(|mut does| {
            // Only a rewriter of results runs in the background.
            does.background &= at_result && !does.guard;
            does
        }).collect();
        let seen = Seen::default();
        let engine = chain(event, &hooks, &seen);
        let last = run(async {
            let text = let_through(event, &engine, &text, reported).await;
            engine.drain(std::time::Duration::from_secs(5)).await;
            text
        });
        let Some(last) = last else { return Ok(()) };
        let seen = seen.lock().unwrap();
        // Who made the final bytes need not see them.
        let makes = |(index, seen): &(usize, String)| {
            let does = &hooks[*index];
            does.evaluates(seen) && !does.denies(seen) && *seen != last && does.rewritten(seen) == last
        };
        let maker = seen.iter().filter(|call| makes(call)).map(|(index, _)| *index).max();
        for (index, does) in hooks.iter().enumerate() {
            if !does.evaluates(&last) || maker == Some(index) {
                continue;
            }
            let saw = seen.iter().any(|(hook, what)| *hook == index && *what == last);
            prop_assert!(saw, "h{} let `{}` through unseen: {:?}", index, last, seen);
            prop_assert!(!does.denies(&last), "h{} denies `{}`", index, last);
            prop_assert_eq!(does.rewritten(&last), last.clone(), "h{} would rewrite it", index);
        }
    }
}

fn at_result(id: &str, answer: impl Fn(String) -> Verdict + Send + Sync + 'static) -> Hook {
    let built =
        BuiltHandler::from_sync(move |invocation: Invocation<'_>| Ok(answer(text_of(invocation))));
    Hook::new(id, "test", built).event(Event::PostToolUse)
}

#[tokio::test]
async fn a_denying_hook_without_a_role_is_invoked_on_what_a_later_rewriter_made() {
    let dlp = at_result("dlp", |text| {
        if text.contains("SECRET") { Verdict::deny("secret") } else { Verdict::none() }
    });
    let expand = at_result("expand", |text| {
        Verdict::none().patch("tool_response", text.replace("$KEY", "SECRET"))
    });
    let engine = engine([dlp.priority(1), expand]);
    let ran = Engine::without_hooks().pass(bash("env")).unwrap();
    let ran = ran.start().finish(Ok::<_, String>("value: $KEY"));
    let (gate, report) = engine.dispatch_reported(ran, &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.by, ["dlp"]);
    let rounds: Vec<_> = report.votes.iter().map(|vote| (&*vote.hook, vote.round)).collect();
    assert_eq!(rounds, [("dlp", 1), ("expand", 1), ("dlp", 2)]);
    // At pre_tool_use as well.
    let deny = sync("deny", |invocation| {
        let stop = support::command(invocation).contains("rm -rf");
        Ok(if stop { Verdict::deny("no") } else { Verdict::none() })
    });
    let expand =
        sync("expand", |_| Ok(Verdict::none().patch("tool_input", json!({"command": "rm -rf /"}))));
    let engine = support::engine([deny.role(Role::Rewrite), expand.role(Role::Rewrite)]);
    let (gate, report) = engine.dispatch_reported(bash("$X"), &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.by, ["deny"]);
}

#[cfg(feature = "builtin")]
#[tokio::test]
async fn a_secret_that_a_later_rewriter_brings_in_is_withheld() {
    let config = "[[hook]]\nid = \"redact\"\nevent = \"post_tool_use\"\npriority = 1\nbuiltin = \"redact_secrets\"\n";
    let registry = hookgate_test_support::registry();
    let loader = hookgate::config::Loader::new(&registry);
    let redact = || loader.parse("hooks.toml", config, std::path::Path::new("/")).unwrap().table;
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let expand = |to: &'static str| {
        at_result("expand", move |text| {
            Verdict::none().patch("tool_response", text.replace("$KEY", to))
        })
    };
    for (to, cleared) in [(secret, false), ("nothing", true)] {
        let engine = Engine::new(redact());
        engine.edit(|table| _ = table.insert(expand(to))).unwrap();
        let ran = Engine::without_hooks().pass(bash("env")).unwrap();
        // The redactor has something to hide from the start, and hides it once.
        let ran = ran.start().finish(Ok::<_, String>(format!("{secret} $KEY")));
        let (gate, report) = engine.dispatch_reported(ran, &context()).await;
        assert_eq!(gate.cleared().is_some(), cleared, "{report:?}");
        if !cleared {
            assert_eq!(
                (report.votes[2].failure, report.votes[2].round),
                (Some(FailureClass::Illegal), 2)
            );
            let detail = report.votes[2].detail.clone().unwrap();
            assert!(detail.contains("`tool_response`") && detail.contains("`after`"), "{detail}");
        }
    }
}

#[tokio::test]
async fn a_rewriter_that_leaves_its_own_result_alone_passes_the_final_round_and_keeps_its_reason() {
    let normal = |invocation: Invocation<'_>| {
        let lower = support::command(invocation).to_lowercase();
        let changed = lower != support::command(invocation);
        // It always sets the field, and speaks only when that changes something.
        let verdict = Verdict::none().patch("tool_input", json!({ "command": lower }));
        Ok(if changed { verdict.context("made lower").message("lower") } else { verdict })
    };
    let add = |invocation: Invocation<'_>| {
        let command = support::command(invocation);
        let patch = json!({ "command": command.clone() + " -v" });
        Ok(if command.ends_with("-v") {
            Verdict::none()
        } else {
            Verdict::none().patch("tool_input", patch)
        })
    };
    let engine =
        engine([sync("normal", normal).role(Role::Rewrite), sync("add", add).role(Role::Rewrite)]);
    let (gate, report) = engine.dispatch_reported(bash("LS"), &context()).await;
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "ls -v");
    assert_eq!(
        (&*report.context, &*report.messages),
        (&["made lower".to_owned()][..], &["lower".to_owned()][..])
    );
    let outcomes: Vec<_> =
        report.votes.iter().map(|vote| (&*vote.hook, vote.round, vote.failure)).collect();
    assert_eq!(outcomes, [("normal", 1, None), ("add", 1, None), ("normal", 2, None)]);
}

#[tokio::test]
async fn the_ask_of_a_rewriter_is_not_taken_back_by_its_own_patch() {
    // It takes the flag out and asks; in the final round it has no opinion.
    let soften = |invocation: Invocation<'_>| {
        let command = support::command(invocation);
        let softer = command.replace(" --force", "");
        Ok(if softer == command {
            Verdict::none()
        } else {
            Verdict::ask("softened").patch("tool_input", json!({ "command": softer }))
        })
    };
    let trim = |invocation: Invocation<'_>| {
        let command = support::command(invocation);
        Ok(Verdict::none().patch("tool_input", json!({ "command": command.trim() })))
    };
    let engine = engine([
        sync("soften", soften).role(Role::Rewrite),
        sync("trim", trim).role(Role::Rewrite),
    ]);
    let (gate, report) = engine.dispatch_reported(bash("git push --force "), &context()).await;
    let Gate::Asked(asked) = gate else { panic!("{report:?}") };
    assert_eq!(asked.payload().tool_input["command"], "git push");
    assert_eq!(report.by, ["soften"]);
}

#[tokio::test]
async fn a_rewriter_that_does_not_enforce_is_invoked_again_and_fails_nothing() {
    for mode in [Mode::Warn, Mode::Shadow] {
        let upper = |invocation: Invocation<'_>| {
            let command = support::command(invocation).to_uppercase();
            Ok(Verdict::none().patch("tool_input", json!({ "command": command })))
        };
        let add = |_: Invocation<'_>| {
            Ok(Verdict::none().patch("tool_input", json!({ "command": "ls -v" })))
        };
        let engine = engine([
            sync("upper", upper).role(Role::Rewrite).mode(mode),
            sync("add", add).role(Role::Rewrite),
        ]);
        let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "ls -v");
        assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?}");
        assert_eq!(report.votes[2].round, 2);
    }
}
