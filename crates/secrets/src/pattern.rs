//! What one entry of the catalogue is.

use std::fmt;

/// One thing that secrets look like: a prefix of a provider, a header, an assignment.
///
/// ```
/// use hookgate_secrets::SECRET_PATTERNS;
///
/// let github = SECRET_PATTERNS.iter().find(|pattern| pattern.name == "github_token").unwrap();
/// assert_eq!(github.what, "a GitHub token");
/// assert_eq!(github.example.0, "ghp_");
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct SecretPattern {
    /// The kind, as the placeholder has it: `[redacted:github_token]`.
    pub name: &'static str,
    /// What it is, as a noun phrase.
    pub what: &'static str,
    /// An example in two halves, so that no scanner takes this crate for a leak.
    pub example: (&'static str, &'static str),
    /// A regular expression. Its first group that takes part is the secret, or all of the match if it
    /// has no group. `None` if a scanner in code finds it, because a regular expression would have to
    /// look ahead too far.
    pub regex: Option<&'static str>,
    /// What of its kind is not found; empty if nothing is known.
    pub gaps: &'static str,
    /// Returns whether what the regular expression found is a secret after all.
    pub(crate) accept: fn(&str) -> bool,
}

impl fmt::Debug for SecretPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("SecretPattern");
        debug.field("name", &self.name).field("what", &self.what).finish_non_exhaustive()
    }
}

/// Creates a pattern that a regular expression finds.
pub(crate) const fn by_regex(
    name: &'static str,
    what: &'static str,
    example: (&'static str, &'static str),
    regex: &'static str,
) -> SecretPattern {
    SecretPattern { name, what, example, regex: Some(regex), gaps: "", accept: accept_all }
}

/// Creates a pattern that a scanner finds.
pub(crate) const fn by_scanner(
    name: &'static str,
    what: &'static str,
    example: (&'static str, &'static str),
    gaps: &'static str,
) -> SecretPattern {
    SecretPattern { name, what, example, regex: None, gaps, accept: accept_all }
}

impl SecretPattern {
    pub(crate) const fn with_gaps(self, gaps: &'static str) -> Self {
        Self { gaps, ..self }
    }

    /// Narrows the pattern to texts that this function accepts.
    pub(crate) const fn only(self, accept: fn(&str) -> bool) -> Self {
        Self { accept, ..self }
    }
}

/// Accepts everything that a regular expression finds.
pub(crate) const fn accept_all(_: &str) -> bool {
    true
}
