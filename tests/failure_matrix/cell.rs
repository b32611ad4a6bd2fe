//! A cell of the matrix: a fault, a posture and a mode, from hooks.toml to what came out.

use std::fmt::Write as _;
use std::future::{Future, ready};
use std::pin::Pin;
use std::time::Duration;

use hookgate::contract::{Cancel, VerdictDecision};
use hookgate::decision::VoteOutcome;
use hookgate::{
    Engine, FailureClass, Gate, HookEngine, Mode, Outcome, Posture, Report, StepContext, ToolUse,
};
use tokio::time::Instant;

use crate::fault::{Fault, Kind, Needs};
use crate::position::{PRE_TOOL_USE, Position};
use crate::{builtin, envelopes, support};

pub(crate) const OUTPUT: usize = 8 * 1024;
const PAYLOAD: usize = 4 * 1024;

/// A deadline that a handler misses which does not answer, and that a program on a busy machine
/// has time to start in.
const SHORT: Duration = Duration::from_millis(250);

/// A deadline before which a program on a busy machine has printed something.
const LATE: Duration = Duration::from_secs(3);

/// How a posture is configured.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PostureKeys {
    Nothing,
    OnFailure(Posture),
    /// `on_<class>`, with an `on_failure` that says something else.
    OnClass(Posture),
}

impl PostureKeys {
    pub(crate) const ALL: [Self; 7] = [
        Self::Nothing,
        Self::OnFailure(Posture::Deny),
        Self::OnFailure(Posture::Ask),
        Self::OnFailure(Posture::Allow),
        Self::OnClass(Posture::Deny),
        Self::OnClass(Posture::Ask),
        Self::OnClass(Posture::Allow),
    ];

    pub(crate) fn keys(self, class: FailureClass) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::OnFailure(posture) => format!("on_failure = \"{}\"\n", posture.name()),
            Self::OnClass(posture) => {
                let other = if posture == Posture::Deny { "allow" } else { "deny" };
                let own = posture.name();
                format!("on_failure = \"{other}\"\non_{class} = \"{own}\"\n")
            }
        }
    }

    /// What a failure of the class counts as, by DESIGN.md section 6.
    fn posture(self, class: FailureClass, position: &Position) -> Posture {
        match self {
            Self::OnClass(posture) => posture,
            Self::Nothing => position.default_posture(class),
            // The agent can provoke it.
            Self::OnFailure(_) if class == FailureClass::Oversize => {
                position.default_posture(class)
            }
            Self::OnFailure(posture) if class == FailureClass::State => {
                match position.default_posture(class) {
                    Posture::Deny => Posture::Deny,
                    _ => posture,
                }
            }
            // It is no defect.
            Self::OnFailure(_) if class == FailureClass::Unclear => position.default_posture(class),
            Self::OnFailure(posture) => posture,
        }
    }
}

pub(crate) const MODES: [Mode; 3] = [Mode::Enforce, Mode::Warn, Mode::Shadow];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) fault: Fault,
    pub(crate) posture_keys: PostureKeys,
    pub(crate) mode: Mode,
    pub(crate) at: &'static Position,
    /// Whether two healthy hooks are invoked at the same time.
    pub(crate) neighbours: bool,
    pub(crate) number: usize,
}

/// Each of these faults with each posture in each mode.
pub(crate) fn cells(faults: &[Fault]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for &fault in faults {
        for posture_keys in PostureKeys::ALL {
            for mode in MODES {
                let neighbours = matches!(posture_keys, PostureKeys::OnFailure(Posture::Ask));
                let at = &PRE_TOOL_USE;
                cells.push(Cell { fault, posture_keys, mode, at, neighbours, number: cells.len() });
            }
        }
    }
    cells
}

/// Each of these faults with each posture that the position takes, enforced.
pub(crate) fn cells_at(at: &'static Position, faults: &[Fault]) -> Vec<Cell> {
    let takes = |posture_keys: &PostureKeys| match *posture_keys {
        PostureKeys::Nothing => true,
        PostureKeys::OnFailure(posture) => at.takes(posture),
        // Beside it is an `on_failure` of another posture.
        PostureKeys::OnClass(posture) => at.takes(posture) && at.takes(Posture::Deny),
    };
    let cell = |fault, posture_keys| Cell {
        fault,
        posture_keys,
        mode: Mode::Enforce,
        at,
        neighbours: false,
        number: 0,
    };
    let of = |fault| {
        PostureKeys::ALL
            .into_iter()
            .filter(takes)
            .map(move |posture_keys| cell(fault, posture_keys))
    };
    faults.iter().flat_map(|fault| of(*fault)).collect()
}

impl Cell {
    /// The whole hooks.toml, with this handler.
    pub(crate) fn config(&self, handler: &str) -> String {
        let Fault { needs, class, .. } = self.fault;
        let time = |short| match short {
            _ if needs == Needs::LateDeadline => format!("{}s", LATE.as_secs()),
            true => format!("{}ms", SHORT.as_millis()),
            false => "60s".into(),
        };
        let dispatch = time(needs == Needs::DispatchDeadline);
        let timeout = time(needs == Needs::Deadline);
        let mode = self.mode.name();
        let unmet = if needs == Needs::Unmet { "needs = \"unmet\"\n" } else { "" };
        let moon = if needs == Needs::UnknownCondition { "moon = \"full\"\n" } else { "" };
        let mut text = format!(
            "[limits]\ndispatch_deadline = \"{dispatch}\"\noutput = {OUTPUT}\npayload = {PAYLOAD}\n\n\
             [[hook]]\nid = \"failing\"\n{}mode = \"{mode}\"\ntimeout = \"{timeout}\"\n{moon}{unmet}{}{handler}\n",
            self.at.hook_lines(),
            self.posture_keys.keys(class),
        );
        if needs == Needs::Unmet {
            let fine = builtin::handler(Fault::healthy(Kind::Sync));
            let other = "event = \"pre_tool_use\"\ntool = \"Other\"";
            let _ = write!(text, "\n[[hook]]\nid = \"unmet\"\n{other}\n{fine}\n");
        }
        let neighbours = builtin::handler(Fault::healthy(Kind::Async));
        for id in ["before", "after"].iter().filter(|_| self.neighbours) {
            let priority = if *id == "before" { 1 } else { 200 };
            let _ = write!(
                text,
                "\n[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\npriority = {priority}\n\
                 on_failure = \"allow\"\n{neighbours}\n",
            );
        }
        text
    }

    /// The file of its program: one of its own, where it will be deleted.
    pub(crate) fn program(&self) -> String {
        let name = self.fault.kind.program();
        if matches!(self.fault.needs, Needs::Deletion | Needs::Replacement) {
            format!("{name}-{}", self.number)
        } else {
            name.to_owned()
        }
    }

    pub(crate) fn step(&self) -> ToolUse {
        let large = if self.fault.needs == Needs::LargeStep { 2 * PAYLOAD } else { 1 };
        support::bash(&"x".repeat(large))
    }

    /// The decision that the failure counts as.
    fn decision(&self) -> Option<VerdictDecision> {
        if self.fault.healthy {
            return None;
        }
        let salvaged = self.fault.salvaged.and_then(|decision| self.at.nearest(decision));
        self.posture_keys.posture(self.fault.class, self.at).decision().max(salvaged)
    }

    /// Whether a second dispatch is cheap.
    fn again(&self) -> bool {
        self.fault.needs == Needs::Nothing && self.fault.kind.in_process()
    }

    /// Runs it on the engine that was built for it.
    pub(crate) async fn run(self, engine: Engine) {
        let cancel = CancelledAt(match self.fault.needs {
            Needs::CancelledLater => Instant::now() + SHORT,
            Needs::CancelledLate => Instant::now() + LATE,
            _ => Instant::now(),
        });
        let mut context = StepContext::new("matrix");
        if self.is_cancelled() {
            context = context.cancel(&cancel);
        }
        // They hang for as long as they are held.
        let mut held = Vec::new();
        for _ in 0..if self.fault.needs == Needs::FullQueue { 2 } else { 0 } {
            let mut call = Box::pin(engine.dispatch(self.step(), &context));
            // Polled once it is in the queue.
            tokio::select! {
                biased;
                gate = &mut call => panic!("{gate:?} {self:?}"),
                () = ready(()) => held.push(call),
            }
        }
        let (gate, report) = engine.dispatch_reported(self.step(), &context).await;
        if self.is_cancelled() {
            return self.check_cancelled(&engine, &gate, &report);
        }
        if self.fault.healthy {
            self.check_nothing_reported(&report);
        } else {
            self.check_vote(&report);
            self.check_decision(&report);
        }
        self.check_gate(gate);
        let mut times = u64::from(!self.fault.healthy);
        if self.again() {
            self.check_gate(engine.dispatch(self.step(), &context).await);
            times *= 2;
        }
        for class in FailureClass::ALL {
            let expected = if class == self.fault.class { times } else { 0 };
            assert_eq!(engine.failures("failing", class), expected, "{class} {self:?}");
        }
        drop(held);
    }

    /// Runs it at an event of which the step does not matter.
    pub(crate) async fn evaluate(self, engine: Engine) {
        let report = engine.evaluate(&mut envelopes::incoming(self.at.event)).await;
        self.check_vote(&report);
        if self.at.observes() {
            let class = self.fault.class;
            assert_eq!(report.decision, Outcome::Allow, "{self:?}");
            let told = format!("the observer `failing` failed ({class})");
            let [message] = &report.messages[..] else { panic!("{:?} {self:?}", report.messages) };
            // What says what to do is told with it.
            let rest = message.strip_prefix(&told);
            assert!(
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": ")),
                "{message} {self:?}"
            );
        } else {
            self.check_decision(&report);
        }
    }

    /// Whether the host cancels the dispatch.
    fn is_cancelled(&self) -> bool {
        matches!(self.fault.needs, Needs::Cancelled | Needs::CancelledLater | Needs::CancelledLate)
    }

    /// The step does not happen, whatever the posture and the mode are, and the hook has not failed.
    fn check_cancelled(&self, engine: &Engine, gate: &Gate<ToolUse>, report: &Report) {
        // What it had refused before it was stopped stands.
        let has_refused = self.fault.salvaged >= Some(VerdictDecision::Deny);
        let stands = has_refused && self.mode == Mode::Enforce;
        let outcome = if stands { Outcome::Deny } else { Outcome::Cancelled };
        assert_eq!((gate.outcome(), report.decision), (outcome, outcome), "{self:?}");
        if has_refused {
            let vote = report.votes.iter().find(|vote| vote.hook == "failing");
            let failure = vote.and_then(|vote| vote.failure);
            assert_eq!(failure, Some(FailureClass::Cancelled), "{report:?} {self:?}");
            assert_eq!(engine.failures("failing", FailureClass::Cancelled), 1, "{self:?}");
            return;
        }
        // Where it was cancelled at its first hook, no other one was called.
        let cancelled = report.votes.iter().filter(|vote| vote.outcome == VoteOutcome::Cancelled);
        let first = cancelled.map(|vote| &*vote.hook).next();
        assert!(matches!(first, Some("before" | "failing")), "{report:?} {self:?}");
        assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?} {self:?}");
        assert!(report.by.is_empty() && report.messages.is_empty(), "{report:?} {self:?}");
        assert!(!report.reason.as_ref().unwrap().contains("failing"), "{report:?} {self:?}");
        for class in FailureClass::ALL {
            assert_eq!(engine.failures("failing", class), 0, "{class} {self:?}");
        }
    }

    /// What the other cells check for is not there when nothing fails.
    fn check_nothing_reported(&self, report: &Report) {
        assert!(report.votes.iter().any(|vote| vote.hook == "failing"), "{report:?} {self:?}");
        assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?} {self:?}");
        assert!(report.messages.is_empty() && report.by.is_empty(), "{report:?} {self:?}");
        assert!(report.reason.is_none() && report.context.is_empty(), "{report:?} {self:?}");
    }

    /// In every mode the record tells what happened.
    fn check_vote(&self, report: &Report) {
        let Fault { kind, class, detail: expected, .. } = self.fault;
        let vote = report.votes.iter().find(|vote| vote.hook == "failing");
        let vote = vote.unwrap_or_else(|| panic!("no vote {self:?}"));
        let messages = (vote.mode, vote.round, vote.kind.as_str());
        assert_eq!(vote.outcome, VoteOutcome::Failed, "{self:?}");
        assert_eq!(vote.failure, Some(class), "{:?} {self:?}", vote.detail);
        assert_eq!(messages, (self.mode, 1, kind.name()), "{self:?}");
        assert_eq!(vote.decision, self.decision(), "{self:?}");
        let detail = vote.detail.as_deref().unwrap_or_default();
        // What is wrong with an illegal verdict depends on the event.
        let elsewhere = class == FailureClass::Illegal && self.at.event != PRE_TOOL_USE.event;
        assert!(
            !detail.is_empty() && (elsewhere || detail.contains(expected)),
            "{detail} {self:?}"
        );
    }

    fn check_decision(&self, report: &Report) {
        let messages = report.messages.iter().filter(|text| text.contains("`failing`"));
        let messages: Vec<_> = messages.map(String::as_str).collect();
        let class = self.fault.class.name();
        let decision = self.decision();
        let word_text = decision.map_or("", VerdictDecision::name);
        match self.mode {
            Mode::Enforce => {
                assert_eq!(report.decision, outcome(decision), "{self:?}");
                let by: &[&str] = if decision.is_some() { &["failing"] } else { &[] };
                assert_eq!(report.by, by, "{self:?}");
                if decision.is_some() {
                    let reason = report.reason.as_deref().unwrap_or_default();
                    for part in ["`failing`", class, word_text] {
                        assert!(reason.contains(part), "{reason} {self:?}");
                    }
                    assert!(report.reason_code.is_some(), "{self:?}");
                } else {
                    assert_eq!(messages.len(), 1, "{:?} {self:?}", report.messages);
                    assert!(messages[0].contains("not enforced"), "{messages:?} {self:?}");
                    assert!(messages[0].contains(class), "{messages:?} {self:?}");
                }
            }
            Mode::Warn => {
                assert_eq!(report.decision, Outcome::Allow, "{self:?}");
                assert_eq!(messages.len(), 1, "{:?} {self:?}", report.messages);
                let would = format!("would {word_text}");
                assert!(messages[0].starts_with("warning:"), "{messages:?} {self:?}");
                assert!(messages[0].contains(class), "{messages:?} {self:?}");
                assert_eq!(
                    messages[0].contains(would.trim_end()),
                    decision.is_some(),
                    "{messages:?} {self:?}"
                );
            }
            _ => {
                assert_eq!(report.decision, Outcome::Allow, "{self:?}");
                assert!(messages.is_empty(), "{messages:?} {self:?}");
            }
        }
        if self.mode != Mode::Enforce {
            assert!(report.by.is_empty() && report.reason.is_none(), "{self:?}");
        }
        // Nothing of a refused verdict is left.
        assert!(report.patched.is_empty() && report.context.is_empty(), "{self:?}");
    }

    fn check_gate(&self, gate: Gate<ToolUse>) {
        let decision = if self.mode == Mode::Enforce { self.decision() } else { None };
        let came_out = match &gate {
            Gate::Cleared(_) => Outcome::Allow,
            Gate::Asked(_) => Outcome::Ask,
            Gate::Denied(_) => Outcome::Deny,
            Gate::Halted(_) => Outcome::Halt,
            Gate::Answered(_) => Outcome::Answered,
        };
        assert_eq!(came_out, outcome(decision), "{self:?}");
    }
}

fn outcome(decision: Option<VerdictDecision>) -> Outcome {
    decision.map_or(Outcome::Allow, Outcome::from)
}

/// A dispatch that is cancelled from a moment on.
struct CancelledAt(Instant);

impl Cancel for CancelledAt {
    fn is_cancelled(&self) -> bool {
        Instant::now() >= self.0
    }

    fn cancelled<'a>(&'a self) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(tokio::time::sleep_until(self.0))
    }
}
