//! The catalogue: every shape of a secret that is known, as data.

use std::fmt;

use crate::encoding;
use crate::value;

/// One shape that a secret can have.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Shape {
    /// The kind, as it stands in the placeholder.
    pub name: &'static str,
    /// What it is.
    pub what: &'static str,
    /// An example in two halves, so that no scanner takes this file for a leak.
    pub example: (&'static str, &'static str),
    /// The pattern; the first group that takes part is the secret, or all of it where there is
    /// none. None where code finds it, because a pattern would have to look too far ahead.
    pub pattern: Option<&'static str>,
    /// What of its kind is not found; empty where nothing is known.
    pub gaps: &'static str,
    /// Whether what the pattern finds is a secret after all.
    pub(crate) accept: fn(&str) -> bool,
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shape").field("name", &self.name).field("what", &self.what).finish()
    }
}

const fn shape(
    name: &'static str,
    what: &'static str,
    example: (&'static str, &'static str),
    pattern: &'static str,
) -> Shape {
    Shape { name, what, example, pattern: Some(pattern), gaps: "", accept: anything }
}

const fn coded(
    name: &'static str,
    what: &'static str,
    example: (&'static str, &'static str),
    gaps: &'static str,
) -> Shape {
    Shape { name, what, example, pattern: None, gaps, accept: anything }
}

impl Shape {
    const fn with_gaps(self, gaps: &'static str) -> Self {
        Self { gaps, ..self }
    }

    const fn only(self, accept: fn(&str) -> bool) -> Self {
        Self { accept, ..self }
    }
}

const fn anything(_: &str) -> bool {
    true
}

/// A bearer token, and not a word of a sentence.
fn is_bearer(text: &str) -> bool {
    text.len() >= 32 || text.bytes().any(|byte| byte.is_ascii_digit())
}

/// A pattern that begins where a word does, behind `_`, or behind a line end that a program wrote
/// as two characters.
macro_rules! word {
    ($pattern:literal) => {
        concat!(r"(?:(?-u:\b{start-half})|_|\\[nrt])(", $pattern, ")")
    };
}

/// All shapes. Of two that begin at the same place the first names the kind.
pub const SHAPES: &[Shape] = &[
    shape(
        "aws_key",
        "the id of an AWS access key",
        ("AKIA", "IOSFODNN7EXAMPLE"),
        "(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    )
    .with_gaps("the secret half has no shape: it is known by the name of its field"),
    shape(
        "github_token",
        "a GitHub token",
        ("ghp_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"),
        "gh[opsur]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{22,}",
    ),
    shape(
        "gitlab_token",
        "a GitLab token",
        ("glpat-", "0aB1cD2eF3gH4iJ5kL6m"),
        "gl(?:pat|rt|dt|ptt|cbt|ft|soat|imt|agent|ffct)-[0-9A-Za-z_-]{16,}",
    ),
    shape(
        "slack_token",
        "a Slack token",
        ("xoxb-", "0123456789-abcdefghij"),
        "xox[abceoprs][.-][0-9A-Za-z.-]{10,}|xapp-[0-9A-Za-z-]{10,}",
    ),
    shape(
        "webhook",
        "the address of a webhook, which is all that it takes to use it",
        ("https://hooks.slack.com/services/", "T00000000/B00000000/0aB1cD2eF3gH4iJ5kL6m"),
        concat!(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z/_+-]{20,})",
            r"|discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([0-9A-Za-z_-]{32,})",
            r#"|webhook\.office\.com/webhookb2/([^\s"'<>]{32,})"#,
        ),
    )
    .with_gaps("webhooks of other services"),
    shape(
        "anthropic_key",
        "an Anthropic key",
        ("sk-ant-", "api03-0aB1cD2eF3gH4iJ5kL6m"),
        "sk-ant-[0-9A-Za-z_-]{20,}",
    ),
    shape(
        "openai_key",
        "a key of OpenAI and of those that write theirs alike",
        ("sk-", "proj-0aB1cD2eF3gH4iJ5kL6mN7oP8qR9"),
        // Classes of style sheets begin so too: somewhere there must be a long word.
        word!("sk-(?:(?:proj|svcacct|admin|or-v1|lf)-[0-9A-Za-z_-]{20,}|[0-9A-Za-z_-]{0,40}?[0-9A-Za-z]{20,}[0-9A-Za-z_-]*)"),
    ),
    shape(
        "google_key",
        "a Google key, client secret or token",
        ("AIza", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1w"),
        word!(r"AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_.-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{35,}"),
    ),
    shape(
        "stripe_key",
        "a Stripe key or webhook secret",
        ("sk_live_", "0aB1cD2eF3gH4iJ5"),
        "[rs]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/]{24,}",
    ),
    shape(
        "npm_token",
        "an npm token",
        ("npm_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"),
        "npm_[0-9A-Za-z]{30,}",
    ),
    shape("npm_auth", "npm's user and password", ("_auth=", "dXNlcjpwYXNz"), "_auth[ \t]*=[ \t]*\"?([0-9A-Za-z+/=]{8,})"),
    shape(
        "pypi_token",
        "a PyPI token",
        ("pypi-", "AgEI0aB1cD2eF3gH4iJ5kL6mN7oP8qR9"),
        "pypi-[0-9A-Za-z_-]{30,}",
    ),
    shape(
        "registry_token",
        "a token of RubyGems, crates.io or Docker Hub",
        ("dckr_pat_", "0aB1cD2eF3gH4iJ5kL6m"),
        word!("rubygems_[0-9a-f]{40,}|cio[0-9A-Za-z]{32}|dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,}"),
    ),
    shape(
        "model_key",
        "a key of a provider of models: Hugging Face, Groq, xAI, Replicate, Perplexity, NVIDIA, Tavily",
        ("hf_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1"),
        word!("hf_[0-9A-Za-z]{30,}|gsk_[0-9A-Za-z]{32,}|xai-[0-9A-Za-z_-]{32,}|r8_[0-9A-Za-z]{32,}|pplx-[0-9A-Za-z]{32,}|nvapi-[0-9A-Za-z_-]{32,}|tvly-[0-9A-Za-z_-]{20,}"),
    )
    .with_gaps("keys without a prefix, such as those of Mistral and Cohere"),
    shape(
        "sendgrid_key",
        "a SendGrid key",
        ("SG.", "0aB1cD2eF3gH4iJ5kL6m.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u"),
        word!(r"SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}"),
    ),
    shape(
        "mail_key",
        "a Mailgun key",
        ("key-", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        word!("key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    ),
    shape(
        "twilio_key",
        "a Twilio key",
        ("SK", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        word!("SK[0-9a-f]{32}"),
    )
    .with_gaps("the auth token of an account is 32 hexadecimal digits: known by its field only"),
    shape(
        "telegram_token",
        "the token of a Telegram bot",
        ("1234567890:", "AA0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV"),
        word!("[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"),
    ),
    shape(
        "discord_token",
        "the token of a Discord bot",
        ("MTIzNDU2Nzg5MDEyMzQ1Njc4", ".GaBcDe.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"),
        word!(r"[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,}"),
    ),
    shape(
        "vault_token",
        "a token of HashiCorp Vault or Terraform Cloud",
        ("hvs.", "0aB1cD2eF3gH4iJ5kL6mN7oP"),
        word!(r"hv[sbr]\.[0-9A-Za-z_-]{20,}|[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_-]{40,}"),
    ),
    shape(
        "atlassian_token",
        "a token of Atlassian or Bitbucket",
        ("ATATT3x", "FfGF0aB1cD2eF3gH4iJ5kL6m"),
        "AT[AC]TT3x[0-9A-Za-z_=-]{20,}|ATBB[0-9A-Za-z]{24,}",
    ),
    shape(
        "azure_secret",
        "a client secret of Azure, or the signature of a shared access URL",
        ("abc8Q~", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV"),
        r"(?:(?-u:\b{start-half})|_|\\[nrt])([0-9A-Za-z_~.-]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34})|[?&;]sig=([0-9A-Za-z%/+_-]{20,}=*)",
    ),
    shape(
        "age_key",
        "a secret key of age",
        ("AGE-SECRET-KEY-1", "QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"),
        "AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}",
    ),
    shape(
        "service_token",
        "a token of DigitalOcean, Shopify, Linear, Postman, Sentry, New Relic, Figma, Notion, Databricks, Doppler, Tailscale, Supabase, Pulumi, Square or Grafana",
        ("dop_v1_", "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071"),
        word!(r"do[opr]_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}|lin_(?:api|oauth)_[0-9A-Za-z]{32,}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|sntry[su]_[0-9A-Za-z+/=_-]{32,}|NRAK-[0-9A-Z]{27}|figd_[0-9A-Za-z_-]{32,}|(?:ntn|secret)_[0-9A-Za-z]{40,}|dapi[0-9a-f]{32}|dp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.-]{32,}|tskey-[a-z]{2,10}-[0-9A-Za-z_-]{16,}|sbp_[0-9a-f]{40}|pul-[0-9a-f]{40}|sq0(?:csp|atp)-[0-9A-Za-z_-]{22,}|gl(?:c|sa)_[0-9A-Za-z+/=_]{32,}"),
    )
    .with_gaps("services whose tokens have no prefix"),
    shape(
        "jwt",
        "a JSON web token, signed or encrypted",
        ("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.0aB1cD2eF3gH4iJ5"),
        r"eyJ[0-9A-Za-z_-]{8,}\.(?:[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*(?:\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+)?|\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,})",
    )
    .with_gaps("one that is cut off before its second dot, which no server takes"),
    coded(
        "private_key",
        "a private key as PEM, whole, without its end or without its beginning",
        ("-----BEGIN PRIVATE ", "KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"),
        "PuTTY's format; lines from the middle of a key",
    ),
    coded(
        "authorization",
        "the value of an `Authorization` header, its scheme aside",
        ("Authorization: ", "Digest username=\"me\", response=\"0a1b2c3d\""),
        "",
    ),
    shape("bearer_token", "what stands behind `Bearer`", ("Bearer ", "0aB1cD2eF3gH4iJ5kL6m"), "(?i:bearer[ \t]+([0-9a-z._~+/=-]{12,}))")
        .only(is_bearer)
        .with_gaps("tokens without a digit that are shorter than 32 characters"),
    shape("basic_auth", "user and password in base64 behind `Basic`", ("Basic ", "dXNlcjpwYXNz"), "(?i:basic[ \t]+([0-9a-z+/_-]{8,}={0,2}))").only(encoding::is_user_and_password),
    shape(
        "cookie",
        "cookies as a header sends them",
        ("Cookie: sid=", "0aB1cD2eF3"),
        "(?i:(?:\\b|\\\\[nrt])(?:set-)?cookie(?:\\\\?[\"'])?[ \t]*[:=][ \t]*(?:\\\\?[\"'])?([0-9a-z_.-]{1,64}=[^\\s\"'\\\\]{4,}(?:;[ \t]?[^;\\s\"'\\\\]+)*))",
    )
    .with_gaps("cookies in a jar file"),
    shape(
        "netrc",
        "a password of .netrc",
        ("machine example.com login me password ", "hunter2"),
        r"(?i:(?:machine[ \t]+\S{1,128}|\bdefault)\s{1,4}login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}(\S+))",
    ),
    shape(
        "sql_password",
        "a password in SQL",
        ("IDENTIFIED BY ", "'hunter2'"),
        r"(?i:identified[ \t]+by[ \t]+'([^'\r\n]+)'|\bpassword[ \t]+'([^'\r\n]{4,})')",
    ),
    coded(
        "url_password",
        "the password in a URL, or a token in the place of its user",
        ("postgres://me:", "p4ss/w0rd@db/x"),
        "a password behind a port-like beginning: `http://u:80/x@host` is taken for a path",
    ),
    coded(
        "assignment",
        "a value behind a name that tells: `DB_PASS=…`, `password => '…'`, `<password>…</password>`, `--token …`, `curl -u a:…`",
        ("DB_PASS=", "correct7horse"),
        "values that read like code, a placeholder, a path or a single plain word; passwords in \
         prose; values shorter than 5 characters; multi-line values",
    ),
];

/// Whether a value is random enough to be a secret wherever it stands.
pub(crate) fn is_token(text: &str) -> bool {
    value::is_random(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finder;

    #[test]
    fn every_example_is_found_whole_and_by_its_name() {
        let finder = Finder::catalogue();
        for shape in SHAPES {
            let (head, tail) = shape.example;
            for around in [("", ""), ("before ", " after"), ("x\\n", "\\n"), ("\"", "\"")] {
                let text = format!("{}{head}{tail}{}", around.0, around.1);
                let (redacted, _) = finder.redact(&text).unwrap_or_default();
                assert!(
                    redacted.contains(&format!("[redacted:{}]", shape.name)),
                    "{text} {redacted}"
                );
                assert!(!redacted.contains(tail), "{text} became {redacted}");
            }
        }
    }
}
