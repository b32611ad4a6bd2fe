//! What each setting is for, as data: the pages of reference and the JSON Schema of hooks.toml are made
//! from it.

use hookgate_contract::{SettingDoc, SettingType};

/// The settings of `command`. There is exactly one of `argv` and `shell`.
pub const SETTINGS: &[SettingDoc] = &[
    SettingDoc::optional(
        "argv",
        SettingType::Texts,
        "the program and its arguments, without a shell; paths start at the folder of the config",
    ),
    SettingDoc::optional("shell", SettingType::Text, "a text for the shell, instead of `argv`"),
    SettingDoc::optional("shell_program", SettingType::Text, "the shell that reads `shell`")
        .default("\"sh\""),
    SettingDoc::optional(
        "env",
        SettingType::Texts,
        "names of further environment variables that the program gets; it gets `PATH`, `HOME`, `LANG`, \
         `LC_ALL`, `TMPDIR`, `TZ`, the variables `HOOKGATE_*`, and nothing else",
    ),
    SettingDoc::optional(
        "set_env",
        SettingType::Map(&SettingType::Text),
        "environment variables with values",
    ),
    SettingDoc::optional(
        "stdout",
        SettingType::Choice(&["verdict", "context"]),
        "what the program prints: a verdict, or text for the model",
    )
    .default("\"verdict\""),
    SettingDoc::optional(
        "dialect",
        SettingType::Text,
        "the agent that the program was written for, such as `claude`: it gets the envelope and the \
         variables of that agent, and answers in its form",
    ),
    SettingDoc::optional(
        "dialect_event",
        SettingType::Text,
        "the event of that agent, where several of them are one event here: `beforeReadFile` of `cursor`",
    ),
    SettingDoc::optional(
        "silence",
        SettingType::Choice(&["abstain", "failure"]),
        "what an exit status of 0 without an answer means: no opinion, or a failure of a guard that \
         always answers, be it `{}`; a worker always has to answer",
    )
    .default("\"abstain\""),
    SettingDoc::optional(
        "grace",
        SettingType::Duration,
        "how long the program may take to end after TERM",
    )
    .default("\"200ms\""),
    SettingDoc::optional("limits", SettingType::Table(LIMITS), "what the process may use"),
    SettingDoc::optional(
        "sandbox",
        SettingType::Table(SANDBOX),
        "what the process may reach beside the folders of the system, enforced by Landlock",
    ),
    SettingDoc::optional(
        "shim",
        SettingType::Flag,
        "`false` runs the program without the shim that the host has registered",
    ),
    SettingDoc::optional(
        "mode",
        SettingType::Choice(&["plain", "worker"]),
        "a process for each step, or processes that stay",
    )
    .default("\"plain\""),
    SettingDoc::optional("workers", COUNT, "with `mode = \"worker\"`: how many processes there are")
        .default("1"),
    SettingDoc::optional("queue", COUNT, "with `mode = \"worker\"`: how many steps may wait for one")
        .default("64"),
    SettingDoc::optional(
        "max_calls",
        COUNT,
        "with `mode = \"worker\"`: after how many steps a process is replaced",
    )
    .default("10000"),
    SettingDoc::optional(
        "startup",
        SettingType::Duration,
        "with `mode = \"worker\"`: how long a process may take until it is ready",
    )
    .default("\"10s\""),
    SettingDoc::optional(
        "idempotent",
        SettingType::Flag,
        "with `mode = \"worker\"`: whether a step may be sent again after its process has ended",
    )
    .default("false"),
];

const COUNT: SettingType = SettingType::Integer(1, 1_000_000_000);

const LIMITS: &[SettingDoc] = &[
    SettingDoc::optional("cpu", SettingType::Duration, "processor time"),
    SettingDoc::optional("memory", SettingType::Size, "memory that the program can write to"),
    SettingDoc::optional("files", SettingType::Integer(1, i64::MAX), "open files"),
    SettingDoc::optional(
        "processes",
        SettingType::Integer(1, i64::MAX),
        "processes and threads of the user",
    ),
];

const SANDBOX: &[SettingDoc] = &[
    SettingDoc::optional(
        "read",
        SettingType::Texts,
        "where it may read and execute; `$cwd` is the folder of the session",
    ),
    SettingDoc::optional("write", SettingType::Texts, "where it may do everything"),
    SettingDoc::optional("network", SettingType::Flag, "whether it may use TCP").default("false"),
];
