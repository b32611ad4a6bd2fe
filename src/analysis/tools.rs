//! Tools that no guard is called about.

use hookgate_contract::{Event, Mode, Role};

use super::finding::{Finding, FindingCode, Severity};
use super::observers::may_decide;
use super::options::{ListedTool, Options};
use crate::table::Listed;

/// A condition on what a call does counts as one that can hold, whatever the tool.
pub(super) fn find(listed: &[Listed<'_>], options: &Options) -> Vec<Finding> {
    let before_tools = listed.iter().filter(|hook| hook.event == Event::PreToolUse.name());
    let guards: Vec<_> = before_tools.filter(|hook| is_guard(hook)).collect();
    let covered =
        |tool: &ListedTool| guards.iter().any(|hook| hook.matcher().may_hold_for(&tool.name));
    options.tools.iter().filter(|tool| !covered(tool)).map(uncovered).collect()
}

/// Returns whether a hook can keep a call from being made.
fn is_guard(hook: &Listed<'_>) -> bool {
    hook.mode() == Mode::Enforce && hook.role() == Role::Guard && may_decide(hook.spec())
}

fn uncovered(tool: &ListedTool) -> Finding {
    Finding {
        code: FindingCode::UncoveredTool,
        severity: Severity::Warning,
        hook: None,
        event: Some(Event::PreToolUse.name().to_owned()),
        file: Some(tool.file.clone()),
        line: tool.line,
        column: 1,
        message: format!("no guard is called about `{}`: every call of it is made", tool.name),
        help: format!("add a guard whose `tool` matches `{}`, or one without `tool`", tool.name),
    }
}
