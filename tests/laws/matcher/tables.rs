//! Promise: a whole table invokes exactly the hooks that match.

use hookgate::HandlerTable;
use hookgate::contract::payload::ToolCall;
use hookgate::matcher::MatchSpec;
use proptest::prelude::*;
use regex::Regex;
use serde_json::json;

use super::naive_glob::{naive_glob, naive_names};
use super::support::{self, Log};
use super::{
    engine, glob, invoked, name, regex_source, run, runtime, tool_patterns, tools, watched,
};

/// The conditions of a hook on the tool: lists of names, globs and regexes.
#[derive(Debug, Clone)]
struct Patterns {
    tool: Vec<String>,
    glob: Vec<String>,
    regex: Vec<String>,
    search: bool,
}

impl Patterns {
    fn matcher(&self) -> MatchSpec {
        tools(|m| {
            m.tool.clone_from(&self.tool);
            m.tool_glob.clone_from(&self.glob);
            m.tool_regex.clone_from(&self.regex);
            m.regex_search = self.search;
        })
    }

    fn regexes(&self) -> Vec<Regex> {
        let whole = |source: &String| {
            if self.search { format!("(?s){source}") } else { format!("(?s)^(?:{source})$") }
        };
        self.regex.iter().map(|source| Regex::new(&whole(source)).unwrap()).collect()
    }

    /// One entry of each list that is not empty.
    fn holds(&self, regexes: &[Regex], name: &str) -> bool {
        naive_names(&self.tool, name)
            && (self.glob.is_empty() || self.glob.iter().any(|glob| naive_glob(glob, name)))
            && (regexes.is_empty() || regexes.iter().any(|regex| regex.is_match(name)))
    }
}

/// Whether a table takes the patterns.
fn usable(patterns: &Vec<String>) -> bool {
    let matcher = tools(|m| m.tool.clone_from(patterns));
    let hook = watched("h".into(), matcher, &Log::default());
    HandlerTable::builder().insert(hook).build().is_ok()
}

fn patterns() -> impl Strategy<Value = Patterns> {
    let good =
        |source: &String| !source.is_empty() && Regex::new(&format!("(?s)^(?:{source})$")).is_ok();
    (
        prop_oneof![1 => Just(Vec::new()), 1 => tool_patterns().prop_filter("it can be meant", usable)],
        prop_oneof![3 => Just(Vec::new()), 2 => prop::collection::vec(glob(), 1..3)],
        prop_oneof![
            3 => Just(Vec::new()),
            1 => prop::collection::vec(regex_source().prop_filter("compiles", good), 1..3),
        ],
        any::<bool>(),
    )
        .prop_map(|(tool, glob, regex, search)| Patterns { tool, glob, regex, search })
}

#[test]
fn a_table_invokes_exactly_the_hooks_that_match() {
    let table = prop::collection::vec(patterns(), 0..50);
    let names = prop::collection::vec(name(), 1..12);
    let met = std::cell::Cell::new(0);
    run(40, &(table, names), |(table, names)| {
        let log = Log::default();
        let matchers: Vec<_> = table.iter().map(Patterns::matcher).collect();
        let regexes: Vec<_> = table.iter().map(Patterns::regexes).collect();
        let (engine, runtime) = (engine(&matchers, &log), runtime());
        // The first time is matched, the others are remembered.
        for name in names.iter().chain(&names).chain(names.iter().rev()) {
            let expected: Vec<_> =
                (0..table.len()).filter(|&i| table[i].holds(&regexes[i], name)).collect();
            met.set(met.get() + expected.len());
            let call = ToolCall::new(name.clone(), json!({}));
            let got = invoked(&runtime, &engine, &log, call, &support::context());
            prop_assert_eq!(got, expected, "{:?}", name);
        }
        Ok(())
    });
    assert!(met.get() > 1000, "only {} matches", met.get());
}

/// More names than a bucket remembers.
#[test]
fn a_full_memo_changes_nothing() {
    let log = Log::default();
    let globs = ["t*1", "t*2", "*7", "t?"];
    let matchers = globs.map(|glob| tools(|m| m.tool_glob.push(glob.into())));
    let (engine, runtime) = (engine(&matchers, &log), runtime());
    for _ in 0..2 {
        for number in 0..1500 {
            let name = format!("t{number}");
            let expected: Vec<_> = (0..4).filter(|&i| naive_glob(globs[i], &name)).collect();
            let call = ToolCall::new(name.clone(), json!({}));
            let got = invoked(&runtime, &engine, &log, call, &support::context());
            assert_eq!(got, expected, "{name}");
        }
    }
}
