//! A project in a folder of its own, with hooks that would leave a mark.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Answer, Session, Stdin, envelope, run};

/// What stands for the path of the mark in configs and scripts.
const MARK: &str = "MARK";

/// A hook whose program is a script of the project.
pub(crate) const BY_SCRIPT: &str =
    "[[hook]]\nid = 'theirs'\nevent = 'pre_tool_use'\ncommand = { argv = ['../guard.sh'] }\n";

/// The script, which leaves the mark.
pub(crate) const SCRIPT: &str = "#!/bin/sh\necho x >> MARK\n";

/// Another script that does the same.
pub(crate) const OTHER: &str = "#!/bin/sh\n# other\necho x >> MARK\n";

/// A project, and the home of a user who has no config.
pub(crate) struct Ground {
    pub(crate) session: Session,
}

impl Ground {
    pub(crate) fn new() -> Self {
        let session = Session::new();
        fs::create_dir(session.folder.path().join("work")).unwrap();
        Self { session }
    }

    /// A project whose config is the file in its own folder, with the script.
    pub(crate) fn with_script() -> Self {
        let ground = Self::new();
        ground.write(".hookgate/hooks.toml", BY_SCRIPT);
        ground.script("guard.sh", SCRIPT);
        ground
    }

    /// A project with one hook.
    pub(crate) fn with_hook(handler: &str) -> Self {
        let ground = Self::new();
        ground.write("hooks.toml", &hook("theirs", handler));
        ground
    }

    /// The folder of the project.
    pub(crate) fn work(&self) -> PathBuf {
        self.session.folder.path().join("work")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.work().join(name)
    }

    /// A path beside the project.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.session.folder.path().join(name)
    }

    /// The file that the hooks write to.
    pub(crate) fn mark(&self) -> PathBuf {
        self.session.home.path().join("ran")
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.session.home.path().join(".local/state/hookgate/trust")
    }

    /// The record of the only project that is trusted.
    pub(crate) fn record(&self) -> PathBuf {
        let entries = fs::read_dir(self.store()).unwrap().flatten().map(|entry| entry.path());
        entries.into_iter().find(|file| file.extension().is_some_and(|end| end == "json")).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_at(&self.path(name), text);
    }

    pub(crate) fn write_at(&self, path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace(MARK, self.mark().to_str().unwrap())).unwrap();
    }

    pub(crate) fn script(&self, name: &str, text: &str) {
        self.script_at(&self.path(name), text);
    }

    pub(crate) fn script_at(&self, path: &Path, text: &str) {
        self.write_at(path, text);
        chmod(path, 0o755);
    }

    /// Calls the hook in a folder. Tells whether a hook of the project has run, with the answer.
    pub(crate) fn call_in(
        &self,
        folder: &Path,
        more: &[&str],
        variables: &[(&str, &str)],
    ) -> (bool, Answer) {
        let _ = fs::remove_file(self.mark());
        let text = envelope(folder, "PreToolUse", "ls").to_string();
        let arguments = [&["hook", "--agent", "claude"], more].concat();
        let mut command = self.session.command(&arguments);
        command.env_remove("HOOKGATE_TRUST_HASH").envs(variables.iter().copied());
        let answer = run(&mut command, &Stdin::Text(text.as_bytes()));
        (self.mark().exists(), answer)
    }

    /// The hooks of the project run.
    pub(crate) fn runs(&self, case: &str) {
        self.runs_in(&self.work(), case);
    }

    pub(crate) fn runs_in(&self, folder: &Path, case: &str) {
        let (has_run, answer) = self.call_in(folder, &[], &[]);
        assert!(has_run, "{case}: {answer:?}");
        assert!(!answer.text().contains("is not run"), "{case}: {answer:?}");
    }

    /// No process was started, and the step is refused for a reason.
    pub(crate) fn refuses(&self, why: &str, case: &str) {
        self.refuses_in(&self.work(), why, case);
    }

    pub(crate) fn refuses_in(&self, folder: &Path, why: &str, case: &str) {
        is_refused(self.call_in(folder, &[], &[]), why, case);
    }

    pub(crate) fn verb(&self, arguments: &[&str]) -> Answer {
        let mut command = self.session.command(&[&["trust"], arguments].concat());
        run(command.current_dir(self.work()), &Stdin::Closed)
    }

    /// Trusts the project.
    pub(crate) fn trust(&self, case: &str) {
        let done = self.verb(&["--yes"]);
        assert_eq!(done.exit, Some(0), "{case}: {done:?}");
    }

    /// The project cannot be trusted, for a reason.
    pub(crate) fn cannot_be_trusted(&self, why: &str, case: &str) {
        let done = self.verb(&["--yes"]);
        assert_eq!(done.exit, Some(1), "{case}: {done:?}");
        assert!(done.text().contains(why), "{case}: {done:?}");
    }

    /// What `--show` says.
    pub(crate) fn shown(&self) -> Value {
        let shown = self.verb(&["--show", "--json"]);
        serde_json::from_str(&shown.stdout).unwrap_or_else(|_| panic!("{shown:?}"))
    }
}

/// Asserts that a call has started nothing and is refused.
pub(crate) fn is_refused((has_run, answer): (bool, Answer), why: &str, case: &str) {
    assert!(!has_run, "{case}: it has run");
    assert!(answer.reaction("claude", "PreToolUse").blocks(), "{case}: {answer:?}");
    let text = answer.text();
    assert!(text.contains("is not run, since"), "{case}: {text}");
    assert!(text.contains(why), "{case}: `{why}` in {text}");
    assert!(text.contains("hookgate trust "), "{case}: {text}");
}

pub(crate) fn hook(id: &str, handler: &str) -> String {
    format!("[[hook]]\nid = '{id}'\nevent = 'pre_tool_use'\n{handler}\n")
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Gives a file to another user or group. Only the superuser can: tells whether it was done.
pub(crate) fn give(path: &Path, user: Option<u32>, group: Option<u32>) -> bool {
    std::os::unix::fs::chown(path, user, group).is_ok()
}
