//! Promise: `run --watch` puts a changed config in force while it runs.

use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::Duration;
use std::{fs, thread};

use crate::support::{Folder, HOOKS};
use crate::watching::Watching;

#[test]
fn a_change_is_in_force_a_broken_one_is_not() {
    let folder = Folder::with_hooks(HOOKS);
    let mut run = Watching::start(&folder, "hooks.toml");
    let record = run.evaluate("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &1.into()));

    folder.write("hooks.toml", HOOKS.replace("push.*--force", "rebase"));
    assert!(run.wait_for("reloaded").contains("generation 2"));
    let record = run.evaluate("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"allow".into(), &2.into()));

    folder.write("hooks.toml", HOOKS.replace("pre_tool_use", "pre_tool_us"));
    run.wait_for("hooks.toml:4:9: unknown event `pre_tool_us`");
    assert!(run.wait_for("not reloaded").contains("generation 2"));
    let record = run.evaluate("git rebase");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &2.into()));

    // As editors do it: a new file replaces the old one.
    let next = folder.write("hooks.toml.new", HOOKS);
    fs::rename(next, folder.path("hooks.toml")).unwrap();
    assert!(run.wait_for("reloaded").contains("generation 3"));
    let record = run.evaluate("git push --force");
    assert_eq!((&record["decision"], &record["generation"]), (&"deny".into(), &3.into()));

    let (code, messages) = run.end();
    assert_eq!(code, Some(0), "{messages}");
    assert!(messages.contains("generations 1 to 3"), "{messages}");
}

#[test]
fn each_config_that_comes_into_force_is_in_the_journal_with_its_text() {
    let folder = Folder::new();
    let config = |reason: &str| {
        format!(
            "include = [\"own.toml\"]\n[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
             command = {{ argv = [\"sh\", \"-c\", \"echo {reason} >&2; exit 2\"] }}\n"
        )
    };
    let own = "[[hook]]\nid = \"own\"\nevent = \"pre_tool_use\"\ntool = \"Read\"\n\
               builtin = { name = \"deny\", reason = \"no\" }\n";
    folder.write("own.toml", own);
    folder.write("hooks.toml", config("one"));
    let args = ["run", "--watch", "-c", "hooks.toml", "--journal", "journal.db"];
    let mut run = Watching::start_with(&folder, &args, "");
    let first = run.evaluate("ls");
    assert_eq!(first["reason"], "one");
    folder.write("hooks.toml", config("two"));
    run.wait_for("generation 2");
    let second = run.evaluate("ls");
    assert_eq!(second["reason"], "two");
    let (code, messages) = run.end();
    assert_eq!(code, Some(0), "{messages}");

    let log = folder.run(&["log", "--json", "--journal", "journal.db"], "");
    let lines = log.lines();
    let texts_of = |record: &serde_json::Value| -> Vec<String> {
        let is_it = |line: &&serde_json::Value| {
            line["kind"] == "config" && line["config_hash"] == record["config_hash"]
        };
        let files = lines.iter().find(is_it).unwrap()["files"].as_array().unwrap();
        files.iter().map(|file| file["text"].as_str().unwrap().to_owned()).collect()
    };
    assert_ne!(first["config_hash"], second["config_hash"]);
    assert_eq!(texts_of(&first), [config("one"), own.to_owned()]);
    assert_eq!(texts_of(&second), [config("two"), own.to_owned()]);
    let reloads: Vec<_> = lines.iter().filter(|line| line["kind"] == "reload").collect();
    assert_eq!(reloads.len(), 1, "{lines:?}");
    assert_eq!(reloads[0]["config_hash"], second["config_hash"]);
    assert_eq!(reloads[0]["changed"], serde_json::json!(["g"]));
    // So a replay knows what the program answered after the reload.
    let replay = ["replay", "-c", "hooks.toml", "--journal", "journal.db", "--json"];
    let replay = folder.run(&replay, "");
    let changes: Vec<_> = replay.lines().iter().map(|line| line["change"].clone()).collect();
    assert_eq!(changes, ["unknown", "same"], "{}{}", replay.out(), replay.err());
}

#[test]
fn a_config_behind_a_link_is_watched_where_it_is() {
    let folder = Folder::new();
    fs::create_dir(folder.path("real")).unwrap();
    folder.write("real/hooks.toml", HOOKS);
    symlink("real/hooks.toml", folder.path("hooks.toml")).unwrap();
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["decision"], "allow");
    folder.write("real/hooks.toml", HOOKS.replace("push.*--force", "ls"));
    run.wait_for("generation 2");
    assert_eq!(run.evaluate("ls")["decision"], "deny");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_script_that_was_missing_is_noticed_when_it_is_there() {
    let folder = Folder::with_hooks(HOOKS);
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["decision"], "allow");
    let guard = "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
                 command = { argv = [\"sh\", \"./guard.sh\"] }\n";
    folder.write("hooks.toml", guard);
    run.wait_for("not reloaded");
    folder.write("guard.sh", "echo no >&2; exit 2\n");
    run.wait_for("generation 2");
    assert_eq!(run.evaluate("ls")["decision"], "deny");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_changed_script_of_a_worker_is_in_force() {
    let folder = Folder::new();
    fs::create_dir(folder.path("scripts")).unwrap();
    let worker = |decision: &str| {
        format!(
            "echo '{{\"ready\":1}}'\nwhile read -r line; do\n    id=${{line#*\\\"id\\\":}}\n    \
             echo \"{{\\\"id\\\":${{id%%,*}},\\\"verdict\\\":{{\\\"decision\\\":\\\"{decision}\\\",\\\"reason\\\":\\\"r\\\"}}}}\"\ndone\n"
        )
    };
    folder.write("scripts/worker.sh", worker("deny"));
    folder.write(
        "hooks.toml",
        "[[hook]]\nid = \"w\"\nevent = \"pre_tool_use\"\n\
         command = { argv = [\"sh\", \"scripts/worker.sh\"], mode = \"worker\" }\n",
    );
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["decision"], "deny");
    // The first look is over, and nothing else in the folder of the config changes: only a watch of
    // the folder of the script notices the change.
    thread::sleep(Duration::from_millis(700));
    folder.write("scripts/worker.sh", worker("ask"));
    assert!(run.wait_for("reloaded").contains("generation 2"));
    assert_eq!(run.evaluate("ls")["decision"], "ask");
    // What is none of its business puts nothing in force.
    folder.write("notes.txt", "hello");
    thread::sleep(Duration::from_millis(700));
    assert_eq!(run.evaluate("ls")["generation"], 2);
    assert_eq!(run.end().0, Some(0));
}

/// A config whose only hook denies everything, and says which version it is.
fn version(number: u32) -> String {
    format!(
        "[[hook]]\nid = \"v\"\nevent = \"pre_tool_use\"\n\
         builtin = {{ name = \"deny\", reason = \"v{number}\" }}\n"
    )
}

#[test]
fn a_file_that_became_empty_removes_no_guard() {
    let folder = Folder::with_hooks(&version(1));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    for broken in ["", "version = 1\n", &version(2)[..40]] {
        folder.write("hooks.toml", broken);
        assert!(run.wait_for("not reloaded").contains("generation 1 stays in force"), "{broken:?}");
        assert_eq!(run.evaluate("ls")["reason"], "v1", "{broken:?}");
    }
    // Where it is meant so, the file says it.
    folder.write("hooks.toml", "allow_empty = true\n");
    run.wait_for("reloaded `hooks.toml`: generation 2, 0 hooks, 1 fewer");
    assert_eq!(run.evaluate("ls")["decision"], "allow");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_writer_that_takes_a_break_is_waited_for() {
    let three: String =
        (1..=3).map(|n| version(n).replace("\"v\"", &format!("\"v{n}\""))).collect();
    let folder = Folder::with_hooks(&three);
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["by"].as_array().unwrap().len(), 1);
    // The first look is over.
    thread::sleep(Duration::from_millis(700));
    let one = three.len() / 3;
    for part in 1..=3 {
        folder.write("hooks.toml", &three.replace("deny", "ask")[..part * (one - 1)]);
        thread::sleep(Duration::from_millis(150));
    }
    folder.write("hooks.toml", three.replace("\"deny\"", "\"ask\""));
    let line = run.wait_for("reloaded");
    assert!(line.contains("generation 2, 3 hooks"), "a part of it was in force: {line}");
    assert_eq!(run.evaluate("ls")["decision"], "ask");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn what_is_not_in_force_is_reported_again_and_at_the_end() {
    let folder = Folder::with_hooks(&version(1));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    folder.write("hooks.toml", "[[hook]]\nid = \"\u{1b}[2J\"\n");
    run.wait_for("not reloaded");
    let again = run.wait_for("still not reloaded");
    assert!(again.contains("generation 1 stays in force: hooks.toml:2:7: "), "{again}");
    let (code, messages) = run.end();
    assert_eq!(code, Some(0));
    let last =
        "warning: the config in force is not the one on disk: `hooks.toml` is still not reloaded";
    assert!(messages.contains(last), "{messages}");
}

#[test]
fn a_hangup_asks_for_a_reload_and_is_always_answered() {
    let folder = Folder::with_hooks(&version(1));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    run.signal("HUP");
    run.wait_for("reloaded `hooks.toml`: generation 1, 1 hook, as before");
    folder.write("hooks.toml", version(2));
    run.signal("HUP");
    run.wait_for("reloaded `hooks.toml`: generation 2, 1 hook (changed v)");
    assert_eq!(run.evaluate("ls")["reason"], "v2");
    // What is broken is reported at each request, although it fails as before.
    folder.write("hooks.toml", "[[hook]]\n");
    run.wait_for("was not reloaded");
    thread::sleep(Duration::from_millis(1500));
    while run.stderr.try_recv().is_ok() {}
    run.signal("HUP");
    run.wait_for("was not reloaded");
    assert_eq!(run.evaluate("ls")["reason"], "v2");
    // Mended to what is in force, it is told, and nothing is swapped.
    folder.write("hooks.toml", version(2));
    run.wait_for("reloaded `hooks.toml`: generation 2, 1 hook, as before");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_folder_that_was_made_anew_is_followed() {
    let folder = Folder::new();
    let remade = |version: &str, swap: &dyn Fn()| {
        swap();
        folder.write("conf/hooks.toml", version);
    };
    fs::create_dir(folder.path("conf")).unwrap();
    folder.write("conf/hooks.toml", version(1));
    let mut run = Watching::start(&folder, "conf/hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    remade(&version(2), &|| {
        fs::remove_dir_all(folder.path("conf")).unwrap();
        fs::create_dir(folder.path("conf")).unwrap();
    });
    run.wait_for("generation 2");
    // It is still followed, also when it was moved away.
    remade(&version(3), &|| {
        fs::rename(folder.path("conf"), folder.path("old")).unwrap();
        fs::create_dir(folder.path("conf")).unwrap();
    });
    run.wait_for("generation 3");
    folder.write("conf/hooks.toml", version(4));
    run.wait_for("generation 4");
    // While it is gone, a warning says so.
    fs::remove_dir_all(folder.path("conf")).unwrap();
    run.wait_for("cannot be read");
    assert_eq!(run.evaluate("ls")["reason"], "v4");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_link_that_leads_elsewhere_is_followed_to_where_it_leads() {
    let folder = Folder::new();
    for name in ["a", "b"] {
        fs::create_dir(folder.path(name)).unwrap();
    }
    folder.write("a/hooks.toml", version(1));
    folder.write("b/hooks.toml", version(2));
    let link = |target: &str, name: &str| {
        symlink(target, folder.path("new")).unwrap();
        fs::rename(folder.path("new"), folder.path(name)).unwrap();
    };
    // A link to a link to a folder, as config maps are mounted.
    link("a", "data");
    link("data", "conf");
    let mut run = Watching::start(&folder, "conf/hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    link("b", "data");
    run.wait_for("generation 2");
    assert_eq!(run.evaluate("ls")["reason"], "v2");
    // The new target is edited in place.
    folder.write("b/hooks.toml", version(3));
    run.wait_for("generation 3");
    assert_eq!(run.evaluate("ls")["reason"], "v3");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_pipe_or_a_device_instead_of_the_file_blocks_nothing() {
    let folder = Folder::with_hooks(&version(1));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    fs::remove_file(folder.path("hooks.toml")).unwrap();
    assert!(Command::new("mkfifo").arg(folder.path("hooks.toml")).status().unwrap().success());
    run.wait_for("it is a named pipe, not a regular file");
    fs::remove_file(folder.path("hooks.toml")).unwrap();
    symlink("/dev/zero", folder.path("hooks.toml")).unwrap();
    run.wait_for("it is a device, not a regular file");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    fs::remove_file(folder.path("hooks.toml")).unwrap();
    folder.write("hooks.toml", version(2));
    run.wait_for("generation 2");
    assert_eq!(run.evaluate("ls")["reason"], "v2");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_script_that_was_missing_in_another_folder_is_noticed() {
    let folder = Folder::with_hooks(&version(1));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("ls")["reason"], "v1");
    fs::create_dir(folder.path("scripts")).unwrap();
    let guard = "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
                 command = { argv = [\"sh\", \"./scripts/guard.sh\"] }\n";
    folder.write("hooks.toml", guard);
    run.wait_for("not reloaded");
    thread::sleep(Duration::from_millis(700));
    folder.write("scripts/guard.sh", "echo from the script >&2; exit 2\n");
    run.wait_for("generation 2");
    assert_eq!(run.evaluate("ls")["reason"], "from the script");
    assert_eq!(run.end().0, Some(0));
}

/// A config of one hook that denies a command, and says who it is.
fn guard(id: &str, word: &str) -> String {
    format!(
        "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\n\
         input = {{ \"/command\" = {{ equals = \"{word}\" }} }}\n\
         builtin = {{ name = \"deny\", reason = \"{id}\" }}\n"
    )
}

#[test]
fn a_config_of_another_layer_is_in_force_as_soon_as_it_appears() {
    let folder = Folder::with_hooks(&guard("plain", "one"));
    let mut run = Watching::start_in(&folder, "");
    assert_eq!(run.evaluate("two")["decision"], "allow");
    assert_eq!(run.evaluate("one")["reason"], "plain");
    // The first look is over, and nothing of this was there: a drop-in, then its folder.
    thread::sleep(Duration::from_millis(700));
    fs::create_dir(folder.path("hooks.d")).unwrap();
    folder.write("hooks.d/a.toml", guard("drop-in", "two"));
    run.wait_for("reloaded 2 files: generation 2, 2 hooks (added drop-in)");
    assert_eq!(run.evaluate("two")["reason"], "drop-in");
    // One more in a folder that is known, and a local file in a folder that is not.
    folder.write("hooks.d/b.toml", guard("second", "three"));
    run.wait_for("reloaded 3 files: generation 3, 3 hooks");
    fs::create_dir(folder.path(".hookgate")).unwrap();
    folder.write(".hookgate/hooks.local.toml", guard("local", "four"));
    run.wait_for("reloaded 4 files: generation 4, 4 hooks");
    assert_eq!(run.evaluate("four")["reason"], "local");
    // And that of the user.
    fs::create_dir_all(folder.path("configs-of-user/hookgate")).unwrap();
    folder.write("configs-of-user/hookgate/hooks.toml", guard("users", "five"));
    run.wait_for("reloaded 5 files: generation 5, 5 hooks");
    assert_eq!(run.evaluate("five")["reason"], "users");
    // What one person has for a project may go, and so may a drop-in.
    fs::remove_file(folder.path(".hookgate/hooks.local.toml")).unwrap();
    run.wait_for("reloaded 4 files: generation 6, 4 hooks, 1 fewer (removed local)");
    assert_eq!(run.evaluate("four")["decision"], "allow");
    fs::remove_dir_all(folder.path("hooks.d")).unwrap();
    run.wait_for("reloaded 2 files: generation 7, 2 hooks, 2 fewer");
    assert_eq!(run.evaluate("two")["decision"], "allow");
    assert_eq!(run.evaluate("one")["reason"], "plain");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn a_mistake_in_any_layer_keeps_the_last_good_table() {
    let folder = Folder::with_hooks(&guard("plain", "one"));
    fs::create_dir(folder.path("hooks.d")).unwrap();
    folder.write("hooks.d/a.toml", guard("drop-in", "two"));
    let mut run = Watching::start_in(&folder, "");
    assert_eq!(run.evaluate("two")["reason"], "drop-in");
    folder.write("hooks.d/a.toml", "[[hook]]\nid = 1\n");
    run.wait_for("hooks.d/a.toml:2:6: ");
    let line = run.wait_for("2 files were not reloaded, they have ");
    assert!(line.contains("generation 1 stays in force"), "{line}");
    assert_eq!(run.evaluate("two")["reason"], "drop-in");
    // The hooks of the others are not changed meanwhile, either.
    folder.write("hooks.toml", guard("plain", "three"));
    thread::sleep(Duration::from_millis(1200));
    assert_eq!(run.evaluate("one")["reason"], "plain");
    folder.write("hooks.d/a.toml", guard("drop-in", "four"));
    run.wait_for("reloaded 2 files: generation 2, 2 hooks");
    assert_eq!(run.evaluate("four")["reason"], "drop-in");
    assert_eq!(run.evaluate("three")["reason"], "plain");
    // The config of the project is not one that may go.
    fs::remove_file(folder.path("hooks.toml")).unwrap();
    run.wait_for("hooks.toml:1:1: cannot be read");
    assert_eq!(run.evaluate("three")["reason"], "plain");
    folder.write("hooks.toml", guard("plain", "five"));
    run.wait_for("generation 3");
    assert_eq!(run.evaluate("five")["reason"], "plain");
    assert_eq!(run.end().0, Some(0));
}

#[test]
fn the_files_that_a_config_includes_are_watched() {
    let include = "include = [\"more.toml\", \"policies/*.toml\"]\n";
    let folder = Folder::with_hooks(&(include.to_owned() + &guard("own", "one")));
    fs::create_dir(folder.path("policies")).unwrap();
    folder.write("more.toml", guard("more", "two"));
    folder.write("policies/a.toml", guard("policy-a", "three"));
    let mut run = Watching::start(&folder, "hooks.toml");
    assert_eq!(run.evaluate("two")["reason"], "more");
    thread::sleep(Duration::from_millis(700));
    folder.write("more.toml", guard("more", "four"));
    run.wait_for("reloaded `hooks.toml`: generation 2, 3 hooks (changed more)");
    assert_eq!(run.evaluate("four")["reason"], "more");
    folder.write("policies/b.toml", guard("policy-b", "five"));
    run.wait_for("generation 3, 4 hooks");
    assert_eq!(run.evaluate("five")["reason"], "policy-b");
    folder.write("policies/b.toml", "[[hook]]\n");
    run.wait_for("policies/b.toml:1:1: ");
    assert_eq!(run.evaluate("five")["reason"], "policy-b");
    // A file of the list that is gone is a mistake; one that a pattern means is not there any more.
    fs::remove_file(folder.path("more.toml")).unwrap();
    run.wait_for("hooks.toml:1:12: the file `more.toml` is not there");
    fs::remove_file(folder.path("policies/b.toml")).unwrap();
    folder.write("more.toml", guard("more", "six"));
    run.wait_for("generation 4, 3 hooks, 1 fewer");
    assert_eq!(run.evaluate("six")["reason"], "more");
    assert_eq!(run.end().0, Some(0));
}
