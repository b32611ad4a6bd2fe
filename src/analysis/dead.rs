//! Patterns and conditions that fit no step, as far as one can be made up for them, and what depends on hooks
//! that are not there.

use std::collections::HashSet;

use super::finding::{Finding, FindingCode};
use crate::matcher::{self, MatchSpec};
use crate::table::{HookSpec, Listed};

pub(super) fn find(listed: &[Listed<'_>]) -> Vec<Finding> {
    let mut seen = HashSet::new();
    // The same at several events is said once.
    let hooks = listed.iter().filter(|hook| seen.insert(hook.id()));
    hooks.flat_map(|hook| find_in(hook.spec())).collect()
}

fn find_in(spec: &HookSpec) -> Vec<Finding> {
    let conditions = spec.matcher();
    let mut out: Vec<Finding> = Vec::new();
    let mut add = |key: &str, why: &str| out.push(dead(spec, key, why));
    matcher::doubts(conditions).iter().for_each(|advice| add(advice.key, &advice.text));
    for built in &conditions.registered {
        built.condition().doubts().iter().for_each(|why| add(built.key(), why));
    }
    let inside = |tables: &[MatchSpec]| -> Vec<String> {
        let all = tables.iter().flat_map(MatchSpec::all_registered);
        all.flat_map(|(built, _)| built.condition().doubts()).collect()
    };
    conditions.any.iter().flat_map(|tables| inside(tables)).for_each(|why| add("any", &why));
    inside(&conditions.not).iter().for_each(|why| add("not", why));
    spec.built().doubts.ask().iter().for_each(|why| add(spec.kind(), why));
    if asks_safety(conditions) {
        let message = format!(
            "`{}`: coding agents do not say how safe a tool is: at their steps `safety` cannot be told, so \
             that the hook is called about every tool that its other conditions let in",
            spec.id()
        );
        let help =
            "name the tools, or what they do (`runs`, `writes`, `deletes`); a program that embeds \
                    hookgate can classify its tools"
                .to_owned();
        let key = if conditions.safety.is_empty() { "any" } else { "safety" };
        out.push(Finding::new(FindingCode::DeadPattern, spec, key, message, help).note());
    }
    out
}

/// Returns whether conditions depend on how safe a tool is.
fn asks_safety(matcher: &MatchSpec) -> bool {
    !matcher.safety.is_empty() || matcher.tables().any(asks_safety)
}

fn dead(spec: &HookSpec, key: &str, why: &str) -> Finding {
    let message = format!("`{}`: {why}", spec.id());
    let help =
        "correct it, or take it out; a guard that is never called protects nothing".to_owned();
    Finding::new(FindingCode::DeadPattern, spec, key, message, help)
}
