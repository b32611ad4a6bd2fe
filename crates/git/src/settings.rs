//! The settings of a repository: its own, those of its user, and those of the system.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookgate_contract::file;

use crate::repository::Repository;

/// How long a file of settings may be.
const LIMIT: u64 = 1 << 20;

/// How many files may be included.
const MOST_FILES: usize = 32;

/// Settings, each with the value that was read last at the end.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Keys as `section.Subsection.name`: section and name in lower case.
    values: Vec<(String, String)>,
    unclear: Option<String>,
}

impl Settings {
    /// Reads the settings of a repository for a user with this home folder.
    #[must_use]
    pub fn of(repository: &Repository, home: Option<&str>) -> Self {
        let mut files = vec![PathBuf::from("/etc/gitconfig")];
        if let Some(home) = home {
            files.push(Path::new(home).join(".config/git/config"));
            files.push(Path::new(home).join(".gitconfig"));
        }
        files.push(repository.shared_folder().join("config"));
        let mut settings = Self::default();
        let mut seen = BTreeSet::new();
        for file in files {
            settings.read(&file, home, &mut seen);
        }
        if settings.is_on("extensions.worktreeconfig") {
            settings.read(&repository.own_folder().join("config.worktree"), home, &mut seen);
        }
        settings
    }

    /// Sets a value as `git -c KEY=VALUE` does.
    pub fn set(&mut self, key: &str, value: &str) {
        self.values.push((normal(key), value.to_owned()));
    }

    /// Notes that something is not known of the settings.
    pub fn is_unclear(&mut self, why: impl Into<String>) {
        self.unclear.get_or_insert_with(|| why.into());
    }

    /// Returns why the settings are not wholly known.
    #[must_use]
    pub fn unclear(&self) -> Option<&str> {
        self.unclear.as_deref()
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let key = normal(key);
        self.values.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.as_str())
    }

    /// Returns all values of a key, in their order.
    #[must_use]
    pub fn all(&self, key: &str) -> Vec<&str> {
        let key = normal(key);
        let all = self.values.iter().filter(|(name, _)| *name == key);
        all.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the subsections of a section: the names of all remotes for `remote`.
    #[must_use]
    pub fn subsections(&self, section: &str) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (key, _) in &self.values {
            let Some(rest) = key.strip_prefix(section).and_then(|rest| rest.strip_prefix('.'))
            else {
                continue;
            };
            let Some((name, _)) = rest.rsplit_once('.') else { continue };
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns whether a switch is on.
    #[must_use]
    pub fn is_on(&self, key: &str) -> bool {
        let value = self.get(key).unwrap_or("false").to_ascii_lowercase();
        matches!(value.as_str(), "true" | "yes" | "on" | "1" | "")
    }

    fn read(&mut self, path: &Path, home: Option<&str>, seen: &mut BTreeSet<PathBuf>) {
        if seen.len() >= MOST_FILES || !seen.insert(path.to_owned()) {
            return;
        }
        let text = match file::read_text(path, LIMIT) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                return self.is_unclear(format!("{} cannot be read: {error}", path.display()));
            }
        };
        for (key, value) in entries(&text) {
            let included = || match (value.strip_prefix("~/"), home) {
                (Some(rest), Some(home)) => Path::new(home).join(rest),
                _ => path.parent().unwrap_or(Path::new("/")).join(&value),
            };
            if key == "include.path" {
                self.read(&included(), home, seen);
            } else if key.starts_with("includeif.") && decides_pushes(&included()) {
                self.is_unclear(format!("{} includes settings on a condition", path.display()));
            }
            self.values.push((key, value));
        }
    }
}

/// Whether a file of settings that may be included holds, or may hold, something that decides what is pushed.
fn decides_pushes(path: &Path) -> bool {
    let starts = ["push.", "branch.", "remote.", "include", "url.", "alias."];
    match file::read_text(path, LIMIT) {
        Ok(text) => {
            let keys = entries(&text);
            keys.iter().any(|(key, _)| starts.iter().any(|start| key.starts_with(start)))
        }
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

/// Brings section and name of a key to lower case.
fn normal(key: &str) -> String {
    let Some((section, rest)) = key.split_once('.') else { return key.to_ascii_lowercase() };
    match rest.rsplit_once('.') {
        Some((middle, name)) => {
            format!("{}.{middle}.{}", section.to_ascii_lowercase(), name.to_ascii_lowercase())
        }
        None => key.to_ascii_lowercase(),
    }
}

/// Reads the entries of a file of settings.
fn entries(text: &str) -> Vec<(String, String)> {
    // A backslash at the end of a line goes on with the value.
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    let mut all = Vec::new();
    let mut section = String::new();
    for line in joined.lines() {
        let mut line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            let Some((header, after)) = header(rest) else { continue };
            section = header;
            line = after.trim();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (name, value) = match line.split_once('=') {
            Some((name, value)) => (name.trim(), unquoted(value.trim())),
            None => (line, "true".to_owned()),
        };
        all.push((format!("{section}.{}", name.to_ascii_lowercase()), value));
    }
    all
}

/// Reads `section "Subsection"]` and returns it with what follows.
fn header(text: &str) -> Option<(String, &str)> {
    let Some((name, quoted)) = text.split_once('"').filter(|(name, _)| !name.contains(']')) else {
        let (name, after) = text.split_once(']')?;
        return Some((name.trim().to_ascii_lowercase(), after));
    };
    let mut subsection = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => subsection.extend(chars.next().map(|(_, c)| c)),
            '"' => {
                let after = quoted.get(at + 1..)?.split_once(']')?.1;
                return Some((format!("{}.{subsection}", name.trim().to_ascii_lowercase()), after));
            }
            c => subsection.push(c),
        }
    }
    None
}

/// Takes quotes, escapes and a comment out of a value.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let mut kept = 0;
    let mut in_quotes = false;
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => in_quotes = !in_quotes,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(c) => text.push(c),
                None => {}
            },
            '#' | ';' if !in_quotes => break,
            c if c.is_whitespace() && !in_quotes => {
                text.push(c);
                continue;
            }
            c => text.push(c),
        }
        kept = text.len();
    }
    text.truncate(kept);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_settings_is_read_as_git_does() {
        let text = "# c\n[push]\n\tdefault = current ; c\n[Branch \"Main.x\"]\n remote=origin\n  Merge = \"refs/heads/a b\" # c\n[remote \"o\\\"q\"] push = +HEAD:x\n bare\n[a.B]\nc = d \\\n e\n";
        let read = entries(text);
        let find =
            |key: &str| read.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        assert_eq!(find("push.default"), Some("current"));
        assert_eq!(find("branch.Main.x.remote"), Some("origin"));
        assert_eq!(find("branch.Main.x.merge"), Some("refs/heads/a b"));
        assert_eq!(find("remote.o\"q.push"), Some("+HEAD:x"));
        assert_eq!(find("remote.o\"q.bare"), Some("true"));
        assert_eq!(find("a.b.c"), Some("d  e"));
    }
}
