//! Warnings about texts that values are compared with: written in the language of something else, they fit no value.

use super::advice::Advice;
use super::characters::shown;
use super::pointer::{Token, names_path, tokens};
use super::spec::InputSpec;
use super::test::Test;

/// Returns warnings about the texts of the tests of one pointer.
pub(super) fn text_advice(place: &'static str, spec: &InputSpec) -> Vec<Advice> {
    let of_path = names_path(&spec.pointer);
    let mut out = Vec::new();
    let mut open: Vec<&Test> = spec.tests.iter().map(|input| &input.test).collect();
    while let Some(test) = open.pop() {
        let found = match test {
            Test::Any(tests) => {
                open.extend(tests);
                continue;
            }
            Test::Regex(text) => regex_of_javascript(text).map(|advice| (text, advice)),
            Test::StartsWith(text) => start_advice(text, of_path)
                .or_else(|| relative(text, spec))
                .map(|advice| (text, advice)),
            Test::Glob(text) => glob_with_bar(text).map(|advice| (text, advice)),
            Test::Equals(serde_json::Value::String(text)) => {
                start_advice(text, of_path).map(|advice| (text, advice))
            }
            _ => None,
        };
        out.extend(found.map(|(text, advice)| Advice::new(place, text, advice)));
    }
    out
}

/// Folders that other conditions put in the place of a word, and tests of texts do not.
const FOLDERS: [&str; 4] = ["$project", "$cwd", "$config", "$tmp"];

/// Returns a warning about a text that begins with a folder which is not replaced here.
fn start_advice(text: &str, of_path: bool) -> Option<String> {
    let is_folder = |name: &&str| {
        text.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let folder = FOLDERS.into_iter().find(is_folder);
    let home = || {
        let homes = ["~/", "$HOME/", "${HOME}/"];
        homes.into_iter().find(|home| of_path && text.starts_with(home))
    };
    let folder = folder.or_else(home)?;
    Some(format!(
        "`{}` is compared letter by letter, and `{}` is not replaced here: ask by `reads`, `writes` or `deletes`, \
         which know folders, or by `contains` for the rest of the path",
        shown(text),
        folder.trim_end_matches('/')
    ))
}

/// Returns a warning about the start of a relative path, where a tool gives absolute ones.
fn relative(text: &str, spec: &InputSpec) -> Option<String> {
    let tokens = tokens(&spec.pointer).ok()?;
    let Some(Token::Key(key)) = tokens.last() else { return None };
    let absolute = ["file_path", "notebook_path"].contains(&key.as_str());
    let plain = text.starts_with(|c: char| c.is_alphanumeric() || c == '.') && text.contains('/');
    (absolute && plain && !text.contains(':')).then(|| {
        format!(
            "tools give absolute paths here, which do not begin with `{}`: write `contains = \"/{}\"`, or ask by \
             `reads` or `writes`",
            shown(text),
            shown(text.trim_start_matches("./"))
        )
    })
}

/// Returns a warning about a regular expression between slashes, as JavaScript writes them: the slashes and the
/// letters behind them would be a part of the text.
fn regex_of_javascript(text: &str) -> Option<String> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    let is_flags = flags.chars().all(|c| "dgimsuvy".contains(c));
    let anchored = inner.starts_with('^') || (inner.ends_with('$') && !inner.ends_with("\\$"));
    // `/etc/` is a path, and so may `/home/u` be.
    let is_one = is_flags && (anchored || (!flags.is_empty() && !inner.contains('/')));
    let flags: String = flags.chars().filter(|c| "imsu".contains(*c)).collect();
    // One letter is often the name of a folder: only those that change what is meant are flags.
    let meant = anchored || flags.contains('i') || flags.len() > 1;
    (is_one && meant && !inner.is_empty()).then(|| {
        let flags = if flags.is_empty() { flags } else { format!("(?{flags})") };
        format!(
            "`{}` has the slashes of another language, which would be a part of the text: write `{flags}{}`",
            shown(text),
            shown(inner)
        )
    })
}

/// Returns a warning about a glob that looks like alternatives.
fn glob_with_bar(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('|').collect();
    let is_name = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_-.*/".contains(c))
    };
    (parts.len() > 1 && parts.iter().all(is_name)).then(|| {
        format!(
            "`|` separates nothing in a glob: write `{{{}}}`, or a list",
            shown(&parts.join(","))
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_another_language_are_told_and_no_others() {
        for (regex, told) in [
            ("/rm/i", true),
            ("/^rm/", true),
            ("/rm$/", true),
            ("/etc/", false),
            ("/home/u", false),
            ("/etc/passwd", false),
            ("rm", false),
            ("/a/b/i", false),
            ("/srv/d", false),
        ] {
            assert_eq!(regex_of_javascript(regex).is_some(), told, "{regex}");
        }
        for (text, of_path, told) in [
            ("~/.ssh", true, true),
            ("~/.ssh", false, false),
            ("$project/src", false, true),
            ("$projects", true, false),
            ("/home", true, false),
        ] {
            assert_eq!(start_advice(text, of_path).is_some(), told, "{text}");
        }
        for (glob, told) in [("Edit|Write", true), ("a | b", false), ("a*", false), ("|", false)] {
            assert_eq!(glob_with_bar(glob).is_some(), told, "{glob}");
        }
    }
}
