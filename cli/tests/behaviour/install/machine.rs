//! A machine with one user, on which agents are configured.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Ended, Folder, run};

/// Its folders: `home` of the user, and `work`, the project.
pub(crate) struct Machine(Folder);

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = Folder::new();
        for name in ["home", "work"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        Self(folder)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.file(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(env!("CARGO_BIN_EXE_hookgate"));
        command.args(args);
        command
    }

    /// A program of this machine, in the project.
    pub(crate) fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.file("work")).env("HOME", self.file("home"));
        for moved in [
            "XDG_STATE_HOME",
            "CLAUDE_CONFIG_DIR",
            "CODEX_HOME",
            "HOOKGATE_CONFIG",
            "XDG_CONFIG_HOME",
            "CLAUDE_CODE_SIMPLE",
            "CLAUDE_CODE_SAFE_MODE",
            "CLAUDE_CODE_SHELL",
            "CLAUDE_CODE_SHELL_PREFIX",
        ] {
            command.env_remove(moved);
        }
        command
    }

    pub(crate) fn install(&self, args: &[&str]) -> Ended {
        run(self.command(&[&["install"], args].concat()), b"")
    }

    /// Installs, or removes; both must succeed.
    pub(crate) fn install_in(&self, agent: &str, args: &[&str]) -> Ended {
        let done = self.install(&[&["--agent", agent, "--yes"], args].concat());
        assert_eq!(done.code(), 0, "{agent} {args:?}: {}", done.err());
        done
    }

    pub(crate) fn install_claude(&self, args: &[&str]) -> Ended {
        self.install_in("claude", args)
    }
}
