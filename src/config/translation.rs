//! A config of another system that was translated to hooks.toml, with the places of its parts.

use std::sync::Arc;

use super::error::{ConfigError, ConfigErrors};
use super::problem::ConfigProblem;
use super::source::Source;

/// A config of another system, written as hooks.toml in memory. What is said about it names the places
/// in the file of the other system.
///
/// ```
/// use hookgate::config::{Loader, Remark, Translation};
/// use hookgate::Registry;
///
/// let source = "{\"hooks\": {\n  \"PreToolUse\": []}}";
/// let toml = "[[hook]]\nid = 'a'\nevent = 'no_such_event'\nbuiltin = 'audit'\n";
/// let translation = Translation::new("settings.json", source, toml).place(0, 14);
/// # #[cfg(feature = "builtin")] {
/// let registry = Registry::from_iter([hookgate::builtin::kind()]);
/// let errors = Loader::new(&registry).parse_translation(&translation, ".".as_ref()).unwrap_err();
/// assert!(errors.to_string().starts_with("settings.json:2:3: unknown event"), "{errors}");
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Translation {
    name: String,
    source: String,
    toml: String,
    /// From which byte of the TOML on which byte of the source is meant.
    places: Vec<(usize, usize)>,
    remarks: Vec<Remark>,
}

/// Something to know about a config of another system that is no mistake in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What sort of thing it is, for programs.
    pub code: String,
    /// The byte of the source that it is about.
    pub at: usize,
    /// What the source means.
    pub meaning: String,
    /// What to do.
    pub advice: String,
}

impl Translation {
    /// Makes a translation. `name` is the file, `source` what it says.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        source: impl Into<String>,
        toml: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            source: source.into(),
            toml: toml.into(),
            places: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Says that what begins at a byte of the TOML was made of what begins at a byte of the source.
    /// What is before the first place is about the beginning of the source.
    #[must_use]
    pub fn place(mut self, in_toml: usize, in_source: usize) -> Self {
        let index = self.places.partition_point(|(known, _)| *known <= in_toml);
        self.places.insert(index, (in_toml, in_source));
        self
    }

    /// Adds a remark. The loader gives it back as a warning.
    #[must_use]
    pub fn remark(mut self, remark: Remark) -> Self {
        self.remarks.push(remark);
        self
    }

    /// Returns the hooks.toml.
    #[must_use]
    pub fn toml(&self) -> &str {
        &self.toml
    }

    /// Returns the file, as it was named.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn source(&self) -> Arc<Source> {
        Source::translated(&self.name, &self.source, self.places.clone())
    }

    /// Returns the remarks as the warnings that they become.
    #[must_use]
    pub fn warnings(&self) -> Vec<ConfigError> {
        let source = Source::new(&self.name, &self.source);
        let warning = |remark: &Remark| {
            let Remark { code, at, meaning, advice } = remark.clone();
            let problem = ConfigProblem::Foreign { code, meaning, advice };
            ConfigError::new(&source, at..at, problem)
        };
        self.remarks.iter().map(warning).collect()
    }
}

impl ConfigErrors {
    /// Makes the error of a file that cannot be translated: what is wrong at a byte of it, and what to
    /// do.
    ///
    /// ```
    /// use hookgate::config::{ConfigErrors, Remark};
    ///
    /// let remark = Remark {
    ///     code: "unknown".into(),
    ///     at: 1,
    ///     meaning: "whose it is cannot be told".into(),
    ///     advice: "name the agent".into(),
    /// };
    /// let errors = ConfigErrors::untranslatable("a.json", "{}", remark);
    /// assert_eq!(errors.to_string(), "a.json:1:2: whose it is cannot be told [unknown]");
    /// ```
    #[must_use]
    pub fn untranslatable(name: &str, source: &str, remark: Remark) -> Self {
        let translation = Translation::new(name, source, "").remark(remark);
        Self::new(translation.warnings())
    }
}
