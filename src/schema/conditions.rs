//! The conditions of a hook in hooks.toml, and the tests of one value.

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use std::collections::BTreeMap;

use hookgate_contract::payload::Safety;
use schemars::JsonSchema;
use serde_json::Value;

use super::lists::{OneOrMore, TextsOrFile, ValuesOrFile};
use super::texts::{GlobPattern, NamePattern, Pattern, RegexPattern};

/// Conditions that hold or fail as a whole.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Conditions {
    /// Tools, as in the hook.
    tool: Option<OneOrMore<NamePattern>>,
    /// Globs for the whole name of the tool.
    tool_glob: Option<OneOrMore<GlobPattern>>,
    /// Regular expressions for the whole name of the tool.
    tool_regex: Option<OneOrMore<RegexPattern>>,
    /// Lets `tool_regex` match a part of the name.
    regex_search: Option<bool>,
    /// What the tool can do to the world.
    safety: Option<OneOrMore<Safety>>,
    /// Ids or types of agents.
    agent: Option<OneOrMore<NamePattern>>,
    /// Whether the agent must be a sub-agent, or must not be one.
    subagent: Option<bool>,
    /// Globs for the whole path of the folder in which a command works, or the session.
    cwd_glob: Option<OneOrMore<GlobPattern>>,
    /// Conditions on JSON pointers into the tool's input.
    input: Option<BTreeMap<String, Tests>>,
    /// Conditions on JSON pointers into the payload.
    payload: Option<BTreeMap<String, Tests>>,
    /// Tables of conditions, of which one must hold as a whole.
    any: Option<Vec<Conditions>>,
    /// A table of conditions that must not hold as a whole.
    not: Option<Box<Conditions>>,
}

/// Tests of one value; all must hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Tests {
    #[schemars(flatten)]
    tests: PlainTests,
    /// Tests that must not hold.
    not: Option<Box<PlainTests>>,
}

/// Tests of one value, without a `not`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlainTests {
    /// There is a value, or there is none.
    exists: Option<bool>,
    /// The value is equal to this one; numbers compare by value.
    equals: Option<Value>,
    /// The value is equal to one of these, or to one of the lines of a file: `{ file = "names.txt" }`.
    one_of: Option<ValuesOrFile>,
    /// The value is a string that this glob matches as a whole; of several one is enough.
    glob: Option<TextsOrFile<GlobPattern>>,
    /// The value is a string in which this regular expression matches. `^` and `$` mean the ends
    /// of the text; `(?m)` makes them those of a line.
    regex: Option<RegexPattern>,
    /// The value is a string that contains this text, or one of these, or one of the lines of a file: `{ file = "names.txt" }`.
    contains: Option<TextsOrFile<Pattern>>,
    /// The value is a string that begins with this text, or one of these.
    starts_with: Option<TextsOrFile<Pattern>>,
    /// The value is a string that ends with this text, or one of these.
    ends_with: Option<TextsOrFile<Pattern>>,
    /// The value is a number greater than this one.
    gt: Option<f64>,
    /// The value is a number greater than or equal to this one.
    ge: Option<f64>,
    /// The value is a number less than this one.
    lt: Option<f64>,
    /// The value is a number less than or equal to this one.
    le: Option<f64>,
    /// The number of characters of a string, of entries of an array or a table.
    len: Option<Length>,
    /// Upper and lower case are the same in these tests of texts.
    ignore_case: Option<bool>,
}

/// A length, or bounds of it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Length {
    Exact(u64),
    Bounds(LengthBounds),
}

/// Bounds of a length.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LengthBounds {
    /// More than this.
    gt: Option<u64>,
    /// This or more.
    ge: Option<u64>,
    /// Less than this.
    lt: Option<u64>,
    /// This or less.
    le: Option<u64>,
}
