//! Promise: a question is kept over a restart and answered once, by as many persons as it needs and nobody else; the
//! runtime gets the answer once; what the step holds is not left in the open.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use hookgate::approval::{ApprovalRequest, Parked};
use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine as _, Outcome, StepContext, ToolUse,
    Verdict,
};
use hookgate_store::{
    ApprovalError, ApprovalState, Approvals, GrantScope, PersonAnswer, Persons, RunStore,
};
use serde_json::{Map, Value, json};

use crate::support::Place;

const HOUR: Duration = Duration::from_secs(3600);

fn session() -> StepContext<'static> {
    StepContext::new("s")
}

/// A process of the host, with the key of the file.
fn process(approvals: &Approvals) -> Engine {
    let hook = Hook::sync("confirm", |_| {
        Ok(Verdict::ask("push to token=ghp_0123456789abcdefghij0123456789abcdef?"))
    })
    .event(Event::PreToolUse);
    let table = HandlerTable::builder().insert(hook).build().unwrap();
    Engine::new(table).with_approval_key(approvals.engine_key().unwrap())
}

/// Asks about a command and parks the question.
fn parked(approvals: &Approvals, command: &str, good_for: Duration) -> Parked {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let engine = process(approvals);
        let step = ToolUse::from_value("Bash", json!({ "command": command })).unwrap();
        let context = session().step_id("step-1");
        let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
        asked.park(&engine, &context, good_for).unwrap()
    })
}

fn ask(place: &Place, command: &str, persons: &Persons) -> (Approvals, String) {
    let approvals = place.store().approvals();
    let question = approvals.park(&parked(&approvals, command, HOUR), persons).unwrap();
    assert_eq!(question.state, ApprovalState::Pending);
    (approvals, question.id)
}

fn edit(command: &str) -> Map<String, Value> {
    json!({"tool_input": {"command": command}}).as_object().unwrap().clone()
}

#[tokio::test]
async fn a_restarted_runtime_goes_on_with_the_answer_once() {
    let place = Place::new();
    let (_, id) = thread::scope(|scope| {
        scope.spawn(|| ask(&place, "make deploy", &Persons::default())).join().unwrap()
    });
    // Somebody else answers, in a process of his own.
    let answered = place.store().approvals().answer(&id, &PersonAnswer::approve("ada")).unwrap();
    assert_eq!((answered.state, &*answered.answers[0].person), (ApprovalState::Approved, "ada"));

    let approvals = place.store().approvals();
    let taken = approvals.take(&id).unwrap().unwrap();
    assert!(place.store().approvals().take(&id).unwrap().is_none(), "once");
    let engine = process(&approvals);
    let asked = engine.resume::<ToolUse>(taken.parked.unwrap(), &session()).unwrap();
    let gate = asked.approve(&engine, &session()).await;
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "make deploy");
}

#[tokio::test]
async fn what_the_user_made_of_it_is_what_runs() {
    let place = Place::new();
    let (approvals, id) = thread::scope(|scope| {
        scope.spawn(|| ask(&place, "rm -rf build", &Persons::default())).join().unwrap()
    });
    assert_eq!(approvals.request(&id).unwrap().step["tool_input"]["command"], "rm -rf build");
    let answer = PersonAnswer::approve_with("ada", edit("rm -rf build/tmp"));
    assert!(approvals.answer(&id, &answer).unwrap().edited);
    let taken = approvals.take(&id).unwrap().unwrap();
    let engine = process(&approvals);
    let asked = engine.resume::<ToolUse>(taken.parked.unwrap(), &session()).unwrap();
    let gate = asked.approve_with(taken.edit.unwrap(), &engine, &session()).await.unwrap();
    assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "rm -rf build/tmp");
}

#[tokio::test]
async fn a_refusal_is_an_end() {
    let place = Place::new();
    let (approvals, id) = thread::scope(|scope| {
        scope.spawn(|| ask(&place, "make", &Persons::need(2))).join().unwrap()
    });
    approvals.answer(&id, &PersonAnswer::approve("ada")).unwrap();
    let ended = approvals.answer(&id, &PersonAnswer::reject("ben", "not on a Friday")).unwrap();
    assert_eq!(ended.state, ApprovalState::Rejected);
    let late = approvals.answer(&id, &PersonAnswer::approve("cy")).unwrap_err();
    assert!(matches!(late, ApprovalError::Ended { state: ApprovalState::Rejected, .. }), "{late}");
    let taken = approvals.take(&id).unwrap().unwrap();
    let engine = process(&approvals);
    let asked = engine.resume::<ToolUse>(taken.parked.unwrap(), &session()).unwrap();
    let why = taken.approval.answers.iter().find(|answer| !answer.approves);
    let denied = asked.refuse(why.and_then(|answer| answer.note.clone()).unwrap());
    assert_eq!(denied.feedback(), "denied by the user: not on a Friday");
    assert_eq!(denied.decision().outcome, Outcome::Deny);
}

#[test]
fn as_many_persons_as_are_needed_have_to_agree_to_the_same() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::need(2).from(["ada", "ben", "cy"]));
    let state =
        |answer: &PersonAnswer| approvals.answer(&id, answer).map(|approval| approval.state);
    let stranger = state(&PersonAnswer::approve("mallory")).unwrap_err();
    assert!(matches!(stranger, ApprovalError::NotAsked { .. }), "{stranger}");
    assert_eq!(state(&PersonAnswer::approve("ada")).unwrap(), ApprovalState::Pending);
    // Again the same says nothing new, and is no second person.
    assert_eq!(state(&PersonAnswer::approve("ada")).unwrap(), ApprovalState::Pending);
    let otherwise = state(&PersonAnswer::reject("ada", "no")).unwrap_err();
    assert!(matches!(otherwise, ApprovalError::AnsweredBefore(_)), "{otherwise}");
    let other = state(&PersonAnswer::approve_with("ben", edit("make -n"))).unwrap_err();
    assert!(matches!(other, ApprovalError::OtherEdit), "{other}");
    assert!(approvals.take(&id).unwrap().is_none(), "it still waits");
    assert_eq!(state(&PersonAnswer::approve("cy")).unwrap(), ApprovalState::Approved);
    assert_eq!(approvals.take(&id).unwrap().unwrap().edit, None);
}

#[test]
fn of_many_at_the_same_moment_one_answers_and_one_takes() {
    let place = Place::new();
    let (_, id) = ask(&place, "make", &Persons::default());
    let stores: Vec<RunStore> = (0..8).map(|_| place.store()).collect();
    let ends: Vec<Result<ApprovalState, ApprovalError>> = thread::scope(|scope| {
        let answer = |(index, store): (usize, &RunStore)| {
            let (approvals, id) = (store.approvals(), id.clone());
            scope.spawn(move || {
                let person = format!("person-{index}");
                let answer = match index % 2 {
                    0 => PersonAnswer::approve(person),
                    _ => PersonAnswer::reject(person, "no"),
                };
                approvals.answer(&id, &answer).map(|approval| approval.state)
            })
        };
        let threads: Vec<_> = stores.iter().enumerate().map(answer).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(ends.iter().filter(|end| end.is_ok()).count(), 1, "{ends:?}");
    let taken: usize = thread::scope(|scope| {
        let take = |store: &RunStore| {
            let (approvals, id) = (store.approvals(), id.clone());
            scope.spawn(move || approvals.take(&id).unwrap().is_some())
        };
        let threads: Vec<_> = stores.iter().map(take).collect();
        threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum()
    });
    assert_eq!(taken, 1);
}

#[test]
fn what_nobody_answers_expires_and_what_is_not_needed_is_withdrawn() {
    let place = Place::new();
    let later = || {
        let settings = place.settings().clock(|| u64::from(u32::MAX) * 1000);
        RunStore::open(settings).unwrap().approvals()
    };
    let (approvals, withdrawn) = ask(&place, "ls", &Persons::default());
    let (_, id) = ask(&place, "make", &Persons::default());
    assert_eq!(approvals.list(&[ApprovalState::Pending]).unwrap().len(), 2);
    let ended = approvals.withdraw(&withdrawn, "the session has ended").unwrap();
    assert_eq!(
        (ended.state, ended.why.as_deref()),
        (ApprovalState::Withdrawn, Some("the session has ended"))
    );
    assert_eq!(approvals.take(&withdrawn).unwrap().unwrap().parked, None);

    let late = later().answer(&id, &PersonAnswer::approve("ada")).unwrap_err();
    assert!(matches!(late, ApprovalError::Ended { state: ApprovalState::Expired, .. }), "{late}");
    assert_eq!(later().take(&id).unwrap().unwrap().approval.state, ApprovalState::Expired);
    let states: BTreeMap<String, &str> = later()
        .list(&[])
        .unwrap()
        .into_iter()
        .map(|approval| (approval.id, approval.state.name()))
        .collect();
    assert_eq!(states, BTreeMap::from([(withdrawn, "withdrawn"), (id, "expired")]));
    assert!(matches!(approvals.approval("nobody").unwrap_err(), ApprovalError::Unknown(_)));
}

#[test]
fn a_question_that_is_asked_again_after_a_restart_has_the_answer_that_was_given() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::default());
    approvals.answer(&id, &PersonAnswer::approve("ada")).unwrap();
    let again = approvals.park(&parked(&approvals, "make", HOUR), &Persons::default()).unwrap();
    assert_eq!((again.id, again.state), (id.clone(), ApprovalState::Approved));
    // Another command is another question.
    let other = approvals.park(&parked(&approvals, "make -B", HOUR), &Persons::default()).unwrap();
    assert!(other.id != id && other.state == ApprovalState::Pending);
}

#[test]
fn the_step_is_sealed_and_goes_with_the_answer() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "login hunter2", &Persons::default());
    let holds = |word: &str| {
        let bytes = place.bytes();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    };
    assert!(
        !holds("hunter2") && !holds("ghp_0123456789abcdefghij"),
        "neither step nor secrets of the question"
    );
    assert!(holds("confirm"), "the control: the hook can be read");
    // A question whose bytes were changed is refused.
    let changed =
        place.sqlite().execute("UPDATE approval SET sealed = randomblob(200)", []).unwrap();
    assert_eq!(changed, 1);
    approvals.answer(&id, &PersonAnswer::approve("ada")).unwrap();
    assert!(matches!(approvals.take(&id).unwrap_err(), ApprovalError::Unreadable(_)));
    assert!(!approvals.approval(&id).unwrap().taken);
}

/// Asks about a command in a session and a folder, and says how the grant that answers it is given.
fn question(
    approvals: &Approvals,
    hook: &Hook,
    command: &str,
    session: &str,
    cwd: &str,
) -> hookgate::approval::ApprovalRequest {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let table = HandlerTable::builder().insert(hook.clone()).build().unwrap();
        let engine = Engine::new(table).with_approval_key(approvals.engine_key().unwrap());
        // Each call has an id of its own.
        let id = format!("call-{}", std::process::id());
        let step = ToolUse::from_value("Bash", json!({ "command": command })).unwrap().id(id);
        let context = StepContext::new(session).cwd(cwd);
        let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
        asked.request(&engine, &context).unwrap()
    })
}

#[test]
fn a_grant_is_for_exactly_one_action_of_the_same_hooks_where_and_as_long_as_it_holds() {
    let place = Place::new();
    let approvals = place.store().approvals();
    let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("deploy?"))).event(Event::PreToolUse);
    let asked = |command: &str, session: &str, cwd: &str| {
        question(&approvals, &hook, command, session, cwd)
    };
    let here = asked("make deploy", "s", "/srv/a");
    assert_eq!(approvals.granted(&here).unwrap(), None);
    for (scope, session, folder, user) in [
        (GrantScope::Session, true, false, false),
        (GrantScope::Project, true, true, false),
        (GrantScope::User, true, true, true),
    ] {
        let grant = approvals.grant(&here, scope, "ada", HOUR).unwrap();
        for (request, is_granted) in [
            (asked("make deploy", "s", "/srv/a"), session),
            (asked("make deploy", "other", "/srv/a"), folder),
            (asked("make deploy", "s", "/srv/b"), user),
            (asked("make deploy", "other", "/srv/b"), user),
            (asked("make deploy ", "s", "/srv/a"), false),
        ] {
            let found = place.store().approvals().granted(&request).unwrap();
            assert_eq!(
                found.map(|found| found.id),
                is_granted.then_some(grant.id),
                "{scope} {request:?}"
            );
        }
        // Another text of the hook that has asked ends it.
        let changed = hook.clone().tag("changed");
        let request = question(&approvals, &changed, "make deploy", "s", "/srv/a");
        assert_eq!(approvals.granted(&request).unwrap(), None);
        // So does its time, and who revokes it.
        let settings = place.settings().clock(|| u64::from(u32::MAX) * 1000);
        assert_eq!(RunStore::open(settings).unwrap().approvals().granted(&here).unwrap(), None);
        approvals.revoke(grant.id).unwrap();
        assert_eq!(approvals.granted(&here).unwrap(), None);
    }
    let uses: Vec<u64> = approvals.grants().unwrap().iter().map(|grant| grant.uses).collect();
    assert_eq!(uses, [1, 2, 4]);
    assert!(matches!(approvals.revoke(99).unwrap_err(), ApprovalError::UnknownGrant(99)));
}

#[test]
fn a_step_that_is_asked_about_again_after_its_answer_was_taken_is_a_question_again() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::default());
    let park =
        |persons: &Persons| approvals.park(&parked(&approvals, "make", HOUR), persons).unwrap();
    approvals.answer(&id, &PersonAnswer::approve("ada")).unwrap();
    assert!(approvals.take(&id).unwrap().is_some());
    // The hooks were changed meanwhile, say: the step was judged anew, and they ask again.
    let again = park(&Persons::need(2));
    assert_eq!(
        (&again.id, again.state, again.taken, again.need, again.answers.len()),
        (&id, ApprovalState::Pending, false, 2, 0)
    );
    assert_eq!(approvals.take(&id).unwrap(), None, "the old answer is not one to it");
    for person in ["ada", "ben"] {
        approvals.answer(&id, &PersonAnswer::approve(person)).unwrap();
    }
    assert!(approvals.take(&id).unwrap().unwrap().parked.is_some());
}

/// Promise: a grant for whatever does no more than it names covers what surely does no more, by the same tool, and
/// nothing else.
#[test]
#[cfg(feature = "effects")]
fn a_grant_may_be_for_whatever_does_no_more() {
    let place = Place::new();
    let approvals = place.store().approvals();
    let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
    let asked =
        |command: &str, session: &str| question(&approvals, &hook, command, session, "/srv/a");
    let here = asked("cargo test", "s");
    let at_most =
        json!({"runs": ["cargo test", "cargo test --release"], "writes": ["/srv/a/target/**"]});
    let give = |request: &ApprovalRequest, at_most: &Value| {
        approvals.grant_within(request, GrantScope::Session, "ada", HOUR, at_most)
    };
    assert!(matches!(give(&here, &json!({"run": "ls"})), Err(ApprovalError::Within(_))));
    assert!(matches!(give(&asked("cargo test; id", "s"), &at_most), Err(ApprovalError::NotWithin)));
    assert_eq!(approvals.granted(&here).unwrap(), None, "nothing was given");
    let grant = give(&here, &at_most).unwrap();
    assert_eq!(grant.within, Some(at_most));
    for (command, session, is_granted) in [
        ("cargo test", "s", true),
        ("cargo test --release > target/out", "s", true),
        ("cargo test --release > out", "s", false),
        ("cargo test --config x", "s", false),
        ("cargo test && cargo run", "s", false),
        ("cargo test $X", "s", false),
        ("cargo test", "other", false),
    ] {
        let found = place.store().approvals().granted(&asked(command, session)).unwrap();
        assert_eq!(found.is_some(), is_granted, "{command} in {session}");
    }
    // Another tool that does the same, and other hooks that ask.
    let mut tool = asked("cargo test", "s");
    tool.step.insert("tool_name".to_owned(), json!("Shell"));
    assert_eq!(approvals.granted(&tool).unwrap(), None);
    let request = question(&approvals, &hook.clone().tag("changed"), "cargo test", "s", "/srv/a");
    assert_eq!(approvals.granted(&request).unwrap(), None);
    approvals.revoke(grant.id).unwrap();
    assert_eq!(approvals.granted(&here).unwrap(), None);
}

#[test]
fn a_grant_is_given_by_who_may_answer_and_not_by_one_of_several() {
    let place = Place::new();
    let give = |persons: &Persons, person: &str, reject: bool| {
        let command = format!("make {person} {reject} {persons:?}");
        let (approvals, id) = ask(&place, &command, persons);
        if reject {
            approvals.answer(&id, &PersonAnswer::reject("ada", "no")).unwrap();
        }
        let request = approvals.request(&id).unwrap();
        let given = approvals.grant(&request, GrantScope::User, person, HOUR);
        assert_eq!(approvals.granted(&request).unwrap().is_some(), given.is_ok());
        given
    };
    let ada = Persons::default().from(["ada"]);
    assert!(matches!(give(&ada, "mallory", false).unwrap_err(), ApprovalError::NotAsked { .. }));
    assert!(matches!(give(&ada, "ada", true).unwrap_err(), ApprovalError::Ended { .. }));
    assert!(matches!(
        give(&Persons::need(2), "ada", false).unwrap_err(),
        ApprovalError::NeedsSeveral(2)
    ));
    assert!(give(&ada, "ada", false).is_ok(), "the control");
}

#[test]
fn one_person_under_two_spellings_is_one() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::need(2));
    for name in ["ada", "Ada", " ada ", "ADA"] {
        let state = approvals.answer(&id, &PersonAnswer::approve(name)).unwrap().state;
        assert_eq!(state, ApprovalState::Pending, "{name:?}");
    }
    for nobody in ["", "  ", "ad\u{200b}a", "ada\n"] {
        let refused = approvals.answer(&id, &PersonAnswer::approve(nobody)).unwrap_err();
        assert!(matches!(refused, ApprovalError::Nobody(_)), "{refused}");
    }
    let answered = approvals.answer(&id, &PersonAnswer::approve("ben")).unwrap();
    assert_eq!((answered.state, answered.answers.len()), (ApprovalState::Approved, 2));
}

#[test]
fn who_agrees_second_can_see_the_change_that_he_agrees_to() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::need(2));
    assert_eq!(approvals.edit_of(&id).unwrap(), None);
    approvals.answer(&id, &PersonAnswer::approve_with("ada", edit("make -n"))).unwrap();
    let seen = approvals.edit_of(&id).unwrap().unwrap();
    let answer = PersonAnswer::approve_with("ben", seen);
    assert_eq!(approvals.answer(&id, &answer).unwrap().state, ApprovalState::Approved);
}

#[test]
fn an_answer_that_cannot_be_carried_out_is_refused_at_once() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::default());
    let of_tool = json!({"tool_name": "Read"}).as_object().unwrap().clone();
    let refused = approvals.answer(&id, &PersonAnswer::approve_with("ada", of_tool)).unwrap_err();
    assert!(matches!(refused, ApprovalError::Edit(_)), "{refused}");
    assert_eq!(approvals.approval(&id).unwrap().state, ApprovalState::Pending);
    // One person under two spellings is one.
    let parked = parked(&approvals, "make -B", HOUR);
    let few = approvals.park(&parked, &Persons::need(2).from(["ada", "Ada"])).unwrap_err();
    assert!(matches!(few, ApprovalError::TooFew { need: 2, may: 1 }), "{few}");
    assert!(approvals.park(&parked, &Persons::need(2).from(["ada", "ben"])).is_ok(), "the control");
}

#[test]
fn what_has_ended_long_ago_is_forgotten() {
    let place = Place::new();
    let (approvals, id) = ask(&place, "make", &Persons::default());
    let request = approvals.request(&id).unwrap();
    approvals.grant(&request, GrantScope::User, "ada", HOUR).unwrap();
    let later = |days: u64| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let now = u64::try_from(now.as_millis()).unwrap() + days * 24 * 3600 * 1000;
        let store = RunStore::open(place.settings().clock(move || now)).unwrap();
        let approvals = store.approvals();
        let other = parked(&approvals, "ls", HOUR);
        approvals.park(&other, &Persons::default()).unwrap();
        approvals
    };
    assert!(later(29).approval(&id).is_ok() && later(29).grants().unwrap().len() == 1);
    assert!(matches!(later(32).approval(&id), Err(ApprovalError::Unknown(_))));
    assert!(approvals.grants().unwrap().is_empty());
}
