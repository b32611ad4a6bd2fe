//! Conditions beside those of the engine: registered ones, and whole conditions inside of `any` and
//! `not`.
//!
//! ```toml
//! git_branch = "main"                              # a registered kind, under its own key
//! any = [{ tool = "Bash" }, { agent = "coder" }]   # one of these tables must hold
//! not = { cwd_glob = "/srv/**" }                   # this table must not hold
//! ```
//!
//! What is wrong inside of a table is reported where it stands. So the patterns in it are compiled here
//! already, and not only by the table of hooks, which knows the keys of a hook and no more.

use std::sync::Arc;

use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::{BuiltCondition, ConditionContext};

use super::super::locate::span_below;
use super::super::problem::ConfigProblem;
use super::super::reader::Reader;
use super::{NO_CONDITION, read_table};
use crate::matcher::{Conditions, DEEPEST, MatchError, MatchSpec, ToolPatterns, advice};

/// Reads the registered conditions and the tables of `any` and `not` into the conditions of a table
/// that is inside of so many others.
pub(super) fn read_combined(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &ConditionContext<'_>,
    depth: usize,
    into: &mut MatchSpec,
) {
    into.registered = read_registered(reader, settings, context, depth);
    let tables: Vec<&Node> = match settings.node("any") {
        None => Vec::new(),
        Some(Node { value: NodeValue::List(items), .. }) if !items.is_empty() => {
            items.iter().collect()
        }
        Some(_) => {
            settings.invalid("any", "must be a list of tables: any = [{ … }, { … }]");
            Vec::new()
        }
    };
    let inner = read_tables(reader, settings, "any", tables, context, depth);
    into.any.extend((!inner.is_empty()).then_some(inner));
    let table = settings.node("not");
    into.not = read_tables(reader, settings, "not", table.into_iter().collect(), context, depth);
}

/// Reads the registered conditions. Their keys are known to the settings then, whether they are there
/// or not, so that an unknown key is compared with them.
fn read_registered(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    context: &ConditionContext<'_>,
    depth: usize,
) -> Vec<BuiltCondition> {
    let mut conditions = Vec::new();
    for kind in reader.registry.conditions() {
        settings.node(kind.name());
        let entry = settings.entries().iter().find(|entry| entry.key == kind.name());
        // A kind of handler that was registered later has the key.
        let Some(entry) = entry.filter(|_| reader.registry.kind(kind.name()).is_none()) else {
            continue;
        };
        if depth > 0 && !kind.is_nestable() {
            let refused = "it belongs to the hook itself, and not inside of `any` or `not`";
            settings.invalid(kind.name(), refused);
            continue;
        }
        match kind.read(entry, context) {
            Ok(built) => {
                reader.conditions.push((entry.node.span.clone(), Arc::clone(built.condition())));
                conditions.push(built);
            }
            Err(errors) => settings.absorb(errors),
        }
    }
    conditions
}

/// Reads the tables under a key.
fn read_tables(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    key: &'static str,
    tables: Vec<&Node>,
    context: &ConditionContext<'_>,
    depth: usize,
) -> Vec<MatchSpec> {
    if depth >= DEEPEST && !tables.is_empty() {
        settings.invalid(key, MatchError::TooDeep(DEEPEST).to_string());
        return Vec::new();
    }
    let read = tables.into_iter().map(|node| {
        let mut inner = Settings::new(node);
        let spec = read_table(reader, &mut inner, context, depth + 1);
        if matches!(&node.value, NodeValue::Table(entries) if entries.is_empty()) {
            inner.invalid(key, NO_CONDITION);
        }
        let mut wrong = Vec::new();
        ToolPatterns::compile(&spec, &mut wrong);
        Conditions::compile(&spec, &mut wrong);
        // What is wrong in the tables of this one was reported there.
        for (key, error) in wrong.into_iter().filter(|(key, _)| !is_nesting(key)) {
            inner.invalid(key, error.to_string());
        }
        for (key, error) in spec.contradictions().into_iter().chain(spec.impossible_tools()) {
            inner.invalid(key, error.to_string());
        }
        for advice in advice(&spec) {
            let span = span_below(node, advice.key, &advice.about).unwrap_or_default();
            reader.warn(span, ConfigProblem::Condition(advice.text));
        }
        settings.absorb(inner.finish());
        spec
    });
    read.collect()
}

/// Returns whether whole conditions stand under a key.
pub(in crate::config) fn is_nesting(key: &str) -> bool {
    matches!(key, "any" | "not")
}
