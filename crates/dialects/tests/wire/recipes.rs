//! The answer of each recipe: what is known to mean a verdict in the form of an agent.

use std::path::Path;

use hookgate_contract::VerdictDecision;
use hookgate_contract::dialect::{HostDecision, HostEffect};
use hookgate_test_support::needs;
use serde_json::{Map, Value, json};

use crate::samples::{dialect, map, step};

#[test]
fn the_recipes_are_followed() {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance/answers.jsonl");
    if !needs::path(&file) {
        return;
    }
    let mut followed = 0;
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let recipe: Value = serde_json::from_str(line).unwrap();
        let agent = recipe["agent"].as_str().unwrap();
        if ["claude", "codex"].contains(&agent) {
            followed += usize::from(follow(agent, &recipe));
        }
    }
    assert!(followed >= 35, "{followed}");
}

/// Returns whether the verdict of the recipe is one of ours.
fn follow(agent: &str, recipe: &Value) -> bool {
    let (event, verdict) =
        (recipe["event"].as_str().unwrap(), recipe["neutral_verdict"].as_str().unwrap());
    let answer = &recipe["answer"];
    let (mut patch, mut context) = (Map::new(), Vec::new());
    let decision = match verdict {
        "none" => None,
        "allow" => Some(VerdictDecision::Allow),
        "ask" => Some(VerdictDecision::Ask),
        "deny" | "feedback" | "keep_going" => Some(VerdictDecision::Deny),
        "halt" => Some(VerdictDecision::Halt),
        "rewrite" => {
            let input = &answer["stdout"]["hookSpecificOutput"]["updatedInput"];
            patch.insert("tool_input".into(), input.clone());
            None
        }
        "replace_output" => {
            let text = answer["stdout"]["reason"].clone();
            let shape = answer["stdout"]["hookSpecificOutput"]["updatedToolOutput"].clone();
            patch.insert("tool_response".into(), if text.is_null() { shape } else { text });
            None
        }
        "context" => {
            context.push("TEXT".to_owned());
            None
        }
        "defer" => return false,
        other => panic!("{other}"),
    };
    let decided = HostDecision::new(decision, Some("REASON"), &patch).texts(&context, &[]);
    let said = dialect(agent).answer(&step(agent, event), &decided);
    if recipe["unsupported"] == true {
        let blocked = said.stdout.contains("\"deny\"");
        assert!(blocked && !said.losses.is_empty(), "{recipe} {said:?}");
        return true;
    }
    assert_eq!(json!(said.exit), answer["exit"], "{recipe} {said:?}");
    assert_eq!(said.stderr, answer["stderr"].as_str().unwrap(), "{recipe}");
    let object: Value = match said.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    };
    assert!(contains(&object, &answer["stdout"]), "{recipe}\n{object}");
    true
}

/// Whether an answer says everything that the recipe says. It may say more: a halt that is also a deny.
fn contains(said: &Value, recipe: &Value) -> bool {
    match (said, recipe) {
        (Value::Object(said), Value::Object(recipe)) => recipe
            .iter()
            .all(|(key, value)| said.get(key).is_some_and(|said| contains(said, value))),
        (said, recipe) => said == recipe,
    }
}

/// What cannot be done is in the table of events, and in the answer as a loss.
#[test]
fn a_loss_is_told() {
    let patch = Map::new();
    let ask = HostDecision::new(Some(VerdictDecision::Ask), Some("sure?"), &patch);
    let answer = dialect("codex").answer(&step("codex", "PreToolUse"), &ask);
    assert_eq!(answer.losses[0].effect, HostEffect::Ask);
    assert!(answer.stdout.contains("sure?"));
    let patch = map(json!({"prompt": "rename it\n\nand test it"}));
    let added = HostDecision::new(None, None, &patch);
    let answer = dialect("claude").answer(&step("claude", "UserPromptSubmit"), &added);
    assert!(answer.stdout.contains(r#""additionalContext":"and test it""#), "{answer:?}");
    let patch = map(json!({"prompt": "rename ***"}));
    let answer = dialect("claude")
        .answer(&step("claude", "UserPromptSubmit"), &HostDecision::new(None, None, &patch));
    assert!(answer.stdout.contains(r#""decision":"block""#), "{answer:?}");
}
