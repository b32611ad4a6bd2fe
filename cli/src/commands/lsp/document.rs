//! A file that is open in the editor, and names of files in the protocol.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::config::base_of;

/// What a file is. An editor sends every file of a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents {
    /// Hooks in TOML.
    Hooks,
    /// The hooks of another agent.
    Foreign,
    /// Cases for `hookgate test`.
    Cases,
    /// Something else, about which nothing is said.
    Other,
}

/// Folders whose files in TOML have hooks.
const FOLDERS: [&str; 2] = [".hookgate", "hooks.d"];

/// An open file.
#[derive(Debug, Clone)]
pub(super) struct Document {
    /// Its name in the protocol.
    pub(super) uri: Arc<str>,
    /// Its path; of a text that is no file yet, `hooks.toml` in the folder of the server.
    pub(super) path: PathBuf,
    /// The number that the editor gives its text.
    pub(super) version: Option<i64>,
    /// Its text, saved or not.
    pub(super) text: Arc<str>,
    /// What it is.
    pub(super) contents: Contents,
}

impl Document {
    pub(super) fn new(uri: &str, version: Option<i64>, text: &str) -> Self {
        let path = path_of(uri).unwrap_or_else(|| PathBuf::from("hooks.toml"));
        let contents = contents_of(&path, text);
        Self { uri: uri.into(), path, version, text: text.into(), contents }
    }

    /// Returns the folder at which relative paths in it begin.
    pub(super) fn base(&self) -> PathBuf {
        base_of(&self.path)
    }
}

fn contents_of(path: &Path, text: &str) -> Contents {
    let name_of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name_of(path).unwrap_or_default();
    if !name.ends_with(".toml") {
        // One of our own in JSON or YAML is told its mistakes, too.
        let has = |name: &str| {
            let (json, yaml) = (format!("\"{name}\""), format!("{name}:"));
            text.contains(&json) || text.lines().any(|line| line.starts_with(&yaml))
        };
        let has_hooks = has("hooks") || has("hook");
        return if has_hooks { Contents::Foreign } else { Contents::Other };
    }
    let folder = path.parent().and_then(name_of).unwrap_or_default();
    let begins = |start: &str| text.lines().any(|line| line.trim_start().starts_with(start));
    if name.ends_with("_test.toml") {
        Contents::Cases
    } else if name.starts_with("hooks") || FOLDERS.contains(&&*folder) || begins("[[hook]]") {
        Contents::Hooks
    } else if begins("[[hooks.") || begins("[[hooks]]") {
        Contents::Foreign
    } else {
        Contents::Other
    }
}

/// Returns the path that a URI of a file names.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.get(rest.find('/')?..)?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            let digits = std::str::from_utf8(&digits).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns the URI of a file.
pub(super) fn uri_of(path: &Path) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_hooks_are_left_alone() {
        for (path, text, expected) in [
            ("/a/hooks.toml", "", Contents::Hooks),
            ("/a/hooks.local.toml", "", Contents::Hooks),
            ("/a/hooks.d/git.toml", "", Contents::Hooks),
            ("/a/policy.toml", "x = 1\n[[hook]]\n", Contents::Hooks),
            ("/a/hooks_test.toml", "[[case]]", Contents::Cases),
            ("/a/.codex/config.toml", "[[hooks.PreToolUse]]", Contents::Foreign),
            ("/a/settings.json", "{\"hooks\": {}}", Contents::Foreign),
            ("/a/Cargo.toml", "[package]\n", Contents::Other),
            ("/a/package.json", "{}", Contents::Other),
        ] {
            assert_eq!(contents_of(Path::new(path), text), expected, "{path}");
        }
    }

    #[test]
    fn names_of_files_go_both_ways() {
        let path = Path::new("/home/é x/100%/hooks.toml");
        let uri = uri_of(path);
        assert_eq!(uri, "file:///home/%C3%A9%20x/100%25/hooks.toml");
        assert_eq!(path_of(&uri).as_deref(), Some(path));
        assert_eq!(path_of("file://localhost/a").as_deref(), Some(Path::new("/a")));
        for wrong in ["untitled:1", "file:///%4", "file:///%zz", "file:///%ff"] {
            assert_eq!(path_of(wrong), None, "{wrong}");
        }
    }
}
