//! Promise: long results lose their middle, repeated ones become a note, and all others stay.

use std::fs;

use hookgate_contract::payload::{PostToolUse, PostToolUseFailure, PreCompact, ToolCall};
use hookgate_contract::{BuiltHandler, Event, FailureClass, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{build, build_at, build_in, full_host, invoke, invoke_in};

fn result(response: impl Into<Value>) -> PostToolUse {
    PostToolUse::new(ToolCall::new("Bash", json!({"command": "make"})), response.into())
}

fn limiter(max_bytes: usize) -> BuiltHandler {
    build("limit_large_tool_results", &json!({"max_bytes": max_bytes})).unwrap()
}

/// The result after the limit, and how many bytes were left out.
fn limited(built: &BuiltHandler, response: Value) -> (Value, u64) {
    let verdict = invoke(built, &result(response.clone())).unwrap();
    verdict.into_parts().map_or((response, 0), |mut parts| {
        let left_out = parts.annotations["left_out_bytes"].as_u64().unwrap();
        (parts.patch.remove("tool_response").unwrap(), left_out)
    })
}

#[test]
fn a_long_text_keeps_its_beginning_and_its_end() {
    let lines: String = (0..1000).map(|number| format!("line {number}\n")).collect();
    let (short, left_out) = limited(&limiter(1000), json!(lines));
    let short = short.as_str().unwrap();
    assert!(short.starts_with("line 0\nline 1\n") && short.ends_with("\nline 998\nline 999\n"));
    assert!(short.len() <= 1000, "{}", short.len());
    assert!(short.contains(&format!("\n[… {left_out} bytes are left out here …]\n")), "{short}");
    let kept: usize =
        short.lines().filter(|line| line.starts_with("line")).map(|line| line.len() + 1).sum();
    assert_eq!(kept as u64 + left_out, lines.len() as u64);
    for line in short.lines().filter(|line| !line.starts_with('[')) {
        assert!(lines.contains(&format!("{line}\n")), "{line} is cut");
    }
}

#[test]
fn a_result_keeps_its_form() {
    let response =
        json!({"stdout": "o".repeat(5000), "stderr": "short", "code": 1, "b": ["x".repeat(3000)]});
    let (short, left_out) = limited(&limiter(2000), response);
    assert_eq!((&short["stderr"], &short["code"]), (&json!("short"), &json!(1)));
    assert!(
        left_out > 6000 && short.to_string().len() < 2200,
        "{left_out} {}",
        short.to_string().len()
    );
    assert!(short["stdout"].as_str().unwrap().len() < 1000);
    // Nothing in it could be shortened.
    let (short, _) = limited(&limiter(2000), json!(vec![123_456; 10_000]));
    assert!(short.as_str().unwrap().starts_with("[123456,123456,"), "{short}");
    assert!(short.as_str().unwrap().len() <= 2000);
}

#[test]
fn an_error_is_shortened_too_and_a_short_result_stays() {
    let failed = PostToolUseFailure::new(ToolCall::new("Bash", json!({})), "e".repeat(9000));
    let verdict = invoke(&limiter(300), &failed).unwrap();
    assert!(verdict.parts().unwrap().patch["error"].as_str().unwrap().len() <= 300);
    assert_eq!(invoke(&limiter(300), &result("x".repeat(300))).unwrap(), Verdict::none());
    let error = build("limit_large_tool_results", &json!({"max_bytes": 100})).unwrap_err();
    assert!(error.contains("256 or more"), "{error}");
    let error = build("limit_large_tool_results", &json!({"keep": 3})).unwrap_err();
    assert!(error.contains("without `folder`"), "{error}");
}

#[test]
fn the_whole_result_can_be_read_in_the_folder() {
    let base = tempfile::tempdir().unwrap();
    let settings = json!({"max_bytes": 500, "folder": "results", "keep": 2});
    let host = full_host();
    let built = build_in("limit_large_tool_results", &settings, &[], base.path(), &host).unwrap();
    let folder = base.path().join("results");
    for number in 0..4 {
        let text = format!("{number}").repeat(2000);
        let (short, _) = limited(&built, json!(text));
        let short = short.as_str().unwrap();
        let (_, path) = short.split_once("; all of it is in ").unwrap();
        let (path, _) = path.split_once(" …]").unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        // Times of files are coarse.
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    fs::write(folder.join("mine.txt"), "stays").unwrap();
    assert_eq!(folder.read_dir().unwrap().count(), 3, "two results and a file of someone else");
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "in the way").unwrap();
    let failure = invoke(&built, &result("y".repeat(2000))).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unreachable);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_short_result_is_never_longer_than_the_limit(text in "(?s).{0,900}", times in 1_usize..20) {
        let text = text.repeat(times);
        let (short, left_out) = limited(&limiter(600), json!(text));
        let short = short.as_str().unwrap();
        prop_assert!(short.len() <= 600, "{}", short.len());
        prop_assert_eq!(left_out == 0, text.len() <= 600);
    }
}

fn read(file: &str, text: &str) -> PostToolUse {
    PostToolUse::new(ToolCall::new("Read", json!({"file_path": file})), text.repeat(100))
}

fn is_elided(built: &BuiltHandler, step: &PostToolUse, session: &str) -> bool {
    let verdict = invoke_in(built, step, session, false).unwrap();
    let Some(parts) = verdict.parts() else { return false };
    let note = parts.patch["tool_response"].as_str().unwrap();
    assert!(note.starts_with("[the same result as in turn 3, where `Read`"), "{note}");
    assert_eq!(parts.annotations["elided"], true);
    true
}

#[test]
fn the_same_result_of_the_same_call_becomes_a_note() {
    let built = build("elide_repeated_tool_results", &json!({})).unwrap();
    let seen = |step: &PostToolUse| is_elided(&built, step, "a");
    assert!(!seen(&read("a.rs", "one two ")) && seen(&read("a.rs", "one two ")));
    assert!(!seen(&read("b.rs", "one two ")), "another call");
    assert!(!seen(&read("a.rs", "one 2 3 ")), "another result");
    assert!(seen(&read("a.rs", "one 2 3 ")) && !seen(&read("a.rs", "one two ")), "it changed back");
    assert!(!is_elided(&built, &read("a.rs", "one two "), "b"), "another session");
    let mut failed = read("a.rs", "one two ");
    failed.is_error = Some(true);
    assert!(!seen(&failed), "an error stays");
    let short = read("c.rs", "ok");
    assert!(!seen(&short) && !seen(&short), "a short one stays");
}

#[test]
fn a_compaction_forgets() {
    let events = [Event::PostToolUse, Event::PreCompact];
    let built = build_at("elide_repeated_tool_results", &json!({}), &events).unwrap();
    assert!(built.warnings.is_empty());
    let step = read("a.rs", "one two ");
    assert!(!is_elided(&built, &step, "a") && !is_elided(&built, &step, "b"));
    assert_eq!(invoke_in(&built, &PreCompact::new("auto"), "a", false).unwrap(), Verdict::none());
    assert!(!is_elided(&built, &step, "a") && is_elided(&built, &step, "b"));
    let built = build_at("elide_repeated_tool_results", &json!({}), &events[..1]).unwrap();
    assert!(built.warnings[0].contains("add `pre_compact`"));
    assert!(build_at("elide_repeated_tool_results", &json!({}), &events[1..]).is_err());
}

#[test]
fn only_the_latest_calls_are_remembered() {
    let built = build("elide_repeated_tool_results", &json!({})).unwrap();
    for number in 0..=1024 {
        assert!(!is_elided(&built, &read(&number.to_string(), "one two "), "a"));
    }
    assert!(is_elided(&built, &read("1", "one two "), "a"));
    assert!(!is_elided(&built, &read("0", "one two "), "a"));
}
