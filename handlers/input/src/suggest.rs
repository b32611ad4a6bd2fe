//! The question "did you mean …?" in messages about names.

use std::fmt;

/// The longest name that is compared: the time grows with the square of the length.
const LONGEST: usize = 64;

/// Returns the candidate that a mistyped name was most likely meant to be, or `None` if none is near:
/// at most a third of the letters may be wrong. Case counts only between equally near candidates.
///
/// ```
/// use hookgate_input::suggest::nearest;
/// assert_eq!(nearest("pre_tol_use", &["pre_tool_use", "stop"]), Some("pre_tool_use"));
/// assert_eq!(nearest("banana", &["pre_tool_use", "stop"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let is_long = |text: &str| text.chars().nth(LONGEST).is_some();
    if is_long(name) {
        return None;
    }
    let length = name.chars().count();
    let distance = |candidate: &str| {
        let letters = strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase());
        (letters, strsim::osa_distance(name, candidate))
    };
    candidates
        .iter()
        .filter(|candidate| !is_long(candidate))
        .map(|candidate| (distance(candidate), *candidate))
        // Of equally near ones the first.
        .min_by_key(|(distance, _)| *distance)
        // With more than a third of the letters wrong it is another name.
        .filter(|((letters, _), _)| *letters <= length.max(3) / 3 && *letters < length)
        .map(|(_, candidate)| candidate)
}

/// What a mistyped word was most likely meant to be, as the end of an error message: `; did you mean
/// …?`, or nothing if no known word is near.
///
/// ```
/// use hookgate_input::suggest::Suggestion;
///
/// let near = Suggestion::nearest("pre_tol_use", &["pre_tool_use", "stop"]);
/// assert_eq!(format!("unknown event{near}"), "unknown event; did you mean `pre_tool_use`?");
/// assert_eq!(near.as_deref(), Some("pre_tool_use"));
/// assert_eq!(format!("unknown event{}", Suggestion::default()), "unknown event");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestion(Option<String>);

impl Suggestion {
    /// Looks for the candidate that is nearest to a word: see [`nearest`].
    #[must_use]
    pub fn nearest(word: &str, candidates: &[&str]) -> Self {
        Self(nearest(word, candidates).map(str::to_owned))
    }

    /// Returns the suggested word.
    #[must_use]
    pub fn as_deref(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None => Ok(()),
        }
    }
}
