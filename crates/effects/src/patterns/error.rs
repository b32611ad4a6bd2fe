//! Why a pattern cannot be read.

use hookgate_contract::look_alike::LookAlike;

/// Why a pattern cannot be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct PatternError {
    /// The place of the pattern in its list.
    pub index: usize,
    /// The byte in the pattern at which the fault is.
    pub offset: usize,
    /// What is wrong, and what to write.
    pub fault: PatternFault,
}

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PatternFault {
    /// The pattern has no text.
    #[error("the pattern is empty")]
    Empty,
    /// White space at an end of a pattern.
    #[error("the pattern begins or ends with white space; leave it out")]
    Space,
    /// A control character in a pattern.
    #[error("the pattern has a control character; write the pattern in single quotes, '…'")]
    Control,
    /// `[` without `]`.
    #[error("`[` is never closed; write `[[]` for the character")]
    OpenClass,
    /// `[]` or `[!]`.
    #[error("a class in `[…]` is empty")]
    EmptyClass,
    /// A range that ends before it begins.
    #[error("the range `{0}-{1}` is upside down")]
    Range(char, char),
    /// `{` without `}`.
    #[error("`{{` is never closed; write `[{{]` for the character")]
    OpenBrace,
    /// A backslash at the end.
    #[error("`\\` at the end escapes nothing")]
    Escape,
    /// Braces that stand for too many patterns.
    #[error("the braces stand for more than {0} patterns; write a list")]
    TooManyAlternatives(usize),
    /// A pattern that looks like a regular expression.
    #[error("`{written}` looks like a regular expression, and globs are meant here: {instead}")]
    Regex {
        /// The pattern, or the part of it.
        written: String,
        /// What to write.
        instead: String,
    },
    /// A path as Windows writes it.
    #[error("`{0}` is a path as Windows writes it, and paths have `/` here: write `{1}`")]
    Windows(String, String),
    /// `|` in a pattern of paths.
    #[error("`|` separates nothing here; write a list, or `{0}`")]
    Bar(String),
    /// Several hosts in one text.
    #[error("several hosts are a list: write `{0}`, each in quotes of its own")]
    SeveralHosts(String),
    /// An address where a path belongs.
    #[error("a path has no `{0}`; write the path alone, or ask for a host by `connects`")]
    Address(String),
    /// Quotes around a pattern, which would be a part of it.
    #[error("the quotes would be a part of the name; write `{0}`")]
    Quotes(String),
    /// A variable that does not exist.
    #[error("`${0}` is not known; the folders are `~`, `$cwd`, `$project`, `$config`, `$tmp`")]
    Variable(String),
    /// The home folder of another user.
    #[error("the home folder of another user is not known; write its path instead of `{0}`")]
    OtherHome(String),
    /// `.` or `..` in a path pattern.
    #[error(
        "paths are compared without `.` and `..`; write `$cwd/…` for the folder of the session"
    )]
    Dots,
    /// A list that takes patterns out and puts none in.
    #[error("the list only takes out (`!…`); write first what it takes from")]
    OnlyNegative,
    /// A host pattern with a scheme or a path.
    #[error("a host has no `{0}`; write the name alone, as `example.com` or `example.com:443`")]
    HostPart(String),
    /// A sign that is in no host.
    #[error("no host has `{0}`; write a name, as `example.com`, or a list of them")]
    HostSign(char),
    /// A port that is no number.
    #[error("`{0}` is no port; write a number up to 65535")]
    Port(String),
    /// A `*` in the middle of a host name.
    #[error("`*` in a host stands alone or for whole names at the start, as in `*.example.com`")]
    HostStar,
    /// A run pattern that begins with an option.
    #[error("a pattern begins with a program; write `*` for any program before `{0}`")]
    NoProgram(String),
    /// Options and words as alternatives of each other.
    #[error("`{0}` mixes options and words; write two patterns")]
    MixedAlternatives(String),
    /// `--` as one of several alternatives.
    #[error("`--` ends the options and stands alone; `{0}` has it as one of several")]
    Dashes(String),
    /// An option without a name, or with a name that no option has.
    #[error("`{0}` is no option; write it as it is given, such as `--force` or `-f`")]
    NoOption(String),
    /// An option as a word.
    #[error("`{0}` is an option and never one of the words; write it in `flags`, or behind `--`")]
    OptionAsWord(String),
    /// `~` or a variable in a run pattern.
    #[error(
        "`{0}` is replaced before the program sees it, so that no word is `{0}`; write the path as \
         `*/…`, or use `reads`, `writes` or `deletes`, which know folders"
    )]
    Replaced(String),
    /// Several words where one program belongs.
    #[error("`{0}` is more than one word, and a program is one; write the others in `words`")]
    SeveralWords(String),
    /// A name that no variable has.
    #[error("`{0}` is the name of no variable; write it as in `NAME` or `NAME=value`")]
    VariableName(String),
    /// An alternative without text.
    #[error("an alternative of `{0}` is empty")]
    EmptyAlternative(String),
    /// A quote that is never closed.
    #[error("the quote is never closed")]
    OpenQuote,
    /// Signs that join commands.
    #[error("`{0}` joins commands; a pattern is about one program, write one for each")]
    Joins(String),
    /// A character that looks like another one, or cannot be seen.
    #[error("the pattern has {found}: write `{instead}`")]
    LookAlike {
        /// The character.
        found: String,
        /// The pattern with the characters that were meant.
        instead: String,
    },
    /// A variable that is set for a program, before its name.
    #[error(
        "`{assignment}` sets a variable for a program and is none of its words: leave it out, or ask for it \
         by `{{ program = \"{program}\", env = \"{assignment}\" }}`"
    )]
    Assignment {
        /// The assignment.
        assignment: String,
        /// The program behind it.
        program: String,
    },
    /// A rule for a tool, as other systems write them.
    #[error(
        "`{written}` is a rule of another system; here the tool is a condition of its own: write `{instead}`"
    )]
    ToolRule {
        /// The rule.
        written: String,
        /// The conditions.
        instead: String,
    },
    /// Quotes around a program and its words.
    #[error(
        "in quotes `{0}` is one name with blanks in it, and a program has none: leave the quotes out"
    )]
    QuotedProgram(String),
    /// A sign of the shell that runs a command and puts what it prints in its place.
    #[error("a backtick runs a command in a shell and is in no word; leave it out")]
    Backtick,
    /// A host that begins with a dot.
    #[error("no host begins with a dot; write `*{0}` for the names in front of it")]
    DotHost(String),
    /// A run condition that asks nothing.
    #[error("the table asks nothing; name a program, words, flags or one of the other keys")]
    AsksNothing,
}

impl PatternFault {
    /// Places the fault at a byte of the first pattern of a list.
    pub(crate) const fn at(self, offset: usize) -> PatternError {
        PatternError { index: 0, offset, fault: self }
    }
}

impl PatternError {
    /// Moves the error to another pattern of the list.
    pub(crate) const fn in_pattern(mut self, index: usize, shift: usize) -> Self {
        self.index = index;
        self.offset += shift;
        self
    }
}

/// Refuses a character that looks like another one or cannot be seen: no name has it.
pub(crate) fn check_characters(text: &str) -> Result<(), PatternError> {
    let Some(odd) = LookAlike::find(text) else { return Ok(()) };
    let fault = PatternFault::LookAlike { found: odd.to_string(), instead: odd.plain };
    Err(fault.at(odd.at))
}

/// Checks what is wrong in a pattern of any kind.
pub(crate) fn check_text(text: &str) -> Result<(), PatternError> {
    if text.is_empty() {
        return Err(PatternFault::Empty.at(0));
    }
    if let Some((at, _)) = text.char_indices().find(|(_, c)| c.is_control()) {
        return Err(PatternFault::Control.at(at));
    }
    if text.starts_with(char::is_whitespace) {
        return Err(PatternFault::Space.at(0));
    }
    if text.ends_with(char::is_whitespace) {
        return Err(PatternFault::Space.at(text.trim_end().len()));
    }
    Ok(())
}
