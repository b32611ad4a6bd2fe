//! Puts the shipped policies into the program: the folders of `shipped/start` and `shipped/policies`, and the
//! guardrails.
//!
//! A policy is a folder with a `hooks.toml`. Its files are embedded by `include_str!`, so that
//! `hookgate init --example NAME` can write them. What belongs to the repository only is left out: the
//! page that describes the folder, and its cases.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The folder with the policies, links to those of the repository.
const SHIPPED: &str = "shipped";

/// Those to begin with, in the order in which they are offered.
const START: [&str; 4] = ["guard", "audit", "redact", "judge"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={SHIPPED}");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(SHIPPED);
    let mut policies = START.map(|name| root.join("start").join(name)).to_vec();
    policies.push(root.join("guardrails"));
    policies.extend(sorted(&root.join("policies"))?);
    let mut table = String::from("const EXAMPLES: &[Example] = &[\n");
    let complete = |folder: &&PathBuf| folder.join("hooks.toml").is_file() && is_built(folder);
    for folder in policies.iter().filter(complete) {
        let name = folder.file_name().unwrap_or_default();
        writeln!(table, "    Example {{ name: {name:?}, files: &[")?;
        for file in files_in(folder)? {
            let inside = file.strip_prefix(folder)?;
            println!("cargo::rerun-if-changed={}", file.display());
            writeln!(table, "        ({inside:?}, include_str!({file:?})),")?;
        }
        table.push_str("    ] },\n");
    }
    table.push_str("];\n");
    writeln!(
        table,
        "/// How many of them are to begin with; they come first.\nconst START: usize = {};",
        START.len()
    )?;
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("examples.rs"), table)?;
    Ok(())
}

/// Returns the files in a folder and in the folders in it.
fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in sorted(folder)? {
        if is_of_repository(&path) {
            continue;
        }
        if path.is_dir() {
            files.extend(files_in(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

/// Whether the program is built with what a policy needs.
fn is_built(policy: &Path) -> bool {
    let feature = match policy.file_name().and_then(|name| name.to_str()) {
        Some("cedar-guard") => "CARGO_FEATURE_CEDAR",
        Some("rego-guard") => "CARGO_FEATURE_REGO",
        _ => return true,
    };
    env::var_os(feature).is_some()
}

fn is_of_repository(path: &Path) -> bool {
    let left_out = ["cases.jsonl", "README.md", "__pycache__"];
    path.file_name().is_some_and(|name| left_out.iter().any(|one| name == *one))
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    Ok(paths)
}
