//! Tokens that are known by their shape.

/// What stands in the place of a token.
const HIDDEN: &str = "[secret]";

/// How tokens begin, and how many characters follow at least.
const BEGINNINGS: &[(&str, usize)] = &[
    ("AIza", 30),
    ("AKIA", 16),
    ("ASIA", 16),
    ("SG.", 40),
    ("dop_v1_", 40),
    ("eyJ", 30),
    ("gho_", 30),
    ("ghp_", 30),
    ("ghr_", 30),
    ("ghs_", 30),
    ("ghu_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("hf_", 30),
    ("npm_", 30),
    ("pypi-", 30),
    ("rk_live_", 16),
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("xapp-", 10),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
];

/// Words behind which a token stands.
const SCHEMES: &[&str] = &["Bearer ", "bearer ", "Basic ", "basic "];

/// A token behind a scheme has so many characters at least.
const BEHIND_SCHEME: usize = 12;

const KEY_BEGINS: &str = "-----BEGIN ";
const KEY_ENDS: &str = "-----END ";

/// The text without tokens.
pub(super) fn hide(text: String) -> String {
    let mut hidden = String::new();
    let mut rest = text.as_str();
    let mut before = None;
    let mut found = false;
    while let Some(next) = rest.chars().next() {
        let begins = !before.is_some_and(char::is_alphanumeric);
        if begins && let Some((kept, taken)) = token(rest) {
            found = true;
            hidden.push_str(rest.get(..kept).unwrap_or_default());
            hidden.push_str(HIDDEN);
            rest = rest.get(kept + taken..).unwrap_or_default();
            before = Some(']');
            continue;
        }
        hidden.push(next);
        before = Some(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    if found { hidden } else { text }
}

/// How many bytes at the beginning are to be kept and how many behind them to be hidden.
fn token(text: &str) -> Option<(usize, usize)> {
    if text.starts_with(KEY_BEGINS) {
        let head = text.lines().next().unwrap_or_default();
        let end = text.find(KEY_ENDS).and_then(|end| {
            let after = text.get(end..)?.find('\n').unwrap_or(text.len() - end);
            Some(end + after)
        });
        return head.contains("PRIVATE KEY").then_some((0, end.unwrap_or(text.len())));
    }
    if let Some(scheme) = SCHEMES.iter().find(|scheme| text.starts_with(**scheme)) {
        let length = run(text.get(scheme.len()..)?, "-_.+/=~");
        return (length >= BEHIND_SCHEME).then_some((scheme.len(), length));
    }
    let (beginning, least) = BEGINNINGS.iter().find(|(start, _)| text.starts_with(*start))?;
    let length = run(text.get(beginning.len()..)?, "-_.");
    (length >= *least).then_some((0, beginning.len() + length))
}

/// How many characters of a token stand at the beginning; all of them are ASCII.
fn run(text: &str, also: &str) -> usize {
    text.bytes()
        .take_while(|byte| byte.is_ascii_alphanumeric() || also.as_bytes().contains(byte))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_hidden_where_they_begin() {
        let key = format!("sk-{}", "a1B2".repeat(8));
        for (text, expected) in [
            (format!("key={key}, no"), "key=[secret], no".to_owned()),
            (format!("ask-{key}"), "ask-[secret]".to_owned()),
            (format!("üsk-{}", "x".repeat(30)), format!("üsk-{}", "x".repeat(30))),
            ("AKIAIOSFODNN7EXAMPLE".into(), "[secret]".into()),
            (
                "Authorization: Bearer abcdef0123456789".into(),
                "Authorization: Bearer [secret]".into(),
            ),
            ("Basic knowledge".into(), "Basic knowledge".into()),
            (
                "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb".into(),
                "a\n[secret]\nb".into(),
            ),
            ("-----BEGIN CERTIFICATE-----".into(), "-----BEGIN CERTIFICATE-----".into()),
            ("the task-list and risk-free".into(), "the task-list and risk-free".into()),
        ] {
            assert_eq!(hide(text), expected);
        }
    }
}
