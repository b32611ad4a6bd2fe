//! The form of a pack: one JSON document, whose bytes depend on nothing but the files in it.
//!
//! ```json
//! {
//!   "hookgate_pack": 1,
//!   "name": "guards",
//!   "config": "hooks.toml",
//!   "files": [
//!     {"path": "guard.sh", "executable": true, "text": "#!/bin/sh\n…"},
//!     {"path": "hooks.toml", "text": "[[hook]]\n…"}
//!   ]
//! }
//! ```
//!
//! The files are in the order of their paths. It is text, so that people can read what they pin; a file that is
//! not UTF-8 stands in it as `base64`.

use std::collections::BTreeMap;

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

/// The version of the form.
const VERSION: u32 = 1;

/// How many files a pack may have.
const MOST: usize = 1000;

/// How many bytes a name of a pack may have.
const LONGEST_NAME: usize = 64;

/// What is wrong with a pack.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// It has another form.
    #[error("it is no pack: {0}")]
    Form(String),
    /// It is of a later version of this program.
    #[error("it is a pack of version {0}, and this program knows version {VERSION} only")]
    Version(u32),
    /// The name could not be that of a folder.
    #[error(
        "`{0}` is no name of a pack: it has letters, digits, `-`, `_` and `.`, and begins with none of them but a letter or a digit"
    )]
    Name(String),
    /// A path leads out of the pack, or cannot be written.
    #[error(
        "`{0}` is no path within a pack: it begins at the pack, and has no `.`, no `..` and no backslash"
    )]
    Path(String),
    /// A path is there twice, as a file or as a folder.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// There is no such file.
    #[error("its config `{0}` is not in it")]
    NoConfig(String),
    /// The content of a file is not readable.
    #[error("`{0}` has either a `text` or a `base64`")]
    Content(String),
    /// There are too many files.
    #[error("it has more than {MOST} files")]
    TooMany,
}

/// A file in a pack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedFile {
    /// What is in it.
    pub(crate) content: Vec<u8>,
    /// Whether it can be run.
    pub(crate) is_executable: bool,
}

/// What a pack is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Archive {
    /// Its name, for people.
    pub(crate) name: String,
    /// The path of its config.
    pub(crate) config: String,
    /// Its files, by their paths.
    pub(crate) files: BTreeMap<String, PackedFile>,
}

/// The document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    hookgate_pack: u32,
    name: String,
    config: String,
    files: Vec<WrittenFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFile {
    path: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    executable: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Archive {
    /// Makes a pack of files.
    ///
    /// # Errors
    /// A name that no pack may have; or the config is not one of the files.
    pub(crate) fn new(
        name: &str,
        config: &str,
        files: BTreeMap<String, PackedFile>,
    ) -> Result<Self, ArchiveError> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let begins_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins_well || name.len() > LONGEST_NAME || !name.chars().all(is_name) {
            return Err(ArchiveError::Name(name.to_owned()));
        }
        if files.len() > MOST {
            return Err(ArchiveError::TooMany);
        }
        if let Some(outside) = files.keys().find(|path| !is_inside(path)) {
            return Err(ArchiveError::Path(outside.clone()));
        }
        // A file cannot be the folder of another one.
        let is_folder = |path: &&String| {
            let folder = format!("{path}/");
            files.range(folder.clone()..).next().is_some_and(|(next, _)| next.starts_with(&folder))
        };
        if let Some(both) = files.keys().find(is_folder) {
            return Err(ArchiveError::Twice(both.clone()));
        }
        if !files.contains_key(config) {
            return Err(ArchiveError::NoConfig(config.to_owned()));
        }
        Ok(Self { name: name.to_owned(), config: config.to_owned(), files })
    }

    /// Returns the bytes of the pack.
    ///
    /// # Errors
    /// None: every part of it can be written as JSON.
    pub(crate) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let file = |(path, file): (&String, &PackedFile)| {
            let text = std::str::from_utf8(&file.content).ok().map(str::to_owned);
            let base64 = text.is_none().then(|| BASE64.encode(&file.content));
            WrittenFile { path: path.clone(), executable: file.is_executable, text, base64 }
        };
        let written = Written {
            hookgate_pack: VERSION,
            name: self.name.clone(),
            config: self.config.clone(),
            files: self.files.iter().map(file).collect(),
        };
        let mut bytes = serde_json::to_vec_pretty(&written)?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Reads a pack whose bytes were compared with the hash.
    ///
    /// # Errors
    /// It is no pack, or a path leads out of it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, ArchiveError> {
        let form = |error: serde_json::Error| ArchiveError::Form(error.to_string());
        let written: Written = serde_json::from_slice(bytes).map_err(form)?;
        if written.hookgate_pack != VERSION {
            return Err(ArchiveError::Version(written.hookgate_pack));
        }
        let mut files = BTreeMap::new();
        for WrittenFile { path, executable, text, base64 } in written.files {
            let content = match (text, base64) {
                (Some(text), None) => Some(text.into_bytes()),
                (None, Some(base64)) => BASE64.decode(base64.as_bytes()).ok(),
                _ => None,
            };
            let content = content.ok_or_else(|| ArchiveError::Content(path.clone()))?;
            let file = PackedFile { content, is_executable: executable };
            if files.insert(path.clone(), file).is_some() {
                return Err(ArchiveError::Twice(path));
            }
        }
        Self::new(&written.name, &written.config, files)
    }
}

/// Tells whether a path stays within the folder at which it begins.
fn is_inside(path: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..");
    !path.contains(|c: char| c == '\\' || c.is_control()) && path.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(files: &[(&str, &[u8])]) -> Result<Archive, ArchiveError> {
        let file = |content: &[u8]| PackedFile { content: content.to_vec(), is_executable: false };
        let files = files.iter().map(|(path, content)| ((*path).to_owned(), file(content)));
        Archive::new("guards", "hooks.toml", files.collect())
    }

    #[test]
    fn what_was_written_is_read() {
        let archive = packed(&[("hooks.toml", b"x"), ("data/a", &[0, 159, 146, 150])]).unwrap();
        let bytes = archive.to_bytes().unwrap();
        assert_eq!(Archive::read(&bytes).unwrap(), archive);
        assert_eq!(archive.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn no_path_leaves_the_pack() {
        for path in
            ["", "/etc/passwd", "../a", "a/../../b", "a//b", "./a", "a/.", "a\\b", "a\0b", "a/"]
        {
            let wrong = packed(&[("hooks.toml", b""), (path, b"")]);
            assert_eq!(wrong, Err(ArchiveError::Path(path.to_owned())), "{path}");
        }
        assert!(packed(&[("hooks.toml", b""), ("..a/b..", b"")]).is_ok());
        let both = packed(&[("a", b""), ("a.b", b""), ("a/b", b""), ("hooks.toml", b"")]);
        assert_eq!(both, Err(ArchiveError::Twice("a".to_owned())));
    }

    #[test]
    fn another_form_is_no_pack() {
        let good = String::from_utf8(packed(&[("hooks.toml", b"x")]).unwrap().to_bytes().unwrap())
            .unwrap();
        assert!(Archive::read(good.as_bytes()).is_ok());
        for (part, instead) in [
            ("\"hookgate_pack\": 1", "\"hookgate_pack\": 2"),
            ("\"name\": \"guards\"", "\"name\": \"../up\""),
            ("\"name\": \"guards\"", "\"name\": \"guards\", \"more\": 1"),
            ("\"config\": \"hooks.toml\"", "\"config\": \"other.toml\""),
            ("\"text\": \"x\"", "\"text\": \"x\", \"base64\": \"eA==\""),
            ("\"text\": \"x\"", "\"base64\": \"?\""),
            ("\"path\": \"hooks.toml\"", "\"path\": \"../hooks.toml\""),
        ] {
            assert!(good.contains(part), "{part}");
            assert!(Archive::read(good.replace(part, instead).as_bytes()).is_err(), "{instead}");
        }
    }
}
