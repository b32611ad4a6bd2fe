//! Promise: the client in TypeScript lets nothing run that was not cleared. Its tests run against this program.

use std::path::Path;
use std::process::Command;

use hookgate_test_support::needs;

#[test]
fn the_tests_of_the_client_in_typescript() {
    if !needs::program("node") {
        return;
    }
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients/typescript");
    for file in [
        "index.js",
        "bin/hookgate.js",
        "test/gate.test.js",
        "test/hostile.test.js",
        "test/package.test.js",
        "test/program.test.js",
    ] {
        let checked = Command::new("node").arg("--check").arg(client.join(file)).status().unwrap();
        assert!(checked.success(), "{file}");
    }
    let mut node = Command::new("node");
    // Without a name it finds the folder `test`, in each version of node.
    node.args(["--test", "--test-reporter=tap"]);
    node.current_dir(&client).env("HOOKGATE", env!("CARGO_BIN_EXE_hookgate"));
    node.env_remove("HOOKGATE_CONFIG").env_remove("NODE_TEST_CONTEXT");
    let ran = node.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    let figure = |name: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(&format!("# {name} ")));
        line.and_then(|number| number.trim().parse::<usize>().ok())
    };
    assert!(figure("pass").is_some_and(|passed| passed > 10), "{said}");
    assert_eq!((figure("skipped"), figure("todo")), (Some(0), Some(0)), "{said}");
}
