//! Names of fields that hold secrets.

/// What the name of a field tells about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tells {
    /// Nothing.
    Nothing,
    /// It is a secret if it looks random: `stripe_key`, but `sort_key` as well.
    IfRandom,
    /// It is a secret.
    Secret,
}

/// A name that is longer is read from its end.
const LONGEST: usize = 80;

/// Last words of names of secrets.
const WORDS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passcode",
    "pwd",
    "secret",
    "token",
    "credential",
    "credentials",
    "apikey",
    "authorization",
];

/// What a last word ends with where nobody separated the words: `PGPASSWORD`, `authtoken`.
const ENDINGS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "secretkey",
    "accesskey",
    "privatekey",
    "connectionstring",
];

/// Words before `key` that make it a secret whatever it looks like.
const KEYS: &[&str] = &[
    "api",
    "access",
    "private",
    "secret",
    "encryption",
    "signing",
    "master",
    "account",
    "shared",
    "auth",
    "hmac",
];

/// Words before `key` that make it none.
const OTHER_KEYS: &[&str] = &[
    "public",
    "publishable",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "idempotency",
    "object",
    "row",
    "group",
    "host",
    "unique",
    "composite",
    "shift",
    "sharding",
    "shard",
    "dedup",
    "deduplication",
    "query",
    "translation",
    "route",
    "routing",
    "s",
    "bucket",
];

/// Words before `pass` that make it a password.
const PASSES: &[&str] = &[
    "db", "database", "user", "smtp", "mail", "email", "imap", "ftp", "sftp", "ssh", "redis",
    "mysql", "postgres", "pg", "mongo", "rabbitmq", "root", "admin", "sudo", "login", "http",
    "proxy", "wifi", "vpn", "ldap", "app", "basic", "auth", "cert", "keystore", "key", "my",
];

/// Words before `token` that make it a place in a list, or a piece of a text.
const OTHER_TOKENS: &[&str] = &[
    "next",
    "page",
    "continuation",
    "cancel",
    "cancellation",
    "pagination",
    "cursor",
    "stop",
    "eos",
    "bos",
    "pad",
    "unk",
    "sep",
    "cls",
    "mask",
    "max",
    "min",
    "start",
    "end",
    "per",
    "special",
    "image",
    "prompt",
    "output",
    "input",
    "first",
    "last",
    "current",
    "total",
    "each",
    "single",
    "symbol",
    "sync",
    "design",
    "color",
    "spacing",
    "abort",
    "change",
];

/// Words before `password` that make it a question or a deed.
const OTHER_PASSWORDS: &[&str] = &[
    "forgot", "reset", "show", "hide", "toggle", "change", "is", "has", "no", "requires", "needs",
];

/// Whether a field of this name holds a secret. The name may be camel, snake, kebab or upper case;
/// its last words count, a number at its end does not.
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
    tells(key) == Tells::Secret
}

/// Whether a field of this name holds a secret if its value [is random](crate::is_random), as that
/// of `stripe_key`, but not of `sort_key`.
#[must_use]
pub fn is_key_with_random_value(key: &str) -> bool {
    tells(key) == Tells::IfRandom
}

/// What a name tells. It allocates nothing.
pub(crate) fn tells(key: &str) -> Tells {
    // A placeholder in the place of a key tells what was there, not what it holds.
    if key.contains("[redacted:") {
        return Tells::Nothing;
    }
    let mut words = Words(tail(key));
    let Some(last) = words.next() else { return Tells::Nothing };
    let before = words.next().unwrap_or_default();
    let secret = |yes: bool| if yes { Tells::Secret } else { Tells::Nothing };
    if is_one(last, &["token"]) {
        return secret(!is_one(before, OTHER_TOKENS));
    }
    if is_one(last, &["password", "pwd"]) {
        return secret(!is_one(before, OTHER_PASSWORDS));
    }
    if is_one(last, WORDS) {
        return Tells::Secret;
    }
    if is_one(last, &["key"]) {
        return if is_one(before, KEYS) {
            Tells::Secret
        } else if before.is_empty() || is_one(before, OTHER_KEYS) {
            Tells::Nothing
        } else {
            Tells::IfRandom
        };
    }
    if is_one(last, &["pass"]) {
        let shouts = !key.is_empty() && !key.bytes().any(|byte| byte.is_ascii_lowercase());
        return secret(is_one(before, PASSES) || (shouts && !before.is_empty()));
    }
    if is_one(last, &["string"]) {
        return secret(is_one(before, &["connection", "conn"]));
    }
    if is_one(last, &["base"]) {
        // Rails: `secret_key_base`.
        let third = words.next().unwrap_or_default();
        return secret(is_one(before, &["key"]) && is_one(third, &["secret"]));
    }
    let ending = ENDINGS.iter().find(|ending| ends_with(last, ending));
    let other =
        ending == Some(&"token") && OTHER_TOKENS.iter().any(|start| starts_with(last, start));
    secret(ending.is_some() && !other)
}

/// The last word of a name, for what repeats it.
pub(crate) fn last_word(key: &str) -> &str {
    Words(tail(key)).next().unwrap_or_default()
}

fn tail(key: &str) -> &str {
    let mut from = key.len().saturating_sub(LONGEST);
    while !key.is_char_boundary(from) {
        from += 1;
    }
    key.get(from..).unwrap_or_default()
}

/// The words of a name, from the last to the first; numbers at its end are left out.
struct Words<'a>(&'a str);

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = self.0.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        if end.is_empty() {
            return None;
        }
        let bytes = end.as_bytes();
        let mut from = bytes.len() - 1;
        // A word goes back over small letters to the large one that begins it, or over large ones.
        let small = bytes.get(from).is_some_and(u8::is_ascii_lowercase);
        while let Some(byte) = from.checked_sub(1).and_then(|before| bytes.get(before)) {
            let current = bytes.get(from).copied().unwrap_or_default();
            let goes_on = if small {
                (byte.is_ascii_lowercase() || byte.is_ascii_digit())
                    && !current.is_ascii_uppercase()
                    || (byte.is_ascii_uppercase() && current.is_ascii_lowercase())
            } else {
                byte.is_ascii_uppercase() || byte.is_ascii_digit()
            };
            if !goes_on {
                break;
            }
            from -= 1;
        }
        self.0 = end.get(..from).unwrap_or_default();
        end.get(from..)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        for (key, expected) in [
            ("SecretAccessKey", vec!["Key", "Access", "Secret"]),
            ("aws_secret-access.key", vec!["key", "access", "secret", "aws"]),
            ("DB_PASSWORD_2", vec!["PASSWORD", "DB"]),
            ("accessToken1", vec!["Token", "access"]),
            ("APIKey", vec!["Key", "API"]),
            ("s3Key", vec!["Key", "s"]),
            ("passwört", vec!["rt", "passw"]),
            ("", vec![]),
            ("_1", vec![]),
        ] {
            assert_eq!(Words(key).collect::<Vec<_>>(), expected, "{key}");
        }
    }

    #[test]
    fn keys_of_secrets_are_told_in_every_spelling() {
        for key in [
            "SecretAccessKey",
            "SessionToken",
            "aws_secret_access_key",
            "db_password",
            "dbPassword",
            "accessToken",
            "passwd",
            "pwd",
            "credentials",
            "connectionString",
            "DB_PASS",
            "passphrase",
            "SECRET_KEY",
            "Client-Secret",
            "X-Auth-Token",
            "privateKey",
            "PGPASSWORD",
            "authtoken",
            "MYSQL_PWD",
            "secret_key_base",
            "AccountKey",
            "spring.datasource.password",
            "Proxy-Authorization",
            "_authToken",
            "API_KEY_2",
            "MY_SERVICE_PASS",
            "ConnectionString",
        ] {
            assert!(is_secret_key(key), "{key}");
        }
        for key in [
            "password_hint",
            "tokens",
            "max_tokens",
            "token_count",
            "access_key_id",
            "nextToken",
            "next_page_token",
            "continuationToken",
            "showPassword",
            "primary_key",
            "publicKey",
            "key",
            "author",
            "secretary",
            "tokenizer",
            "passed",
            "compass",
            "test_pass",
            "monkey",
            "first_pass",
            "",
            "string",
            "nexttoken",
            "secret_name",
            "passwordField",
        ] {
            assert!(!is_secret_key(key), "{key}");
        }
        for key in ["stripe_key", "STRIPE_KEY", "sessionKey"] {
            assert!(is_key_with_random_value(key), "{key}");
        }
    }
}
