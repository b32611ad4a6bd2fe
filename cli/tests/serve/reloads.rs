//! Promise: a changed config is in force while steps are judged, and each step meets one of them as a whole.

use serde_json::json;

use crate::support::{Folder, HOOKS, Host, judge};

/// Two hooks that say the same: a step that meets hooks of two configs gets two reasons.
fn config(version: usize) -> String {
    let hook = |id: &str| {
        format!(
            "[[hook]]\nid = \"{id}\"\nevent = \"pre_tool_use\"\nbuiltin = {{ name = \"deny\", reason = \"v{version}\" }}\n"
        )
    };
    format!("{}{}", hook("a"), hook("b"))
}

#[test]
fn each_step_is_judged_by_one_config() {
    const VERSIONS: usize = 8;
    let folder = Folder::with_hooks(&config(0));
    let (server, mut host) = Host::spawn(&folder);
    let reasons: Vec<String> = (0..=VERSIONS).map(|version| format!("v{version}")).collect();
    let (mut last, mut judged) = (0, 0);
    for version in 1..=VERSIONS {
        folder.write("hooks.toml", &config(version));
        while last != version {
            let numbers: Vec<u64> =
                (0..20).map(|at| host.send("judge", judge(&format!("s{at}"), "ls"))).collect();
            for number in numbers {
                let answer = host.answer(number).unwrap();
                let report = &answer["result"]["report"];
                let reason = report["reason"].as_str().unwrap();
                let met = reasons.iter().position(|known| known == reason);
                let met = met.unwrap_or_else(|| panic!("a torn verdict: {answer}"));
                assert!(met >= last, "an earlier config came back: {reason} after v{last}");
                assert_eq!(report["generation"], met + 1);
                last = met;
                judged += 1;
            }
        }
        server.wait_for("reloaded");
    }
    assert!(judged >= VERSIONS * 20);
    folder.write("hooks.toml", "[[hook]]\nid = 7\n");
    server.wait_for("not reloaded");
    assert_eq!(host.judge("s", "ls")["report"]["reason"], format!("v{VERSIONS}"));
}

#[test]
fn callers_put_a_config_in_force_only_where_that_is_permitted() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    assert_eq!(host.err("replace", json!({"toml": config(1)})).0, "not_permitted");
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");

    let (_server, mut host) =
        Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml", "--allow-replace"]);
    host.hello();
    let (name, error) = host.err(
        "replace",
        json!({"toml": "[[hook]]\nid = \"x\"\nevent = \"pre_tol_use\"\nbuiltin = \"deny\"\n"}),
    );
    assert_eq!(name, "invalid_config");
    let mistake = &error["data"]["more"]["mistakes"][0];
    assert_eq!((&mistake["file"], &mistake["line"]), (&json!("replace"), &json!(3)), "{error}");
    assert_eq!(
        host.err("replace", json!({"toml": config(1), "if_generation": 9})).0,
        "generation_changed"
    );
    assert_eq!(host.judge("s", "ls")["verdict"], "pass");
    let replaced = host.ok("replace", json!({"toml": config(1), "if_generation": 1}));
    assert_eq!(replaced["generation"], 2);
    let judged = host.judge("s", "ls");
    assert_eq!(
        (&judged["verdict"], &judged["report"]["config_hash"]),
        (&json!("deny"), &replaced["config_hash"])
    );
}
