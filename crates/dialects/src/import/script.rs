//! What a hook's program can be seen to do, by reading its text.
//!
//! It is a look, not an analysis: it finds the words that decide how an agent takes the ending of a
//! program. A program that cannot be found says nothing.

use std::path::{Path, PathBuf};

use regex::Regex;

use super::source::{Command, Line};

/// How much of a file is read.
const LARGEST: u64 = 256 * 1024;

/// What is known of the program of a hook.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// The command line, and the text of the file that it runs, if that is there.
    text: String,
    /// The file that it runs, as it is written.
    pub(super) file: Option<String>,
    /// Whether all that it runs was read.
    pub(super) is_read: bool,
}

/// Reads the program of a command, with the folders in which its file may be.
pub(super) fn read(command: &Command, folders: &[PathBuf]) -> Script {
    let line = command.line.text();
    let file = match &command.line {
        Line::Shell(_, text) => file_of(text),
        Line::Argv(words) => words.iter().find_map(|word| file_of(word)),
    };
    let Some(file) = file else {
        // A line of a shell that names no file is the whole program, unless it is only one word.
        let is_read = matches!(&command.line, Line::Shell(..)) && line.trim().contains([' ', ';']);
        return Script { text: line, file: None, is_read: is_read && !runs_a_program(command) };
    };
    let body = folders.iter().find_map(|folder| text_of(&folder.join(&file)));
    let is_read = body.is_some();
    let text = format!("{line}\n{}", body.unwrap_or_default());
    Script { text, file: Some(file), is_read }
}

/// Tells whether a line starts a program that is installed: what that does is not known.
fn runs_a_program(command: &Command) -> bool {
    const BUILT_IN: &[&str] = &[
        "echo",
        "printf",
        "exit",
        "jq",
        "grep",
        "cat",
        "test",
        "[",
        "[[",
        "if",
        "case",
        "read",
        "true",
        "false",
        "set",
        "trap",
        "cd",
        "export",
        "INPUT=$(cat)",
        "input=$(cat)",
    ];
    let text = command.line.text();
    let first = text.split_whitespace().next().unwrap_or_default();
    !BUILT_IN.contains(&first) && !first.contains('=')
}

fn text_of(path: &Path) -> Option<String> {
    let facts = std::fs::metadata(path).ok()?;
    if !facts.is_file() || facts.len() > LARGEST {
        return None;
    }
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

const FILE: &str = r#"(?:^|[\s"'=(])((?:[^\s"'()|&;<>]|\$\([^)]*\))*\.(?:sh|bash|py|js|mjs|cjs|ts|rb|ps1|pl|php))(?:$|[\s"')|&;])"#;
const ROOT: &str =
    r#"^(?:\$\{?[A-Za-z_]+(?::-[^}]*)?\}?|\$\(git rev-parse --show-toplevel\)|\$\(pwd\)|\.)/"#;
const EXIT_2: &str =
    r"(?:\bexit|\breturn|sys\.exit|process\.exit(?:Code)?|SystemExit|os\._exit)\s*[(=]?\s*2\b";
const EXIT_OTHER: &str =
    r"(?:\bexit|sys\.exit|process\.exit|SystemExit|os\._exit)\s*\(?\s*(?:1|[3-9]|\d{2,3})\b";
const DENY: &str = r#"(?i)["'\\](?:deny|block|denied|blocked)["'\\]"#;
const ASK: &str = r#"["'\\]ask["'\\]"#;
const ALLOW: &str = r#"["'\\](?:allow|approve)["'\\]"#;
const CONTINUE_FALSE: &str = r#"["'\\]continue["'\\]*\s*:\s*(?:false|False)"#;
const FOLLOWUP: &str = r"followup_message";
const REWRITE: &str = r"updatedInput|updated_input|modifiedArgs|overrideInput|updatedToolOutput|modifiedResult|updated_mcp_tool_output";
const NESTED: &str = r"hookSpecificOutput";
const TOP_PERMISSION: &str = r"permissionDecision";
const CURSOR_PERMISSION: &str = r#"["'\\]permission["'\\]*\s*[:=,]"#;
const STOP_ACTIVE: &str = r"stop_hook_active|stopHookActive|loop_count";
const STDERR: &str = r"&2|/dev/stderr|stderr|console\.error";
const SWALLOWS: &str = r"trap\s+['\x22]?exit 0['\x22]?\s+(?:ERR|EXIT)|\|\|\s*(?:true|:|exit 0)\b|except(?:\s+Exception)?\s*:\s*\n?\s*(?:pass|sys\.exit\(0\)|exit\(0\))";
const VARIABLE: &str = r"\$\{?([A-Z][A-Z0-9_]*)|process\.env\.([A-Z][A-Z0-9_]*)|os\.(?:environ(?:\.get)?|getenv)\s*[(\[]\s*['\x22]([A-Z][A-Z0-9_]*)|ENV\[['\x22]([A-Z][A-Z0-9_]*)";
const ASSIGNED: &str = r"(?m)(?:^|[\s;])(?:export\s+|local\s+|readonly\s+)?([A-Z][A-Z0-9_]*)=|(?:\bread|\bfor)\s+(?:-r\s+)?([A-Z][A-Z0-9_]*)";
const HOME_OF_SOMEBODY: &str =
    r"(?:^|[\s\x22'=(:])((?:/Users/|/home/|/root/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s\x22';|&)]*)";
const PLAIN_ECHO: &str = r#"(?m)(?:^|[;&|{]|\bthen\b|\belse\b|\bdo\b)\s*(?:echo|printf)\s+(?:-[en]+\s+)?(?:"[^"{]*"|'[^'{]*'|[A-Za-z][^\n;&|>{]*)\s*(?:$|;|&&|\|\||\})"#;
const PLAIN_PRINT: &str =
    r#"(?m)^\s*(?:print|console\.log)\(\s*f?["'`][^{"'`][^"'`]*["'`]\s*\)\s*;?\s*$"#;

/// A variable in quotes of its own: `"$ROOT"/x`.
const QUOTED_ROOT: &str = r#""(\$\{?[A-Za-z_]+\}?)"/"#;

/// Finds the file that a command line runs, without what stands for the root of the project.
fn file_of(text: &str) -> Option<String> {
    let text = Regex::new(QUOTED_ROOT).ok()?.replace_all(text, "$1/");
    let found = Regex::new(FILE).ok()?.captures(&text)?.get(1)?.as_str().to_owned();
    Some(Regex::new(ROOT).ok()?.replace(&found, "").into_owned())
}

impl Script {
    /// Makes a script of a text.
    pub(super) fn of_text(text: &str) -> Self {
        Self { text: text.to_owned(), file: None, is_read: true }
    }

    fn has(&self, pattern: &str) -> bool {
        Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(&self.text))
    }

    /// Whether it may say no: by the status 2 or by a word of an answer.
    pub(super) fn may_block(&self) -> bool {
        self.has(EXIT_2) || self.says_block()
    }

    /// Whether an answer of it may say no.
    pub(super) fn says_block(&self) -> bool {
        self.has(DENY) || self.has(CONTINUE_FALSE)
    }

    pub(super) fn exits_2(&self) -> bool {
        self.has(EXIT_2)
    }

    /// Whether it ends with a status that is neither 0 nor 2, and never says no in another way: most
    /// likely that is meant as a no.
    pub(super) fn blocks_by_another_status(&self) -> bool {
        self.has(EXIT_OTHER) && !self.may_block() && !self.has(ASK)
    }

    pub(super) fn may_ask(&self) -> bool {
        self.has(ASK)
    }

    pub(super) fn may_allow(&self) -> bool {
        self.has(ALLOW)
    }

    /// Whether it may change arguments or results.
    pub(super) fn may_rewrite(&self) -> bool {
        self.has(REWRITE)
    }

    /// Whether it may keep an agent from stopping, without a look at how often it did so.
    pub(super) fn may_loop(&self) -> bool {
        let keeps_going = self.may_block() || self.has(FOLLOWUP);
        keeps_going && !self.has(STOP_ACTIVE)
    }

    /// Whether it turns its own failures into silence.
    pub(super) fn swallows_failures(&self) -> bool {
        self.has(SWALLOWS)
    }

    /// Whether it answers in the nested form of Claude Code.
    pub(super) fn answers_nested(&self) -> bool {
        self.has(NESTED)
    }

    /// Whether it answers with `permissionDecision`.
    pub(super) fn says_permission_decision(&self) -> bool {
        self.has(TOP_PERMISSION)
    }

    /// Whether it answers with `permission`, as for Cursor.
    pub(super) fn says_permission(&self) -> bool {
        self.has(CURSOR_PERMISSION)
    }

    /// Whether it writes to stderr, as far as that can be seen.
    pub(super) fn writes_stderr(&self) -> bool {
        self.has(STDERR)
    }

    /// Whether it reads `file_path` of the arguments.
    pub(super) fn reads_file_path(&self) -> bool {
        self.text.contains("file_path") && !self.text.contains(".path")
    }

    /// Whether it prints text that is no JSON, as far as that can be seen.
    pub(super) fn prints_text(&self) -> bool {
        self.has(PLAIN_ECHO) || self.has(PLAIN_PRINT)
    }

    /// Returns a path in it that only one machine has.
    pub(super) fn path_of_somebody(&self) -> Option<&str> {
        // What stands in the file is another matter than what the config names.
        let line = self.text.lines().next().unwrap_or_default();
        let found = Regex::new(HOME_OF_SOMEBODY).ok()?.captures(line)?.get(1)?;
        line.get(found.range())
    }

    /// Returns the variables that it reads and does not set.
    pub(super) fn variables(&self) -> Vec<String> {
        let set = names_in(&self.text, ASSIGNED);
        let mut all: Vec<String> = Vec::new();
        for name in names_in(&self.text, VARIABLE) {
            if !set.contains(&name) && !all.contains(&name) {
                all.push(name);
            }
        }
        all
    }
}

/// Returns what the groups of a pattern find, of each place the first.
fn names_in(text: &str, pattern: &str) -> Vec<String> {
    let Ok(pattern) = Regex::new(pattern) else { return Vec::new() };
    let first = |found: regex::Captures<'_>| {
        found.iter().skip(1).flatten().next().map(|name| name.as_str().to_owned())
    };
    pattern.captures_iter(text).filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inline(text: &str) -> Script {
        let line = Line::Shell("bash", text.to_owned());
        read(&Command { line, ..Command::default() }, &[])
    }

    #[test]
    fn all_patterns_are_patterns() {
        for pattern in [
            FILE,
            ROOT,
            QUOTED_ROOT,
            EXIT_2,
            EXIT_OTHER,
            DENY,
            ASK,
            ALLOW,
            CONTINUE_FALSE,
            FOLLOWUP,
            REWRITE,
            NESTED,
            TOP_PERMISSION,
            CURSOR_PERMISSION,
            STOP_ACTIVE,
            SWALLOWS,
            VARIABLE,
            ASSIGNED,
            HOME_OF_SOMEBODY,
            PLAIN_ECHO,
            PLAIN_PRINT,
        ] {
            assert!(Regex::new(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn the_file_of_a_command_is_found() {
        for (line, file) in [
            ("./check.sh", Some("check.sh")),
            ("$CLAUDE_PROJECT_DIR/.claude/hooks/a.py", Some(".claude/hooks/a.py")),
            ("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/a.py --x", Some(".claude/hooks/a.py")),
            ("bash ${CLAUDE_PLUGIN_ROOT}/x.sh", Some("x.sh")),
            ("node \"$(git rev-parse --show-toplevel)/h.mjs\" pre", Some("h.mjs")),
            ("python3 .cursor/hooks/kube.py", Some(".cursor/hooks/kube.py")),
            ("npx prettier --check .", None),
            ("/home/u/x.sh", Some("/home/u/x.sh")),
        ] {
            assert_eq!(file_of(line).as_deref(), file, "{line}");
        }
    }

    #[test]
    fn how_a_program_says_no() {
        assert!(inline("echo no >&2; exit 2").may_block());
        assert!(inline("python3 -c 'import sys; sys.exit(2)'").may_block());
        assert!(inline(r#"echo '{"decision":"block"}'"#).says_block());
        assert!(inline(r#"echo "{\"decision\":\"block\"}""#).says_block());
        assert!(inline("test -f x || exit 1").blocks_by_another_status());
        assert!(!inline("test -f x || exit 1; exit 2").blocks_by_another_status());
        assert!(!inline("exit 0").blocks_by_another_status());
        assert!(inline(r#"echo '{"hookSpecificOutput":{"permissionDecision":"ask"}}'"#).may_ask());
        assert!(inline(r#"printf '{"continue": false}'"#).may_block());
    }

    #[test]
    fn a_gate_at_the_stop_should_look_at_how_often_it_ran() {
        assert!(inline("exit 2").may_loop());
        assert!(!inline("jq -e .stop_hook_active && exit 0; exit 2").may_loop());
        assert!(!inline("exit 0").may_loop());
    }

    #[test]
    fn text_on_stdout() {
        assert!(inline("echo done").prints_text());
        assert!(inline("x; echo \"all tests pass\"").prints_text());
        assert!(inline("print('ok')").prints_text());
        assert!(!inline("echo '{\"decision\":\"block\"}'").prints_text());
        assert!(!inline("echo done >&2").prints_text());
        assert!(!inline("echo \"done\" >> log.txt").prints_text());
    }

    #[test]
    fn failures_that_nobody_sees() {
        assert!(inline("trap 'exit 0' ERR; x").swallows_failures());
        assert!(inline("command -v jq >/dev/null || exit 0").swallows_failures());
        assert!(inline("x || true").swallows_failures());
        assert!(!inline("x || exit 2").swallows_failures());
        assert!(inline("try:\n  x()\nexcept Exception:\n  pass").swallows_failures());
    }

    #[test]
    fn variables_are_those_that_come_from_outside() {
        let script = inline("A=1; echo $A ${TOKEN} \"$HOME\" $1 $TOKEN; node -e process.env.KEY");
        assert_eq!(script.variables(), ["TOKEN", "HOME", "KEY"]);
        assert_eq!(inline("os.environ['X_Y']").variables(), ["X_Y"]);
    }

    #[test]
    fn paths_of_one_machine() {
        assert_eq!(inline("/Users/ann/x.sh").path_of_somebody(), Some("/Users/ann/x.sh"));
        assert_eq!(inline("node \"/home/ann/h.js\" a").path_of_somebody(), Some("/home/ann/h.js"));
        assert!(inline("$HOME/x.sh").path_of_somebody().is_none());
        assert!(inline("/usr/bin/env bash x.sh").path_of_somebody().is_none());
    }
}
