//! Law: a file of which a hook was damaged decides nothing weaker than it did before.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::HashSet;
use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::{HandlerTable, Outcome, Registry};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::layers::{Rule, decide, registry, rule};

/// How many damaged files are tried.
const FILES: u32 = 1500;

/// What happens to the text of a hook.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// A line is added.
    Line(&'static str),
    /// A part of a line is replaced by another text.
    Part(&'static str, &'static str),
    /// The value of a line is replaced.
    Value(&'static str, &'static str),
}

const DAMAGES: [Damage; 19] = [
    Damage::Line("tol = \"Bash\""),
    Damage::Line("tool_regex = \"(\""),
    Damage::Line("input = { \"command\" = { regex = \"(\" } }"),
    Damage::Line("timeout = \"soon\""),
    Damage::Line("after = \"nobody\""),
    Damage::Line("after = 7"),
    Damage::Line("x = = 1"),
    Damage::Line("note = \"unterminated"),
    Damage::Line("note = '''"),
    Damage::Line("priority = 7"),
    Damage::Line("[hook.builtin"),
    Damage::Part("[[hook]]", "[[hook]"),
    Damage::Part("[[hook]]", ""),
    Damage::Part("[[hook]]", "[hook]"),
    Damage::Value("event", "\"pre_tol_use\""),
    Damage::Value("event", "[\"pre_tool_use\", \"stopp\"]"),
    Damage::Value("role", "\"gaurd\""),
    Damage::Value("builtin", "\"no-such\""),
    Damage::Value("id", "\"hook-0\""),
];

impl Damage {
    fn apply(self, text: &str) -> String {
        match self {
            Self::Line(line) => format!("{text}{line}\n"),
            Self::Part(part, other) => text.replacen(part, other, 1),
            Self::Value(key, value) => {
                let line = |line: &str| match line.split_once(" = ") {
                    Some((found, _)) if found == key => format!("{key} = {value}\n"),
                    _ => format!("{line}\n"),
                };
                text.lines().map(line).collect()
            }
        }
    }
}

type Load = fn(&Registry, before: &str, damaged: &str, after: &str) -> Option<HandlerTable>;

/// By the rule.
fn set_aside(
    registry: &Registry,
    before: &str,
    damaged: &str,
    after: &str,
) -> Option<HandlerTable> {
    let text = format!("{before}{damaged}{after}");
    let loader = Loader::new(registry).quarantine();
    Some(loader.parse("hooks.toml", &text, ".".as_ref()).ok()?.table)
}

/// Without the rule: the hook is left out.
fn left_out(registry: &Registry, before: &str, _: &str, after: &str) -> Option<HandlerTable> {
    let text = format!("{before}{after}");
    Some(Loader::new(registry).parse("hooks.toml", &text, ".".as_ref()).ok()?.table)
}

fn rules() -> impl Strategy<Value = Vec<Rule>> {
    proptest::collection::vec(rule(), 2..5).prop_map(|mut rules| {
        let mut seen = HashSet::new();
        rules.retain(|rule| seen.insert(rule.id.clone()));
        rules
    })
}

/// Tries damaged files. Returns how many were in force for all that, or the first of which a decision is
/// weaker.
fn compare(load: Load) -> Result<u32, String> {
    let registry = registry();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let in_force = std::cell::Cell::new(0);
    let config = Config { cases: FILES, failure_persistence: None, ..Config::default() };
    let damages = proptest::sample::select(&DAMAGES[..]);
    let files = (rules(), damages, any::<proptest::sample::Index>());
    let result = TestRunner::new(config).run(&files, |(rules, damage, which)| {
        let which = which.index(rules.len());
        let text = |rules: &[Rule]| rules.iter().map(Rule::text).collect::<String>();
        let (before, rest) = rules.split_at(which);
        let (hook, after) = rest.split_first().unwrap();
        let (before, after) = (text(before), text(after));
        let whole = format!("{before}{}{after}", hook.text());
        let Ok(whole) = Loader::new(&registry).parse("hooks.toml", &whole, ".".as_ref()) else {
            return Ok(());
        };
        let Some(damaged) = load(&registry, &before, &damage.apply(&hook.text()), &after) else {
            // Nothing of it is in force, and whoever wanted that is told.
            return Ok(());
        };
        in_force.set(in_force.get() + 1);
        let (whole, damaged) = (Arc::new(whole.table), Arc::new(damaged));
        for (tool, command) in [("Bash", "ls"), ("Bash", "rm"), ("Read", "ls")] {
            let was = runtime.block_on(decide(&whole, tool, command));
            let is = runtime.block_on(decide(&damaged, tool, command));
            prop_assert!(
                is.earlier >= was.earlier.min(Outcome::Deny),
                "{damage:?}: {was:?} became {is:?}"
            );
            // Of a call that was denied now, less need be marked: it does not happen.
            if is.earlier >= Outcome::Deny {
                continue;
            }
            // A halt that cannot be read counts as a deny, like every failed guard.
            prop_assert!(
                is.outcome >= was.outcome.min(Outcome::Deny),
                "{damage:?}: {tool} {command}: {was:?} became {is:?}"
            );
        }
        Ok(())
    });
    result.map(|()| in_force.get()).map_err(|error| error.to_string())
}

#[test]
fn a_damaged_hook_weakens_nothing() {
    let in_force = compare(set_aside).unwrap();
    assert!(in_force > FILES / 3, "only {in_force} of {FILES} files were in force");
}

/// Without the rule the law does not hold: the test can fail.
#[test]
fn without_the_rule_a_damaged_hook_weakens() {
    let found = compare(left_out).unwrap_err();
    assert!(found.contains("became"), "{found}");
}
