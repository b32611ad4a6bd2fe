//! Promise: `check` warns of everything that another user could change.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use crate::support::Folder;

const CONFIG: &str = "[[hook]]\nid = \"g\"\nevent = \"pre_tool_use\"\n\
                      command = { argv = [\"sh\", \"./guard.sh\"] }\n";

fn chmod(folder: &Folder, name: &str, mode: u32) {
    fs::set_permissions(folder.path(name), Permissions::from_mode(mode)).unwrap();
}

/// A policy in a folder of its own, in which no other user can write.
fn policy() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("etc/policy")).unwrap();
    fs::create_dir(folder.path("project")).unwrap();
    folder.write("etc/policy/hooks.toml", CONFIG);
    folder.write("etc/policy/guard.sh", "echo '{}'\n");
    for name in ["", "etc", "etc/policy", "project"] {
        chmod(&folder, name, 0o755);
    }
    for name in ["etc/policy/hooks.toml", "etc/policy/guard.sh"] {
        chmod(&folder, name, 0o644);
    }
    folder
}

/// The warnings about paths in the folder, those of stderr and those of the JSON alike. (Where the
/// folder of temporary files lies is not our business.)
fn warnings(folder: &Folder) -> Vec<String> {
    let mut command = folder.hookgate(&["check", "-c", "../etc/policy/hooks.toml"]);
    command.current_dir(folder.path("project"));
    let ended = crate::support::run(command, b"");
    assert_eq!(ended.code(), 0, "{}", ended.err());
    let ours = folder.path("").canonicalize().unwrap().display().to_string();
    let line = &ended.lines()[0];
    let found: Vec<_> = line["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["message"].as_str().unwrap().to_owned())
        .filter(|message| message.contains(ours.trim_end_matches('/')) || message.contains(".."))
        .collect();
    for message in &found {
        assert!(ended.err().contains(message.as_str()), "{message} in {}", ended.err());
    }
    found
}

#[test]
fn what_others_can_change_is_warned_of() {
    let folder = policy();
    assert_eq!(warnings(&folder), Vec::<String>::new(), "no other user can change it");
    for (name, mode, expected) in [
        ("etc/policy/hooks.toml", 0o666, "everybody can change `"),
        ("etc/policy/hooks.toml", 0o664, "its group can change `"),
        ("etc/policy/guard.sh", 0o666, "everybody can change `"),
        ("etc/policy", 0o777, "everybody can replace "),
        // Further up the whole policy can be replaced.
        ("etc", 0o777, "everybody can replace "),
        ("", 0o775, "its group can replace "),
    ] {
        let folder = policy();
        chmod(&folder, name, mode);
        let found = warnings(&folder);
        let path = folder.path(name).canonicalize().unwrap().display().to_string();
        let path = format!("`{}`", path.trim_end_matches('/'));
        let about: Vec<_> = found.iter().filter(|message| message.contains(&path)).collect();
        assert_eq!((about.len(), found.len()), (1, 1), "{name}: {found:?}");
        assert!(about[0].starts_with(expected), "{name}: {about:?}");
    }
    // In such a folder only the owner of a file can replace it.
    chmod(&folder, "etc", 0o1777);
    assert_eq!(warnings(&folder), Vec::<String>::new());
}

/// The rule of a judge and the certificates of a service decide as much as a script.
#[test]
fn the_rule_of_a_judge_and_the_certificates_count_as_well() {
    let folder = policy();
    folder.write(
        "etc/policy/hooks.toml",
        "[[hook]]\nid = \"j\"\nevent = \"pre_tool_use\"\nprompt = { model = \"m\", \
         base_url = \"http://127.0.0.1:9/v1\", prompt_file = \"rule.md\" }\n\
         [[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n\
         http = { url = \"https://hooks.example.com/\", ca_file = \"ca.pem\" }\n",
    );
    folder.write("etc/policy/rule.md", "No harm.\n");
    let authority = rcgen::generate_simple_self_signed(["hooks.example.com".to_owned()]).unwrap();
    folder.write("etc/policy/ca.pem", authority.cert.pem());
    for name in ["rule.md", "ca.pem"] {
        chmod(&folder, &format!("etc/policy/{name}"), 0o644);
    }
    assert_eq!(warnings(&folder), Vec::<String>::new());
    for name in ["rule.md", "ca.pem"] {
        chmod(&folder, &format!("etc/policy/{name}"), 0o666);
        let found = warnings(&folder);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].contains(name), "{found:?}");
        chmod(&folder, &format!("etc/policy/{name}"), 0o644);
    }
}

#[test]
fn what_another_user_owns_is_warned_of() {
    for name in ["etc/policy/hooks.toml", "etc/policy/guard.sh", "etc/policy", "etc"] {
        let folder = policy();
        if chown(folder.path(name), Some(4711), None).is_err() {
            hookgate_test_support::needs::ignored("only the superuser can give files away");
            return;
        }
        let found = warnings(&folder);
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert!(found[0].starts_with("user 4711 can "), "{found:?}");
    }
}

#[test]
fn a_script_that_is_a_link_into_the_project_is_warned_of() {
    let folder = policy();
    let script = folder.path("etc/policy/guard.sh");
    fs::rename(&script, folder.path("project/guard.sh")).unwrap();
    symlink("../../project/guard.sh", &script).unwrap();
    let found = warnings(&folder);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("the agent could change it"), "{found:?}");
    // What a link leads to counts as well as the link.
    fs::create_dir(folder.path("shared")).unwrap();
    fs::remove_file(&script).unwrap();
    folder.write("shared/guard.sh", "echo '{}'\n");
    chmod(&folder, "shared", 0o777);
    chmod(&folder, "shared/guard.sh", 0o644);
    symlink("../../shared/guard.sh", &script).unwrap();
    let found = warnings(&folder);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("/shared`"), "{found:?}");
}
