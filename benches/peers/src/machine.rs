//! Where and when it was measured.

use std::process::Command;

use serde::{Deserialize, Serialize};

/// Where and when it was measured, without names of machines or folders.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Machine {
    /// How many processors there are.
    pub cores: usize,
    /// What they are.
    pub processor: String,
    /// How much the machine had to do beside this, when it began and when it ended: the load of the last minute.
    pub load: (String, String),
    /// The compiler.
    pub rustc: String,
    /// The day.
    pub date: String,
    /// The commit.
    pub commit: String,
}

impl Machine {
    /// Looks at this machine.
    #[must_use]
    pub fn this() -> Self {
        let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = cpu.lines().find_map(|line| line.strip_prefix("model name"));
        Self {
            cores: std::thread::available_parallelism().map_or(0, std::num::NonZero::get),
            processor: processor
                .map(|name| name.trim_matches([' ', '\t', ':']).to_owned())
                .unwrap_or_default(),
            load: (load(), String::new()),
            rustc: said("rustc", &["--version"]),
            date: said("date", &["-u", "+%Y-%m-%d"]),
            commit: said("git", &["rev-parse", "--short", "HEAD"]),
        }
    }

    /// Notes how much the machine has to do when it ends.
    #[must_use]
    pub fn ended(mut self) -> Self {
        self.load.1 = load();
        self
    }
}

fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

/// What a program says; nothing if it is not there.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default()
}
