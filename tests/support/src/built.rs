//! Programs of this workspace that a test starts.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Builds an example of the workspace, returns where it is.
///
/// # Panics
/// If it does not build.
#[must_use]
pub fn example(name: &str) -> PathBuf {
    build(&["--example", name], name)
}

/// Builds a program of the workspace, returns where it is.
///
/// # Panics
/// If it does not build.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    // The example is not of interest: where one is built, dependencies have the features that tests ask for.
    build(&["--bin", name, "--example", "first_program"], name)
}

/// After `cargo test --workspace` all that is asked for is there: with the same features, for the same
/// environment. Of one package alone, or with the variables that cargo sets for the test, nearly all
/// dependencies would be built anew, and once more for the next test.
fn build(targets: &[&str], name: &str) -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--quiet", "--workspace", "--locked", "--message-format=json"]);
    command.args(targets).current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit());
    for (variable, _) in std::env::vars_os() {
        let of_this_package = ["CARGO_PKG_", "CARGO_MANIFEST_"]
            .iter()
            .any(|prefix| variable.to_string_lossy().starts_with(prefix));
        if of_this_package {
            command.env_remove(variable);
        }
    }
    let built = command.output().unwrap_or_else(|error| panic!("cargo does not start: {error}"));
    assert!(built.status.success(), "`{name}` does not build");
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == name)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .unwrap_or_else(|| panic!("cargo does not say where `{name}` is"))
}
