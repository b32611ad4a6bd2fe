//! Promise: what was denied is counted, once for each step, and stopped at the try that is configured.

use hookgate_builtin::{Host, NoteDenials, RepeatedDenials};
use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    Envelope, Invocation, Observed, ReasonCode, StepContext, StepId, SyncHandler, Verdict,
    VerdictDecision,
};
use hookgate_store::StateDatabase;
use serde_json::json;

use crate::support::{build_in, full_host};

/// The two hooks of one host.
struct Hooks {
    guard: RepeatedDenials,
    notes: NoteDenials,
}

impl Hooks {
    fn new(host: &Host) -> Self {
        let (guard, notes) = (RepeatedDenials::new(host), NoteDenials::new(host));
        Self { guard: guard.unwrap(), notes: notes.unwrap() }
    }

    fn step<T>(
        &self,
        session: &str,
        id: &str,
        path: &str,
        call: impl Fn(&Self, Envelope<'_>) -> T,
    ) -> T {
        let payload = ToolCall::new("Write", json!({ "path": path }));
        let (context, id) = (StepContext::new(session), StepId::new(Some(id), String::new));
        call(self, Envelope::new(&payload, &context, &id, 1, 1 << 20))
    }

    fn tries(&self, session: &str, id: &str, path: &str) -> Verdict {
        self.step(session, id, path, |hooks, envelope| {
            hooks.guard.handle(Invocation::new("not-again", &envelope)).unwrap()
        })
    }

    fn ended(&self, session: &str, id: &str, path: &str, outcome: &str, code: Option<ReasonCode>) {
        self.step(session, id, path, |hooks, envelope| {
            let decision = Observed::new(outcome, vec!["rule"], Some("not there"), &[]);
            let decision = decision.reason_code(code);
            let envelope = envelope.decided(&decision);
            hooks.notes.handle(Invocation::new("notes", &envelope)).unwrap();
        });
    }

    fn denied(&self, session: &str, id: &str, path: &str) {
        self.ended(session, id, path, "deny", Some(ReasonCode::PolicyViolation));
    }
}

fn reason(verdict: &Verdict) -> Option<&str> {
    verdict.parts()?.reason.as_deref()
}

#[test]
fn the_third_try_is_stopped_and_the_reason_names_the_first_denial() {
    let hooks = Hooks::new(&full_host());
    let none = Verdict::none();
    assert_eq!(hooks.tries("s", "1", "a"), none);
    hooks.denied("s", "1", "a");
    assert_eq!(hooks.tries("s", "2", "a"), none);
    // The same step, evaluated again.
    assert_eq!(hooks.tries("s", "2", "a"), none);
    hooks.ended("s", "2", "a", "allow", None);
    let stopped = hooks.tries("s", "3", "a");
    assert_eq!(
        reason(&stopped),
        Some(
            "this was denied before, whatever the words: tried 3 times; first denied at step 1 by `rule`: not there"
        )
    );
    // The controls: another action, another session.
    assert_eq!((hooks.tries("s", "4", "b"), hooks.tries("t", "5", "a")), (none.clone(), none));
}

#[test]
fn a_denial_counts_as_a_try_where_the_guard_was_not_asked() {
    let hooks = Hooks::new(&full_host());
    hooks.denied("s", "1", "a");
    hooks.denied("s", "2", "a");
    assert!(reason(&hooks.tries("s", "3", "a")).unwrap().contains("tried 3 times"));
}

#[test]
fn what_passes_and_what_a_failed_guard_denies_is_not_remembered() {
    let hooks = Hooks::new(&full_host());
    for (id, outcome, code) in [
        ("1", "allow", None),
        ("2", "ask", Some(ReasonCode::PolicyViolation)),
        ("3", "deny", Some(ReasonCode::Timeout)),
        ("4", "deny", Some(ReasonCode::RuntimeError)),
    ] {
        hooks.ended("s", id, "a", outcome, code);
    }
    assert!((5..9).all(|id| hooks.tries("s", &id.to_string(), "a") == Verdict::none()));
    // But it is one more try of what was denied before.
    hooks.denied("s", "10", "a");
    hooks.ended("s", "11", "a", "deny", Some(ReasonCode::Timeout));
    assert!(reason(&hooks.tries("s", "12", "a")).is_some());
}

#[test]
fn sixty_four_actions_are_remembered() {
    let hooks = Hooks::new(&full_host());
    for path in 0..65 {
        hooks.denied("s", &format!("first-{path}"), &path.to_string());
        hooks.denied("s", &format!("second-{path}"), &path.to_string());
    }
    let stopped = |path: &str| reason(&hooks.tries("s", "last", path)).is_some();
    assert!(!stopped("0") && stopped("1") && stopped("64"));
}

#[test]
fn it_outlives_the_process_and_decides_as_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let hooks = || {
        let folder = StateDatabase::new(folder.path().join("state"));
        Hooks::new(&full_host().state(std::sync::Arc::new(folder.part("sessions"))))
    };
    hooks().denied("s", "1", "a");
    for (id, then) in [("2", VerdictDecision::Ask), ("3", VerdictDecision::Halt)] {
        let Hooks { guard, notes } = hooks();
        let hooks = Hooks { guard: guard.after(2).then(then), notes };
        assert_eq!(hooks.tries("s", id, "a").parts().unwrap().decision, Some(then));
    }
}

#[test]
fn a_config_is_told_what_is_wrong() {
    let wrong = |name: &str, settings, host: &Host| {
        build_in(name, &settings, &[], "/".as_ref(), host).unwrap_err()
    };
    let full = full_host();
    assert!(wrong("repeated_denials", json!({"after": 1}), &full).contains("2"));
    assert!(wrong("repeated_denials", json!({"then": "allow"}), &full).contains("halt"));
    for name in ["repeated_denials", "note_denials"] {
        let problem = wrong(name, json!({}), &Host::new());
        assert!(problem.contains("does not know what calls do"), "{problem}");
    }
    let alone = build_in("repeated_denials", &json!({}), &[], "/".as_ref(), &full).unwrap();
    assert!(alone.doubts.ask()[0].contains("note_denials"));
    build_in("note_denials", &json!({}), &[], "/".as_ref(), &full).unwrap();
    assert_eq!(alone.doubts.ask(), Vec::<String>::new());
}
