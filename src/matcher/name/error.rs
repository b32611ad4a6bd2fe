//! What can be wrong with a pattern for names.

use crate::matcher::glob::GlobError;

/// Why a pattern for names cannot have been meant as it is written. The message says what to write
/// instead.
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Verdict};
///
/// let refused = |tool: &str| {
///     let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PreToolUse).tool(tool);
///     HandlerTable::builder().insert(hook).build().unwrap_err().to_string()
/// };
/// assert!(refused("^Bash$").contains("write `Bash`"));
/// assert!(refused("Edit, Write").contains("write `Edit|Write`"));
/// assert!(refused("Bash(git push:*)").contains("arguments are not a part of the name"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is empty.
    #[error("it is empty: write `*` for all, or leave the key out")]
    Empty,
    /// White space at an end, beside `|` or after `!`.
    #[error("white space at an end is a part of the name: write `{0}`")]
    Space(String),
    /// A character that is in no name.
    #[error("it has {0}, which no name has")]
    Character(String),
    /// A letter that looks like another one.
    #[error("it has {found}: write `{instead}`")]
    LookAlike {
        /// The letter.
        found: String,
        /// The pattern with the letters that were meant.
        instead: String,
    },
    /// It looks like a regular expression.
    #[error("it looks like a regular expression, and globs are meant here: write {0}")]
    Regex(String),
    /// A name with arguments in brackets, as other agents write rules.
    #[error(
        "arguments are not a part of the name: write `tool = \"{tool}\"`, and beside it a condition such as \
         `{condition}`"
    )]
    Arguments {
        /// The name before the bracket.
        tool: String,
        /// What asks for the arguments: `runs = "git push"`.
        condition: String,
    },
    /// A comma between names.
    #[error("a comma separates nothing here: write `{0}`, or a list")]
    Comma(String),
    /// `|` in a glob.
    #[error("`|` separates nothing in a glob: write `{0}`, or use `tool`")]
    Bar(String),
    /// `!` elsewhere than at the beginning, or twice.
    #[error("`!` can be there once, at the beginning: `!Edit|Write` is all but these two")]
    Negation,
    /// `!` in a glob.
    #[error("a glob has no `!` in front: that belongs to `tool`")]
    NegatedGlob,
    /// Nothing is left.
    #[error("it leaves nothing: no name can match")]
    Nothing,
    /// The glob cannot be read.
    #[error("{0}")]
    Glob(GlobError),
}
