//! Promise: an override adds hooks to one run and goes without others, and a mistake in it has a place.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, bash};

const DENY_LS: &str = r#"{"entries": [
  {"id": "no-ls", "event": "pre_tool_use", "runs": "ls",
   "builtin": {"name": "deny", "reason": "not in this run"}}
]}"#;

#[test]
fn an_override_adds_hooks_to_run_and_eval() {
    let folder = Folder::with_hooks(HOOKS);
    for verb in ["run", "eval"] {
        let ended = folder.run(&[verb, "--hooks-override-json", DENY_LS], bash("ls"));
        assert_eq!(ended.lines()[0]["by"], json!(["no-ls"]), "{}", ended.err());
        // The hooks of the config go on.
        let ended = folder.run(&[verb, "--hooks-override-json", DENY_LS], bash("git push --force"));
        assert_eq!(ended.lines()[0]["by"], json!(["no-force-push"]));
        assert_eq!(folder.run(&[verb], bash("ls")).lines()[0]["decision"], "allow");
    }
    folder.write("extra.json", DENY_LS);
    let ended = folder.run(&["run", "--hooks-override-file", "extra.json"], bash("ls"));
    assert_eq!(ended.lines()[0]["by"], json!(["no-ls"]));
}

/// To disable an id and add it again replaces the hook.
#[test]
fn an_override_replaces_a_hook() {
    let folder = Folder::with_hooks(HOOKS);
    let text = r#"{"disable": ["no-force-push"], "entries": [
        {"id": "no-force-push", "event": "pre_tool_use", "runs": "git push --force",
         "builtin": {"name": "ask", "reason": "really?"}}]}"#;
    let ended = folder.run(&["run", "--hooks-override-json", text], bash("git push --force"));
    let record = &ended.lines()[0];
    assert_eq!((&record["decision"], &record["reason"]), (&json!("ask"), &json!("really?")));
    // Without the disable it is a second hook of that id.
    let twice = text.replace(r#""disable": ["no-force-push"], "#, "");
    let ended = folder.run(&["run", "--hooks-override-json", &twice], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (3, ""));
    assert!(ended.err().contains("no-force-push"), "{}", ended.err());
}

#[test]
fn a_mistake_has_a_line_and_a_column() {
    let folder = Folder::with_hooks(HOOKS);
    let cases = [
        (
            "{\"disable\": [\"no-force-psuh\"]}",
            "1:14: there is no hook `no-force-psuh`; did you mean",
        ),
        ("{\n \"entries\": [\n  {\"id\": \"a\", \"evnt\": \"stop\"}]}", "3:15: unknown key `evnt`"),
        ("{\n \"entrys\": []}", "2:2: unknown key `entrys`; did you mean `entries`?"),
        ("{\"disable\": \"lint\"}", "1:13: "),
        ("{\"disable\": [],\n\"disable\": []}", "2:"),
        ("{", "1:"),
        ("[]", "1:1: "),
    ];
    for (text, expected) in cases {
        let ended = folder.run(&["run", "--hooks-override-json", text], bash("ls"));
        assert_eq!((ended.code(), ended.out()), (3, ""), "{text}");
        let expected = format!("--hooks-override-json:{expected}");
        assert!(ended.err().contains(&expected), "{expected} in {}", ended.err());
    }
    folder.write("broken.json", "{\"entries\": [{}]}");
    let ended = folder.run(&["run", "--hooks-override-file", "broken.json"], bash("ls"));
    assert!(ended.err().contains("broken.json:1:14: "), "{}", ended.err());
}

/// What an override takes away is not required by the run: every step would be denied instead.
#[test]
fn a_requirement_that_an_override_breaks_is_not_kept() {
    let folder = Folder::with_hooks(&format!("[require]\nhooks = [\"no-force-push\"]\n\n{HOOKS}"));
    for verb in ["run", "eval"] {
        for flag in ["--disable", "--shadow"] {
            let ended = folder.run(&[verb, flag, "no-force-push"], bash("ls"));
            assert_eq!(ended.lines()[0]["decision"], "allow", "{verb} {flag}: {}", ended.err());
            assert!(ended.err().contains("not required in this run"), "{}", ended.err());
        }
        // One that the file itself breaks is kept.
        let ended = folder.run(&[verb, "--disable", "confirm-publish"], bash("ls"));
        assert!(!ended.err().contains("not required"), "{}", ended.err());
    }
    let unguarded = std::fs::read_to_string(folder.path("hooks.toml")).unwrap();
    folder.write("hooks.toml", unguarded.replacen("tool =", "mode = \"shadow\"\ntool =", 1));
    for verb in ["run", "eval"] {
        let ended = folder.run(&[verb, "--disable", "confirm-publish"], bash("ls"));
        assert_eq!(ended.lines()[0]["by"], json!(["require"]), "{verb}: {}", ended.err());
    }
}

/// Nor is it, once the config was loaded again.
#[test]
fn a_run_that_watches_does_not_require_it_again() {
    let hooks = format!("[require]\nhooks = [\"no-force-push\"]\n\n{HOOKS}");
    let folder = Folder::with_hooks(&hooks);
    let mut command = folder.hookgate(&["run", "--watch", "--quiet", "--disable", "no-force-push"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let (mut stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut lines = BufReader::new(stdout).lines();
    let mut evaluate = || -> Value {
        writeln!(stdin, "{}", bash("ls")).unwrap();
        serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(evaluate()["decision"], "allow");
    let more = "\n[[hook]]\nid = \"log\"\nevent = \"stop\"\nbuiltin = \"audit\"\n";
    folder.write("hooks.toml", hooks + more);
    let start = Instant::now();
    let reloaded = loop {
        let record = evaluate();
        if record["generation"] != 1 {
            break record;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "no reload: {record}");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert_eq!(reloaded["decision"], "allow", "{reloaded}");
    drop(stdin);
    child.wait().unwrap();
}
