//! Promise: what must not happen does not compile.

#[test]
fn misuse_does_not_compile() {
    let cases = trybuild::TestCases::new();
    cases.pass("cases/pass_*.rs");
    cases.compile_fail("cases/fail_*.rs");
}
