//! Agents whose hook configs are known by their folder or their form, and cannot be read: to take one for the
//! config of an agent that is known would be to tell people what another program does with it.

use std::path::Path;

use super::document::{Document, Format};
use super::node::Node;

/// How the config of an agent is recognised.
struct Form {
    title: &'static str,
    /// Folders that only this agent has.
    folders: &'static [&'static str],
    /// Names of its files.
    files: &'static [&'static str],
    /// Names of events that no agent has whose configs can be read.
    events: &'static [&'static str],
    /// What its `$schema` holds.
    schema: &'static str,
    /// Keys that stand beside each other at the top in its files only.
    keys: &'static [&'static str],
}

const FORMS: &[Form] = &[
    Form {
        title: "Windsurf",
        folders: &[".windsurf", ".codeium"],
        files: &[],
        events: &[
            "pre_read_code",
            "post_read_code",
            "pre_write_code",
            "post_write_code",
            "pre_run_command",
            "post_run_command",
            "pre_mcp_tool_use",
            "post_mcp_tool_use",
            "pre_user_prompt",
            "post_cascade_response",
            "post_cascade_response_with_transcript",
            "post_setup_worktree",
        ],
        schema: "windsurf",
        keys: &[],
    },
    Form {
        title: "Crush",
        folders: &[".crush"],
        files: &["crush.json", ".crush.json"],
        events: &[],
        schema: "charm.land/crush",
        keys: &[],
    },
    Form {
        title: "Goose",
        folders: &[".goose"],
        files: &[],
        events: &[
            "BeforeShellExecution",
            "AfterShellExecution",
            "BeforeFileEdit",
            "AfterFileEdit",
            "BeforeReadFile",
        ],
        schema: "goose",
        keys: &[],
    },
    Form {
        title: "Kiro",
        folders: &[".kiro"],
        files: &[],
        events: &["agentSpawn"],
        schema: "kiro",
        keys: &["when", "then"],
    },
    Form {
        title: "Factory",
        folders: &[".factory", ".factory-plugin"],
        files: &[],
        events: &[],
        schema: "factory.ai",
        keys: &[],
    },
    Form {
        title: "CodeBuddy",
        folders: &[".codebuddy", ".codebuddy-plugin"],
        files: &[],
        events: &[],
        schema: "codebuddy",
        keys: &[],
    },
    Form {
        title: "Antigravity",
        folders: &[".agents", ".antigravity"],
        files: &[],
        events: &[],
        schema: "antigravity",
        keys: &[],
    },
];

/// Returns the agent whose config a file is, if it is one that cannot be read.
pub(super) fn recognise(path: &Path, document: &Document) -> Option<&'static str> {
    let has = |form: &&Form| form.is_here(path) || form.is_form_of(&document.root);
    if document.format != Format::Json {
        return None;
    }
    FORMS.iter().find(has).map(|form| form.title)
}

/// Tells whether a file of JSON is in the folder of such an agent, or has the name of its file.
pub(super) fn is_by_place(path: &Path) -> bool {
    FORMS.iter().any(|form| form.is_here(path))
}

impl Form {
    /// The nearest folder that an agent has says whose it is: `.claude/plugins/goose/` is Claude Code's.
    fn is_here(&self, path: &Path) -> bool {
        let name = path.file_name().and_then(std::ffi::OsStr::to_str).unwrap_or_default();
        let parents = path.iter().filter_map(std::ffi::OsStr::to_str).rev().skip(1);
        let mut folders = parents.filter(|part| {
            super::agent::FOLDERS.contains(part)
                || FORMS.iter().any(|form| form.folders.contains(part))
        });
        self.files.contains(&name)
            || folders.next().is_some_and(|part| self.folders.contains(&part))
    }

    fn is_form_of(&self, root: &Node) -> bool {
        let schema = root.text_of("$schema").unwrap_or_default();
        let events = root.get("hooks").map(Node::entries).unwrap_or_default();
        let has_keys = !self.keys.is_empty() && self.keys.iter().all(|key| root.get(key).is_some());
        schema.contains(self.schema)
            || has_keys
            || events.iter().any(|event| self.events.contains(&event.key.as_str()))
    }
}
