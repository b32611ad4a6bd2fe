//! Promise: what `check` says of a file, the language server says of a text, at the same place.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::{Client, uri};
use crate::support::{Folder, has_python, repository, run};

/// A diagnostic: whether it is an error, line and column from 0 in halves of UTF-16, and the words.
type Told = (bool, u64, u64, String);

/// What `check --analyze` says.
fn checked(folder: &Folder, hooks: &str) -> Vec<Told> {
    let mut command = folder.hookgate(&["check", "--analyze", "--json"]);
    command.env_remove("NOPE").env_remove("OPENAI_API_KEY");
    let ended = run(command, b"");
    let mut all = Vec::new();
    for line in ended.lines() {
        for (key, is_error) in [("errors", true), ("warnings", false), ("findings", false)] {
            for told in line[key].as_array().into_iter().flatten() {
                let place = |key: &str| told[key].as_u64().unwrap() - 1;
                let (row, column) = (place("line"), usize::try_from(place("column")).unwrap());
                let text = hooks.split('\n').nth(usize::try_from(row).unwrap()).unwrap_or_default();
                let column = text.chars().take(column).map(|c| c.len_utf16() as u64).sum();
                let help = told["help"].as_str().map(|help| format!("\nhelp: {help}"));
                let path = folder.path("").display().to_string();
                let message = told["message"].as_str().unwrap().replace(&path, "");
                let help = help.map(|help| help.replace(&path, ""));
                all.push((is_error, row, column, format!("{message}{}", help.unwrap_or_default())));
            }
        }
    }
    all.sort();
    all
}

/// What was published about a text of a folder, whose path is left out.
fn published(folder: &Folder, diagnostics: &[Value]) -> Vec<Told> {
    let folder = folder.path("").display().to_string();
    let mut all: Vec<Told> = diagnostics
        .iter()
        .map(|told| {
            let start = &told["range"]["start"];
            let end = &told["range"]["end"];
            let place =
                |at: &Value| (at["line"].as_u64().unwrap(), at["character"].as_u64().unwrap());
            assert!(place(start) <= place(end), "{told}");
            let (row, column) = place(start);
            let message = told["message"].as_str().unwrap().replace(&folder, "");
            (told["severity"] == 1, row, column, message)
        })
        .collect();
    all.sort();
    all
}

/// Sends a text, and returns what is published last of it, and how long the first answer took.
fn typed(
    client: &mut Client,
    folder: &Folder,
    version: u64,
    text: &str,
    want: &[Told],
) -> (Vec<Told>, Duration) {
    let start = Instant::now();
    client.change(&uri(folder, "hooks.toml"), version, text);
    let first = published(folder, &client.diagnostics(version));
    let took = start.elapsed();
    // What interpreters say of scripts comes later.
    let missing = |found: &[Told]| want.iter().any(|told| !found.contains(told));
    let is_script = |told: &Told| told.3.contains("has a syntax error");
    let found = if missing(&first) && want.iter().any(is_script) {
        published(folder, &client.diagnostics(version))
    } else {
        first
    };
    (found, took)
}

#[test]
fn every_mistake_that_check_finds_is_published_at_the_same_place() {
    let rows = repository().join("../shared/conformance/policy/mistakes.jsonl");
    if !hookgate_test_support::needs::path(&rows) || !has_python() {
        return;
    }
    let rows = fs::read_to_string(rows).unwrap();
    let folder = Folder::with_scripts("");
    let mut client = Client::greet(&folder, &[]);
    client.open(&uri(&folder, "hooks.toml"), "");
    let (mut wrong, mut times, mut mistakes) = (Vec::new(), Vec::new(), 0);
    for (row, version) in rows.lines().zip(2..) {
        let row: Value = serde_json::from_str(row).unwrap();
        let hooks = row["hooks_toml"].as_str().unwrap();
        folder.write("hooks.toml", hooks);
        let expected = checked(&folder, hooks);
        // What is on the disk is not what is on the screen.
        folder.write("hooks.toml", "# not saved yet\n");
        let (found, took) = typed(&mut client, &folder, version, hooks, &expected);
        mistakes += expected.len();
        times.push(took);
        if found != expected {
            wrong.push(format!("{}: {found:?}\n    check: {expected:?}", row["name"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(times.len() > 50 && mistakes > 50, "{} {mistakes}", times.len());
    times.sort();
    let middle = times[times.len() / 2];
    println!(
        "from didChange to publishDiagnostics, {} texts with {mistakes} mistakes: middle {middle:?}, longest {:?}",
        times.len(),
        times.last().unwrap()
    );
}

const TWO_UNITS: &str = "[[hook]]\nid = \"a\"\nevent = \"stop\"\nbuiltin = { name = \"audit\", level = \"é𝄞\", nmae = 1 }\n";

#[test]
fn columns_are_counted_as_the_editor_wants() {
    let column = |encodings: &[&str]| {
        let folder = Folder::with_hooks(TWO_UNITS);
        let mut client = Client::greet(&folder, encodings);
        client.open(&uri(&folder, "hooks.toml"), TWO_UNITS);
        let found = client.diagnostics(1);
        let mistyped = found.iter().find(|told| told["message"].as_str().unwrap().contains("nmae"));
        mistyped.unwrap_or_else(|| panic!("{found:?}"))["range"]["start"]["character"].as_u64()
    };
    let line = TWO_UNITS.lines().nth(3).unwrap();
    let before = line.split("nmae").next().unwrap();
    assert_eq!(column(&[]), Some(before.encode_utf16().count() as u64));
    assert_eq!(column(&["utf-8", "utf-16"]), Some(before.len() as u64));
    assert_eq!(column(&["utf-32"]), Some(before.chars().count() as u64));
}

#[test]
fn the_config_of_another_agent_and_a_file_of_cases_are_checked_too() {
    let folder = Folder::new();
    let mut client = Client::greet(&folder, &[]);
    client.open(&uri(&folder, "settings.json"), "{\"hooks\": {\"PreToolUse\": [}}");
    assert_eq!(client.diagnostics(1).len(), 1);
    client.open(&uri(&folder, "hooks_test.toml"), "[[case]]\nname = 'a'\nstep = \n");
    let found = client.diagnostics(1);
    assert_eq!(
        (found.len(), found[0]["range"]["start"]["line"].as_u64()),
        (1, Some(2)),
        "{found:?}"
    );
}

/// To open a file starts nothing that lies in its folder.
#[test]
fn an_interpreter_of_the_project_is_not_started() {
    let folder = Folder::new();
    let script = |name: &str, text: &str| {
        let path = folder.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let started = folder.path("started");
    let interpreter = script("python3", &format!("#!/bin/sh\ntouch {}\n", started.display()));
    script("guard.py", &format!("#!{}\npass\n", interpreter.display()));
    let hooks = "[[hook]]\nid = \"a\"\nevent = \"stop\"\ncommand = { argv = [\"./guard.py\"] }\n";
    folder.write("hooks.toml", hooks);
    let mut client = Client::greet(&folder, &[]);
    client.open(&uri(&folder, "hooks.toml"), hooks);
    // The second time is after the interpreters.
    client.diagnostics(1);
    client.diagnostics(1);
    assert!(!started.exists());
    // `check` is asked for by somebody, and does start it.
    folder.run(&["check"], "");
    assert!(started.exists());
}

/// A script is read by its interpreter once, and again when it has changed and the editor says so.
#[test]
fn a_script_that_is_mended_is_no_longer_told_of() {
    if !has_python() {
        return;
    }
    let hooks =
        "[[hook]]\nid = \"a\"\nevent = \"stop\"\ncommand = { argv = [\"python3\", \"syn.py\"] }\n";
    let folder = Folder::with_scripts(hooks);
    let mut client = Client::greet(&folder, &[]);
    let uri = uri(&folder, "hooks.toml");
    client.open(&uri, hooks);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    let told = client.diagnostics(1);
    assert!(
        told[0]["message"].as_str().unwrap().contains("`syn.py` has a syntax error"),
        "{told:?}"
    );
    client.change(&uri, 2, &format!("# a line above\n{hooks}"));
    let told = client.diagnostics(2);
    assert_eq!(told[0]["range"]["start"]["line"], 4, "{told:?}");
    folder.write("syn.py", "pass\n");
    client.notify("textDocument/didSave", &serde_json::json!({"textDocument": {"uri": uri}}));
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());
}

/// What is doubtful about hooks together is told while the text is typed, with the code of the finding.
#[test]
fn the_findings_of_the_analysis_are_warnings() {
    let deny = |id: &str, more: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n{more}builtin = {{ name = \"deny\", reason = \"no\" }}\n\n"
        )
    };
    let hooks = deny("all", "") + &deny("never", "tool = \"Bash\"\n");
    let folder = Folder::with_hooks(&hooks);
    let mut client = Client::greet(&folder, &[]);
    let uri = uri(&folder, "hooks.toml");
    client.open(&uri, &hooks);
    let told = client.diagnostics(1);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((&told[0]["code"], &told[0]["severity"]), (&"shadowed_hook".into(), &2.into()));
    assert_eq!(told[0]["range"]["start"]["line"], 6);
    // In the other order both are called.
    client.change(&uri, 2, &(deny("some", "tool = \"Bash\"\n") + &deny("all", "")));
    assert_eq!(client.diagnostics(2), Vec::<Value>::new());
}

/// A config of the size of a shipped policy, typed on: no answer takes long.
#[test]
fn a_large_config_is_answered_at_once() {
    let policy = repository().join("examples/policies/dangerous-shell/hooks.toml");
    let hooks = fs::read_to_string(policy).unwrap();
    let folder = Folder::with_hooks(&hooks);
    let mut client = Client::greet(&folder, &[]);
    let uri = uri(&folder, "hooks.toml");
    client.open(&uri, &hooks);
    client.diagnostics(1);
    let lines = hooks.lines().count();
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for version in 2..22 {
        let start = Instant::now();
        client.change(
            &uri,
            version,
            &format!("{hooks}\n[[hook]]\nid = \"{}\"\nev", "x".repeat(version as usize)),
        );
        let found = client.diagnostics(version);
        times[0].push(start.elapsed());
        assert!(found.iter().any(|told| told["severity"] == 1), "{found:?}");
        for (method, line, at) in [("completion", lines + 2, 2), ("hover", 0, 1)] {
            let position = serde_json::json!({"line": line, "character": at});
            let params = serde_json::json!({"textDocument": {"uri": uri}, "position": position});
            let start = Instant::now();
            let answer = client.request(&format!("textDocument/{method}"), &params);
            times[if method == "completion" { 1 } else { 2 }].push(start.elapsed());
            assert!(answer.get("error").is_none(), "{answer}");
        }
    }
    for (what, mut times) in ["diagnostics", "completion", "hover"].into_iter().zip(times) {
        times.sort();
        let (middle, longest) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{lines} lines, {what}: middle {middle:?}, longest {longest:?}");
    }
}
