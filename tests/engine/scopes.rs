//! Promise: a session has hooks of its own over one table that all share: a swap of that reaches every session at once,
//! no session is weaker than it, and what a session has is gone with it.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::config::{Loader, Overrides};
use hookgate::contract::payload::{SessionEnd, Stop};
use hookgate::engine::DynHookEngine;
use hookgate::engine::permit::PermitError;
use hookgate::recorder::Channel;
use hookgate::require::Require;
use hookgate::scope::ScopeError;
use hookgate::table::Layer;
use hookgate::{
    Contract, Engine, Event, EventKind, Gate, HandlerTable, Hook, HookEngine, Outcome, Scope,
    ToolUse, Verdict,
};

use crate::support::{Log, bash, call, engine, registry, sync, waiting};

const HOUR: Duration = Duration::from_secs(3600);

fn denies(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::deny("no")))
}

fn asks(id: &str) -> Hook {
    sync(id, |_| Ok(Verdict::ask("sure?")))
}

fn shared(hooks: impl IntoIterator<Item = Hook>) -> Arc<Engine> {
    Arc::new(engine(hooks))
}

async fn outcome(scope: &Scope, command: &str) -> Outcome {
    scope.dispatch(bash(command), &scope.context()).await.outcome()
}

fn overlay(text: &str) -> Overrides {
    Overrides::parse("session", text, Path::new("/srv")).unwrap()
}

fn ids(scope: &Scope) -> Vec<String> {
    scope.table().specs().map(|hook| hook.id().to_string()).collect()
}

#[tokio::test]
async fn its_hooks_meet_its_steps_alone() {
    let engine = shared([]);
    let one = engine.scope("one").hook(denies("mine")).open().unwrap();
    let two = engine.scope("two").open().unwrap();
    assert_eq!(
        (outcome(&one, "ls").await, outcome(&two, "ls").await),
        (Outcome::Deny, Outcome::Allow)
    );
    assert!(engine.table().is_empty() && !engine.armed(Event::PreToolUse));
    assert!(one.armed(Event::PreToolUse) && !two.armed(Event::PreToolUse));
    assert!(one.pass(bash("ls")).is_err() && two.pass(bash("ls")).is_ok());
    // A step of a runtime that is generic, or holds it behind `dyn`.
    let erased: Arc<dyn DynHookEngine> = Arc::new(one.clone());
    assert!(!erased.dispatch(bash("ls"), &one.context()).await.is_cleared());
    let (gate, report) = one.dispatch_reported(bash("ls"), &one.context()).await;
    assert_eq!((gate.outcome(), &*report.by[0]), (Outcome::Deny, "scope/mine"));
    // It lives over a spawn.
    let sent = tokio::spawn(async move { outcome(&one, "ls").await });
    assert_eq!(sent.await.unwrap(), Outcome::Deny);
}

#[test]
fn no_step_is_evaluated_by_the_table_before_once_a_swap_has_returned() {
    const SCOPES: usize = 200;
    let engine = shared([]);
    let scopes: Vec<Scope> = (0..SCOPES)
        .map(|n| {
            engine
                .scope(format!("s{n}"))
                .hook(sync("mine", |_| Ok(Verdict::none())))
                .open()
                .unwrap()
        })
        .collect();
    // The generation that was in force when a swap had returned.
    let (returned, stop) = (AtomicU64::new(1), AtomicBool::new(false));
    let (steps, outdated) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for half in scopes.chunks(SCOPES / 2) {
            let (returned, stop, steps, outdated) = (&returned, &stop, &steps, &outdated);
            threads.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                while !stop.load(Ordering::Relaxed) {
                    for scope in half {
                        let at_least = returned.load(Ordering::SeqCst);
                        let dispatch = async { scope.dispatch(bash("ls"), &scope.context()).await };
                        let gate = runtime.block_on(dispatch);
                        // Each table denies with its own generation, so that its word is kept.
                        let by = gate.decision().map_or(0, |decision| decision.generation.get());
                        outdated.fetch_add(
                            usize::from(by < at_least && at_least > 1),
                            Ordering::Relaxed,
                        );
                        steps.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for _ in 0..150 {
            let table = HandlerTable::builder().insert(denies("base")).build().unwrap();
            returned.store(engine.swap(table).get(), Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(2));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(steps.load(Ordering::Relaxed) > 1_000);
    assert_eq!(outdated.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn it_is_never_weaker_than_the_engine() {
    let log = Log::default();
    let noting = |id: &'static str, verdict: Verdict| {
        let log = log.clone();
        sync(id, move |_| {
            log.push(id);
            Ok(verdict.clone())
        })
    };
    // An allow of a hook of a session approves nothing, and whatever it asks for, it comes last.
    let engine = shared([noting("guard", Verdict::ask("sure?")).priority(500)]);
    let eager = noting("eager", Verdict::allow()).may_allow(true).priority(-100).before("guard");
    let scope = engine.scope("s").hook(eager).open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Ask);
    assert_eq!(log.take(), ["guard", "eager"]);

    // It is not the guard that the engine requires.
    let engine = shared([]);
    engine.set_require(Require::default().event(Event::PreToolUse)).unwrap();
    let scope = engine.scope("s").hook(sync("mine", |_| Ok(Verdict::none()))).open().unwrap();
    let gate = scope.dispatch(bash("ls"), &scope.context()).await;
    assert_eq!(&*gate.decision().unwrap().by[0], "require");
    engine.edit(|table| _ = table.insert(sync("guard", |_| Ok(Verdict::none())))).unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow, "the control");
}

#[tokio::test]
async fn an_overlay_goes_without_what_the_host_lets_it() {
    let engine = shared([denies("guard")]);
    let (registry, text) = (registry(), r#"{"disable": ["guard"]}"#);
    let loader = Loader::new(&registry);
    let error = engine.scope("s").overlay(&loader, overlay(text)).open().unwrap_err();
    assert!(error.to_string().contains("`guard` is a hook of the layer `code`"), "{error}");
    let allowed = overlay(text).reaching_all_layers();
    let scope = engine.scope("s").overlay(&loader, allowed).open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow);
    assert_eq!(outcome(&engine.scope("t").open().unwrap(), "ls").await, Outcome::Deny);
    // What is wrong with its hooks has its place.
    let wrong = r#"{"entries": [{"id": "x", "event": "pre_tool_usee", "builtin": "audit"}]}"#;
    let error = engine.scope("s").overlay(&loader, overlay(wrong)).open().unwrap_err();
    assert!(error.to_string().starts_with("session:1:35: unknown event"), "{error}");
}

/// What an overlay names may be another hook in the next table.
#[tokio::test]
async fn an_overlay_reaches_no_hook_that_is_put_in_force_later() {
    let registry = registry();
    let loader = Loader::new(&registry);
    let config = |layer: Layer| {
        let text = "[[hook]]\nid = 'guard'\nevent = 'pre_tool_use'\nbuiltin = { name = 'deny', reason = 'no' }\n";
        loader.layer(layer).parse("hooks.toml", text, Path::new("/srv")).unwrap().table
    };
    let engine = Arc::new(Engine::new(config(Layer::CommandLine)));
    let own = overlay(r#"{"disable": ["guard"]}"#);
    let scope = engine.scope("s").overlay(&loader, own).open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow);
    engine.swap(config(Layer::Managed));
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
}

#[tokio::test]
async fn no_hook_of_a_scope_stands_in_for_a_required_one_that_it_goes_without() {
    let engine = shared([sync("guard", |_| Ok(Verdict::none()))]);
    engine.set_require(Require::default().event(Event::PreToolUse)).unwrap();
    let registry = registry();
    let without = || overlay(r#"{"disable": ["guard"]}"#).reaching_all_layers();
    let scope = engine.scope("s").overlay(&Loader::new(&registry), without());
    let scope = scope.hook(sync("mine", |_| Ok(Verdict::none()))).open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
    assert_eq!(outcome(&engine.scope("t").open().unwrap(), "ls").await, Outcome::Allow);
}

#[tokio::test]
async fn a_permit_is_good_where_it_was_issued() {
    let engine = shared([]);
    let scope = engine.scope("s").open().unwrap();
    let strict = engine.scope("s").hook(denies("mine")).open().unwrap();
    let issue = async || {
        let cleared = engine.dispatch(bash("ls"), &scope.context()).await.cleared().unwrap();
        engine.issue(cleared, &scope.context(), HOUR).unwrap().0
    };
    let permit = issue().await;
    for other in [&scope, &strict] {
        assert_eq!(other.redeem(&permit, &call("ls")), Err(PermitError::OtherEngine));
    }
    assert_eq!(engine.redeem(&permit, &call("ls"), &scope.context()), Ok(()), "the control");
    let permit = issue().await;
    engine.swap(HandlerTable::builder().insert(denies("new")).build().unwrap());
    let late = engine.scope("s").open().unwrap();
    assert!(late.redeem(&permit, &call("ls")).is_err());
}

/// A table is read once there is room for the record, which may be after a swap.
#[tokio::test]
async fn a_step_that_waits_for_its_recorder_is_evaluated_by_the_table_of_then() {
    let (channel, mut records) = Channel::waiting(1);
    let engine = Arc::new(Engine::without_hooks().with_recorder(channel));
    let scope = engine.scope("s").open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow);
    let context = scope.context();
    let mut reported = Box::pin(scope.dispatch_reported(bash("ls"), &context));
    let poll =
        std::future::poll_fn(|cx| std::task::Poll::Ready(reported.as_mut().poll(cx).is_pending()));
    assert!(poll.await, "there is no room");
    engine.swap(HandlerTable::builder().insert(denies("new")).build().unwrap());
    records.try_next().unwrap();
    assert_eq!(reported.await.0.outcome(), Outcome::Deny);
}

/// What is dropped with an old table may look at the scope.
#[tokio::test]
async fn a_hook_that_is_given_up_may_use_the_scope() {
    struct Looks(Arc<std::sync::Mutex<Option<Scope>>>);
    impl Drop for Looks {
        fn drop(&mut self) {
            if let Some(scope) = &*self.0.lock().unwrap() {
                assert!(scope.problem().is_none());
            }
        }
    }
    let place = Arc::<std::sync::Mutex<Option<Scope>>>::default();
    let looks = Looks(Arc::clone(&place));
    let engine = shared([sync("base", move |_| {
        let _ = &looks;
        Ok(Verdict::none())
    })]);
    let scope = engine.scope("s").open().unwrap();
    *place.lock().unwrap() = Some(scope.clone());
    engine.swap(HandlerTable::empty());
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow);
    *place.lock().unwrap() = None;
}

#[tokio::test]
async fn no_id_is_taken_from_one_by_the_other() {
    let engine = shared([]);
    let scope = engine.scope("s").hook(asks("mine")).open().unwrap();
    // The config of the engine gets a guard of the same id.
    engine.edit(|table| _ = table.insert(denies("mine"))).unwrap();
    assert_eq!(ids(&scope), ["mine", "scope/mine"]);
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
    assert!(scope.problem().is_none());
    let error = HandlerTable::builder().insert(denies("scope/mine")).build().unwrap_err();
    assert!(error.to_string().contains("`scope/`"), "{error}");
    let twice = engine.scope("s").hook(denies("a")).hook(asks("a")).open().unwrap_err();
    assert!(matches!(twice, ScopeError::Table(_)), "{twice}");
    // Hooks of a session are ordered among each other by their own names.
    let ordered = engine.scope("s").hook(denies("b").after("a")).hook(asks("a")).open().unwrap();
    let order: Vec<_> = ordered.table().listing().map(|hook| hook.id().to_string()).collect();
    assert_eq!(order, ["mine", "scope/a", "scope/b"]);
}

#[tokio::test]
async fn what_does_the_same_is_called_once() {
    let registry = registry();
    let loader = Loader::new(&registry);
    let hook = |id: &str| {
        format!(
            r#"{{"id": "{id}", "event": "pre_tool_use", "tool": "Bash", "builtin": {{"name": "deny", "reason": "no"}}}}"#
        )
    };
    let config = "[[hook]]\nid = 'base'\nevent = 'pre_tool_use'\ntool = 'Bash'\nbuiltin = { name = 'deny', reason = 'no' }\n";
    let table = loader.parse("hooks.toml", config, Path::new("/srv")).unwrap().table;
    let engine = Arc::new(Engine::new(table));
    let same = overlay(&format!(r#"{{"entries": [{}]}}"#, hook("again")));
    let scope = engine.scope("s").overlay(&loader, same).open().unwrap();
    assert_eq!(ids(&scope), ["base"]);
    // As soon as the engine has it no more, the session's own is called.
    engine.swap(HandlerTable::empty());
    assert_eq!(ids(&scope), ["scope/again"]);
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
}

#[tokio::test]
async fn hooks_that_do_not_fit_a_new_table_fail_closed() {
    let engine = shared([sync("first", |_| Ok(Verdict::none()))]);
    let after = denies("mine").after("first").tool("Bash");
    let scope = engine.scope("s").hook(after.clone()).open().unwrap();
    assert!(scope.problem().is_none());
    engine.swap(HandlerTable::empty());
    let problem = scope.problem().unwrap().to_string();
    assert!(problem.contains("first"), "{problem}");
    let gate = scope.dispatch(bash("ls"), &scope.context()).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(gate.decision().unwrap().reason.as_ref().unwrap().contains("first"));
    let read = ToolUse::propose("Read", "{}").unwrap();
    assert!(scope.dispatch(read, &scope.context()).await.is_cleared(), "it is not about it");
    // And with the next one that fits, they are as they were.
    engine.edit(|table| _ = table.insert(sync("first", |_| Ok(Verdict::none())))).unwrap();
    assert!(scope.problem().is_none());
    let gate = scope.dispatch(bash("ls"), &scope.context()).await;
    assert_eq!(gate.decision().unwrap().reason.as_deref(), Some("no"));

    // Where not even a hook that fails fits, nothing goes on.
    static DEPLOY: Contract = Contract::custom("x.deploy", EventKind::Gate);
    let knows = HandlerTable::builder().contract(&DEPLOY).build().unwrap();
    let engine = Arc::new(Engine::new(knows));
    let deploy = Hook::sync("deploy", |_| Ok(Verdict::none())).custom_event("x.deploy");
    let scope = engine.scope("s").hook(deploy).open().unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Allow);
    engine.swap(HandlerTable::empty());
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
    assert!(scope.problem().is_some());
}

#[tokio::test]
async fn what_ends_is_gone_for_all_who_hold_it() {
    let audit = Hook::sync("audit", |_| Ok(Verdict::none())).event(Event::SessionEnd);
    let engine = shared([audit]);
    let kept = Arc::new(());
    let held = Arc::clone(&kept);
    let mine = sync("mine", move |_| {
        let _ = &held;
        Err(hookgate::Failure::new(hookgate::FailureClass::Exit, "broken"))
    });
    let scope = engine.scope("s").hook(mine.on_failure(hookgate::Posture::Allow)).open().unwrap();
    let (clone, agent) = (scope.clone(), scope.agent("a", "reviewer").open().unwrap());
    let cleared = scope.dispatch(bash("ls"), &scope.context()).await.cleared().unwrap();
    let (permit, running) = scope.issue(cleared, HOUR).unwrap();
    running.finish(Ok::<_, String>("done"));
    let ended = scope.end();
    assert_eq!((&*ended.session_id, ended.failures.len(), ended.failures[0].1), ("s", 1, 1));
    assert!(serde_json::to_string(&ended).unwrap().contains(r#""failures":[["scope/mine",1]]"#));
    let gate = clone.dispatch(bash("ls"), &clone.context()).await;
    let Gate::Denied(denied) = gate else { panic!() };
    assert_eq!(denied.feedback(), "denied by hookgate: the session has ended");
    assert!(matches!(clone.agent("b", "late").open(), Err(ScopeError::Ended)));
    assert!(scope.redeem(&permit, &call("ls")).is_err());
    // What cannot be refused goes to the hooks of the engine.
    let Gate::Cleared(()) = clone.dispatch(SessionEnd::new("done"), &clone.context()).await;
    assert!(clone.dispatch(Stop::default(), &clone.context()).await.is_cleared());
    // A swap does not bring it back.
    engine.swap(HandlerTable::empty());
    assert_eq!(outcome(&clone, "ls").await, Outcome::Deny);
    // That of a sub-agent ends by itself.
    assert_eq!(outcome(&agent, "ls").await, Outcome::Allow);
    agent.end();
    drop(agent);
    assert_eq!(Arc::strong_count(&kept), 1, "the hook is given up");
}

#[tokio::test]
async fn an_approval_holds_where_it_was_asked() {
    let engine = shared([]);
    let scope = engine.scope("s").hook(asks("ask")).open().unwrap();
    let ask = async |scope: &Scope| {
        let Gate::Asked(asked) = scope.dispatch(bash("make"), &scope.context()).await else {
            panic!()
        };
        asked
    };
    assert!(ask(&scope).await.approve(&scope, &scope.context()).await.is_cleared());
    // A swap that changes other events asks nobody again; one of this event does.
    let asked = ask(&scope).await;
    engine
        .edit(|table| {
            _ = table.insert(Hook::sync("stop", |_| Ok(Verdict::none())).event(Event::Stop))
        })
        .unwrap();
    assert!(asked.approve(&scope, &scope.context()).await.is_cleared());
    let asked = ask(&scope).await;
    engine.edit(|table| _ = table.insert(denies("new"))).unwrap();
    assert_eq!(asked.approve(&scope, &scope.context()).await.outcome(), Outcome::Deny);
    engine.edit(|table| _ = table.remove("new")).unwrap();

    // Another scope of the session has another hook, although it is declared alike.
    let other = engine.scope("s").hook(denies("ask")).open().unwrap();
    let asked = ask(&scope).await;
    assert_eq!(asked.approve(&other, &other.context()).await.outcome(), Outcome::Deny);
    let parked = || async { ask(&scope).await.park(&scope, &scope.context(), HOUR).unwrap() };
    let asked = other.resume::<ToolUse>(parked().await).unwrap();
    assert_eq!(asked.approve(&other, &other.context()).await.outcome(), Outcome::Deny);
    let asked = scope.resume::<ToolUse>(parked().await).unwrap();
    assert!(asked.approve(&scope, &scope.context()).await.is_cleared());
    // Nor does the engine clear what only a hook of the session has asked about.
    let asked = ask(&scope).await;
    assert!(!asked.payload().tool_name.is_empty());
    let gate = asked.approve(&engine, &scope.context()).await;
    assert!(gate.decision().is_none_or(|decision| decision.by != ["the user"]), "judged anew");
}

#[tokio::test]
async fn it_is_recorded_under_the_generation_of_the_engine() {
    let (channel, mut records) = Channel::waiting(8);
    let engine = Arc::new(Engine::without_hooks().with_recorder(channel));
    let scope = engine.scope("s").cwd("/srv").hook(denies("mine")).open().unwrap();
    engine.swap(HandlerTable::empty());
    engine.swap(HandlerTable::empty());
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
    let report = records.try_next().unwrap().report;
    assert_eq!((report.generation, &*report.session_id), (engine.generation(), "s"));
    assert_eq!(report.config_hash, Some(scope.table().config_hash()));
    assert_ne!(report.config_hash, Some(engine.table().config_hash()));
    assert_eq!(scope.generation(), engine.generation());
}

#[tokio::test]
async fn a_shadow_of_the_engine_is_compared_with_the_engine_alone() {
    let engine = shared([]);
    let scope = engine.scope("mine").hook(denies("mine")).open().unwrap();
    let plain = engine.scope("plain").open().unwrap();
    let shadow = engine.shadow(HandlerTable::empty(), 8, |_| {}).unwrap();
    assert_eq!(outcome(&scope, "ls").await, Outcome::Deny);
    assert_eq!(outcome(&plain, "ls").await, Outcome::Allow);
    shadow.settle().await;
    assert_eq!(shadow.counts().judged, 1);
    drop(shadow);
    assert_eq!(outcome(&plain, "ls").await, Outcome::Allow);
}

#[tokio::test]
async fn the_tool_of_a_scope_is_finished_in_it() {
    let engine = shared([]);
    let withhold =
        Hook::sync("withhold", |_| Ok(Verdict::deny("secret"))).event(Event::PostToolUse);
    let scope = engine.scope("s").hook(withhold).open().unwrap();
    let cleared = scope.dispatch(bash("ls"), &scope.context()).await.cleared().unwrap();
    assert!(cleared.is_cleared_by(&scope) && !cleared.is_cleared_by(&engine));
    let ran = cleared.start().finish(Ok::<_, String>("the key"));
    assert!(!scope.dispatch(ran, &scope.context()).await.is_cleared());
    let cleared = engine.dispatch(bash("ls"), &scope.context()).await.cleared().unwrap();
    let ran = cleared.start().finish(Ok::<_, String>("the key"));
    assert!(engine.dispatch(ran, &scope.context()).await.is_cleared(), "the control");
}

#[tokio::test]
async fn a_dispatch_that_has_begun_ends_by_the_table_that_it_began_with() {
    let engine = shared([]);
    let go_on = Arc::new(tokio::sync::Notify::new());
    let held = Arc::clone(&go_on);
    let waits = waiting("waits", move |_| {
        let held = Arc::clone(&held);
        Box::pin(async move {
            held.notified().await;
            Ok(Verdict::none())
        })
    });
    let scope = engine.scope("s").hook(waits.timeout(HOUR / 60)).open().unwrap();
    let begun = tokio::spawn({
        let scope = scope.clone();
        async move { outcome(&scope, "ls").await }
    });
    tokio::task::yield_now().await;
    engine.swap(HandlerTable::builder().insert(denies("new")).build().unwrap());
    let context = scope.context();
    // Made before it is polled, it is evaluated by the table of the first poll.
    let dispatch = scope.dispatch(bash("ls"), &context);
    engine.swap(HandlerTable::empty());
    go_on.notify_one();
    assert_eq!(begun.await.unwrap(), Outcome::Allow);
    go_on.notify_one();
    assert!(dispatch.await.is_cleared());
}
