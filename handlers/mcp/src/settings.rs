//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

/// The settings of `mcp`. There is exactly one of `tool` and `interceptor`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::required(
        "server",
        SettingType::Table(SERVER),
        "the server: there is exactly one of `command` and `url`",
    ),
    SettingDoc::optional(
        "tool",
        SettingType::Text,
        "the tool that answers: its text is the verdict",
    ),
    SettingDoc::optional(
        "arguments",
        SettingType::Map(&SettingType::Any),
        "the arguments of the tool, whose strings may be templates; by default `envelope`, which is the \
         whole envelope",
    ),
    SettingDoc::optional(
        "interceptor",
        SettingType::Text,
        "the interceptor that answers, instead of a tool",
    ),
    SettingDoc::optional(
        "config",
        SettingType::Map(&SettingType::Any),
        "with `interceptor`: its configuration, sent with each call",
    ),
];

/// A count.
const COUNT: SettingType = SettingType::Integer(1, 1_000_000_000);

const SERVER: &[SettingDoc] = &[
    SettingDoc::optional(
        "command",
        SettingType::Texts,
        "the program and its arguments, which speaks on stdin and stdout; paths start at the folder of \
         the config",
    ),
    SettingDoc::optional(
        "url",
        SettingType::Matching("URL", "^https?://"),
        "where a service takes messages (streamable HTTP)",
    ),
    SettingDoc::optional(
        "env",
        SettingType::Texts,
        "further variables that the program gets, or that `headers` may name",
    ),
    SettingDoc::optional(
        "set_env",
        SettingType::Map(&SettingType::Text),
        "with `command`: variables with values",
    ),
    SettingDoc::optional("workers", COUNT, "with `command`: how many processes there are")
        .default("1"),
    SettingDoc::optional("queue", COUNT, "with `command`: how many steps may wait for one")
        .default("64"),
    SettingDoc::optional(
        "max_calls",
        COUNT,
        "with `command`: after how many calls a process is replaced",
    )
    .default("10000"),
    SettingDoc::optional(
        "startup",
        SettingType::Duration,
        "with `command`: how long the handshake may take",
    )
    .default("\"10s\""),
    SettingDoc::optional(
        "idempotent",
        SettingType::Flag,
        "with `command`: whether a call may be made again after its process has ended",
    )
    .default("false"),
    SettingDoc::optional(
        "grace",
        SettingType::Duration,
        "with `command`: how long a process may take to answer a call that was given up, and to end \
         after TERM",
    )
    .default("\"200ms\""),
    SettingDoc::optional(
        "limits",
        SettingType::Map(&SettingType::Any),
        "with `command`: what the process may use, as `command` handlers have it",
    ),
    SettingDoc::optional(
        "sandbox",
        SettingType::Map(&SettingType::Any),
        "with `command`: what the process may reach, as `command` handlers have it",
    ),
    SettingDoc::optional(
        "shim",
        SettingType::Flag,
        "with `command`: `false` runs the program without the shim that the host has registered",
    ),
    SettingDoc::optional(
        "headers",
        SettingType::Map(&SettingType::Text),
        "with `url`: headers of every request; `${NAME}` is the value of a variable",
    ),
    SettingDoc::optional(
        "connect_timeout",
        SettingType::Duration,
        "with `url`: how long a connection may take",
    )
    .default("\"3s\""),
    SettingDoc::optional(
        "allow_loopback",
        SettingType::Texts,
        "with `url`: hosts that may have a loopback address, each as `host:port`",
    ),
    SettingDoc::optional(
        "allow_private",
        SettingType::Texts,
        "with `url`: hosts that may have a private or shared address, each as `host:port`",
    ),
    SettingDoc::optional(
        "ca_file",
        SettingType::Path,
        "with `url`: a PEM file: trusts these authorities, and no others",
    ),
    SettingDoc::optional(
        "client_cert",
        SettingType::Path,
        "with `url`: a PEM file with the certificate that the service sees; it needs `client_key`",
    ),
    SettingDoc::optional(
        "client_key",
        SettingType::Path,
        "with `url`: a PEM file with the key of `client_cert`",
    ),
    SettingDoc::optional(
        "pin",
        SettingType::OneOrMoreTexts,
        "with `url`: public keys that the service may have: `sha256:` and 64 hex digits",
    ),
    SettingDoc::optional(
        "proxy",
        SettingType::TextOr(&["env"]),
        "with `url`: the address of a proxy, or `\"env\"` for the proxy of the environment",
    ),
];
