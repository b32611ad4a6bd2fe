//! Which steps a hook is asked about.
//!
//! Patterns on the tool's name are joined into one set per event and remembered per name (see
//! [`crate::table`]). The other conditions are evaluated for the hooks that this leaves.

mod condition;
mod glob;
mod tool;

use hookgate_contract::payload::Safety;
use serde_json::Value;

pub(crate) use condition::{Conditions, Truth};
pub use glob::GlobError;
pub(crate) use tool::{ToolPatterns, ToolSet};

/// The conditions of a hook, as they are written. All that are given must hold; of a list, one
/// entry is enough.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct MatchSpec {
    /// Names of tools.
    pub tool: Vec<String>,
    /// Globs for the whole name of the tool.
    pub tool_glob: Vec<String>,
    /// Regular expressions for the whole name of the tool.
    pub tool_regex: Vec<String>,
    /// Lets `tool_regex` match a part of the name.
    pub regex_search: bool,
    /// What the tool can do to the world.
    pub safety: Vec<Safety>,
    /// Ids or types of agents.
    pub agent: Vec<String>,
    /// Globs for the whole path of the session's folder.
    pub cwd_glob: Vec<String>,
    /// Conditions on the tool's input; on the payload at events without a tool.
    pub input: Vec<InputSpec>,
    /// Conditions on the payload at any event.
    pub payload: Vec<InputSpec>,
}

impl MatchSpec {
    /// Whether the hook can only mean tools.
    #[must_use]
    pub const fn names_tools(&self) -> bool {
        !(self.tool.is_empty()
            && self.tool_glob.is_empty()
            && self.tool_regex.is_empty()
            && self.safety.is_empty())
    }
}

/// A condition on one JSON pointer. All tests must hold.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSpec {
    /// The pointer (RFC 6901).
    pub pointer: String,
    /// The tests.
    pub tests: Vec<InputTest>,
}

/// A test of the value at a pointer.
#[derive(Debug, Clone, PartialEq)]
pub struct InputTest {
    /// What is tested.
    pub test: Test,
    /// Whether the test must fail instead.
    pub negated: bool,
}

/// What can be tested.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// There is a value, or there is none.
    Exists(bool),
    /// The value is equal to this one.
    Equals(Value),
    /// The value is equal to one of these.
    OneOf(Vec<Value>),
    /// The value is a string that this glob matches as a whole.
    Glob(String),
    /// The value is a string in which this regular expression matches somewhere.
    Regex(String),
}

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// The glob cannot be read.
    #[error("the glob `{glob}` cannot be read: {error}")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        error: GlobError,
    },
    /// The regular expression cannot be read, or is too large.
    #[error("the regular expression `{regex}` cannot be used: {problem}")]
    Regex {
        /// The expression.
        regex: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The JSON pointer does not begin with a slash, or has a bad escape.
    #[error(
        "`{0}` is no JSON pointer: it must be empty or begin with `/`; `~` is written `~0`, `/` inside a key `~1`"
    )]
    Pointer(String),
}

/// The largest program that one pattern may compile to, in bytes. A pattern of a config that
/// needs more is a mistake, or an attack on the one who loads it.
const PATTERN_LIMIT: usize = 1 << 20;

fn regex(source: &str, shown: &str) -> Result<regex::Regex, MatchError> {
    regex::RegexBuilder::new(source)
        .dot_matches_new_line(true)
        .size_limit(PATTERN_LIMIT)
        .build()
        .map_err(|error| MatchError::Regex { regex: shown.to_owned(), problem: problem(&error) })
}

/// The part of an error of the regex crate that says what is wrong; the rest draws the pattern.
fn problem(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or(&text);
    last.trim_start_matches("error: ").to_owned()
}

fn glob(pattern: &str) -> Result<String, MatchError> {
    glob::to_regex(pattern).map_err(|error| MatchError::Glob { glob: pattern.to_owned(), error })
}

/// A regular expression for the whole of a text.
fn whole(source: &str) -> String {
    format!(r"\A(?:{source})\z")
}
