//! Agents that load programs: a script for each event (Cline), or a plugin (opencode).

use super::command_line::CommandLine;
use super::entry::Entry;

const MARK: &str = "Written by `hookgate install";
const CALL: &str = "if answer=$(";
const CALLED: &str = "); then";
const CANCEL: &str = "\"cancel\": true";
const PLUGIN: &str = include_str!("opencode.js");

/// Returns a script for one event of Cline, which looks at what a hook writes and at nothing else.
pub(crate) fn cline(entry: &Entry) -> String {
    let line = &entry.line;
    let call = line.call();
    let complaint = line.complaint();
    let failed = if line.closed {
        format!("printf '%s\\n' '{{{CANCEL}, \"errorMessage\": \"{complaint}\"}}'")
    } else {
        format!("echo '{complaint}' >&2")
    };
    format!(
        "#!/bin/sh\n\
         # {MARK} --agent cline`; `hookgate install --agent cline --remove` takes it away.\n\
         # Without an answer, Cline goes on: so a missing, killed or hanging hookgate says no here.\n\
         {CALL}{call}{CALLED}\n  \
           printf '%s\\n' \"$answer\"\n\
         else\n  \
           {failed}\n\
         fi\n"
    )
}

/// Returns the plugin of opencode.
pub(crate) fn opencode(entries: &[Entry]) -> String {
    let commands: Vec<String> = entries
        .iter()
        .map(|entry| format!("  \"{}\": \"{}\",", entry.line.event, entry.line))
        .collect();
    let patience = entries.iter().map(|entry| entry.patience).max().unwrap_or_default();
    PLUGIN
        .replace("/*COMMANDS*/", &commands.join("\n"))
        .replace("/*MILLISECONDS*/", &patience.saturating_mul(1000).to_string())
}

/// Tells whether a script or a plugin was written here.
pub(crate) fn is_ours(text: &str) -> bool {
    text.lines().take(2).any(|line| line.contains(MARK))
}

/// Tells whether a plugin is what was written here but for its command lines.
pub(crate) fn is_whole(text: &str) -> bool {
    let ours = |line: &&str| {
        let value = line.split_once(": \"").and_then(|(_, value)| value.strip_suffix("\","));
        !value.is_some_and(|value| CommandLine::read(value).is_some())
    };
    let fixed = |line: &&str| !line.contains("MILLISECONDS = ") && !line.contains("/*COMMANDS*/");
    text.lines().filter(ours).filter(fixed).eq(PLUGIN.lines().filter(fixed))
}

/// Returns the command lines in a script or a plugin.
pub(crate) fn command_lines(text: &str) -> Vec<CommandLine> {
    let in_script = text.lines().filter_map(|line| {
        let call = line.strip_prefix(CALL)?.strip_suffix(CALLED)?;
        CommandLine::read_call(call, text.contains(CANCEL))
    });
    text.split('"').filter_map(CommandLine::read).chain(in_script).collect()
}
