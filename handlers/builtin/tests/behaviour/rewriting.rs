//! Promise: `rewrite` changes what it is told to, where it is sure, and nothing else of the call.

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{FailureClass, Reply, Verdict};
use serde_json::{Value, json};

use crate::support::{build, invoke};

fn rewrite(settings: &Value, input: Value) -> Reply {
    invoke(&build("rewrite", settings).unwrap(), &ToolCall::new("Bash", input))
}

/// The command after a rewrite of words; `None` if nothing is changed.
fn words(settings: &Value, command: &str) -> Option<String> {
    let verdict = rewrite(settings, json!({"command": command, "timeout": 9})).unwrap();
    let parts = verdict.into_parts()?;
    assert_eq!(parts.patch["tool_input"]["timeout"], 9);
    Some(parts.patch["tool_input"]["command"].as_str().unwrap().to_owned())
}

#[test]
fn only_one_field_is_changed() {
    let settings = json!({"regex": r"^http://(\w+)", "replace": "https://$1", "pointer": "/a/url"});
    let input = json!({"a": {"url": "http://docs.rs/http://x", "b": 1}, "c": [1]});
    let changed = json!({"a": {"url": "https://docs.rs/http://x", "b": 1}, "c": [1]});
    let expected = Verdict::none().patch("tool_input", changed).annotate("rewritten", 1);
    assert_eq!(rewrite(&settings, input).unwrap(), expected);
}

#[test]
fn all_places_are_changed_or_only_the_first() {
    let command = json!({"command": "a b a"});
    let verdict = rewrite(&json!({"regex": "a", "replace": "x"}), command.clone()).unwrap();
    let parts = verdict.parts().unwrap();
    assert_eq!(parts.patch["tool_input"], json!({"command": "x b x"}));
    assert_eq!(parts.annotations["rewritten"], 2);
    let once = json!({"regex": "a", "replace": "x", "once": true});
    let verdict = rewrite(&once, command).unwrap();
    assert_eq!(verdict.parts().unwrap().patch["tool_input"], json!({"command": "x b a"}));
    let once = json!({"from": "npm", "to": "pnpm", "once": true});
    assert_eq!(words(&once, "npm ci; npm t").as_deref(), Some("pnpm ci; npm t"));
}

#[test]
fn what_changes_nothing_is_no_verdict() {
    let same = json!({"regex": "a", "replace": "a"});
    for input in [json!({"command": "a"}), json!({"command": "b"}), json!({}), json!("a")] {
        assert_eq!(rewrite(&same, input.clone()).unwrap(), Verdict::none(), "{input}");
    }
    let failure = rewrite(&same, json!({"command": ["a"]})).unwrap_err();
    assert_eq!(failure.class, FailureClass::Unclear);
}

#[test]
fn program_words_are_changed_wherever_a_command_begins() {
    let npm = json!({"from": "npm", "to": "pnpm"});
    for (command, changed) in [
        ("npm ci", "pnpm ci"),
        ("  npm\tci", "  pnpm\tci"),
        (
            "cd app && npm ci || npm i; npm t | tee log & npm x",
            "cd app && pnpm ci || pnpm i; pnpm t | tee log & pnpm x",
        ),
        ("CI=1 NODE_ENV=\"a b\" npm ci", "CI=1 NODE_ENV=\"a b\" pnpm ci"),
        ("sudo npm i -g x", "sudo pnpm i -g x"),
        ("sudo env A=1 npm ci", "sudo env A=1 pnpm ci"),
        ("(cd a; npm ci)", "(cd a; pnpm ci)"),
        ("echo $(npm bin) \"$(npm root)\"", "echo $(pnpm bin) \"$(pnpm root)\""),
        ("if ! npm ci; then npm i; fi", "if ! pnpm ci; then pnpm i; fi"),
        ("for p in a npm; do npm i $p; done", "for p in a npm; do pnpm i $p; done"),
        ("'npm' ci && \\npm t && n\"p\"m x", "pnpm ci && pnpm t && pnpm x"),
        (">log 2>&1 npm ci", ">log 2>&1 pnpm ci"),
        ("npm ci 2>/dev/null # npm", "pnpm ci 2>/dev/null # npm"),
        ("cat <<'E'\nnpm ci\nE\nnpm ci", "cat <<'E'\nnpm ci\nE\npnpm ci"),
        ("npm \\\n  ci", "pnpm \\\n  ci"),
        ("npm i \"a$(echo {b,c})\" ${X:-y}", "pnpm i \"a$(echo {b,c})\" ${X:-y}"),
        ("[[ -f a && b < npm ]] && npm ci", "[[ -f a && b < npm ]] && pnpm ci"),
        ("bash build.sh && npm ci", "bash build.sh && pnpm ci"),
        ("diff <(npm ls) b", "diff <(pnpm ls) b"),
    ] {
        assert_eq!(words(&npm, command).as_deref(), Some(changed), "{command}");
    }
}

#[test]
fn what_is_only_mentioned_stays() {
    let npm = json!({"from": "npm", "to": "pnpm"});
    for command in [
        "git commit -m 'npm ci; npm t'",
        "git commit -m \"use npm; not yarn\"",
        "echo npm",
        "pnpm ci",
        "npm-check x",
        "./npm ci",
        "which npm",
        "cat <<E\nnpm ci\nE",
        "# npm ci",
        "grep -rn \"npm ci\" .",
        "A=npm make",
        "ls /usr/lib/npm/",
    ] {
        assert_eq!(words(&npm, command), None, "{command}");
    }
}

#[test]
fn what_may_or_may_not_be_run_is_unclear() {
    let npm = json!({"from": "npm", "to": "pnpm"});
    for command in [
        "sh -c 'npm ci'",
        "bash <<< 'npm ci'",
        "bash <<E\nnpm ci\nE",
        "echo 'npm ci' | sh",
        "eval npm ci",
        "ssh host npm ci",
        "sudo -u me npm ci",
        "timeout 5 npm ci",
        "find . -name package.json -exec npm ci ;",
        "xargs -n1 npm i",
        "echo `npm bin`",
        "echo ${X:-$(npm bin)}",
        "npm() { command npm \"$@\"; }",
        "case $x in npm) npm ci;; esac",
        "npm ci 'open",
        "(npm ci",
        "cat <<E\nnpm $(npm bin)\nE",
        "cat <<E\nnpm ci",
    ] {
        let failure = rewrite(&npm, json!({"command": command})).unwrap_err();
        assert_eq!(failure.class, FailureClass::Unclear, "{command}: {failure}");
    }
    // What is hard to read does not matter if the words are not in it.
    for command in ["sh -c 'make'", "case $x in a) b;; esac", "echo 'open", "timeout 5 make"] {
        assert_eq!(words(&npm, command), None, "{command}");
    }
}

#[test]
fn several_words_are_one_phrase() {
    let pip = json!({"from": ["pip", "pip3", "python -m pip", "python3 -m pip"], "to": "uv pip"});
    for (command, changed) in [
        ("pip install x", Some("uv pip install x")),
        ("pip3 install x && python -m pip list", Some("uv pip install x && uv pip list")),
        ("python3  -m 'pip' list", Some("uv pip list")),
        ("python -m venv pip", None),
        ("uv pip install pip", None),
    ] {
        assert_eq!(words(&pip, command).as_deref(), changed, "{command}");
    }
    let install = json!({"from": "pip install", "to": "uv pip install"});
    assert_eq!(
        words(&install, "pip list; pip install x").as_deref(),
        Some("pip list; uv pip install x")
    );
}

#[test]
fn wrong_settings_say_what_to_write() {
    let wrong = |settings: Value| build("rewrite", &settings).unwrap_err();
    assert_eq!(wrong(json!({})), "`regex` is missing");
    assert_eq!(wrong(json!({"regex": "a"})), "`replace` is missing");
    assert_eq!(wrong(json!({"from": "a"})), "`to` is missing");
    assert!(wrong(json!({"from": "a", "to": "b", "replace": "c"})).contains("write `to`"));
    assert!(wrong(json!({"regex": "a(", "replace": "b"})).starts_with("`regex`"));
    assert!(wrong(json!({"regex": "a", "replace": "$1"})).contains("`$1` is not a group"));
    assert!(wrong(json!({"from": "a;b", "to": "c"})).starts_with("`from`: `a;b` is not made"));
    assert!(wrong(json!({"from": "a", "to": "$(x)"})).starts_with("`to`"));
    assert!(wrong(json!({"from": "a", "to": "b", "pointer": "c"})).contains("JSON pointer"));
}
