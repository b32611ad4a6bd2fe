//! Promise: of a text that comes in parts nothing is shown before it is judged, however it is cut into parts: secrets
//! stay hidden, hooks that want the whole are waited for, and what was shown too early is taken back.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate::builtin::RedactSecrets;
use hookgate::contract::payload::PostLlmResponse;
use hookgate::contract::{BuiltHandler, TextCuts};
use hookgate::engine::DynHookEngine;
use hookgate::layer::around;
use hookgate::matcher::Test;
use hookgate::stream::{Cut, Ended, Exposure, Retraction, StreamGate};
use hookgate::testing::Captured;
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, HandlerTable, Hook, HookEngine, Invocation, Mode,
    Noop, Outcome, Posture, Role, StepContext, Verdict,
};
use tokio::sync::Notify;

use crate::support;
use crate::support::kills::Chance;

const CONTEXT: StepContext<'static> = StepContext::new("session-1");

pub(crate) fn text_of<'a>(call: &Invocation<'a>) -> &'a str {
    let response = call.payload().as_any().downcast_ref::<PostLlmResponse>();
    &response.expect("the text of a model").assistant_text
}

pub(crate) fn redacts() -> Hook {
    Hook::new("no-secrets", "builtin", RedactSecrets::new().into()).event(Event::PostLlmResponse)
}

pub(crate) fn engine_of(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    Engine::new(table_of(hooks))
}

fn table_of(hooks: impl IntoIterator<Item = Hook>) -> HandlerTable {
    let mut builder = HandlerTable::builder();
    builder.extend(hooks);
    builder.build().unwrap()
}

/// A hook that wants the whole.
fn whole(id: &str, answer: impl Fn(&str) -> Verdict + Send + Sync + 'static) -> Hook {
    Hook::sync(id, move |call| Ok(answer(text_of(&call)))).event(Event::PostLlmResponse)
}

/// Cuts a text before each blank, and counts what it looks at.
#[derive(Clone, Default)]
pub(crate) struct Words {
    looked_at: Arc<AtomicUsize>,
}

impl TextCuts for Words {
    fn last_cut(&self, text: &str, most: usize) -> usize {
        self.looked_at.fetch_add(text.len(), Ordering::Relaxed);
        text.get(..most).and_then(|begin| begin.rfind(' ')).unwrap_or(0)
    }
}

/// A hook that judges pieces of words: it denies those with "bad".
pub(crate) fn no_bad() -> Hook {
    let handler = BuiltHandler::sync(|call| {
        Ok(if text_of(&call).contains("bad") { Verdict::deny("bad") } else { Verdict::none() })
    });
    Hook::new("no-bad", "test", handler.judges_pieces(Words::default()))
        .event(Event::PostLlmResponse)
}

/// Sends a text in parts of these sizes through a gate; returns what was shown after each part.
async fn shown_by<E: HookEngine>(
    engine: &E,
    exposure: Exposure,
    text: &str,
    mut size: impl FnMut() -> usize,
) -> (Vec<(usize, usize)>, String, Ended) {
    let mut gate = StreamGate::new(engine, &CONTEXT, exposure);
    let (mut shown, mut after, mut from) = (String::new(), Vec::new(), 0);
    while from < text.len() {
        let mut to = text.len().min(from + size().max(1));
        while !text.is_char_boundary(to) {
            to += 1;
        }
        let released = gate.push(text.get(from..to).unwrap()).await.unwrap();
        shown.push_str(&released.text);
        assert_eq!(gate.shown(), shown.len());
        after.push((to, shown.len()));
        from = to;
    }
    let ended = gate.finish(PostLlmResponse::new(text, Vec::new())).await;
    (after, shown, ended)
}

const TOKEN: &str = "ghp_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX";
const JWT: &str = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.0aB1cD2eF3gH4iJ5";

/// A private key of four lines. It is made here, so that no scanner takes this file for a leak.
fn pem() -> String {
    let mark = |word: &str| format!("-----{word} PRIVATE {}-----", "KEY");
    let lines = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"];
    format!("{}\n{}\n{}\n{}", mark("BEGIN"), lines[0], lines[1], mark("END"))
}

fn texts() -> Vec<String> {
    vec![
        String::new(),
        "Hello, world. All is well; nothing is hidden here, and nothing waits.".to_owned(),
        format!("Here it is, as you asked:\n\n{TOKEN}\n\nDo not tell anybody, please."),
        format!(
            "# Keys\n\n- one, two\n- DB_PASS=correct7horse\n\n```\n{}\n```\nThat is all. Bye.",
            pem()
        ),
        format!(
            "Über Grüße, né e\u{301}: {JWT}, or postgres://me:p4ss/w0rd@db/x. 日本語、終わり。 So, done"
        ),
        "name,password\nme,correct7horse\nyou,hunter2hunter2\n\nA table, as you see.\n".to_owned(),
    ]
}

#[tokio::test]
async fn what_is_released_depends_on_the_bytes_and_not_on_the_parts() {
    let engine = engine_of([no_bad(), redacts()]);
    let mut chance = Chance::default();
    let mut references = Vec::new();
    for text in texts() {
        // By character: what is shown after each number of bytes.
        let (after, shown, ended) = shown_by(&engine, Exposure::NONE, &text, || 1).await;
        references.push((text, after, shown + &ended.rest));
    }
    for _ in 0..support::cases(16_000, 100_000) {
        let (text, by_character, whole) = &references[chance.draw() as usize % references.len()];
        let widest = 1 + chance.draw() as usize % 60;
        let size = || 1 + chance.draw() as usize % widest;
        let (after, shown, ended) = shown_by(&engine, Exposure::NONE, text, size).await;
        for at in after {
            assert!(by_character.contains(&at), "{at:?} of {text:?}");
        }
        assert_eq!(shown + &ended.rest, *whole);
        assert!(ended.retraction.is_none() && ended.gate.is_cleared());
    }
}

#[tokio::test]
async fn no_byte_of_a_secret_is_shown_wherever_it_is_cut() {
    /// Holds nothing back.
    struct Everywhere;
    impl TextCuts for Everywhere {
        fn last_cut(&self, _: &str, most: usize) -> usize {
            most
        }
    }
    let engine = engine_of([redacts()]);
    let careless = BuiltHandler::from(RedactSecrets::new()).judges_pieces(Everywhere);
    let careless = Hook::new("no-secrets", "builtin", careless).event(Event::PostLlmResponse);
    let without = engine_of([careless]);
    let secrets = [
        (TOKEN.to_owned(), "[redacted:github_token]"),
        ("DB_PASS=correct7horse".to_owned(), "DB_PASS=[redacted:assignment]"),
        (pem(), "[redacted:private_key]"),
        (JWT.to_owned(), "[redacted:jwt]"),
        ("postgres://me:p4ss/w0rd@db/x".to_owned(), "postgres://me:[redacted:url_password]@db/x"),
    ];
    for (secret, hidden) in secrets {
        let text = format!("Here you go, as asked. See:\n{secret}\nAnd so on, bye.");
        let expected = format!("Here you go, as asked. See:\n{hidden}\nAnd so on, bye.");
        let is_hidden = async |engine: &Engine, (first, rest): (usize, usize)| {
            let mut next = first;
            let size = || std::mem::replace(&mut next, rest);
            let (_, shown, ended) = shown_by(engine, Exposure::NONE, &text, size).await;
            // What was shown is the beginning of the text without the secret: so nothing of it was.
            expected.starts_with(&shown)
                && ended.retraction.is_none()
                && shown + &ended.rest == expected
        };
        let mut shows_without = false;
        let splits = (1..text.len()).map(|first| (first, text.len()));
        let sizes = (1..=text.len()).map(|size| (size, size));
        for parts in splits.chain(sizes) {
            assert!(is_hidden(&engine, parts).await, "{hidden} in parts of {parts:?}");
            shows_without |= !is_hidden(&without, parts).await;
        }
        assert!(shows_without, "{hidden} would not be shown if nothing was held back");
    }
}

#[tokio::test]
async fn text_is_shown_while_it_comes() {
    let text = texts().remove(1);
    let (after, shown, _) = shown_by(&engine_of([redacts()]), Exposure::NONE, &text, || 1).await;
    let most = after.iter().map(|(came, shown)| came - shown).max();
    assert!(shown.len() > 40 && most <= Some(40), "{most:?}: {shown}");
}

#[tokio::test]
async fn hooks_that_want_the_whole_are_waited_for_up_to_the_exposure() {
    let text = texts().remove(4);
    for most in [0, 1, 7, 64, 1_000] {
        for hooks in [
            vec![whole("tone", |_| Verdict::none())],
            vec![redacts(), whole("tone", |_| Verdict::none())],
        ] {
            let engine = engine_of(hooks);
            let (after, shown, ended) = shown_by(&engine, Exposure::bytes(most), &text, || 3).await;
            assert!(after.iter().all(|(_, shown)| *shown <= most), "{after:?}");
            // The rest comes with the end, without what is to be hidden.
            let Gate::Cleared(cleared) = &ended.gate else { panic!() };
            assert_eq!(shown + &ended.rest, cleared.payload().assistant_text);
            assert_eq!(ended.retraction, None);
        }
    }
    // A hook that is not enforced, and an observer, are not waited for.
    let observer = whole("log", |_| Verdict::none()).role(Role::Observe);
    let engine = engine_of([whole("shadow", |_| Verdict::none()).mode(Mode::Shadow), observer]);
    let (after, ..) = shown_by(&engine, Exposure::NONE, &text, || 3).await;
    assert!(after.iter().all(|(came, shown)| came == shown), "{after:?}");
}

#[tokio::test]
async fn a_condition_on_the_text_makes_a_hook_want_the_whole() {
    let on_text = redacts().payload("/assistant_text", Test::regex("x"));
    let here = redacts().cwd_glob("/srv/**");
    let own = RedactSecrets::with(&["ACME-[0-9]+"], &[]).unwrap();
    let own = Hook::new("own", "builtin", own.into()).event(Event::PostLlmResponse);
    for (hook, expected) in
        [(redacts(), vec![]), (here, vec![]), (on_text, vec!["no-secrets"]), (own, vec!["own"])]
    {
        assert_eq!(table_of([hook]).hooks_of_whole_text(Event::PostLlmResponse), expected);
    }
}

#[tokio::test]
async fn the_work_is_linear() {
    for cuts in [true, false] {
        for times in [1, 10, 100] {
            let judged = Arc::new(AtomicUsize::new(0));
            let words = Words::default();
            let counter = Arc::clone(&judged);
            let handler = BuiltHandler::sync(move |call| {
                counter.fetch_add(text_of(&call).len(), Ordering::Relaxed);
                Ok(Verdict::none())
            });
            let hook = Hook::new("counts", "test", handler.judges_pieces(words.clone()));
            let engine = engine_of([hook.event(Event::PostLlmResponse)]);
            let text = if cuts { "some words " } else { "some-words-" }.repeat(30 * times);
            let (_, shown, ended) = shown_by(&engine, Exposure::NONE, &text, || 2).await;
            assert_eq!(shown + &ended.rest, text);
            // Once in pieces, and once as a whole.
            assert!(judged.load(Ordering::Relaxed) <= 2 * text.len());
            let looked_at = words.looked_at.load(Ordering::Relaxed);
            assert!(looked_at <= 6 * text.len() + 100, "{looked_at} for {}", text.len());
        }
    }
}

#[tokio::test]
async fn a_denied_piece_cuts_the_text() {
    let engine = engine_of([no_bad()]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    let first = gate.push("all is well until a bad word ").await.unwrap().text.into_owned();
    assert_eq!(first, "all is well");
    let cut = gate.push("comes, and more of it").await.unwrap_err();
    assert_eq!((cut.shown, cut.keep, cut.outcome), (11, 11, Outcome::Deny));
    assert_eq!(cut.hooks, ["no-bad"]);
    assert_eq!(cut.to_string(), "denied by no-bad: bad");
    assert_eq!(gate.push(" and on").await.unwrap_err(), cut, "it stays cut");
    let whole = "all is well until a bad word comes, and more of it";
    let ended = gate.finish(PostLlmResponse::new(whole, Vec::new())).await;
    assert!(matches!(ended.gate, Gate::Denied(_)), "the whole is dispatched, and recorded");
    assert_eq!(ended.rest, "");
}

#[tokio::test]
async fn a_whole_that_is_denied_in_its_last_byte_is_taken_back() {
    let engine = engine_of([no_bad()]);
    let text = "all is well, and all of these words are as well, but not the bad";
    let (_, shown, ended) = shown_by(&engine, Exposure::NONE, text, || 4).await;
    assert!(shown.len() > 30 && !shown.contains("bad"));
    let Some(taken) = ended.retraction else { panic!() };
    assert_eq!((taken.from, taken.to), (0, shown.len()));
    assert_eq!((&*taken.replacement, &*taken.reason), ("denied by no-bad: bad", "bad"));
    assert_eq!(taken.hooks, ["no-bad"]);
    assert!(matches!(ended.gate, Gate::Denied(_)) && ended.rest.is_empty());
    // Nothing was shown, so nothing is to be taken back.
    let engine = engine_of([whole("tone", |_| Verdict::deny("rude"))]);
    let (_, shown, ended) = shown_by(&engine, Exposure::NONE, text, || 4).await;
    assert_eq!((shown.len(), &ended.retraction, &*ended.rest), (0, &None, ""));
}

#[tokio::test]
async fn a_whole_that_is_changed_is_mended_where_it_differs() {
    let text = "Grüße an alle, die heute hier sind";
    let shout = whole("shout", |text| {
        Verdict::none().patch("assistant_text", text.replace("alle", "ALLE"))
    });
    let engine = engine_of([shout.role(Role::Rewrite)]);
    for most in [5, 11, 12, 17, 30] {
        let (_, mut shown, ended) = shown_by(&engine, Exposure::bytes(most), text, || 1).await;
        assert!(shown.len() <= most);
        if let Some(Retraction { from, to, replacement, hooks, .. }) = &ended.retraction {
            assert_eq!((hooks.as_slice(), *to), (["shout".into()].as_slice(), shown.len()));
            assert!(*from <= *to);
            shown.replace_range(from..to, replacement);
        }
        assert_eq!(ended.retraction.is_some(), most > 11, "{most}");
        assert_eq!(shown + &ended.rest, "Grüße an ALLE, die heute hier sind");
    }
}

#[tokio::test]
async fn a_failed_hook_counts_as_its_posture_says() {
    for (posture, passes) in [(Posture::Deny, false), (Posture::Allow, true)] {
        let fails = |_: Invocation<'_>| Err(Failure::new(FailureClass::Exit, "it broke"));
        let handler = BuiltHandler::from_sync(fails).judges_pieces(Words::default());
        let hook = Hook::new("broken", "test", handler).on_failure(posture);
        let engine = engine_of([hook.event(Event::PostLlmResponse)]);
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
        let pushed = gate.push("some words of a text that goes on").await;
        let shown = pushed.map(|released| released.text.into_owned());
        assert_eq!(shown.is_ok_and(|text| !text.is_empty()), passes);
        assert!(engine.failures("broken", FailureClass::Exit) > 0, "it is counted");
    }
}

#[tokio::test]
async fn cuts_that_are_none_hold_the_text() {
    struct Wrong(fn(&str) -> usize);
    impl TextCuts for Wrong {
        fn last_cut(&self, text: &str, _: usize) -> usize {
            (self.0)(text)
        }
    }
    let wrong: [fn(&str) -> usize; 3] = [|text| text.len() + 1, |_| 1, |_| panic!("no cut")];
    for cut in wrong {
        let handler = BuiltHandler::sync(|_| Ok(Verdict::none())).judges_pieces(Wrong(cut));
        let engine = engine_of([Hook::new("wrong", "test", handler).event(Event::PostLlmResponse)]);
        let text = "üüüüüüüüüüüüüüüüüüüüüü";
        let (_, shown, ended) = shown_by(&engine, Exposure::NONE, text, || 2).await;
        assert_eq!((&*shown, &*ended.rest), ("", text));
    }
}

#[tokio::test]
async fn a_dropped_push_loses_nothing() {
    let (wait, told) = (Arc::new(Notify::new()), Arc::new(AtomicUsize::new(0)));
    let (waits, count) = (Arc::clone(&wait), Arc::clone(&told));
    let handler = BuiltHandler::async_fn(move |_| {
        let (wait, count) = (Arc::clone(&waits), Arc::clone(&count));
        Box::pin(async move {
            if count.fetch_add(1, Ordering::SeqCst) == 0 {
                wait.notified().await;
            }
            Ok(Verdict::none())
        })
    });
    let hook = Hook::new("slow", "test", handler.judges_pieces(Words::default()));
    let engine = engine_of([hook.event(Event::PostLlmResponse)]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    {
        let push = std::pin::pin!(gate.push("a text that waits for "));
        let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(push.poll(&mut cx).is_pending());
    }
    assert_eq!((gate.shown(), told.load(Ordering::SeqCst)), (0, 1));
    let mut shown = gate.push("its hook, and goes on").await.unwrap().text.into_owned();
    let whole = "a text that waits for its hook, and goes on";
    shown += &gate.finish(PostLlmResponse::new(whole, Vec::new())).await.rest;
    assert_eq!(shown, whole);
}

#[tokio::test]
async fn without_hooks_the_parts_themselves_are_released() {
    async fn check(engine: &dyn DynHookEngine) {
        let part = String::from("the part");
        let mut gate = StreamGate::new(engine, &CONTEXT, Exposure::NONE);
        let released = gate.push(&part).await.unwrap();
        assert!(matches!(released.text, Cow::Borrowed(text) if std::ptr::eq(text, &*part)));
        assert_eq!(released.held, 0);
        let ended = gate.finish(PostLlmResponse::new("the part", Vec::new())).await;
        assert!(ended.gate.is_cleared() && ended.rest.is_empty() && ended.retraction.is_none());
    }
    check(&Noop).await;
    check(&Engine::without_hooks()).await;
    check(&None::<Engine>).await;
    check(&engine_of([support::sync("other", |_| Ok(Verdict::deny("no")))])).await;
}

/// What some hooks have judged, and others have cut, does not fit together: it is left to the end.
#[tokio::test]
async fn a_swap_of_the_hooks_leaves_the_rest_to_the_end() {
    const SECRET: &str = "DB_PASS=correct7horse";
    let tone = || whole("tone", |_| Verdict::none());
    let first = || format!("All is well, {SECRET} or not.\nMore of it, and more. ");
    for (before, after) in [
        (vec![], vec![redacts()]),
        (vec![redacts()], vec![]),
        (vec![tone()], vec![redacts()]),
        (vec![redacts()], vec![redacts(), tone()]),
    ] {
        let engine = engine_of(before);
        let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
        let mut shown = gate.push(&first()).await.unwrap().text.into_owned();
        engine.swap(table_of(after));
        for part in ["Then ", SECRET, " again.\nMore of it, and more. "] {
            assert_eq!(gate.push(part).await.unwrap().text, "");
        }
        // A table that has nothing to do with the event changes nothing.
        let came = format!("{}Then {SECRET} again.\nMore of it, and more. ", first());
        let ended = gate.finish(PostLlmResponse::new(&*came, Vec::new())).await;
        shown += &ended.rest;
        if let Some(taken) = &ended.retraction {
            shown.replace_range(taken.from..taken.to, &taken.replacement);
        }
        let Gate::Cleared(cleared) = ended.gate else { panic!() };
        assert_eq!(shown, cleared.payload().assistant_text);
    }
}

#[tokio::test]
async fn a_swap_of_other_hooks_holds_nothing_back() {
    let engine = engine_of([redacts()]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::NONE);
    let text = "All is well, and all of it is shown.\nMore of it, and more. ";
    let _ = gate.push(text).await.unwrap();
    engine.edit(|table| _ = table.insert(support::sync("other", |_| Ok(Verdict::none())))).unwrap();
    assert_ne!(gate.push(text).await.unwrap().text, "");
}

#[tokio::test]
async fn a_closed_engine_shows_nothing_more() {
    let engine = engine_of([redacts(), whole("tone", |_| Verdict::none())]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::bytes(1000));
    let _ = gate.push("All is well, and all of it is shown.\nMore of it. ").await.unwrap();
    let _ = engine.close(std::time::Duration::ZERO).await;
    let text = "DB_PASS=correct7horse, and so on.\nMore of it, and more. ";
    assert_eq!(gate.push(text).await.unwrap().text, "");
    assert!(!gate.finish(PostLlmResponse::new(text, Vec::new())).await.gate.is_cleared());
}

#[tokio::test]
async fn what_comes_after_a_rewriter_wants_the_whole() {
    let order = |hooks: [Hook; 2]| table_of(hooks).hooks_of_whole_text(Event::PostLlmResponse);
    assert_eq!(order([redacts(), no_bad()]), ["no-bad"]);
    assert!(order([no_bad(), redacts()]).is_empty());
}

#[tokio::test]
async fn a_cut_says_what_the_transcript_may_keep() {
    let engine = engine_of([no_bad(), whole("tone", |_| Verdict::none())]);
    let mut gate = StreamGate::new(&engine, &CONTEXT, Exposure::bytes(8));
    assert_eq!(gate.push("all is well until now ").await.unwrap().text, "all is w");
    let cut: Cut =
        gate.push("and then a bad word comes, and more of it after that").await.unwrap_err();
    assert_eq!((cut.shown, cut.keep), (8, 0), "`tone` has not judged what was shown");
    assert!(format!("{gate:?}").contains("no-bad"));
}

#[tokio::test]
async fn pieces_are_not_recorded_and_the_whole_is_once() {
    let captured = Captured::new();
    let engine = engine_of([no_bad()]).with_recorder(captured.clone());
    let text = "all is well, and all of these words are as well, up to the end";
    let (_, shown, ended) = shown_by(&engine, Exposure::NONE, text, || 4).await;
    assert!(shown.len() > 30 && ended.gate.is_cleared());
    assert_eq!(captured.outcomes(), [Outcome::Allow]);
}

#[tokio::test]
async fn a_layer_around_a_handler_makes_its_hook_want_the_whole() {
    let layered = redacts().map_handler(around(|handler, call| handler.invoke(call)));
    let table = HandlerTable::builder().insert(layered).build().unwrap();
    assert_eq!(table.hooks_of_whole_text(Event::PostLlmResponse), ["no-secrets"]);
}
