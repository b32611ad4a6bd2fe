//! A program that is replaced between the comparison and the start, or while it runs, does not count.

use std::fs;

use hookgate_contract::{FailureClass, StepContext, Verdict};
use serde_json::json;

use crate::support::{build_in, call, invoke_with};

/// What a script answers that does something before.
async fn answer(does: &str, says: &str) -> Result<Verdict, FailureClass> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("guard.sh"), format!("{does}\necho '{says}'\n")).unwrap();
    let built = build_in(folder.path(), &json!({"argv": ["sh", "./guard.sh"]})).unwrap();
    let context = StepContext::new("session-1").cwd(folder.path().to_str().unwrap());
    invoke_with(&built, &call(), &context).await.map_err(|failure| failure.class)
}

/// Whoever swaps the file puts the old one back in the end: its content is what it was, its status is not.
const SWAPPED: &str = "mv guard.sh away && mv away guard.sh";

#[tokio::test]
async fn what_was_swapped_and_put_back_does_not_count() {
    assert_eq!(answer(SWAPPED, "{}").await, Err(FailureClass::Untrusted));
    let copied = "cp guard.sh copy && mv copy guard.sh";
    assert_eq!(answer(copied, "{}").await, Err(FailureClass::Untrusted));
    let written = "cat guard.sh > copy && cat copy > guard.sh";
    assert_eq!(answer(written, "{}").await, Err(FailureClass::Untrusted));
    assert_eq!(answer("rm guard.sh", "{}").await, Err(FailureClass::Untrusted));
    let ask = r#"{"decision":"ask","reason":"sure?"}"#;
    assert_eq!(answer(SWAPPED, ask).await, Err(FailureClass::Untrusted));
}

/// The controls: what was not touched counts, and so does a refusal, whoever says it.
#[tokio::test]
async fn what_stays_counts() {
    assert_eq!(answer("true", "{}").await, Ok(Verdict::none()));
    assert_eq!(answer("cat guard.sh > copy", "{}").await, Ok(Verdict::none()));
    let deny = r#"{"decision":"deny","reason":"no"}"#;
    assert_eq!(answer(SWAPPED, deny).await, Ok(Verdict::deny("no")));
}
