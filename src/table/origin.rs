//! Where a hook comes from: its file, the bytes in it, and the layer of configuration.
//!
//! The origin travels with the hook from the moment it is read, so that every later message (an
//! error of the builder, a row of `hookgate list`) can name the position without searching for it
//! again. It is not a part of what a hook *is*: two hooks that differ only in their origin are the
//! same hook, and have the same hash.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Range};
use std::panic::Location;
use std::sync::Arc;

use hookgate_contract::Layer;
use serde::{Serialize, Serializer};

/// Line and column, both from 1.
pub(crate) type Position = (usize, usize);

/// The bytes of each key of a hook, and where it begins.
type KeySpans = BTreeMap<String, (Range<usize>, Position)>;

/// Where a hook comes from.
///
/// A hook that was read from a file has a span in bytes, and the span of each of its keys. A hook
/// that was made in Rust has the layer [`Layer::Code`] and the line of its constructor.
///
/// ```
/// use hookgate::table::{Hook, Layer};
/// use hookgate::Verdict;
///
/// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).build();
/// assert_eq!(hook.origin().layer(), Layer::Code);
/// assert!(hook.origin().line().is_some() && hook.origin().span().is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    layer: Layer,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    file: Option<FileName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<Range<usize>>,
    #[serde(skip)]
    keys: Option<Arc<KeySpans>>,
    /// The bytes of the text that was read; another one than the file if that was translated.
    #[serde(skip)]
    read_at: Option<Range<usize>>,
}

/// The name of a file: that of a source file is a part of the program, and is not copied.
#[derive(Debug, Clone)]
enum FileName {
    Source(&'static str),
    Config(Arc<str>),
}

impl Deref for FileName {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Source(name) => name,
            Self::Config(name) => name,
        }
    }
}

impl PartialEq for FileName {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for FileName {}

impl Origin {
    /// The origin of what the engine makes itself.
    pub(crate) fn engine() -> Self {
        Self { layer: Layer::Code, file: None, line: None, span: None, keys: None, read_at: None }
    }

    /// The origin of a hook that is made in Rust, there.
    pub(crate) fn code(location: &'static Location<'static>) -> Self {
        let line = usize::try_from(location.line()).ok();
        Self { file: Some(FileName::Source(location.file())), line, ..Self::engine() }
    }

    /// The origin of a hook that was read from a file, with the span and line of each key.
    pub(crate) fn file(
        layer: Layer,
        file: &Arc<str>,
        line: usize,
        span: Range<usize>,
        keys: KeySpans,
    ) -> Self {
        Self {
            layer,
            file: Some(FileName::Config(Arc::clone(file))),
            line: Some(line),
            span: Some(span),
            keys: Some(keys.into()),
            read_at: None,
        }
    }

    /// Sets the bytes of the text that was read.
    pub(crate) fn read_at(mut self, span: Range<usize>) -> Self {
        self.read_at = Some(span);
        self
    }

    /// Returns the bytes of the text that was read.
    pub(crate) fn read_span(&self) -> Option<Range<usize>> {
        self.read_at.clone()
    }

    /// Returns the layer.
    #[must_use]
    pub const fn layer(&self) -> Layer {
        self.layer
    }

    /// Returns the file, as it was named when it was loaded; for a hook made in Rust the source
    /// file.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.file.as_deref()
    }

    /// Returns the line on which the hook begins, from 1.
    #[must_use]
    pub const fn line(&self) -> Option<usize> {
        self.line
    }

    /// Returns the bytes of the file that the hook takes up; `None` for a hook made in Rust. Of a file that
    /// was translated only the beginning is known, so the range is empty.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.span.clone()
    }

    /// Returns whether the hook was translated from a config of another system.
    #[must_use]
    pub fn is_translated(&self) -> bool {
        self.span != self.read_at && self.read_at.is_some()
    }

    fn key(&self, key: &str) -> Option<&(Range<usize>, Position)> {
        self.keys.as_ref()?.get(key)
    }

    /// Returns the bytes of one key of the hook, such as `tool`; of the whole hook if it does not
    /// have that key.
    #[must_use]
    pub fn span_of(&self, key: &str) -> Option<Range<usize>> {
        self.key(key).map(|(span, _)| span.clone()).or_else(|| self.span())
    }

    /// Returns the line of one key of the hook, from 1; that of the hook if it does not have that key.
    #[must_use]
    pub fn line_of(&self, key: &str) -> Option<usize> {
        self.key(key).map(|(_, (line, _))| *line).or(self.line)
    }

    /// Returns line and column of a key of the hook, both from 1; those of the hook itself if it does not
    /// have the key. `None` for a hook that was made in Rust.
    #[must_use]
    pub fn position_of(&self, key: &str) -> Option<(usize, usize)> {
        let of_key = self.key(key).map(|(_, position)| *position);
        of_key.or_else(|| Some((self.line.filter(|_| self.span.is_some())?, 1)))
    }
}

fn as_text<S: Serializer>(text: &Option<FileName>, serializer: S) -> Result<S::Ok, S::Error> {
    text.as_deref().serialize(serializer)
}

impl fmt::Display for Origin {
    /// Writes file and line, or the layer if neither is known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}", &**file),
            _ => write!(f, "{}", self.layer),
        }
    }
}
