//! Promise: the client in Go lets nothing run that was not cleared. Its tests run against this program.

use std::path::Path;
use std::process::Command;

use hookgate_test_support::needs;

#[test]
fn the_tests_of_the_client_in_go() {
    if !needs::program("go") {
        return;
    }
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/go");
    for args in [&["vet", "./..."][..], &["test", "-count=1", "-v", "./..."]] {
        let mut go = Command::new("go");
        go.args(args).current_dir(&client).env("HOOKGATE", env!("CARGO_BIN_EXE_hookgate"));
        // Nothing is fetched: the module needs nothing but Go itself.
        go.env("GOPROXY", "off").env("GOFLAGS", "-mod=mod").env_remove("HOOKGATE_CONFIG");
        let ran = go.output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
        if args.contains(&"-v") {
            let passed = said.lines().filter(|line| line.starts_with("--- PASS")).count();
            assert!(passed > 10 && !said.contains("--- SKIP"), "{said}");
        }
    }
}
