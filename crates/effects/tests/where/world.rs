//! A throw-away folder with repositories, in which lines run.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The settings of git of the user of the folder.
const SETTINGS: &str = "[user]\nname = t\nemail = t@example.com\n[init]\ndefaultBranch = trunk\ntemplateDir =\n[advice]\n\
    detachedHead = false\n[commit]\ngpgsign = false\n[protocol \"file\"]\nallow = always\n";

/// Notes which commit is made, in which repository and on which branch.
const HOOK: &str = r#"#!/bin/sh
echo "$(head -n 1 "$1") $(git rev-parse --absolute-git-dir) $(git symbolic-ref -q HEAD || echo detached)" >> "$LOG"
"#;

/// Notes in which folder it runs.
const PROBE: &str = "#!/bin/sh\necho \"$1 $(pwd -P)\" >> \"$LOG\"\n";

/// Fails or succeeds, as its surroundings say, and notes that it ran.
const CHECKS: &str = "#!/bin/sh\necho ran >> \"$LOG\"\nexit \"$CHECKS_STATUS\"\n";

/// A folder `w` that is as it was at the beginning whenever a line runs, the home of a user, and programs.
pub(crate) struct World {
    root: TempDir,
}

/// What a line has done.
pub(crate) struct Ran {
    pub(crate) succeeded: bool,
    /// What programs and hooks have noted.
    pub(crate) log: String,
}

impl World {
    /// Makes the folder with a script.
    pub(crate) fn new(script: &str) -> Self {
        let root = TempDir::with_prefix("hw-").unwrap();
        let world = Self { root };
        for folder in ["home", "bin", "w", "hooks"] {
            fs::create_dir(world.path(folder)).unwrap();
        }
        fs::write(world.path("home/.gitconfig"), SETTINGS).unwrap();
        for (name, text) in
            [("hooks/commit-msg", HOOK), ("bin/probe", PROBE), ("bin/checks", CHECKS)]
        {
            fs::write(world.path(name), text).unwrap();
            let made = Command::new("chmod").arg("+x").arg(world.path(name)).status().unwrap();
            assert!(made.success());
        }
        let made = world.run(&format!("set -e\n{script}"), "w", &[]);
        assert!(made.succeeded, "the world can be made");
        // Only lines make noted commits.
        let settings = format!("{SETTINGS}[core]\nhooksPath = {}\n", world.path("hooks"));
        fs::write(world.path("home/.gitconfig"), settings).unwrap();
        world.shell("cp -a w template");
        world
    }

    /// The absolute path of something in it.
    pub(crate) fn path(&self, name: &str) -> String {
        let root = self.root.path().canonicalize().unwrap();
        root.join(name).to_str().unwrap().to_owned()
    }

    /// Makes the folder what it was at the beginning.
    pub(crate) fn restore(&self) {
        self.shell("rm -rf w log && cp -a template w");
    }

    fn shell(&self, code: &str) {
        let status =
            Command::new("sh").args(["-c", code]).current_dir(self.root.path()).status().unwrap();
        assert!(status.success(), "{code}");
    }

    /// Runs a line in a folder of it.
    pub(crate) fn run(&self, line: &str, cwd: &str, env: &[(&str, &str)]) -> Ran {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command
            .args(["20", "bash", "-c", line])
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin")))
            .env("HOME", self.path("home"))
            .env("LOG", self.path("log"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .current_dir(self.path(cwd))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        if std::env::var_os("HOOKGATE_PLACES_SHOW").is_none() {
            command.stderr(Stdio::null());
        }
        let status = command.envs(env.iter().copied()).status().unwrap();
        let log = fs::read_to_string(Path::new(&self.path("log"))).unwrap_or_default();
        Ran { succeeded: status.success(), log }
    }
}
