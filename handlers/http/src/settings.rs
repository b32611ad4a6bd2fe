//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

/// The settings of `http`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::required(
        "url",
        SettingType::Matching("URL", "^https?://"),
        "where to post; `https`, or `http` to a host that an `allow_…` names",
    ),
    SettingDoc::optional(
        "dialect",
        SettingType::Text,
        "the agent in whose form the service reads and answers; that of hookgate by default",
    ),
    SettingDoc::optional(
        "dialect_event",
        SettingType::Text,
        "the event of that agent, where several of them are one event here: `beforeReadFile` of `cursor`",
    ),
    SettingDoc::optional(
        "body",
        SettingType::Map(&SettingType::Any),
        "what is sent in place of the envelope, with templates over it: `{ text = \"{{ tool_name }}: {{ decision.outcome }}\" }`; the hook observes then, unless `role` says otherwise, and an observer takes any answer with a status of success",
    ),
    SettingDoc::optional(
        "headers",
        SettingType::Map(&SettingType::Text),
        "headers of every request; `${NAME}` is the value of a variable",
    ),
    SettingDoc::optional(
        "env",
        SettingType::Texts,
        "the variables that `headers` may name; each must be set",
    ),
    SettingDoc::optional("hmac", SettingType::Table(HMAC), "signs timestamp and body"),
    SettingDoc::optional(
        "request_id",
        SettingType::Flag,
        "sends a random id, which the answer must repeat",
    )
    .default("false"),
    SettingDoc::optional(
        "connect_timeout",
        SettingType::Duration,
        "how long a connection, with TLS, may take",
    )
    .default("\"3s\""),
    SettingDoc::optional(
        "idempotent",
        SettingType::Flag,
        "tries a second time if no connection was made",
    )
    .default("false"),
    SettingDoc::optional(
        "silence",
        SettingType::Choice(&["abstain", "failure"]),
        "what status 204 means: no opinion, or a failure",
    )
    .default("\"abstain\""),
    SettingDoc::optional(
        "allow_loopback",
        SettingType::Texts,
        "hosts that may have a loopback address, each as `host:port`",
    ),
    SettingDoc::optional(
        "allow_private",
        SettingType::Texts,
        "hosts that may have a private or shared address, each as `host:port`",
    ),
    SettingDoc::optional(
        "ca_file",
        SettingType::Path,
        "a PEM file: trusts these authorities, and no others",
    ),
    SettingDoc::optional(
        "client_cert",
        SettingType::Path,
        "a PEM file with the certificate that the service sees; it needs `client_key`",
    ),
    SettingDoc::optional(
        "client_key",
        SettingType::Path,
        "a PEM file with the key of `client_cert`",
    ),
    SettingDoc::optional(
        "pin",
        SettingType::OneOrMoreTexts,
        "public keys that the service may have: `sha256:` and 64 hex digits",
    ),
    SettingDoc::optional(
        "proxy",
        SettingType::TextOr(&["env"]),
        "the address of a proxy, or `\"env\"` for the proxy of the environment; none by default",
    ),
];

const HMAC: &[SettingDoc] = &[
    SettingDoc::required("env", SettingType::Text, "the variable with the secret"),
    SettingDoc::optional("header", SettingType::Text, "the header of the signature")
        .default("\"x-hookgate-signature\""),
];
