//! The literals by which a text is known to be worth a closer look.
//!
//! What the catalogue and the scanners find has one of them, in letters of any case; tests make texts that they find,
//! and ask. Who adds a pattern to the catalogue adds its words here.

/// Words of which each match of a pattern has one, by the name of the pattern.
pub(super) const WORDS: &[(&str, &[&str])] = &[
    ("aws_key", &["akia", "asia", "abia", "acca"]),
    ("github_token", &["ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_"]),
    (
        "gitlab_token",
        &[
            "glpat-", "glrt-", "gldt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "glffct-",
        ],
    ),
    ("slack_token", &["xox", "xapp-"]),
    ("webhook", &["hooks.slack.com/", "/api/webhooks/", "webhook.office.com/"]),
    ("anthropic_key", &["sk-ant-"]),
    ("openai_key", &["sk-"]),
    ("google_key", &["aiza", "ya29.", "gocspx-", "1//0"]),
    ("stripe_key", &["k_live_", "k_test_", "whsec_"]),
    ("npm_token", &["npm_"]),
    ("npm_auth", &["_auth"]),
    ("pypi_token", &["pypi-"]),
    ("registry_token", &["rubygems_", "dckr_"]),
    ("model_key", &["hf_", "gsk_", "xai-", "r8_", "pplx-", "nvapi-", "tvly-"]),
    ("sendgrid_key", &["sg."]),
    ("mail_key", &["key-"]),
    ("telegram_token", &[":aa"]),
    ("vault_token", &["hvs.", "hvb.", "hvr.", ".atlasv1."]),
    ("atlassian_token", &["atatt3x", "atctt3x", "atbb"]),
    ("azure_secret", &["q~", "sig="]),
    ("age_key", &["age-secret-key-"]),
    (
        "service_token",
        &[
            "_v1_",
            "shpat_",
            "shpca_",
            "shppa_",
            "shpss_",
            "lin_api_",
            "lin_oauth_",
            "pmak-",
            "sntrys_",
            "sntryu_",
            "nrak-",
            "figd_",
            "ntn_",
            "secret_",
            "dapi",
            "dp.pt.",
            "dp.st.",
            "dp.ct.",
            "dp.sa.",
            "dp.scim.",
            "dp.audit.",
            "tskey-",
            "sbp_",
            "pul-",
            "sq0csp-",
            "sq0atp-",
            "glc_",
            "glsa_",
        ],
    ),
    ("jwt", &["eyj"]),
    ("encoded_key", &["ls0tls1crudjti", "private-lines:"]),
    ("bearer_token", &["bearer"]),
    ("basic_auth", &["basic", "\"auth\""]),
    ("cookie", &["cookie", "\ttrue\t", "\tfalse\t"]),
    ("netrc", &["password"]),
    ("sql_password", &["password", "identified"]),
    ("config_password", &["requirepass", "masterauth"]),
    (
        "password_hash",
        &[
            "$1$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$2a$", "$2b$", "$2x$", "$2y$", "$apr1$",
            "$argon2", "$scrypt$",
        ],
    ),
];

/// The patterns that match without a word as well: so many letters and digits in a row, or so many colons.
pub(super) const LONG: &[&str] =
    &["registry_token", "mail_key", "twilio_key", "discord_token", "config_password"];

/// Parts of the names of fields that hold secrets: each such name has one.
pub(super) const NAMES: &[&str] = &[
    "token",
    "pass",
    "pwd",
    "secret",
    "credential",
    "key",
    "authorization",
    "psk",
    "cookie",
    "conn",
];

/// Programs, or words of their command lines, that take a password by a flag whose name does not say so.
pub(super) const PROGRAMS: &[&str] = &[
    "curl",
    "wget",
    "http",
    "mysql",
    "mariadb",
    "sshpass",
    "7z",
    "login",
    "redis-cli",
    "valkey-cli",
    "smb",
    "rpcclient",
    "net ",
];

/// What stands before the user and the password in a URL.
pub(super) const URLS: &[&str] = &["://"];

/// The marks of a key in PEM.
pub(super) const MARKS: &[&str] = &["-----begin ", "-----end "];

/// What stands before a name and a value that have no sign between them.
pub(super) const DECLARATIONS: &[&str] = &["env ", "arg ", "set -"];
