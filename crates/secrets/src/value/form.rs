//! The form of a value: a reference, a filler, a path, a name, code, or random characters.
//!
//! Each function answers one question about a text and knows nothing of what surrounds it. None of
//! them allocates, and each reads a bounded part of the value or all of it once.

/// How many bytes of a value are read to tell whether it is code.
const HEAD: usize = 256;

/// The longest path of any system, in bytes.
const MAX_PATH: usize = 4096;

/// Returns the beginning of a value.
pub(super) fn head(value: &str) -> &str {
    let mut end = value.len().min(HEAD);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// Returns whether a value says where the secret is: `$PASS`, `${{ secrets.X }}`, `<token>`, `YOUR_TOKEN`.
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

/// Returns whether a value is a filler: `xxxxxx`, `******`, `......`.
pub(super) fn is_filler(value: &str) -> bool {
    let mut chars = value.chars();
    let first = chars.next();
    chars.all(|c| Some(c) == first)
        || value
            .chars()
            .all(|c| matches!(c, 'x' | 'X' | '*' | '.' | '-' | '_' | '#' | '•' | '…' | '='))
}

/// Returns whether a value is the path of a file, which may hold a secret but is not one.
///
/// ```
/// assert!(hookgate_secrets::is_path("/run/secrets/db") && hookgate_secrets::is_path("~/.netrc"));
/// assert!(!hookgate_secrets::is_path("/0aB1cD2+eF3gH4iJ5="));
/// ```
#[must_use]
pub fn is_path(value: &str) -> bool {
    let rooted = ["./", "../", "~/", "$HOME", "file:"].iter().any(|start| value.starts_with(start));
    let drive = matches!(value.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    rooted
        || drive
        || value.len() <= MAX_PATH && value.starts_with('/') && !value.contains(['+', '='])
}

/// Returns whether a value looks as if a machine had made it: letters and digits in one long word.
///
/// It must have 16 to 4,096 bytes and a word of at least 13, with two digits. UUIDs and paths of URLs
/// are not random in this sense, since their words are short.
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

/// Returns whether a value is one name, as programs have them.
pub(super) fn is_name(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && value.len() <= 64
        && !value.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns whether a value without quotes is code: a call, a path of names, a type.
pub(super) fn is_code(value: &str) -> bool {
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
