//! What is known of each agent: its programs, its files, and the form of its hooks.

use std::sync::Arc;

use hookgate::contract::dialect::{Dialect, HostEvent};

use super::syntax::Syntax;
use crate::abort::Abort;

/// An agent.
#[derive(Debug)]
pub(crate) struct Profile {
    /// The name of its dialect.
    pub(crate) name: &'static str,
    /// The programs that it may be started by.
    pub(crate) programs: &'static [&'static str],
    /// The variable that moves the folder of its user, and that folder in the home folder.
    pub(crate) folder: (Option<&'static str>, &'static str),
    /// The file with the hooks of a user, in that folder; for scripts a folder.
    pub(crate) user_file: &'static str,
    /// The same of a project, in the folder of the project; `None` if projects have none.
    pub(crate) project_file: Option<&'static str>,
    /// How hooks are written there.
    pub(crate) form: Form,
    /// Events at which no hook is installed unless it is asked for, and why.
    pub(crate) left_out: &'static [(&'static str, &'static str)],
    /// Events at which the agent waits no longer than this, in seconds.
    pub(crate) short: (&'static [&'static str], u32),
    /// What there is to know or to do once hookgate is installed for a user.
    pub(crate) user_note: &'static str,
    /// The same for a project.
    pub(crate) project_note: &'static str,
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
        folder: (Some("CLAUDE_CONFIG_DIR"), ".claude"),
        user_file: "settings.json",
        project_file: Some(".claude/settings.json"),
        form: Form::Grouped { syntax: Syntax::STRICT, per_second: 1, named: false },
        left_out: &[
            ("WorktreeCreate", "a hook there must itself create the work tree"),
            ("MessageDisplay", "it fires for every piece of a text that is shown"),
        ],
        short: (&[], 0),
        user_note: "In a terminal, hooks wait until you trust the folder.",
        project_note: "In a terminal, hooks wait until you trust the folder.",
    },
    Profile {
        name: "cline",
        programs: &["cline"],
        folder: (None, ".cline"),
        user_file: "hooks",
        project_file: Some(".clinerules/hooks"),
        form: Form::Scripts,
        left_out: &[],
        short: (&[], 0),
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "codex",
        programs: &["codex"],
        folder: (Some("CODEX_HOME"), ".codex"),
        user_file: "hooks.json",
        project_file: Some(".codex/hooks.json"),
        form: Form::Grouped { syntax: Syntax::STRICT, per_second: 1, named: false },
        left_out: &[],
        short: (&["SessionEnd", "Interrupt"], 3),
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
        folder: (None, ".copilot"),
        user_file: "hooks/hookgate.json",
        project_file: Some(".github/hooks/hookgate.json"),
        form: Form::Listed { syntax: Syntax::STRICT, keys: ListedKeys::Copilot },
        left_out: &[],
        short: (&[], 0),
        user_note: "",
        project_note: "Copilot skips the hooks of a folder that is not trusted, without a word. Without a \
                       terminal it needs --trust-folder.",
    },
    Profile {
        name: "cursor",
        programs: &["cursor-agent", "cursor"],
        folder: (None, ".cursor"),
        user_file: "hooks.json",
        project_file: Some(".cursor/hooks.json"),
        form: Form::Listed { syntax: Syntax::STRICT, keys: ListedKeys::Cursor },
        left_out: &[],
        short: (&[], 0),
        user_note: "",
        project_note: "Cursor runs the hooks of a project once its workspace is trusted.",
    },
    Profile {
        name: "gemini",
        programs: &["gemini"],
        folder: (None, ".gemini"),
        user_file: "settings.json",
        project_file: Some(".gemini/settings.json"),
        form: Form::Grouped { syntax: Syntax::COMMENTS, per_second: 1000, named: true },
        left_out: &[("AfterModel", "it fires for every piece of a reply")],
        short: (&[], 0),
        user_note: "",
        project_note: "Gemini CLI runs the hooks of a project once its folder is trusted.",
    },
    Profile {
        name: "kimi",
        programs: &["kimi"],
        folder: (None, ".kimi-code"),
        user_file: "config.toml",
        project_file: None,
        form: Form::Tables,
        left_out: &[("SessionHeartbeat", "it fires all the time")],
        short: (&[], 0),
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "opencode",
        programs: &["opencode"],
        folder: (None, ".config/opencode"),
        user_file: "plugin/hookgate.js",
        project_file: Some(".opencode/plugin/hookgate.js"),
        form: Form::Plugin,
        left_out: &[("event", "it fires all the time")],
        short: (&[], 0),
        user_note: "",
        project_note: "",
    },
    Profile {
        name: "qwen",
        programs: &["qwen"],
        folder: (None, ".qwen"),
        user_file: "settings.json",
        project_file: Some(".qwen/settings.json"),
        form: Form::Grouped { syntax: Syntax::COMMENTS_AND_MARK, per_second: 1000, named: true },
        left_out: &[("MessageDisplay", "it fires for every piece of a text that is shown")],
        short: (&[], 0),
        user_note: "In Qwen Code the explicit allow of a later hook undoes a deny: keep hookgate the last hook.",
        project_note: "In Qwen Code the explicit allow of a later hook undoes a deny: keep hookgate the last \
                       hook. Qwen Code runs the hooks of a project once its folder is trusted.",
    },
];

impl Profile {
    /// Returns the agent of a name.
    pub(crate) fn find(name: &str) -> Result<&'static Self, Abort> {
        PROFILES.iter().find(|profile| profile.name == name).ok_or_else(|| {
            let known: Vec<&str> = PROFILES.iter().map(|profile| profile.name).collect();
            Abort::unknown_name("agent", name, &known)
        })
    }

    /// Returns the dialect of the agent.
    pub(crate) fn dialect(&self) -> Result<Arc<dyn Dialect>, Abort> {
        hookgate_dialects::all()
            .into_iter()
            .find(|dialect| dialect.name() == self.name)
            .ok_or_else(|| Abort::failure(format!("the dialect `{}` is not built in", self.name)))
    }

    /// Returns why no hook is installed at an event unless it is asked for.
    pub(crate) fn why_left_out(&self, event: &str) -> Option<&'static str> {
        self.left_out.iter().find(|(name, _)| *name == event).map(|(_, why)| *why)
    }

    /// Returns how many seconds hookgate gets at an event, if it gets `usual` elsewhere. The agent itself
    /// waits longer, so that it never ends the wait: it would let the step pass.
    pub(crate) fn seconds(&self, event: &HostEvent, usual: u32) -> u32 {
        let (events, limit) = self.short;
        if events.contains(&event.name) { usual.min(limit.saturating_sub(1)) } else { usual }
    }

    /// Returns how many seconds the agent itself waits, if hookgate gets some.
    pub(crate) fn patience(&self, event: &HostEvent, seconds: u32) -> u32 {
        let (events, limit) = self.short;
        if events.contains(&event.name) { limit } else { seconds.saturating_add(2) }
    }
}
