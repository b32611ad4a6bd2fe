//! How a pattern becomes a regular expression.
//!
//! All patterns are compiled with the same options: `.` matches newlines, the size of the program
//! is bounded, and matching takes time linear in the text (the regex crate has no backtracking).

use super::characters::{as_written, shown};
use super::error::MatchError;
use super::glob;

/// The largest program that one pattern may compile to, in bytes. A pattern of a config that needs
/// more is a mistake, or an attack on the process that loads it.
pub(super) const PATTERN_LIMIT: usize = 1 << 20;

/// Compiles a regular expression in which `.` matches newlines too: a guard must not be evaded by a
/// line break. The error shows the pattern as it was written.
pub(super) fn regex(source: &str, written: &str) -> Result<regex::Regex, MatchError> {
    regex::RegexBuilder::new(source)
        .dot_matches_new_line(true)
        .size_limit(PATTERN_LIMIT)
        .build()
        .map_err(|error| MatchError::Regex { regex: written.to_owned(), problem: problem(&error) })
}

/// Returns what is wrong with a regular expression, and where. The message of the regex crate draws
/// the pattern, with marks below the place.
pub(super) fn problem(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or(&text);
    let mut problem = last.trim_start_matches("error: ").to_owned();
    if problem.starts_with("look-around") {
        problem.push_str(": write what must not match into `not = { regex = '…' }`");
    } else if problem.starts_with("backreferences") {
        problem.push_str(": a program can compare what was matched");
    } else if let Some(column) = marked_column(&text) {
        problem.push_str(&format!(", at character {column}"));
    }
    problem
}

/// Returns the first character that is marked below a pattern of one line, from 1.
fn marked_column(text: &str) -> Option<usize> {
    let mut marked = text.lines().filter(|line| line.contains('^'));
    let marks = marked.find(|line| line.chars().all(|c| c == ' ' || c == '^'))?;
    // Each line is indented by four characters.
    marks.find('^')?.checked_sub(3)
}

/// Translates a glob for names and texts into a regular expression.
pub(super) fn glob(pattern: &str) -> Result<String, MatchError> {
    glob::to_regex(pattern).map_err(|error| MatchError::Glob { glob: pattern.to_owned(), error })
}

/// Compiles a glob for the names of events, and returns a function that tells which names match.
pub(crate) fn event_glob(pattern: &str) -> Result<impl Fn(&str) -> bool, MatchError> {
    let compiled = regex(&glob(pattern)?, pattern)?;
    Ok(move |name: &str| compiled.is_match(name))
}

/// Refuses control characters in a pattern, except those that texts have: tab and line ends. In
/// `"\b"`, which is meant as the boundary of a word, TOML replaces the escape by such a character.
pub(super) fn refuse_control(pattern: &str) -> Result<(), MatchError> {
    let refused = |c: &char| c.is_control() && !['\t', '\n', '\r'].contains(c);
    let Some(found) = pattern.chars().find(refused) else { return Ok(()) };
    let hint = match found {
        '\u{8}' => ", which is what `\\b` became",
        '\u{c}' => ", which is what `\\f` became",
        '\u{1b}' => ", which is what `\\e` became",
        _ => "",
    };
    let pattern = shown(&as_written(pattern));
    Err(MatchError::Control { pattern, code: found.into(), hint })
}
