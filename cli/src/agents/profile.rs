//! What is known of each agent: its programs, its files, and the form of its hooks.

use std::sync::Arc;

use hookgate::contract::dialect::{Dialect, HostEvent};

use super::name::is_called;
use super::syntax::Syntax;
use crate::abort::Abort;

/// An agent.
#[derive(Debug)]
pub(crate) struct Profile {
    /// The name of its dialect.
    pub(crate) name: &'static str,
    /// The programs that it may be started by.
    pub(crate) programs: &'static [&'static str],
    /// The version whose sessions hookgate was tried in, with hooks that deny; `None` if it was built from its
    /// documentation alone.
    pub(crate) tried: Option<&'static str>,
    /// The variable that moves the folder of its user, and that folder in the home folder.
    pub(crate) folder: (Option<&'static str>, &'static str),
    /// The file with the hooks of a user, in that folder; for scripts a folder.
    pub(crate) user_file: &'static str,
    /// The same of a project, in the folder of the project; `None` if projects have none.
    pub(crate) project_file: Option<&'static str>,
    /// What else says whether these hooks are called, and with which variables.
    pub(crate) settings: Settings,
    /// How hooks are written there.
    pub(crate) form: Form,
    /// Events at which no hook is installed unless it is asked for, and why.
    pub(crate) left_out: &'static [(&'static str, &'static str)],
    /// The shell that runs the command lines of hooks.
    pub(crate) shell: Shell,
    /// The tool that runs shell commands, as the dialect writes our envelope for it.
    pub(crate) shell_tool: &'static str,
    /// Events at which the agent waits no longer than this, in seconds.
    pub(crate) short: (&'static [&'static str], u32),
    /// How often hooks are called.
    pub(crate) cost: &'static str,
    /// What there is to know or to do once hookgate is installed for a user.
    pub(crate) user_note: &'static str,
    /// The same for a project.
    pub(crate) project_note: &'static str,
}

/// The files and folders beside those with the hooks that say whether hooks are called: settings with switches, with
/// more hooks, with variables for the hooks.
#[derive(Debug)]
pub(crate) struct Settings {
    /// Those of a user, in the folder of the agent.
    pub(crate) user: &'static [&'static str],
    /// Those of a project, in its folder.
    pub(crate) project: &'static [&'static str],
    /// Those of the administrator of the machine.
    pub(crate) machine: &'static [&'static str],
}

/// How an agent starts the command line of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    /// `sh -c`.
    Sh,
    /// `bash -c`.
    Bash,
    /// `$SHELL -lc`, which reads the profile of the user.
    Login,
    /// None: the hook is a program.
    None,
}

/// The form in which an agent reads its hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON: `hooks`, event, groups with a matcher, handlers.
    Grouped {
        /// What the agent reads as JSON.
        syntax: Syntax,
        /// How many of its units of time are a second.
        per_second: u32,
        /// Whether a handler has a name. Of two handlers of the same name only the first may run.
        named: bool,
    },
    /// JSON: `version`, `hooks`, event, handlers.
    Listed {
        /// What the agent reads as JSON.
        syntax: Syntax,
        /// The keys of a handler.
        keys: ListedKeys,
    },
    /// TOML: tables `[[hooks]]`, each with its event.
    Tables,
    /// A folder with a program for each event, named after it.
    Scripts,
    /// A program in JavaScript that the agent loads.
    Plugin,
}

/// The keys of a handler in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListedKeys {
    /// `command`, `timeout`, `failClosed`.
    Cursor,
    /// `type`, `bash`, `timeoutSec`.
    Copilot,
}

/// All agents, sorted by their names.
pub(crate) const PROFILES: &[Profile] = &[
    Profile {
        name: "claude",
        programs: &["claude"],
        tried: None,
        folder: (Some("CLAUDE_CONFIG_DIR"), ".claude"),
        user_file: "settings.json",
        project_file: Some(".claude/settings.json"),
        settings: Settings {
            user: &[],
            project: &[".claude/settings.local.json"],
            machine: &[
                "/etc/claude-code/managed-settings.json",
                "/etc/claude-code/managed-settings.d",
                "/Library/Application Support/ClaudeCode/managed-settings.json",
            ],
        },
        form: Form::Grouped { syntax: Syntax::STRICT, per_second: 1, named: false },
        left_out: &[
            ("WorktreeCreate", "a hook there must itself create the work tree"),
            ("MessageDisplay", "it fires for every piece of a text that is shown"),
        ],
        shell: Shell::Bash,
        shell_tool: "Bash",
        short: (&[], 0),
        cost: "A tool call fires PreToolUse and PostToolUse, and PermissionRequest if its user is asked; a turn UserPromptSubmit and Stop.",
        user_note: "In a terminal, hooks wait until you trust the folder.",
        project_note: "In a terminal, hooks wait until you trust the folder.",
    },
    Profile {
        name: "cline",
        programs: &["cline"],
        tried: Some("3.0.65"),
        folder: (None, ".cline"),
        user_file: "hooks",
        project_file: Some(".clinerules/hooks"),
        settings: Settings { user: &[], project: &[], machine: &[] },
        form: Form::Scripts,
        left_out: &[],
        shell: Shell::None,
        shell_tool: "execute_command",
        short: (&[], 0),
        cost: "A tool call fires PreToolUse and PostToolUse.",
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "codex",
        programs: &["codex"],
        tried: Some("0.169.0"),
        folder: (Some("CODEX_HOME"), ".codex"),
        user_file: "hooks.json",
        project_file: Some(".codex/hooks.json"),
        settings: Settings {
            user: &["config.toml"],
            project: &[".codex/config.toml"],
            machine: &[
                "/etc/codex/config.toml",
                "/etc/codex/hooks.json",
                "/etc/codex/requirements.toml",
            ],
        },
        form: Form::Grouped { syntax: Syntax::STRICT, per_second: 1, named: false },
        left_out: &[],
        shell: Shell::Login,
        shell_tool: "Bash",
        short: (&["SessionEnd", "Interrupt"], 3),
        cost: "A tool call fires PreToolUse and PostToolUse, and PermissionRequest if its user is asked; a turn UserPromptSubmit and Stop. Codex starts the command line with a login shell, which reads the profile of its user each time.",
        user_note: "Codex skips a hook that nobody has reviewed, without a word: start codex, type /hooks \
                    and trust these. For `codex exec` where nobody can, there is \
                    --dangerously-bypass-hook-trust.",
        project_note: "Codex skips a hook that nobody has reviewed, and all hooks of a project that is not \
                       trusted, without a word: start codex there, trust the project, type /hooks and \
                       trust these.",
    },
    Profile {
        name: "copilot",
        programs: &["copilot"],
        tried: Some("1.0.102"),
        folder: (None, ".copilot"),
        user_file: "hooks/hookgate.json",
        project_file: Some(".github/hooks/hookgate.json"),
        settings: Settings {
            user: &["hooks", "settings.json", "config.json"],
            project: &[
                ".github/hooks",
                ".github/copilot/settings.json",
                ".github/copilot/settings.local.json",
                ".claude/settings.json",
                ".claude/settings.local.json",
            ],
            machine: &["/etc/github-copilot/policy.d"],
        },
        form: Form::Listed { syntax: Syntax::STRICT, keys: ListedKeys::Copilot },
        left_out: &[],
        shell: Shell::Bash,
        shell_tool: "bash",
        short: (&[], 0),
        cost: "A tool call fires preToolUse, permissionRequest and postToolUse; a turn userPromptSubmitted and agentStop. Hooks of an event run one after the other.",
        user_note: "",
        project_note: "Copilot skips the hooks of a folder that is not trusted, without a word. Without a \
                       terminal it needs --trust-folder.",
    },
    Profile {
        name: "cursor",
        programs: &["cursor-agent", "cursor"],
        tried: None,
        folder: (None, ".cursor"),
        user_file: "hooks.json",
        project_file: Some(".cursor/hooks.json"),
        settings: Settings { user: &[], project: &[], machine: &["/etc/cursor/hooks.json"] },
        form: Form::Listed { syntax: Syntax::STRICT, keys: ListedKeys::Cursor },
        left_out: &[
            ("beforeShellExecution", "preToolUse tells of the same call"),
            ("beforeMCPExecution", "preToolUse tells of the same call"),
            ("afterShellExecution", "postToolUse tells of the same call"),
            ("afterMCPExecution", "postToolUse tells of the same call"),
            ("afterFileEdit", "postToolUse tells of the same call"),
        ],
        shell: Shell::Sh,
        shell_tool: "Shell",
        short: (&[], 0),
        cost: "A tool call fires preToolUse and postToolUse, and beforeReadFile if it reads a file.",
        user_note: "",
        project_note: "Cursor runs the hooks of a project once its workspace is trusted.",
    },
    Profile {
        name: "gemini",
        programs: &["gemini"],
        tried: Some("0.61.0"),
        folder: (None, ".gemini"),
        user_file: "settings.json",
        project_file: Some(".gemini/settings.json"),
        settings: Settings {
            user: &[".env"],
            project: &[".gemini/.env", ".env"],
            machine: &["/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"],
        },
        form: Form::Grouped { syntax: Syntax::COMMENTS, per_second: 1000, named: true },
        left_out: &[("AfterModel", "it fires for every piece of a reply")],
        shell: Shell::Bash,
        shell_tool: "run_shell_command",
        short: (&[], 0),
        cost: "A tool call fires BeforeTool and AfterTool; each request to the model fires PreCompress, BeforeModel and BeforeToolSelection before, and BeforeModel gets the whole conversation.",
        user_note: "",
        project_note: "Gemini CLI runs the hooks of a project once its folder is trusted.",
    },
    Profile {
        name: "kimi",
        programs: &["kimi"],
        tried: Some("2.1.0"),
        folder: (None, ".kimi-code"),
        user_file: "config.toml",
        project_file: None,
        settings: Settings { user: &[], project: &[], machine: &[] },
        form: Form::Tables,
        left_out: &[("SessionHeartbeat", "it fires all the time")],
        shell: Shell::Sh,
        shell_tool: "Bash",
        short: (&[], 0),
        cost: "A tool call fires PreToolUse, PermissionRequest, PermissionResult and PostToolUse; a turn UserPromptSubmit, TurnStarted and Stop.",
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "opencode",
        programs: &["opencode"],
        tried: Some("1.18.33"),
        folder: (None, ".config/opencode"),
        user_file: "plugin/hookgate.js",
        project_file: Some(".opencode/plugin/hookgate.js"),
        settings: Settings {
            user: &["plugin", "plugins", "opencode.json", "opencode.jsonc"],
            project: &[
                ".opencode/plugin",
                ".opencode/plugins",
                ".opencode/opencode.json",
                "opencode.json",
                "opencode.jsonc",
            ],
            machine: &[],
        },
        form: Form::Plugin,
        left_out: &[("event", "it fires all the time")],
        shell: Shell::Sh,
        shell_tool: "bash",
        short: (&[], 0),
        cost: "A tool call fires tool.execute.before and tool.execute.after; a prompt fires chat.message.",
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "qwen",
        programs: &["qwen"],
        tried: Some("0.24.4"),
        folder: (None, ".qwen"),
        user_file: "settings.json",
        project_file: Some(".qwen/settings.json"),
        settings: Settings {
            user: &[".env"],
            project: &[".qwen/.env", ".env"],
            machine: &["/etc/qwen-code/settings.json", "/etc/qwen-code/system-defaults.json"],
        },
        form: Form::Grouped { syntax: Syntax::COMMENTS_AND_MARK, per_second: 1000, named: true },
        left_out: &[("MessageDisplay", "it fires for every piece of a text that is shown")],
        shell: Shell::Bash,
        shell_tool: "run_shell_command",
        short: (&[], 0),
        cost: "A tool call fires PreToolUse, PostToolUse and PostToolBatch, and UserPromptSubmit once more with its result; a turn UserPromptSubmit and Stop.",
        user_note: "In Qwen Code the explicit allow of a later hook undoes a deny: keep hookgate the last hook.",
        project_note: "In Qwen Code the explicit allow of a later hook undoes a deny: keep hookgate the last \
                       hook. Qwen Code runs the hooks of a project once its folder is trusted.",
    },
];

impl Profile {
    /// Says that hookgate was not tried with a version of this agent, if it was not.
    pub(crate) fn not_tried(&self, version: Option<&str>) -> Option<String> {
        match (version?, self.tried) {
            (version, Some(tried)) if version == tried => None,
            (version, Some(tried)) => Some(format!(
                "not tried with this version ({version}): tried with {tried}; see that it obeys"
            )),
            (version, None) => Some(format!(
                "not tried with any version ({version}): built from its documentation; see that it obeys"
            )),
        }
    }

    /// Returns the agent of a name.
    pub(crate) fn find(name: &str) -> Result<&'static Self, Abort> {
        let dialects = hookgate_dialects::of_agents();
        let dialect = dialects.iter().find(|dialect| is_called(&***dialect, name));
        let name = dialect.map_or(name, |dialect| dialect.name());
        PROFILES.iter().find(|profile| profile.name == name).ok_or_else(|| {
            let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
            Abort::unknown_name("agent", name, &known)
        })
    }

    /// Returns the dialect of the agent.
    pub(crate) fn dialect(&self) -> Result<Arc<dyn Dialect>, Abort> {
        hookgate_dialects::of_agents()
            .into_iter()
            .find(|dialect| dialect.name() == self.name)
            .ok_or_else(|| Abort::failure(format!("the dialect `{}` is not built in", self.name)))
    }

    /// Tells whether an event is known under another name too, and hooks are installed under that one.
    /// Copilot has two names for each; under those in camelCase its tools have their own names.
    pub(crate) fn has_other_name(&self, event: &str) -> bool {
        self.name == "copilot" && event.starts_with(|letter: char| letter.is_ascii_uppercase())
    }

    /// Returns why no hook is installed at an event unless it is asked for.
    pub(crate) fn why_left_out(&self, event: &str) -> Option<&'static str> {
        self.left_out.iter().find(|(name, _)| *name == event).map(|(_, why)| *why)
    }

    /// Returns how long is waited at an event, if hookgate has `usual` seconds elsewhere.
    pub(crate) fn waits(&self, event: &HostEvent, usual: u32) -> Waits {
        let (events, limit) = self.short;
        if events.contains(&event.name) && usual + 2 * Waits::STEP > limit {
            let kill = limit.saturating_sub(1);
            return Waits { deadline: kill.saturating_sub(1).max(1), kill, patience: limit };
        }
        let kill = usual.saturating_add(Waits::STEP);
        Waits { deadline: usual, kill, patience: kill.saturating_add(Waits::STEP) }
    }
}

/// How long is waited for an answer, in seconds. Each is longer than the one before: the agent itself lets
/// the step pass once it loses its patience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waits {
    /// Until hookgate itself refuses.
    pub(crate) deadline: u32,
    /// Until it is killed.
    pub(crate) kill: u32,
    /// Until the agent goes on without it.
    pub(crate) patience: u32,
}

impl Waits {
    const STEP: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::PROFILES;

    #[test]
    fn another_version_than_the_one_that_was_tried_is_told() {
        for profile in PROFILES {
            assert_eq!(profile.not_tried(None), None);
            assert_eq!(profile.tried.and_then(|tried| profile.not_tried(Some(tried))), None);
            let told = profile.not_tried(Some("9.9.0")).unwrap();
            assert!(
                told.contains("9.9.0") && told.contains(profile.tried.unwrap_or("any version")),
                "{told}"
            );
        }
    }
}
