//! What is known of each agent: its switches, its files, and what changes of a hook do there.

/// A key of settings that switches hooks off.
#[derive(Debug)]
pub(super) struct Switch {
    /// Where it stands in a file.
    pub(super) path: &'static [&'static str],
    /// The value that switches off.
    pub(super) off: bool,
    /// The files that may have it, the weakest first.
    pub(super) files: &'static [&'static str],
    /// Whether the strongest file that has it counts, or each.
    pub(super) strongest: bool,
}

/// A change of what was installed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// A key of the hook, as JSON; without a value it is taken out.
    Key(&'static str, Option<&'static str>),
    /// The matcher of the hook.
    Matcher(&'static str),
    /// The event has another name.
    Event(&'static str),
    /// A hook of somebody else stands behind it, as JSON.
    Beside(&'static str),
    /// A key at the top of the file, as JSON.
    Top(&'static str, &'static str),
    /// Texts of the command line of the hook are replaced.
    Line(&'static [(&'static str, &'static str)]),
    /// Texts of the file are replaced, each once.
    Texts(&'static [(&'static str, &'static str)]),
    /// Another file is written.
    File(&'static str, &'static str),
    /// The file is gone.
    Gone,
    /// The mode of the file.
    Mode(u32),
    /// A variable of the shell that the agent is started in.
    Variable(&'static str, &'static str),
    /// Nobody has reviewed the hooks since they were changed.
    Unreviewed,
}

/// What is known of an agent.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) agent: &'static str,
    /// The file with the hook, and its event.
    pub(super) file: &'static str,
    pub(super) event: &'static str,
    pub(super) switches: &'static [Switch],
    /// The settings whose `env` the hooks get, the weakest first, and variables: whether hooks are called with them.
    pub(super) env: &'static [&'static str],
    pub(super) variables: &'static [(&'static str, &'static str, bool)],
    /// Changes of the hook, and others; after each, whether the hook still keeps tools from running.
    pub(super) of_hook: &'static [(Change, bool)],
    pub(super) others: &'static [(Change, bool)],
}

use Change::{
    Beside, Event, File, Gone, Key, Line, Matcher, Mode, Texts, Top, Unreviewed, Variable,
};

/// Changes of the command line of a hook, and whether the hook still keeps tools from running: in each agent that is told by
/// an exit status of 2.
pub(super) const OF_LINE: &[(Change, bool)] = &[
    (Line(&[("stopped this", "failed here"), ("exit 2", "exit 1")]), false),
    (Line(&[("exit 2; }", "exit 0; }")]), false),
    (Line(&[(" || { echo hookgate stopped this", " ; { echo hookgate stopped this")]), false),
    (Line(&[("KILL 10 ", "KILL 1000 ")]), false),
    (Line(&[(" --timeout 8 ", " --timeout 7 ")]), true),
];

const NO_SWITCH: &[Switch] = &[];

pub(super) const MODELS: &[Model] = &[
    Model {
        agent: "claude",
        file: "home/.claude/settings.json",
        event: "PreToolUse",
        switches: &[Switch {
            path: &["disableAllHooks"],
            off: true,
            files: &[
                "home/.claude/settings.json",
                "work/.claude/settings.json",
                "work/.claude/settings.local.json",
            ],
            strongest: true,
        }],
        env: &[
            "home/.claude/settings.json",
            "work/.claude/settings.json",
            "work/.claude/settings.local.json",
        ],
        variables: &[
            ("HOOKGATE_CONFIG", "/dev/null", false),
            ("EDITOR", "vi", true),
            ("HOOKGATE_LOG", "hookgate=info", true),
            ("CLAUDE_CODE_SIMPLE", "1", false),
            ("CLAUDE_CODE_SIMPLE", "0", true),
            ("CLAUDE_CODE_SAFE_MODE", "true", false),
            ("CLAUDE_CONFIG_DIR", "/elsewhere", false),
        ],
        of_hook: &[
            (Key("async", Some("true")), false),
            (Key("async", Some("false")), true),
            (Key("if", Some("\"Bash(rm *)\"")), false),
            (Key("args", Some("[]")), false),
            (Key("type", Some("\"prompt\"")), false),
            (Key("timeout", Some("2")), false),
            (Key("timeout", Some("60")), true),
            (Key("statusMessage", Some("\"x\"")), true),
            (Matcher("Write"), false),
            (Matcher("*"), true),
            (Event("preToolUse"), false),
        ],
        others: &[
            (Beside("{\"type\": \"command\", \"command\": \"true\"}"), true),
            (Variable("CLAUDE_CODE_SIMPLE", "1"), false),
            (Variable("QWEN_CODE_SAFE_MODE", "1"), true),
        ],
    },
    Model {
        agent: "cline",
        file: "home/.cline/hooks/PreToolUse",
        event: "PreToolUse",
        switches: NO_SWITCH,
        env: &[],
        variables: &[],
        // Only what it prints counts. Its program runs any file of this name; others skip one that is not executable.
        of_hook: &[
            (Gone, false),
            (Mode(0o644), false),
            (Texts(&[("\"cancel\": true", "\"cancel\": false")]), false),
            (Texts(&[("--event PreToolUse", "--event PostToolUse")]), false),
            (Texts(&[("#!/bin/sh\n", "#!/bin/sh\nexit 0\n")]), false),
        ],
        others: &[
            (File("work/.clinerules/hooks/PreToolUse", "#!/bin/sh\necho '{}'\n"), true),
            (Variable("CLAUDE_CODE_SIMPLE", "1"), true),
        ],
    },
    Model {
        agent: "codex",
        file: "home/.codex/hooks.json",
        event: "PreToolUse",
        switches: &[
            Switch {
                path: &["features", "hooks"],
                off: false,
                files: &["home/.codex/config.toml", "work/.codex/config.toml"],
                strongest: false,
            },
            Switch {
                path: &["features", "codex_hooks"],
                off: false,
                files: &["home/.codex/config.toml", "work/.codex/config.toml"],
                strongest: false,
            },
        ],
        env: &[],
        variables: &[],
        // One hook that is not well-formed takes all others of the file with it.
        of_hook: &[
            (Key("timeout", Some("60")), true),
            (Key("timeout", Some("\"12\"")), false),
            (Key("timeout", Some("-1")), false),
            (Key("type", Some("\"carrier-pigeon\"")), false),
            (Key("type", None), false),
            (Key("of_tomorrow", Some("1")), true),
            (Matcher("apply_patch"), false),
            (Matcher("*"), true),
            (Matcher("("), false),
            (Event("pretooluse"), false),
        ],
        others: &[
            (Unreviewed, false),
            (Beside("{\"type\": \"command\", \"command\": \"true\"}"), true),
            (Beside("{\"type\": \"carrier-pigeon\"}"), false),
            (Texts(&[("{", "// a note\n{")]), false),
            (Texts(&[("{", "{,")]), false),
        ],
    },
    Model {
        agent: "copilot",
        file: "home/.copilot/hooks/hookgate.json",
        event: "preToolUse",
        switches: &[Switch {
            path: &["disableAllHooks"],
            off: true,
            files: &[
                "home/.copilot/hooks/hookgate.json",
                "home/.copilot/settings.json",
                "work/.github/copilot/settings.json",
                "work/.github/copilot/settings.local.json",
            ],
            strongest: false,
        }],
        env: &[],
        variables: &[],
        of_hook: &[
            (Key("timeoutSec", Some("\"12\"")), false),
            (Key("timeoutSec", Some("2")), false),
            (Key("timeoutSec", Some("60")), true),
            (Key("type", None), true),
            (Matcher("*"), false),
            (Matcher(""), false),
            (Matcher("bash"), false),
            (Matcher(".*"), true),
            (Event("pretooluse"), false),
        ],
        others: &[
            (Top("version", "2"), false),
            (Top("version", "1"), true),
            (Texts(&[("{", "// a note\n{")]), false),
            (Beside("{\"type\": \"carrier-pigeon\"}"), true),
            (Variable("COPILOT_HOME", "/elsewhere"), false),
        ],
    },
    Model {
        agent: "cursor",
        file: "home/.cursor/hooks.json",
        event: "preToolUse",
        switches: NO_SWITCH,
        env: &[],
        variables: &[],
        of_hook: &[
            (Key("timeout", Some("2")), false),
            (Key("timeout", Some("60")), true),
            (Key("matcher", Some("\"Write\"")), false),
            (Event("PreToolUse"), false),
            // A failure is a deny by this key; the status 2 is one by itself.
            (Key("failClosed", Some("false")), true),
            (Line(&[("stopped this", "failed here"), ("exit 2", "exit 1")]), true),
        ],
        others: &[
            (Top("version", "2"), false),
            (Beside("{\"command\": \"true\"}"), true),
            (Texts(&[("{", "{,")]), false),
        ],
    },
    Model {
        agent: "gemini",
        file: "home/.gemini/settings.json",
        event: "BeforeTool",
        switches: &[Switch {
            path: &["hooksConfig", "enabled"],
            off: false,
            files: &["home/.gemini/settings.json", "work/.gemini/settings.json"],
            strongest: true,
        }],
        env: &["work/.gemini/.env"],
        variables: &[
            ("HOOKGATE_CONFIG", "/dev/null", false),
            ("EDITOR", "vi", true),
            ("GEMINI_CLI_HOME", "/elsewhere", false),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/elsewhere", false),
        ],
        of_hook: &[
            (Key("timeout", Some("-1")), false),
            (Key("timeout", Some("2")), false),
            (Key("timeout", Some("60000")), true),
            (Key("type", None), false),
            (Matcher("write_file"), false),
            (Matcher(""), true),
            (Matcher(" * "), true),
            (Matcher("("), false),
            (Event("beforetool"), false),
            (Event("PreToolUse"), false),
        ],
        others: &[
            (Key("name", Some("\"mine\"")), true),
            (Texts(&[("{", "// a note\n{")]), true),
            (Beside("{\"type\": \"carrier-pigeon\"}"), true),
            (
                File(
                    "work/.gemini/settings.json",
                    "{\"hooksConfig\": {\"disabled\": [\"hookgate-BeforeTool\"]}}",
                ),
                false,
            ),
            (
                File(
                    "work/.gemini/settings.json",
                    "{\"hooksConfig\": {\"disabled\": [\"other\"]}}",
                ),
                true,
            ),
        ],
    },
    Model {
        agent: "kimi",
        file: "home/.kimi-code/config.toml",
        event: "PreToolUse",
        switches: NO_SWITCH,
        env: &[],
        variables: &[],
        // One hook with what is not known takes all others of the file with it.
        of_hook: &[
            (Key("timeout", Some("0")), false),
            (Key("timeout", Some("700")), false),
            (Key("timeout", Some("\"12\"")), false),
            (Key("timeout", Some("60")), true),
            (Key("name", Some("\"x\"")), false),
            (Matcher("*"), false),
            (Matcher("("), false),
            (Matcher("Write"), false),
            (Matcher(""), true),
            (Matcher(".*"), true),
            (Event("pretooluse"), false),
        ],
        others: &[
            (Beside("{\"event\": \"Stop\", \"command\": \"true\"}"), true),
            (Beside("{\"event\": \"Stopp\", \"command\": \"true\"}"), false),
            (Beside("{\"event\": \"Stop\", \"command\": \"true\", \"async\": true}"), false),
            (Variable("KIMI_CODE_HOME", "/elsewhere"), false),
        ],
    },
    Model {
        agent: "opencode",
        file: "home/.config/opencode/plugin/hookgate.js",
        event: "tool.execute.before",
        switches: NO_SWITCH,
        env: &[],
        variables: &[],
        of_hook: &[
            (Gone, false),
            (Texts(&[("import {", "import {,")]), false),
            (Texts(&[("import {", "throw new Error();\nimport {")]), false),
            (
                Texts(&[
                    ("`hookgate install", "`nobody"),
                    ("  return new Promise(", "  return; new Promise("),
                ]),
                false,
            ),
            (Texts(&[("\"tool.execute.before\"", "\"tool.execute.never\"")]), false),
        ],
        others: &[
            (Variable("OPENCODE_PURE", "1"), false),
            (Variable("OPENCODE_PURE", "0"), true),
            (Variable("OPENCODE_CONFIG_DIR", "/elsewhere"), false),
            (File("work/opencode.json", "{\"theme\": \"dark\"}"), true),
        ],
    },
    Model {
        agent: "qwen",
        file: "home/.qwen/settings.json",
        event: "PreToolUse",
        switches: &[
            Switch {
                path: &["disableAllHooks"],
                off: true,
                files: &["home/.qwen/settings.json", "work/.qwen/settings.json"],
                strongest: false,
            },
            Switch {
                path: &["hooksConfig", "enabled"],
                off: false,
                files: &["home/.qwen/settings.json", "work/.qwen/settings.json"],
                strongest: true,
            },
        ],
        env: &["work/.qwen/.env"],
        variables: &[
            ("HOOKGATE_CONFIG", "/dev/null", false),
            ("EDITOR", "vi", true),
            ("QWEN_CODE_SAFE_MODE", "1", false),
            ("QWEN_CODE_SAFE_MODE", "false", true),
            ("QWEN_HOME", "/elsewhere", false),
        ],
        of_hook: &[
            (Key("type", None), false),
            (Key("timeout", Some("60000")), true),
            (Key("timeout", Some("2000")), false),
            (Key("name", Some("\"mine\"")), true),
            (Matcher("write_file"), false),
            (Matcher("*"), true),
            (Event("pretooluse"), false),
        ],
        others: &[
            (Texts(&[("{", "// a note\n{")]), true),
            (Beside("{\"type\": \"command\", \"command\": \"true\"}"), true),
            (Beside("{\"type\": \"carrier-pigeon\"}"), true),
        ],
    },
];
