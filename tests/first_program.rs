//! Promise: the first program is small, runs, and is the same in README.md and on the crate page.

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

/// That the program prints this, `examples.rs` tests.
#[test]
fn readme_and_crate_page_say_what_the_program_prints() {
    for page in [include_str!("../README.md"), include_str!("../src/lib.rs")] {
        assert!(page.contains("prints `denied by no-shell: no shell here`"));
    }
}
