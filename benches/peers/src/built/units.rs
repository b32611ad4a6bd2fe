//! What the units took of which cargo builds a program.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use crate::error::PeersError;

/// The seconds of the processor that rustc took, by the hash of what it made. Cargo gives each unit a hash of its own:
/// a package that is built with other features is another unit.
#[derive(Debug, Default)]
pub(super) struct Units(HashMap<String, f64>);

/// What cargo says of a unit, with `--message-format=json`: of one that was built before, too.
#[derive(Debug, Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message {
    /// A call of rustc.
    CompilerArtifact {
        /// What it made: one unit may have several files.
        filenames: Vec<PathBuf>,
        /// The program, if it made one, by the name without its hash.
        executable: Option<PathBuf>,
    },
    /// The run of a build script.
    BuildScriptExecuted {
        /// The folder for what it makes.
        out_dir: PathBuf,
    },
    #[serde(other)]
    Other,
}

impl Units {
    /// Notes a call of rustc; `None` if the words are no seconds.
    pub(super) fn note(&mut self, hash: &str, user: &str, system: &str) -> Option<()> {
        let seconds = user.parse::<f64>().ok()? + system.parse::<f64>().ok()?;
        self.0.insert(hash.to_owned(), seconds);
        Some(())
    }

    /// Returns the seconds of a program: of all units that cargo's messages list. They name the program without its
    /// hash, so the file that has it is given, too. `None` if a unit was not noted: it was built before the run.
    ///
    /// # Errors
    /// A message is none of cargo's.
    pub(super) fn seconds(
        &self,
        messages: &str,
        program: &Path,
    ) -> Result<Option<f64>, PeersError> {
        let mut units = Vec::new();
        for line in messages.lines() {
            let message =
                serde_json::from_str(line).map_err(|_| PeersError::Unbuilt(line.to_owned()))?;
            units.push(match message {
                Message::CompilerArtifact { executable: Some(_), .. } => self.rustc(program),
                Message::CompilerArtifact { filenames, .. } => {
                    filenames.iter().find_map(|file| self.rustc(file))
                }
                Message::BuildScriptExecuted { out_dir } => script(&out_dir),
                Message::Other => continue,
            });
        }
        // Without any unit nothing is known.
        Ok(if units.is_empty() { None } else { units.into_iter().sum() })
    }

    fn rustc(&self, file: &Path) -> Option<f64> {
        self.0.get(hash(file)?).copied()
    }
}

/// Returns the hash in the name of a file; of a build script, in that of its folder.
fn hash(file: &Path) -> Option<&str> {
    let names = [file.file_stem(), file.parent().and_then(Path::file_name)];
    let mut ends = names.into_iter().filter_map(|name| Some(name?.to_str()?.rsplit_once('-')?.1));
    ends.find(|end| end.len() == 16 && end.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Returns the seconds that a build script ran, on the clock: cargo writes one file before and another one after it.
fn script(out_dir: &Path) -> Option<f64> {
    let written = |name| fs::metadata(out_dir.with_file_name(name)).ok()?.modified().ok();
    let ran = written("stderr")?.duration_since(written("invoked.timestamp")?);
    ran.as_ref().map(Duration::as_secs_f64).ok()
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::SystemTime;

    use super::*;

    const PROGRAM: &str = "/t/release/deps/with_cpex-00000000000000dd";

    fn units() -> Units {
        let mut units = Units::default();
        for hash in ["00000000000000aa", "00000000000000bb", "00000000000000dd"] {
            units.note(hash, "1.5", "0.5").unwrap();
        }
        units
    }

    /// What cargo says of a package with a build script, and of the program.
    fn messages(package: &str, script: &str) -> String {
        let artifact = |file: &str, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","filenames":["{file}"],"executable":{executable}}}"#
            )
        };
        [
            artifact(script, "null"),
            artifact(package, "null"),
            artifact("/t/release/with-cpex", r#""/t/release/with-cpex""#),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ]
        .join("\n")
    }

    #[test]
    fn the_seconds_of_a_program_are_those_of_its_units() {
        let script = "/t/release/build/serde-00000000000000aa/build-script-build";
        let package = "/t/release/deps/libserde_core-00000000000000bb.rlib";
        let seconds = units().seconds(&messages(package, script), PROGRAM.as_ref()).unwrap();
        assert_eq!(seconds, Some(6.0));
    }

    #[test]
    fn where_a_unit_was_not_noted_the_seconds_are_unknown() {
        let script = "/t/release/build/serde-00000000000000aa/build-script-build";
        let package = "/t/release/deps/libserde_core-00000000000000bb.rlib";
        let other = "/t/release/deps/libserde_core-00000000000000cc.rlib";
        let never_run = r#"{"reason":"build-script-executed","out_dir":"/none/out"}"#;
        let unknown = [
            (messages(other, script), PROGRAM),
            (messages(package, "/t/release/build/serde/build-script-build"), PROGRAM),
            (messages(package, script), "/t/release/with-cpex"),
            (format!("{}\n{never_run}", messages(package, script)), PROGRAM),
            (String::new(), PROGRAM),
        ];
        for (messages, program) in unknown {
            assert_eq!(units().seconds(&messages, program.as_ref()).unwrap(), None, "{messages}");
        }
    }

    #[test]
    fn the_run_of_a_build_script_counts() {
        let folder = std::env::temp_dir().join(format!("hookgate-peers-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let began = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        for (name, after) in [("invoked.timestamp", 0), ("stderr", 2500)] {
            let file = File::create(folder.join(name)).unwrap();
            file.set_modified(began + Duration::from_millis(after)).unwrap();
        }
        let out = folder.join("out");
        let message = serde_json::json!({ "reason": "build-script-executed", "out_dir": out });
        let seconds = units().seconds(&message.to_string(), PROGRAM.as_ref()).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(seconds, Some(2.5));
    }
}
