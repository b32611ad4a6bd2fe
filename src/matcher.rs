//! Which steps a hook is asked about.
//!
//! Patterns on the tool's name are joined into one set per event and remembered per name (see
//! [`crate::table`]). The other conditions are evaluated for the hooks that this leaves. A condition
//! holds, does not hold, or cannot be told; where it cannot be told the hook is asked.

mod advice;
mod agent;
mod condition;
mod equality;
mod field;
mod folder;
mod glob;
mod name;
mod pointer;
mod tool;
mod truth;

use hookgate_contract::payload::Safety;
use serde_json::Value;

pub(crate) use advice::advice;
pub(crate) use condition::Conditions;
pub use glob::GlobError;
pub use name::NameError;
pub(crate) use tool::{ToolPatterns, ToolSet};
pub(crate) use truth::Truth;
use truth::{all, any};

/// The conditions of a hook, as they are written. All that are given must hold; of a list, one
/// entry is enough.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct MatchSpec {
    /// Names of tools, each a name, a glob (`mcp__*`, `?`, `[a-z]`, `{a,b}`), alternatives
    /// (`Edit|Write`), `*` for all, or one of these after `!` for all but that. Of a list one entry
    /// must take the name in, and none may leave it out; a list of nothing but `!` means all but
    /// these.
    pub tool: Vec<String>,
    /// Globs for the whole name of the tool, in which `\\` makes the next character literal.
    pub tool_glob: Vec<String>,
    /// Regular expressions for the whole name of the tool.
    pub tool_regex: Vec<String>,
    /// Lets `tool_regex` match a part of the name.
    pub regex_search: bool,
    /// What the tool can do to the world. Of a tool that nobody has classified it cannot be told.
    pub safety: Vec<Safety>,
    /// Ids or types of agents, written as `tool` is. Of a step whose host gave no type of its agent
    /// it cannot be told, unless the id is named; that goes for a main agent too, so give that one
    /// a type as well.
    pub agent: Vec<String>,
    /// Globs for the whole path of the session's folder. `.`, `..`, `//` and a slash at the end are
    /// taken out of the path first. Of a folder that is not known or relative it cannot be told.
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

/// A condition on one JSON pointer. All tests must hold, of one and the same value where the pointer
/// leads to several.
#[derive(Debug, Clone, PartialEq)]
pub struct InputSpec {
    /// The pointer (RFC 6901). Beside keys, `*` means any element of an array or value of an object,
    /// and `**` at the end any string there or below.
    ///
    /// An object without the key and an array without the element have no value: every test but
    /// `exists` is false. Whatever else stands where an object or array was expected, such as JSON
    /// in a string, cannot be told.
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

/// What can be tested. Of a value of another type it cannot be told.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Test {
    /// There is a value, or there is none.
    Exists(bool),
    /// The value is equal to this one. Numbers compare by value: 22 is 22.0.
    Equals(Value),
    /// The value is equal to one of these.
    OneOf(Vec<Value>),
    /// The value is a string that this glob matches as a whole.
    Glob(String),
    /// The value is a string in which this regular expression matches somewhere. `.` matches every
    /// character, newlines included. `^` and `$` mean the very beginning and end: `push$` does not
    /// match `push` before a newline at the end, as it does elsewhere. Under `(?m)` they mean those
    /// of each line: `(?m)push$`.
    Regex(String),
}

/// What is wrong with a condition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A pattern for names cannot be meant as it is written.
    #[error("`{key}` cannot be `{pattern}`: {error}")]
    Name {
        /// The key of hooks.toml.
        key: &'static str,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        error: NameError,
    },
    /// The patterns for tools contradict each other.
    #[error("no tool is left: every name that `tool` takes in is left out by a `!` in it")]
    NoTool,
    /// The glob cannot be read.
    #[error("the glob `{glob}` cannot be read: {error}")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        error: GlobError,
    },
    /// The glob for folders matches no path.
    #[error("the glob `{glob}` matches no folder: {problem}")]
    Folder {
        /// The glob.
        glob: String,
        /// Why.
        problem: String,
    },
    /// The regular expression cannot be read, or is too large.
    #[error("the regular expression `{regex}` cannot be used: {problem}")]
    Regex {
        /// The expression.
        regex: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A pattern for values is empty.
    #[error(
        "an empty {0} says nothing: write `exists = true` for any value, `equals = \"\"` for an empty one"
    )]
    Empty(&'static str),
    /// A pattern has a control character in it.
    #[error(
        "the pattern `{pattern}` has the control character U+{code:04X} in it{hint}: in `\"…\"` TOML reads a backslash, \
         so write the pattern in single quotes, `'…'`"
    )]
    Control {
        /// The pattern, with the character as it was most likely written.
        pattern: String,
        /// The character.
        code: u32,
        /// How it comes about.
        hint: &'static str,
    },
    /// The JSON pointer cannot be read.
    #[error("`{pointer}` is no JSON pointer: {problem}")]
    Pointer {
        /// The pointer.
        pointer: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The payload of the event has no such field.
    #[error("`{event}` has no field `{field}`{hint}")]
    Field {
        /// The event.
        event: String,
        /// The field.
        field: String,
        /// What to write instead.
        hint: String,
    },
}

impl MatchError {
    fn name(key: &'static str, pattern: &str, error: NameError) -> Self {
        match error {
            NameError::Glob(error) => Self::Glob { glob: shown(pattern), error },
            error => Self::Name { key, pattern: shown(pattern), error },
        }
    }
}

/// How much of a pattern is shown in a message.
const SHOWN: usize = 200;

/// A pattern for a message: what cannot be seen is spelt out.
fn shown(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().take(SHOWN) {
        if c.is_control() || (name::is_odd(c) && !c.is_alphanumeric()) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}

/// Refuses control characters in a pattern, but for those that texts have: tab and line ends. TOML
/// makes one of `"\b"`, which is meant as the edge of a word.
fn controlled(pattern: &str) -> Result<(), MatchError> {
    let bad = |c: &char| c.is_control() && !['\t', '\n', '\r'].contains(c);
    let Some(found) = pattern.chars().find(bad) else { return Ok(()) };
    let hint = match found {
        '\u{8}' => ", which is what `\\b` became",
        '\u{c}' => ", which is what `\\f` became",
        '\u{1b}' => ", which is what `\\e` became",
        _ => "",
    };
    let written = pattern.replace('\u{8}', "\\b").replace('\u{c}', "\\f").replace('\u{1b}', "\\e");
    Err(MatchError::Control { pattern: shown(&written), code: found.into(), hint })
}

/// A glob for names of events: which of them it takes in.
pub(crate) fn event_glob(pattern: &str) -> Result<impl Fn(&str) -> bool, MatchError> {
    let compiled = regex(&glob(pattern)?, pattern)?;
    Ok(move |name: &str| compiled.is_match(name))
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
