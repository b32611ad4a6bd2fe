//! Promise: a written record is read back with equal values, and written again as the same bytes.

use std::path::Path;

use hookgate::contract::contribution::Contribution;
use hookgate::contract::{BuiltHandler, Failure, ReasonCode, Reply, Verdict};
use hookgate::decision::Decision;
use hookgate::envelope::Incoming;
use hookgate::events::{DropReason, HookEvent, HookEventKind};
use hookgate::recorder::{Channel, Record};
use hookgate::table::TableBuilder;
use hookgate::{
    ConfigHash, Engine, Event, FailureClass, Gate, Generation, HandlerTable, Hook, HookEngine,
    Mode, Outcome, Report, Role, StepContext,
};
use serde_json::{Value, json};

use crate::corpus::corpus;
use crate::envelopes::event_fields;
use crate::support::{bash, context};

/// Writes a report, reads it and writes it again.
fn returns(report: &Report) {
    let line = serde_json::to_string(report).unwrap();
    let read = Report::from_json(line.as_bytes()).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(&read, report);
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
}

/// What hooks can answer, and what they can fail with.
fn replies() -> Vec<Reply> {
    let number = json!({"root": 0.300_000_000_000_000_04, "tiny": 5e-324, "large": 1.797e308,
        "integer": 9_007_199_254_740_991_u64, "minus": -4, "text": "\u{202e}\u{0} \"ü\" \u{1f600}"});
    let mut replies: Vec<Reply> = vec![
        Ok(Verdict::none()),
        Ok(Verdict::allow()),
        Ok(Verdict::ask("which one?")),
        Ok(Verdict::deny("no").reason_code(ReasonCode::SafetyViolation)),
        Ok(Verdict::deny("no").annotate("a", number.clone()).message("to the user")),
        Ok(Verdict::halt("stop")),
        Ok(Verdict::none().context("for the model").annotate("b", Value::Null)),
        Ok(Verdict::none().patch("tool_input", number.clone())),
        Ok(Verdict::none().patch("text", "another text")),
        Ok(Verdict::none().answer(number.clone(), true)),
    ];
    let contributions = json!([
        {"kind": "policy", "domain": "d", "key": "k", "value": number, "priority": -1},
        {"kind": "prompt_context", "id": "i", "content": "c", "max_chars": 7, "source_refs": ["r"]},
        {"kind": "prompt_section", "section_id": "s", "content": "c", "title": "t", "domain": "d"},
        {"kind": "tool_bundle", "bundle_id": "b", "tool_names": ["t"]},
        {"kind": "audit", "event_kind": "e", "details": number, "safe_for_user": true},
        {"kind": "diagnostic", "code": "c", "message": "m", "severity": "warning"},
        {"kind": "background_job", "job_id": "j", "payload": [number], "idempotency_key": "i"},
    ]);
    let contributions: Vec<Contribution> = serde_json::from_value(contributions).unwrap();
    replies.extend(
        contributions.into_iter().map(|contribution| Ok(Verdict::none().contribute(contribution))),
    );
    replies.extend(FailureClass::ALL.map(|class| Err(Failure::new(class, format!("{class}!")))));
    replies
}

fn table_at(event: Event, role: Role, mode: Mode, reply: Reply) -> Option<HandlerTable> {
    let handler = BuiltHandler::from_sync(move |_: hookgate::Invocation<'_>| reply.clone());
    let hook = Hook::new("first", "test", handler.clone()).event(event).role(role).mode(mode);
    let second = Hook::new("second", "test", handler).event(event).role(role);
    HandlerTable::builder().insert(hook).insert(second).build().ok()
}

#[tokio::test]
async fn reports_of_every_event_verdict_failure_and_mode_return() {
    let (mut outcomes, mut classes, mut events) = (Vec::new(), Vec::new(), Vec::new());
    for fields in event_fields() {
        for reply in replies() {
            for (role, mode) in [
                (Role::Observe, Mode::Enforce),
                (Role::Guard, Mode::Enforce),
                (Role::Guard, Mode::Warn),
                (Role::Rewrite, Mode::Shadow),
                (Role::Rewrite, Mode::Enforce),
            ] {
                let Some(table) = table_at(fields.event, role, mode, reply.clone()) else {
                    continue;
                };
                let engine = Engine::new(table);
                let mut incoming = Incoming::from_object(fields.whole()).unwrap();
                let report = engine.evaluate(&mut incoming).await;
                returns(&report);
                returns(&report.clone().stable(true));
                returns(&report.clone().with_envelope(fields.whole().into()));
                events.push(report.event.unwrap());
                outcomes.push(report.decision);
                classes.extend(report.votes.iter().filter_map(|vote| vote.failure));
            }
        }
    }
    for outcome in [Outcome::Allow, Outcome::Answered, Outcome::Ask, Outcome::Deny, Outcome::Halt] {
        assert!(outcomes.contains(&outcome), "{outcome:?}");
    }
    for class in FailureClass::ALL {
        assert!(classes.contains(&class), "{class}");
    }
    for fields in event_fields() {
        assert!(events.iter().any(|event| event == fields.event.name()), "{:?}", fields.event);
    }
    returns(&Report::malformed("{", Generation::new(3), ConfigHash::from_bytes([7; 32])));
}

/// The lines of a session, each through an engine and back.
async fn session(text: &str) -> usize {
    let hooks = ["no", "yes"].map(|id| {
        let handler = BuiltHandler::from_sync(move |invocation: hookgate::Invocation<'_>| {
            let length = invocation.envelope.bytes()?.len();
            let verdict = if length % 3 == 0 { Verdict::deny("no") } else { Verdict::none() };
            Ok(verdict.annotate(id, length).message("seen"))
        });
        event_fields()
            .into_iter()
            .map(|fields| fields.event)
            .filter(|event| event.contract().deny())
            .fold(Hook::new(id, "test", handler).role(Role::Guard), Hook::event)
    });
    let builder = hooks.into_iter().collect::<TableBuilder>();
    let (channel, mut records) = Channel::dropping(1 << 20);
    let engine = Engine::new(builder.build().unwrap()).with_recorder(channel.with_envelopes());
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(mut incoming) = Incoming::parse(line.as_bytes()) else { continue };
        let report = engine.evaluate(&mut incoming).await;
        returns(&report);
        let record = records.try_next().unwrap();
        let written = serde_json::to_string(&record).unwrap();
        let read = Record::from_json(written.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written);
        // The step can be played again from its record alone.
        let envelope = read.report.envelope.clone().expect("it was requested");
        let mut again = Incoming::from_object(envelope.as_object().unwrap().clone()).unwrap();
        let replayed = engine.evaluate(&mut again).await;
        assert_eq!(replayed.clone().stable(true).votes.len(), report.votes.len());
        assert_eq!((replayed.decision, replayed.by), (report.decision, report.by));
        drop(records.try_next());
        lines += 1;
    }
    lines
}

#[tokio::test]
async fn the_records_of_whole_sessions_return() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let demo = repository.join("cli/demo/session.steps.jsonl");
    assert!(session(&std::fs::read_to_string(demo).unwrap()).await > 10);
    for name in ["session-small.steps.jsonl", "session-a.steps.jsonl"] {
        if let Some(path) = corpus(repository, name) {
            let text = std::fs::read_to_string(path).unwrap();
            let some: Vec<_> = text.lines().take(300).collect();
            assert!(session(&some.join("\n")).await > 10, "{name}");
        }
    }
}

#[test]
fn what_is_not_a_whole_record_is_refused() {
    let report = Report::malformed("x", Generation::new(1), ConfigHash::from_bytes([0; 32]));
    let good = serde_json::to_value(&report).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut changed = good.clone();
        change(&mut changed);
        Report::from_json(changed.to_string().as_bytes()).unwrap_err().to_string()
    };
    let unknown = refused(&|report| report["new"] = json!(1));
    assert!(unknown.contains("unknown field `new`"), "{unknown}");
    let in_vote = refused(&|report| report["votes"][0]["new"] = json!(1));
    assert!(in_vote.contains("unknown field `new`"), "{in_vote}");
    refused(&|report| drop(report.as_object_mut().unwrap().remove("votes")));
    refused(&|report| report["decision"] = json!("perhaps"));
    refused(&|report| report["config_hash"] = json!("sha256:1"));
    refused(&|report| report["generation"] = json!(-1));
    let text = good.to_string();
    assert!(Report::from_json(text.replacen('{', "{\"by\":[],", 1).as_bytes()).is_err(), "twice");
    assert!(Report::from_json(format!("{text}{text}").as_bytes()).is_err(), "two of them");
    // The control.
    assert!(Report::from_json(text.as_bytes()).is_ok());
}

#[test]
fn every_kind_of_hook_event_returns() {
    let reasons = [
        DropReason::QueueFull,
        DropReason::NoRuntime,
        DropReason::RuntimeEnded,
        DropReason::ShutDown,
        DropReason::NoCopy,
    ];
    let mut kinds = vec![
        HookEventKind::Started,
        HookEventKind::Completed { duration_us: u64::MAX },
        HookEventKind::Cancelled { duration_us: 0 },
        HookEventKind::Denied { reason_code: ReasonCode::Unguarded, reason: None },
        HookEventKind::RewriteApplied { patched: vec!["tool_input".into(), "x".to_owned().into()] },
        HookEventKind::PatchPublished {
            revision: 1,
            patch: json!({"a": 0.1}).as_object().unwrap().clone(),
        },
    ];
    kinds.extend(reasons.map(|why| HookEventKind::Dropped { why }));
    kinds.extend(
        FailureClass::ALL.map(|class| HookEventKind::Failed { class, detail: class.to_string() }),
    );
    let base = json!({"hook": "h", "event": "pre_tool_use", "step_id": "s", "session_id": "a",
        "turn": 1, "what": {"type": "hook_started"}});
    for what in kinds {
        let mut event: HookEvent = serde_json::from_value(base.clone()).unwrap();
        event.what = what;
        for tool in [None, Some("Bash".to_owned())] {
            event.tool_name.clone_from(&tool);
            event.tool_use_id.clone_from(&tool);
            event.agent_id = tool;
            let line = serde_json::to_string(&event).unwrap();
            let read = HookEvent::from_json(line.as_bytes()).unwrap();
            assert_eq!(read, event);
            assert_eq!(serde_json::to_string(&read).unwrap(), line);
        }
    }
}

#[tokio::test]
async fn a_decision_returns() {
    let reply = Ok(Verdict::deny("no").annotate("half", 0.5));
    let engine =
        Engine::new(table_at(Event::PreToolUse, Role::Guard, Mode::Enforce, reply).unwrap());
    let Gate::Denied(denied) = engine.dispatch(bash("x"), &context()).await else { panic!() };
    let line = serde_json::to_string(denied.decision()).unwrap();
    let read: Decision = serde_json::from_str(&line).unwrap();
    assert_eq!(&read, denied.decision());
    assert_eq!(serde_json::to_string(&read).unwrap(), line);
    let context = StepContext::new("s");
    drop(engine.dispatch(bash("x"), &context).await);
}
