//! Whether what stands behind a telling name is a secret, or code, a placeholder, a word.

use crate::key;

/// Where a value stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The name before it.
    pub(crate) key: &'a str,
    /// Whether it stands in quotes.
    pub(crate) quoted: bool,
    /// Whether `=` stands between the two.
    pub(crate) equals: bool,
    /// Whether nothing follows it on its line.
    pub(crate) ends_line: bool,
    /// Whether only a random value is a secret here.
    pub(crate) if_random: bool,
}

/// Words that stand where a value will be.
const PLAIN: &[&str] = &[
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

/// How far code is read to tell that it is code.
const PIECE: usize = 256;

/// No system has a longer path.
const PATH: usize = 4096;

impl Place<'_> {
    /// Whether the value is a secret.
    pub(crate) fn holds(&self, value: &str) -> bool {
        let value = value.trim();
        if value.len() < 5 || is_reference(value) || is_filler(value) || is_path(value) {
            return false;
        }
        if PLAIN.iter().any(|word| word.eq_ignore_ascii_case(value)) {
            return false;
        }
        if self.if_random {
            return is_random(value);
        }
        // First what is told by the beginning: what is none may hold many other values.
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
        // Words only. In an environment that is a value, in code a name or a type.
        let shouts = !self.key.bytes().any(|byte| byte.is_ascii_lowercase());
        let small = value.bytes().all(|byte| byte.is_ascii_lowercase());
        self.equals && shouts || small && self.ends_line
    }

    /// Whether the value repeats the name: `token = user_token`, `"password": "Password"`.
    fn names_key(&self, value: &str) -> bool {
        let word = key::last_word(self.key);
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

fn head(value: &str) -> &str {
    let mut end = value.len().min(PIECE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// Whether a value says where the secret is: `$PASS`, `${{ secrets.X }}`, `<token>`, `YOUR_TOKEN`.
pub(crate) fn is_reference(value: &str) -> bool {
    let bytes = value.as_bytes();
    let letter = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
    let begins = match bytes.first() {
        Some(b'$') => {
            matches!(bytes.get(1), Some(b'{' | b'(' | b'['))
                || letter(1)
                    && bytes.iter().skip(1).all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        }
        Some(b'%') => {
            letter(1) && (bytes.len() == 2 || bytes.ends_with(b"%")) || bytes.get(1) == Some(&b'(')
        }
        Some(b'#') => bytes.get(1) == Some(&b'{'),
        Some(b'<') => bytes.ends_with(b">") || bytes.get(1).is_some_and(u8::is_ascii_alphabetic),
        Some(b'{' | b'[' | b'(') => true,
        Some(b'!') => ["!Ref", "!Sub", "!GetAtt", "!vault", "!secret"]
            .iter()
            .any(|tag| value.starts_with(tag)),
        _ => ["arn:", "op://", "vault:", "ssm:", "sm://", "env:", "secrets.", "your-", "your_"]
            .iter()
            .any(|start| value.starts_with(start)),
    };
    let head = head(value);
    let interpolates = ["${", "{{", "#{", "%("].iter().any(|open| head.contains(open));
    let shouts = value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && value.contains('_');
    begins || interpolates || shouts
}

/// Whether a value fills a place: `xxxxxx`, `******`, `......`.
fn is_filler(value: &str) -> bool {
    let mut chars = value.chars();
    let first = chars.next();
    chars.all(|c| Some(c) == first)
        || value
            .chars()
            .all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '•' | '…' | '='))
}

/// Whether a value is the path of a file, at which a secret may stand.
///
/// ```
/// assert!(hookgate_secrets::is_path("/run/secrets/db") && hookgate_secrets::is_path("~/.netrc"));
/// assert!(!hookgate_secrets::is_path("/0aB1cD2+eF3gH4iJ5="));
/// ```
#[must_use]
pub fn is_path(value: &str) -> bool {
    let rooted = ["./", "../", "~/", "$HOME", "file:"].iter().any(|start| value.starts_with(start));
    let drive = matches!(value.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    rooted || drive || value.len() <= PATH && value.starts_with('/') && !value.contains(['+', '='])
}

/// Whether a value looks as if nobody had made it up: letters and digits in one long word.
///
/// ```
/// assert!(hookgate_secrets::is_random("0aB1cD2eF3gH4iJ5kL6m"));
/// assert!(!hookgate_secrets::is_random("fa812bfe-b295-4cca-9c2f-fdf01028cb46"));
/// assert!(!hookgate_secrets::is_random("users/12/avatar.png"));
/// ```
#[must_use]
pub fn is_random(value: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-.~".contains(&byte);
    if !(16..=4096).contains(&value.len()) || !value.bytes().all(known) {
        return false;
    }
    let longest = value.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|word| word.len());
    longest.is_some_and(|word| {
        word.len() >= 13
            && word.bytes().filter(u8::is_ascii_digit).count() >= 2
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// Whether a value is one name, as programs have them.
fn is_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && value.len() <= 64
        && !value.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a value that stands without quotes is code: a call, a path of names, a type.
fn is_code(value: &str) -> bool {
    let rest = value.trim_start_matches(['&', '*', '!']);
    if rest.len() < value.len() && rest.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let name =
        rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count();
    let (Some(name), Some(after)) = (rest.get(..name), rest.get(name..)) else { return false };
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || is_random(name) {
        return name.is_empty() && after.starts_with(['|', '=', ')', ']', '}']);
    }
    let dotted = after.strip_prefix('.').or_else(|| after.strip_prefix("?."));
    after.starts_with(['(', '[', '<', '{'])
        || after.starts_with("::")
        || after.starts_with("->")
        || after.starts_with("!(")
        || dotted
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))
}
