//! Promise: the example programs do what they say.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::path::PathBuf;
use std::process::Command;

/// Runs an example. `cargo test` builds it beside this test; where only this test was asked for,
/// it is built now.
fn run(name: &str) -> String {
    let mut path: PathBuf = std::env::current_exe().expect("this test has a path");
    path.pop();
    path.set_file_name("examples");
    path.push(name);
    if !path.exists() {
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "hookgate", "--example", name])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs");
        assert!(built.success(), "the example `{name}` does not build");
    }
    let output = Command::new(&path).output().expect("the example runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the output is text")
}

#[test]
fn an_agent_loop_meets_every_state() {
    let expected = "\
ls: output of `ls`
false: error: exit status 1
git push --force: denied by no-force-push: force push is not allowed here
cat README.md: # from the cache (supplied by a hook)
cat key.pem: withheld by no-keys: the result holds a key
rm -rf /: the run ends, halted by panic-button: nobody does that here
cargo publish: publish for everybody?
approved: output of `cargo publish`
refused: denied by the user: not today
approved after a swap: denied by freeze: nothing goes out this week
";
    assert_eq!(run("agent_loop"), expected);
}

#[test]
fn an_embedder_defines_its_own_step() {
    let expected = "\
web goes to staging
asked: to production?
denied by freeze: the ledger is frozen
";
    assert_eq!(run("custom_step"), expected);
}
