//! How long the hooks of an event can hold a step up.
//!
//! It is the sum of the deadlines along the critical path: groups of hooks come one after the other, and
//! guards of one group wait at the same time, at most `limits.concurrency` of them, and each for those that it
//! comes after. Once a rewriter has
//! changed the step, the hooks before it that may deny are called again (the final round). Observers that
//! are not in the background come last, one after the other. Handlers that answer at once count as
//! nothing. Hooks for different tools never meet in one step, so each tool that a hook names is looked at
//! by itself.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use super::finding::{Finding, FindingCode};
use super::milliseconds;
use crate::hook_id::HookId;
use crate::table::{HandlerTable, Listed};

/// How long the hooks of an event can hold a step up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Latency {
    /// The event.
    pub event: String,
    /// The tool of the step that takes longest; `None` if it does not matter, or if it is none of those
    /// that hooks name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The sum of the deadlines.
    #[serde(serialize_with = "milliseconds", rename = "worst_ms")]
    pub worst: Duration,
    /// How much of it is the final round.
    #[serde(serialize_with = "milliseconds", rename = "final_round_ms")]
    pub final_round: Duration,
    /// When the engine ends the dispatch, whatever its hooks do (`limits.dispatch_deadline`).
    #[serde(serialize_with = "milliseconds", rename = "ends_after_ms")]
    pub ends_after: Duration,
    /// The hooks that are waited for, in their order.
    pub hooks: Vec<HookId>,
}

/// Estimates all events whose hooks wait for anything.
pub(super) fn estimate(table: &HandlerTable, events: &[&[Listed<'_>]]) -> Vec<Latency> {
    let of_event = |hooks: &&[Listed<'_>]| {
        let named: BTreeSet<String> =
            hooks.iter().filter_map(|hook| hook.matcher().named_tools()).flatten().collect();
        let tools = named.into_iter().map(Some).chain([None]);
        let all = tools.map(|tool| of_tool(table, hooks, tool));
        // Of equal ones the last, so that no tool is named without need.
        all.max_by_key(|latency| latency.worst).filter(|latency| !latency.hooks.is_empty())
    };
    events.iter().filter_map(of_event).collect()
}

/// Estimates the steps with a tool; without one those of all tools that no hook names.
fn of_tool(table: &HandlerTable, hooks: &[Listed<'_>], tool: Option<String>) -> Latency {
    let is_meant = |hook: &&Listed<'_>| match &tool {
        Some(name) => hook.matcher().may_hold_for(name),
        None => hook.matcher().named_tools().is_none(),
    };
    let met: Vec<&Listed<'_>> = hooks.iter().filter(is_meant).collect();
    let deciders: Vec<_> = met.iter().copied().filter(|hook| !hook.compiled().watches()).collect();
    let concurrency = table.limits().concurrency.max(1);
    let first = rounds(&deciders, concurrency, |_| true);
    let last = deciders.iter().rposition(|hook| rewrites(hook));
    let again = deciders.get(..last.unwrap_or(0)).unwrap_or_default();
    let final_round = rounds(again, concurrency, |hook| !hook.compiled().once);
    let observers = met.iter().filter(|hook| hook.compiled().watches() && hook.compiled().waits());
    let observed: Duration = observers.map(|hook| hook.compiled().timeout).sum();
    let waited_for = met.iter().filter(|hook| hook.compiled().waits());
    Latency {
        event: hooks.first().map(|hook| hook.event.to_owned()).unwrap_or_default(),
        tool,
        worst: first + final_round + observed,
        final_round,
        ends_after: table.limits().dispatch_deadline,
        hooks: waited_for.map(|hook| hook.id().clone()).collect(),
    }
}

fn rewrites(hook: &Listed<'_>) -> bool {
    hook.role() == hookgate_contract::Role::Rewrite
}

/// Adds up the groups of some hooks. The members of a group that are called wait at the same time.
fn rounds(
    hooks: &[&Listed<'_>],
    concurrency: usize,
    is_called: impl Fn(&Listed<'_>) -> bool,
) -> Duration {
    let groups = hooks.chunk_by(|one, next| one.compiled().group == next.compiled().group);
    groups
        .map(|group| {
            let called = group.iter().filter(|hook| hook.compiled().waits() && is_called(hook));
            let called: Vec<&Listed<'_>> = called.copied().collect();
            let place = |id: &HookId| called.iter().position(|hook| hook.id() == id);
            let calls = called.iter().map(|hook| {
                let follows = hook.compiled().dependencies.follows.iter().filter_map(place);
                (hook.compiled().timeout, follows.collect())
            });
            at_the_same_time(calls, concurrency)
        })
        .sum()
}

/// Returns when the last of some calls ends, each with the places of those that it comes after: each begins, in order,
/// as soon as one of so many places is free and those before it are over.
fn at_the_same_time(
    calls: impl Iterator<Item = (Duration, Vec<usize>)>,
    places: usize,
) -> Duration {
    let mut running: Vec<Duration> = Vec::new();
    let mut ends: Vec<Duration> = Vec::new();
    for (timeout, follows) in calls {
        let mut start = Duration::ZERO;
        if running.len() >= places
            && let Some(first) = running.iter().enumerate().min_by_key(|(_, end)| **end)
        {
            let (index, _) = first;
            start = running.swap_remove(index);
        }
        let before = follows.into_iter().filter_map(|first| ends.get(first).copied());
        let end = before.fold(start, Duration::max) + timeout;
        running.push(end);
        ends.push(end);
    }
    ends.into_iter().max().unwrap_or_default()
}

/// Returns the events that take longer than an agent waits, or than a dispatch may.
pub(super) fn find(
    table: &HandlerTable,
    listed: &[Listed<'_>],
    latencies: &[Latency],
    longest: Duration,
) -> Vec<Finding> {
    let deadline = table.limits().dispatch_deadline;
    let slow = latencies.iter().filter(|latency| latency.worst > longest.min(deadline));
    slow.filter_map(|latency| {
        let of_path = |hook: &&Listed<'_>| latency.hooks.contains(hook.id());
        let slowest = listed
            .iter()
            .filter(|hook| hook.event == latency.event)
            .filter(of_path)
            .max_by_key(|hook| hook.compiled().timeout)?;
        let shown = |duration: Duration| format!("{} s", duration.as_secs_f64());
        let of_tool = latency.tool.as_ref().map(|tool| format!(" of `{tool}`"));
        let of_tool = of_tool.unwrap_or_default();
        let mut message = format!(
            "a step{of_tool} at `{}` can take {}: the sum of the deadlines of its hooks",
            latency.event,
            shown(latency.worst),
        );
        if latency.worst > longest {
            message.push_str(&format!(", more than the {} that an agent waits", shown(longest)));
        }
        if latency.worst > deadline {
            let text = format!(
                "; the dispatch ends after {} (`limits.dispatch_deadline`), and hooks that have not \
                 answered by then fail with class `timeout`",
                shown(deadline)
            );
            message.push_str(&text);
        }
        let mut help = format!(
            "shorten the `timeout` of `{}` ({}), the longest of them",
            slowest.id(),
            shown(slowest.compiled().timeout)
        );
        if !latency.final_round.is_zero() {
            let again = shown(latency.final_round);
            help.push_str(&format!(
                ", or let the rewriters come first: the hooks before them are called again, for {again}"
            ));
        }
        let code = FindingCode::SlowEvent;
        Some(Finding::new(code, slowest.spec(), "timeout", message, help).at(&latency.event))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_find_no_place_wait_for_one() {
        let end = |calls: &[u64], places| {
            let calls = calls.iter().map(|seconds| (Duration::from_secs(*seconds), Vec::new()));
            at_the_same_time(calls, places).as_secs()
        };
        assert_eq!(end(&[], 2), 0);
        assert_eq!(end(&[3, 5], 2), 5);
        assert_eq!(end(&[3, 5, 4], 2), 7);
        assert_eq!(end(&[3, 5, 4], 1), 12);
    }
}
