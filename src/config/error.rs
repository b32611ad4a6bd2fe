//! Mistakes in a config, with the file, line and column of each.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use hookgate_contract::settings::SettingProblem;
use hookgate_contract::visible;

use crate::table::BuildProblem;

/// How many characters of a message are kept.
const MESSAGE: usize = 2000;

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// The file cannot be read.
    #[error("cannot be read: {1}")]
    Read(std::io::ErrorKind, String),
    /// The file is not UTF-8.
    #[error("not UTF-8 from here on")]
    Utf8,
    /// It is no TOML.
    #[error("{0}")]
    Syntax(String),
    /// Another version of the format.
    #[error("version {0} is not known, only 1")]
    Version(i64),
    /// `hook` is not an array of tables.
    #[error("hooks are written as `[[hook]]`, with two brackets")]
    HookTable,
    /// There are no hooks, and the file does not say that it is meant so.
    #[error("there is no hook in this file: nothing would be enforced")]
    NoHooks,
    /// There are no hooks, and the file says that it is meant so.
    #[error("there is no hook in this file: nothing is enforced")]
    Empty,
    /// A setting is wrong.
    #[error(transparent)]
    Setting(SettingProblem),
    /// The hook cannot be a part of the table.
    #[error("hook `{hook}`: {problem}")]
    Build {
        /// The hook.
        hook: String,
        /// Why not.
        problem: BuildProblem,
    },
    /// No event has this name.
    #[error("unknown event `{name}`{}", did_you_mean(.near.as_ref()))]
    UnknownEvent {
        /// The name.
        name: String,
        /// An event with a similar name.
        near: Option<String>,
    },
    /// No event has a name that the glob matches.
    #[error("no event matches `{0}`: a glob means our own names, which `hookgate events` lists")]
    NoEventMatches(String),
    /// At no event that the glob matches the hook makes sense.
    #[error(
        "the hook suits no event that `{0}` matches: its role, its handler or its conditions make no sense there"
    )]
    NoEventSuits(String),
    /// A condition can be read, but nobody can have meant it.
    #[error("{0}")]
    Condition(String),
    /// No builtin has this name.
    #[error("unknown builtin `{name}`{}", did_you_mean(.near.as_ref()))]
    UnknownBuiltin {
        /// The name.
        name: String,
        /// A builtin with a similar name.
        near: Option<String>,
    },
    /// No kind of handler has this name.
    #[error("no handler of kind `{name}` is registered{}", did_you_mean(.near.as_ref()))]
    UnknownKind {
        /// The name.
        name: String,
        /// A kind with a similar name.
        near: Option<String>,
    },
    /// The hook has no handler.
    #[error("the hook has no handler: nobody would answer")]
    NoHandler,
    /// The hook has several handlers.
    #[error("the hook has several handlers: {}", .0.join(", "))]
    SeveralHandlers(Vec<String>),
    /// The handler could not be built, and did not say why.
    #[error("the handler could not be built from these settings")]
    Unbuilt,
    /// A kind that only an embedder knows.
    #[error(
        "unverified: kind `{0}` is not known here, so only its own runtime can check and run it; here the hook fails when it is asked"
    )]
    UnverifiedKind(String),
    /// An event that only an embedder knows.
    #[error(
        "unverified: event `{0}` is not registered here, so only its own runtime knows what may be said there"
    )]
    UnverifiedEvent(String),
    /// A hook that is required is not in the file.
    #[error("the hook `{id}` is required, but this file has none of that id{}", did_you_mean(.near.as_ref()))]
    RequiredHook {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Option<String>,
    },
    /// Nothing can be denied there.
    #[error("nothing can be denied at `{0}`, so no guard can be required there")]
    NotGuardable(String),
    /// What is required is not there.
    #[error("`{event}` must be guarded, and {why}: every step of it is denied")]
    Unguarded {
        /// The event.
        event: String,
        /// What is missing.
        why: String,
    },
    /// A program or service under the name that another system gives to an event.
    #[error(
        "`{name}` is the name of {system}, but what is written for {system} reads and prints other JSON than hookgate: it may let everything pass"
    )]
    ForeignEvent {
        /// The name.
        name: String,
        /// Who calls the event so.
        system: &'static str,
        /// The names of ours.
        events: Vec<&'static str>,
    },
    /// What the handler of a hook that works wants looked at.
    #[error("{0}")]
    Handler(String),
}

fn did_you_mean(near: Option<&String>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl ConfigProblem {
    fn help(&self) -> Option<String> {
        match self {
            Self::Read(std::io::ErrorKind::NotFound, _) => {
                Some("`hookgate init` writes a hooks.toml to start from".into())
            }
            Self::UnknownEvent { near: None, .. } => {
                Some("`hookgate events` lists all events and their aliases; one of your own begins with `x.`".into())
            }
            Self::NoHandler => Some(
                "add one of `builtin`, `command`, `http`, `prompt` or `handler`, such as \
                 builtin = { name = \"deny\", reason = \"…\" }"
                    .into(),
            ),
            Self::NoHooks => Some(
                "add a `[[hook]]`; write `allow_empty = true` where an empty table is meant".into(),
            ),
            Self::ForeignEvent { events, .. } => Some(format!(
                "write `{}` if it speaks hookgate's JSON; see `hookgate schema envelope` and \
                 `hookgate schema verdict`",
                events.join("`, `")
            )),
            Self::Setting(SettingProblem::Unknown { key, .. }) => {
                super::foreign::ours(key).map(str::to_owned)
            }
            Self::UnknownKind { name, .. } if super::hook::KINDS.contains(&name.as_str()) => {
                Some(format!("this program was built without `{name}` handlers"))
            }
            _ => None,
        }
    }
}

/// After so many bytes the characters are counted anew.
const BLOCK: usize = 256;

/// How many characters begin in these bytes of a text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// The text of a file, to find lines and columns in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    name: String,
    text: String,
    /// The text as it may be shown, byte for byte in the same places.
    #[cfg(feature = "diagnostics")]
    shown: String,
    /// Where the lines begin, but the first: a file may have as many mistakes as lines.
    starts: Vec<usize>,
    /// How many characters stand before each block: a line may be as long as the file.
    blocks: Vec<usize>,
}

impl Source {
    pub(super) fn new(name: &str, text: &str) -> Arc<Self> {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let mut before = 0;
        let count = |block: &[u8]| {
            let known = before;
            before += characters(block);
            known
        };
        // One more, so that a place at the end has one as well.
        let blocks = text.as_bytes().chunks(BLOCK).chain([&[][..]]).map(count).collect();
        Arc::new(Self {
            name: name.to_owned(),
            text: text.to_owned(),
            starts,
            blocks,
            #[cfg(feature = "diagnostics")]
            shown: visible::in_place(text).into_owned(),
        })
    }

    /// The line of a place, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.locate(offset).0
    }

    /// Line and column of a place, both from 1, the column in characters.
    fn locate(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|before| self.starts.get(before)).copied();
        let column = self.before(offset) - self.before(start.unwrap_or_default());
        (line + 1, column + 1)
    }

    /// How many characters stand before a place.
    fn before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + characters(rest)
    }
}

/// One mistake, with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    source: Arc<Source>,
    span: Range<usize>,
    problem: ConfigProblem,
    help: Option<String>,
}

impl ConfigError {
    pub(super) fn new(source: &Arc<Source>, span: Range<usize>, problem: ConfigProblem) -> Self {
        let help = problem.help();
        Self { source: Arc::clone(source), span, problem, help }
    }

    pub(super) const fn offset(&self) -> usize {
        self.span.start
    }

    /// The file, as it was named.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.source.name
    }

    /// The line, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.source.locate(self.span.start).0
    }

    /// The column, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.source.locate(self.span.start).1
    }

    /// What is wrong.
    #[must_use]
    pub const fn problem(&self) -> &ConfigProblem {
        &self.problem
    }

    /// What is wrong, in words and in one line: what it quotes of the file is made fit to be shown.
    #[must_use]
    pub fn message(&self) -> String {
        visible::line(&self.problem.to_string(), MESSAGE)
    }

    /// What to do about it, where that is not plain from the message.
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

#[cfg(feature = "diagnostics")]
impl miette::Diagnostic for ConfigError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&*self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let start = self.span.start.min(self.source.text.len());
        let end = self.span.end.clamp(start, self.source.text.len());
        Some(Box::new(std::iter::once(miette::LabeledSpan::new(None, start, end - start))))
    }
}

#[cfg(feature = "diagnostics")]
impl miette::SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.shown.read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            visible::line(&self.name, 300),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

/// All mistakes of a file, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigErrors(Vec<ConfigError>);

impl ConfigErrors {
    pub(super) const fn new(errors: Vec<ConfigError>) -> Self {
        Self(errors)
    }

    /// The mistakes.
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
