//! Decides whether the value after the name of a secret is a secret, or code, a placeholder, a word.
//!
//! `password` is followed by a secret in a config, by a type in a program, by a variable in a script
//! and by a sentence in a manual. To tell them apart, the value is classified by its form and by how it
//! is written: in quotes or not, after `=` or `:`, at the end of a line or within it.

//!
//! In this order, and the first rule that applies decides:
//!
//! 1. Fewer than 5 characters, a reference (`$TOKEN`), a filler (`****`), a path, or a word such as
//!    `string`: not a secret.
//! 2. After a name that may mean anything (`stripe_key`): a secret if it looks random.
//! 3. Bare code (`os.environ[…]`, `self.token`), or fewer than 8 characters of one sort: not a secret.
//! 4. In quotes: a secret if it has a digit, or if it neither repeats the name nor is a sentence.
//! 5. Bare and repeating the name (`token = user_token`): not a secret.
//! 6. Bare with other characters than letters: a secret.
//! 7. Bare letters: a secret in an environment (`DB_PASSWORD=CorrectHorse`) or at the end of a line.

mod form;

pub use form::{is_path, is_random};

use crate::field_name;
pub(crate) use form::is_reference;
use form::{head, is_code, is_filler, is_name};

/// How a value is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValueContext<'a> {
    /// The name before it.
    pub(crate) key: &'a str,
    /// Whether it is in quotes.
    pub(crate) quoted: bool,
    /// Whether `=` separates the two.
    pub(crate) equals: bool,
    /// Whether nothing follows it on its line.
    pub(crate) ends_line: bool,
    /// Whether only a random value is a secret here.
    pub(crate) if_random: bool,
}

/// Words that are written in place of a value.
const PLAIN_WORDS: &[&str] = &[
    "string",
    "number",
    "boolean",
    "object",
    "false",
    "undefined",
    "required",
    "optional",
    "hidden",
    "redacted",
    "masked",
    "unknown",
    "never",
    "bytes",
    "integer",
    "default",
    "enabled",
    "disabled",
    "inherit",
    "present",
    "missing",
    "invalid",
    "expired",
    "example",
    "secret",
    "password",
    "nullable",
    "anonymous",
    "promise",
];

impl ValueContext<'_> {
    /// Returns whether the value is a secret.
    pub(crate) fn is_secret(&self, value: &str) -> bool {
        let value = value.trim();
        if value.len() < 5 || is_reference(value) || is_filler(value) || is_path(value) {
            return false;
        }
        if PLAIN_WORDS.iter().any(|word| word.eq_ignore_ascii_case(value)) {
            return false;
        }
        if self.if_random {
            return is_random(value);
        }
        // Checks that read the beginning only come first: a long value is often code.
        if !self.quoted && is_code(head(value)) {
            return false;
        }
        let digit = value.bytes().any(|byte| byte.is_ascii_digit());
        let mixed = digit && value.bytes().any(|byte| byte.is_ascii_alphabetic());
        if value.len() < 8 && !mixed {
            return false;
        }
        let names_key = || self.names_key(value);
        if self.quoted {
            return digit || !names_key() && value.split_whitespace().take(5).count() < 5;
        }
        if is_name(value) && names_key() {
            return false;
        }
        if !value.bytes().all(|byte| byte.is_ascii_alphabetic() || b"_.-/,".contains(&byte)) {
            return true;
        }
        // Words only. In an environment that is a value; in code it is a name or a type.
        let shouts = !self.key.bytes().any(|byte| byte.is_ascii_lowercase());
        let small = value.bytes().all(|byte| byte.is_ascii_lowercase());
        self.equals && shouts || small && self.ends_line
    }

    /// Whether the value repeats the name: `token = user_token`, `"password": "Password"`.
    fn names_key(&self, value: &str) -> bool {
        let word = field_name::last_word(self.key);
        let digits = value.bytes().filter(u8::is_ascii_digit).take(2).count();
        digits < 2 && contains_ignore_case(head(value), word)
    }
}

fn contains_ignore_case(text: &str, word: &str) -> bool {
    !word.is_empty()
        && text
            .as_bytes()
            .windows(word.len())
            .any(|piece| piece.eq_ignore_ascii_case(word.as_bytes()))
}
