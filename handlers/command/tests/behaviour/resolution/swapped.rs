//! Promise: a script or program that was replaced after the table was built does not run.

use std::path::Path;

use hookgate_contract::{FailureClass, StepContext, Verdict};
use serde_json::json;

use super::Folders;
use crate::support::{build_in, call, invoke_with};

#[tokio::test]
async fn a_script_that_was_swapped_is_not_run() {
    for mode in ["plain", "worker"] {
        let folders = Folders::new();
        let guard = folders.base.path().join("guard.sh");
        let worker = "echo '{\"ready\":1}'; while read -r call; do id=${call#*:}; id=${id%%,*}\n\
                      echo \"{\\\"id\\\":$id,\\\"verdict\\\":{\\\"decision\\\":\\\"deny\\\",\
                      \\\"reason\\\":\\\"real\\\"}}\"; done\n";
        if mode == "worker" {
            std::fs::write(&guard, worker).unwrap();
        }
        let mut settings = json!({"argv": ["env", "sh", "-e", "guard.sh"], "mode": mode});
        if mode == "worker" {
            // Each call has a process of its own.
            settings["max_calls"] = json!(1);
        }
        let built = build_in(folders.base.path(), &settings).unwrap();
        assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")), "{mode}");
        // Another time, the same content: it is the same script.
        let text = std::fs::read(&guard).unwrap();
        std::fs::remove_file(&guard).unwrap();
        std::fs::write(&guard, &text).unwrap();
        assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")), "{mode}");
        // The same length and the same times: only the content tells.
        let other = String::from_utf8(text.clone()).unwrap().replace("real", "lax!");
        let times = std::fs::metadata(&guard).unwrap().modified().unwrap();
        std::fs::write(&guard, other).unwrap();
        std::fs::File::options()
            .write(true)
            .open(&guard)
            .and_then(|file| file.set_modified(times))
            .unwrap();
        let failure = folders.invoke(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Untrusted, "{mode}: {failure}");
        assert!(failure.detail.contains("guard.sh") && failure.detail.contains("reload"));
        std::fs::write(&guard, &text).unwrap();
        assert_eq!(folders.invoke(&built).await, Ok(Verdict::deny("real")), "{mode}");
        std::fs::remove_file(&guard).unwrap();
        let failure = folders.invoke(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Spawn, "{mode}: {failure}");
        // A pipe in its place would be waited for.
        std::process::Command::new("mkfifo").arg(&guard).status().unwrap();
        let failure = folders.invoke(&built).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Untrusted, "{mode}: {failure}");
    }
}

/// Copies a program in a process of its own. Another test's program that starts while this process writes
/// would keep the file open for a moment, and the system starts no file that is open for writing.
fn copy_apart(from: &str, to: &Path) {
    assert!(std::process::Command::new("cp").arg(from).arg(to).status().unwrap().success());
}

#[tokio::test]
async fn a_program_beside_the_config_that_was_swapped_is_not_run_until_the_config_is_read_again() {
    let folders = Folders::new();
    let copy = |from: &str| {
        let (program, new) = (folders.base.path().join("guard"), folders.base.path().join("new"));
        copy_apart(from, &new);
        std::fs::rename(&new, &program).unwrap();
    };
    copy("/bin/true");
    let build = || build_in(folders.base.path(), &json!({"argv": ["./guard"]})).unwrap();
    let built = build();
    assert_eq!(folders.invoke(&built).await, Ok(Verdict::none()));
    copy("/bin/false");
    let failure = folders.invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Untrusted, "{failure}");
    let again = build();
    assert_ne!(again.identity, built.identity);
    assert_eq!(folders.invoke(&again).await.unwrap_err().class, FailureClass::Exit);
}

/// A program of the system is known by its name only, so that a config has the same hash everywhere;
/// yet a reload after it was changed makes another handler.
#[tokio::test]
async fn a_program_in_path_that_was_swapped_is_another_one_after_a_reload() {
    let (base, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let program = elsewhere.path().join("tool");
    copy_apart("/bin/true", &program);
    let build = || build_in(base.path(), &json!({ "argv": [program] })).unwrap();
    let (first, second) = (build(), build());
    assert_eq!(first.identity, second.identity);
    std::fs::remove_file(&program).unwrap();
    copy_apart("/bin/false", &program);
    let context = StepContext::new("s");
    let failure = invoke_with(&first, &call(), &context).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Untrusted, "{failure}");
    let third = build();
    assert_eq!(first.identity, third.identity, "the config is the same");
    assert_ne!(first.revision, third.revision, "what runs is not");
    assert_eq!(invoke_with(&third, &call(), &context).await.unwrap_err().class, FailureClass::Exit);
    assert_eq!(third.revision, build().revision);
}
