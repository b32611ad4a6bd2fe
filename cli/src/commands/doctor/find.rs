//! The program of an agent, and its version.

use std::env;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::agents::Profile;

/// How long a program may take to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much of what it says is read.
const LIMIT: u64 = 4096;

/// Returns the program of an agent that the PATH leads to.
pub(in crate::commands) fn program(profile: &Profile) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    profile.programs.iter().find_map(|name| {
        env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
    })
}

/// Asks a program for its version.
pub(in crate::commands) fn version(program: &Path) -> Option<String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let stdout = child.stdout.take()?;
    let reader = thread::spawn(move || {
        let mut text = Vec::new();
        stdout.take(LIMIT).read_to_end(&mut text).map(|_| text)
    });
    let end = Instant::now() + PATIENCE;
    while !matches!(child.try_wait(), Ok(Some(_))) {
        if Instant::now() > end {
            // It is as good as gone if it cannot be killed.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let text = reader.join().ok()?.ok()?;
    number(&String::from_utf8_lossy(&text)).map(str::to_owned)
}

/// Returns the first word that looks like a version.
fn number(text: &str) -> Option<&str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || ".-+".contains(letter)))
        .map(|word| word.trim_start_matches('v').trim_end_matches('.'))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (text, version) in [
            ("codex-cli 0.169.0\n", "0.169.0"),
            ("0.61.0\n", "0.61.0"),
            ("GitHub Copilot CLI 1.0.102.\nCommit: 3abc", "1.0.102"),
            ("2.1.240 (Claude Code)", "2.1.240"),
        ] {
            assert_eq!(number(text), Some(version));
        }
        assert_eq!(number("no version here"), None);
    }
}
