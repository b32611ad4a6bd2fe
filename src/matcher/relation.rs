//! How the conditions of two hooks, or of a hook and a table in it, are related: whether one of them
//! holds wherever the other one does, and whether both can hold for one step.
//!
//! Both are answered from the text of the conditions alone. "Yes" is certain for [`MatchSpec::covers`]
//! and for [`MatchSpec::impossible`]; where it cannot be told, the answer is "no".

use std::collections::BTreeMap;

use serde_json::Value;

use super::contradiction::contradiction;
use super::impossible_tools::included;
use super::name::Pattern;
use super::pointer::{Token, is_wild, tokens};
use super::pointer_condition::PointerCondition;
use super::spec::{InputSpec, MatchSpec};
use super::truth::Truth;

/// Where the arguments of a tool are in the payload.
const TOOL_INPUT: &str = "/tool_input";

/// Where the name of a tool is in the payload.
const TOOL_NAME: &str = "/tool_name";

impl MatchSpec {
    /// Returns whether these conditions hold for every step for which others do: each of them is among
    /// the others, or is wider.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let same = |a: &InputSpec, b: &InputSpec| {
            a.pointer == b.pointer && a.tests.iter().all(|test| b.tests.contains(test))
        };
        let inputs = |ours: &[InputSpec], theirs: &[InputSpec]| {
            ours.iter().all(|a| theirs.iter().any(|b| same(a, b)))
        };
        // How often a condition was met before is counted for each hook by itself.
        let registered = self.registered.iter().all(|ours| {
            !ours.condition().comes_last() && other.registered.iter().any(|theirs| ours == theirs)
        });
        let within = |wide: &[String], narrow: &[String]| wide.is_empty() || wide == narrow;
        let safety = self.safety.is_empty()
            || (!other.safety.is_empty() && other.safety.iter().all(|s| self.safety.contains(s)));
        self.covers_tools(other)
            && safety
            && within(&self.agent, &other.agent)
            && (self.subagent.is_none() || self.subagent == other.subagent)
            && within(&self.cwd_glob, &other.cwd_glob)
            && inputs(&self.input, &other.input)
            && inputs(&self.payload, &other.payload)
            && registered
            && self.any.iter().all(|tables| other.meets_one_of(tables))
            && self.not.iter().all(|table| other.not.contains(table))
    }

    /// Returns whether one of some tables holds wherever these conditions do.
    fn meets_one_of(&self, tables: &Vec<Self>) -> bool {
        self.any.contains(tables) || tables.iter().any(|table| table.covers(self))
    }

    fn covers_tools(&self, other: &Self) -> bool {
        let patterns = |spec: &Self| {
            (spec.tool.clone(), spec.tool_glob.clone(), spec.tool_regex.clone(), spec.regex_search)
        };
        let none = self.tool.is_empty() && self.tool_glob.is_empty() && self.tool_regex.is_empty();
        let is_any = |text: &String| text == "*";
        let all = self.tool_glob.is_empty()
            && self.tool_regex.is_empty()
            && !other.tool.is_empty()
            && self.tool.iter().all(is_any);
        none || all
            || patterns(self) == patterns(other)
            || other
                .own_tools()
                .is_some_and(|names| names.iter().all(|name| self.admits_tool(name)))
    }

    /// Returns the names of the tools that the patterns of these conditions admit, if they are plain
    /// names.
    fn own_tools(&self) -> Option<Vec<String>> {
        let patterns = included(self);
        let plain =
            !patterns.is_empty() && patterns.iter().all(|found| found.globs().next().is_none());
        plain.then(|| {
            let names = patterns.iter().flat_map(Pattern::exact);
            names.filter(|name| self.admits_tool(name)).map(str::to_owned).collect()
        })
    }

    /// Returns the names of the only tools that these conditions can hold for; `None` if they can hold
    /// for others than those that are named.
    pub(crate) fn named_tools(&self) -> Option<Vec<String>> {
        let of_tables = |tables: &Vec<Self>| {
            let all: Option<Vec<_>> = tables.iter().map(Self::named_tools).collect();
            all.map(|all| all.concat()).filter(|all| !all.is_empty())
        };
        let named = self.own_tools().or_else(|| self.any.iter().find_map(of_tables))?;
        Some(named.into_iter().filter(|name| self.may_hold_for(name)).collect())
    }

    /// Returns whether these conditions can hold for a call of a tool, as far as its name tells.
    ///
    /// ```
    /// use hookgate::matcher::MatchSpec;
    ///
    /// let shells = MatchSpec::new().tool("Bash|Shell");
    /// assert!(shells.may_hold_for("Bash") && !shells.may_hold_for("Read"));
    /// ```
    #[must_use]
    pub fn may_hold_for(&self, tool: &str) -> bool {
        let is_excluded = |table: &Self| {
            let only_tools = Self {
                tool: table.tool.clone(),
                tool_glob: table.tool_glob.clone(),
                tool_regex: table.tool_regex.clone(),
                regex_search: table.regex_search,
                ..Self::default()
            };
            *table == only_tools && table.admits_tool(tool)
        };
        self.admits_tool(tool)
            && self.any.iter().all(|tables| tables.iter().any(|table| table.may_hold_for(tool)))
            && !self.not.iter().any(is_excluded)
    }

    /// Returns whether these conditions and others can hold for the call of one tool, as far as the name
    /// tells. It is certain only if the answer is "no".
    pub(crate) fn may_share_a_tool(&self, other: &Self) -> bool {
        let both = |name: &String| self.may_hold_for(name) && other.may_hold_for(name);
        match self.named_tools().or_else(|| other.named_tools()) {
            Some(names) => names.iter().any(both),
            None => true,
        }
    }

    /// Returns why no step meets all of some conditions, if that is certain. `tool` says whether the step
    /// is about a tool, so that `input` is a part of the payload.
    pub(crate) fn impossible(parts: &[&Self], tool: bool) -> Option<String> {
        let admitted = |name: &String| parts.iter().all(|part| part.may_hold_for(name));
        let mut named = parts.iter().filter_map(|part| part.named_tools());
        if let Some(names) = named.find(|names| !names.iter().any(admitted)) {
            let names = names.join("`, `");
            return Some(match names.as_str() {
                "" => "no tool is left by `tool` and `not`".to_owned(),
                names => format!("the other conditions exclude the tool `{names}`"),
            });
        }
        if let Some(why) = never_of_tools(parts, &admitted) {
            return Some(why);
        }
        let mut safety = parts.iter().map(|part| &part.safety).filter(|all| !all.is_empty());
        if let Some(first) = safety.next()
            && safety.any(|other| !other.iter().any(|s| first.contains(s)))
        {
            return Some("`safety` cannot be both".to_owned());
        }
        let subagent = |wanted| parts.iter().any(|part| part.subagent == Some(wanted));
        if subagent(true) && subagent(false) {
            return Some("`subagent` cannot be both".to_owned());
        }
        let pointers = joined_pointers(parts, tool);
        let clash = pointers.values().find_map(|spec| Some((spec, contradiction(spec)?)));
        if let Some((spec, why)) = clash {
            return Some(format!("no value meets all tests of `{}`: {why}", spec.pointer));
        }
        let name = pointers.get(TOOL_NAME).filter(|_| tool)?;
        let condition = PointerCondition::compile(&InputSpec {
            pointer: String::new(),
            tests: name.tests.clone(),
        });
        let condition = condition.ok()?;
        let fails = |name: &String| condition.holds(&Value::from(name.as_str())) == Truth::False;
        let named = parts.iter().find_map(|part| part.named_tools())?;
        let none = named.iter().all(fails);
        none.then(|| format!("`{TOOL_NAME}` is tested for another name than that of the tool"))
    }
}

/// Returns why none of the tools that the parts name meets one of their conditions.
fn never_of_tools(parts: &[&MatchSpec], admitted: &dyn Fn(&String) -> bool) -> Option<String> {
    let mut names = parts.iter().find_map(|part| part.named_tools())?;
    names.retain(admitted);
    let all = parts.iter().flat_map(|part| &part.registered);
    all.filter(|_| !names.is_empty()).find_map(|built| {
        let never = |name: &String| built.condition().never_of_tool(name);
        let why: Vec<String> = names.iter().map(never).collect::<Option<_>>()?;
        Some(format!("`{}` never holds: {}", built.key(), why.first()?))
    })
}

/// Returns the tests of each value of the payload, from all of some conditions that must hold together.
/// A pointer that may lead to several values is left out: each test may be met by another of them.
fn joined_pointers(parts: &[&MatchSpec], tool: bool) -> BTreeMap<String, InputSpec> {
    let mut joined: BTreeMap<String, InputSpec> = BTreeMap::new();
    let mut add = |pointer: String, spec: &InputSpec| {
        let plain: Result<Vec<Token>, _> = tokens(&pointer);
        if plain.is_ok_and(|tokens| !is_wild(&tokens)) {
            let all = joined.entry(pointer.clone()).or_insert_with(|| InputSpec::new(pointer));
            all.tests.extend(spec.tests.iter().cloned());
        }
    };
    for part in parts {
        for spec in &part.input {
            let below = if tool { TOOL_INPUT } else { "" };
            add(format!("{below}{}", spec.pointer), spec);
        }
        for spec in &part.payload {
            add(spec.pointer.clone(), spec);
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::Test;

    fn tool(pattern: &str) -> MatchSpec {
        MatchSpec::new().tool(pattern)
    }

    #[test]
    fn wider_conditions_cover_narrower_ones() {
        let rm = || tool("Bash").input("/command", Test::regex("rm"));
        for (wide, narrow) in [
            (MatchSpec::new(), rm()),
            (tool("Bash"), rm()),
            (tool("Bash|Edit"), rm()),
            (tool("*"), tool("mcp__*")),
            (tool("!Read"), tool("Bash|Edit")),
            (MatchSpec::new().any([tool("Bash"), tool("Edit")]), tool("Edit")),
            (rm(), rm().input("/timeout", Test::exists())),
        ] {
            assert!(wide.covers(&narrow), "{wide} / {narrow}");
            assert!(!narrow.covers(&wide), "{narrow} / {wide}");
        }
        assert!(!tool("Bash").covers(&tool("Edit")));
        assert!(!tool("B*").covers(&tool("Ba*")), "it is not told of globs");
    }

    #[test]
    fn conditions_that_exclude_each_other_are_told_and_no_others() {
        let command = |test: Test| MatchSpec::new().input("/command", test);
        let payload = |test: Test| MatchSpec::new().payload("/tool_input/command", test);
        for (a, b) in [
            (tool("Bash"), tool("Edit|Write")),
            (tool("Bash"), MatchSpec::new().except(tool("Bash"))),
            (command(Test::equals("a")), payload(Test::equals("b"))),
            (MatchSpec::new().subagent(true), MatchSpec::new().subagent(false)),
            (tool("Bash"), MatchSpec::new().payload("/tool_name", Test::equals("Edit"))),
        ] {
            assert!(MatchSpec::impossible(&[&a, &b], true).is_some(), "{a} / {b}");
        }
        for (a, b) in [
            (tool("Bash|Edit"), tool("Edit|Write")),
            (tool("mcp__*"), tool("!mcp__fs__*")),
            (command(Test::regex("a")), payload(Test::regex("b"))),
            (command(Test::equals("a")), MatchSpec::new().payload("/command", Test::equals("b"))),
            (
                MatchSpec::new().input("/*", Test::equals("a")),
                MatchSpec::new().input("/*", Test::equals("b")),
            ),
        ] {
            assert_eq!(MatchSpec::impossible(&[&a, &b], true), None, "{a} / {b}");
        }
    }
}
