//! Whatever is done to a pack or to its files: what runs is what was pinned.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::{CONFIG, Ground, SAYS, replace_in};

#[test]
fn a_pack_is_one_file_with_all_that_its_hooks_name() {
    let ground = Ground::new();
    let made = ground.extend();
    assert_eq!(made["files"], serde_json::json!(["guard.sh", "hooks.toml"]));
    assert_eq!(made["programs"], serde_json::json!([]));
    // What it was made of is not needed any more.
    fs::remove_dir_all(ground.path("shared")).unwrap();
    ground.is_in_force("alone");
    let listed = ground.session.command(&["list", "--json"]).output().unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let (file, line) = (listed["origin"]["file"].as_str().unwrap(), &listed["origin"]["line"]);
    assert!(file.contains("/guards-") && file.ends_with("/hooks.toml"), "{listed}");
    assert_eq!((line, &listed["origin"]["layer"]), (&1.into(), &"user".into()), "{listed}");
}

#[test]
fn the_same_files_give_the_same_pack() {
    let (one, other) = (Ground::new(), Ground::new());
    assert_eq!(one.make()["hash"], other.make()["hash"]);
    replace_in(&other.path("shared/guard.sh"), "exit 2", "exit 0");
    assert_ne!(one.make()["hash"], other.make()["hash"]);
}

#[test]
fn a_pack_that_was_changed_is_refused_where_it_is_extended() {
    type Change = fn(&Ground);
    let changes: [(&str, Change); 4] = [
        ("a byte", |g| replace_in(&g.path("guards.pack"), "exit 2", "exit 0")),
        ("a space at its end", |g| {
            let text = fs::read_to_string(g.path("guards.pack")).unwrap();
            fs::write(g.path("guards.pack"), text + " ").unwrap();
        }),
        ("cut off", |g| {
            let bytes = fs::read(g.path("guards.pack")).unwrap();
            fs::write(g.path("guards.pack"), &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("empty", |g| fs::write(g.path("guards.pack"), "").unwrap()),
    ];
    for (case, change) in changes {
        let ground = Ground::new();
        ground.extend();
        ground.is_in_force(case);
        let pack = fs::read(ground.path("guards.pack")).unwrap();
        change(&ground);
        ground.refuses("is another one: its hash is sha256:", case);
        ground.refuses("hooks.toml:1:11: ", case);
        // Nothing is left of it: once it is back, it is in force.
        fs::write(ground.path("guards.pack"), pack).unwrap();
        ground.is_in_force(case);
    }
}

/// Not a silent loss: the hooks beside it do not make up for it.
#[test]
fn a_pack_that_is_missing_refuses_the_whole_file() {
    let ground = Ground::new();
    let made = ground.make();
    let mine = CONFIG.replace("shared", "mine").replace("'pre_tool_use'", "'stop'");
    ground.session.write_users(&format!("extends = {}\n{mine}", made["extends"]));
    ground.is_in_force("there");
    fs::remove_file(ground.path("guards.pack")).unwrap();
    ground.refuses("cannot be read", "gone");
    let checked = ground.session.command(&["check"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(3));
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(said.contains("hooks.toml:1:11") && said.contains("cannot be read"), "{said}");
}

/// Below a hook it is a key of the hook: what it names is missing, and not only what that hook is about.
#[test]
fn a_list_that_stands_in_the_wrong_place_refuses_the_whole_file() {
    let ground = Ground::new();
    let made = ground.make();
    let mine = "[[hook]]\nid = 'mine'\nevent = 'pre_tool_use'\ntool = 'Write'\nbuiltin = { name = 'deny', reason = 'mine' }\n";
    for (key, value) in [("extends", made["extends"].to_string()), ("include", "'a.toml'".into())] {
        ground.session.write_users(&format!("{mine}{key} = {value}\n"));
        ground.refuses(&format!("unknown key `{key}`"), key);
    }
    // The control: another mistake there is about that hook only.
    ground.session.write_users(&format!("{mine}extend = 'x'\n"));
    let answer = ground.call();
    assert!(!answer.reaction("claude", "PreToolUse").blocks(), "{answer:?}");
}

#[test]
fn a_pack_without_a_hash_is_no_pack() {
    for hash in ["", "@sha256:", "@sha256:abc", &format!("@sha256:{}", "A".repeat(64)), "@latest"] {
        let ground = Ground::new();
        let made = ground.make();
        let file = made["file"].as_str().unwrap();
        ground.session.write_users(&format!("extends = ['{file}{hash}']\n"));
        ground.refuses("names no hash", hash);
        ground.refuses("hooks.toml:1:12: ", hash);
    }
}

#[test]
fn files_that_were_changed_in_the_cache_are_as_they_were_pinned() {
    type Change = fn(&Ground);
    let changes: [(&str, Change); 7] = [
        ("another script", |g| replace_in(&g.unpacked().join("guard.sh"), "exit 2", "exit 0")),
        ("another config", |g| {
            replace_in(&g.unpacked().join("hooks.toml"), "pre_tool", "post_tool")
        }),
        ("a script is gone", |g| fs::remove_file(g.unpacked().join("guard.sh")).unwrap()),
        ("a script cannot be run", |g| {
            let script = g.unpacked().join("guard.sh");
            fs::set_permissions(script, fs::Permissions::from_mode(0o600)).unwrap();
        }),
        ("a link", |g| {
            let script = g.unpacked().join("guard.sh");
            fs::rename(&script, g.path("elsewhere.sh")).unwrap();
            symlink(g.path("elsewhere.sh"), script).unwrap();
        }),
        ("the folder is a link", |g| {
            let folder = g.unpacked();
            fs::rename(&folder, g.path("elsewhere")).unwrap();
            replace_in(&g.path("elsewhere/guard.sh"), "exit 2", "exit 0");
            symlink(g.path("elsewhere"), folder).unwrap();
        }),
        ("a file too many", |g| fs::write(g.unpacked().join("json.py"), "evil").unwrap()),
    ];
    for (case, change) in changes {
        let ground = Ground::new();
        ground.extend();
        ground.is_in_force(case);
        change(&ground);
        ground.is_in_force(case);
        let unpacked = ground.unpacked();
        let script = fs::read_to_string(unpacked.join("guard.sh")).unwrap();
        assert!(script.contains(SAYS) && script.contains("exit 2"), "{case}");
        assert!(!fs::symlink_metadata(unpacked.join("guard.sh")).unwrap().is_symlink(), "{case}");
        assert!(!unpacked.join("json.py").exists(), "{case}");
    }
}

#[test]
fn a_cache_that_others_can_write_to_is_not_used() {
    let ground = Ground::new();
    ground.extend();
    ground.is_in_force("private");
    fs::set_permissions(ground.cache(), fs::Permissions::from_mode(0o777)).unwrap();
    ground.refuses("nobody else may write to it", "for everybody");
}

/// A pack with the right hash and a name that leads out of it.
#[test]
fn nothing_is_written_outside_of_the_pack() {
    for name in ["../out.sh", "/tmp/hookgate-out.sh", "a/../../out.sh", "..", "hooks.toml/x"] {
        let ground = Ground::new();
        ground.make();
        replace_in(&ground.path("guards.pack"), "\"guard.sh\"", &format!("\"{name}\""));
        let hash = ground.hash_of("guards.pack");
        let file = ground.path("guards.pack");
        ground.session.write_users(&format!("extends = '{}@sha256:{hash}'\n", file.display()));
        let why = if name.ends_with("/x") { "is there twice" } else { "is no path within a pack" };
        ground.refuses(why, name);
        assert!(!ground.path(".cache/hookgate/out.sh").exists());
        assert!(!std::path::Path::new("/tmp/hookgate-out.sh").exists());
    }
}

/// What a pack includes is in the pack: else its hash would say nothing about it.
#[test]
fn a_pack_includes_nothing_from_elsewhere() {
    let ground = Ground::new();
    ground
        .write("outside.toml", &CONFIG.replace("shared", "outside").replace("./guard.sh", "true"));
    ground.make();
    let outside = ground.path("outside.toml");
    let include = format!("include = ['{}']\\n[[hook]]", outside.display());
    replace_in(&ground.path("guards.pack"), "[[hook]]", &include);
    let (hash, file) = (ground.hash_of("guards.pack"), ground.path("guards.pack"));
    ground.session.write_users(&format!("extends = '{}@sha256:{hash}'\n", file.display()));
    ground.refuses("is not in the pack", "outside");
}

impl Ground {
    fn hash_of(&self, name: &str) -> String {
        let printed =
            std::process::Command::new("sha256sum").arg(self.path(name)).output().unwrap();
        let printed = String::from_utf8(printed.stdout).unwrap();
        printed.split_whitespace().next().unwrap().to_owned()
    }
}
