//! The manifests of well-known tools, against what agents really sent.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hookgate_effects::{Effects, Manifests, Surroundings, UnclearWhat};
use hookgate_test_support::corpus::corpus;
use hookgate_test_support::needs;
use serde_json::{Value, json};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn around() -> Surroundings {
    Surroundings { cwd: Some("/home/u/proj".into()), home: Some("/home/u".into()) }
}

fn effects(tool: &str, input: &Value) -> Effects {
    Effects::of_call(tool, input, &around(), &Manifests::default())
}

/// Returns the effects in short: `reads /a writes /b/** connects c:443 unclear`.
fn short(tool: &str, input: &Value) -> String {
    let effects = effects(tool, input);
    let mut words = Vec::new();
    for (verb, list) in
        [("reads", &effects.reads), ("writes", &effects.writes), ("deletes", &effects.deletes)]
    {
        for effect in list {
            assert_eq!(effect.by, tool);
            let below = if effect.below { "/**" } else { "" };
            words.push(format!("{verb} {}{below}", effect.path.written()));
        }
    }
    for effect in &effects.connects {
        let port = effect.port.map_or(String::new(), |port| format!(":{port}"));
        words.push(format!("connects {}{port}", effect.host.written()));
    }
    for unclear in &effects.unclear {
        words.push(format!("unclear {}", unclear.what.name()));
    }
    words.join(", ")
}

/// Returns the tool calls of an envelope, in whatever dialect it is.
fn calls(value: &Value, found: &mut Vec<(String, Value)>) {
    let Value::Object(map) = value else {
        if let Value::Array(items) = value {
            items.iter().for_each(|item| calls(item, found));
        }
        return;
    };
    let of = |name: &str, input: &str| Some((map.get(name)?.as_str()?.to_owned(), map.get(input)?));
    let flat = of("tool_name", "tool_input").or_else(|| of("toolName", "toolArgs"));
    let inner = map.contains_key("id").then(|| of("name", "input")).flatten();
    for (name, input) in flat.into_iter().chain(inner) {
        found.push((name, input.clone()));
    }
    map.values().for_each(|value| calls(value, found));
}

/// Returns the tool calls of all files below a folder.
fn calls_below(folder: &Path) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut todo: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                calls(&serde_json::from_str(line).unwrap(), &mut found);
            }
        }
    }
    found
}

#[test]
fn every_tool_of_the_recorded_agents_is_covered() {
    let folder = repository().join("../shared/conformance/real");
    if !needs::path(&folder) {
        return;
    }
    let found = calls_below(&folder);
    assert!(found.len() > 100, "{} calls", found.len());
    for (tool, input) in found {
        let effects = effects(&tool, &input);
        assert!(Manifests::default().covers(&tool), "{tool}");
        assert_eq!(effects.unclear, [], "{tool} {input}");
    }
}

#[test]
fn every_tool_of_the_recorded_sessions_is_covered() {
    let Some(folder) = corpus(repository(), "") else { return };
    let found = calls_below(&folder);
    assert!(found.len() > 1000, "{} calls", found.len());
    let mut files = 0;
    for (tool, input) in found {
        assert!(Manifests::default().covers(&tool), "{tool}");
        if tool != "Bash" {
            let effects = effects(&tool, &input);
            files += effects.reads.len() + effects.writes.len();
            assert_eq!(effects.unclear, [], "{tool} {input}");
        }
    }
    assert!(files > 500, "{files} files");
}

#[test]
fn file_tools_of_all_agents() {
    let is = |tool: &str, input: Value, wanted: &str| {
        assert_eq!(short(tool, &input), wanted, "{tool} {input}");
    };
    // Claude Code, Copilot and Kimi have tools of one name with other arguments.
    is("Read", json!({"file_path": "/etc/passwd"}), "reads /etc/passwd");
    is("Read", json!({"path": "a"}), "reads /home/u/proj/a");
    is("Edit", json!({"file_path": "src/../.env"}), "writes /home/u/proj/.env");
    is("Write", json!({"path": "~/x", "file_text": ""}), "writes /home/u/x");
    is("edit", json!({"filePath": "a"}), "writes /home/u/proj/a");
    is("MultiEdit", json!({"file_path": "a"}), "writes /home/u/proj/a");
    is("NotebookEdit", json!({"notebook_path": "/n.ipynb"}), "writes /n.ipynb");
    is("Delete", json!({"path": "a"}), "deletes /home/u/proj/a");
    is("replace", json!({"file_path": "a"}), "writes /home/u/proj/a");
    is("view", json!({"path": "/a"}), "reads /a");
    is(
        "save_memory",
        json!({"fact": "x"}),
        "writes /home/u/.gemini/GEMINI.md, \
        writes /home/u/.qwen/QWEN.md, writes /home/u/proj/QWEN.md",
    );
    is(
        "read_files",
        json!({"files": [{"path": "a"}, {"path": "/b"}]}),
        "reads /home/u/proj/a, reads /b",
    );
    is(
        "mcp__filesystem__read_multiple_files",
        json!({"paths": ["/a", "/b"]}),
        "reads /a, reads /b",
    );
    is(
        "mcp__filesystem__move_file",
        json!({"source": "/a", "destination": "/b"}),
        "reads /a/**, writes /b, deletes /a/**",
    );
    is("mcp_filesystem_write_file", json!({"path": "/a"}), "writes /a");
    is("mcp__plugin_x_filesystem__write_file", json!({"path": "/a"}), "writes /a");
    is("filesystem-write_file", json!({"path": "/a"}), "writes /a");
    is("mcp__memory__read_graph", json!({}), "");
    is("TodoWrite", json!({"todos": []}), "");
    is("multi_agent_v1wait_agent", json!({}), "");
}

#[test]
fn the_git_server_is_git() {
    let input = json!({"repo_path": "/r", "message": "rm -rf /"});
    let effects = effects("mcp__git__git_commit", &input);
    let words: Vec<String> = effects.runs[0].args.iter().map(|word| word.written()).collect();
    assert_eq!(words, ["-C", "/r", "commit", "-m", "rm -rf /"]);
    assert_eq!((effects.runs.len(), effects.unclear.len()), (1, 0));
}

#[test]
fn globs_and_searches_are_reads() {
    let is = |tool: &str, input: Value, wanted: &str| {
        assert_eq!(short(tool, &input), wanted, "{tool} {input}");
    };
    is(
        "Glob",
        json!({"pattern": "**/*.pem"}),
        "reads /home/u/proj/**/*.pem, \
        reads /home/u/proj/*.pem",
    );
    is("Glob", json!({"pattern": "*.{a,b}", "path": "/x"}), "reads /x/*.a, reads /x/*.b");
    is("Glob", json!({"pattern": "~/.ssh/*"}), "reads /home/u/.ssh");
    is("Grep", json!({"pattern": "KEY", "path": ".env"}), "reads /home/u/proj/.env/**");
    is("Grep", json!({"pattern": "KEY"}), "reads /home/u/proj/**");
    is(
        "Grep",
        json!({"pattern": "KEY", "path": "/x", "glob": "*.rs"}),
        "reads /x, reads /x/**/*.rs, reads /x/*.rs",
    );
    is(
        "Grep",
        json!({"pattern": "KEY", "glob": "a/*.rs"}),
        "reads /home/u/proj, reads /home/u/proj/a/*.rs",
    );
    is("Grep", json!({"pattern": "KEY", "glob": "!*.rs"}), "reads /home/u/proj/**");
    is("grep_search", json!({"pattern": "x", "dir_path": "/d"}), "reads /d/**");
    is("grep_search", json!({"pattern": "x", "path": "/d"}), "reads /d/**");
    is(
        "read_many_files",
        json!({"include": ["a/*", "b"]}),
        "reads /home/u/proj/a/*, \
        reads /home/u/proj/b",
    );
}

#[test]
fn addresses() {
    let is = |tool: &str, input: Value, wanted: &str| {
        assert_eq!(short(tool, &input), wanted, "{tool} {input}");
    };
    is("WebFetch", json!({"url": "https://Docs.rs/x"}), "connects docs.rs:443");
    is("WebFetch", json!({"url": "https://docs.rs@evil.com/"}), "connects evil.com:443");
    is("WebFetch", json!({"url": "https://evil.com\\@docs.rs/"}), "connects evil.com:443");
    is("WebFetch", json!({"url": "http://docs.rs:8080"}), "connects docs.rs:8080");
    is("webfetch", json!({"url": "file:///etc/passwd"}), "reads /etc/passwd");
    is("WebFetch", json!({"url": "http://"}), "unclear connects");
    is("WebFetch", json!({"url": 5}), "unclear connects");
    is("WebFetch", json!({}), "unclear connects");
    is(
        "web_fetch",
        json!({"prompt": "compare https://a.example/x, and http://b.example."}),
        "connects a.example:443, connects b.example:80",
    );
    is("web_fetch", json!({"url": "https://a.example", "prompt": "x"}), "connects a.example:443");
    is("web_fetch", json!({"prompt": "no address"}), "unclear connects");
    is("fetch_web_content", json!({"requests": [{"url": "https://a.b"}]}), "connects a.b:443");
    is("mcp__fetch__fetch", json!({"url": "https://a.b"}), "connects a.b:443");
}

#[test]
fn patches() {
    let patch = "*** Begin Patch\n*** Update File: a\n*** Move to: /b\n@@\n-x\n+y\n\
                 *** Delete File: ../c\n*** End Patch";
    let wanted = "writes /home/u/proj/a, writes /b, deletes /home/u/proj/a, deletes /home/u/c";
    for input in [json!({"command": patch}), json!({"input": patch}), json!({"patchText": patch})] {
        assert_eq!(short("apply_patch", &input), wanted);
    }
    assert_eq!(short("apply_patch", &json!(patch)), wanted);
    for unreadable in [json!({"command": "rm x"}), json!({"command": ""})] {
        assert_eq!(short("apply_patch", &unreadable), "unclear writes, unclear deletes");
    }
    assert_eq!(short("apply_patch", &json!({"other": patch})), "unclear anything");
}

#[test]
fn what_cannot_be_told_is_narrow() {
    assert_eq!(short("Read", &json!({"file_path": 5})), "unclear reads");
    assert_eq!(short("Read", &json!({})), "unclear reads");
    assert_eq!(short("Read", &json!({"file_path": null})), "unclear reads");
    assert_eq!(short("Read", &json!([])), "unclear reads");
    assert_eq!(short("read_files", &json!({"files": "a"})), "unclear reads");
    assert_eq!(short("read_files", &json!({"files": [{"path": "/a"}, {}]})), "unclear reads");
    assert_eq!(short("read_files", &json!({"files": []})), "");
    assert_eq!(short("Edit", &json!({"file_path": ["a"]})), "unclear writes");
    assert_eq!(short("Bash", &json!({"command": {}})), "unclear anything");
    assert_eq!(short("shell", &json!({"command": ["a", 1]})), "unclear anything");
    assert_eq!(short("write_stdin", &json!({"chars": "rm x\n"})), "unclear anything");

    let unknown = effects("mcp__acme__query", &json!({"sql": "select 1"}));
    assert_eq!(unknown.unclear.len(), 1);
    assert_eq!(unknown.unclear[0].what, UnclearWhat::Anything);
    assert_eq!(
        unknown.unclear[0].why,
        "no manifest covers the tool `mcp__acme__query`; declare it with [[tool]]",
    );
}

#[test]
fn reasons_name_the_tool_and_the_place() {
    let why = |tool: &str, input: Value| effects(tool, &input).unclear[0].why.clone();
    assert_eq!(
        why("Read", json!({"file_path": 5})),
        "`Read` has a number at `/file_path`, where a path is expected",
    );
    assert_eq!(why("WebFetch", json!({})), "`WebFetch` is called without `/url`");
    assert_eq!(
        why("edit", json!({})),
        "`edit` is called without any of `/path`, `/filePath`, \
        `/file_path`"
    );
}

#[test]
fn without_a_folder_a_relative_path_is_not_known() {
    let input = json!({"file_path": "a"});
    let effects = Effects::of_call("Read", &input, &Surroundings::default(), &Manifests::default());
    assert!(effects.reads[0].path.has_unknown());
}

#[test]
fn names_of_tools() {
    let manifests = Manifests::default();
    let names: BTreeSet<&str> = manifests.names().into_iter().collect();
    for name in ["Bash", "shell", "run_shell_command", "Shell", "bash", "run_commands"] {
        assert!(names.contains(name), "{name}");
    }
    assert_eq!(manifests.nearest("Bahs"), Some("Bash"));
    assert_eq!(manifests.nearest("WebFecth"), Some("WebFetch"));
    assert_eq!(manifests.other_cases("bash"), ["Bash"]);
    assert_eq!(manifests.agents_with("run_commands"), ["Cline"]);
}
