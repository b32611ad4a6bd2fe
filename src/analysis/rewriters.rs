//! Rewriters, and what other hooks of the event make of what they write.
//!
//! A rewriter changes the step for the hooks after it. Those before it that may deny are called again in
//! the final round, with what it wrote. So a guard is not evaded by its place; but one that is asked once
//! keeps what it said of the earlier version, and one that waits is waited for twice. What a rewriter in
//! the background publishes is evaluated by no guard at all.

use hookgate_contract::{Contract, Mode, Role, patch_field};
use serde_json::Value;

use super::finding::{Finding, FindingCode};
use super::observers::builtin_of;
use crate::table::{HookSpec, Listed};

/// Where the builtin `rewrite` changes the input unless it says so.
const COMMAND: &str = "/command";

/// Looks at the hooks of one event, which are in their order.
pub(super) fn find(hooks: &[Listed<'_>]) -> Vec<Finding> {
    let deciding: Vec<&Listed<'_>> = hooks.iter().filter(|hook| counts(hook)).collect();
    let mut out = Vec::new();
    for (index, later) in deciding.iter().enumerate() {
        if later.role() != Role::Rewrite {
            continue;
        }
        let before = deciding.iter().take(index);
        for earlier in before.filter(|earlier| share_steps(earlier, later)) {
            out.extend(match earlier.role() {
                Role::Rewrite => two_rewriters(earlier, later),
                _ => guard_before(earlier, later),
            });
        }
    }
    out.extend(unguarded_publications(hooks));
    out
}

fn counts(hook: &Listed<'_>) -> bool {
    hook.mode() == Mode::Enforce && !hook.compiled().watches()
}

fn share_steps(a: &Listed<'_>, b: &Listed<'_>) -> bool {
    a.matcher().may_share_a_tool(b.matcher())
}

/// Returns what is doubtful about a guard before a rewriter.
fn guard_before(guard: &Listed<'_>, rewriter: &Listed<'_>) -> Option<Finding> {
    let (id, by, event) = (guard.id(), rewriter.id(), guard.event);
    let spec = guard.spec();
    let help = format!("let it come after the rewriter: `after = [\"{by}\"]`");
    let code = FindingCode::GuardBeforeRewrite;
    if guard.compiled().once {
        let message = format!(
            "`{id}` is asked once, and before `{by}` rewrites the step at `{event}`: what it says is \
             about the old version, and the new one runs"
        );
        return Some(Finding::new(code, spec, "id", message, help).at(event));
    }
    let message = format!(
        "`{id}` is asked before `{by}` rewrites the step at `{event}`: when that happens it is called a \
         second time, with what was written, and the step waits for it twice"
    );
    let waits = guard.compiled().waits();
    waits.then(|| Finding::new(code, spec, "id", message, help).at(event).note())
}

/// Returns what is doubtful about two rewriters of the same steps.
fn two_rewriters(earlier: &Listed<'_>, later: &Listed<'_>) -> Option<Finding> {
    let (first, second) = (earlier.spec(), later.spec());
    let field = common_field(later.contract, first, second)?;
    if is_ordered(first, second) || change_other_texts(first, second) {
        return None;
    }
    let (a, b, event) = (first.id(), second.id(), later.event);
    let message = format!(
        "`{a}` and `{b}` both set `{field}` at `{event}`, and nothing says which comes last: now `{b}` \
         does, since it stands further down"
    );
    let help = format!(
        "say which one sees what the other has written: `after = [\"{a}\"]` at `{b}`, or `after = [\"{b}\"]` \
         at `{a}`"
    );
    Some(Finding::new(FindingCode::TwoRewriters, second, "id", message, help).at(event).note())
}

/// Returns a field that both may set.
fn common_field(
    contract: &'static Contract,
    first: &HookSpec,
    second: &HookSpec,
) -> Option<&'static str> {
    let sets = |spec: &HookSpec, field: &str| match builtin_of(spec) {
        Some("rewrite") => field == patch_field::TOOL_INPUT,
        Some("answer") => false,
        _ => true,
    };
    let common =
        contract.patch.iter().find(|field| sets(first, field.name) && sets(second, field.name));
    common.map(|field| field.name)
}

/// Returns whether the hooks say which of them comes first.
fn is_ordered(first: &HookSpec, second: &HookSpec) -> bool {
    let names = |list: &[String], hook: &HookSpec| list.iter().any(|id| hook.id() == id.as_str());
    first.priority() != second.priority()
        || names(second.after(), first)
        || names(first.before(), second)
}

/// Returns whether two builtins `rewrite` change texts that have nothing to do with each other, so that
/// their order does not matter.
fn change_other_texts(first: &HookSpec, second: &HookSpec) -> bool {
    let (Some("rewrite"), Some("rewrite")) = (builtin_of(first), builtin_of(second)) else {
        return false;
    };
    let pointer = |spec: &HookSpec| {
        spec.settings().get("pointer").and_then(Value::as_str).unwrap_or(COMMAND).to_owned()
    };
    if pointer(first) != pointer(second) {
        return true;
    }
    let (from_a, from_b) = (words(first, "from"), words(second, "from"));
    if from_a.is_empty() || from_b.is_empty() {
        return false;
    }
    let (to_a, to_b) = (words(first, "to"), words(second, "to"));
    let meet = |a: &[String], b: &[String]| {
        a.iter().any(|a| b.iter().any(|b| begins(a, b) || begins(b, a)))
    };
    !(meet(&from_a, &from_b) || meet(&to_a, &from_b) || meet(&to_b, &from_a))
}

/// Returns whether a command begins with words.
fn begins(command: &str, words: &str) -> bool {
    let mut command = command.split_whitespace();
    words.split_whitespace().all(|word| command.next() == Some(word))
}

fn words(spec: &HookSpec, key: &str) -> Vec<String> {
    match spec.settings().get(key) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the rewriters whose patches are published after the guards have decided.
fn unguarded_publications(hooks: &[Listed<'_>]) -> Vec<Finding> {
    let enforced = || hooks.iter().filter(|hook| hook.mode() == Mode::Enforce);
    let in_background =
        enforced().filter(|hook| hook.role() == Role::Rewrite && hook.spec().is_background());
    in_background
        .filter_map(|hook| {
            let guards = enforced().filter(|guard| guard.role() == Role::Guard && counts(guard));
            let guard = guards.into_iter().find(|guard| share_steps(guard, hook))?;
            let message = format!(
                "`{}` rewrites in the background at `{}`, after `{}` has decided: what it publishes is \
                 evaluated by no guard",
                hook.id(),
                hook.event,
                guard.id()
            );
            let help = "delete `background = true`, or look at what is published before it is used";
            let code = FindingCode::GuardBeforeRewrite;
            let finding =
                Finding::new(code, hook.spec(), "background", message, help.to_owned());
            Some(finding.at(hook.event))
        })
        .collect()
}
