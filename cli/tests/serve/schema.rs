//! Promise: the schema is that of what is really said.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, Host, bash, hello, judge};

#[test]
fn real_traffic_keeps_to_the_schema_and_other_things_do_not() {
    let folder = Folder::with_hooks(HOOKS);
    let printed = folder.hookgate(&["schema", "serve"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let line = jsonschema::validator_for(&schema).unwrap();
    let of = |name: &str| -> Validator {
        let mut part = schema.clone();
        part.as_object_mut().unwrap().remove("oneOf");
        part["$ref"] = json!(format!("#/$defs/{name}"));
        jsonschema::validator_for(&part).unwrap()
    };
    let (_server, mut host) =
        Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml", "--allow-replace"]);
    let events: Vec<&str> = hookgate::Event::NAMED.into_iter().map(hookgate::Event::name).collect();
    let all = &["deny", "ask", "halt", "patch", "answer", "context"];
    let deny = json!({"id": "mine", "event": "stop", "builtin": {"name": "deny", "reason": "no"}});
    let items = json!({"items": [{"id": "a", "session": "s", "step": bash("ls")}, {"id": "b"}]});
    let calls = [
        ("status", json!({})),
        ("hello", hello(&events, all)),
        ("events", json!({})),
        ("judge", judge("s", "ls")),
        ("judge", judge("s", "npm install")),
        ("judge", judge("s", "date")),
        ("judge", judge("s", "cargo publish")),
        ("judge", judge("s", "git push --force")),
        ("judge", json!({"session": "s", "step": {}})),
        ("judge_batch", items),
        (
            "observe",
            json!({"session": "s", "step": {"hook_event_name": "session_end", "reason": "x"}}),
        ),
        ("override", json!({"session": "s", "hooks": [deny]})),
        ("override", json!({"session": "s", "disable": ["no-force-push"]})),
        ("session.begin", json!({"session": "t", "lasting": true})),
        ("session.end", json!({"session": "s"})),
        ("replace", json!({"toml": HOOKS})),
        ("status", json!({})),
        ("health", json!({})),
        ("metrics", json!({})),
    ];
    for (method, params) in calls {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        assert!(
            line.is_valid(&request),
            "{request}: {:?}",
            line.iter_errors(&request).map(|e| e.to_string()).collect::<Vec<_>>()
        );
        let number = host.send(method, params);
        let answer = host.answer(number).unwrap();
        assert!(line.is_valid(&answer), "{answer}");
        if let Some(result) = answer.get("result") {
            let validator = of(&format!("{method}.result"));
            let wrong: Vec<_> =
                validator.iter_errors(result).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{method}: {result}: {wrong:?}");
        }
    }
    let question = host.judge("s", "cargo publish")["question"].clone();
    let params = json!({"session": "s", "question": question, "answer": {"reject": "no"}});
    assert!(of("ask.answer.params").is_valid(&params));
    assert!(of("ask.answer.result").is_valid(&host.ok("ask.answer", params)));
    assert!(host.told.len() > 5);
    for told in &host.told {
        assert!(of("event.params").is_valid(told), "{told}");
    }
    // What the server refuses, the schema refuses where a schema can.
    for wrong in [
        json!({"session": "s"}),
        json!({"step": {}}),
        json!({"session": "s", "step": {}, "verdict": "allow"}),
        json!({"session": 7, "step": {}}),
    ] {
        assert!(!of("judge.params").is_valid(&wrong), "{wrong}");
        assert_eq!(host.err("judge", wrong).0, "invalid_params");
    }
    assert!(!of("judge.result").is_valid(&json!({"report": {}})), "a verdict is always there");
    assert!(!line.is_valid(&json!({"jsonrpc": "2.0", "id": 1})));
    assert_eq!(schema["x-errors"].as_array().unwrap().len(), 23);
}
