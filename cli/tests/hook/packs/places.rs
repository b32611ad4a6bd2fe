//! Where packs come from, what may be in them, and what counts beside them.

use std::fs;

use hookgate_test_support::http_service::{Mode, Service};

use super::{CONFIG, Ground, SAYS};

const REDIRECT: &str = "location: https://elsewhere.example/guards.pack\r\n";

fn extend_url(ground: &Ground, url: &str) {
    let hash = ground.make()["hash"].as_str().unwrap().to_owned();
    ground.session.write_users(&format!("extends = '{url}@{hash}'\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pack_at_a_url_is_fetched_once_and_by_one_verb_only() {
    let ground = Ground::new();
    ground.make();
    let bytes = fs::read(ground.path("guards.pack")).unwrap();
    let service = Service::start(Mode::Bytes("", bytes)).await;
    extend_url(&ground, &service.url());
    ground.refuses("`hookgate pack fetch` gets it", "not fetched");
    let checked = ground.session.command(&["check"]).output().unwrap();
    assert_eq!(checked.status.code(), Some(3));
    assert_eq!(service.accepted(), 0);
    let fetched = ground.pack_verb(&["fetch"]);
    assert_eq!(fetched.exit, Some(0), "{fetched:?}");
    assert_eq!(service.requests().len(), 1);
    let request = service.requests().remove(0);
    assert!(request.line.starts_with("GET /policy "), "{request:?}");
    assert!(request.header("authorization").is_none());
    let url = service.url();
    drop(service);
    // From here on nobody is asked.
    ground.is_in_force("fetched");
    assert_eq!(ground.pack_verb(&["fetch"]).exit, Some(0));
    // A kept copy that was changed counts as none.
    let kept = fs::read_dir(ground.cache()).unwrap().flatten().map(|entry| entry.path());
    let kept = kept.into_iter().find(|path| path.is_file()).unwrap();
    fs::write(&kept, fs::read_to_string(&kept).unwrap().replace("exit 2", "exit 0")).unwrap();
    ground.refuses("is not on this machine", "changed");
    let again = ground.pack_verb(&["fetch"]);
    assert_eq!(again.exit, Some(1), "{again:?}");
    assert!(again.stderr.contains(&url), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_pack_is_not_kept() {
    let ground = Ground::new();
    ground.make();
    let bytes = fs::read(ground.path("guards.pack")).unwrap();
    let other = String::from_utf8(bytes.clone()).unwrap().replace("exit 2", "exit 0");
    let half = bytes[..bytes.len() / 2].to_vec();
    for (mode, why) in [
        (Mode::Bytes("", other.into_bytes()), "its hash is sha256:"),
        (Mode::Bytes("", half), "its hash is sha256:"),
        (Mode::Status(404, "", String::new()), "404"),
        (Mode::Status(302, REDIRECT, String::new()), "no redirect is followed"),
        (Mode::Flood, "larger than"),
        (Mode::Close, "was not fetched"),
    ] {
        let service = Service::start(mode).await;
        extend_url(&ground, &service.url());
        let fetched = ground.pack_verb(&["fetch"]);
        assert_eq!(fetched.exit, Some(1), "{why}: {fetched:?}");
        assert!(fetched.stderr.contains(why), "{why}: {fetched:?}");
        ground.refuses("is not on this machine", why);
        let kept = fs::read_dir(ground.cache()).unwrap().flatten().count();
        assert_eq!(kept, 0, "{why}");
    }
}

#[test]
fn a_pack_comes_from_nowhere_that_people_do_not_share_files() {
    let ground = Ground::new();
    for (url, why) in [
        ("http://169.254.169.254/guards.pack", "169.254.169.254"),
        ("https://169.254.169.254/guards.pack", "169.254.169.254"),
        ("http://192.0.2.1/guards.pack", "192.0.2.1"),
        ("http://10.0.0.1/guards.pack", "10.0.0.1"),
        ("ftp://127.0.0.1/guards.pack", "use https"),
        ("https://me:secret@127.0.0.1/guards.pack", "without credentials"),
    ] {
        extend_url(&ground, url);
        let fetched = ground.pack_verb(&["fetch"]);
        assert_eq!(fetched.exit, Some(1), "{url}: {fetched:?}");
        assert!(fetched.stderr.contains(why), "{url}: {fetched:?}");
    }
}

#[test]
fn what_is_not_below_the_folder_is_not_packed() {
    let ground = Ground::new();
    ground.write("outside.sh", "#!/bin/sh\n");
    ground.write(
        "shared/hooks.toml",
        &CONFIG.replace("./guard.sh', ", "").replace("['./guard.sh']", "['sh', '../outside.sh']"),
    );
    let made = ground.pack_verb(&["shared", "-o", "guards.pack"]);
    assert_eq!(made.exit, Some(1), "{made:?}");
    assert!(made.stderr.contains("outside.sh") && made.stderr.contains("`shared`"), "{made:?}");
    assert!(!ground.path("guards.pack").exists());
    // A config with a mistake makes none, either.
    ground.write("shared/hooks.toml", &CONFIG.replace("command", "comand"));
    let made = ground.pack_verb(&["shared", "-o", "guards.pack"]);
    assert_eq!(made.exit, Some(3), "{made:?}");
    assert!(!ground.path("guards.pack").exists());
}

#[test]
fn included_files_and_further_ones_are_in_the_pack() {
    let ground = Ground::new();
    ground.write("shared/hooks.toml", "include = ['more/*.toml']\n");
    ground.write("shared/more/a.toml", &CONFIG.replace("./guard.sh", "../guard.sh"));
    ground.write("shared/lib/one.txt", "1");
    let made = ground.pack_verb(&["shared", "-o", "guards.pack", "--add", "shared/lib", "--json"]);
    assert_eq!(made.exit, Some(0), "{made:?}");
    let made: serde_json::Value = serde_json::from_str(&made.stdout).unwrap();
    let files = serde_json::json!(["guard.sh", "hooks.toml", "lib/one.txt", "more/a.toml"]);
    assert_eq!(made["files"], files);
    fs::create_dir_all(ground.path(".config/hookgate")).unwrap();
    fs::rename(ground.path("guards.pack"), ground.path(".config/hookgate/guards.pack")).unwrap();
    ground.session.write_users(&format!("extends = {}\n", made["extends"]));
    ground.is_in_force("included");
}

/// Its hooks come before those of the file, in the same layer; its limits do not count there.
#[test]
fn a_pack_stands_before_the_file_that_extends_it() {
    let ground = Ground::new();
    ground.write("shared/hooks.toml", &format!("[limits]\noutput = '1KiB'\n{CONFIG}"));
    let made = ground.make();
    let mine = "[[hook]]\nid = 'mine'\nevent = 'pre_tool_use'\nbuiltin = { name = 'deny', reason = 'mine' }\n";
    let limits = "[limits]\noutput = '2KiB'\n";
    let config = format!("extends = [{}]\n{limits}{mine}", made["extends"]);
    ground.session.write_users(&config);
    let listed = ground.session.command(&["list", "--json"]).output().unwrap();
    let lines = String::from_utf8(listed.stdout).unwrap();
    let at =
        |id: &str| lines.find(&format!("\"{id}\"")).unwrap_or_else(|| panic!("{id} in {lines}"));
    assert!(at("shared") < at("mine"), "{lines}");
    let file = ground.path(".config/hookgate/hooks.toml");
    let shown = ground.session.command(&["check", "-c", file.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8(shown.stderr).unwrap();
    assert!(said.contains("the limits of this file do not count"), "{said}");
    assert!(said.contains("/guards-"), "{said}");
    // The file can go without a hook of the pack.
    ground.session.write_users(&format!("{config}[[disable]]\nid = 'shared'\n"));
    let answer = ground.call();
    assert!(!answer.text().contains(SAYS) && answer.text().contains("mine"), "{answer:?}");
}

#[test]
fn a_pack_extends_no_other_pack() {
    let ground = Ground::new();
    let made = ground.make();
    ground.write("second/hooks.toml", &format!("extends = {}\n", made["extends"]));
    let second = ground.pack_verb(&["second", "-o", "second.pack"]);
    assert_eq!(second.exit, Some(1), "{second:?}");
    assert!(second.stderr.contains("extends a pack itself"), "{second:?}");
}
