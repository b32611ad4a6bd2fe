//! The words that names of fields are made of, as far as they tell a secret from other values.
//!
//! All words are compared without regard to case. To teach the crate a new name, add its last word to
//! [`SECRET_WORDS`], or, if the word alone would catch too much (`key`, `pass`), the word before it to
//! the list of that word; then add the name to the tests next to this file.

/// Last words of names of secrets.
pub(super) const SECRET_WORDS: &[&str] = &[
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
    "psk",
];

/// Endings of a last word that is several words in one: `PGPASSWORD`, `authtoken`.
pub(super) const SECRET_ENDINGS: &[&str] = &[
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
pub(super) const SECRET_KEYS: &[&str] = &[
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

/// Words before `key` with which it is not a secret.
pub(super) const OTHER_KEYS: &[&str] = &[
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
pub(super) const PASSWORD_PREFIXES: &[&str] = &[
    "db", "database", "user", "smtp", "mail", "email", "imap", "ftp", "sftp", "ssh", "redis",
    "mysql", "postgres", "pg", "mongo", "rabbitmq", "root", "admin", "sudo", "login", "http",
    "proxy", "wifi", "vpn", "ldap", "app", "basic", "auth", "cert", "keystore", "key", "my",
];

/// Words before `token` with which it is a position in a list, or a piece of a text.
pub(super) const OTHER_TOKENS: &[&str] = &[
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

/// Words before `password` with which it is a question or an action.
pub(super) const OTHER_PASSWORDS: &[&str] = &[
    "forgot", "reset", "show", "hide", "toggle", "change", "is", "has", "no", "requires", "needs",
];
