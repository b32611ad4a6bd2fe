//! Conditions that no step meets.
//!
//! A contradiction within one table is refused when the table is built. Here are those between parts of a
//! hook: what `not` excludes, the tables of `any`, `input` and `payload`, and the condition that the name
//! of an event brings with it.

use std::collections::HashSet;

use super::excluded;
use super::finding::{Finding, FindingCode};
use crate::matcher::MatchSpec;
use crate::table::{HookSpec, Listed};

pub(super) fn find(listed: &[Listed<'_>]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    let mut out = Vec::new();
    for hook in listed {
        let found = find_in(hook);
        // The same at several events is said once.
        let new = found
            .into_iter()
            .filter(|finding| seen.insert((hook.id().clone(), finding.message.clone())));
        out.extend(new);
    }
    out
}

fn find_in(hook: &Listed<'_>) -> Vec<Finding> {
    let (spec, matcher, tool) = (hook.spec(), hook.matcher(), hook.contract.tool);
    let mut out = Vec::new();
    let without_any = MatchSpec { any: Vec::new(), ..matcher.clone() };
    let without_not = MatchSpec { not: Vec::new(), ..matcher.clone() };
    for table in matcher.not.iter().filter(|table| table.covers(&without_not)) {
        let why =
            format!("`not = {{ {table} }}` excludes every step that its other conditions let in");
        out.push(never(spec, "not", &why));
    }
    if let Some(why) = MatchSpec::impossible(&[&without_any], tool).filter(|_| out.is_empty()) {
        let key = if matcher.payload.is_empty() { "tool" } else { "payload" };
        out.push(never(spec, key, &why));
    }
    out.extend(excluded::find(hook).filter(|_| out.is_empty()));
    // What is never called by itself is not looked at further.
    let tables = if out.is_empty() { matcher.any.as_slice() } else { &[] };
    for tables in tables {
        let why: Vec<Option<String>> = tables
            .iter()
            .map(|table| MatchSpec::impossible(&[&without_any, table], tool))
            .collect();
        if why.iter().all(Option::is_some) {
            let first = why.into_iter().flatten().next().unwrap_or_default();
            out.push(never(spec, "any", &format!("no table of `any` can hold: {first}")));
            break;
        }
        let dead = tables.iter().zip(why).filter_map(|(table, why)| Some((table, why?)));
        out.extend(dead.map(|(table, why)| {
            let message =
                format!("`{}`: the table `{{ {table} }}` of `any` never holds: {why}", spec.id());
            let help = "delete the table, or correct what contradicts it".to_owned();
            Finding::new(FindingCode::UnreachableConditions, spec, "any", message, help)
        }));
    }
    let selector = spec.events().iter().find(|selector| selector.name() == hook.event);
    if let Some(only) = selector.and_then(|selector| selector.only()) {
        let only = MatchSpec::new().payload_spec(only.clone());
        if let Some(why) = MatchSpec::impossible(&[&without_any, &only], tool) {
            let why = format!("the name of the event means only steps with {only}, and {why}");
            out.push(never(spec, "event", &why).at(hook.event));
        }
    }
    out
}

fn never(spec: &HookSpec, key: &str, why: &str) -> Finding {
    let message = format!("`{}` is never called: {why}", spec.id());
    let help = "correct the conditions; a guard that is never called protects nothing".to_owned();
    Finding::new(FindingCode::UnreachableConditions, spec, key, message, help)
}
