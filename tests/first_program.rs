//! Promise: the first program is small, runs, and is the same in README.md and on the crate page.

use std::process::Command;

const PROGRAM: &str = include_str!("../examples/first_program.rs");

#[test]
fn the_first_program_has_at_most_fifteen_lines() {
    assert!(PROGRAM.lines().count() <= 15, "{} lines", PROGRAM.lines().count());
}

/// The crate page includes the file itself, so rustdoc compiles and runs it.
#[test]
fn the_readme_and_the_crate_page_show_the_program_that_is_compiled() {
    let readme = include_str!("../README.md");
    let shown = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next());
    assert_eq!(shown, Some(PROGRAM), "the first Rust block of README.md");
    assert!(
        include_str!("../src/lib.rs").contains("include_str!(\"../examples/first_program.rs\")")
    );
}

#[test]
fn the_first_program_prints_what_readme_and_crate_page_say() {
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "hookgate", "--example", "first_program"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(printed, "denied by no-shell: no shell here\n");
    for page in [include_str!("../README.md"), include_str!("../src/lib.rs")] {
        assert!(page.contains(&format!("prints `{}`", printed.trim_end())));
    }
}
