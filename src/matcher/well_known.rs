//! Tools that are known by name, and the keys of their inputs, to notice a name that was mistyped.
//!
//! The lists serve warnings only: a name that is not here is as good as any other. They name the tools
//! of the agents that people write hooks for most.

use hookgate_contract::suggest::nearest;

/// Tools of Claude Code, each with the keys of its input.
const TOOLS: &[(&str, &[&str])] = &[
    (
        "Bash",
        &["command", "timeout", "description", "run_in_background", "dangerouslyDisableSandbox"],
    ),
    ("BashOutput", &["bash_id", "filter"]),
    ("Edit", &["file_path", "old_string", "new_string", "replace_all"]),
    ("Glob", &["pattern", "path"]),
    (
        "Grep",
        &[
            "pattern",
            "path",
            "glob",
            "type",
            "output_mode",
            "head_limit",
            "multiline",
            "offset",
            "-A",
            "-B",
            "-C",
            "-i",
            "-n",
            "context",
        ],
    ),
    ("KillShell", &["shell_id"]),
    ("MultiEdit", &["file_path", "edits"]),
    ("NotebookEdit", &["notebook_path", "cell_id", "new_source", "cell_type", "edit_mode"]),
    ("Read", &["file_path", "offset", "limit", "pages"]),
    ("Task", &["description", "prompt", "subagent_type", "model", "run_in_background", "resume"]),
    ("TodoWrite", &["todos"]),
    ("WebFetch", &["url", "prompt"]),
    ("WebSearch", &["query", "allowed_domains", "blocked_domains"]),
    ("Write", &["file_path", "content"]),
];

/// Keys that other agents have at tools of the same name. Where a hook asks for one of them beside the key of Claude
/// Code, it is no mistake.
const OF_OTHER_AGENTS: &[(&str, &str)] = &[
    ("path", "Read"),
    ("path", "Write"),
    ("path", "Edit"),
    ("workdir", "Bash"),
    ("cwd", "Bash"),
    ("justification", "Bash"),
    ("directory", "Glob"),
    ("glob_pattern", "Glob"),
    ("target_directory", "Glob"),
    ("contents", "Write"),
];

/// What kind of value a key has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueKind {
    Text,
    Number,
    Flag,
    List,
}

/// The keys of the tools above whose value is no text.
const VALUE_KINDS: &[(&str, ValueKind)] = &[
    ("timeout", ValueKind::Number),
    ("offset", ValueKind::Number),
    ("limit", ValueKind::Number),
    ("head_limit", ValueKind::Number),
    ("-A", ValueKind::Number),
    ("-B", ValueKind::Number),
    ("-C", ValueKind::Number),
    ("context", ValueKind::Number),
    ("-i", ValueKind::Flag),
    ("-n", ValueKind::Flag),
    ("run_in_background", ValueKind::Flag),
    ("dangerouslyDisableSandbox", ValueKind::Flag),
    ("replace_all", ValueKind::Flag),
    ("multiline", ValueKind::Flag),
    ("edits", ValueKind::List),
    ("todos", ValueKind::List),
    ("allowed_domains", ValueKind::List),
    ("blocked_domains", ValueKind::List),
];

/// returns what kind of value a key has, if each of the tools is known and has it.
pub(super) fn kind_of(key: &str, tools: &[&str]) -> Option<ValueKind> {
    let has = |tool: &&str| input_keys(tool).is_some_and(|keys| keys.contains(&key));
    let kind = VALUE_KINDS
        .iter()
        .find(|(name, _)| *name == key)
        .map_or(ValueKind::Text, |(_, kind)| *kind);
    (!tools.is_empty() && tools.iter().all(has)).then_some(kind)
}

/// Returns the keys that the tools have, if all of them are known and none has this one.
pub(super) fn keys_without(key: &str, tools: &[&str]) -> Option<Vec<&'static str>> {
    let all: Option<Vec<_>> = tools.iter().map(|tool| input_keys(tool)).collect();
    let mut all = all.filter(|all| !all.is_empty())?.concat();
    let is_other =
        OF_OTHER_AGENTS.iter().any(|(other, tool)| *other == key && tools.contains(tool));
    all.dedup();
    // The one key that a path is at is named before the others.
    (!all.contains(&key) && !is_other).then_some(all)
}

/// Returns the key of Claude Code's tool for one that only other agents have: `file_path` for `path`.
pub(super) fn key_of_claude(key: &str, tools: &[&str]) -> Option<&'static str> {
    let is_other =
        |tool: &&str| OF_OTHER_AGENTS.iter().any(|(other, of)| (*other, *of) == (key, *tool));
    (key == "path" && !tools.is_empty() && tools.iter().all(is_other)).then_some("file_path")
}

/// Names of other tools, which are near to one above and are no mistake.
const OTHERS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "ExitPlanMode",
    "KillBash",
    "LS",
    "LSP",
    "Monitor",
    "NotebookRead",
    "Shell",
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
    "apply_patch",
    "exec_command",
    "google_web_search",
    "list_directory",
    "local_shell",
    "multiedit",
    "patch",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "shell",
    "todowrite",
    "todoread",
    "update_plan",
    "view_image",
    "web_fetch",
    "write_file",
    "write_stdin",
];

/// Returns the keys of the input of a tool that is known by name, for editors that propose them.
///
/// ```
/// use hookgate::matcher::input_keys;
///
/// assert!(input_keys("Bash").is_some_and(|keys| keys.contains(&"command")));
/// assert_eq!(input_keys("mcp__fs__read"), None);
/// ```
#[must_use]
pub fn input_keys(tool: &str) -> Option<&'static [&'static str]> {
    TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, keys)| *keys)
}

/// Returns the names of all tools that are known.
pub(super) fn known_tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().map(|(tool, _)| *tool).chain(OTHERS.iter().copied())
}

/// What was most likely meant by the name of a tool.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// A tool whose name has other capital letters.
    Case(&'static str),
    /// A tool with a similar name.
    Near(&'static str),
}

/// Returns the tool that a name was most likely meant to be; `None` for a name that is known, or
/// unlike all that are known.
pub(super) fn meant_tool(name: &str) -> Option<Meant> {
    let known: Vec<&'static str> = TOOLS.iter().map(|(tool, _)| *tool).collect();
    if known.contains(&name) || OTHERS.contains(&name) {
        return None;
    }
    if let Some(tool) = known.iter().find(|tool| tool.eq_ignore_ascii_case(name)) {
        return Some(Meant::Case(tool));
    }
    // A name that ends otherwise is rather another tool: `Reader`, `Edits`.
    nearest(name, &known).filter(|tool| tool.len() == name.len()).map(Meant::Near)
}

/// Returns the key of a tool's input that a mistyped key was most likely meant to be. The tools are
/// those that the hook names; if one of them is unknown, only the commonest keys are compared.
pub(super) fn meant_key(key: &str, tools: &[&str]) -> Option<&'static str> {
    let of_tools: Option<Vec<_>> = tools.iter().map(|tool| input_keys(tool)).collect();
    match of_tools.filter(|all| !all.is_empty()) {
        Some(all) => {
            let all = all.concat();
            if all.contains(&key) { None } else { nearest(key, &all) }
        }
        None => {
            let same_length = |known: &&str| known.len().abs_diff(key.len()) <= 1;
            let plain = |text: &str| text.to_lowercase().replace('_', "");
            let variant = |known: &&str| {
                plain(known) == plain(key)
                    || format!("{known}s") == key
                    || *known == format!("{key}s")
            };
            nearest(key, &["command", "file_path"])
                .filter(|known| same_length(known) && !variant(known))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistyped_tools_are_noticed() {
        assert_eq!(meant_tool("bash"), Some(Meant::Case("Bash")));
        assert_eq!(meant_tool("Bahs"), Some(Meant::Near("Bash")));
        assert_eq!(meant_tool("webfetch"), Some(Meant::Case("WebFetch")));
        for fine in ["Bash", "shell", "mcp__fs__read", "Reader", "LSP", "deploy", "a", "Tool"] {
            assert_eq!(meant_tool(fine), None, "{fine}");
        }
    }

    #[test]
    fn mistyped_keys_are_noticed() {
        assert_eq!(meant_key("commnad", &[]), Some("command"));
        assert_eq!(meant_key("comand", &["Bash"]), Some("command"));
        assert_eq!(meant_key("filepath", &["Read", "Edit"]), Some("file_path"));
        for (fine, all) in [
            ("command", &["Bash"][..]),
            ("commands", &[]),
            ("filePath", &[]),
            ("filepath", &["other"]),
            ("context", &[]),
            ("path", &[]),
        ] {
            assert_eq!(meant_key(fine, all), None, "{fine}");
        }
    }
}
