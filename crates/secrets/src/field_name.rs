//! What the name of a field says about its value.
//!
//! A password has no form of its own, so most secrets are found by the name in front of them. A name
//! is split into words and read from its end: the last word says what the value is (`db_password`),
//! the word before it may change that (`next_token` is a position in a list). Reading the words, and
//! not searching for parts of them, keeps `tokenizer`, `compass` and `monkey` out.

mod vocabulary;
mod words;

#[cfg(test)]
mod tests;

use self::vocabulary::{
    OTHER_KEYS, OTHER_PASSWORDS, OTHER_TOKENS, PASSWORD_PREFIXES, SECRET_ENDINGS, SECRET_KEYS,
    SECRET_WORDS,
};
use self::words::Words;

/// What the name of a field says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameHint {
    /// Nothing.
    Nothing,
    /// The value is a secret if it looks random: `stripe_key`, but `sort_key` as well.
    IfRandom,
    /// The value is a secret.
    Secret,
}

/// How many bytes of a name are read, from its end.
const MAX_LENGTH: usize = 80;

/// Returns whether a field of this name holds a secret, whatever its value looks like.
///
/// The name may be in camel, snake, kebab or upper case. Its last words count; a number at its end
/// does not. Of a very long name the last 80 bytes are read. It does not allocate.
///
/// ```
/// use hookgate_secrets::is_secret_key;
///
/// for key in ["SecretAccessKey", "db_password", "X-Api-Key", "PGPASSWORD", "accessToken2"] {
///     assert!(is_secret_key(key), "{key}");
/// }
/// for key in ["access_key_id", "max_tokens", "nextPageToken", "primary_key", "tokenizer"] {
///     assert!(!is_secret_key(key), "{key}");
/// }
/// ```
#[must_use]
pub fn is_secret_key(key: &str) -> bool {
    name_hint(key) == NameHint::Secret
}

/// Returns whether a field of this name holds a secret if its value [is random](crate::is_random).
///
/// Many things are called a key. `stripe_key` holds a secret, `sort_key` does not, and a name such as
/// `user_key` may hold either: there the value decides.
///
/// ```
/// use hookgate_secrets::is_key_with_random_value;
///
/// assert!(is_key_with_random_value("stripe_key"));
/// assert!(!is_key_with_random_value("sort_key"), "never a secret");
/// assert!(!is_key_with_random_value("api_key"), "always a secret");
/// ```
#[must_use]
pub fn is_key_with_random_value(key: &str) -> bool {
    name_hint(key) == NameHint::IfRandom
}

/// Returns what a name says about the value of its field. It does not allocate.
pub(crate) fn name_hint(key: &str) -> NameHint {
    if !may_hint(key) {
        return NameHint::Nothing;
    }
    // A placeholder names what was redacted, and says nothing about a value that follows.
    if key.contains("[redacted:") {
        return NameHint::Nothing;
    }
    let mut words = Words(tail(key));
    let Some(last) = words.next() else { return NameHint::Nothing };
    let before = words.next().unwrap_or_default();
    let secret = |yes: bool| if yes { NameHint::Secret } else { NameHint::Nothing };
    if is_one(last, &["token"]) {
        return secret(!is_one(before, OTHER_TOKENS));
    }
    if is_one(last, &["password", "pwd"]) {
        return secret(!is_one(before, OTHER_PASSWORDS));
    }
    if is_one(last, SECRET_WORDS) {
        return NameHint::Secret;
    }
    if is_one(last, &["key"]) {
        return if is_one(before, SECRET_KEYS) {
            NameHint::Secret
        } else if before.is_empty() || is_one(before, OTHER_KEYS) {
            NameHint::Nothing
        } else {
            NameHint::IfRandom
        };
    }
    if is_one(last, &["pass"]) {
        let shouts = !key.is_empty() && !key.bytes().any(|byte| byte.is_ascii_lowercase());
        return secret(is_one(before, PASSWORD_PREFIXES) || (shouts && !before.is_empty()));
    }
    if is_one(last, &["cookie"]) {
        return secret(is_one(before, &["set", "session", "auth"]));
    }
    if is_one(last, &["string"]) {
        return secret(is_one(before, &["connection", "conn"]));
    }
    if is_one(last, &["base"]) {
        // Rails: `secret_key_base`.
        let third = words.next().unwrap_or_default();
        return secret(is_one(before, &["key"]) && is_one(third, &["secret"]));
    }
    let ending = SECRET_ENDINGS.iter().find(|ending| ends_with(last, ending));
    let other =
        ending == Some(&"token") && OTHER_TOKENS.iter().any(|start| starts_with(last, start));
    secret(ending.is_some() && !other)
}

/// Whether the last two letters are those of a word that says something: of most names they are not.
fn may_hint(key: &str) -> bool {
    let bytes = key.as_bytes();
    let Some(last) = bytes.iter().rposition(u8::is_ascii_alphabetic) else { return false };
    let before = last.checked_sub(1).and_then(|before| bytes.get(before)).copied();
    let ending = (before.unwrap_or_default(), bytes.get(last).copied().unwrap_or_default());
    matches!(
        (ending.0.to_ascii_lowercase(), ending.1.to_ascii_lowercase()),
        (b'e', b'n' | b't' | b'y')
            | (b'r' | b'w', b'd')
            | (b'd' | b'l' | b's', b's')
            | (b's' | b'd' | b'i', b'e')
            | (b'a', b'l')
            | (b'o', b'n')
            | (b's', b'k')
            | (b'n', b'g')
    )
}

/// Returns the last word of a name.
pub(crate) fn last_word(key: &str) -> &str {
    Words(tail(key)).next().unwrap_or_default()
}

fn tail(key: &str) -> &str {
    let mut from = key.len().saturating_sub(MAX_LENGTH);
    while !key.is_char_boundary(from) {
        from += 1;
    }
    key.get(from..).unwrap_or_default()
}

fn is_one(word: &str, list: &[&str]) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

fn ends_with(word: &str, ending: &str) -> bool {
    word.len()
        .checked_sub(ending.len())
        .and_then(|from| word.get(from..))
        .is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

fn starts_with(word: &str, start: &str) -> bool {
    word.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}
