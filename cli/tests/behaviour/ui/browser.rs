//! In a real browser: somebody reads decisions, answers a question of a session that waits, and the session goes on.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, StepContext, ToolUse, Verdict,
};
use hookgate_store::{Journal, JournalSettings, Persons, RunSettings, RunStore};
use serde_json::{Value, json};

use super::site::{Site, recorded};
use crate::support::{Folder, run};

const BROWSER: &str = "/usr/bin/chromium";
const DRIVER: &str = "chromedriver";

/// What is done in the browser. It needs nothing but Python.
const JOURNEY: &str = include_str!("journey.py");

/// Where to put pictures of the page; nowhere if it is not set.
const PICTURES: &str = "HOOKGATE_UI_PICTURES";

/// How long a session waits for its answer.
const PATIENCE: Duration = Duration::from_secs(120);

/// A runtime that embeds hookgate: it parks what a hook asks about, waits for the answer, and goes on. Returns what the
/// tool was called with.
fn session(folder: &Path, is_parked: &AtomicBool) -> String {
    let file = folder.join("journal.db");
    let journal = Journal::open(JournalSettings::new(file.clone()).waiting()).unwrap();
    let approvals = RunStore::open(RunSettings::beside(&file)).unwrap().approvals();
    let hook = Hook::sync("confirm-deploy", |_| Ok(Verdict::ask("deploy to production?")));
    let table = HandlerTable::builder()
        .insert(hook.event(Event::PreToolUse).tool("Deploy"))
        .build()
        .unwrap();
    let engine = Engine::new(table)
        .with_recorder(journal.clone())
        .with_approval_key(approvals.engine_key().unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ran = runtime.block_on(async {
        let context = StepContext::new("live").step_id("deploy-1").turn(1);
        let input = json!({"target": "production", "command": "make deploy"});
        let step = ToolUse::from_value("Deploy", input).unwrap();
        let Gate::Asked(asked) = engine.dispatch(step, &context).await else {
            panic!("nobody has asked")
        };
        let parked = asked.park(&engine, &context, Duration::from_secs(3600)).unwrap();
        let id = approvals.park(&parked, &Persons::default()).unwrap().id;
        is_parked.store(true, Ordering::SeqCst);
        let end = Instant::now() + PATIENCE;
        let taken = loop {
            if let Some(taken) = approvals.take(&id).unwrap() {
                break taken;
            }
            assert!(Instant::now() < end, "nobody has answered");
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        let asked = engine.resume::<ToolUse>(taken.parked.unwrap(), &context).unwrap();
        let gate = match taken.edit {
            Some(edit) => asked.approve_with(edit, &engine, &context).await.unwrap(),
            None => asked.approve(&engine, &context).await,
        };
        let running = gate.cleared().expect("the person has agreed").start();
        let ran_with = running.input().to_string();
        drop(engine.dispatch(running.finish(Ok::<_, String>("deployed")), &context).await);
        // The next step of the session, which the page is to show without being loaded again.
        let next = ToolUse::from_value("Report", json!({"text": "it was deployed"})).unwrap();
        drop(engine.dispatch(next, &context.step_id("report-1")).await);
        ran_with
    });
    journal.flush(Duration::from_secs(10)).unwrap();
    ran
}

fn journey(folder: &Folder, site: &Site) -> Value {
    let script = folder.write("journey.py", JOURNEY);
    let mut python = Command::new("python3");
    let plan = json!({
        "url": site.url(),
        "browser": BROWSER,
        "driver": DRIVER,
        "profile": folder.path("profile"),
        "pictures": std::env::var(PICTURES).ok(),
    });
    python.arg(script).arg(plan.to_string());
    let ended = run(python, b"");
    assert_eq!(ended.code(), 0, "{}\n{}", ended.out(), ended.err());
    ended.lines().pop().expect("it says what it has seen")
}

#[test]
fn a_person_answers_a_question_in_the_browser_and_the_session_goes_on() {
    use hookgate_test_support::needs;
    if !needs::path(Path::new(BROWSER)) || !needs::program(DRIVER) || !needs::program("python3") {
        return;
    }
    let folder = recorded();
    let site = Site::start(&folder);
    let is_parked = AtomicBool::new(false);
    let root = folder.path("");
    let (ran, found) = thread::scope(|scope| {
        let running = scope.spawn(|| session(&root, &is_parked));
        while !is_parked.load(Ordering::SeqCst) {
            assert!(!running.is_finished(), "the session has ended before it asked");
            thread::sleep(Duration::from_millis(20));
        }
        let found = journey(&folder, &site);
        (running.join().unwrap(), found)
    });
    // The session has gone on with what the person wrote.
    assert!(ran.contains("staging") && !ran.contains("production"), "{ran}");
    for step in [
        "opened",
        "filtered",
        "back",
        "one_decision",
        "hostile_text_is_text",
        "keyboard",
        "question",
        "approved",
        "live",
        "narrow",
        "wrong_token",
    ] {
        assert_eq!(found[step], json!(true), "{step} in {found:#}");
    }
    let requests = found["requests"].as_array().unwrap();
    assert!(requests.len() > 10, "the control: {found:#}");
    let own = format!("http://127.0.0.1:{}/", site.port);
    for request in requests {
        let url = request.as_str().unwrap();
        assert!(url.starts_with(&own) && !url.contains(&site.token), "{url}");
    }
    assert_eq!(found["violations"], json!([]), "nothing of the page is against its policy");
    assert_eq!(found["control_violations"].as_array().unwrap().len(), 2, "the control: {found:#}");
    assert_eq!(found["control_ran"], json!(null), "what is inline does not run");
}
