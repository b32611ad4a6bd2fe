//! Promise: `run` shows people what was decided, of one file or of many, and says by its exit code what
//! they ask for.

use serde_json::{Value, json};

use crate::support::{Ended, Folder, HOOKS, bash};

fn steps(commands: &[&str]) -> String {
    commands.iter().map(|command| bash(command) + "\n").collect()
}

/// A folder with sessions in it and below it.
fn sessions() -> Folder {
    let folder = Folder::with_hooks(HOOKS);
    std::fs::create_dir_all(folder.path("all/more")).unwrap();
    folder.write("all/b.jsonl", steps(&["ls", "git push --force"]));
    folder.write("all/a.jsonl", steps(&["cargo publish"]));
    folder.write("all/more/c.jsonl", steps(&["date", "pwd"]));
    folder.write("all/notes.txt", "not a session");
    folder
}

fn places(ended: &Ended) -> Vec<(String, u64, String)> {
    let place = |line: &Value| {
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        (text("file"), line["line"].as_u64().unwrap(), text("decision"))
    };
    ended.lines().iter().map(place).collect()
}

#[test]
fn files_of_folders_are_read_in_the_order_of_their_names() {
    let folder = sessions();
    let ended = folder.run(&["run", "all"], "");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let expected = [
        ("all/a.jsonl", 1, "ask"),
        ("all/b.jsonl", 1, "allow"),
        ("all/b.jsonl", 2, "deny"),
        ("all/more/c.jsonl", 1, "answered"),
        ("all/more/c.jsonl", 2, "allow"),
    ];
    let expected = expected.map(|(file, line, what)| (file.to_owned(), line, what.to_owned()));
    assert_eq!(places(&ended), expected);
    assert!(ended.err().contains("5 steps ·"), "{}", ended.err());
    // As they are named, and stdin among them.
    let ended = folder.run(&["run", "all/more/c.jsonl", "-", "all/a.jsonl"], bash("ls"));
    let files: Vec<_> = places(&ended).into_iter().map(|(file, ..)| file).collect();
    assert_eq!(files, ["all/more/c.jsonl", "all/more/c.jsonl", "<stdin>", "all/a.jsonl"]);
    // One file alone gives the records of before, which a strict reader takes.
    let one = folder.run(&["run", "all/a.jsonl"], "");
    assert_eq!(one.lines()[0].get("file"), None);
    let empty = folder.run(&["run", "."], "");
    assert_eq!(empty.code(), 0);
    std::fs::create_dir(folder.path("none")).unwrap();
    let none = folder.run(&["run", "none"], "");
    assert_eq!((none.code(), none.out()), (1, ""));
    assert!(none.err().contains("no *.jsonl"), "{}", none.err());
}

#[test]
fn only_filters_what_is_printed_and_not_what_is_judged() {
    let folder = sessions();
    let ended = folder.run(&["run", "all", "--only", "deny,ask"], "");
    let decisions: Vec<_> = places(&ended).into_iter().map(|(.., decision)| decision).collect();
    assert_eq!(decisions, ["ask", "deny"]);
    assert!(ended.err().contains("5 steps ·"), "{}", ended.err());
    assert_eq!(folder.run(&["run", "all", "--only", "halt"], "").out(), "");
    let wrong = folder.run(&["run", "all", "--only", "denied"], "");
    assert_eq!(wrong.code(), 64);
    assert!(wrong.err().contains("'deny'"), "{}", wrong.err());
}

/// Each thing that can be named is seen where it happens, and not where it does not.
#[test]
fn a_run_fails_on_what_it_is_told_to() {
    let policy = r#"
[[hook]]
id = "rewrites"
event = "pre_tool_use"
role = "rewrite"
tool = "Bash"
input = { "/command" = { equals = "short" } }
command = { shell = "echo '{\"patch\":{\"tool_input\":{\"command\":\"long\"}}}'" }

[[hook]]
id = "adds"
event = "pre_tool_use"
input = { "/command" = { equals = "context" } }
command = { shell = "echo '{\"context\":[\"mind the gap\"]}'" }

[[hook]]
id = "breaks"
event = "pre_tool_use"
on_failure = "allow"
input = { "/command" = { equals = "break" } }
command = { shell = "exit 7" }

[[hook]]
id = "no-push"
event = "pre_tool_use"
runs = "git push"
builtin = { name = "deny", reason = "no" }

[[hook]]
id = "tried"
event = "pre_tool_use"
mode = "shadow"
input = { "/command" = { equals = "would" } }
builtin = { name = "deny", reason = "one day" }
"#;
    let folder = Folder::with_hooks(policy);
    let cases = [
        ("ls", "allow"),
        ("short", "rewrote"),
        ("context", "context"),
        ("break", "failed"),
        ("git push", "deny"),
        ("git $X", "unclear"),
        ("git $X", "ask"),
        ("would", "would"),
    ];
    for (command, what) in cases {
        let code = |what: &str| folder.run(&["run", "--fail-on", what], bash(command)).code();
        assert_eq!(code(what), 2, "{command}: {what}");
        assert_eq!(code("halt"), 0, "{command}: halt");
        assert_eq!(code(&format!("halt,{what}")), 2);
        let plain = folder.run(&["run", "--only", what], bash("ls"));
        assert_eq!(plain.lines().len(), usize::from(what == "allow"), "{what}");
    }
    assert_eq!(folder.run(&["run", "--fail-on", "unreadable"], "{").code(), 2);
    assert_eq!(folder.run(&["run", "--fail-on", "halt"], "{").code(), 1);
    // What is not printed counts.
    let hidden = ["run", "--only", "halt", "--fail-on", "deny"];
    assert_eq!(folder.run(&hidden, bash("git push")).code(), 2);
}

#[test]
fn a_hook_can_be_left_out_or_in_shadow_for_one_run() {
    let folder = Folder::with_hooks(&format!("{HOOKS}\n[require]\nhooks = [\"no-force-push\"]\n"));
    let decide = |args: &[&str]| {
        let ended = folder.run(&[&["run"], args].concat(), bash("git push --force"));
        assert_eq!(ended.code(), 0, "{}", ended.err());
        (ended.lines().remove(0), ended.err().to_owned())
    };
    assert_eq!(decide(&[]).0["decision"], "deny");
    let (record, notes) = decide(&["--disable", "no-force-push"]);
    assert_eq!((&record["decision"], &record["votes"]), (&json!("allow"), &json!([])));
    assert!(notes.contains("not required in this run"), "{notes}");
    for shadow in ["no-force-push", "all"] {
        let (record, _) = decide(&["--shadow", shadow]);
        let vote = &record["votes"][0];
        assert_eq!((&record["decision"], &vote["outcome"]), (&json!("allow"), &json!("would")));
        assert_eq!(vote["decision"], "deny");
    }
    // The other hooks go on.
    let other = folder.run(&["run", "--disable", "no-force-push"], bash("cargo publish"));
    assert_eq!(other.lines()[0]["decision"], "ask");
    let wrong = folder.run(&["run", "--disable", "no-force-psuh"], bash("ls"));
    assert_eq!((wrong.code(), wrong.out()), (64, ""));
    assert!(wrong.err().contains("did you mean `no-force-push`?"), "{}", wrong.err());
}

#[test]
fn the_table_shows_what_is_not_plain_and_all_shows_everything() {
    let folder = sessions();
    let table = folder.run(&["run", "--table", "all"], "");
    // The folder that all of them are in is left out.
    let rows = |ended: &Ended| ended.out().lines().filter(|line| line.contains(".jsonl:")).count();
    assert_eq!(rows(&table), 3, "{}", table.out());
    assert!(table.out().contains("force push is not allowed here"), "{}", table.out());
    assert!(!table.out().contains("all/"), "{}", table.out());
    assert_eq!(rows(&folder.run(&["run", "--table", "--all", "all"], "")), 5);
    let plain = folder.run(&["run", "--table"], bash("ls"));
    assert!(plain.out().contains("`--all` shows them"), "{}", plain.out());
}

#[test]
fn the_summary_has_times_and_what_each_hook_did() {
    let folder = sessions();
    let ended = folder.run(&["run", "all"], "");
    let row = ended.err().lines().find(|line| line.starts_with("cached")).unwrap().to_owned();
    assert!(row.contains("ms") || row.contains("µs"), "{row}");
    let head = ended.err().lines().find(|line| line.starts_with("hook ")).unwrap();
    for column in ["consulted", "rewrote", "context", "p50", "p95", "failed"] {
        assert!(head.contains(column), "{head}");
    }
}
