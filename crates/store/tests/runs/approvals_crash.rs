//! Promise: a process that parks questions, answers them and takes the answers can be killed at any moment: what it was told
//! is done is done, and no answer is given out twice.

use std::collections::BTreeSet;
use std::io::BufRead as _;
use std::path::Path;
use std::time::Duration;

use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, StepContext, ToolUse, Verdict,
};
use hookgate_store::{ApprovalState, Approvals, PersonAnswer, Persons, RunStore};
use hookgate_test_support::kills::{Chance, Process, kills};
use serde_json::json;

use crate::support::{Place, settings_in};

/// The folder in which a process parks and answers until it is killed.
const FOLDER: &str = "HOOKGATE_TEST_APPROVALS";

fn engine(approvals: &Approvals) -> Engine {
    let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("?"))).event(Event::PreToolUse);
    let table = HandlerTable::builder().insert(hook).build().unwrap();
    Engine::new(table).with_approval_key(approvals.engine_key().unwrap())
}

/// Says what is done as soon as it is.
fn work_for_ever(folder: &Path) {
    let approvals = RunStore::open(settings_in(folder)).unwrap().approvals();
    let engine = engine(&approvals);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for number in 0_u64.. {
        let id = runtime.block_on(async {
            let step_id = format!("{}-{number}", std::process::id());
            let context = StepContext::new("s").step_id(&step_id);
            let step = ToolUse::from_value("Bash", json!({ "command": step_id })).unwrap();
            let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
            let parked = asked.park(&engine, &context, Duration::from_secs(3600)).unwrap();
            approvals.park(&parked, &Persons::default()).unwrap().id
        });
        println!("parked {id}");
        approvals.answer(&id, &PersonAnswer::approve("ada")).unwrap();
        println!("approved {id}");
        if number % 2 == 0 {
            assert!(approvals.take(&id).unwrap().is_some());
            println!("taken {id}");
        }
    }
}

#[test]
fn what_was_acknowledged_survives_whoever_is_killed_and_no_answer_is_given_out_twice() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return work_for_ever(Path::new(&folder));
    }
    let place = Place::new();
    let test = "approvals_crash::what_was_acknowledged_survives_whoever_is_killed_and_no_answer_is_given_out_twice";
    let mut chance = Chance::default();
    let mut said: BTreeSet<(String, String)> = BTreeSet::new();
    for _ in 0..kills(10) {
        let mut process = Process::start(test, FOLDER, place.0.path());
        let lines = process.said();
        let reading = std::thread::spawn(move || {
            let words = |line: String| {
                let (what, id) = line.split_once(' ')?;
                Some((what.to_owned(), id.to_owned()))
            };
            lines.lines().map_while(Result::ok).filter_map(words).collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(150));
        chance.wait(Duration::from_millis(100));
        process.kill();
        // The last line may be cut off.
        let whole = |(what, id): &(String, String)| {
            ["parked", "approved", "taken"].contains(&what.as_str()) && id.len() == 32
        };
        said.extend(reading.join().unwrap().into_iter().filter(whole));
    }
    let of = |what: &str| -> BTreeSet<&String> {
        said.iter().filter(|(said, _)| said == what).map(|(_, id)| id).collect()
    };
    let (parked, approved, taken) = (of("parked"), of("approved"), of("taken"));
    assert!(parked.len() > 20 && taken.len() > 5, "{} {}", parked.len(), taken.len());

    let approvals = place.store().approvals();
    let engine = engine(&approvals);
    let context = StepContext::new("s");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    for id in parked {
        let approval = approvals.approval(id).unwrap();
        assert!(
            approval.state == ApprovalState::Approved || !approved.contains(id),
            "{approval:?}"
        );
        let Some(answer) = approvals.take(id).unwrap() else {
            // The process may have taken it and not come to say so.
            assert!(approval.taken || approval.state == ApprovalState::Pending, "{approval:?}");
            continue;
        };
        assert!(!taken.contains(id), "an answer was given out twice: {id}");
        let asked = engine.resume::<ToolUse>(answer.parked.unwrap(), &context).unwrap();
        assert!(runtime.block_on(asked.approve(&engine, &context)).is_cleared());
        assert!(approvals.take(id).unwrap().is_none());
    }
}
