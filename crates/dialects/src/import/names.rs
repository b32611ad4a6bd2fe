//! The names that agents have for the usual tools.
//!
//! A matcher with the name of another agent's tool is a guard that never runs.

use std::collections::BTreeSet;

use super::agent::Agent;

/// What a tool is for, and its names: the first one of each agent is what to write.
struct Tool {
    names: &'static [(Agent, &'static [&'static str])],
}

use Agent::{Claude, Codex, Copilot, Cursor, DockerAgent, Gemini, Kimi, Qwen};

const TOOLS: &[Tool] = &[
    // Runs a command line.
    Tool {
        names: &[
            (Claude, &["Bash", "PowerShell"]),
            (Codex, &["Bash"]),
            (Gemini, &["run_shell_command"]),
            (Qwen, &["run_shell_command", "Bash", "Shell"]),
            (Cursor, &["Shell"]),
            (Copilot, &["bash", "powershell", "Bash"]),
            (Kimi, &["Bash", "Shell"]),
            (DockerAgent, &["shell"]),
        ],
    },
    // Writes a file.
    Tool {
        names: &[
            (Claude, &["Write"]),
            (Codex, &["apply_patch", "Write"]),
            (Gemini, &["write_file"]),
            (Qwen, &["write_file", "Write", "WriteFile"]),
            (Cursor, &["Write", "TabWrite"]),
            (Copilot, &["create", "Write"]),
            (Kimi, &["Write", "WriteFile"]),
            (DockerAgent, &["write_file"]),
        ],
    },
    // Changes a file.
    Tool {
        names: &[
            (Claude, &["Edit", "MultiEdit", "NotebookEdit"]),
            (Codex, &["apply_patch", "Edit"]),
            (Gemini, &["replace"]),
            (Qwen, &["edit", "Edit"]),
            (Cursor, &["Write", "StrReplace", "EditNotebook"]),
            (Copilot, &["edit", "str_replace_editor", "apply_patch", "Edit"]),
            (Kimi, &["Edit", "StrReplaceFile"]),
            (DockerAgent, &["edit_file"]),
        ],
    },
    // Reads a file.
    Tool {
        names: &[
            (Claude, &["Read", "NotebookRead"]),
            (Codex, &["view_image"]),
            (Gemini, &["read_file", "read_many_files"]),
            (Qwen, &["read_file", "read_many_files", "Read", "ReadFile"]),
            (Cursor, &["Read", "TabRead"]),
            (Copilot, &["view", "Read"]),
            (Kimi, &["Read", "ReadFile"]),
            (DockerAgent, &["read_file", "read_multiple_files"]),
        ],
    },
    // Deletes a file.
    Tool { names: &[(Cursor, &["Delete"])] },
    // Finds files by name.
    Tool {
        names: &[
            (Claude, &["Glob"]),
            (Gemini, &["glob"]),
            (Qwen, &["glob", "Glob"]),
            (Cursor, &["Glob"]),
            (Copilot, &["glob", "Glob"]),
            (Kimi, &["Glob"]),
        ],
    },
    // Finds text in files.
    Tool {
        names: &[
            (Claude, &["Grep"]),
            (Gemini, &["grep_search", "search_file_content"]),
            (Qwen, &["grep_search", "Grep"]),
            (Cursor, &["Grep"]),
            (Copilot, &["grep", "rg", "Grep"]),
            (Kimi, &["Grep"]),
        ],
    },
    // Lists a folder.
    Tool {
        names: &[
            (Claude, &["LS"]),
            (Gemini, &["list_directory"]),
            (Qwen, &["list_directory"]),
            (Cursor, &["LS"]),
            (DockerAgent, &["list_directory"]),
        ],
    },
    // Gets a page.
    Tool {
        names: &[
            (Claude, &["WebFetch"]),
            (Gemini, &["web_fetch"]),
            (Qwen, &["web_fetch", "WebFetch"]),
            (Cursor, &["WebFetch"]),
            (Copilot, &["web_fetch", "WebFetch"]),
            (Kimi, &["FetchURL"]),
            (DockerAgent, &["fetch"]),
        ],
    },
    // Searches the web.
    Tool {
        names: &[
            (Claude, &["WebSearch"]),
            (Gemini, &["google_web_search"]),
            (Qwen, &["web_search", "WebSearch"]),
            (Cursor, &["WebSearch"]),
            (Copilot, &["web_search", "WebSearch"]),
            (Kimi, &["WebSearch", "SearchWeb"]),
        ],
    },
    // Starts a sub-agent.
    Tool {
        names: &[
            (Claude, &["Agent", "Task"]),
            (Codex, &["spawn_agent", "Agent"]),
            (Gemini, &["invoke_agent", "delegate_to_agent"]),
            (Qwen, &["agent", "task", "Task"]),
            (Cursor, &["Task"]),
            (Copilot, &["task", "Task", "Agent"]),
            (Kimi, &["Agent", "Task"]),
            (DockerAgent, &["transfer_task"]),
        ],
    },
    // Keeps a list of things to do.
    Tool {
        names: &[
            (Claude, &["TodoWrite"]),
            (Codex, &["update_plan"]),
            (Gemini, &["write_todos"]),
            (Qwen, &["todo_write", "TodoWrite"]),
            (Cursor, &["TodoWrite"]),
            (Copilot, &["update_todo", "TodoWrite"]),
        ],
    },
];

/// Names that an agent gave a tool in another version or on another way, and that its hooks never see.
const UNSEEN: &[(Agent, &[&str], &str)] = &[
    (Codex, &["shell", "exec_command", "local_shell", "unified_exec", "container.exec"], "Bash"),
    (Cursor, &["run_terminal_cmd", "terminal"], "Shell"),
    (Cursor, &["edit_file", "search_replace"], "Write"),
];

/// Names of tools of which other agents have no counterpart.
const ALONE: &[(Agent, &[&str])] = &[
    (
        Claude,
        &[
            "AskUserQuestion",
            "BashOutput",
            "EnterPlanMode",
            "ExitPlanMode",
            "KillBash",
            "KillShell",
            "LSP",
            "Monitor",
            "Skill",
            "SlashCommand",
            "TaskCreate",
            "TaskGet",
            "TaskList",
            "TaskOutput",
            "TaskStop",
            "TaskUpdate",
            "TodoRead",
            "ToolSearch",
        ],
    ),
    (Gemini, &["save_memory", "activate_skill", "get_internal_docs"]),
];

/// Tools of agents whose configs are not read, each with what Claude Code calls the tool that does the same.
const STRANGERS: &[(&str, &[&str], &str)] = &[
    ("Antigravity", &["replace_file_content", "multi_replace_file_content"], "Edit"),
    ("Antigravity", &["write_to_file"], "Write"),
    ("Antigravity", &["view_file", "view_file_outline", "view_code_item"], "Read"),
    ("Antigravity", &["run_command"], "Bash"),
    ("Antigravity", &["find_by_name"], "Glob"),
    ("Antigravity", &["list_dir"], "LS"),
    ("Antigravity", &["read_url_content"], "WebFetch"),
    ("Antigravity", &["search_web"], "WebSearch"),
    ("Cline", &["execute_command"], "Bash"),
    ("Cline", &["replace_in_file"], "Edit"),
    ("OpenCode", &["bash"], "Bash"),
    ("OpenCode", &["write"], "Write"),
    ("OpenCode", &["edit", "multiedit"], "Edit"),
    ("OpenCode", &["read"], "Read"),
    ("OpenCode", &["webfetch"], "WebFetch"),
    ("Factory", &["Execute"], "Bash"),
    ("Factory", &["Create"], "Write"),
    ("Goose", &["developer__shell"], "Bash"),
    ("Goose", &["developer__text_editor"], "Edit"),
    ("Kiro", &["execute_bash"], "Bash"),
    ("Kiro", &["fs_write"], "Write"),
    ("Kiro", &["fs_read"], "Read"),
];

/// What was meant by a name that the agent does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meant {
    /// What the agent calls it.
    pub(super) own: &'static str,
    pub(super) name: Name,
}

/// What the name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// The right one, in other letters.
    OtherCase,
    /// One that the agent has inside, and hooks never see.
    Inner,
    /// That of another agent.
    Of(&'static str),
}

impl Tool {
    fn of(&self, agent: Agent) -> &'static [&'static str] {
        self.names.iter().find(|(known, _)| *known == agent).map_or(&[], |(_, names)| names)
    }

    /// Returns the agent that calls it so.
    fn owner(&self, name: &str) -> Option<&'static str> {
        let known = self.names.iter().find(|(_, names)| names.contains(&name));
        let stranger = |(_, names, like): &&(&str, &[&str], &str)| {
            names.contains(&name) && self.of(Claude).contains(like)
        };
        known
            .map(|(agent, _)| agent.title())
            .or_else(|| STRANGERS.iter().find(stranger).map(|(title, ..)| *title))
    }
}

/// Returns all names of tools that an agent is known to have.
pub(super) fn all_of(agent: Agent) -> Vec<&'static str> {
    let alone = ALONE.iter().filter(|(whose, _)| *whose == agent).flat_map(|(_, names)| *names);
    let usual = TOOLS.iter().flat_map(|tool| tool.of(agent));
    let mut all: Vec<&'static str> = usual.chain(alone).copied().collect();
    let dialects = crate::of_agents();
    let dialect = dialects.iter().find(|dialect| dialect.name() == agent.name());
    all.extend(dialect.into_iter().flat_map(|dialect| dialect.tools()).map(|tool| tool.name));
    all
}

/// Tells whether an agent has a tool of this name, as far as is known.
fn is_known(agent: Agent, name: &str) -> bool {
    all_of(agent).contains(&name)
}

/// Tells whether some agent has a tool of this name.
pub(super) fn is_anybodys(name: &str) -> bool {
    Agent::ALL.into_iter().any(|agent| is_known(agent, name)) || stranger(name).is_some()
}

fn stranger(name: &str) -> Option<&'static str> {
    STRANGERS.iter().find(|(_, names, _)| names.contains(&name)).map(|(title, ..)| *title)
}

/// If an agent never has a tool of this name, returns what it has for it, and whose name it is.
pub(super) fn meant(agent: Agent, name: &str) -> Option<Meant> {
    let own = all_of(agent);
    if own.contains(&name) {
        return None;
    }
    if let Some(own) = own.iter().find(|own| own.eq_ignore_ascii_case(name)) {
        return Some(Meant { own, name: Name::OtherCase });
    }
    if let Some((_, _, own)) =
        UNSEEN.iter().find(|(known, names, _)| *known == agent && names.contains(&name))
    {
        return Some(Meant { own, name: Name::Inner });
    }
    TOOLS.iter().find_map(|tool| {
        let own = tool.of(agent).first()?;
        Some(Meant { own, name: Name::Of(tool.owner(name)?) })
    })
}

/// Returns whose tool a name is, if the agent has neither it nor one that does the same. Of some agents too few
/// tools are known to say so.
pub(super) fn nothing_like(agent: Agent, name: &str) -> Option<&'static str> {
    if !matches!(agent, Claude | Codex | Gemini) || is_known(agent, name) {
        return None;
    }
    let alone = ALONE.iter().find(|(_, names)| names.contains(&name));
    let usual = || TOOLS.iter().find_map(|tool| tool.owner(name));
    alone.map(|(whose, _)| whose.title()).or_else(usual).or_else(|| stranger(name))
}

/// Returns the names under which an agent reports a tool that a matcher calls so: its matchers take some
/// names that its envelopes do not have.
pub(super) fn reported(agent: Agent, name: &str) -> Vec<String> {
    let others: &[&str] = match (agent, name) {
        (Codex, "Edit" | "Write") => &["apply_patch"],
        (Codex, "Agent") => &["spawn_agent"],
        (Qwen, _) => TOOLS
            .iter()
            .map(|tool| tool.of(Qwen))
            .find(|names| names.contains(&name))
            .and_then(|names| names.get(..1))
            .unwrap_or_default(),
        // In PascalCase Copilot has the names of Claude Code, and both mean the same tool.
        (Copilot, _) => TOOLS
            .iter()
            .map(|tool| tool.of(Copilot))
            .find(|names| names.contains(&name))
            .unwrap_or_default(),
        _ => &[],
    };
    let mut all = vec![name.to_owned()];
    all.extend(others.iter().filter(|other| **other != name).map(|other| (*other).to_owned()));
    all
}

/// Says what is wrong with the name of a tool of an MCP server, if it is one that the agent never has.
pub(super) fn mcp_mistake(agent: Agent, name: &str) -> Option<&'static str> {
    let parts = name.split("__").count();
    match agent {
        Gemini if name.starts_with("mcp__") => {
            Some("its MCP tools are called `mcp_<server>_<tool>`, with single underscores")
        }
        Cursor if name.starts_with("mcp__") => Some("its MCP tools are called `MCP:<tool>`"),
        Claude | Codex if name.starts_with("mcp__") && parts == 2 => Some(
            "a name that is only the server matches nothing; its tools are `mcp__<server>__.*`",
        ),
        Claude | Codex if name.starts_with("mcp_") && !name.starts_with("mcp__") => {
            Some("its MCP tools are called `mcp__<server>__<tool>`, with double underscores")
        }
        _ => None,
    }
}

/// Returns the names that other agents have for a tool that does the same.
pub(super) fn elsewhere(agent: Agent, name: &str) -> BTreeSet<String> {
    let own_here = |tool: &&Tool| {
        tool.names.iter().any(|(whose, names)| *whose == agent && names.contains(&name))
    };
    let here = TOOLS.iter().filter(own_here).flat_map(|tool| tool.names);
    let mut found: BTreeSet<&str> =
        here.filter(|(whose, _)| *whose != agent).flat_map(|(_, names)| *names).copied().collect();
    // Agents whose configs cannot be imported have tools as well.
    let all = crate::of_agents();
    let tools =
        || all.iter().flat_map(|dialect| dialect.tools().iter().map(|tool| (dialect.name(), tool)));
    let own = tools().find(|(whose, tool)| *whose == agent.name() && tool.name == name);
    if let Some((_, own)) = own {
        found.extend(tools().filter(|(_, tool)| tool.kind == own.kind).map(|(_, tool)| tool.name));
    }
    // What the agent itself calls so is another tool, which the matcher could have named.
    let is_own = |name: &&str| {
        let mut of_agent = TOOLS.iter().flat_map(|tool| tool.names);
        of_agent.any(|(whose, names)| *whose == agent && names.contains(name))
    };
    found.into_iter().filter(|name| !is_own(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_name_is_told_with_the_own_one() {
        let own = |agent: Agent, name: &str| meant(agent, name).unwrap().own;
        assert_eq!(own(Gemini, "Bash"), "run_shell_command");
        assert_eq!(own(Claude, "run_shell_command"), "Bash");
        assert_eq!(own(Codex, "exec_command"), "Bash");
        assert_eq!(own(Cursor, "Bash"), "Shell");
        assert_eq!(own(Gemini, "replace_file_content"), "replace");
        assert_eq!(own(Claude, "multi_replace_file_content"), "Edit");
        assert_eq!(meant(Claude, "Bash"), None);
        assert_eq!(meant(Claude, "my_tool"), None);
        assert_eq!(meant(Gemini, "Delete"), None, "nobody else has it");
    }

    #[test]
    fn every_name_in_another_case_means_the_own_one() {
        for agent in Agent::ALL {
            let own = all_of(agent);
            for name in &own {
                for other in [name.to_lowercase(), name.to_uppercase()] {
                    let told = meant(agent, &other);
                    let is_own = own.contains(&other.as_str());
                    assert_eq!(told.is_none(), is_own, "{agent} {other}");
                    assert!(
                        told.is_none_or(|told| told.own.eq_ignore_ascii_case(name)),
                        "{told:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn tools_that_an_agent_has_nothing_for() {
        assert_eq!(nothing_like(Codex, "Skill"), Some("Claude Code"));
        assert_eq!(nothing_like(Gemini, "Delete"), Some("Cursor"));
        assert_eq!(nothing_like(Claude, "Skill"), None);
        assert_eq!(nothing_like(Codex, "deploy"), None);
    }

    #[test]
    fn a_matcher_may_have_a_name_that_an_envelope_has_not() {
        assert_eq!(reported(Codex, "Write"), ["Write", "apply_patch"]);
        assert_eq!(reported(Qwen, "Bash"), ["Bash", "run_shell_command"]);
        assert_eq!(
            reported(Copilot, "Edit"),
            ["Edit", "edit", "str_replace_editor", "apply_patch"]
        );
        assert_eq!(reported(Claude, "Edit"), ["Edit"]);
    }

    #[test]
    fn names_of_mcp_tools() {
        assert!(mcp_mistake(Claude, "mcp__memory").is_some());
        assert!(mcp_mistake(Claude, "mcp__memory__add").is_none());
        assert!(mcp_mistake(Gemini, "mcp__memory__add").is_some());
        assert!(mcp_mistake(Gemini, "mcp_memory_add").is_none());
    }
}
