//! Runs the tests of the rows, each in its own program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::rows::{Row, parts};

/// What came of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Its program has not run it.
    NotRun,
    /// It is no test of this workspace: `.ci/full` runs it.
    Elsewhere,
}

impl Outcome {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::NotRun => "not run",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// A program with tests.
struct Program {
    executable: PathBuf,
    /// The folder of its crate, in which its tests expect to be.
    folder: PathBuf,
    /// Its first source file.
    source: PathBuf,
}

impl Program {
    /// The folder of the sources that belong to it.
    fn base(&self) -> PathBuf {
        let name = self.source.file_name().unwrap_or_default();
        match self.source.parent() {
            Some(folder) if name == "main.rs" || name == "lib.rs" => folder.to_owned(),
            _ => self.source.with_extension(""),
        }
    }

    /// Tells whether a file belongs to it.
    fn has(&self, file: &Path) -> bool {
        file == self.source || file.starts_with(self.base())
    }

    /// The path of the module that a file is.
    fn module(&self, file: &Path) -> String {
        let inside = file.strip_prefix(self.base()).unwrap_or(Path::new(""));
        if file == self.source {
            return String::new();
        }
        let inside = inside.with_extension("");
        let names = inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        names.collect::<Vec<_>>().join("::")
    }
}

/// Builds all tests, and runs those that show these rows.
pub(crate) fn run(root: &Path, rows: &[&Row]) -> Result<BTreeMap<String, Outcome>, String> {
    let programs = programs(root)?;
    let mut results = BTreeMap::new();
    let mut wanted: BTreeMap<usize, Vec<(&String, String, &str)>> = BTreeMap::new();
    for proof in rows.iter().flat_map(|row| &row.shown_by) {
        let (file, Some(name)) = parts(proof) else {
            results.insert(proof.clone(), Outcome::Elsewhere);
            continue;
        };
        let file = root.join(file);
        let of_file = programs.iter().enumerate().filter(|(_, program)| program.has(&file));
        let nearest = of_file.max_by_key(|(_, program)| program.base().components().count());
        match nearest {
            Some((index, program)) => {
                wanted.entry(index).or_default().push((proof, program.module(&file), name));
            }
            None => _ = results.insert(proof.clone(), Outcome::Elsewhere),
        }
    }
    for (index, tests) in wanted {
        let Some(program) = programs.get(index) else { continue };
        let names: Vec<&str> = tests.iter().map(|(_, _, name)| *name).collect();
        let output = Command::new(&program.executable)
            .args(&names)
            .current_dir(&program.folder)
            .env("CARGO_MANIFEST_DIR", &program.folder)
            .output()
            .map_err(|error| format!("{}: {error}", program.executable.display()))?;
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        for (proof, module, name) in tests {
            results.insert(proof.clone(), outcome(&output, &module, name));
        }
    }
    Ok(results)
}

/// Finds what a program printed of a test: `test module::name ... ok`.
fn outcome(output: &str, module: &str, name: &str) -> Outcome {
    let found = output.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    let is_it = |path: &str| {
        let path = path.strip_suffix(" - should panic").unwrap_or(path);
        let own = path == name || path.ends_with(&format!("::{name}"));
        own && path.starts_with(module)
    };
    let mut all = found.filter(|(path, _)| is_it(path)).map(|(_, result)| result).peekable();
    if all.peek().is_none() {
        return Outcome::NotRun;
    }
    // The result stands behind what a test prints on its own, if it prints without being asked to.
    if all.all(|result| result.ends_with("ok")) { Outcome::Passed } else { Outcome::Failed }
}

/// Builds the tests of the workspace, and returns their programs.
fn programs(root: &Path) -> Result<Vec<Program>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "test",
            "--workspace",
            "--locked",
            "--no-run",
            "--message-format=json-render-diagnostics",
        ])
        .current_dir(root)
        .stderr(std::process::Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the tests cannot be built".to_owned());
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(messages.filter_map(|message| program(&message)).collect())
}

fn program(message: &Value) -> Option<Program> {
    let is_test = message.pointer("/profile/test") == Some(&Value::Bool(true));
    let text = |pointer: &str| message.pointer(pointer)?.as_str().map(PathBuf::from);
    let executable = text("/executable").filter(|_| is_test)?;
    let folder = text("/manifest_path")?.parent()?.to_owned();
    Some(Program { executable, folder, source: text("/target/src_path")? })
}
