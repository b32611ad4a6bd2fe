//! One word of a command line, as far as it is known before the command runs.
//!
//! Quotes, escapes and braces are resolved already; what is left is text, a glob that the shell would
//! expand, or a part that is not known.

use std::borrow::Cow;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPart {
    /// Text that the program gets as it is. A quoted `*` is text.
    Text(String),
    /// Characters that the shell would replace by names of files: an unquoted `*`, `?` or `[…]`.
    Glob(String),
    /// What is not known before the command runs.
    Unknown {
        /// The text in the command, such as `$CMD`.
        written: String,
        /// Whether the shell splits it into any number of words, also none: it is not quoted.
        splits: bool,
    },
}

/// What git writes here are names of branches or commits: each is one word, which begins with no sign.
const NAMES_OF_GIT: [&str; 5] = [
    "git branch --show-current",
    "git rev-parse --abbrev-ref HEAD",
    "git symbolic-ref --short HEAD",
    "git rev-parse HEAD",
    "git rev-parse --short HEAD",
];

/// Whether a command writes nothing but words that begin with no sign: names that git gives, numbers, identifiers.
pub(crate) fn writes_plain_words(code: &str) -> bool {
    let code = code.trim();
    if NAMES_OF_GIT.contains(&code) {
        return true;
    }
    let counted = code.strip_prefix("wc -l <").or_else(|| code.strip_prefix("wc -c <"));
    if counted.unwrap_or(code).contains(['|', ';', '&', '<', '>', '$', '`', '\n']) {
        return false;
    }
    let bare = code.replace(['\'', '"'], "");
    let words: Vec<&str> = bare.split_ascii_whitespace().collect();
    let has = |asked: &[&str]| words.iter().any(|word| asked.contains(word));
    let is_quiet = |word: &&str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        let are_letters = letters.bytes().all(|letter| letter.is_ascii_lowercase());
        *word == "--quiet" || (are_letters && letters.contains('q'))
    };
    match words.as_slice() {
        ["git", "merge-base" | "describe", ..] => true,
        ["git", "rev-list", rest @ ..] => rest.iter().all(|word| is_plain_option(word)),
        ["git", "log", rest @ ..] => {
            has(&HASHES) && rest.iter().all(|word| HASHES.contains(word) || is_plain_option(word))
        }
        ["git", "branch" | "for-each-ref", ..] => has(&["--format=%(refname:short)"]),
        ["pgrep", rest @ ..] => !rest.iter().any(|word| {
            word.starts_with("--list") || (word.starts_with('-') && word.contains(['a', 'l']))
        }),
        ["lsof", rest @ ..] => rest.iter().any(|word| word.starts_with("-t")),
        ["docker" | "podman" | "nerdctl", rest @ ..] => match rest {
            ["ps" | "images", options @ ..]
            | ["container" | "image" | "volume" | "network", "ls", options @ ..]
            | ["compose", "ps", options @ ..] => {
                let formats = options.iter().any(|word| word.starts_with("--format"));
                !formats && options.iter().any(is_quiet)
            }
            _ => false,
        },
        ["kubectl" | "oc", "get", rest @ ..] | ["kubectl" | "oc", "-n", _, "get", rest @ ..] => {
            rest.windows(2).any(|pair| {
                pair == ["-o", "name"]
                    || pair == ["-o", "jsonpath={.items[0].metadata.name}"]
                    || pair == ["-o", "jsonpath={.metadata.name}"]
            }) || has(&["-o=name", "-oname"])
        }
        _ => counted.is_some(),
    }
}

/// Formats of `git log` that write hashes.
const HASHES: [&str; 6] = [
    "--format=%h",
    "--format=%H",
    "--pretty=%h",
    "--pretty=%H",
    "--pretty=format:%h",
    "--pretty=format:%H",
];

/// Whether a word of `git rev-list` or `git log` adds nothing to the names that these write.
fn is_plain_option(word: &str) -> bool {
    const PLAIN: [&str; 7] =
        ["--reverse", "--no-merges", "--merges", "--all", "--first-parent", "--branches", "--"];
    const LIMITS: [&str; 6] =
        ["--max-count=", "--since=", "--until=", "--after=", "--before=", "--author="];
    match word.strip_prefix('-') {
        None => true,
        Some(rest) => {
            PLAIN.contains(&word)
                || LIMITS.iter().any(|limit| word.starts_with(limit))
                || rest == "n"
                || rest.bytes().all(|digit| digit.is_ascii_digit())
        }
    }
}

impl WordPart {
    /// Returns whether it is the number that arithmetic gives: `$((n + 1))`.
    pub(crate) fn is_number(&self) -> bool {
        let WordPart::Unknown { written, .. } = self else { return false };
        let sum = written.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
        let is_plain = |sign: u8| sign.is_ascii_alphanumeric() || b" _+*/%".contains(&sign);
        sum.is_some_and(|sum| sum.bytes().all(is_plain))
    }

    /// Returns whether the part is not known, but certainly one word that begins with no sign.
    pub(crate) fn is_plain_name(&self) -> bool {
        if self.is_number() {
            return true;
        }
        let WordPart::Unknown { written, .. } = self else { return false };
        let inside = written.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        let inside =
            inside.or_else(|| written.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')));
        inside.is_some_and(writes_plain_words)
    }
}

/// One word of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The parts, in order. Neighbours of the same kind are joined.
    pub parts: Vec<WordPart>,
}

impl Word {
    /// The word with numbers that arithmetic gives as they are written: whatever they are, they are parts of a name.
    pub(crate) fn with_numbers(&self) -> Self {
        let mut named = Self::default();
        for part in &self.parts {
            named.push(match part {
                WordPart::Unknown { written, .. } if part.is_number() => {
                    WordPart::Text(written.clone())
                }
                part => part.clone(),
            });
        }
        named
    }

    /// Creates a word that is known.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![WordPart::Text(text.into())] }
    }

    /// Creates a word that is not known.
    #[must_use]
    pub fn unknown(written: impl Into<String>, splits: bool) -> Self {
        Self { parts: vec![WordPart::Unknown { written: written.into(), splits }] }
    }

    /// Adds a part, and joins texts.
    pub fn push(&mut self, part: WordPart) {
        match (self.parts.last_mut(), part) {
            (Some(WordPart::Text(last)), WordPart::Text(text)) => last.push_str(&text),
            (Some(WordPart::Glob(last)), WordPart::Glob(glob)) => last.push_str(&glob),
            (_, part) => self.parts.push(part),
        }
    }

    /// Returns the text if all of it is known. A word with a glob is not.
    #[must_use]
    pub fn known(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [WordPart::Text(text)] => Some(Cow::Borrowed(text)),
            parts => parts
                .iter()
                .map(|part| match part {
                    WordPart::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// Returns the text before the first glob or unknown part.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self.parts.first() {
            Some(WordPart::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns whether the word can stand for any number of words.
    #[must_use]
    pub fn splits(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, WordPart::Unknown { splits: true, .. }))
    }

    /// Returns whether a part is not known; a glob is no such part.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, WordPart::Unknown { .. }))
    }

    /// Returns whether the shell would replace a part by names of files.
    #[must_use]
    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, WordPart::Glob(_)))
    }

    /// Returns the word as a person would write it: texts and globs as they are, unknown parts as in
    /// the command.
    #[must_use]
    pub fn written(&self) -> String {
        let mut written = String::new();
        for part in &self.parts {
            match part {
                WordPart::Text(text) | WordPart::Glob(text) => written.push_str(text),
                WordPart::Unknown { written: unknown, .. } => written.push_str(unknown),
            }
        }
        written
    }

    /// Returns the word without its first `bytes` of known text: `-ofile` without 2 is `file`.
    #[must_use]
    pub fn without_start(&self, bytes: usize) -> Self {
        let mut word = Self::default();
        for (place, part) in self.parts.iter().enumerate() {
            match part {
                WordPart::Text(text) if place == 0 => {
                    let rest = text.get(bytes..).unwrap_or_default();
                    if !rest.is_empty() {
                        word.push(WordPart::Text(rest.to_owned()));
                    }
                }
                part => word.push(part.clone()),
            }
        }
        word
    }
}
