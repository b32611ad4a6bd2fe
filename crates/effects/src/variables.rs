//! Names of variables, and the variables that stand in words.

use crate::word::{Word, WordPart};

/// The variables that stand in a word as `$NAME` or `${NAME…}`; `None` for one that is not known. Those that the line itself
/// sets are known, and are no part of it any more. `${#NAME}` tells the length only, `${NAME:+x}` whether it is set.
pub(crate) fn variables_in(word: &Word) -> impl Iterator<Item = Option<String>> {
    word.parts.iter().filter_map(|part| {
        let WordPart::Unknown { written, .. } = part else { return None };
        let rest = written.strip_prefix('$')?;
        let bare = rest.strip_prefix('{').unwrap_or(rest);
        if let Some(pointer) = rest.strip_prefix("{!") {
            // Names that begin so, and keys of a list.
            let are_names =
                pointer.ends_with("*}") || pointer.ends_with("@}") || pointer.contains('[');
            return (!are_names).then_some(None);
        }
        let name = leading_name(bare);
        let after = bare.get(name.len()..).unwrap_or_default();
        let only_tests = after.starts_with(":+") || after.starts_with('+');
        (is_name(name) && !only_tests).then(|| Some(name.to_owned()))
    })
}

/// Whether a text can be the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The letters, digits and underscores at the beginning.
pub(crate) fn leading_name(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    text.split_at(end).0
}
