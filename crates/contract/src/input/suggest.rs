//! The question "did you mean …?" in messages about names.

use std::fmt;

/// The longest name that is compared: the time grows with the square of the length.
const LONGEST: usize = 64;

/// Returns the candidate that a mistyped name was most likely meant to be, or `None` if none is near:
/// at most a third of the letters may be wrong. Case counts only between equally near candidates.
///
/// ```
/// use hookgate_contract::suggest::nearest;
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

/// Words of other hook systems and of everyday language, each with the word of hookgate. Several words
/// for one are told apart by what is known at the place.
const SYNONYMS: &[(&str, &str)] = &[
    ("approve", "ask"),
    ("args", "tool_input"),
    ("arguments", "tool_input"),
    ("begins_with", "starts_with"),
    ("block", "deny"),
    ("block", "enforce"),
    ("closed", "deny"),
    ("confirm", "ask"),
    ("context", "add_context"),
    ("date", "add_date"),
    ("deny", "enforce"),
    ("disable", "off"),
    ("disabled", "off"),
    ("dry-run", "shadow"),
    ("dollars", "cost"),
    ("dry_run", "shadow"),
    ("duration", "time"),
    ("enabled", "enforce"),
    ("endswith", "ends_with"),
    ("eq", "equals"),
    ("forbid", "deny"),
    ("gte", "ge"),
    ("in", "one_of"),
    ("include", "contains"),
    ("includes", "contains"),
    ("json", "verdict"),
    ("length", "len"),
    ("limit", "max_iterations"),
    ("log", "audit"),
    ("lte", "le"),
    ("match", "regex"),
    ("matches", "regex"),
    ("max", "le"),
    ("min", "ge"),
    ("modify", "rewrite"),
    ("money", "cost"),
    ("mutate", "rewrite"),
    ("observer", "observe"),
    ("on", "enforce"),
    ("open", "allow"),
    ("patch", "rewrite"),
    ("pattern", "regex"),
    ("prefix", "starts_with"),
    ("redact", "redact_secrets"),
    ("reject", "deny"),
    ("requests", "calls"),
    ("result", "tool_response"),
    ("seconds", "time"),
    ("size", "len"),
    ("startswith", "starts_with"),
    ("suffix", "ends_with"),
    ("tool_args", "tool_input"),
    ("tool_output", "tool_response"),
    ("tool_result", "tool_response"),
    ("transform", "rewrite"),
    ("usd", "cost"),
    ("user_prompt", "prompt"),
    ("watch", "observe"),
];

/// The most names that a message lists.
const LISTED: usize = 24;

/// What a mistyped word was most likely meant to be, as the end of an error message: `; did you mean
/// …?`, or nothing if no known word is near.
///
/// ```
/// use hookgate_contract::suggest::Suggestion;
///
/// let near = Suggestion::nearest("pre_tol_use", &["pre_tool_use", "stop"]);
/// assert_eq!(format!("unknown event{near}"), "unknown event; did you mean `pre_tool_use`?");
/// assert_eq!(near.as_deref(), Some("pre_tool_use"));
/// assert_eq!(format!("unknown event{}", Suggestion::default()), "unknown event");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suggestion {
    near: Option<String>,
    /// Whether it means the same, and is not a correction.
    synonym: bool,
    /// What can be written, if nothing is near.
    choices: Vec<String>,
}

impl Suggestion {
    /// Looks for the candidate that is nearest to a word (see [`nearest`]), or that means the same.
    #[must_use]
    pub fn nearest(word: &str, candidates: &[&str]) -> Self {
        let lower = word.to_lowercase();
        let meant = SYNONYMS.iter().filter(|(other, _)| *other == lower).map(|(_, own)| *own);
        let mut meant = meant.filter(|own| candidates.contains(own));
        let near = nearest(word, candidates);
        let synonym = if near.is_none() { meant.next() } else { None };
        Self {
            near: near.or(synonym).map(str::to_owned),
            synonym: synonym.is_some(),
            choices: Vec::new(),
        }
    }

    /// As [`Suggestion::nearest`]; if no candidate is near, the message lists them, or the first of
    /// many.
    ///
    /// ```
    /// use hookgate_contract::suggest::Suggestion;
    ///
    /// let choices = Suggestion::nearest_or_all("banana", &["deny", "ask"]);
    /// assert_eq!(choices.to_string(), "; known here: deny, ask");
    /// assert_eq!(Suggestion::nearest_or_all("dney", &["deny"]).as_deref(), Some("deny"));
    /// ```
    #[must_use]
    pub fn nearest_or_all(word: &str, candidates: &[&str]) -> Self {
        let mut found = Self::nearest(word, candidates);
        if found.near.is_none() {
            let listed = candidates.iter().take(LISTED).map(|&name| name.to_owned());
            found.choices = listed.collect();
            if candidates.len() > LISTED {
                found.choices.push("…".to_owned());
            }
        }
        found
    }

    /// Returns the suggestion without the list of what can be written.
    #[must_use]
    pub fn without_list(self) -> Self {
        Self { choices: Vec::new(), ..self }
    }

    /// Returns whether a word of the same meaning is suggested, which may be spelled quite otherwise.
    #[must_use]
    pub const fn is_synonym(&self) -> bool {
        self.synonym
    }

    /// Returns the suggested word.
    #[must_use]
    pub fn as_deref(&self) -> Option<&str> {
        self.near.as_deref()
    }
}

impl fmt::Display for Suggestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.near {
            Some(near) => write!(f, "; did you mean `{near}`?"),
            None if self.choices.is_empty() => Ok(()),
            None => write!(f, "; known here: {}", self.choices.join(", ")),
        }
    }
}
