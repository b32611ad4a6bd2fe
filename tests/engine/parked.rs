//! Promise: a question outlives its process: who has the key of the engine that asked can go on with it, once, until it
//! ends, in its session, about exactly that step; nobody else can.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hookgate::approval::{ParkProblem, Parked, ResumeError};
use hookgate::contract::payload::{Payload, UserPromptSubmit};
use hookgate::recorder::{Channel, DispatchEnd};
use hookgate::{
    Asked, Contract, Engine, Event, EventKind, Gate, HandlerTable, Hook, HookEngine as _, Outcome,
    StepContext, ToolUse, Verdict,
};
use serde_json::{Value, json};

use crate::support::{bash, sync};

const KEY: [u8; 32] = [7; 32];
const HOUR: Duration = Duration::from_secs(3600);

fn session() -> StepContext<'static> {
    StepContext::new("s").step_id("step-1")
}

fn asks(calls: &Arc<AtomicUsize>) -> Hook {
    let calls = Arc::clone(calls);
    sync("ask", move |_| {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(Verdict::ask("sure?").context("it is late"))
    })
}

/// A process: an engine of its own with the key of the host.
fn process(hooks: impl IntoIterator<Item = Hook>) -> Engine {
    let mut table = HandlerTable::builder();
    for hook in hooks {
        table.insert(hook);
    }
    Engine::new(table.build().unwrap()).with_approval_key(KEY)
}

async fn ask(engine: &Engine) -> Asked<ToolUse> {
    let Gate::Asked(asked) = engine.dispatch(bash("make"), &session()).await else { panic!() };
    asked
}

/// What the first process has written.
async fn parked() -> Vec<u8> {
    let first = process([asks(&Arc::default())]);
    let parked = ask(&first).await.park(&first, &session(), HOUR).unwrap();
    serde_json::to_vec(&parked).unwrap()
}

fn read(bytes: &[u8]) -> Parked {
    Parked::from_json(bytes).unwrap()
}

#[tokio::test]
async fn it_is_approved_in_another_process_without_a_hook_being_asked_again() {
    let bytes = parked().await;
    let calls = Arc::default();
    let (channel, mut records) = Channel::waiting(8);
    let second = process([asks(&calls)]).with_recorder(channel);
    let asked = second.resume::<ToolUse>(read(&bytes), &session()).unwrap();
    assert_eq!(
        (asked.question(), &*asked.decision().context),
        ("sure?", &["it is late".into()][..])
    );
    assert_eq!(asked.payload().tool_input["command"], "make");
    let gate = asked.approve(&second, &session()).await;
    assert_eq!(gate.decision().unwrap().by, ["the user"]);
    let running = gate.cleared().unwrap().start();
    assert_eq!(calls.load(Ordering::Relaxed), 0);

    let approval = records.try_next().unwrap();
    assert_eq!(
        (approval.end, approval.report.step_id.as_deref()),
        (DispatchEnd::Approved, Some("step-1"))
    );
    // A tool that is started and not finished is told, whichever process has asked.
    drop(running);
    assert_eq!(records.try_next().unwrap().end, DispatchEnd::Unfinished);
}

#[tokio::test]
async fn it_is_refused_or_edited_there_as_well() {
    let bytes = parked().await;
    let second = process([asks(&Arc::default())]);
    let resume = || second.resume::<ToolUse>(read(&bytes), &session());
    assert_eq!(resume().unwrap().refuse("not now").feedback(), "denied by the user: not now");
    assert_eq!(resume().unwrap_err(), ResumeError::Resumed);

    let third = process([asks(&Arc::default())]);
    let asked = third.resume::<ToolUse>(read(&bytes), &session()).unwrap();
    let edit = json!({"tool_input": {"command": "make -n"}}).as_object().unwrap().clone();
    let gate = asked.approve_with(edit, &third, &session()).await.unwrap();
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "make -n");
}

#[tokio::test]
async fn other_hooks_judge_it_anew_when_it_is_approved() {
    let bytes = parked().await;
    let ask = |calls: &Arc<AtomicUsize>| asks(calls);
    let calls = Arc::default();
    let guard = || sync("guard", |_| Ok(Verdict::deny("not any more")));
    for (hooks, outcome) in [
        (vec![ask(&calls), guard()], Outcome::Deny),
        (vec![ask(&calls).tag("changed")], Outcome::Ask),
        (vec![], Outcome::Allow),
    ] {
        let next = process(hooks);
        let asked = next.resume::<ToolUse>(read(&bytes), &session()).unwrap();
        assert_eq!(asked.approve(&next, &session()).await.outcome(), outcome);
    }
    let stop = Hook::sync("guard", |_| Ok(Verdict::deny("no"))).event(Event::Stop);
    let next = process([ask(&calls), stop]);
    let before = calls.load(Ordering::Relaxed);
    let asked = next.resume::<ToolUse>(read(&bytes), &session()).unwrap();
    // A change at another event asks nobody again, also between resume and answer; one at this event does.
    next.edit(|table| {
        table.remove("guard");
    })
    .unwrap();
    let parked_again = asked.park(&next, &session(), HOUR).unwrap();
    let asked = next.resume::<ToolUse>(parked_again, &session()).unwrap();
    assert!(asked.approve(&next, &session()).await.is_cleared());
    assert_eq!(calls.load(Ordering::Relaxed), before);
}

/// In one process it is known that a hook in Rust was replaced, also by one that is declared alike.
#[tokio::test]
async fn another_closure_under_the_same_declaration_judges_it_anew() {
    let engine = process([asks(&Arc::default())]);
    let parked = ask(&engine).await.park(&engine, &session(), HOUR).unwrap();
    let stricter = sync("ask", |_| Ok(Verdict::deny("not any more")));
    engine.swap(HandlerTable::builder().insert(stricter).build().unwrap());
    let asked = engine.resume::<ToolUse>(parked, &session()).unwrap();
    assert_eq!(asked.approve(&engine, &session()).await.outcome(), Outcome::Deny);
}

#[tokio::test]
async fn what_was_changed_or_signed_with_another_key_is_refused() {
    let bytes = parked().await;
    let second = process([asks(&Arc::default())]);
    let resume = |bytes: &[u8]| second.resume::<ToolUse>(read(bytes), &session()).unwrap_err();
    let whole: Value = serde_json::from_slice(&bytes).unwrap();
    for (pointer, value) in [
        ("/request/step/tool_input/command", json!("rm -rf /")),
        ("/request/digest", json!(format!("sha256:{}", "0".repeat(64)))),
        ("/request/step_id", json!("step-2")),
        ("/decision/outcome", json!("allow")),
        ("/decision/by", json!(["nobody"])),
        ("/expires", json!(u64::MAX)),
        ("/parked_by", json!("another")),
        ("/hooks", json!(format!("sha256:{}", "0".repeat(64)))),
        ("/signature", json!("00".repeat(32))),
        ("/signature", json!("")),
    ] {
        let mut changed = whole.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        assert_eq!(resume(changed.to_string().as_bytes()), ResumeError::Signature, "{pointer}");
    }
    let other = process([asks(&Arc::default())]).with_approval_key([8; 32]);
    let resumed = other.resume::<ToolUse>(read(&bytes), &session());
    assert_eq!(resumed.unwrap_err(), ResumeError::Signature);
    // The control, and a form that is not known.
    assert!(second.resume::<ToolUse>(read(&bytes), &session()).is_ok());
    let mut unknown = whole;
    unknown["more"] = json!(1);
    assert!(Parked::from_json(unknown.to_string().as_bytes()).is_err());
}

#[tokio::test]
async fn it_is_good_in_its_session_at_its_event_and_for_its_time() {
    let bytes = parked().await;
    let engine = process([asks(&Arc::default())]);
    let elsewhere = engine.resume::<ToolUse>(read(&bytes), &StepContext::new("other"));
    assert_eq!(elsewhere.unwrap_err(), ResumeError::OtherSession);
    let moved = engine.resume::<ToolUse>(read(&bytes), &session().cwd("/srv/other"));
    assert_eq!(moved.unwrap_err(), ResumeError::OtherFolder);
    let here = session().cwd("/srv/here");
    let Gate::Asked(asked) = engine.dispatch(bash("make"), &here).await else { panic!() };
    let of_folder = asked.park(&engine, &here, HOUR).unwrap();
    let nowhere = engine.resume::<ToolUse>(of_folder.clone(), &session());
    assert_eq!(nowhere.unwrap_err(), ResumeError::OtherFolder);
    assert!(engine.resume::<ToolUse>(of_folder, &here).is_ok(), "the control");
    let as_prompt = engine.resume::<UserPromptSubmit>(read(&bytes), &session());
    assert_eq!(as_prompt.unwrap_err(), ResumeError::OtherEvent("pre_tool_use".to_owned()));
    let at_once = ask(&engine).await.park(&engine, &session(), Duration::ZERO).unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert_eq!(engine.resume::<ToolUse>(at_once, &session()).unwrap_err(), ResumeError::Expired);
}

#[tokio::test]
async fn a_question_that_cannot_be_parked_stays_open() {
    let (engine, other) = (process([asks(&Arc::default())]), process([asks(&Arc::default())]));
    let error = ask(&engine).await.park(&other, &session(), HOUR).unwrap_err();
    assert_eq!(error.problem(), ParkProblem::OtherEngine);
    let error = error.into_asked().park(&engine, &StepContext::new("other"), HOUR).unwrap_err();
    assert_eq!(error.problem(), ParkProblem::OtherEngine);
    let too_long = Parked::LONGEST + Duration::from_millis(1);
    let error = error.into_asked().park(&engine, &session(), too_long).unwrap_err();
    assert_eq!(error.problem(), ParkProblem::TooLong);
    assert!(error.into_asked().approve(&engine, &session()).await.is_cleared());
}

#[tokio::test]
async fn the_question_says_what_would_run_and_has_one_id() {
    let rewrite =
        sync("dry", |_| Ok(Verdict::none().patch("tool_input", json!({"command": "make -n"}))))
            .role(hookgate::Role::Rewrite);
    let engine = process([rewrite, asks(&Arc::default())]);
    let asked = ask(&engine).await;
    let request = asked.request(&engine, &session()).unwrap();
    assert_eq!(request.step["tool_input"]["command"], "make -n", "after all rewriters");
    assert_eq!(
        (&*request.question, &*request.by, &*request.step_id),
        ("sure?", &["ask".into()][..], "step-1")
    );
    let again = ask(&engine).await.request(&engine, &session()).unwrap();
    assert_eq!((request.id, request.digest), (again.id, again.digest));
    // A step that the host has not named has an id as soon as it is asked about.
    let unnamed = StepContext::new("s");
    let Gate::Asked(one) = engine.dispatch(bash("make"), &unnamed).await else { panic!() };
    let Gate::Asked(two) = engine.dispatch(bash("make"), &unnamed).await else { panic!() };
    let (one, two) =
        (one.request(&engine, &unnamed).unwrap(), two.request(&engine, &unnamed).unwrap());
    assert!(!one.step_id.is_empty() && one.id != two.id && one.digest == two.digest);
    assert_eq!((one.action, one.asking), (two.action, two.asking));
}

#[tokio::test]
async fn an_answer_that_was_used_is_used_up_when_its_step_is_asked_about_again() {
    let engine = process([asks(&Arc::default())]);
    let first = ask(&engine).await.park(&engine, &session(), HOUR).unwrap();
    let asked = engine.resume::<ToolUse>(first.clone(), &session()).unwrap();
    assert!(asked.approve(&engine, &session()).await.is_cleared());
    // The clock of a question counts milliseconds.
    tokio::time::sleep(Duration::from_millis(2)).await;
    let again = ask(&engine).await.park(&engine, &session(), HOUR).unwrap();
    let resume = |parked: &Parked| engine.resume::<ToolUse>(parked.clone(), &session());
    assert_eq!(resume(&first).unwrap_err(), ResumeError::Resumed);
    assert!(resume(&again).is_ok(), "the control");
    assert_eq!(resume(&again).unwrap_err(), ResumeError::Resumed);
}

#[tokio::test]
async fn a_question_that_was_parked_for_longer_is_not_open_again_when_the_shorter_one_is_over() {
    let engine = process([asks(&Arc::default())]);
    let long = ask(&engine).await.park(&engine, &session(), HOUR).unwrap();
    let short = Duration::from_millis(250);
    let short = ask(&engine).await.park(&engine, &session(), short).unwrap();
    assert!(engine.resume::<ToolUse>(short, &session()).is_ok());
    tokio::time::sleep(Duration::from_millis(260)).await;
    let late = engine.resume::<ToolUse>(long, &session());
    assert_eq!(late.unwrap_err(), ResumeError::Resumed);
}

#[tokio::test]
async fn a_question_of_hooks_that_were_changed_is_not_one_of_the_hooks_in_force() {
    let bytes = parked().await;
    let next = process([asks(&Arc::default()).tag("changed")]);
    let asked = next.resume::<ToolUse>(read(&bytes), &session()).unwrap();
    let theirs = asked.request(&next, &session()).unwrap();
    let ours = ask(&next).await.request(&next, &session()).unwrap();
    assert_eq!(theirs.action, ours.action);
    assert_ne!(theirs.asking, ours.asking, "a grant for the one would answer the other");
    // The control: under the same hooks it is the same question.
    let same = process([asks(&Arc::default())]);
    let asked = same.resume::<ToolUse>(read(&bytes), &session()).unwrap();
    let again = ask(&same).await.request(&same, &session()).unwrap();
    assert_eq!(asked.request(&same, &session()).unwrap().asking, again.asking);
}

/// A step of the embedder that is read otherwise than it is written: payer and payee change places.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
struct Transfer {
    #[serde(rename(deserialize = "payee"))]
    payer: String,
    #[serde(rename(deserialize = "payer"))]
    payee: String,
}

static TRANSFER: Contract = Contract::custom("x.transfer", EventKind::Gate).may_ask();

impl Payload for Transfer {
    fn contract(&self) -> &'static Contract {
        &TRANSFER
    }
}

hookgate::hook_step!(Transfer: &TRANSFER => Cleared, Denied, Asked);

#[tokio::test]
async fn a_step_that_is_read_as_another_one_is_refused() {
    let mut table = HandlerTable::builder();
    table.contract(&TRANSFER);
    table.insert(Hook::sync("ask", |_| Ok(Verdict::ask("sure?"))).custom_event("x.transfer"));
    let engine = Engine::new(table.build().unwrap());
    let transfer = Transfer { payer: "ada".to_owned(), payee: "ben".to_owned() };
    let Gate::Asked(asked) = engine.dispatch(transfer, &session()).await else { panic!() };
    let parked = asked.park(&engine, &session(), HOUR).unwrap();
    let refused = engine.resume::<Transfer>(parked, &session()).unwrap_err();
    assert_eq!(refused, ResumeError::Unreadable("it is read as another step".to_owned()));
}
