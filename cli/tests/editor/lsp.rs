//! Promise: an editor can complete, explain, follow and format what is in a hooks.toml.

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::support::Folder;

/// Asks about the sign `|` in a text.
struct Asked {
    folder: Folder,
    client: Client,
    versions: u64,
}

impl Asked {
    fn new() -> Self {
        let folder = Folder::with_scripts("");
        let mut client = Client::greet(&folder, &[]);
        client.open(&uri(&folder, "hooks.toml"), "");
        Self { folder, client, versions: 1 }
    }

    fn ask(&mut self, method: &str, text: &str) -> Value {
        let before = text.split('|').next().unwrap();
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
        self.versions += 1;
        let uri = uri(&self.folder, "hooks.toml");
        self.client.change(&uri, self.versions, &text.replacen('|', "", 1));
        let position = json!({"line": line, "character": character});
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        let answer = self.client.request(&format!("textDocument/{method}"), &params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn labels(&mut self, text: &str) -> Vec<String> {
        let items = self.ask("completion", text);
        let items = items.as_array().unwrap().iter();
        items.map(|item| item["label"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn keys_and_values_are_completed() {
    let mut asked = Asked::new();
    let hook = "[[hook]]\nid = \"a\"\n";
    for (text, some, none) in [
        ("|", &["version", "limits", "hook", "require", "disable", "tool"][..], "id"),
        ("[[|", &["hook", "disable", "tool"], "id"),
        ("[limits]\n|", &["timeout", "output"], "id"),
        ("[[hook]]\n|", &["id", "event", "tool", "runs", "when"], "version"),
        // The kinds of handlers.
        ("[[hook]]\n|", &["builtin", "command", "http", "mcp", "prompt"], "argv"),
        ("[[hook]]\nev|", &["event"], "version"),
        ("[[hook]]\nevent = \"|\"", &["pre_tool_use", "PreToolUse", "stop"], "deny"),
        ("[[hook]]\nevent = [\"stop\", |", &["pre_tool_use"], "deny"),
        ("[[hook]]\nmode = |", &["enforce", "warn", "shadow", "off"], "deny"),
        ("[[hook]]\nbackground = |", &["true", "false"], "deny"),
        ("[[hook]]\nbuiltin = |", &["audit", "redact_secrets"], "deny"),
        ("[[hook]]\nbuiltin = { name = |", &["audit", "deny", "max_iterations"], "stop"),
        ("[[hook]]\nbuiltin = { name = \"deny\", |", &["reason", "reason_code"], "level"),
        ("[[hook]]\n[hook.builtin]\nname = \"audit\"\n|", &["level"], "reason"),
        ("[[hook]]\ncommand = { |", &["argv", "shell", "env", "limits"], "id"),
        ("[[hook]]\ncommand = { limits = { |", &["cpu", "memory"], "argv"),
        ("[[hook]]\n[hook.prompt]\n|", &["model", "prompt", "prompt_file"], "argv"),
        ("[[hook]]\ntool = \"|\"", &["Bash", "Read", "run_shell_command"], "deny"),
        ("[[tool]]\nname = \"mine\"\n[[hook]]\ntool = |", &["mine", "Bash"], "deny"),
        ("[[hook]]\nany = [{ |", &["tool", "input", "agent"], "id"),
        ("[[hook]]\ninput = { \"/a\" = { |", &["regex", "equals", "glob", "len"], "tool"),
        ("[[hook]]\non_timeout = |", &["deny", "ask", "allow"], "stop"),
        ("[require]\nevents = [|", &["pre_tool_use"], "deny"),
        // Half a line below does not matter.
        ("[[hook]]\nmode = |\nevent = [\"", &["enforce"], "deny"),
    ] {
        let labels = asked.labels(text);
        let missing: Vec<_> =
            some.iter().filter(|word| !labels.iter().any(|l| l == *word)).collect();
        assert!(missing.is_empty(), "{text}: {missing:?} of {labels:?}");
        assert!(!labels.iter().any(|label| label == none), "{text}: {labels:?}");
    }
    let ids = format!("{hook}[[hook]]\nid = \"b\"\nafter = |");
    assert_eq!(asked.labels(&ids), ["a", "b"]);
    assert_eq!(asked.labels(&format!("{hook}[[disable]]\nid = |")), ["a"]);
    assert_eq!(asked.labels(&format!("{hook}# |")), Vec::<String>::new());
}

#[test]
fn pointers_are_those_of_the_events_and_tools_of_the_hook() {
    let mut asked = Asked::new();
    let bash = "[[hook]]\nevent = \"pre_tool_use\"\ntool = \"Bash\"\ninput = { |";
    let labels = asked.labels(bash);
    assert!(labels.contains(&"/command".to_owned()), "{labels:?}");
    assert!(!labels.contains(&"/file_path".to_owned()), "{labels:?}");
    let prompt = "[[hook]]\nevent = \"user_prompt_submit\"\ninput = { \"/|";
    let labels = asked.labels(prompt);
    assert!(labels.contains(&"/prompt".to_owned()), "{labels:?}");
    assert!(!labels.contains(&"/tool_input".to_owned()), "{labels:?}");
    let result = "[[hook]]\nevent = \"PostToolUse\"\npayload = { |";
    assert!(asked.labels(result).contains(&"/tool_response".to_owned()));
    let batch = "[[hook]]\nevent = \"post_tool_batch\"\npayload = { |";
    assert!(asked.labels(batch).contains(&"/results/*/tool_name".to_owned()));
    // What is there is replaced as a whole, with its quotes.
    let items = asked.ask("completion", prompt);
    let prompt = items.as_array().unwrap().iter().find(|item| item["label"] == "/prompt");
    let edit = &prompt.unwrap()["textEdit"];
    assert_eq!(edit["newText"], "\"/prompt\"");
    assert_eq!(edit["range"]["start"]["character"], 10);
}

#[test]
fn keys_events_and_builtins_are_explained() {
    let mut asked = Asked::new();
    for (text, words) in [
        ("[[hook]]\non_fail|ure = \"deny\"", "**on_failure**"),
        ("[li|mits]\n", "**limits**"),
        ("[[hook]]\nevent = \"pre_to|ol_use\"", "a tool is about to run"),
        ("[[hook]]\nevent = \"PreTool|Use\"", "**pre_tool_use**"),
        ("[[hook]]\nbuiltin = { na|me = \"deny\" }", "**name**"),
        ("[[hook]]\nbuiltin = { name = \"de|ny\" }", "| `reason` |"),
        ("[[hook]]\nmode = \"sha|dow\"", "It does not count; it is recorded."),
        ("[[hook]]\ncommand = { ar|gv = [] }", "without a shell"),
        ("[[hook]]\nru|ns = \"rm\"", "**runs**"),
    ] {
        let hover = asked.ask("hover", text);
        let about = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(about.contains(words), "{text}: {hover}");
    }
    // The text of a setting is that of the reference.
    let reference = asked.folder.run(&["schema", "config"], "");
    let schema: Value = serde_json::from_str(reference.out()).unwrap();
    let timeout = schema["$defs"]["Hook"]["properties"]["timeout"]["description"].as_str().unwrap();
    let hover = asked.ask("hover", "[[hook]]\ntime|out = \"1s\"");
    let about = hover["contents"]["value"].as_str().unwrap();
    assert!(about.contains(timeout.split('.').next().unwrap().trim()), "{about}");
    assert_eq!(asked.ask("hover", "[[hook]]\n# id|\n"), Value::Null);
    assert_eq!(asked.ask("hover", "[[hook]]\nnothing_such| = 1\n"), Value::Null);
}

#[test]
fn a_path_leads_to_its_file_and_an_id_to_its_hook() {
    let mut asked = Asked::new();
    let script = format!("file://{}", asked.folder.path("g.py").canonicalize().unwrap().display());
    for text in [
        "[[hook]]\ncommand = { argv = [\"python3\", \"g.|py\"] }",
        "[[hook]]\ncommand = { argv = [\"./g|.py\"] }",
        "[[hook]]\ncommand = { shell = \"python3 g|.py --fast\" }",
        "[[hook]]\n[hook.prompt]\nprompt_file = \"|g.py\"",
    ] {
        let found = asked.ask("definition", text);
        let expected = script.replace("/./", "/");
        assert_eq!(found["uri"], expected, "{text}");
    }
    let two = "[[hook]]\nid = \"first\"\n[[hook]]\nid = \"second\"\n";
    for text in [
        format!("{two}after = [\"fir|st\"]"),
        format!("{two}before = \"fi|rst\""),
        format!("{two}[[disable]]\nid = \"firs|t\""),
        format!("{two}[require]\nhooks = [\"fir|st\"]"),
    ] {
        let found = asked.ask("definition", &text);
        assert_eq!(found["range"]["start"], json!({"line": 1, "character": 5}), "{text}: {found}");
    }
    for nothing in ["[[hook]]\ncommand = { argv = [\"no-su|ch.py\"] }", "[[hook]]\nafter = \"z|\""]
    {
        assert_eq!(asked.ask("definition", nothing), Value::Null, "{nothing}");
    }
}

/// An editor sends every file of a language.
#[test]
fn nothing_is_said_of_files_without_hooks() {
    let mut asked = Asked::new();
    let uri = uri(&asked.folder, "Cargo.toml");
    asked.client.open(&uri, "[package]\n");
    asked.client.change(&uri, 7, "[package]\nname='a'\n");
    assert_eq!(asked.client.diagnostics(7), Vec::<Value>::new());
    let position = json!({"line": 1, "character": 1});
    let params = json!({"textDocument": {"uri": uri}, "position": position});
    for (method, nothing) in
        [("completion", Value::Null), ("hover", Value::Null), ("formatting", json!([]))]
    {
        let answer = asked.client.request(&format!("textDocument/{method}"), &params);
        assert_eq!(answer["result"], nothing, "{method}");
    }
}

#[test]
fn a_text_is_formatted_as_by_fmt() {
    let mut asked = Asked::new();
    let untidy = "[[hook]]\nid='é'\n[limits]\n\n\n";
    let edits = asked.ask("formatting", &format!("|{untidy}"));
    let expected = asked.folder.run(&["fmt", "-"], untidy);
    assert_eq!(edits[0]["newText"], expected.out());
    assert_eq!(edits[0]["range"]["start"], json!({"line": 0, "character": 0}));
    assert_eq!(edits[0]["range"]["end"], json!({"line": 5, "character": 0}));
    // A broken text, and one that is tidy, stay.
    assert_eq!(asked.ask("formatting", "|a = \n"), json!([]));
    assert_eq!(asked.ask("formatting", "|a = 1\n"), json!([]));
}
