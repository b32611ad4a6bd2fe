//! The tools that most agents have: what each agent calls them and their arguments.
//!
//! Only tools are here whose calls mean the same. A patch (Codex's `apply_patch`) is none of another agent's
//! edits, and a call that reads several files (Cline's `read_files`) is none that reads one.

use hookgate_contract::dialect::ToolArgument::{AbsolutePath, Plain, Texts};
use hookgate_contract::dialect::ToolKind::{
    Agent, Edit, Fetch, Glob, Grep, List, Read, Search, Shell, Write,
};
use hookgate_contract::dialect::{HostTool, ToolArgument};

const COMMAND: &[ToolArgument] = &[Plain("command", "command")];
const QUERY: &[ToolArgument] = &[Plain("query", "query")];
const URL: &[ToolArgument] = &[Plain("url", "url")];
const PROMPT: &[ToolArgument] = &[
    Plain("prompt", "prompt"),
    Plain("description", "description"),
    Plain("subagent_type", "type"),
];
const FIND: &[ToolArgument] = &[Plain("pattern", "pattern"), Plain("path", "folder")];
const FILE: ToolArgument = AbsolutePath("file_path", "path");
const OLD: ToolArgument = Plain("old_string", "old");
const NEW: ToolArgument = Plain("new_string", "new");
const CONTENT: ToolArgument = Plain("content", "content");
const PATH: ToolArgument = Plain("path", "path");

pub(crate) static CLAUDE: &[HostTool] = &[
    HostTool::new(Shell, "Bash", COMMAND),
    HostTool::new(Read, "Read", &[FILE]),
    HostTool::new(Write, "Write", &[FILE, CONTENT]),
    HostTool::new(Edit, "Edit", &[FILE, OLD, NEW]),
    HostTool::new(Glob, "Glob", FIND),
    HostTool::new(Grep, "Grep", FIND),
    HostTool::new(List, "LS", &[Plain("path", "folder")]),
    HostTool::new(Fetch, "WebFetch", URL),
    HostTool::new(Search, "WebSearch", QUERY),
    HostTool::new(Agent, "Agent", PROMPT),
    HostTool::new(Agent, "Task", PROMPT),
];

pub(crate) static CODEX: &[HostTool] = &[
    HostTool::new(Shell, "Bash", COMMAND),
    HostTool::new(Agent, "spawn_agent", &[Plain("message", "prompt")]),
];

pub(crate) static GEMINI: &[HostTool] = &[
    HostTool::new(Shell, "run_shell_command", COMMAND),
    HostTool::new(Read, "read_file", &[FILE]),
    HostTool::new(Write, "write_file", &[FILE, CONTENT]),
    HostTool::new(Edit, "replace", &[FILE, OLD, NEW]),
    HostTool::new(Glob, "glob", &[Plain("pattern", "pattern"), Plain("dir_path", "folder")]),
    HostTool::new(Grep, "grep_search", &[Plain("pattern", "pattern"), Plain("dir_path", "folder")]),
    HostTool::new(Grep, "search_file_content", FIND),
    HostTool::new(List, "list_directory", &[Plain("dir_path", "folder")]),
    HostTool::new(Search, "google_web_search", QUERY),
    HostTool::new(Agent, "invoke_agent", &[Plain("prompt", "prompt"), Plain("agent_name", "type")]),
];

pub(crate) static QWEN: &[HostTool] = &[
    HostTool::new(Shell, "run_shell_command", COMMAND),
    HostTool::new(Read, "read_file", &[FILE]),
    HostTool::new(Write, "write_file", &[FILE, CONTENT]),
    HostTool::new(Edit, "edit", &[FILE, OLD, NEW]),
    HostTool::new(Glob, "glob", FIND),
    HostTool::new(Grep, "grep_search", FIND),
    HostTool::new(List, "list_directory", &[Plain("path", "folder")]),
    HostTool::new(Fetch, "web_fetch", URL),
    HostTool::new(Search, "web_search", QUERY),
    HostTool::new(Agent, "agent", PROMPT),
];

pub(crate) static CURSOR: &[HostTool] = &[
    HostTool::new(Shell, "Shell", COMMAND),
    HostTool::new(Read, "Read", &[FILE]),
    HostTool::new(Write, "Write", &[FILE, CONTENT]),
    HostTool::new(Edit, "StrReplace", &[FILE, OLD, NEW]),
    HostTool::new(Grep, "Grep", FIND),
    HostTool::new(
        Glob,
        "Glob",
        &[Plain("glob_pattern", "pattern"), Plain("target_directory", "folder")],
    ),
    HostTool::new(Fetch, "WebFetch", URL),
    HostTool::new(Search, "WebSearch", QUERY),
    HostTool::new(Agent, "Task", PROMPT),
];

const FILE_TEXT: ToolArgument = Plain("file_text", "content");
const OLD_STR: ToolArgument = Plain("old_str", "old");
const NEW_STR: ToolArgument = Plain("new_str", "new");

/// Events in PascalCase have the names of Claude Code's tools, but not their arguments.
pub(crate) static COPILOT: &[HostTool] = &[
    HostTool::new(Shell, "bash", COMMAND),
    HostTool::new(Read, "view", &[PATH]),
    HostTool::new(Write, "create", &[PATH, FILE_TEXT]),
    HostTool::new(Edit, "edit", &[PATH, OLD_STR, NEW_STR]),
    HostTool::new(Glob, "glob", FIND),
    HostTool::new(Grep, "grep", FIND),
    HostTool::new(Fetch, "web_fetch", URL),
    HostTool::new(Search, "web_search", QUERY),
    HostTool::new(Agent, "task", &[Plain("prompt", "prompt"), Plain("agent_type", "type")]),
    HostTool::new(Shell, "Bash", COMMAND),
    HostTool::new(Read, "Read", &[PATH]),
    HostTool::new(Write, "Write", &[PATH, FILE_TEXT]),
    HostTool::new(Edit, "Edit", &[PATH, OLD_STR, NEW_STR]),
];

pub(crate) static KIMI: &[HostTool] = &[
    HostTool::new(Shell, "Bash", COMMAND),
    HostTool::new(Read, "Read", &[PATH]),
    HostTool::new(Write, "Write", &[PATH, CONTENT]),
    HostTool::new(Edit, "Edit", &[PATH, OLD, NEW]),
    HostTool::new(Glob, "Glob", FIND),
    HostTool::new(Grep, "Grep", FIND),
    HostTool::new(Fetch, "FetchURL", URL),
    HostTool::new(Search, "WebSearch", QUERY),
    HostTool::new(Agent, "Agent", PROMPT),
];

pub(crate) static CLINE: &[HostTool] = &[
    HostTool::new(Shell, "run_commands", &[Texts("commands", "command")]),
    HostTool::new(Shell, "execute_command", COMMAND),
    HostTool::new(Read, "read_file", &[PATH]),
    HostTool::new(Write, "write_to_file", &[PATH, CONTENT]),
    HostTool::new(Agent, "spawn_agent", &[Plain("task", "prompt")]),
];

pub(crate) static OPENCODE: &[HostTool] = &[
    HostTool::new(Shell, "bash", COMMAND),
    HostTool::new(Read, "read", &[Plain("filePath", "path")]),
    HostTool::new(Write, "write", &[Plain("filePath", "path"), CONTENT]),
    HostTool::new(
        Edit,
        "edit",
        &[Plain("filePath", "path"), Plain("oldString", "old"), Plain("newString", "new")],
    ),
    HostTool::new(Glob, "glob", FIND),
    HostTool::new(Grep, "grep", FIND),
    HostTool::new(List, "list", &[Plain("path", "folder")]),
    HostTool::new(Fetch, "webfetch", URL),
    HostTool::new(Search, "websearch", QUERY),
    HostTool::new(Agent, "task", PROMPT),
];

pub(crate) static DOCKER_AGENT: &[HostTool] = &[
    HostTool::new(Shell, "shell", &[Plain("cmd", "command")]),
    HostTool::new(Read, "read_file", &[PATH]),
    HostTool::new(Write, "write_file", &[PATH, CONTENT]),
    HostTool::new(List, "list_directory", &[Plain("path", "folder")]),
];
