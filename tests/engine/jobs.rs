//! Promise: a hook that is fired and recorded becomes a job in the queue of the host, which any process with the
//! same config can run; nobody waits for it, and what the queue does not take is told. So does the work that hooks ask
//! for, if the host wants that.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate::contract::contribution::{AuditLine, BackgroundJob, ContextPiece};
use hookgate::contract::payload::{Planning, PromptContext};
use hookgate::contract::{BuiltHandler, Capabilities};
use hookgate::events::{DropReason, HookEventKind};
use hookgate::jobs::{Job, JobError, JobQueue, JobRefused};
use hookgate::{
    Engine, Event, Failure, FailureClass, Gate, Hook, HookEngine, Outcome, Role, StepContext,
    Verdict,
};

use crate::support::{Log, bash, context, engine, sync};

/// A queue that keeps jobs in memory, each key once.
#[derive(Clone, Default)]
struct Queue(Arc<Mutex<Vec<Job>>>);

impl Queue {
    fn jobs(&self) -> Vec<Job> {
        self.0.lock().unwrap().clone()
    }
}

impl JobQueue for Queue {
    fn submit(&self, job: Job) -> Result<(), JobRefused> {
        let mut jobs = self.0.lock().unwrap();
        if jobs.iter().all(|known| known.idempotency_key != job.idempotency_key) {
            jobs.push(job);
        }
        Ok(())
    }
}

/// An observer that is fired and recorded, and logs what it sees.
fn mirror(log: &Log) -> Hook {
    let log = log.clone();
    let handler = BuiltHandler::async_fn(move |call| {
        let key = call.idempotency_key().unwrap_or("none").to_owned();
        let decision = call.envelope.decision().map(|decision| decision.outcome.to_owned());
        let command = crate::support::command(call);
        let log = log.clone();
        Box::pin(async move {
            log.push(format!("{command} {decision:?} {}", key.starts_with("sha256:")));
            Ok(Verdict::none().contribute(AuditLine::new("mirrored")))
        })
    });
    Hook::new("mirror", "rust", handler)
        .event(Event::PreToolUse)
        .role(Role::Observe)
        .fire_and_record()
}

fn step(id: &str) -> StepContext<'_> {
    StepContext::new("s").step_id(id)
}

#[tokio::test]
async fn a_call_is_kept_and_made_later_with_the_decision_and_its_key() {
    let (log, queue) = (Log::default(), Queue::default());
    let deny = || sync("deny", |_| Ok(Verdict::deny("no")));
    let first = engine([deny(), mirror(&log)]).with_jobs(queue.clone());
    let (gate, report) = first.dispatch_reported(bash("ls"), &step("s-1")).await;
    assert_eq!(gate.outcome(), Outcome::Deny);
    assert!(report.messages.is_empty() && report.votes.len() == 2, "{report:?}");
    assert_eq!(first.background().finished + first.background().pending, 0);
    assert!(log.take().is_empty(), "nobody has called it yet");

    let [job] = &queue.jobs()[..] else { panic!() };
    assert_eq!(
        (job.hook_id.as_str(), job.session_id.as_str(), job.step_id.as_str()),
        ("mirror", "s", "s-1")
    );
    assert_eq!(job.config_hash, first.table().config_hash());
    let read = Job::from_json(&serde_json::to_vec(job).unwrap()).unwrap();
    assert_eq!(read, *job);
    drop(first);

    // Another process with the same config.
    let second = engine([deny(), mirror(&log)]);
    let done = second.run_job(&read).await.unwrap();
    assert_eq!(log.take(), ["ls Some(\"deny\") true"]);
    assert_eq!(done.contributions, [AuditLine::new("mirrored").into()]);
}

#[tokio::test]
async fn one_step_is_one_job_and_another_step_another_one() {
    let queue = Queue::default();
    let engine = engine([mirror(&Log::default())]).with_jobs(queue.clone());
    for id in ["s-1", "s-1", "s-2"] {
        drop(engine.dispatch(bash("ls"), &step(id)).await);
    }
    assert_eq!(queue.jobs().len(), 2, "the same step again is the same job");
    // A swap of the table does not make it another step, another hook does.
    engine.swap(hookgate::HandlerTable::builder().insert(mirror(&Log::default())).build().unwrap());
    drop(engine.dispatch(bash("ls"), &step("s-1")).await);
    assert_eq!(queue.jobs().len(), 2);
    let other = mirror(&Log::default()).tag("other");
    engine.swap(hookgate::HandlerTable::builder().insert(other).build().unwrap());
    drop(engine.dispatch(bash("ls"), &step("s-1")).await);
    assert_eq!(queue.jobs().len(), 3);
}

#[tokio::test]
async fn a_queue_that_takes_nothing_is_told_and_the_step_goes_on() {
    let refusals: [fn(Job) -> Result<(), JobRefused>; 3] = [
        |_| Err(JobRefused::Full),
        |_| Err(JobRefused::NotKept("the disk is full".to_owned())),
        |_| panic!("on purpose"),
    ];
    for refuse in refusals {
        let engine = engine([mirror(&Log::default())]).with_jobs(refuse);
        let mut events = engine.subscribe();
        let (gate, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert!(gate.is_cleared());
        let text = "a call of the background hook `mirror` was dropped: the queue of jobs has not taken it";
        assert_eq!(report.messages, [text]);
        assert_eq!(engine.background().dropped, 1);
        let dropped = HookEventKind::Dropped { why: DropReason::NotKept };
        assert!(crate::stream::received(&mut events).iter().any(|event| event.what == dropped));
    }
}

#[tokio::test]
async fn without_a_queue_it_runs_in_this_process_and_the_user_reads_of_it() {
    let log = Log::default();
    let engine = engine([mirror(&log)]);
    let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    let [message] = &report.messages[..] else { panic!("{report:?}") };
    assert!(message.contains("`mirror` is not recorded"), "{message}");
    engine.drain(Duration::from_secs(20)).await;
    assert_eq!(log.take(), ["ls Some(\"allow\") false"]);
    let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    assert!(report.messages.is_empty(), "it is not told at every step");
}

#[tokio::test]
async fn a_job_that_cannot_be_made_says_why() {
    let queue = Queue::default();
    let maker = engine([mirror(&Log::default())]).with_jobs(queue.clone());
    drop(maker.dispatch(bash("ls"), &step("s-1")).await);
    let job = queue.jobs().remove(0);

    let other = engine([mirror(&Log::default()).tag("other")]);
    let superseded = JobError::Superseded { made_by: job.config_hash };
    assert_eq!(other.run_job(&job).await, Err(superseded.clone()));
    assert_eq!(Engine::without_hooks().run_job(&job).await, Err(superseded));
    let mut missing = job.clone();
    missing.hook_id = "nobody".into();
    assert_eq!(maker.run_job(&missing).await, Err(JobError::MissingHook("nobody".into())));
    let mut unreadable = job.clone();
    unreadable.envelope.remove("tool_name");
    assert!(matches!(maker.run_job(&unreadable).await, Err(JobError::Unreadable(_))));
    let mut unreadable = job.clone();
    unreadable.envelope.insert("decision".to_owned(), 1.into());
    assert!(matches!(maker.run_job(&unreadable).await, Err(JobError::Unreadable(_))));
    let work = BackgroundJob::new("index");
    let asked = job.clone().contributed(work);
    assert_ne!(asked.idempotency_key, job.idempotency_key);
    assert_eq!(maker.run_job(&asked).await, Err(JobError::NotACall));
    assert!(maker.run_job(&job).await.is_ok(), "the control");
}

#[tokio::test]
async fn a_job_that_fails_or_says_too_much_has_failed() {
    let run = async |answer: fn() -> hookgate::contract::Reply| {
        let queue = Queue::default();
        let built = BuiltHandler::async_fn(move |_| Box::pin(async move { answer() }));
        let built = built.capabilities(Capabilities::new().contributes([
            hookgate::contract::contribution::ContributionKind::Audit,
            hookgate::contract::contribution::ContributionKind::PromptContext,
        ]));
        let hook = Hook::new("h", "rust", built)
            .event(Event::PromptContext)
            .role(Role::Observe)
            .fire_and_record();
        let engine = engine([hook]).with_jobs(queue.clone());
        drop(engine.dispatch(PromptContext(Planning::new("hello")), &context()).await);
        let done = engine.run_job(&queue.jobs()[0]).await;
        (
            done.map_err(|error| match error {
                JobError::Failed(failure) => failure.class,
                other => panic!("{other}"),
            }),
            engine.failures("h", FailureClass::Exit),
        )
    };
    let (done, failures) = run(|| Err(Failure::new(FailureClass::Exit, "status 1"))).await;
    assert_eq!((done.unwrap_err(), failures), (FailureClass::Exit, 1));
    // The step has long gone on: context would come too late, and a decision even more so.
    let illegal = FailureClass::Illegal;
    let late = || Ok(Verdict::none().contribute(ContextPiece::new("a", "b")));
    assert_eq!(run(late).await.0.unwrap_err(), illegal);
    assert_eq!(run(|| Ok(Verdict::deny("no"))).await.0.unwrap_err(), illegal);
    let undeclared = || {
        let work = BackgroundJob::new("j");
        Ok(Verdict::none().contribute(work))
    };
    assert_eq!(run(undeclared).await.0.unwrap_err(), illegal);
    let audit = || Ok(Verdict::none().contribute(AuditLine::new("seen")));
    assert_eq!(run(audit).await.0.unwrap().contributions.len(), 1, "the control");
}

/// A guard that asks for work, and what it says beside that.
fn asks(name: &'static str, verdict: fn() -> Verdict) -> Hook {
    sync(name, move |_| {
        let index = BackgroundJob::new("index").payload(serde_json::json!({"by": name}));
        Ok(verdict().contribute(index).contribute(AuditLine::new("asked")))
    })
}

#[tokio::test]
async fn the_work_that_hooks_ask_for_is_queued_once_the_step_is_decided() {
    let queue = Queue::default();
    let hooks = || [asks("a", Verdict::none), asks("b", || Verdict::deny("no"))];
    let asking = engine(hooks()).with_jobs(queue.clone()).with_asked_work();
    let (gate, report) = asking.dispatch_reported(bash("ls"), &step("s-1")).await;
    assert_eq!((gate.outcome(), report.contributions.len()), (Outcome::Deny, 4));
    let jobs = queue.jobs();
    let by: Vec<_> = jobs.iter().map(|job| job.hook_id.as_str()).collect();
    assert_eq!(by, ["a", "b"]);
    for job in &jobs {
        assert_eq!(job.contributed.as_ref().unwrap().job_id, "index");
        assert_eq!(job.envelope["decision"]["outcome"], "deny");
        assert_eq!(job.envelope["tool_input"]["command"], "ls");
        assert_eq!(job.config_hash, asking.table().config_hash());
        assert_eq!(asking.run_job(job).await, Err(JobError::NotACall));
    }
    // The same step again is the same work, also where nobody wants a report.
    drop(asking.dispatch(bash("ls"), &step("s-1")).await);
    assert_eq!(queue.jobs().len(), 2);
    drop(asking.dispatch(bash("ls"), &step("s-2")).await);
    assert_eq!(queue.jobs().len(), 4);

    // The control: a host that does the work itself finds it in the decision alone.
    let queue = Queue::default();
    let engine = engine(hooks()).with_jobs(queue.clone());
    let (_, report) = engine.dispatch_reported(bash("ls"), &step("s-1")).await;
    assert_eq!((report.contributions.len(), queue.jobs().len()), (4, 0));
}

#[tokio::test]
async fn work_that_is_not_kept_is_told() {
    let asking =
        engine([asks("a", Verdict::none)]).with_jobs(|_| Err(JobRefused::Full)).with_asked_work();
    let (gate, report) = asking.dispatch_reported(bash("ls"), &step("s-1")).await;
    assert!(gate.is_cleared());
    let told = "the job `index` that `a` has asked for is lost: too many jobs are waiting";
    assert_eq!(report.messages, [told]);
}

#[tokio::test]
async fn work_beside_a_question_is_queued_when_the_user_approves() {
    let queue = Queue::default();
    let asking =
        engine([asks("a", || Verdict::ask("sure?"))]).with_jobs(queue.clone()).with_asked_work();
    let ask = async || {
        let Gate::Asked(asked) = asking.dispatch(bash("make"), &step("s-1")).await else {
            panic!()
        };
        asked
    };
    drop(ask().await.refuse("no"));
    assert!(queue.jobs().is_empty(), "a step that was refused leaves none");
    let edit = serde_json::json!({"tool_input": {"command": "make -n"}});
    let edit = edit.as_object().unwrap().clone();
    let gate = ask().await.approve_with(edit, &asking, &step("s-1")).await.unwrap();
    assert!(gate.is_cleared());
    let [job] = &queue.jobs()[..] else { panic!("{:?}", queue.jobs()) };
    assert_eq!(job.envelope["tool_input"]["command"], "make -n");
    assert_eq!(job.envelope["decision"]["outcome"], "allow");
    assert!(ask().await.approve(&asking, &step("s-1")).await.is_cleared());
    assert_eq!(queue.jobs().len(), 2, "another step is another job");
}
