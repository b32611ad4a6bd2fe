//! Promise: a check of a config shows which files a hook runs and which accounts could change them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::build_in;

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

#[test]
fn a_check_shows_what_runs_and_which_accounts_could_change_it() {
    let base = tempfile::tempdir().unwrap();
    let base = base.path();
    let script = base.join("guard.py");
    std::fs::write(&script, "").unwrap();
    chmod(base, 0o755);
    chmod(&script, 0o644);
    let build = || build_in(base, &json!({"argv": ["python3", "guard.py"]})).unwrap();
    let built = build();
    assert_eq!(built.executables.len(), 2);
    assert!(built.executables.iter().all(|path| path.is_absolute()), "{:?}", built.executables);
    assert_eq!(built.executables[1], script);
    assert_eq!(built.warnings, [""; 0]);
    chmod(&script, 0o664);
    let shown = script.display();
    assert_eq!(
        build().warnings,
        [format!("its group can change `{shown}`: run `chmod go-w {shown}`")]
    );
    chmod(&script, 0o644);
    chmod(base, 0o777);
    let shown = base.display();
    assert_eq!(
        build().warnings,
        [format!("everybody can replace files in `{shown}`: run `chmod go-w {shown}`")]
    );
    // In a folder like /tmp only the owner can replace a file.
    chmod(base, 0o1777);
    assert_eq!(build().warnings, [""; 0]);
}

#[test]
fn a_changed_script_is_another_handler() {
    let base = tempfile::tempdir().unwrap();
    let script = base.path().join("guard.sh");
    std::fs::write(&script, "exit 0").unwrap();
    let identity = || build_in(base.path(), &json!({"argv": ["sh", "guard.sh"]})).unwrap().identity;
    let first = identity();
    assert!(first.is_some());
    assert_eq!(first, identity());
    std::fs::write(&script, "exit 2").unwrap();
    assert_ne!(first, identity());
}
