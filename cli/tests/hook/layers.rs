//! Promise: whatever becomes of a file or folder of a layer, the hooks of that layer are in force, or nothing is but
//! denies, and it is told: by `hook`, `check`, `doctor` and `run`.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::support::{Answer, Session, Stdin};
use crate::user::{give_to_user, run_as_user};

/// The files and folders of the layers: those of the user below `home`, those of the project below `work`.
const PLACES: [&str; 10] = [
    "home/.config",
    "home/.config/hookgate",
    "home/.config/hookgate/hooks.toml",
    "home/.config/hookgate/hooks.d",
    "home/.config/hookgate/hooks.d/a.toml",
    "work/.hookgate",
    "work/.hookgate/hooks.toml",
    "work/.hookgate/hooks.d",
    "work/.hookgate/hooks.d/b.toml",
    "work/.hookgate/hooks.local.toml",
];

/// What becomes of one of them.
const DAMAGES: [&str; 10] = [
    "a link to nowhere",
    "a link to itself",
    "a link to an endless device",
    "a named pipe",
    "a socket",
    "a file of no text",
    "a cut file",
    "the other kind",
    "out of reach",
    "a file too large",
];

/// A guard of a layer, for a command of its own.
fn guard(name: &str) -> String {
    format!(
        "[[hook]]\nid = '{name}'\nevent = 'pre_tool_use'\nruns = '{name}'\n\
         builtin = {{ name = 'deny', reason = '{name} says no' }}\n"
    )
}

/// A session with a guard in each file of each layer.
fn session() -> Session {
    let session = Session::new();
    let files = PLACES.iter().filter(|place| place.ends_with(".toml"));
    for (index, place) in files.enumerate() {
        let path = path_of(&session, place);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, guard(&format!("guard-{index}"))).unwrap();
    }
    session
}

fn path_of(session: &Session, place: &str) -> std::path::PathBuf {
    match place.split_once('/') {
        Some(("home", rest)) => session.home.path().join(rest),
        Some((_, rest)) => session.folder.path().join(rest),
        None => panic!("each place is below a folder"),
    }
}

fn remove(path: &Path) {
    if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
}

/// Damages a file or folder.
fn damage(path: &Path, what: &str) {
    let was_folder = path.is_dir();
    if what == "out of reach" {
        return fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
    }
    let text = if was_folder { String::new() } else { fs::read_to_string(path).unwrap() };
    remove(path);
    match what {
        "a link to nowhere" => symlink("/nowhere/at/all", path).unwrap(),
        "a link to itself" => symlink(path, path).unwrap(),
        "a link to an endless device" => symlink("/dev/zero", path).unwrap(),
        "a named pipe" => {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }
        "a socket" => drop(UnixListener::bind(path).unwrap()),
        "a file of no text" => fs::write(path, [0xff, 0xfe, 0, 1]).unwrap(),
        "a cut file" => fs::write(path, text.get(..text.len() / 2).unwrap_or("[[")).unwrap(),
        "a file too large" => fs::File::create(path).unwrap().set_len(64 << 20).unwrap(),
        _ if was_folder => fs::write(path, "").unwrap(),
        _ => fs::create_dir(path).unwrap(),
    }
}

fn answer(session: &Session, arguments: &[&str], stdin: &str) -> Answer {
    let mut command = session.command(arguments);
    command.current_dir(session.folder.path());
    run_as_user(&mut command, &Stdin::Text(stdin.as_bytes()))
}

/// The control: undamaged, each guard denies its own command and nothing else.
#[test]
fn each_layer_is_in_force() {
    let session = session();
    give_to_user(&session);
    for (command, denied) in
        [("guard-0", true), ("guard-1", true), ("guard-2", true), ("guard-4", true), ("ls", false)]
    {
        let envelope = session.envelope("PreToolUse", command).to_string();
        let said = answer(&session, &["hook", "--agent", "claude"], &envelope);
        let blocks = said.reaction("claude", "PreToolUse").blocks();
        assert_eq!(blocks, denied, "{command}: {said:?}");
    }
    let checked = answer(&session, &["check"], "");
    assert_eq!(checked.exit, Some(0), "{checked:?}");
}

#[test]
fn a_damaged_layer_puts_nothing_in_force_but_denies() {
    for place in PLACES {
        for what in DAMAGES {
            let session = session();
            give_to_user(&session);
            let path = path_of(&session, place);
            damage(&path, what);
            let case = format!("{place} is {what}");
            let step = session.envelope("PreToolUse", "ls").to_string();
            let said = answer(&session, &["hook", "--agent", "claude"], &step);
            assert!(said.reaction("claude", "PreToolUse").blocks(), "hook, {case}: {said:?}");
            assert!(said.took.as_secs() < 5, "hook, {case}: {said:?}");
            let checked = answer(&session, &["check"], "");
            assert_eq!(checked.exit, Some(3), "check, {case}: {checked:?}");
            let doctor = answer(&session, &["doctor"], "");
            assert_ne!(doctor.exit, Some(0), "doctor, {case}: {doctor:?}");
            let ran = answer(&session, &["run"], &ours("ls"));
            let is_refused = ran.exit != Some(0) || ran.stdout.contains("\"decision\":\"deny\"");
            let allows = ran.stdout.contains("\"decision\":\"allow\"");
            assert!(is_refused && !allows, "run, {case}: {ran:?}");
        }
    }
}

/// A step in the words of hookgate.
fn ours(command: &str) -> String {
    serde_json::json!({
        "hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": command},
    })
    .to_string()
}

#[test]
fn nearly_right_names_are_told_by_all() {
    for (place, name) in [
        ("home/.config/hookgate", "hooks.TOML"),
        ("home/.config/hookgate", "hook.toml"),
        ("home/.config/hookgate", "hooks.yaml"),
        ("home/.config/hookgate/hooks.d", "guard.conf"),
        ("home/.config/hookgate/hooks.d", "guard"),
        ("home/.config/hookgate/hooks.d", "sub/a.yaml"),
        ("work/.hookgate", "Hooks.toml"),
        ("work/.hookgate/hooks.d", "a.YAML"),
        ("work", "hooks.toml"),
    ] {
        let session = session();
        let file = path_of(&session, &format!("{place}/{name}"));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, guard("nearly")).unwrap();
        give_to_user(&session);
        let step = session.envelope("PreToolUse", "ls").to_string();
        let name = name.split('/').next().unwrap();
        for verb in [&["hook", "--agent", "claude"][..], &["check"], &["list"], &["doctor"]] {
            let said = answer(&session, verb, &step);
            assert!(said.text().contains(name), "{verb:?} {place}/{name}: {said:?}");
        }
    }
}
