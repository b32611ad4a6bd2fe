//! Globs for names as regular expressions: those of all hooks of an event are joined.

use hookgate_contract::glob::NameGlob;

pub use hookgate_contract::glob::GlobError;

/// Translates a glob into a regular expression for the whole text, to be compiled with `.` matching
/// newlines.
///
/// # Errors
/// Something is not closed, or closes nothing: a glob is never repaired by guessing.
pub(super) fn to_regex(glob: &str) -> Result<String, GlobError> {
    NameGlob::parse(glob).map(|glob| anchored(&glob.to_regex()))
}

/// Returns a regular expression that matches the whole of a text or nothing. Unlike `^` and `$`,
/// the anchors hold under every flag.
pub(super) fn anchored(source: &str) -> String {
    format!(r"\A(?:{source})\z")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::pattern::regex;
    use super::*;

    proptest! {
        #[test]
        fn both_ways_to_compare_are_the_same(
            pattern in "([abé?*,\\n.+|<-]|\\[[!]?[a-c.\\-]{1,3}\\]|\\{[a-c*]{0,2},[abé]\\}){0,6}",
            name in "[abcé\\n.+|<-]{0,6}",
        ) {
            let Ok(glob) = NameGlob::parse(&pattern) else { return Ok(()) };
            let translated = regex(&to_regex(&pattern).unwrap(), &pattern).unwrap();
            prop_assert_eq!(glob.matches(&name), translated.is_match(&name), "{} {:?}", pattern, name);
        }
    }
}
