//! Promise: the client in Python lets nothing run that was not cleared. Its tests run against this program.

use std::path::Path;
use std::process::Command;

#[test]
fn the_tests_of_the_client_in_python() {
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/python");
    let mut python = Command::new("python3");
    python.args(["-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", "."]);
    python.current_dir(&client).env("HOOKGATE", env!("CARGO_BIN_EXE_hookgate"));
    python.env("PYTHONDONTWRITEBYTECODE", "1").env_remove("HOOKGATE_CONFIG");
    let ran = python.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let tests = said.lines().find(|line| line.starts_with("Ran ")).unwrap_or_default();
    assert!(!said.contains("skipped") && tests > "Ran 1", "{said}");
}
