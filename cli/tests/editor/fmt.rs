//! Promise: `fmt` writes one style, and only that: a broken file stays, and so do permissions and links.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::support::Folder;

const UNTIDY: &str = "[[hook]]\nid='a'   # the first\nevent=\"stop\"\nbuiltin={name='audit'}\n[limits]\noutput='1KiB'\n";
const TIDY: &str = "[[hook]]\nid = 'a' # the first\nevent = \"stop\"\nbuiltin = { name = 'audit' }\n\n[limits]\noutput = '1KiB'\n";

#[test]
fn a_file_is_written_in_the_style_and_keeps_its_permissions() {
    let folder = Folder::with_hooks(UNTIDY);
    let path = folder.path("hooks.toml");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&path, folder.path("link.toml")).unwrap();
    let ended = folder.run(&["fmt", "link.toml", "--table"], "");
    assert_eq!((ended.code(), ended.err()), (0, ""));
    assert_eq!(ended.out(), "formatted link.toml\nok 1 file formatted\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), TIDY);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(folder.path("link.toml").is_symlink());
    // Nothing is left beside it, and the second time there is nothing to do.
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 2);
    let ended = folder.run(&["fmt"], "");
    assert_eq!(ended.lines(), [serde_json::json!({"file": "hooks.toml", "result": "unchanged"})]);
}

#[test]
fn check_and_diff_write_nothing_and_fail() {
    let folder = Folder::with_hooks(UNTIDY);
    let checked = folder.run(&["fmt", "--check"], "");
    assert_eq!(checked.code(), 1);
    assert_eq!(checked.lines()[0]["result"], "differs");
    assert!(checked.err().contains("1 file in another style"), "{}", checked.err());
    let shown = folder.run(&["fmt", "--diff"], "");
    assert_eq!(shown.code(), 1);
    assert!(shown.out().contains("- event=\"stop\"\n"), "{}", shown.out());
    assert!(shown.out().contains("+ event = \"stop\"\n"), "{}", shown.out());
    assert_eq!(fs::read_to_string(folder.path("hooks.toml")).unwrap(), UNTIDY);
    folder.write("hooks.toml", TIDY);
    for option in ["--check", "--diff"] {
        assert_eq!(folder.run(&["fmt", option], "").code(), 0, "{option}");
    }
}

#[test]
fn a_broken_file_is_told_with_its_place_and_left_alone() {
    let broken = "[[hook]]\nid = 'a\n";
    let folder = Folder::with_hooks(broken);
    folder.write("good.toml", UNTIDY);
    let ended = folder.run(&["fmt", "hooks.toml", "good.toml"], "");
    assert_eq!(ended.code(), 3);
    assert!(ended.err().starts_with("hooks.toml:2:"), "{}", ended.err());
    assert_eq!(fs::read_to_string(folder.path("hooks.toml")).unwrap(), broken);
    // The others are written.
    assert_eq!(fs::read_to_string(folder.path("good.toml")).unwrap(), TIDY);
    assert_eq!(folder.run(&["fmt", "no-such.toml"], "").code(), 1);
}

#[test]
fn stdin_comes_out_on_stdout() {
    let folder = Folder::new();
    let ended = folder.run(&["fmt", "-"], UNTIDY);
    assert_eq!((ended.code(), ended.out(), ended.err()), (0, TIDY, ""));
    let ended = folder.run(&["fmt", "-"], "a = \n");
    assert_eq!((ended.code(), ended.out()), (3, ""));
    assert!(ended.err().starts_with("stdin:1:"), "{}", ended.err());
    assert_eq!(folder.run(&["fmt", "-", "--check"], UNTIDY).code(), 1);
}
