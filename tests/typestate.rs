//! Promise: what must not happen does not compile.

#[test]
fn misuse_does_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/typestate/pass_*.rs");
    cases.compile_fail("tests/typestate/fail_*.rs");
}
