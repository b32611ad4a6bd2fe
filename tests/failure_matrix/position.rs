//! The position of a hook: its event and its role.

use hookgate::contract::{Event, VerdictDecision};
use hookgate::{FailureClass, Posture};

/// An event and a role at it.
#[derive(Debug)]
pub(crate) struct Position {
    pub(crate) event: Event,
    pub(crate) role: &'static str,
    /// More lines of the hook.
    pub(crate) more: &'static str,
}

pub(crate) const PRE_TOOL_USE: Position =
    Position { event: Event::PreToolUse, role: "", more: "tool = \"Bash\"\n" };

/// Other positions, at which other postures are the default and other decisions exist.
pub(crate) const OTHERS: [Position; 4] = [
    Position { event: Event::PostToolUse, role: "rewrite", more: "tool = \"Bash\"\n" },
    Position { event: Event::Stop, role: "guard", more: "" },
    Position { event: Event::UserPromptSubmit, role: "guard", more: "" },
    Position { event: Event::SessionStart, role: "observe", more: "" },
];

impl Position {
    pub(crate) fn observes(&self) -> bool {
        self.role == "observe"
    }

    /// Whether a hook here may have the posture.
    pub(crate) fn takes(&self, posture: Posture) -> bool {
        match posture.decision() {
            Some(decision) => !self.observes() && self.event.contract().allows(decision),
            None => true,
        }
    }

    /// What a failure counts as that no key is about, by DESIGN.md section 6.
    pub(crate) fn default_posture(&self, class: FailureClass) -> Posture {
        let harms = matches!(self.event, Event::Stop | Event::SubagentStop | Event::PreCompact);
        if class == FailureClass::Unclear {
            let postures = [Posture::Ask, Posture::Deny, Posture::Allow];
            return postures.into_iter().find(|posture| self.takes(*posture)).unwrap();
        }
        if self.observes() || (harms && class != FailureClass::Oversize) {
            Posture::Allow
        } else {
            Posture::Deny
        }
    }

    /// The decision that counts here for one that was found in a refused verdict.
    pub(crate) fn nearest(&self, decision: VerdictDecision) -> Option<VerdictDecision> {
        if self.observes() { None } else { self.event.contract().nearest(decision) }
    }

    /// The lines of the hook.
    pub(crate) fn hook_lines(&self) -> String {
        let Self { event, role, more } = self;
        let role = if role.is_empty() { String::new() } else { format!("role = \"{role}\"\n") };
        format!("event = \"{event}\"\n{role}{more}")
    }
}
