//! Promise: a guard that is set to windows judges a text while it comes, each window with what was before it; what it
//! denies is shown to nobody, and nothing else of the table is weaker for it. What a tool prints streams in the same way.

use std::sync::{Arc, Mutex};

use futures_util::{StreamExt, stream};
use hookgate::builtin::RedactSecrets;
use hookgate::contract::payload::PostLlmResponse;
use hookgate::contract::{SessionEnv, Slots};
use hookgate::engine::DynHookEngine;
use hookgate::matcher::Test;
use hookgate::step::Running;
use hookgate::stream::{Exposure, GatedStream, Part, StreamGate};
use hookgate::table::TextWindow;
use hookgate::testing::Captured;
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, HandlerTable, Hook, HookEngine, Invocation,
    Outcome, Posture, Role, StepContext, ToolUse, Verdict,
};

use crate::stream_gate::{engine_of, redacts, text_of};
use crate::support::{self, kills::Chance};

const CONTEXT: StepContext<'static> = StepContext::new("session-1");

/// A guard by windows that keeps what it is asked about, and denies what has this word.
fn judge(window: TextWindow, word: &'static str) -> (Hook, Arc<Mutex<Vec<String>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&seen);
    let hook = Hook::sync("judge", move |call: Invocation<'_>| {
        kept.lock().unwrap().push(text_of(&call).to_owned());
        let is_bad = text_of(&call).contains(word);
        Ok(if is_bad { Verdict::deny("not this") } else { Verdict::none() })
    });
    (hook.event(Event::PostLlmResponse).role(Role::Guard).text_window(window), seen)
}

fn sentences(count: usize) -> String {
    (0..count).map(|number| format!("This is sentence {number} of the text. ")).collect()
}

#[tokio::test]
async fn each_window_is_judged_once_with_what_was_before_it_and_then_shown() {
    let (hook, seen) = judge(TextWindow::bytes(80).overlap(20), "never");
    let engine = engine_of([hook]);
    let text = sentences(12);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    let mut shown = String::new();
    for part in text.as_bytes().chunks(7) {
        shown += &gate.push(std::str::from_utf8(part).unwrap()).await.unwrap().text;
        let judged = seen.lock().unwrap().concat();
        assert!(
            shown.is_empty()
                || judged.ends_with(shown.get(shown.len().saturating_sub(5)..).unwrap())
        );
    }
    assert!(shown.len() > text.len() / 2, "{shown}");
    let windows = std::mem::take(&mut *seen.lock().unwrap());
    assert!(
        windows
            .iter()
            .all(|window| window.len() <= 100 && window.ends_with(". ") || window.ends_with('.'))
    );
    // With the overlap of 20 bytes before each but the first.
    let joined = windows
        .iter()
        .enumerate()
        .map(|(at, window)| if at == 0 { window.as_str() } else { window.get(20..).unwrap() });
    assert_eq!(joined.collect::<String>(), shown);
    let ended = gate.finish(PostLlmResponse::new(text.clone(), Vec::new())).await;
    assert_eq!(shown + &ended.rest, text);
    assert_eq!(*seen.lock().unwrap(), [text], "and the whole at the end");
}

#[tokio::test]
async fn what_is_released_depends_on_the_bytes_and_not_on_the_parts() {
    let (hook, _) = judge(TextWindow::bytes(64), "never");
    let engine = engine_of([redacts(), hook]);
    let text = format!("{}DB_PASS=correct7horse\n{}", sentences(5), sentences(6));
    let after = async |mut size: Box<dyn FnMut() -> usize>| {
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
        let (mut shown, mut from, mut after) = (String::new(), 0, Vec::new());
        while from < text.len() {
            let to = text.len().min(from + size());
            shown += &gate.push(text.get(from..to).unwrap()).await.unwrap().text;
            after.push((to, shown.len()));
            from = to;
        }
        assert!(!shown.contains("correct7"), "{shown}");
        after
    };
    let by_byte = after(Box::new(|| 1)).await;
    assert!(by_byte.last().unwrap().1 > 100);
    let mut chance = Chance::default();
    for _ in 0..support::cases(300, 5_000) {
        let widest = 1 + chance.draw() as usize % 90;
        let mut chance = Chance::default();
        let sizes: Vec<usize> =
            (0..text.len()).map(|_| 1 + chance.draw() as usize % widest).collect();
        let mut sizes = sizes.into_iter();
        for at in after(Box::new(move || sizes.next().unwrap())).await {
            assert!(by_byte.contains(&at), "{at:?}");
        }
    }
}

#[tokio::test]
async fn a_denied_window_cuts_the_text_and_denies_the_whole() {
    let (hook, _) = judge(TextWindow::bytes(64).overlap(16), "secret plan");
    let records = Captured::new();
    let engine = engine_of([hook]).with_recorder(records.clone());
    // Over the border of two windows.
    for before in 30..100 {
        let text = format!("{}secret plan. {}", "x".repeat(before), sentences(4));
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
        let (mut shown, mut came, mut cut) = (String::new(), String::new(), None);
        for part in text.as_bytes().chunks(5) {
            let part = std::str::from_utf8(part).unwrap();
            came += part;
            match gate.push(part).await {
                Ok(released) => shown += &released.text,
                Err(by) => {
                    cut = Some(by);
                    break;
                }
            }
        }
        let cut = cut.expect("it is denied while it comes");
        assert!(!shown.contains("secret plan") && came.len() < text.len(), "{shown}");
        assert_eq!(
            (cut.shown, cut.keep, cut.hooks[0].as_str()),
            (shown.len(), shown.len(), "judge")
        );
        // What came until then may be harmless as a whole: it is denied all the same, and recorded so.
        let ended = gate.finish(PostLlmResponse::new("harmless", Vec::new())).await;
        assert!(
            matches!(&ended.gate, Gate::Denied(denied) if denied.feedback() == "denied by judge: not this")
        );
        assert!(ended.rest.is_empty());
        let last = records.reports().pop().unwrap();
        assert_eq!((last.decision, last.by[0].as_str()), (Outcome::Deny, "judge"));
    }
}

#[tokio::test]
async fn windows_wait_for_hooks_that_want_the_whole_and_stand_behind_rewriters_of_pieces() {
    let whole = |table: &HandlerTable| table.hooks_of_whole_text(Event::PostLlmResponse);
    let table = |hooks: Vec<Hook>| {
        let mut builder = HandlerTable::builder();
        builder.extend(hooks);
        builder.build().unwrap()
    };
    let judge = || judge(TextWindow::bytes(64), "never").0;
    assert!(whole(&table(vec![redacts(), judge()])).is_empty());
    assert_eq!(whole(&table(vec![judge(), redacts()])), ["judge"], "it would see another text");
    let rewrites = Hook::sync("shout", |_| Ok(Verdict::none()))
        .event(Event::PostLlmResponse)
        .role(Role::Rewrite);
    assert_eq!(whole(&table(vec![rewrites, judge()])), ["shout", "judge"]);
    // With one that wants the whole beside it, nothing is shown.
    let slow = Hook::sync("whole", |_| Ok(Verdict::none())).event(Event::PostLlmResponse);
    let engine = engine_of([judge(), slow]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    assert_eq!(gate.push(&sentences(20)).await.unwrap().text, "");
    // A stated exposure is beyond what was judged.
    let engine = engine_of([judge()]);
    let text = "x".repeat(100);
    for (exposure, shown) in [(0, 64), (10, 74), (100, 100)] {
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::bytes(exposure));
        assert_eq!(gate.push(&text).await.unwrap().text.len(), shown);
    }
}

#[tokio::test]
async fn a_cut_denies_the_whole_also_if_no_hook_is_left_by_then() {
    let (hook, _) = judge(TextWindow::bytes(16), "bad");
    let engine = Arc::new(engine_of([hook]));
    let scope = engine.scope("session-1").open().unwrap();
    let dynamic: &dyn DynHookEngine = &*engine;
    let text = "this is a bad word here";
    let mut of_engine = StreamGate::new(&*engine, &CONTEXT, Exposure::NONE);
    let mut of_scope = StreamGate::new(&scope, &CONTEXT, Exposure::NONE);
    let mut of_dynamic = StreamGate::new(dynamic, &CONTEXT, Exposure::NONE);
    assert_eq!(of_engine.push(text).await.unwrap_err().outcome, Outcome::Deny);
    assert_eq!(of_scope.push(text).await.unwrap_err().outcome, Outcome::Deny);
    assert_eq!(of_dynamic.push(text).await.unwrap_err().outcome, Outcome::Deny);
    engine.swap(HandlerTable::empty());
    let whole = || PostLlmResponse::new(text, Vec::new());
    assert!(matches!(of_engine.finish(whole()).await.gate, Gate::Denied(_)));
    assert!(matches!(of_scope.finish(whole()).await.gate, Gate::Denied(_)));
    assert!(matches!(of_dynamic.finish(whole()).await.gate, Gate::Denied(_)));
    // The control: a text that was not cut.
    let gate = StreamGate::new(&*engine, &CONTEXT, Exposure::NONE);
    assert!(gate.finish(whole()).await.gate.is_cleared());
}

#[tokio::test]
async fn a_halt_in_a_window_halts_the_run() {
    let halts = Hook::sync("stop", |_| Ok(Verdict::halt("enough"))).event(Event::PostLlmResponse);
    let engine = engine_of([halts.role(Role::Guard).text_window(TextWindow::bytes(16))]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    assert_eq!(gate.push(&sentences(2)).await.unwrap_err().outcome, Outcome::Halt);
    let ended = gate.finish(PostLlmResponse::new(sentences(2), Vec::new())).await;
    assert!(matches!(ended.gate, Gate::Halted(_)));
}

#[tokio::test]
async fn a_window_whose_hook_fails_counts_as_its_posture_says() {
    for (posture, is_shown) in [(Posture::Deny, false), (Posture::Allow, true)] {
        let fails = |_: Invocation<'_>| Err(Failure::new(FailureClass::Exit, "broken"));
        let hook = Hook::sync("judge", fails).event(Event::PostLlmResponse).role(Role::Guard);
        let hook = hook.on_failure(posture).text_window(TextWindow::bytes(16));
        let engine = engine_of([hook]);
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
        assert_eq!(gate.push(&sentences(2)).await.is_ok(), is_shown);
    }
}

#[tokio::test]
async fn of_windows_of_two_sizes_the_slower_one_is_waited_for() {
    let guard = |id: &str, bytes: usize| {
        let hook = Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PostLlmResponse);
        hook.role(Role::Guard).text_window(TextWindow::bytes(bytes))
    };
    let engine = engine_of([guard("small", 16), guard("large", 64)]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    assert_eq!(gate.push(&"x".repeat(63)).await.unwrap().text, "");
    assert_eq!(gate.push("xx").await.unwrap().text.len(), 64);
}

#[test]
fn a_hook_that_cannot_judge_by_windows_is_refused() {
    let build = |hook: Hook| HandlerTable::builder().insert(hook).build().map(drop);
    let hook = || Hook::sync("judge", |_| Ok(Verdict::none())).event(Event::PostLlmResponse);
    let window = TextWindow::bytes(64);
    build(hook().text_window(window)).unwrap();
    let refused = [
        (hook().role(Role::Rewrite).text_window(window), "a guard, which changes nothing"),
        (
            hook().payload("/assistant_text", Test::regex("x")).text_window(window),
            "looks at the text",
        ),
        (hook().text_window(TextWindow::bytes(3)), "a window has 16 to 1048576 bytes, not 3"),
        (hook().text_window(window.overlap(65)), "longer than the window"),
        (
            Hook::sync("judge", |_| Ok(Verdict::none()))
                .event(Event::PreToolUse)
                .text_window(window),
            "is at neither of them",
        ),
    ];
    for (hook, why) in refused {
        let error = build(hook).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

async fn running(engine: &Engine) -> Running {
    let call = ToolUse::propose("Bash", r#"{"command":"make"}"#).unwrap();
    engine.dispatch(call, &CONTEXT).await.cleared().unwrap().start()
}

#[tokio::test]
async fn what_a_tool_prints_streams_by_the_hooks_of_the_tool() {
    let redact = || {
        Hook::new("no-secrets", "builtin", RedactSecrets::new().into()).event(Event::PostToolUse)
    };
    let token = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX";
    let text = format!("compiling, all is well\n{token}\ndone, as ever\n");
    for tool in ["Bash", "Read"] {
        let engine = engine_of([redact().tool(tool)]);
        let running = running(&engine).await;
        let parts: Vec<_> = text
            .as_bytes()
            .chunks(9)
            .map(|part| String::from_utf8(part.to_vec()).unwrap())
            .collect();
        let source = stream::iter(parts.into_iter().map(Ok::<_, std::io::Error>));
        let mut source = GatedStream::of_tool(&engine, &CONTEXT, Exposure::NONE, running, source);
        let (mut shown, mut parts, mut done) = (String::new(), 0, None);
        while let Some(part) = source.next().await {
            match part.unwrap() {
                Part::Text(text) => (shown, parts) = (shown + &text, parts + 1),
                Part::End(gate) => done = gate.cleared(),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(shown.contains(token), tool == "Read", "{shown}");
        assert!(parts > 1, "it is shown while it comes");
        assert_eq!(done.unwrap().into_message(), shown);
    }
}

#[tokio::test]
async fn a_tool_that_fails_after_it_has_printed_keeps_what_was_judged() {
    let hook = |window: Option<TextWindow>| {
        let hook = Hook::sync("judge", |_| Ok(Verdict::none()))
            .event(Event::PostToolUse)
            .role(Role::Guard);
        window.into_iter().fold(hook, Hook::text_window)
    };
    // Which bytes are taken back: none that were judged by windows, all that nobody has judged.
    for (window, exposure, shown, taken) in
        [(Some(TextWindow::bytes(16)), 0, 32, None), (None, 20, 20, Some((0, 20)))]
    {
        let engine = engine_of([hook(window)]);
        let running = running(&engine).await;
        let mut gate =
            StreamGate::of_tool(&engine, &CONTEXT, Exposure::bytes(exposure), running.call());
        assert_eq!(gate.push(&"x".repeat(40)).await.unwrap().text.len(), shown);
        let ended = gate.finish(running.finish(Err::<String, _>("exit 1"))).await;
        assert_eq!(ended.retraction.map(|taken| (taken.from, taken.to)), taken);
        assert_eq!(
            (ended.rest.as_str(), ended.gate.cleared().unwrap().into_message().as_str()),
            ("", "exit 1")
        );
    }
}

#[tokio::test]
async fn the_steps_of_a_call_share_what_hooks_put_into_its_slots() {
    struct Began(u32);
    let before = Hook::sync("before", |call: Invocation<'_>| {
        call.context().slots.expect("the host gives them").put(Began(7));
        Ok(Verdict::none())
    });
    let after = Hook::async_fn("after", |call: Invocation<'_>| {
        Box::pin(async move {
            let began = call.context().slots.and_then(|slots| slots.take::<Began>());
            Ok(Verdict::deny(format!("began {}", began.map_or(0, |began| began.0))))
        })
    });
    let engine = engine_of([before.event(Event::PreToolUse), after.event(Event::PostToolUse)]);
    let slots = Slots::new();
    let context = CONTEXT.slots(&slots);
    let call = ToolUse::propose("Bash", "{}").unwrap();
    let ran = engine.dispatch(call, &context).await.cleared().unwrap();
    let ran = ran.run(async |_| Ok::<_, String>("done")).await;
    let Gate::Denied(denied) = engine.dispatch(ran, &context).await else { panic!() };
    assert!(denied.feedback().ends_with("began 7"), "{}", denied.feedback());
}

#[tokio::test]
async fn a_hook_in_the_background_has_the_slots_and_variables_of_its_call() {
    let (sender, mut receiver) = tokio::sync::mpsc::channel(1);
    let after = Hook::async_fn("after", move |call: Invocation<'_>| {
        let number = call.context().slots.and_then(|slots| slots.take::<u32>());
        let token = call.context().env.and_then(|env| env.get("TOKEN")).map(str::to_owned);
        let sender = sender.clone();
        Box::pin(async move {
            sender.send((number, token)).await.unwrap();
            Ok(Verdict::none())
        })
    });
    let after = after.event(Event::PostToolUse).role(Role::Observe).background(true);
    let engine = engine_of([after]);
    let (slots, env) = (Slots::new(), SessionEnv::from_iter([("TOKEN", "of this user")]));
    slots.put(7_u32);
    let context = CONTEXT.slots(&slots).env(&env);
    let call = ToolUse::propose("Bash", "{}").unwrap();
    let ran = engine.dispatch(call, &context).await.cleared().unwrap();
    let ran = ran.run(async |_| Ok::<_, String>("done")).await;
    assert!(engine.dispatch(ran, &context).await.is_cleared());
    assert_eq!(receiver.recv().await.unwrap(), (Some(7), Some("of this user".to_owned())));
}
