//! Promise: the language server answers what it is asked, outlives nonsense, and ends when it is told to.

use serde_json::{Value, json};

use crate::client::{Client, uri};
use crate::support::{Folder, HOOKS};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn nonsense_is_refused_and_the_conversation_goes_on() {
    let folder = Folder::with_hooks(HOOKS);
    let mut client = Client::start(&folder);
    assert_eq!(code(&client.request("textDocument/hover", &json!({}))), -32002);
    client.send_bytes(b"hello\r\n\r\n\xff\xfe: 7\r\nContent-Length: x\r\n\r\n");
    client.send_text("{\"jsonrpc\": \"2.0\", ");
    assert_eq!(code(&client.wait(|message| message["id"].is_null())), -32700);
    for no_message in ["[]", "7", "{}", "null"] {
        client.send_text(no_message);
        assert_eq!(code(&client.wait(|message| message["id"].is_null())), -32600, "{no_message}");
    }
    let answer = client.request("initialize", &json!({"capabilities": {}}));
    assert_eq!(answer["result"]["serverInfo"]["name"], "hookgate");
    assert_eq!(code(&client.request("initialize", &json!({}))), -32600);
    assert_eq!(code(&client.request("textDocument/rename", &json!({}))), -32601);
    assert_eq!(code(&client.request("textDocument/hover", &json!({"textDocument": 1}))), -32602);
    let hooks = uri(&folder, "hooks.toml");
    let elsewhere =
        json!({"textDocument": {"uri": hooks}, "position": {"line": 0, "character": 0}});
    assert_eq!(code(&client.request("textDocument/hover", &elsewhere)), -32602);
    // Notices with holes in them, and one that nobody knows.
    client.notify("textDocument/didOpen", &json!({}));
    client.notify(
        "textDocument/didChange",
        &json!({"textDocument": {"uri": hooks}, "contentChanges": []}),
    );
    client.notify("workspace/didChangeConfiguration", &Value::Null);
    // The length counts, whatever it claims.
    let long = 40_u64 << 20;
    client.send_bytes(format!("Content-Length: {long}\r\n\r\n").as_bytes());
    for _ in 0..40 {
        client.send_bytes(&vec![b' '; 1 << 20]);
    }
    assert_eq!(code(&client.wait(|message| message["id"].is_null())), -32700);
    client.open(&hooks, "[[hook]]\n");
    assert!(!client.diagnostics(1).is_empty());
}

#[test]
fn it_ends_as_it_is_told() {
    let folder = Folder::with_hooks(HOOKS);
    let mut client = Client::greet(&folder, &[]);
    assert_eq!(client.request("shutdown", &Value::Null)["result"], Value::Null);
    assert_eq!(code(&client.request("shutdown", &Value::Null)), -32600);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end(), 0);
    let mut client = Client::greet(&folder, &[]);
    client.notify("exit", &Value::Null);
    assert_eq!(client.end(), 1);
    // The editor has died.
    assert_eq!(Client::greet(&folder, &[]).end(), 1);
    assert_eq!(Client::start(&folder).end(), 1);
}

/// Somebody types faster than a text can be checked: the last text counts, and no old one comes after it.
#[test]
fn of_many_changes_the_last_one_is_checked() {
    let folder = Folder::new();
    let mut client = Client::greet(&folder, &[]);
    let uri = uri(&folder, "hooks.toml");
    client.open(&uri, "");
    let many = HOOKS.repeat(20).replace("id = \"", "id = \"x");
    for version in 2..200 {
        client.change(&uri, version, &format!("{many}\n# {version}\nwrong{version} = 1\n"));
    }
    client.change(&uri, 200, HOOKS);
    let mut versions = Vec::new();
    loop {
        let message = client.wait(|message| message["method"] == "textDocument/publishDiagnostics");
        versions.push(message["params"]["version"].as_u64().unwrap());
        if versions.last() == Some(&200) {
            assert_eq!(message["params"]["diagnostics"], json!([]));
            break;
        }
    }
    assert!(versions.is_sorted(), "{versions:?}");
    // A file that is closed has no mistakes on the screen.
    client.change(&uri, 201, "a = \n");
    assert!(!client.diagnostics(201).is_empty());
    client.notify("textDocument/didClose", &json!({"textDocument": {"uri": uri}}));
    let closed = client.wait(|message| message["method"] == "textDocument/publishDiagnostics");
    assert_eq!(closed["params"]["diagnostics"], json!([]));
    assert_eq!(closed["params"].get("version"), None);
}

/// Whatever is half written, and wherever the cursor is, each question has an answer.
#[test]
fn a_text_may_end_anywhere() {
    let folder = Folder::new();
    let mut client = Client::greet(&folder, &["utf-8"]);
    let uri = uri(&folder, "hooks.toml");
    client.open(&uri, "");
    let text = format!("{HOOKS}[hook.input]\n\"/é\" = {{ any = [{{ regex = '''x\n''' }}] }}\n");
    let mut answered = 0;
    let cuts = (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(3);
    for (at, version) in cuts.zip(2..) {
        let cut = &text[..at];
        client.change(&uri, version, cut);
        let line = cut.matches('\n').count();
        let character = cut.rsplit('\n').next().unwrap().len();
        for method in ["completion", "hover", "definition", "formatting"] {
            let position = json!({"line": line, "character": character.saturating_sub(1)});
            let params = json!({"textDocument": {"uri": uri}, "position": position});
            let answer = client.request(&format!("textDocument/{method}"), &params);
            assert!(answer.get("result").is_some(), "{cut}\n{answer}");
            answered += 1;
        }
    }
    assert!(answered > 900, "{answered}");
    client.change(&uri, 9999, HOOKS);
    assert_eq!(client.diagnostics(9999), Vec::<Value>::new());
}
