//! `[require]`: what must be guarded is guarded, or denied, whatever the file says later.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, bash};

const REQUIRE: &str = "[require]\nevents = [\"pre_tool_use\"]\nhooks = [\"no-force-push\"]\n\n";

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

fn required(hooks: &str) -> String {
    // `[require]` after the keys of the file, before its hooks.
    let at = hooks.find("[[hook]]").unwrap();
    let (head, tail) = hooks.split_at(at);
    format!("{head}{REQUIRE}{tail}")
}

#[test]
fn a_required_hook_that_is_in_shadow_denies_every_step_and_that_is_reported() {
    let folder = Folder::with_hooks(&required(HOOKS));
    let ended = folder.run(&["run", "-q"], bash("ls"));
    assert_eq!((&ended.lines()[0]["decision"], ended.err()), (&"allow".into(), ""));

    let shadow = required(HOOKS)
        .replace("id = \"no-force-push\"", "id = \"no-force-push\"\nmode = \"shadow\"");
    folder.write("hooks.toml", shadow);
    let ended = folder.run(&["run", "-q"], bash("ls"));
    let record = &ended.lines()[0];
    assert_eq!(record["decision"], "deny", "{record}");
    assert_eq!((&record["by"], &record["reason_code"]), (&json!(["require"]), &"unguarded".into()));
    assert!(record["reason"].as_str().unwrap().contains("`no-force-push`"), "{record}");
    assert!(ended.err().contains("its mode is `shadow`"), "{}", ended.err());
    let ended = folder.run(&["check"], "");
    assert_eq!(ended.code(), 0);
    assert!(ended.err().contains("every step of it is denied"), "{}", ended.err());
    let ended = folder.run(&["eval", "-"], bash("ls"));
    assert_eq!(ended.code(), 2, "{}", ended.out());
}

#[test]
fn a_reload_does_not_remove_a_required_guard() {
    let folder = Folder::with_hooks(&required(HOOKS));
    let mut child = folder
        .hookgate(&["run", "--watch", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut stdin, mut stdout) =
        (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
    let mut evaluate = || -> Value {
        writeln!(stdin, "{}", bash("ls")).unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    };
    assert_eq!(evaluate()["decision"], "allow");
    // Neither the requirement nor the hook is in the file any more.
    folder.write("hooks.toml", HOOKS.replace("no-force-push", "something-else"));
    let start = Instant::now();
    let record = loop {
        let record = evaluate();
        if record["generation"] == 2 {
            break record;
        }
        assert!(start.elapsed() < PATIENCE, "no reload: {record}");
        thread::sleep(Duration::from_millis(50));
    };
    assert_eq!((&record["decision"], &record["by"]), (&"deny".into(), &json!(["require"])));
    drop(stdin);
    let ended = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&ended.stderr);
    assert!(stderr.contains("every `pre_tool_use` is denied"), "{stderr}");
}
