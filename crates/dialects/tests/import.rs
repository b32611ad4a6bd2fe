//! Configs of the shapes that are found in the wild, imported, with the warnings that each deserves.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hookgate_dialects::import::{
    self, Agent, Import, ImportError, LEFT_OUT_GUARD, Options, is_foreign, root_of,
};
use proptest::prelude::*;

/// From the folder of the crate, in which tests run: what is written depends on the length of paths.
const CONFIGS: &str = "tests/configs";

/// Returns the config of each folder, with the name of the folder.
fn of_agents() -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for folder in std::fs::read_dir(CONFIGS).unwrap() {
        let folder = folder.unwrap().path();
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, config_in(&folder).expect("each folder has a config")));
    }
    found.sort();
    found
}

fn config_in(folder: &Path) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let is_config = |path: &&PathBuf| {
        path.extension().is_some_and(|end| end == "json" || end == "toml" || end == "yaml")
    };
    let here = entries.iter().find(is_config).cloned();
    here.or_else(|| entries.iter().filter(|path| path.is_dir()).find_map(|path| config_in(path)))
}

fn import(path: &Path, options: &Options) -> Import {
    import::import(path, &std::fs::read_to_string(path).unwrap(), options).unwrap()
}

fn strictly() -> Options {
    Options { strict: true, ..Options::default() }
}

/// Imports a text as the config of a path that does not exist.
fn import_text(path: &str, text: &str) -> Import {
    import::import(Path::new(path), text, &Options::default()).unwrap()
}

/// Writes the warnings as the command line does, and the file.
fn shown(import: &Import, path: &Path) -> String {
    let mut text = String::new();
    let name = path.file_name().unwrap().to_string_lossy();
    for warning in &import.warnings {
        let (line, column) = (warning.line, warning.column);
        writeln!(text, "{name}:{line}:{column}: [{}] {}", warning.code, warning.meaning).unwrap();
        writeln!(text, "    {}", warning.advice).unwrap();
    }
    let counts = format!("{}: {} hooks, {} left out", import.agent, import.hooks, import.left_out);
    writeln!(text, "--- {counts}\n{}", import.toml).unwrap();
    // The folder of a plugin is absolute.
    text.replace(env!("CARGO_MANIFEST_DIR"), "CRATE")
}

/// Returns the hooks of an import, each with the byte of the source at which it begins.
fn hooks(import: &Import) -> Vec<(usize, toml::Table)> {
    let table: toml::Table = import.toml.parse().unwrap();
    let hooks = table.get("hook").map_or(&[][..], |hooks| hooks.as_array().unwrap());
    let starts: Vec<usize> =
        import.toml.match_indices("\n[[hook]]\n").map(|(at, _)| at + 1).collect();
    assert_eq!(hooks.len(), starts.len());
    let source_of = |at: usize| {
        let index = import.places.partition_point(|(known, _)| *known <= at);
        import.places[index - 1].1
    };
    let hooks = hooks.iter().map(|hook| hook.as_table().unwrap().clone());
    starts.into_iter().map(source_of).zip(hooks).collect()
}

fn is_gate(hook: &toml::Table) -> bool {
    const GATES: &[&str] =
        &["pre_tool_use", "permission_request", "user_prompt_submit", "pre_llm_request"];
    let is_gate = hook["event"].as_str().is_some_and(|event| GATES.contains(&event));
    let role = hook.get("role").and_then(toml::Value::as_str);
    is_gate && role != Some("observe")
}

fn text<'a>(hook: &'a toml::Table, key: &str) -> Option<&'a str> {
    hook.get(key).and_then(toml::Value::as_str)
}

#[test]
fn every_config_has_the_warnings_that_it_deserves() {
    let all = of_agents();
    assert!(all.len() >= 40, "{}", all.len());
    for (name, path) in all {
        insta::assert_snapshot!(name, shown(&import(&path, &Options::default()), &path));
    }
}

/// Hooks whose whole program is there to read, and which never stop anything.
const HARMLESS: &[(&str, &str)] = &[];

#[test]
fn no_hook_fails_open_without_a_warning() {
    let mut open = 0;
    for (name, path) in of_agents() {
        let import = import(&path, &Options::default());
        for (at, hook) in hooks(&import) {
            let fails_open =
                ["on_failure", "on_timeout"].iter().any(|key| text(&hook, key) == Some("allow"));
            if !fails_open || !is_gate(&hook) {
                continue;
            }
            open += 1;
            let is_told = import
                .warnings
                .iter()
                .any(|warning| warning.at == at && matches!(warning.code, "fails_open" | "exit_1"));
            let id = text(&hook, "id").unwrap();
            assert_eq!(is_told, !HARMLESS.contains(&(&*name, id)), "{name}: {id}");
        }
    }
    assert!(open > 40, "only {open} hooks fail open");
}

#[test]
fn strictly_nothing_fails_open() {
    for (name, path) in of_agents() {
        let (kept, strict) = (import(&path, &Options::default()), import(&path, &strictly()));
        let (kept, strict) = (hooks(&kept), hooks(&strict));
        assert_eq!(kept.len(), strict.len(), "{name}");
        for ((_, kept), (_, hook)) in kept.iter().zip(&strict) {
            let id = text(hook, "id").unwrap();
            for (key, value) in hook {
                assert!(
                    !key.starts_with("on_") || value.as_str() == Some("deny"),
                    "{name}: {id} {key}"
                );
            }
            let runs = hook.contains_key("command") || hook.contains_key("http");
            if is_gate(hook) && runs {
                assert_eq!(text(hook, "on_failure"), Some("deny"), "{name}: {id}");
            }
            // Nothing else is another.
            let rest = |hook: &toml::Table| -> Vec<(String, toml::Value)> {
                let rest = hook.iter().filter(|(key, _)| !key.starts_with("on_"));
                rest.map(|(key, value)| (key.clone(), value.clone())).collect()
            };
            assert_eq!(rest(kept), rest(hook), "{name}: {id}");
        }
    }
}

#[test]
fn strictly_a_guard_that_cannot_run_is_told() {
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}],
        "SessionEnd": [{"hooks": [{"type": "mcp_tool", "server": "s", "tool": "t"}]}]}}"#;
    let path = Path::new(".claude/settings.json");
    let codes = |options: &Options| -> Vec<&str> {
        let import = import::import(path, text, options).unwrap();
        import.warnings.iter().map(|warning| warning.code).collect()
    };
    let told = codes(&strictly()).into_iter().filter(|code| *code == LEFT_OUT_GUARD).count();
    assert_eq!(told, 1, "the one at the end of the session guards nothing");
    assert!(!codes(&Options::default()).contains(&LEFT_OUT_GUARD));
}

/// Each sort of warning is one that some config deserves.
#[test]
fn every_sort_of_warning_is_in_the_corpus() {
    let mut seen = BTreeSet::new();
    for (_, path) in of_agents() {
        seen.extend(import(&path, &Options::default()).warnings.iter().map(|warning| warning.code));
    }
    for code in [
        "absolute_path",
        "argument_names",
        "ask",
        "async_guard",
        "bypassed",
        "dropped",
        "duplicate_key",
        "exit_1",
        "fails_open",
        "foreign_answer",
        "foreign_tool",
        "ignored_key",
        "ignored_matcher",
        "judge",
        "lost",
        "milliseconds",
        "missing",
        "never_blocks",
        "never_matches",
        "never_runs",
        "not_imported",
        "plain_stdout",
        "plugin_path",
        "seconds",
        "silent_exit_2",
        "stop_loop",
        "stronger",
        "swallows",
        "switched_off",
        "unknown_event",
        "unknown_key",
        "unreadable",
        "untranslated_condition",
        "untranslated_matcher",
        "version",
        "wrong_type",
    ] {
        assert!(seen.contains(code), "{code}");
    }
}

#[test]
fn a_config_without_a_flaw_has_no_warning() {
    let import = import_text(
        ".cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [
            {"command": "./guard.sh", "failClosed": true}]}}"#,
    );
    assert_eq!(import.warnings, []);
    assert!(import.toml.contains("on_failure = \"deny\""), "{}", import.toml);
}

#[test]
fn the_folder_or_the_content_tells_whose_it_is() {
    let group = r#"[{"hooks": [{"type": "command", "command": "x"}]}]"#;
    for (path, text, agent) in [
        ("settings.json", format!(r#"{{"hooks": {{"PreToolUse": {group}}}}}"#), Agent::Claude),
        (".qwen/settings.json", format!(r#"{{"hooks": {{"PreToolUse": {group}}}}}"#), Agent::Qwen),
        ("a.json", format!(r#"{{"hooks": {{"BeforeTool": {group}}}}}"#), Agent::Gemini),
        ("a.json", r#"{"hooks": {"beforeReadFile": [{"command": "x"}]}}"#.into(), Agent::Cursor),
        ("a.json", r#"{"hooks": {"preToolUse": [{"bash": "x"}]}}"#.into(), Agent::Copilot),
        ("a.toml", "[[hooks]]\nevent = 'Stop'\ncommand = 'x'\n".into(), Agent::Kimi),
        ("a.toml", "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'x'\n".into(), Agent::Codex),
        ("a.toml", "[[hooks.entries]]\nid = 'x'\n".into(), Agent::Meerkat),
        ("a.toml", "[[hooks.before_tool_apply]]\n".into(), Agent::Defect),
        ("a.yaml", "agents: {root: {hooks: {}}}\n".into(), Agent::DockerAgent),
    ] {
        assert_eq!(import_text(path, &text).agent, agent, "{path}: {text}");
        assert!(is_foreign(path.as_ref(), &text), "{path}: {text}");
    }
    let options = Options { agent: Some(Agent::Qwen), ..Options::default() };
    let text = format!(r#"{{"hooks": {{"PreToolUse": {group}}}}}"#);
    assert_eq!(import::import("x.json".as_ref(), &text, &options).unwrap().agent, Agent::Qwen);
}

#[test]
fn a_hooks_toml_is_not_taken_for_another_config() {
    for text in [
        "",
        "version = 1\nallow_empty = true\n",
        "[[hook]]\nid = 'a'\n",
        "[[hooks]]\nid = 'a'\nevent = 'stop'\nbuiltin = 'audit'\n",
        "[hooks]\nid = 'a'\n",
        "[[hooks.PreToolUse]]\nmatcher = 'Bash'\n",
        "this is not TOML",
    ] {
        assert!(!is_foreign("hooks.toml".as_ref(), text), "{text}");
    }
    let own = "[[hook]]\nid = 'a'\n";
    assert!(!is_foreign(".codex/hooks.toml".as_ref(), own));
}

#[test]
fn a_config_of_ours_in_another_syntax_is_not_taken_for_another_agents() {
    for (path, text) in [
        ("hooks.json", r#"{"hook": [{"id": "a"}]}"#),
        ("hooks.json", "{\n  \"version\": 1,\n  \"hook\": [\n"),
        (".claude/worktrees/x/guards.json", r#"{"hook": []}"#),
        ("a.yaml", "hook:\n  - id: a\n"),
        ("a.yml", "include: more.toml\n"),
        ("a.yaml", "hook:\n  - id: 'a\n"),
        ("a.json", r#"{"allow_empty": true}"#),
    ] {
        assert!(!is_foreign(path.as_ref(), text), "{path}: {text}");
    }
    for (path, text) in [
        ("a.json", "{}"),
        ("a.json", r#"{"hook": {"id": "a"}}"#),
        ("a.json", r#"{"include": "x", "hooks": {}}"#),
        (".cursor/a.json", r#"{"include": "x"}"#),
        ("a.yaml", "agents: {}\ninclude: x\n"),
    ] {
        assert!(is_foreign(path.as_ref(), text), "{path}: {text}");
    }
}

#[test]
fn what_is_no_config_is_an_error_with_a_place() {
    let error = |path: &str, text: &str| {
        import::import(path.as_ref(), text, &Options::default()).unwrap_err()
    };
    assert_eq!(error("x.json", "{}"), ImportError::Unknown);
    assert_eq!(error("x.json", "[1]"), ImportError::Unknown);
    assert_eq!(error("x.yaml", "a: 1"), ImportError::Unknown);
    for (path, text, at) in [
        (".claude/settings.json", "{\n  \"hooks\": }", (2, 12)),
        (".codex/config.toml", "a = 1\nb = \n", (2, 5)),
        ("agent.yaml", "a: 1\nb: [\n", (3, 1)),
    ] {
        let ImportError::Syntax { line, column, .. } = error(path, text) else {
            panic!("{path}");
        };
        assert_eq!((line, column), at, "{path}");
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(error("x.json", &deep), ImportError::Syntax { line: 1, column: 129, .. }));
    assert!(matches!(error("x.yaml", &deep), ImportError::Syntax { .. }));
    let deep = format!("a = {deep}");
    assert!(matches!(error(".codex/config.toml", &deep), ImportError::Syntax { .. }));
}

#[test]
fn a_tool_can_be_meant_by_the_names_of_every_agent() {
    let tools = |path: &str, event: &str, matcher: &str, every_agent| {
        let text = format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        );
        let options = Options { every_agent, ..Options::default() };
        let import = import::import(path.as_ref(), &text, &options).unwrap();
        let hook = hooks(&import).remove(0).1;
        text_of_tools(&hook)
    };
    let claude = |matcher, every| tools(".claude/settings.json", "PreToolUse", matcher, every);
    assert_eq!(claude("Bash", false), "Bash");
    let all: Vec<String> = claude("Bash", true).split('|').map(str::to_owned).collect();
    for name in ["Bash", "run_shell_command", "bash", "execute_command"] {
        assert!(all.iter().any(|known| known == name), "{name}: {all:?}");
    }
    assert!(!all.iter().any(|name| name == "write_file"), "{all:?}");
    // What is no tool of several agents stays alone.
    assert_eq!(claude("mcp__a__b", true), "mcp__a__b");
    let cursor = |event: &str, every_agent| {
        let text = format!(r#"{{"version": 1, "hooks": {{"{event}": [{{"command": "x"}}]}}}}"#);
        let options = Options { every_agent, ..Options::default() };
        let import = import::import(".cursor/hooks.json".as_ref(), &text, &options).unwrap();
        text_of_tools(&hooks(&import).remove(0).1)
    };
    assert_eq!(cursor("beforeShellExecution", false), "Shell");
    assert!(cursor("beforeShellExecution", true).contains("|Bash|"));
    assert_eq!(cursor("beforeMCPExecution", true), "MCP:*|mcp__*");
    let gemini = |every| tools(".gemini/settings.json", "BeforeTool", "run_shell_command", every);
    assert_eq!(gemini(false), "run_shell_command");
    assert!(gemini(true).starts_with("run_shell_command|^(?:"), "{}", gemini(true));
    assert!(gemini(true).contains("Bash"), "{}", gemini(true));
}

fn text_of_tools(hook: &toml::Table) -> String {
    text(hook, "tool").or(text(hook, "tool_regex")).unwrap().to_owned()
}

#[test]
fn programs_are_found_from_the_project() {
    for (path, root) in [
        ("/p/.claude/settings.json", "/p"),
        ("/p/.github/hooks/guard.json", "/p"),
        ("/p/.rkat/config.toml", "/p"),
        ("/p/plugin/hooks/hooks.json", "/p/plugin"),
        ("/p/agent.yaml", "/p"),
    ] {
        assert_eq!(root_of(path.as_ref()), Path::new(root), "{path}");
    }
}

/// Returns a config with a piece of it cut out, doubled, or replaced.
fn changed() -> impl Strategy<Value = (PathBuf, String)> {
    let all: Vec<(PathBuf, String)> = of_agents()
        .into_iter()
        .map(|(_, path)| (path.clone(), std::fs::read_to_string(path).unwrap()))
        .collect();
    let piece = prop_oneof![
        Just(String::new()),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("\"\"".to_owned()),
        Just("-1e999".to_owned()),
        Just("\u{feff}".to_owned()),
        "[\\PC\n\t]{0,6}",
    ];
    let place = any::<prop::sample::Index>;
    (prop::sample::select(all), place(), place(), piece, any::<bool>()).prop_map(
        |((path, text), from, to, piece, doubles)| {
            let ends: Vec<usize> =
                text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (one, other) = (*from.get(&ends), *to.get(&ends));
            // Mostly a small piece: a large one leaves nothing to read.
            let (start, end) = (one.min(other), one.max(other).min(one.min(other) + 24));
            let end =
                ends.iter().copied().filter(|at| *at <= end).max().unwrap_or(start).max(start);
            let middle = if doubles { text[start..end].repeat(2) } else { piece };
            (path, format!("{}{middle}{}", &text[..start], &text[end..]))
        },
    )
}

/// Checks what holds for whatever comes in.
fn check(path: &Path, source: &str) -> Result<(), TestCaseError> {
    match import::import(path, source, &strictly()) {
        Err(ImportError::Syntax { at, line, column, .. }) => {
            prop_assert!(at <= source.len() && line >= 1 && column >= 1);
            prop_assert!(line <= source.matches('\n').count() + 1);
        }
        Err(_) => {}
        Ok(import) => {
            let read = import.toml.parse::<toml::Table>();
            prop_assert!(read.is_ok(), "{read:?}\n{}", import.toml);
            prop_assert_eq!(hooks(&import).len(), import.hooks);
            let (mut in_toml, lines) = (0, source.matches('\n').count() + 1);
            for (at, of_source) in &import.places {
                prop_assert!(
                    *at >= in_toml && *at <= import.toml.len() && *of_source <= source.len()
                );
                in_toml = *at;
            }
            for warning in &import.warnings {
                prop_assert!(warning.at <= source.len() && warning.line <= lines, "{warning:?}");
            }
        }
    }
    let _ = is_foreign(path, source);
    Ok(())
}

#[test]
fn what_is_set_twice_is_written_once() {
    let command = r#"{"version": 1, "hooks": {"preToolUse": [
        {"type": "command", "bash": "true", "env": {"LEVEL": "info", "LEVEL": "debug"}}
    ]}}"#;
    let http = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "http", "url": "https://example.org", "headers": {"X-Team": "a", "X-Team": "b"}}
    ]}]}}"#;
    // The agent sets this one as well.
    let plugin = r#"{"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x ${PLUGIN_ROOT}",
         "env": {"CLAUDE_PLUGIN_ROOT": "/other", "PLUGIN_ROOT": "/other"}}
    ]}]}}"#;
    for (path, source, once) in [
        (".github/hooks/log.json", command, r#"set_env = { LEVEL = "debug" }"#),
        (".claude/settings.json", http, r#"headers = { X-Team = "b" }"#),
        (
            "/p/plugin/hooks/hooks.json",
            plugin,
            r#"set_env = { CLAUDE_PLUGIN_ROOT = "/p/plugin", PLUGIN_ROOT = "/p/plugin" }"#,
        ),
    ] {
        let import = import::import(Path::new(path), source, &strictly()).unwrap();
        assert!(import.toml.contains(once), "{}", import.toml);
        check(Path::new(path), source).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_changed_config_is_an_error_with_a_place_or_a_hooks_toml((path, text) in changed()) {
        check(&path, &text)?;
    }

    #[test]
    fn any_text_is_an_error_or_a_hooks_toml(
        text in "[\\PC\n]{0,80}",
        ending in prop::sample::select(vec!["json", "toml", "yaml", "txt"]),
        folder in prop::sample::select(vec![".claude", ".codex", ".cursor", ".github/hooks", ".rkat", "x"]),
    ) {
        check(&Path::new(folder).join(format!("config.{ending}")), &text)?;
    }
}
