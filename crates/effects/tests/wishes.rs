//! Wishes of policy writers that are one condition on effects: it holds where the wish says so, and at
//! no other step.
#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{ConditionContext, Envelope, StepContext, StepId, Truth};
use hookgate_effects::conditions;
use hookgate_test_support::needs;
use serde_json::{Value, json};

/// The number of a wish, the condition that grants it, and its value.
fn granted() -> Vec<(u64, &'static str, Value)> {
    vec![
        (1, "deletes", json!({"outside": ["$cwd"]})),
        (2, "reads", json!(["**/.env", "**/.env.*", "!**/.env.example", "**/*.pem", "~/.ssh/**"])),
        (
            3,
            "runs",
            json!(["git push", "npm|pnpm|yarn publish", "terraform apply", "kubectl delete"]),
        ),
        (4, "connects", json!({"outside": ["api.github.com"]})),
        (
            5,
            "writes",
            json!([
                "package-lock.json",
                "pnpm-lock.yaml",
                "yarn.lock",
                "Cargo.lock",
                "**/migrations/**"
            ]),
        ),
        (6, "writes", json!({"outside": ["$cwd/src", "$cwd/tests"]})),
        (20, "connects", json!({"outside": ["docs.rs", "*.wikipedia.org"]})),
    ]
}

#[test]
fn one_condition_grants_a_wish() {
    let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let file = repository.join("../shared/conformance/policy/wishes.jsonl");
    if !needs::path(&file) {
        return;
    }
    let kinds = conditions::kinds_at_home(Some("/home/u".into()));
    let rows: Vec<Value> = std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut tried, mut wrong) = (0, Vec::new());
    for (wish, key, value) in granted() {
        let kind = kinds.iter().find(|kind| kind.name() == key).unwrap();
        let built = kind.build(&value, &ConditionContext::new("/home/u/proj".as_ref())).unwrap();
        for row in rows.iter().filter(|row| row["wish"] == wish) {
            let step = &row["step"];
            let call =
                ToolCall::new(step["tool_name"].as_str().unwrap(), step["tool_input"].clone());
            let context = StepContext::new("s").cwd(step["cwd"].as_str().unwrap());
            let id = StepId::new(Some("step"), String::new);
            let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
            let expected = if row["expect"] == "allow" { Truth::False } else { Truth::True };
            let found = built.condition().hold(&envelope);
            tried += 1;
            if found != expected {
                let why = built.condition().explain(&envelope);
                wrong.push(format!("{wish} {}: {} ({why})", step["tool_input"], found.name()));
            }
        }
    }
    assert!(tried > 30, "{tried} steps");
    assert_eq!(wrong, Vec::<String>::new());
}
