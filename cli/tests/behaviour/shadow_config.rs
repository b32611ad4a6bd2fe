//! Promise: `run --shadow-config` shows what another config would decide otherwise, and changes no decision.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::recorded::corpus;
use crate::support::{Folder, HOOKS, bash};

const DENY_ALL: &str = r#"
[[hook]]
id = "no"
event = "*"
builtin = { name = "deny", reason = "no" }
"#;

/// The lines of a file, as JSON.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Recorded steps, or else a few of our own.
fn steps() -> String {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    match corpus(repository, "session-small.steps.jsonl") {
        Some(file) => fs::read_to_string(file).unwrap(),
        None => {
            let end = r#"{"hook_event_name":"session_end","reason":"done"}"#.to_owned();
            [bash("ls"), bash("git push --force"), end].join("\n")
        }
    }
}

#[test]
fn a_deny_all_shadow_changes_no_decision_and_its_deltas_are_the_difference_of_two_runs() {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("deny.toml", DENY_ALL);
    let steps = steps();
    let alone = folder.run(&["run", "--stable", "--json"], &steps);
    let other = folder.run(&["run", "--stable", "--json", "-c", "deny.toml"], &steps);
    let args = ["run", "--stable", "--json", "--shadow-config", "deny.toml"];
    let shadowed = folder.run(&[&args[..], &["--shadow-out", "deltas.jsonl"]].concat(), &steps);
    assert_eq!(shadowed.code(), 0, "{}", shadowed.err());
    assert_eq!(shadowed.out(), alone.out());

    let pairs = alone.lines().into_iter().zip(other.lines()).zip(1..);
    let differ = pairs.filter(|((live, would), _)| live["decision"] != would["decision"]);
    let expected: Vec<Value> = differ
        .map(|((live, would), line)| {
            let side = |record: &Value| (record["decision"].clone(), record["by"].clone());
            let ((decision, by), (to, to_by)) = (side(&live), side(&would));
            serde_json::json!({
                "line": line,
                "live": {"decision": decision, "by": by},
                "shadow": {"decision": to, "by": to_by},
            })
        })
        .collect();
    let found: Vec<Value> = lines(&folder.path("deltas.jsonl"))
        .into_iter()
        .map(|delta| {
            serde_json::json!({
                "line": delta["line"], "live": delta["live"], "shadow": delta["shadow"],
            })
        })
        .collect();
    assert_eq!(found, expected);
    // The control: some steps differ, and some do not.
    assert!(!found.is_empty() && found.len() < alone.lines().len(), "{found:?}");
    let summary = format!("{} of {} steps would change", found.len(), alone.lines().len());
    assert!(shadowed.err().contains(&summary), "{}", shadowed.err());
}

#[test]
fn the_summary_says_what_would_change_by_which_hook_with_an_example() {
    let folder = Folder::with_hooks(HOOKS);
    let next = HOOKS
        .replace("regex = \"publish\"", "regex = \"publish|deploy\"")
        .replace("push.*--force", "push -f");
    folder.write("next.toml", next);
    let steps = [bash("git push --force"), bash("make deploy"), bash("ls")].join("\n");
    folder.write("steps.jsonl", &steps);
    let ended = folder.run(&["run", "steps.jsonl", "--shadow-config", "next.toml"], "");
    let err = ended.err();
    assert!(err.contains("in shadow, next.toml: 2 of 3 steps would change"), "{err}");
    let row = |hook: &str| err.lines().rfind(|line| line.contains(hook)).unwrap_or_default();
    for (hook, words) in [
        ("steps.jsonl:1", ["deny", "allow", "no-force-push", "git push --force"]),
        ("steps.jsonl:2", ["allow", "ask", "confirm-publish", "make deploy"]),
    ] {
        assert!(words.iter().all(|word| row(hook).contains(word)), "{hook}: {err}");
    }
    assert!(err.contains("hookgate promote next.toml --over "), "{err}");
    // The control: the same config changes nothing.
    let same = folder.run(&["run", "steps.jsonl", "--shadow-config", "hooks.toml"], "");
    assert!(same.err().contains("0 of 3 steps would change"), "{}", same.err());
}

#[test]
fn what_both_configs_count_is_counted_apart() {
    let limit = "[[hook]]\nid = \"three\"\nevent = \"pre_llm_request\"\nbuiltin = { name = \"max_iterations\", limit = 3 }\n";
    let folder = Folder::with_hooks(limit);
    let step =
        r#"{"hook_event_name":"pre_llm_request","session_id":"s","model":"m","message_count":1}"#;
    let steps = [step; 5].join("\n");
    let alone = folder.run(&["run", "--stable", "--json"], &steps);
    let args = ["run", "--stable", "--json", "--shadow-config", "hooks.toml"];
    let shadowed = folder.run(&args, &steps);
    assert_eq!(shadowed.out(), alone.out());
    assert!(shadowed.err().contains("0 of 5 steps would change"), "{}", shadowed.err());
    assert!(alone.lines().iter().any(|line| line["decision"] != "allow"), "the control: it counts");
}

#[test]
fn a_program_is_run_in_shadow_only_if_its_hook_is_pure() {
    let script = "#!/bin/sh\ntouch \"$(dirname \"$0\")/was-run\"\necho '{\"decision\":\"deny\",\"reason\":\"no\"}'\n";
    let config = |pure: &str| {
        format!(
            "[[hook]]\nid = \"script\"\nevent = \"pre_tool_use\"\n{pure}command = {{ argv = [\"./guard.sh\"] }}\n"
        )
    };
    for (pure, runs) in [("", false), ("pure = true\n", true)] {
        let folder = Folder::with_hooks(HOOKS);
        let path = folder.write("guard.sh", script);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        folder.write("next.toml", config(pure));
        let ended = folder.run(&["run", "--json", "--shadow-config", "next.toml"], bash("ls"));
        assert_eq!(ended.code(), 0, "{}", ended.err());
        assert_eq!(ended.lines()[0]["decision"], "allow");
        assert_eq!(folder.path("was-run").exists(), runs, "{pure}");
        let changed = if runs { "1 of 1 step would change" } else { "0 of 1 step would change" };
        assert!(ended.err().contains(changed), "{}", ended.err());
        let told = "it is not known what `script` would have said";
        assert_eq!(ended.err().contains(told), !runs, "{}", ended.err());
    }
}

#[test]
fn a_shadow_config_that_is_not_valid_is_refused_and_its_file_needs_one() {
    let folder = Folder::with_hooks(HOOKS);
    folder.write("broken.toml", "[[hook]\n");
    let ended = folder.run(&["run", "--shadow-config", "broken.toml"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (3, ""), "{}", ended.err());
    let ended = folder.run(&["run", "--shadow-out", "deltas.jsonl"], bash("ls"));
    assert_eq!((ended.code(), ended.out()), (64, ""), "{}", ended.err());
}

#[test]
fn the_deltas_of_a_shadow_are_those_of_a_diff() {
    let live = "[[hook]]\nid = \"no-git\"\nevent = \"pre_tool_use\"\nruns = [\"git *\"]\nbuiltin = { name = \"ask\", reason = \"git\" }\n";
    let folder = Folder::with_hooks(live);
    folder.write("deny.toml", DENY_ALL);
    folder.write("steps.jsonl", steps());
    let args = ["run", "steps.jsonl", "-q", "--json", "--shadow-config", "deny.toml"];
    let shadowed = folder.run(&[&args[..], &["--shadow-out", "deltas.jsonl"]].concat(), "");
    assert_eq!(shadowed.code(), 0, "{}", shadowed.err());
    let mut of_shadow: BTreeMap<String, u64> = BTreeMap::new();
    for delta in lines(&folder.path("deltas.jsonl")) {
        let pair = format!("{} {}", delta["live"]["decision"], delta["shadow"]["decision"]);
        *of_shadow.entry(pair).or_default() += 1;
    }
    let diff =
        folder.run(&["diff", "hooks.toml", "deny.toml", "--on", "steps.jsonl", "--json"], "");
    assert_eq!(diff.code(), 0, "{}", diff.err());
    let mut of_diff: BTreeMap<String, u64> = BTreeMap::new();
    for delta in diff.lines()[0]["steps"]["deltas"].as_array().unwrap() {
        let pair = format!("{} {}", delta["was"]["decision"], delta["now"]["decision"]);
        *of_diff.entry(pair).or_default() += delta["steps"].as_u64().unwrap();
    }
    assert!(!of_shadow.is_empty());
    assert_eq!(of_shadow, of_diff);
}
