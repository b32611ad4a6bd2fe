//! The catalogue: everything that is known to look like a secret, as data.
//!
//! An entry has a name, a regular expression, an example and its known gaps. A test finds every
//! example, in a sentence, in quotes and between escaped line ends, so an entry that cannot match does
//! not get in. To add a provider, add its prefix to the entry of its kind, or a new entry, the word that
//! each match has to `finder/literals.rs`, and a sample to `tests/behaviour`. Write a prefix that is also a common word inside of `word!`, so that
//! `sk-` is not found in `task-list`.
//!
//! Entries without a regular expression are found by scanners: [`pem`](crate::pem),
//! [`url`](crate::url), [`assignment`](crate::assignment), [`flag`](crate::flag).

use crate::encoding::is_user_and_password;
use crate::pattern::{SecretPattern, by_regex, by_scanner};

/// Accepts a bearer token, and not a word of a sentence.
fn is_bearer(text: &str) -> bool {
    text.len() >= 32 || text.bytes().any(|byte| byte.is_ascii_digit())
}

/// Accepts what is no word of a sentence.
fn is_no_word(text: &str) -> bool {
    text.bytes().any(|byte| !byte.is_ascii_alphabetic())
}

/// Returns a pattern that begins where a word does, after `_`, or after a line end that is written as
/// two characters. A macro, because the patterns are constants.
macro_rules! word {
    ($pattern:literal) => {
        concat!(r"(?:(?-u:\b{start-half})|_|\\[nrt])(", $pattern, ")")
    };
}

/// Everything that is known to look like a secret.
///
/// Redaction and error texts both use this list, so what one of them hides the other hides too. Of two
/// patterns that begin at the same position the first names the kind.
///
/// ```
/// use hookgate_secrets::{Finder, SECRET_PATTERNS, Secrets};
///
/// for pattern in SECRET_PATTERNS {
///     let (head, tail) = pattern.example;
///     let text = format!("{head}{tail}");
///     assert!(!Secrets::default().hide(&text).contains(tail), "an error shows a {}", pattern.name);
///     let (redacted, _) = Finder::catalogue().redact(&text).unwrap();
///     assert!(redacted.contains(&format!("[redacted:{}]", pattern.name)), "{redacted}");
/// }
/// ```
pub const SECRET_PATTERNS: &[SecretPattern] = &[
    by_regex(
        "aws_key",
        "the id of an AWS access key",
        ("AKIA", "IOSFODNN7EXAMPLE"),
        "(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
    )
    .with_gaps("the secret half has no shape: it is known by the name of its field"),
    by_regex(
        "github_token",
        "a GitHub token",
        ("ghp_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"),
        "gh[opsur]_[0-9A-Za-z]{30,}|github_pat_[0-9A-Za-z_]{22,}",
    ),
    by_regex(
        "gitlab_token",
        "a GitLab token",
        ("glpat-", "0aB1cD2eF3gH4iJ5kL6m"),
        "gl(?:pat|rt|dt|ptt|cbt|ft|soat|imt|agent|ffct)-[0-9A-Za-z_-]{16,}",
    ),
    by_regex(
        "slack_token",
        "a Slack token",
        ("xoxb-", "0123456789-abcdefghij"),
        "xox[abceoprs][.-][0-9A-Za-z.-]{10,}|xapp-[0-9A-Za-z-]{10,}",
    ),
    by_regex(
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
    by_regex(
        "anthropic_key",
        "an Anthropic key",
        ("sk-ant-", "api03-0aB1cD2eF3gH4iJ5kL6m"),
        "sk-ant-[0-9A-Za-z_-]{20,}",
    ),
    by_regex(
        "openai_key",
        "a key of OpenAI and of those that write theirs alike",
        ("sk-", "proj-0aB1cD2eF3gH4iJ5kL6mN7oP8qR9"),
        // Classes of style sheets begin so too: somewhere there must be a long word.
        word!("sk-(?:(?:proj|svcacct|admin|or-v1|lf)-[0-9A-Za-z_-]{20,}|[0-9A-Za-z_-]{0,40}?[0-9A-Za-z]{20,}[0-9A-Za-z_-]*)"),
    ),
    by_regex(
        "google_key",
        "a Google key, client secret or token",
        ("AIza", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1w"),
        word!(r"AIza[0-9A-Za-z_-]{30,}|ya29\.[0-9A-Za-z_.-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{35,}"),
    ),
    by_regex(
        "stripe_key",
        "a Stripe key or webhook secret",
        ("sk_live_", "0aB1cD2eF3gH4iJ5"),
        "[rs]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[0-9A-Za-z+/]{24,}",
    ),
    by_regex(
        "npm_token",
        "an npm token",
        ("npm_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"),
        "npm_[0-9A-Za-z]{30,}",
    ),
    by_regex("npm_auth", "npm's user and password", ("_auth=", "dXNlcjpwYXNz"), "_auth[ \t]*=[ \t]*\"?([0-9A-Za-z+/=]{8,})"),
    by_regex(
        "pypi_token",
        "a PyPI token",
        ("pypi-", "AgEI0aB1cD2eF3gH4iJ5kL6mN7oP8qR9"),
        "pypi-[0-9A-Za-z_-]{30,}",
    ),
    by_regex(
        "registry_token",
        "a token of RubyGems, crates.io or Docker Hub",
        ("dckr_pat_", "0aB1cD2eF3gH4iJ5kL6m"),
        word!("rubygems_[0-9a-f]{40,}|cio[0-9A-Za-z]{32}|dckr_(?:pat|oat)_[0-9A-Za-z_-]{20,}"),
    ),
    by_regex(
        "model_key",
        "a key of a provider of models: Hugging Face, Groq, xAI, Replicate, Perplexity, NVIDIA, Tavily",
        ("hf_", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1"),
        word!("hf_[0-9A-Za-z]{30,}|gsk_[0-9A-Za-z]{32,}|xai-[0-9A-Za-z_-]{32,}|r8_[0-9A-Za-z]{32,}|pplx-[0-9A-Za-z]{32,}|nvapi-[0-9A-Za-z_-]{32,}|tvly-[0-9A-Za-z_-]{20,}"),
    )
    .with_gaps("keys without a prefix, such as those of Mistral and Cohere"),
    by_regex(
        "sendgrid_key",
        "a SendGrid key",
        ("SG.", "0aB1cD2eF3gH4iJ5kL6m.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u"),
        word!(r"SG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}"),
    ),
    by_regex(
        "mail_key",
        "a Mailgun key",
        ("key-", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        word!("key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}"),
    ),
    by_regex(
        "twilio_key",
        "a Twilio key",
        ("SK", "0a1b2c3d4e5f60718293a4b5c6d7e8f9"),
        word!("SK[0-9a-f]{32}"),
    )
    .with_gaps("the auth token of an account is 32 hexadecimal digits: known by its field only"),
    by_regex(
        "telegram_token",
        "the token of a Telegram bot",
        ("1234567890:", "AA0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV"),
        word!("[0-9]{8,10}:AA[0-9A-Za-z_-]{33}"),
    ),
    by_regex(
        "discord_token",
        "the token of a Discord bot",
        ("MTIzNDU2Nzg5MDEyMzQ1Njc4", ".GaBcDe.0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT"),
        word!(r"[MNO][0-9A-Za-z_-]{23,27}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,}"),
    ),
    by_regex(
        "vault_token",
        "a token of HashiCorp Vault or Terraform Cloud",
        ("hvs.", "0aB1cD2eF3gH4iJ5kL6mN7oP"),
        word!(r"hv[sbr]\.[0-9A-Za-z_-]{20,}|[0-9A-Za-z]{14}\.atlasv1\.[0-9A-Za-z_-]{40,}"),
    ),
    by_regex(
        "atlassian_token",
        "a token of Atlassian or Bitbucket",
        ("ATATT3x", "FfGF0aB1cD2eF3gH4iJ5kL6m"),
        "AT[AC]TT3x[0-9A-Za-z_=-]{20,}|ATBB[0-9A-Za-z]{24,}",
    ),
    by_regex(
        "azure_secret",
        "a client secret of Azure, or the signature of a shared access URL",
        ("abc8Q~", "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV"),
        r"(?:(?-u:\b{start-half})|_|\\[nrt])([0-9A-Za-z_~.-]{3}[0-9]Q~[0-9A-Za-z_~.-]{31,34})|[?&;]sig=([0-9A-Za-z%/+_-]{20,}=*)",
    ),
    by_regex(
        "age_key",
        "a secret key of age",
        ("AGE-SECRET-KEY-1", "QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"),
        "AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{50,}",
    ),
    by_regex(
        "service_token",
        "a token of DigitalOcean, Shopify, Linear, Postman, Sentry, New Relic, Figma, Notion, Databricks, Doppler, Tailscale, Supabase, Pulumi, Square or Grafana",
        ("dop_v1_", "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6071"),
        word!(r"do[opr]_v1_[0-9a-f]{40,}|shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}|lin_(?:api|oauth)_[0-9A-Za-z]{32,}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|sntry[su]_[0-9A-Za-z+/=_-]{32,}|NRAK-[0-9A-Z]{27}|figd_[0-9A-Za-z_-]{32,}|(?:ntn|secret)_[0-9A-Za-z]{40,}|dapi[0-9a-f]{32}|dp\.(?:pt|st|ct|sa|scim|audit)\.[0-9A-Za-z_.-]{32,}|tskey-[a-z]{2,10}-[0-9A-Za-z_-]{16,}|sbp_[0-9a-f]{40}|pul-[0-9a-f]{40}|sq0(?:csp|atp)-[0-9A-Za-z_-]{22,}|gl(?:c|sa)_[0-9A-Za-z+/=_]{32,}"),
    )
    .with_gaps("services whose tokens have no prefix"),
    by_regex(
        "jwt",
        "a JSON web token, signed or encrypted",
        ("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.0aB1cD2eF3gH4iJ5"),
        r"eyJ[0-9A-Za-z_-]{8,}\.(?:[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*(?:\.[0-9A-Za-z_-]+\.[0-9A-Za-z_-]+)?|\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,})",
    )
    .with_gaps("one that is cut off before its second dot, which no server takes"),
    by_scanner(
        "private_key",
        "a private key as PEM, whole, without its end or without its beginning",
        ("-----BEGIN PRIVATE ", "KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----"),
        "lines from the middle of a key",
    ),
    by_regex(
        "encoded_key",
        "a private key as PEM in base64, as in a kubeconfig, or in PuTTY's format",
        ("LS0tLS1CRUdJTi", "BSU0EgUFJJVkFURSBLRVktLS0tLQo0aB1cD2"),
        concat!(
            "LS0tLS1CRUdJTi(?:BQUklWQVRF|BSU0EgUFJJVkFURS|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVEU|BFTkNSWVBURUQgUFJJVkFURS",
            "|BEU0EgUFJJVkFURS|BQR1AgUFJJVkFURS)[0-9A-Za-z+/=]*",
            r"|Private-Lines:[ \t]*[0-9]+(?:\r?\n|\\n)((?:[0-9A-Za-z+/=]+(?:\r?\n|\\n))*[0-9A-Za-z+/=]{16,})",
        ),
    ),
    by_scanner(
        "authorization",
        "the value of an `Authorization` header, its scheme aside",
        ("Authorization: ", "Digest username=\"me\", response=\"0a1b2c3d\""),
        "",
    ),
    by_regex("bearer_token", "the token after `Bearer`", ("Bearer ", "0aB1cD2eF3gH4iJ5kL6m"), "(?i:bearer[ \t]+([0-9a-z._~+/=-]{12,}))")
        .only(is_bearer)
        .with_gaps("tokens without a digit that are shorter than 32 characters"),
    by_regex("basic_auth", "user and password in base64 after `Basic`", ("Basic ", "dXNlcjpwYXNz"), "(?i:basic[ \t]+([0-9a-z+/_-]{8,}={0,2})|\"auth\"[ \t]*:[ \t]*\"([0-9a-z+/_-]{8,}={0,2})\")").only(is_user_and_password),
    by_regex(
        "cookie",
        "cookies as a header sends them",
        ("Cookie: sid=", "0aB1cD2eF3"),
        concat!(
            // The first cookie that has a value, and all that follow it; in a list of fields as well.
            r#"(?i:(?:(?-u:\b)|\\[nrt])(?:set-)?cookie(?:\\?["'])?[ \t]*[:=,][ \t]*\[?[ \t]*(?:\\?["'])?"#,
            r#"((?:[0-9a-z_.-]{1,64}=[^\s"'\\;]{0,3};[ \t]?){0,16}[0-9a-z_.-]{1,64}=[^\s"'\\;]{4,}(?:;[ \t]?[^;\s"'\\]+)*))"#,
            // A line of a jar: host, flag, path, flag, time, name, value.
            r"|(?m:^\S{3,253}\t(?:TRUE|FALSE)\t\S+\t(?:TRUE|FALSE)\t[0-9]+\t[^\t\r\n]+\t(\S{4,}))",
        ),
    ),
    by_regex(
        "netrc",
        "a password of .netrc",
        ("machine example.com login me password ", "hunter2"),
        r"(?i:(?:machine[ \t]+\S{1,128}|(?-u:\b)default)\s{1,4}login\s{1,4}\S{1,128}\s{1,4}password\s{1,4}(\S+))",
    ),
    by_regex(
        "sql_password",
        "a password in SQL",
        ("IDENTIFIED BY ", "'hunter2'"),
        r"(?i:identified[ \t]+(?:with[ \t]+\S{1,64}[ \t]+)?by[ \t]+'([^'\r\n]+)'|(?-u:\b)password[ \t]+'([^'\r\n]{4,})')",
    ),
    by_regex(
        "config_password",
        "a password of Redis or of .pgpass",
        ("requirepass ", "hunter2-and-more"),
        concat!(
            r#"(?:(?-u:\b{start-half})|\\[nrt])(?:requirepass|masterauth)[ \t]+["']?([^\s"']{5,})"#,
            r"|(?m:^[0-9A-Za-z*][0-9A-Za-z.*-]{0,253}:(?:[0-9]{2,5}|\*):[0-9A-Za-z_*-]{1,63}:[0-9A-Za-z_*-]{1,63}:([^\s:]{5,})[ \t]*$)",
        ),
    )
    .only(is_no_word),
    by_regex(
        "password_hash",
        "the hash of a password, as in /etc/shadow",
        ("$6$", "saltsalt$0aB1cD2eF3gH4iJ5kL6mN7oP8qR9"),
        r"\$(?:[1567y]|gy|2[abxy]|apr1|argon2(?:id|i|d)|scrypt)\$[./0-9A-Za-z$,=+-]{16,}",
    ),
    by_scanner(
        "url_password",
        "the password in a URL, or a token in place of its user",
        ("postgres://me:", "p4ss/w0rd@db/x"),
        "a password with a port-like beginning: `http://u:80/x@host` is taken for a path",
    ),
    by_scanner(
        "assignment",
        "a value after a name that gives it away: `DB_PASS=…`, `password => '…'`, `<password>…</password>`, `--token …`, `curl -u a:…`",
        ("DB_PASS=", "correct7horse"),
        "values that read like code, a placeholder, a path or a single plain word; passwords in \
         prose; values shorter than 5 characters; values on several lines",
    ),
];
