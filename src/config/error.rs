//! Mistakes in a config, with the file, line and column of each.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hookgate_contract::visible;
use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::problem::ConfigProblem;
use super::source::Source;

/// How many characters of a message are kept.
const MESSAGE: usize = 2000;

/// One mistake in a config, with its position in the file.
///
/// `Display` writes the message alone; [`ConfigErrors`] writes file, line and column before it.
/// With the feature `diagnostics` it is a `miette` diagnostic, which also shows the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    source: Arc<Source>,
    span: Range<usize>,
    problem: ConfigProblem,
    help: Option<String>,
}

impl ConfigError {
    pub(super) fn new(source: &Arc<Source>, span: Range<usize>, problem: ConfigProblem) -> Self {
        let (help, span) = (problem.help(), source.place(span));
        Self { source: Arc::clone(source), span, problem, help }
    }

    /// Says the same in other words.
    pub(super) fn replace(&mut self, problem: ConfigProblem) {
        self.help = problem.help();
        self.problem = problem;
    }

    pub(super) const fn offset(&self) -> usize {
        self.span.start
    }

    /// Returns the file, as it was named when it was loaded.
    #[must_use]
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// Returns the line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.source.locate(self.span.start).0
    }

    /// Returns the column, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.source.locate(self.span.start).1
    }

    /// Returns what is wrong.
    #[must_use]
    pub const fn problem(&self) -> &ConfigProblem {
        &self.problem
    }

    /// Returns what is wrong, in words and in one line; a message of more than 2000 characters is
    /// cut. What it quotes of the file is made visible, so it can be written to a terminal.
    #[must_use]
    pub fn message(&self) -> String {
        visible::line(&self.problem.to_string(), MESSAGE)
    }

    /// Returns what to do about it, if the message does not say so.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for ConfigError {}

/// Writes `file`, `line`, `column`, `code`, `message` and `help`, for an endpoint that takes configs.
impl Serialize for ConfigError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("ConfigError", 6)?;
        fields.serialize_field("file", self.file())?;
        fields.serialize_field("line", &self.line())?;
        fields.serialize_field("column", &self.column())?;
        fields.serialize_field("code", self.problem.code())?;
        fields.serialize_field("message", &self.message())?;
        fields.serialize_field("help", &self.help())?;
        fields.end()
    }
}

#[cfg(feature = "diagnostics")]
impl miette::Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&*self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let start = self.span.start.min(self.source.len());
        let end = self.span.end.clamp(start, self.source.len());
        Some(Box::new(std::iter::once(miette::LabeledSpan::new(None, start, end - start))))
    }
}

/// All mistakes of a file, in their order there; or of several files, one after the other.
///
/// ```
/// use hookgate::{Registry, config::Loader};
///
/// let errors = Loader::new(&Registry::new()).parse("hooks.toml", "verison = 1", ".".as_ref()).unwrap_err();
/// assert_eq!(errors.errors().len(), 2);
/// let text = errors.to_string();
/// assert!(text.contains("hooks.toml:1:1: unknown key `verison`; did you mean `version`?"), "{text}");
/// // As JSON, one object each.
/// let json = serde_json::to_value(&errors).unwrap();
/// assert_eq!((&json[0]["file"], &json[0]["line"], &json[0]["column"]), (&"hooks.toml".into(), &1.into(), &1.into()));
/// assert_eq!((&json[0]["code"], json[0]["message"].as_str()), (&errors.errors()[0].problem().code().into(), Some(errors.errors()[0].message().as_str())));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    pub(crate) const fn new(errors: Vec<ConfigError>) -> Self {
        Self(errors)
    }

    pub(crate) fn into_errors(self) -> Vec<ConfigError> {
        self.0
    }

    /// Adds those of another file.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the mistakes; there is at least one.
    #[must_use]
    pub fn errors(&self) -> &[ConfigError] {
        &self.0
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            let file = visible::line(error.file(), MESSAGE);
            write!(f, "{newline}{file}:{}:{}: {error}", error.line(), error.column())?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}
