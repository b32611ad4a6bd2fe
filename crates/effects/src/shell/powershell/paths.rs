//! Paths of Windows in the form that everything else here has.
//!
//! `C:\a\b` becomes `/c/a/b`, `a\b` becomes `a/b`, and `\\server\share` becomes `//server/share`: so patterns of
//! paths hold for them. The case of letters stays.

use crate::word::{Word, WordPart};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Provider {
    Files,
    /// `HKLM:\…`, `Registry::…`
    Registry,
    /// `Env:NAME`
    Variables,
    /// `Alias:`, `Function:`, `Cert:`, …
    Other,
}

/// Returns what a path leads to.
pub(in crate::shell) fn provider(path: &Word) -> Provider {
    let start = path.known_prefix().to_lowercase();
    let Some((drive, _)) = start.split_once(':') else {
        return if start.starts_with("hkey_") { Provider::Registry } else { Provider::Files };
    };
    match drive {
        "hklm" | "hkcu" | "hkcr" | "hku" | "hkcc" | "registry" => Provider::Registry,
        "env" => Provider::Variables,
        "alias" | "function" | "variable" | "cert" | "wsman" | "feature" => Provider::Other,
        _ => Provider::Files,
    }
}

/// Returns the name of the variable that a path of `Env:` leads to; `None` for all of them.
pub(in crate::shell) fn variable(path: &Word) -> Option<Word> {
    let known = path.known()?;
    let (_, name) = known.split_once(':')?;
    let name = name.trim_start_matches(['\\', '/']);
    (!name.is_empty() && name != "*").then(|| Word::text(name.to_uppercase()))
}

/// Returns a path with slashes, and with its `*` and `?` as globs.
pub(in crate::shell) fn normal(path: &Word, home: Option<&str>) -> Word {
    if provider(path) != Provider::Files {
        return path.clone();
    }
    let mut word = Word::default();
    for (place, part) in path.parts.iter().enumerate() {
        match part {
            WordPart::Text(text) => {
                let text = if place == 0 { text_of(text, home) } else { text.replace('\\', "/") };
                push_globs(&mut word, &text);
            }
            part => word.push(part.clone()),
        }
    }
    word
}

/// The folder of a session, and a home folder.
pub(in crate::shell) fn folder(text: &str) -> String {
    text_of(text, None)
}

fn text_of(text: &str, home: Option<&str>) -> String {
    let text =
        ["\\\\?\\", "\\\\.\\"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
    let text = text.rsplit_once("FileSystem::").map_or(text, |(_, rest)| rest);
    let slashes = text.replace('\\', "/");
    let mut letters = slashes.chars();
    if let (Some(drive), Some(':')) = (letters.next(), letters.next())
        && drive.is_ascii_alphabetic()
    {
        let rest = letters.as_str().trim_start_matches('/');
        return format!("/{}/{rest}", drive.to_ascii_lowercase());
    }
    match (slashes.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            format!("{}{rest}", home.trim_end_matches('/'))
        }
        _ => slashes,
    }
}

fn push_globs(word: &mut Word, text: &str) {
    let mut plain = String::new();
    for c in text.chars() {
        if matches!(c, '*' | '?') {
            if !plain.is_empty() {
                word.push(WordPart::Text(std::mem::take(&mut plain)));
            }
            word.push(WordPart::Glob(c.to_string()));
        } else {
            plain.push(c);
        }
    }
    if !plain.is_empty() || word.parts.is_empty() {
        word.push(WordPart::Text(plain));
    }
}

/// Returns a word of a program that is no command of PowerShell: with slashes if it looks like a path, and with its
/// `*` and `?` as globs.
pub(in crate::shell) fn word_of_program(word: &Word) -> Word {
    let looks = word.parts.iter().all(|part| match part {
        WordPart::Text(text) => looks_like_path(text),
        _ => true,
    });
    if looks && !word.known_prefix().starts_with('-') { normal(word, None) } else { word.clone() }
}

/// Whether a text has signs of a path only: a regular expression has others.
fn looks_like_path(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || "\\/:._-~*? ".contains(c)) && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_have_slashes() {
        let normal = |text: &str| normal(&Word::text(text), Some("/home/u")).written();
        assert_eq!(normal("C:\\Users\\me"), "/c/Users/me");
        assert_eq!(normal("d:/x"), "/d/x");
        assert_eq!(normal("C:\\"), "/c/");
        assert_eq!(normal("a\\b"), "a/b");
        assert_eq!(normal("~\\a"), "/home/u/a");
        assert_eq!(normal("\\\\server\\share\\x"), "//server/share/x");
        assert_eq!(normal("\\\\?\\C:\\x"), "/c/x");
        assert_eq!(normal("HKLM:\\Software"), "HKLM:\\Software");
        assert_eq!(word_of_program(&Word::text("https://a.b/c")).written(), "https://a.b/c");
        assert_eq!(word_of_program(&Word::text("\\d+\\(x")).written(), "\\d+\\(x");
    }

    #[test]
    fn a_path_may_lead_elsewhere() {
        assert_eq!(provider(&Word::text("HKCU:\\x")), Provider::Registry);
        assert_eq!(provider(&Word::text("Env:PATH")), Provider::Variables);
        assert_eq!(provider(&Word::text("C:\\x")), Provider::Files);
        assert_eq!(provider(&Word::text("Function:x")), Provider::Other);
    }
}
