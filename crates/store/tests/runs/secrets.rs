//! Promise: what a run is done with cannot be read in any file, and is gone when the run has ended.

use hookgate_store::{NewRun, RunKind, RunState};
use serde_json::json;

use crate::support::{Place, claim, new_run};

/// What the journal would take out.
const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn no_file_has_the_input_of_a_run_in_the_open() {
    let place = Place::new();
    let store = place.store();
    let input =
        json!({"tool_input": {"command": format!("curl -H {SECRET}"), "note": "an-ordinary-word"}});
    let run =
        NewRun::new(RunKind::Hook, "one", "audit", input.clone()).session(format!("s-{SECRET}"));
    store.enqueue(&run).unwrap();
    for text in [SECRET, "an-ordinary-word"] {
        assert!(!has(&place.bytes(), text), "{text}");
    }
    let mut held = claim(&store).unwrap();
    assert_eq!(held.input(), &input, "it is whole for who does it");
    held.fail("exit", &format!("the service says {SECRET}"), false).unwrap();
    assert!(!has(&place.bytes(), SECRET));
    assert!(store.run(1).unwrap().why.unwrap().contains("[redacted"));
    // The key lies beside: it is a hiding place, and no vault.
    assert!(place.0.path().join("runs.key").exists());
}

#[test]
fn what_a_hook_says_for_the_audit_is_kept_without_secrets() {
    let place = Place::new();
    let store = place.store();
    store.enqueue(&new_run("one")).unwrap();
    let said = json!({"event_kind": "policy_read", "details": {"token": SECRET}});
    claim(&store).unwrap().succeed(&[json!({"text": SECRET})], &[said]).unwrap();
    let shown = store.show(1).unwrap();
    let audit = shown.audit.iter().find(|row| row.what == "audit").unwrap();
    assert!(audit.detail.as_ref().unwrap().contains("policy_read"));
    assert!(!has(&place.bytes(), SECRET), "of a contribution there is only its hash");
}

#[test]
fn the_input_goes_with_the_end_and_stays_while_the_run_can_be_tried_again() {
    let place = Place::new();
    let store = place.store();
    let inputs = || -> u64 {
        place.sqlite().query_row("SELECT count(*) FROM input", (), |row| row.get(0)).unwrap()
    };
    for key in ["done", "fails"] {
        store.enqueue(&new_run(key).attempts(1)).unwrap();
    }
    assert_eq!(inputs(), 2);
    claim(&store).unwrap().succeed(&[], &[]).unwrap();
    assert_eq!(inputs(), 1);
    claim(&store).unwrap().fail("exit", "1", true).unwrap();
    assert_eq!(inputs(), 1, "somebody can have it tried again");
    store.retry(2).unwrap();
    claim(&store).unwrap().succeed(&[], &[]).unwrap();
    assert_eq!(inputs(), 0);
    assert_eq!(store.run(2).unwrap().state, RunState::Succeeded);
}
