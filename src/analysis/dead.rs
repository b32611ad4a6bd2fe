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
    let hooks: Vec<&HookSpec> = hooks.map(Listed::spec).collect();
    let own = hooks.iter().flat_map(|spec| own_marks(spec, &hooks));
    hooks.iter().flat_map(|spec| find_in(spec)).chain(own).collect()
}

/// Tells of a mark that a hook needs to be called, and that no other hook sets.
fn own_marks(spec: &HookSpec, hooks: &[&HookSpec]) -> Vec<Finding> {
    fn sets(spec: &HookSpec, mark: &str) -> bool {
        spec.matcher().registered.iter().any(|built| built.condition().sets_mark() == Some(mark))
    }
    let needed = spec.matcher().registered.iter().flat_map(|built| built.condition().needs_marks());
    let others =
        |mark: &&str| hooks.iter().any(|other| other.id() != spec.id() && sets(other, mark));
    let own = needed.filter(|mark| sets(spec, mark) && !others(mark));
    let told = |mark: &str| {
        let why = format!(
            "only this hook sets the mark `{mark}`, and it is called only when that is set"
        );
        dead(spec, "marked", &why)
    };
    own.map(told).collect()
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
    if let (Some(pointer), Some(tools)) = (&spec.built().input, conditions.named_tools())
        && let Some(why) = matcher::input_doubt(pointer, &tools)
    {
        add(spec.kind(), &format!("it looks at `{pointer}` only: {why}"));
    }
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
