//! Promise: a guard that stops working while an engine runs is found by the next round, and its posture is in force until
//! a round finds that it works again; what anybody puts in force meanwhile is never taken back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate::certify::{Enforced, State};
use hookgate::config::Loader;
use hookgate::contract::{BuiltCondition, BuiltHandler, Condition, Envelope, Posture, Truth};
use hookgate::recorder::Record;
use hookgate::reload::Reloader;
use hookgate::table::Canary;
use hookgate::{
    Engine, Failure, FailureClass, HandlerTable, Hook, HookEngine as _, Invocation, Outcome,
    Verdict,
};
use serde_json::json;

use crate::support::{Log, bash, context, engine, sync, waiting};

const PUSH: &str = "git push --force";

/// A call of the shell that must come out so.
fn canary(command: &str, decision: Outcome) -> Canary {
    let step = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": command}});
    Canary::new(step.as_object().unwrap().clone(), decision)
}

fn with_canaries(hook: Hook) -> Hook {
    hook.tool("Bash").canary(canary(PUSH, Outcome::Deny)).canary(canary("ls", Outcome::Allow))
}

fn is_push(call: &Invocation<'_>) -> bool {
    call.payload().tool().is_some_and(|call| call.tool_input["command"] == PUSH)
}

/// A guard that denies a push as long as it works, and the switch.
fn guard() -> (Hook, Arc<AtomicBool>) {
    let works = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&works);
    let hook = sync("guard", move |call| {
        let denies = is_push(&call) && switch.load(Ordering::SeqCst);
        Ok(if denies { Verdict::deny("no force") } else { Verdict::none() })
    });
    (with_canaries(hook), works)
}

/// What is decided about a command, and why.
async fn decide(engine: &Engine, command: &str) -> (Outcome, String) {
    let report = engine.dispatch_reported(bash(command), &context()).await.1;
    (report.decision, report.reason.unwrap_or_default())
}

#[tokio::test]
async fn the_posture_of_a_dead_guard_is_in_force_until_it_works_again() {
    let (hook, works) = guard();
    let engine = engine([hook]);
    let round = engine.certify_and_enforce().await;
    assert_eq!(round.certified.hooks[0].state, State::Proved, "{round:?}");
    assert_eq!(engine.generation(), 1, "nothing has changed");

    works.store(false, Ordering::SeqCst);
    assert_eq!(decide(&engine, PUSH).await.0, Outcome::Allow, "the control: nobody has looked");
    let round = engine.certify_and_enforce().await;
    assert_eq!(round.set_aside, ["guard"]);
    let (decision, reason) = decide(&engine, PUSH).await;
    assert_eq!(decision, Outcome::Deny);
    assert!(reason.contains("the canary of `guard` was let pass"), "{reason}");
    assert_eq!(decide(&engine, "ls").await.0, Outcome::Deny, "whatever it would have said");
    let read = hookgate::ToolUse::propose("Read", "{}").unwrap();
    assert!(engine.dispatch(read, &context()).await.is_cleared(), "it is about `Bash` only");

    let again = engine.certify_and_enforce().await;
    assert_eq!(again.certified.dead().count(), 1, "it is told again");
    assert!(again.set_aside.is_empty() && engine.generation() == 2, "and set aside once");

    works.store(true, Ordering::SeqCst);
    assert_eq!(engine.certify_and_enforce().await.put_back, ["guard"]);
    assert_eq!(decide(&engine, "ls").await.0, Outcome::Allow);
    assert_eq!(decide(&engine, PUSH).await.1, "no force");
}

#[tokio::test]
async fn who_only_asks_changes_nothing() {
    let (hook, works) = guard();
    let engine = engine([hook]);
    works.store(false, Ordering::SeqCst);
    let certified = engine.certify().await;
    let dead = certified.dead().next().unwrap();
    assert_eq!((dead.id.as_str(), dead.how.as_deref()), ("guard", Some("let_pass")));
    assert_eq!(decide(&engine, PUSH).await.0, Outcome::Allow);
}

#[tokio::test]
async fn the_posture_is_that_of_the_hook_for_this_failure() {
    let unreachable =
        |_: Invocation<'_>| Err(Failure::new(FailureClass::Unreachable, "nobody is there"));
    let hook = |posture| {
        let built = BuiltHandler::from_sync(unreachable);
        let hook = Hook::new("asks", "rust", built).event(hookgate::Event::PreToolUse);
        with_canaries(hook).on_failure_of(FailureClass::Unreachable, posture)
    };
    for (posture, expected) in [
        (Posture::Deny, Outcome::Deny),
        (Posture::Ask, Outcome::Ask),
        (Posture::Allow, Outcome::Allow),
    ] {
        let engine = engine([hook(posture)]);
        assert_eq!(engine.certify_and_enforce().await.set_aside, ["asks"]);
        assert_eq!(decide(&engine, PUSH).await.0, expected);
    }
}

#[tokio::test]
async fn a_guard_that_is_never_called_loses_its_conditions() {
    let (hook, _) = guard();
    let hook = hook.input("/commnad", hookgate::matcher::Test::contains("push"));
    let engine = engine([hook]);
    assert_eq!(decide(&engine, PUSH).await.0, Outcome::Allow);
    let round = engine.certify_and_enforce().await;
    assert_eq!(round.certified.hooks[0].how.as_deref(), Some("never_called"));
    let (decision, reason) = decide(&engine, PUSH).await;
    assert_eq!(decision, Outcome::Deny);
    assert!(reason.contains("never_called"), "{reason}");
}

/// A condition on the time of day.
struct Daytime(bool);

impl Condition for Daytime {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::False
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it is night".to_owned()
    }

    fn depends_on_surroundings(&self) -> bool {
        self.0
    }
}

#[tokio::test]
async fn a_guard_that_rests_is_not_dead() {
    for (of_time, expected) in [(true, "surroundings"), (false, "never_called")] {
        let (hook, _) = guard();
        let daytime = BuiltCondition::new("daytime", true, Daytime(of_time));
        let engine = engine([hook.condition(daytime)]);
        let round = engine.certify_and_enforce().await;
        assert_eq!(round.certified.hooks[0].how.as_deref(), Some(expected));
        assert_eq!(decide(&engine, "ls").await.0 == Outcome::Allow, of_time);
    }
    // Another condition that does not hold is a mistake at any time.
    let (hook, _) = guard();
    let daytime = BuiltCondition::new("daytime", true, Daytime(true));
    let hook = hook.condition(daytime).input("/x", hookgate::matcher::Test::exists());
    let round = engine([hook]).certify_and_enforce().await;
    assert_eq!(round.certified.hooks[0].how.as_deref(), Some("never_called"));
}

#[tokio::test]
async fn canaries_are_no_steps_of_a_session() {
    let log = Log::default();
    let seen = log.clone();
    let hook = sync("guard", move |call| {
        seen.push(call.context().session_id);
        Ok(if is_push(&call) { Verdict::deny("no") } else { Verdict::none() })
    });
    let records = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&records);
    let table = HandlerTable::builder().insert(with_canaries(hook)).build().unwrap();
    let engine = Engine::new(table).with_recorder(move |_: Record| *counted.lock().unwrap() += 1);
    engine.certify_and_enforce().await;
    engine.certify_and_enforce().await;
    let mut sessions = log.take();
    assert_eq!(sessions.len(), 4);
    assert!(sessions.iter().all(|session| session.starts_with("canary-guard-")), "{sessions:?}");
    sessions.sort();
    sessions.dedup();
    assert_eq!(sessions.len(), 4, "none is used twice");
    assert_eq!(*records.lock().unwrap(), 0);
    decide(&engine, "ls").await;
    assert_eq!(*records.lock().unwrap(), 1, "the control");
}

#[tokio::test]
async fn a_hook_that_was_exchanged_meanwhile_stays() {
    let (hook, works) = guard();
    let engine = engine([hook]);
    works.store(false, Ordering::SeqCst);
    let found = engine.certify().await;
    let (other, _) = guard();
    engine.edit(|table| _ = table.replace(other.clone().tool("Shell"))).unwrap();
    let generation = engine.generation();
    assert_eq!(engine.enforce_proof(&found.hooks[0]).unwrap(), Enforced::Nothing);
    assert_eq!(engine.generation(), generation);
}

#[tokio::test]
async fn an_edit_of_another_hook_while_canaries_run_is_kept() {
    let hook = waiting("slow", |_| {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(50)).await;
            Ok(Verdict::none())
        })
    });
    let engine = Arc::new(engine([with_canaries(hook)]));
    let proving = Arc::clone(&engine);
    let round = tokio::spawn(async move { proving.certify_and_enforce().await });
    tokio::time::sleep(Duration::from_millis(20)).await;
    engine.edit(|table| _ = table.insert(sync("other", |_| Ok(Verdict::none())))).unwrap();
    assert_eq!(round.await.unwrap().set_aside, ["slow"]);
    assert_eq!(engine.table().len(), 2);
}

// Its guard is a program, and those run on Linux only.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_reload_keeps_a_dead_guard_set_aside_and_puts_another_one_in_force() {
    let folder = tempfile::TempDir::new().unwrap();
    let config = folder.path().join("hooks.toml");
    let broken = folder.path().join("broken");
    let text = |more: &str| {
        let script = format!(
            "[ -e {} ] || ! grep -q -e --force || {{ echo no >&2; exit 2; }}",
            broken.display()
        );
        format!(
            "[[hook]]\nid = 'guard'\nevent = 'pre_tool_use'\n{more}\ncommand = {{ shell = '''{script}''' }}\n\
             canary = [\n\
             {{ step = {{ tool_name = 'Bash', tool_input = {{ command = '{PUSH}' }} }}, decision = 'deny' }},\n\
             {{ step = {{ tool_name = 'Bash', tool_input = {{ command = 'ls' }} }}, decision = 'allow' }},\n]\n"
        )
    };
    std::fs::write(&config, text("")).unwrap();
    let (path, registry) = (config.clone(), crate::support::registry());
    let reloader = Reloader::new(Arc::new(Engine::without_hooks()), move |in_force| {
        Ok(Loader::new(&registry).keeping(in_force).load(&path)?)
    });
    reloader.reload().await.unwrap();
    let engine = reloader.engine();
    assert_eq!(engine.certify_and_enforce().await.certified.hooks[0].state, State::Proved);

    std::fs::write(&broken, "").unwrap();
    assert_eq!(engine.certify_and_enforce().await.set_aside, ["guard"]);
    let reloaded = reloader.reload().await.unwrap();
    assert!(!reloaded.swapped, "{reloaded}");
    assert_eq!(decide(engine, PUSH).await.0, Outcome::Deny, "a reload does not revive it");
    // Beside another hook that is new.
    let other = "[[hook]]\nid = 'more'\nevent = 'stop'\nbuiltin = 'audit'\n";
    std::fs::write(&config, text("") + other).unwrap();
    assert!(reloader.reload().await.unwrap().swapped);
    assert_eq!(decide(engine, PUSH).await.0, Outcome::Deny);
    // Another guard under its id is in force until somebody finds that it is dead.
    std::fs::write(&config, text("timeout = '7s'")).unwrap();
    assert!(reloader.reload().await.unwrap().swapped);
    assert_eq!(decide(engine, PUSH).await.0, Outcome::Allow);
    assert_eq!(engine.certify_and_enforce().await.set_aside, ["guard"]);

    std::fs::remove_file(&broken).unwrap();
    assert_eq!(engine.certify_and_enforce().await.put_back, ["guard"]);
    assert_eq!(decide(engine, "ls").await.0, Outcome::Allow);
    assert_eq!(decide(engine, PUSH).await.0, Outcome::Deny);
}
