//! What can be wrong with a condition.

use super::characters::{as_written, shown};
use super::glob::GlobError;
use super::name::NameError;

/// What is wrong with a condition.
///
/// ```
/// use hookgate::matcher::{MatchError, Test};
/// use hookgate::table::BuildProblem;
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
///
/// let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PreToolUse);
/// let hook = hook.input("command", Test::regex("push"));
/// let errors = HandlerTable::builder().insert(hook).build().unwrap_err();
/// let BuildProblem::Match(error) = &errors.errors()[0].problem else { panic!() };
/// assert!(matches!(error, MatchError::Pointer { .. }));
/// assert!(error.to_string().ends_with("it must begin with `/`: write `/command`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// Tables of `any` and `not` stand too deep inside of each other.
    #[error("tables stand more than {0} deep inside of each other: write several hooks")]
    TooDeep(usize),
    /// A list of `any`, or a table in it or under `not`, has no conditions.
    #[error("it is empty, and could be meant to match everything or nothing")]
    NoConditions,
    /// A condition that only the hook itself can have.
    #[error("`{0}` belongs to the hook itself: it cannot stand inside of `any` and `not`")]
    NotNested(&'static str),
    /// A pattern for names cannot have been meant as it is written.
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
    #[error("no tool is left: every name that `tool` includes is excluded by a `!` in it")]
    NoTool,
    /// The glob cannot be read.
    #[error("the glob `{glob}` cannot be read: {error}")]
    Glob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        error: GlobError,
    },
    /// The glob for folders matches no path, or not what it seems to.
    #[error("the glob `{glob}` cannot be used for folders: {problem}")]
    Folder {
        /// The glob.
        glob: String,
        /// The reason.
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
        "an empty {0} has no meaning: write `exists = true` for any value, `equals = \"\"` for an empty one"
    )]
    Empty(&'static str),
    /// A pattern contains a control character.
    #[error(
        "the pattern `{pattern}` contains the control character U+{code:04X}{hint}: in `\"…\"` TOML reads a backslash, \
         so write the pattern in single quotes, `'…'`"
    )]
    Control {
        /// The pattern, with the character as it was most likely written.
        pattern: String,
        /// The character.
        code: u32,
        /// What it was in the file, if that is known.
        hint: &'static str,
    },
    /// The JSON pointer cannot be read.
    #[error("`{pointer}` is not a JSON pointer: {problem}")]
    Pointer {
        /// The pointer.
        pointer: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The bounds of `len` exclude every length.
    #[error("`len`: no length is within these bounds")]
    Length,
    /// The tests of one pointer contradict each other.
    #[error("no value meets all tests of `{pointer}`: {why}")]
    Contradiction {
        /// The pointer.
        pointer: String,
        /// Which of them.
        why: String,
    },
    /// No name of a tool can match two conditions that must both hold.
    #[error("no name matches both `tool` and `{0}`, and both must: the hook would never be called")]
    NoName(&'static str),
    /// A pointer into the tool's input begins with a name that only the payload has.
    #[error("`input` begins inside the tool's input{hint}")]
    Outside {
        /// The pointer.
        pointer: String,
        /// What to write instead.
        hint: String,
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
    /// Returns whether the error is about this pattern or pointer, as it is written in a file.
    pub(crate) fn is_about(&self, text: &str) -> bool {
        let same = |named: &String| *named == text || *named == shown(text);
        match self {
            Self::Name { pattern: named, .. }
            | Self::Glob { glob: named, .. }
            | Self::Folder { glob: named, .. }
            | Self::Regex { regex: named, .. }
            | Self::Pointer { pointer: named, .. }
            | Self::Contradiction { pointer: named, .. }
            | Self::Outside { pointer: named, .. } => same(named),
            Self::Control { pattern, .. } => *pattern == shown(&as_written(text)),
            Self::Empty(_) => text.is_empty(),
            Self::Field { field, .. } => text.strip_prefix('/').is_some_and(|rest| {
                rest.split('/').next().is_some_and(|first| shown(first) == *field)
            }),
            Self::TooDeep(_)
            | Self::NoConditions
            | Self::NotNested(_)
            | Self::NoTool
            | Self::Length
            | Self::NoName(_) => false,
        }
    }

    /// Reports a pattern for names under its key.
    pub(super) fn name(key: &'static str, pattern: &str, error: NameError) -> Self {
        match error {
            NameError::Glob(error) => Self::Glob { glob: shown(pattern), error },
            error => Self::Name { key, pattern: shown(pattern), error },
        }
    }
}
