//! Matchers: a list of exact names, or a JavaScript regex that may match anywhere.

use regress::Regex;

use super::event::Event;

/// A matcher that is no regex.
#[derive(Debug, thiserror::Error)]
#[error("the matcher `{matcher}` is no regex, so the hook never runs: {source}")]
pub(super) struct BadMatcher {
    matcher: String,
    source: regress::Error,
}

/// Tells whether a matcher lets a text through.
///
/// # Errors
/// If it is a regex that JavaScript refuses.
pub(super) fn matches(matcher: &str, event: &Event, subject: &str) -> Result<bool, BadMatcher> {
    if matcher.is_empty() || matcher == "*" {
        return Ok(true);
    }
    if is_list(matcher, event.is_narrow()) {
        let names = matcher.split(['|', ',']).map(str::trim);
        return Ok(names.filter(|name| !name.is_empty()).any(|name| name == subject));
    }
    let regex =
        Regex::new(matcher).map_err(|source| BadMatcher { matcher: matcher.to_owned(), source })?;
    Ok(regex.find(subject).is_some())
}

/// Tells whether a matcher consists of names only.
fn is_list(matcher: &str, is_narrow: bool) -> bool {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '_' | '|');
    matcher.chars().all(|sign| is_plain(sign) || (!is_narrow && matches!(sign, ',' | ' ' | '-')))
}

/// Returns the names of the files that a matcher of `FileChanged` watches: here it is no regex.
pub(super) fn watched(matcher: &str) -> impl Iterator<Item = &str> {
    matcher.split('|').map(str::trim).filter(|name| !name.is_empty())
}
