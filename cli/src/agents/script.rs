//! Agents that load programs: a script for each event (Cline), or a plugin (opencode).

use hookgate_dialects::opencode;

use super::command_line::CommandLine;

/// What stands in the first lines of what is written here.
const MARK: &str = "hookgate install --agent";

const CALL: &str = "if answer=$(";
const CALLED: &str = "); then";
const CANCEL: &str = "\"cancel\": true";
const COMMAND: &str = "const COMMAND = ";

/// How long the plugin waits, in seconds.
pub(crate) const PLUGIN_PATIENCE: u32 = 60;

/// Returns a script for one event of Cline, which looks at what a hook writes and at nothing else.
pub(crate) fn cline(line: &CommandLine) -> String {
    let call = line.call();
    let complaint = line.complaint();
    let failed = if line.closed {
        format!("printf '%s\\n' '{{{CANCEL}, \"errorMessage\": \"{complaint}\"}}'")
    } else {
        format!("echo '{complaint}' >&2")
    };
    format!(
        "#!/bin/sh\n\
         # Written by `{MARK} cline`; with --remove that takes it away again.\n\
         # Without an answer, Cline goes on: so a missing, killed or hanging hookgate says no here.\n\
         {CALL}{call}{CALLED}\n  \
           printf '%s\\n' \"$answer\"\n\
         else\n  \
           {failed}\n\
         fi\n"
    )
}

/// Returns the plugin of opencode, which calls hookgate at every event.
pub(crate) fn plugin(line: &CommandLine) -> String {
    let words = line.words();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    opencode::plugin(&words)
}

/// Tells whether a script or a plugin was written here.
pub(crate) fn is_ours(text: &str) -> bool {
    text.lines().take(3).any(|line| line.contains(MARK))
}

/// Tells whether a script or a plugin calls hookgate and is not what was written here but for its command.
pub(crate) fn is_edited(text: &str) -> bool {
    let (line, words) = (in_script(text), plugin_command(text));
    let is_meant = is_ours(text) || line.is_some() || words.is_some();
    let is_script = line.is_some_and(|line| cline(&line) == text);
    let is_plugin = words.is_some_and(|words| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        opencode::plugin(&words) == text
    });
    is_meant && !is_script && !is_plugin
}

/// Returns the command line in a script of Cline.
pub(crate) fn in_script(text: &str) -> Option<CommandLine> {
    let call = text.lines().find_map(|line| line.strip_prefix(CALL)?.strip_suffix(CALLED))?;
    CommandLine::read_call(call, text.contains(CANCEL))
}

/// Returns the command line in a plugin, for one event.
pub(crate) fn in_plugin(text: &str, event: &str) -> Option<CommandLine> {
    let words = plugin_command(text)?;
    CommandLine::read_call(&format!("{} --event {event}", words.join(" ")), true)
}

fn plugin_command(text: &str) -> Option<Vec<String>> {
    let line = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
    serde_json::from_str(line.strip_suffix(';')?).ok()
}
