//! A regular expression and what takes the place of its matches.

use std::borrow::Cow;

use regex::Regex;

use crate::error::BuiltinError;

/// A regular expression and a replacement whose groups are known to exist.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    regex: Regex,
    replace: String,
}

impl Pattern {
    pub(super) fn new(regex: &str, replace: &str) -> Result<Self, BuiltinError> {
        let regex = Regex::new(regex).map_err(|error| BuiltinError::Pattern(error.to_string()))?;
        for group in groups_of(replace) {
            let known = match group.parse::<usize>() {
                Ok(number) => number < regex.captures_len(),
                Err(_) => regex.capture_names().flatten().any(|name| name == group),
            };
            if !known {
                return Err(BuiltinError::Group { group: group.to_owned() });
            }
        }
        Ok(Self { regex, replace: replace.to_owned() })
    }

    /// Returns the changed text and the number of places, or `None` if nothing matches.
    pub(super) fn replace(&self, text: &str, once: bool) -> Option<(String, u64)> {
        // Most texts do not match, and to look at them allocates nothing.
        if !self.regex.is_match(text) {
            return None;
        }
        let count = if once { 1 } else { self.regex.find_iter(text).count() as u64 };
        let changed = self.regex.replacen(text, usize::from(once), self.replace.as_str());
        match changed {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some((changed, count)),
        }
    }
}

/// Returns the groups that a replacement names, as the crate `regex` reads it: the longest name
/// behind `$`, or what is in `${…}`.
fn groups_of(replace: &str) -> Vec<&str> {
    let mut groups = Vec::new();
    let mut rest = replace;
    while let Some((_, after)) = rest.split_once('$') {
        if let Some(after) = after.strip_prefix('$') {
            rest = after;
        } else if let Some((group, after)) =
            after.strip_prefix('{').and_then(|braced| braced.split_once('}'))
        {
            groups.push(group);
            rest = after;
        } else {
            let end = after
                .find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_')
                .unwrap_or(after.len());
            let (group, after) = after.split_at(end);
            if !group.is_empty() {
                groups.push(group);
            }
            rest = after;
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_read_as_the_regex_crate_reads_them() {
        assert_eq!(groups_of("a $1, ${two}x $three_3-$$4 $ ${"), ["1", "two", "three_3"]);
        assert!(Pattern::new("(?<two>a)(b)", "$two$2$0").is_ok());
        for wrong in ["$3", "$two_", "${}"] {
            assert!(Pattern::new("(?<two>a)(b)", wrong).is_err(), "{wrong}");
        }
    }
}
