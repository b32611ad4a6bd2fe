//! What secrets look like.

use regex::{Regex, RegexSet};

/// Of which kind a secret is, and how it looks: the first group that takes part in a match, or the
/// whole match where there is none.
pub(super) struct Shape {
    pub(super) kind: &'static str,
    pub(super) regex: Regex,
}

/// All shapes, and one automaton that tells which of them occur.
pub(super) struct Shapes {
    pub(super) set: RegexSet,
    pub(super) each: Vec<Shape>,
    /// What a redacted secret leaves behind.
    pub(super) placeholder: Regex,
}

/// The kind of what a pattern of the settings finds.
const CUSTOM: &str = "custom";

/// The kind of a value that is secret because of its key.
pub(super) const FIELD: &str = "field";

/// Tokens with a prefix that occurs nowhere else.
const TOKENS: &[(&str, &str)] = &[
    ("aws_key", r"(?:AKIA|ASIA)[0-9A-Z]{16}"),
    ("github_token", r"gh[opsur]_[0-9A-Za-z]{36,}|github_pat_[0-9A-Za-z_]{22,}"),
    ("gitlab_token", r"glpat-[0-9A-Za-z_-]{20,}"),
    ("slack_token", r"xox[abeoprs]-[0-9A-Za-z-]{10,}"),
    ("anthropic_key", r"sk-ant-[0-9A-Za-z_-]{20,}"),
    // Short prefixes, also found inside words and binary data: nothing alphanumeric may precede,
    // unless it is the `\n` that a program wrote as two characters.
    ("openai_key", r"(?:^|[^0-9A-Za-z]|\\[nrt])(sk-[0-9A-Za-z_-]{20,})"),
    ("google_key", r"(?:^|[^0-9A-Za-z]|\\[nrt])(AIza[0-9A-Za-z_-]{35})"),
    ("stripe_key", r"[rs]k_(?:live|test)_[0-9A-Za-z]{16,}"),
    ("npm_token", r"npm_[0-9A-Za-z]{36}"),
    ("pypi_token", r"pypi-[0-9A-Za-z_-]{32,}"),
    ("jwt", r"eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*"),
];

/// Secrets that are known by what stands around them.
const SURROUNDED: &[(&str, &str)] = &[
    (
        "private_key",
        // Without its end it is cut off, and goes as far as its lines do.
        r"-----BEGIN [0-9A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:(?s:.*?)-----END [0-9A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|(?:(?:\s|\\[nr])*[0-9A-Za-z+/=]{16,})+)",
    ),
    (
        "authorization",
        r#"(?i:authorization(?:\\?["'])?[ \t]*[:=][ \t]*(?:\\?["'])?(?:bearer|basic|token)[ \t]+([^\s"'\\]{8,}))"#,
    ),
    ("bearer_token", r#"(?i:bearer[ \t]+([0-9a-z._~+/=-]{20,}))"#),
    ("url_password", r"(?i:[a-z][0-9a-z+.-]*://[^\s/:@]*:([^\s/]+)@)"),
    (
        "assignment",
        // Quoted with escapes, quoted, or bare; the key stays.
        r#"(?i:(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)(?:\\?["'])?[ \t]*[:=][ \t]*(?:\\"([^"\\\r\n]{8,})|"([^"\r\n]{8,})|'([^'\r\n]{8,})|([^\s"'\\:=][^\s"']{7,})))"#,
    ),
];

/// Compiles the shapes and the patterns of the settings.
pub(super) fn compile(patterns: &[&str]) -> Result<Shapes, regex::Error> {
    let known = TOKENS.iter().chain(SURROUNDED).copied();
    let custom = patterns.iter().map(|pattern| (CUSTOM, *pattern));
    let all: Vec<(&'static str, &str)> = known.chain(custom).collect();
    // A fixed list of kinds, so that nobody can hide a secret in a placeholder of his own making.
    let kinds: Vec<_> = all.iter().map(|(kind, _)| *kind).chain([FIELD, CUSTOM]).collect();
    Ok(Shapes {
        set: RegexSet::new(all.iter().map(|(_, pattern)| pattern))?,
        placeholder: Regex::new(&format!(r"\[redacted:(?:{})\]", kinds.join("|")))?,
        each: all
            .into_iter()
            .map(|(kind, pattern)| Ok(Shape { kind, regex: Regex::new(pattern)? }))
            .collect::<Result<_, regex::Error>>()?,
    })
}
