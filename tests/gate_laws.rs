//! Promise: no state falls open, and what was judged is what runs. The gate of a step is what was
//! decided about it, whatever its contract; and no final bytes are let through that somebody who may
//! deny has not seen, rewriters included.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod support;

use std::convert::Infallible as No;
use std::sync::{Arc, Mutex};

use hookgate::contract::payload::{Payload, PostToolUse};
use hookgate::contract::{Built, ReplyFuture, Word};
use hookgate::matcher::{InputSpec, InputTest, MatchSpec, Test};
use hookgate::step::ToolResult;
use hookgate::table::{BuildProblem, TableBuilder};
use hookgate::{
    Answered, Ask, Asked, Cleared, Contract, Denied, Engine, Event, Failure, FailureClass, Gate,
    Halted, HandlerTable, HookEngine, HookSpec, HookStep, Kind, Mode, Outcome, Posture, Report,
    Role, StepContext, ToolUse, Verdict,
};
use proptest::prelude::*;
use serde_json::json;
use support::{Waits, bash, call, context, engine, sync};

/// Steps of an embedder, with the states that their contracts have.
macro_rules! steps {
    ($($step:ident, $contract:expr, $denied:ty, $asked:ty, $answered:ty, $halted:ty;)*) => {
        $(
            #[derive(Clone, Debug, serde::Serialize)]
            struct $step;

            impl Payload for $step {
                fn contract(&self) -> &'static Contract {
                    static CONTRACT: Contract = $contract;
                    &CONTRACT
                }
            }

            impl HookStep for $step {
                const CONTRACT: &'static Contract = &$contract;
                type Payload = Self;
                type Cleared = Cleared<Self>;
                type Denied = $denied;
                type Asked = $asked;
                type Answered = $answered;
                type Halted = $halted;

                fn payload(&self) -> &Self {
                    self
                }

                fn payload_mut(&mut self) -> &mut Self {
                    self
                }
            }
        )*

        /// All of them, by number.
        const STEPS: usize = [$(stringify!($step)),*].len();

        fn contract_of(step: usize) -> &'static Contract {
            [$(Payload::contract(&$step)),*][step]
        }

        async fn judge(step: usize, engine: &Engine) -> [(Outcome, Report); 1] {
            let mut place = 0;
            $(
                if place == step {
                    let (gate, report) = engine.dispatch_reported($step, &context()).await;
                    let plain = engine.dispatch($step, &context()).await;
                    assert_eq!(gate.outcome(), plain.outcome(), "with and without a report");
                    return [(gate.outcome(), report)];
                }
                place += 1;
            )*
            panic!("there is no step {place}");
        }
    };
}

const fn gate() -> Contract {
    Contract::custom("x.step", Kind::Gate)
}

const fn of(kind: Kind) -> Contract {
    Contract::custom("x.step", kind)
}

steps! {
    Plain, gate(), Denied<Self>, No, No, No;
    Asking, gate().may_ask(), Denied<Self>, Asked<Self>, No, No;
    Halting, gate().may_halt(), Denied<Self>, No, No, Halted<Self>;
    Both, gate().may_ask().may_halt(), Denied<Self>, Asked<Self>, No, Halted<Self>;
    Answering, gate().takes_answer(), Denied<Self>, No, Answered<Self>, No;
    All, gate().may_ask().may_halt().takes_answer(), Denied<Self>, Asked<Self>, Answered<Self>, Halted<Self>;
    Finished, of(Kind::Result), Denied<Self>, No, No, No;
    FinishedAsking, of(Kind::Result).may_ask().may_halt(), Denied<Self>, Asked<Self>, No, Halted<Self>;
    Telling, of(Kind::Context), No, No, No, No;
    TellingHalting, of(Kind::Context).may_halt(), No, No, No, Halted<Self>;
    AskingOnly, of(Kind::Context).may_ask(), No, Asked<Self>, No, No;
    Giving, of(Kind::Contribute), No, No, No, No;
    Watching, of(Kind::Observe), No, No, No, No;
}

/// What the table believes of the event: not what the step's type says.
fn believed(number: u8) -> Option<&'static Contract> {
    static DENY: Contract = gate();
    static ALL: Contract = gate().may_ask().may_halt().takes_answer();
    static TELL: Contract = of(Kind::Context).may_halt();
    [None, Some(&DENY), Some(&ALL), Some(&TELL)][usize::from(number)]
}

#[derive(Clone, Copy, Debug)]
enum Says {
    Word(Word),
    Answer,
    Failure(Option<Word>),
    Nothing,
}

fn says() -> impl Strategy<Value = Says> {
    let word = || prop::sample::select(vec![Word::Allow, Word::Ask, Word::Deny, Word::Halt]);
    prop_oneof![
        word().prop_map(Says::Word),
        word().prop_map(Says::Word),
        Just(Says::Answer),
        prop::option::of(word()).prop_map(Says::Failure),
        Just(Says::Nothing),
    ]
}

fn verdict(says: Says) -> hookgate::contract::Reply {
    match says {
        Says::Word(Word::Allow) => Ok(Verdict::allow()),
        Says::Word(Word::Ask) => Ok(Verdict::ask("?")),
        Says::Word(Word::Deny) => Ok(Verdict::deny("no")),
        Says::Word(Word::Halt) => Ok(Verdict::halt("stop")),
        Says::Answer => Ok(Verdict::none().answer(json!("supplied"), false)),
        Says::Failure(stands) => Err(Failure::new(FailureClass::Exit, "it broke").standing(stands)),
        Says::Nothing => Ok(Verdict::none()),
    }
}

fn waits_for<F>(answer: F) -> Built
where
    F: for<'a> Fn(Ask<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    Built::waiting(Waits(answer))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

proptest! {
    #[test]
    fn the_gate_of_a_step_is_what_was_decided_whatever_its_contract(
        step in 0..STEPS,
        believed_by in 0_u8..4,
        hooks in prop::collection::vec((says(), any::<bool>(), any::<bool>()), 1..4),
    ) {
        let contract = contract_of(step);
        let mut table = HandlerTable::builder().allow_unknown_contracts();
        if let Some(other) = believed(believed_by) {
            table = table.contract(other);
        }
        for (place, &(says, waits, rewrites)) in hooks.iter().enumerate() {
            let built = if waits {
                waits_for(move |_| Box::pin(async move { verdict(says) }))
            } else {
                Built::sync(move |_: Ask<'_>| verdict(says))
            };
            let mut hook = HookSpec::new(format!("h{place}"), "test", built).on_custom("x.step");
            if rewrites && believed(believed_by).is_some_and(|contract| contract.answer) {
                hook = hook.role(Role::Rewrite);
            }
            table.add(hook);
        }
        let engine = Engine::new(table.build().unwrap());
        let [(outcome, report)] = run(judge(step, &engine));
        prop_assert_eq!(outcome, report.decision);
        // What was said at all is not lost, as far as the event can express it.
        let spoke = |strict: &dyn Fn(Word) -> bool| hooks.iter().any(|(says, ..)| match says {
            Says::Word(word) => strict(*word),
            _ => false,
        });
        if contract.deny() && spoke(&|word| word > Word::Allow) {
            prop_assert!(outcome >= Outcome::Ask, "{:?}", report);
        }
        if contract.deny() && spoke(&|word| word >= Word::Deny) {
            prop_assert!(outcome >= Outcome::Deny, "{:?}", report);
        }
        // Nor does a failure fall open, where a failure counts as deny.
        if contract.deny() && hooks.iter().any(|(says, ..)| matches!(says, Says::Failure(_))) {
            prop_assert!(outcome >= Outcome::Deny, "{:?}", report);
        }
        // What the event cannot express at all is told.
        if outcome == Outcome::Allow && spoke(&|word| !contract.allows(word)) {
            prop_assert!(!report.messages.is_empty(), "{:?}", report);
        }
    }
}

#[tokio::test]
async fn a_word_that_the_step_has_no_state_for_is_denied_whatever_the_table_believes() {
    for (says, failure) in [
        (Says::Word(Word::Halt), Some(FailureClass::Illegal)),
        (Says::Word(Word::Ask), Some(FailureClass::Illegal)),
        (Says::Failure(None), Some(FailureClass::Exit)),
    ] {
        let hook = || {
            HookSpec::new("h", "test", Built::sync(move |_: Ask<'_>| verdict(says)))
                .on_custom("x.step")
        };
        let asks_on_failure = hook().on_failure(Posture::Ask);
        for hook in [hook(), asks_on_failure] {
            let table = HandlerTable::builder().allow_unknown_contracts().insert(hook);
            let engine = Engine::new(table.build().unwrap());
            let (gate, report) = engine.dispatch_reported(Plain, &context()).await;
            let Gate::Denied(denied) = gate else { panic!("{report:?}") };
            assert_eq!(denied.decision().by, ["h"]);
            assert_eq!((report.decision, report.votes[0].failure), (Outcome::Deny, failure));
        }
    }
}

#[test]
fn an_event_whose_contract_nobody_knows_is_refused_when_the_table_is_built() {
    let hook = || {
        HookSpec::new("h", "test", Built::sync(|_: Ask<'_>| Ok(Verdict::deny("no"))))
            .on_custom("x.step")
    };
    let problem = HandlerTable::builder().insert(hook()).build().unwrap_err().0[0].problem.clone();
    assert_eq!(problem, BuildProblem::UnknownContract("x.step".into()));
    assert!(problem.to_string().contains("TableBuilder::contract"));
    let off = HandlerTable::builder().insert(hook().mode(Mode::Off)).build();
    assert!(off.is_err(), "also before it is switched on");
    assert!(HandlerTable::builder().contract(contract_of(0)).insert(hook()).build().is_ok());
    let taken = HandlerTable::builder().allow_unknown_contracts().insert(hook()).build().unwrap();
    let engine = Engine::new(taken);
    assert!(engine.edit(|_| {}).is_ok(), "an edit keeps what the table was told");
}

/// What a hook of the chains below does with the text of a step.
#[derive(Clone, Debug)]
struct Does {
    /// It denies a text with this letter.
    denies: Option<char>,
    /// It puts a letter in the place of another one.
    replaces: Option<(char, char)>,
    /// It adds a letter, each time that it is asked.
    adds: Option<char>,
    /// It is asked only about a text with this letter.
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

    fn judges(&self, text: &str) -> bool {
        self.mode == Mode::Enforce
            && !self.background
            && self.only.is_none_or(|letter| text.contains(letter))
    }
}

/// What each hook was asked about.
type Seen = Arc<Mutex<Vec<(usize, String)>>>;

fn text_of(ask: Ask<'_>) -> String {
    match ask.payload().as_any().downcast_ref::<PostToolUse>() {
        Some(result) => result.tool_response.as_str().unwrap().to_owned(),
        None => support::command(ask),
    }
}

fn chain(event: Event, hooks: &[Does], seen: &Seen) -> Engine {
    let mut table = HandlerTable::builder();
    for (place, does) in hooks.iter().cloned().enumerate() {
        let (seen, of) = (Arc::clone(seen), does.clone());
        let answer = move |ask: Ask<'_>| {
            let text = text_of(ask);
            seen.lock().unwrap().push((place, text.clone()));
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
            waits_for(move |ask| {
                let reply = answer(ask);
                Box::pin(async move {
                    tokio::task::yield_now().await;
                    reply
                })
            })
        } else {
            Built::sync(answer)
        };
        let mut when = MatchSpec::default();
        if let Some(letter) = does.only {
            let test = InputTest { test: Test::Regex(letter.to_string()), negated: false };
            let pointer = match event {
                Event::PostToolUse => "/tool_response",
                _ => "/tool_input/command",
            };
            when.payload = vec![InputSpec { pointer: pointer.into(), tests: vec![test] }];
        }
        let role = if does.guard { Role::Guard } else { Role::Rewrite };
        let background = does.background && event == Event::PostToolUse && !does.guard;
        table.add(
            HookSpec::new(format!("h{place}"), "test", built)
                .on(event)
                .when(when)
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
        let tool = Engine::default().pass(bash("ls")).unwrap();
        let ran = tool.start().finish(Ok::<_, String>(text.to_owned()));
        let gate = judged(engine, ran, reported).await;
        let done: ToolUse<hookgate::step::Done> = gate.cleared()?;
        let ToolResult::Success(result) = done.result() else { panic!() };
        return Some(result.tool_response.as_str().unwrap().to_owned());
    }
    let gate = judged(engine, ToolUse::from(call(text)), reported).await;
    let tool = gate.cleared()?;
    Some(tool.call().tool_input["command"].as_str().unwrap().to_owned())
}

async fn judged<S: HookStep>(engine: &Engine, step: S, reported: bool) -> Gate<S> {
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
        let makes = |(place, seen): &(usize, String)| {
            let does = &hooks[*place];
            does.judges(seen) && !does.denies(seen) && *seen != last && does.rewritten(seen) == last
        };
        let maker = seen.iter().filter(|asked| makes(asked)).map(|(place, _)| *place).max();
        for (place, does) in hooks.iter().enumerate() {
            if !does.judges(&last) || maker == Some(place) {
                continue;
            }
            let saw = seen.iter().any(|(who, what)| *who == place && *what == last);
            prop_assert!(saw, "h{} let `{}` through unseen: {:?}", place, last, seen);
            prop_assert!(!does.denies(&last), "h{} denies `{}`", place, last);
            prop_assert_eq!(does.rewritten(&last), last.clone(), "h{} would rewrite it", place);
        }
    }
}

fn at_result(id: &str, answer: impl Fn(String) -> Verdict + Send + Sync + 'static) -> HookSpec {
    let built = Built::sync(move |ask: Ask<'_>| Ok(answer(text_of(ask))));
    HookSpec::new(id, "test", built).on(Event::PostToolUse)
}

#[tokio::test]
async fn a_denying_hook_without_a_role_is_asked_about_what_a_later_rewriter_made() {
    let dlp = at_result("dlp", |text| {
        if text.contains("SECRET") { Verdict::deny("secret") } else { Verdict::none() }
    });
    let expand = at_result("expand", |text| {
        Verdict::none().patch("tool_response", text.replace("$KEY", "SECRET"))
    });
    let engine = engine([dlp.priority(1), expand]);
    let ran = Engine::default().pass(bash("env")).unwrap();
    let ran = ran.start().finish(Ok::<_, String>("value: $KEY"));
    let (gate, report) = engine.dispatch_reported(ran, &context()).await;
    assert!(matches!(gate, Gate::Denied(_)), "{report:?}");
    assert_eq!(report.by, ["dlp"]);
    let rounds: Vec<_> = report.votes.iter().map(|vote| (&*vote.hook, vote.round)).collect();
    assert_eq!(rounds, [("dlp", 1), ("expand", 1), ("dlp", 2)]);
    // At pre_tool_use as well.
    let deny = sync("deny", |ask| {
        let stop = support::command(ask).contains("rm -rf");
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
    let registry = hookgate::Registry::with_defaults();
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
        engine.edit(|table| _ = table.add(expand(to))).unwrap();
        let ran = Engine::default().pass(bash("env")).unwrap();
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
async fn a_rewriter_that_leaves_its_own_result_alone_passes_the_final_round_and_keeps_what_it_said()
{
    let normal = |ask: Ask<'_>| {
        let lower = support::command(ask).to_lowercase();
        let changed = lower != support::command(ask);
        // It always sets the field, and speaks only when that changes something.
        let verdict = Verdict::none().patch("tool_input", json!({ "command": lower }));
        Ok(if changed { verdict.context("made lower").message("lower") } else { verdict })
    };
    let add = |ask: Ask<'_>| {
        let command = support::command(ask);
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
    // It takes the flag out and asks; in the final round it finds nothing to say.
    let soften = |ask: Ask<'_>| {
        let command = support::command(ask);
        let softer = command.replace(" --force", "");
        Ok(if softer == command {
            Verdict::none()
        } else {
            Verdict::ask("softened").patch("tool_input", json!({ "command": softer }))
        })
    };
    let trim = |ask: Ask<'_>| {
        let command = support::command(ask);
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
async fn a_rewriter_that_does_not_enforce_is_asked_again_and_fails_nothing() {
    for mode in [Mode::Warn, Mode::Shadow] {
        let upper = |ask: Ask<'_>| {
            let command = support::command(ask).to_uppercase();
            Ok(Verdict::none().patch("tool_input", json!({ "command": command })))
        };
        let add =
            |_: Ask<'_>| Ok(Verdict::none().patch("tool_input", json!({ "command": "ls -v" })));
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

#[test]
fn the_steps_above_are_what_the_table_builder_takes() {
    for step in 0..STEPS {
        let table = TableBuilder::default().contract(contract_of(step)).build().unwrap();
        assert!(table.is_empty());
    }
}
