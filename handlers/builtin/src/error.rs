//! What is wrong with an argument of a builtin.

use hookgate_contract::template::TemplateError;

/// Why a builtin cannot be made from these arguments.
///
/// The message is a sentence for the person who wrote the argument. In a config it is reported with
/// the span of the setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuiltinError {
    /// A template with a syntax error.
    #[error("it is not a valid template: {0}")]
    Template(String),
    /// A name in a template that no step of the hook's events has.
    #[error("`{name}` is not a name that it can use; these are: `{known}`")]
    UnknownName {
        /// The name.
        name: String,
        /// The names that it can use.
        known: String,
    },
    /// A name that is not in the time zone database.
    #[error("it is not a time zone such as `Europe/Berlin`: {0}")]
    TimeZone(String),
    /// A date format with an unknown conversion.
    #[error("it is not a format such as `%Y-%m-%d`: {0}")]
    DateFormat(String),
    /// A regular expression that does not compile.
    #[error("{0}")]
    Pattern(String),
    /// A replacement that names a group which its regular expression does not have.
    #[error("`${group}` is not a group of the regex; write `$$` for a dollar sign")]
    Group {
        /// The group.
        group: String,
    },
    /// Words that are not plain words of a command.
    #[error("`{0}` is not made of plain words: letters, digits and `_ - . / : = @ % + ,` only")]
    Words(String),
    /// A pointer that is not a JSON pointer.
    #[error("`{0}` is not a JSON pointer: it is empty or begins with `/`")]
    Pointer(String),
    /// A name of a file that is a path to somewhere else.
    #[error("`{0}` is not the name of a file: write a relative path without `.` and `..`")]
    FileName(String),
}

impl From<TemplateError> for BuiltinError {
    fn from(error: TemplateError) -> Self {
        match error {
            TemplateError::UnknownName { name, known } => Self::UnknownName { name, known },
            TemplateError::Syntax(problem) => Self::Template(problem),
            other => Self::Template(other.to_string()),
        }
    }
}
