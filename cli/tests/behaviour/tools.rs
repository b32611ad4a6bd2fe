//! Promise: `check --tools FILE` fails on a tool that no manifest covers, and says what to write;
//! `check` warns of names of tools that are nearly those of known tools.

use serde_json::json;

use crate::support::{Folder, bash};

const HOOK: &str = "[[hook]]\nid = 'a'\nevent = 'stop'\nbuiltin = 'audit'\n";

#[test]
fn tools_that_manifests_cover_are_fine() {
    let folder = Folder::with_hooks(HOOK);
    folder.write("session.jsonl", format!("{}\n{{\"hook_event_name\":\"stop\"}}\n", bash("ls")));
    let ended = folder.run(&["check", "--tools", "session.jsonl", "--table"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let expected = "ok session.jsonl: 1 tool, all covered by manifests";
    assert!(ended.out().contains(expected), "{}", ended.out());
    let ended = folder.run(&["check", "--tools", "session.jsonl"], "");
    let tools = &ended.lines()[0]["tools"];
    assert_eq!((&tools[0]["name"], &tools[0]["covered"]), (&json!("Bash"), &json!(true)));
    assert_eq!(tools[0]["agents"][0], "Claude Code");
}

#[test]
fn a_tool_that_no_manifest_covers_is_an_error_until_it_is_declared() {
    let folder = Folder::with_hooks(HOOK);
    folder.write("tools.txt", "Read\nWirte\nmcp__db__query\n");
    let args = ["check", "--tools", "tools.txt"];
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 3);
    for expected in [
        "tools.txt:2:1: no manifest covers the tool `Wirte`; did you mean `Write`?",
        "tools.txt:3:1: no manifest covers the tool `mcp__db__query`",
        "`tools.txt` names 2 tools that no manifest covers",
        "[[tool]]\nname = \"mcp__db__query\"\n",
    ] {
        assert!(ended.err().contains(expected), "{expected}: {}", ended.err());
    }
    let tools = ended.lines()[0]["tools"].as_array().unwrap().clone();
    assert_eq!((&tools[1]["near"], &tools[1]["covered"]), (&json!("Write"), &json!(false)));

    // What it says to write is enough.
    let texts: Vec<_> = tools[1..].iter().map(|tool| tool["declare"].as_str().unwrap()).collect();
    folder.write("hooks.toml", format!("{}\n{HOOK}", texts.join("\n")));
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
}

#[test]
fn the_answer_of_a_server_names_its_tools_by_their_short_names() {
    let folder = Folder::with_hooks(HOOK);
    let tool =
        |name: &str| json!({"name": name, "inputSchema": {"properties": {"path": {}, "to": {}}}});
    let answer =
        json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("read_file"), tool("zip")]}});
    folder.write("tools.json", serde_json::to_string_pretty(&answer).unwrap());
    let args = ["check", "--tools", "tools.json", "--mcp-server", "filesystem"];
    let ended = folder.run(&args, "");
    assert_eq!(ended.code(), 3);
    let tools = &ended.lines()[0]["tools"];
    assert_eq!(tools[0]["name"], "mcp__filesystem__read_file");
    assert_eq!((&tools[0]["covered"], &tools[1]["covered"]), (&json!(true), &json!(false)));
    let declare = tools[1]["declare"].as_str().unwrap();
    assert!(declare.contains("name = \"mcp__filesystem__zip\""), "{declare}");
    assert!(declare.contains("# Its input has /path, /to."), "{declare}");
}

#[test]
fn a_file_without_tools_is_an_error() {
    let folder = Folder::with_hooks(HOOK);
    for (text, position) in
        [("", "tools:1:1"), ("Bash\n{\"a\":1}\n", "tools:2:1"), ("Bash\nthe tool\n", "tools:2:1")]
    {
        folder.write("tools", text);
        let ended = folder.run(&["check", "--tools", "tools"], "");
        assert_eq!(ended.code(), 1, "{text}");
        assert!(ended.err().contains(position), "{text}: {}", ended.err());
    }
    assert_eq!(folder.run(&["check", "--tools", "nowhere"], "").code(), 1);
    assert_eq!(folder.run(&["check", "--mcp-server", "a"], "").code(), 64);
}

#[test]
fn a_name_that_is_nearly_that_of_a_tool_is_a_warning() {
    let warned = |tool: &str| {
        let folder = Folder::with_hooks(&format!(
            "[[hook]]\nid = 'a'\nevent = 'pre_tool_use'\ntool = '{tool}'\nbuiltin = 'audit'\n"
        ));
        let ended = folder.run(&["check"], "");
        assert_eq!(ended.code(), 0, "{}", ended.err());
        ended.err().to_owned()
    };
    let warning = warned("Bash|run_shell_comand");
    assert!(warning.contains("hooks.toml:4:14: "), "{warning}");
    assert!(warning.contains("did you mean `run_shell_command`?"), "{warning}");
    assert_eq!(warned("Raed").matches("did you mean `Read`?").count(), 1, "said once");
    for fine in ["run_shell_command", "Reader", "read_files", "mcp__db__query", "deploy", "!Bash"] {
        assert_eq!(warned(fine), "", "{fine}");
    }
}
