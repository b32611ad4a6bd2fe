//! A pack is in force exactly as it was pinned, or what extends it refuses.

mod pinned;
mod places;
mod trust;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Answer, Session, Stdin, run};

/// What the hook of the pack says.
const SAYS: &str = "the pack says no";

/// A config whose hook is a script beside it.
const CONFIG: &str =
    "[[hook]]\nid = 'shared'\nevent = 'pre_tool_use'\ncommand = { argv = ['./guard.sh'] }\n";

/// A pack that was made, and a user without a config.
struct Ground {
    session: Session,
}

impl Ground {
    fn new() -> Self {
        let ground = Self { session: Session::new() };
        ground.write("shared/hooks.toml", CONFIG);
        ground.write("shared/guard.sh", &format!("#!/bin/sh\necho '{SAYS}' >&2\nexit 2\n"));
        let script = ground.path("shared/guard.sh");
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).unwrap();
        ground
    }

    /// A path in the folder of the user.
    fn path(&self, name: &str) -> PathBuf {
        self.session.home.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn pack_verb(&self, arguments: &[&str]) -> Answer {
        run(&mut self.session.command(&[&["pack"], arguments].concat()), &Stdin::Closed)
    }

    /// Makes the pack, and returns what was said of it.
    fn make(&self) -> Value {
        let file = self.path("guards.pack");
        let made = self.pack_verb(&["shared", "-o", file.to_str().unwrap(), "--json"]);
        assert_eq!(made.exit, Some(0), "{made:?}");
        serde_json::from_str(&made.stdout).unwrap()
    }

    /// Makes the pack; the user extends it.
    fn extend(&self) -> Value {
        let made = self.make();
        self.session.write_users(&format!("extends = {}\n", made["extends"]));
        made
    }

    fn call(&self) -> Answer {
        self.session.call("claude", "PreToolUse", "ls")
    }

    /// The hook of the pack has run, and has refused.
    fn is_in_force(&self, case: &str) {
        let answer = self.call();
        assert!(answer.text().contains(SAYS), "{case}: {answer:?}");
    }

    /// The step is refused for another reason.
    fn refuses(&self, why: &str, case: &str) {
        let answer = self.call();
        assert!(answer.reaction("claude", "PreToolUse").blocks(), "{case}: {answer:?}");
        assert!(!answer.text().contains(SAYS), "{case}: {answer:?}");
        assert!(answer.text().contains(why), "{case}: `{why}` in {answer:?}");
    }

    fn cache(&self) -> PathBuf {
        self.path(".cache/hookgate/packs")
    }

    /// The folder with the files of the only pack.
    fn unpacked(&self) -> PathBuf {
        let entries = fs::read_dir(self.cache()).unwrap().flatten().map(|entry| entry.path());
        entries.into_iter().find(|path| path.is_dir()).unwrap()
    }
}

fn replace_in(file: &Path, part: &str, instead: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(part), "{part}");
    fs::set_permissions(file, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(file, text.replace(part, instead)).unwrap();
}
