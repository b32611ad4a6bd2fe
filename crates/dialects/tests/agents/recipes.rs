//! The answer of each recipe: what is known to mean a verdict in the form of an agent.

use std::path::Path;

use hookgate_contract::VerdictDecision;
use hookgate_contract::dialect::HostDecision;
use hookgate_test_support::needs;
use serde_json::{Map, Value, json};

use crate::samples::{dialect, step};

/// Recipes that are not followed, and why.
const OTHERWISE: [(&str, &str, &str); 2] = [
    // It was seen to obey a deny there, although its documentation says that it drops the answer.
    ("copilot", "userPromptSubmitted", "deny"),
    // Only the results of MCP tools can be changed, and this is none.
    ("cursor", "postToolUse", "replace_output"),
];

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
        let text = |key: &str| recipe[key].as_str().unwrap();
        let (agent, event, verdict) = (text("agent"), text("event"), text("neutral_verdict"));
        let ours = ["copilot", "cursor", "gemini"].contains(&agent);
        if ours && !OTHERWISE.contains(&(agent, event, verdict)) {
            followed += usize::from(follow(agent, event, verdict, &recipe));
        }
    }
    assert!(followed >= 35, "{followed}");
}

fn follow(agent: &str, event: &str, verdict: &str, recipe: &Value) -> bool {
    let answer = &recipe["answer"];
    let (mut patch, mut context) = (Map::new(), Vec::new());
    let decision = match verdict {
        "none" => None,
        "allow" => Some(VerdictDecision::Allow),
        "ask" => Some(VerdictDecision::Ask),
        "deny" | "feedback" | "keep_going" => Some(VerdictDecision::Deny),
        "halt" => Some(VerdictDecision::Halt),
        "rewrite" => {
            patch.insert("tool_input".into(), json!({ "...": "object" }));
            None
        }
        "replace_output" => {
            let places = ["/stdout/reason", "/stdout/modifiedResult/textResultForLlm"];
            let text = places.iter().find_map(|place| answer.pointer(place)).unwrap();
            patch.insert("tool_response".into(), text.clone());
            None
        }
        "context" => {
            context.push("TEXT".to_owned());
            None
        }
        "defer" => return false,
        other => panic!("{other}"),
    };
    let event = dialect(agent).event(event).unwrap();
    let decided = HostDecision::new(decision, Some("REASON"), &patch).texts(&context, &[]);
    let said = dialect(agent).answer(&step(agent, event), &decided);
    if recipe["unsupported"] == true {
        assert!(!said.losses.is_empty(), "{recipe} {said:?}");
        return true;
    }
    assert_eq!(json!(said.exit), answer["exit"], "{recipe} {said:?}");
    let object: Value = match said.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap(),
    };
    let mut recipe = answer["stdout"].clone();
    if verdict == "rewrite" {
        // Watched: it is rewritten without an allow, which would spare the user a question.
        let recipe = recipe.as_object_mut().unwrap();
        if agent == "copilot" {
            recipe.remove("permissionDecision");
        }
        for value in recipe.values_mut() {
            if value.is_object() {
                fill(value);
            }
        }
    }
    assert!(contains(&object, &recipe), "{recipe}\n{object}");
    true
}

/// Puts the arguments in where the recipe leaves them open.
fn fill(value: &mut Value) {
    let Value::Object(fields) = value else { return };
    if fields.contains_key("...") {
        *value = json!({ "...": "object" });
    } else {
        fields.values_mut().for_each(fill);
    }
}

/// Whether an answer says everything that the recipe says.
fn contains(said: &Value, recipe: &Value) -> bool {
    match (said, recipe) {
        (Value::Object(said), Value::Object(recipe)) => recipe
            .iter()
            .all(|(key, value)| said.get(key).is_some_and(|said| contains(said, value))),
        (said, recipe) => said == recipe,
    }
}
