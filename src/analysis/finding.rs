//! One thing that is doubtful about a table.

use std::fmt;

use serde::Serialize;

use crate::hook_id::HookId;
use crate::table::HookSpec;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// It is worth knowing, and may be meant.
    Note,
    /// A hook does not do what it says, or something is not guarded.
    Warning,
}

impl Severity {
    /// Returns the name: `warning`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
        }
    }
}

/// What sort of finding it is. The names are stable: programs can rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingCode {
    /// A hook never runs, because an earlier one always denies.
    ShadowedHook,
    /// Conditions exclude each other.
    UnreachableConditions,
    /// A pattern or a condition fits no step, or depends on something that nothing sets.
    DeadPattern,
    /// A guard is asked before a rewriter changes what it has seen.
    GuardBeforeRewrite,
    /// Two rewriters set one field, and nothing says which comes last.
    TwoRewriters,
    /// A hook that only observes has a handler that decides.
    ObserverDecides,
    /// No guard is called about a tool that the session has.
    UncoveredTool,
    /// What a failure is to count as never counts.
    PostureWithoutEffect,
    /// The hooks of an event can take longer than an agent waits.
    SlowEvent,
}

impl FindingCode {
    /// All codes.
    pub const ALL: [Self; 9] = [
        Self::ShadowedHook,
        Self::UnreachableConditions,
        Self::DeadPattern,
        Self::GuardBeforeRewrite,
        Self::TwoRewriters,
        Self::ObserverDecides,
        Self::UncoveredTool,
        Self::PostureWithoutEffect,
        Self::SlowEvent,
    ];

    /// Returns the name: `shadowed_hook`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ShadowedHook => "shadowed_hook",
            Self::UnreachableConditions => "unreachable_conditions",
            Self::DeadPattern => "dead_pattern",
            Self::GuardBeforeRewrite => "guard_before_rewrite",
            Self::TwoRewriters => "two_rewriters",
            Self::ObserverDecides => "observer_decides",
            Self::UncoveredTool => "uncovered_tool",
            Self::PostureWithoutEffect => "posture_without_effect",
            Self::SlowEvent => "slow_event",
        }
    }

    /// Returns what such a finding says, as a sentence without a full stop.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::ShadowedHook => "a hook is never called, because an earlier one always denies",
            Self::UnreachableConditions => "no step meets the conditions of a hook",
            Self::DeadPattern => "a pattern or a condition of a hook fits no step",
            Self::GuardBeforeRewrite => "a guard is asked before a rewriter changes the step",
            Self::TwoRewriters => "two rewriters set one field, and nothing says which comes last",
            Self::ObserverDecides => "a hook that only observes has a handler that decides",
            Self::UncoveredTool => "no guard is called about a tool of the session",
            Self::PostureWithoutEffect => "what a failure is to count as never counts",
            Self::SlowEvent => "the hooks of an event can take longer than an agent waits",
        }
    }
}

impl fmt::Display for FindingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is doubtful about a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What sort of finding it is.
    pub code: FindingCode,
    /// How much it matters.
    pub severity: Severity,
    /// The hook that it is about, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<HookId>,
    /// The event at which it matters, if it does so at one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The file; `None` for a hook that was made in Rust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was found.
    pub message: String,
    /// What to do.
    pub help: String,
}

impl Finding {
    /// Creates a finding about a key of a hook.
    pub(super) fn new(
        code: FindingCode,
        hook: &HookSpec,
        key: &str,
        message: String,
        help: String,
    ) -> Self {
        let origin = hook.origin();
        let at_start = (origin.line().unwrap_or(1), 1);
        let (line, column) = origin.position_of(key).unwrap_or(at_start);
        Self {
            code,
            severity: Severity::Warning,
            hook: Some(hook.id().clone()),
            event: None,
            file: origin.file_name().map(str::to_owned),
            line,
            column,
            message,
            help,
        }
    }

    /// Makes it one that is worth knowing.
    pub(super) const fn note(mut self) -> Self {
        self.severity = Severity::Note;
        self
    }

    /// Says at which event it matters.
    pub(super) fn at(mut self, event: &str) -> Self {
        self.event = Some(event.to_owned());
        self
    }

    /// Returns what findings are ordered by.
    pub(super) fn place(&self) -> (Option<&str>, usize, usize, FindingCode) {
        (self.file.as_deref(), self.line, self.column, self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_name() {
        for code in FindingCode::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.name());
        }
    }
}
