//! Promise: the OpenRPC and the OpenAPI document are those of what is really said.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::http_client::{Http, Reply, listening};
use crate::support::{Folder, HOOKS, bash, hello, judge};

const ALL: &[&str] = &["deny", "ask", "halt", "patch", "answer", "context"];

fn printed(folder: &Folder, format: &str) -> Value {
    let output = folder.hookgate(&["schema", format]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What keeps to a schema within a document.
fn validator(document: &Value, schema: &Value) -> Validator {
    let whole = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "components": document["components"],
        "allOf": [schema],
    });
    jsonschema::validator_for(&whole).unwrap()
}

fn keeps(document: &Value, schema: &Value, value: &Value) {
    let validator = validator(document, schema);
    let wrong: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{value}: {wrong:?}");
}

/// Holds an exchange against the OpenAPI document.
fn exchange(document: &Value, route: &str, body: Option<&Value>, reply: &Reply) {
    let (method, path) = route.split_once(' ').unwrap();
    let operation = &document["paths"][path][method.to_lowercase()];
    assert!(operation.is_object(), "{route}");
    if let Some(body) = body.filter(|_| reply.status == 200) {
        keeps(document, &operation["requestBody"]["content"]["application/json"]["schema"], body);
    }
    let response = &operation["responses"][reply.status.to_string()];
    assert!(response.is_object(), "{route} says nothing of {}", reply.status);
    let Some(content) = response["content"].as_object() else {
        return assert!(
            reply.body.is_empty() || reply.status == 403 || reply.status == 421,
            "{reply:?}"
        );
    };
    let kind = reply.header("content-type").unwrap().split(';').next().unwrap();
    let content = content.get(kind).unwrap_or_else(|| panic!("{route}: {kind}"));
    match kind {
        "application/json" => keeps(document, &content["schema"], &reply.json()),
        _ => keeps(document, &content["schema"], &json!(reply.body)),
    }
}

#[test]
fn real_traffic_keeps_to_the_openapi_document_and_other_things_do_not() {
    let folder = Folder::with_hooks(HOOKS);
    let document = printed(&folder, "openapi");
    assert_eq!(document["openapi"], "3.1.0");
    let (_server, http) = listening(&folder, &["--opa", "--allow-replace", "--callers", "3"]);
    let id = http.hello();
    let events: Vec<&str> = hookgate::Event::NAMED.into_iter().map(hookgate::Event::name).collect();
    let told = http.events(&id);
    let deny = json!({"id": "mine", "event": "stop", "builtin": {"name": "deny", "reason": "no"}});
    let late = json!({"session": "s", "step": bash("slow"), "deadline_ms": 20});
    let question = http.call(Some(&id), "judge", &judge("q", "cargo publish")).json();
    let question = question["result"]["question"].clone();
    let calls = [
        ("hello", hello(&events, ALL)),
        ("judge", judge("s", "ls")),
        ("judge", judge("s", "npm install")),
        ("judge", judge("s", "date")),
        ("judge", judge("s", "cargo publish")),
        ("judge", judge("s", "git push --force")),
        ("judge", json!({"session": "s", "step": {}})),
        ("judge", late),
        (
            "judge_batch",
            json!({"items": [{"id": "a", "session": "s", "step": bash("ls")}, {"id": "b"}]}),
        ),
        (
            "observe",
            json!({"session": "s", "step": {"hook_event_name": "session_end", "reason": "x"}}),
        ),
        ("ask.answer", json!({"session": "q", "question": question, "answer": {"reject": "no"}})),
        ("override", json!({"session": "s", "hooks": [deny]})),
        ("override", json!({"session": "s", "disable": ["no-force-push"]})),
        ("session.begin", json!({"session": "t", "lasting": true})),
        ("session.end", json!({"session": "s"})),
        ("replace", json!({"toml": HOOKS})),
        ("status", json!({})),
        ("health", json!({})),
        ("metrics", json!({})),
        ("events", json!({})),
    ];
    let mut statuses = std::collections::BTreeSet::new();
    let mut check = |route: &str, body: Option<&Value>, reply: &Reply| {
        statuses.insert(reply.status);
        exchange(&document, route, body, reply);
    };
    for (method, params) in calls {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let reply = http.call(Some(&id), method, &params);
        check("POST /rpc", Some(&request), &reply);
        if let Some(result) = reply.json().get("result") {
            let schema = json!({"$ref": format!("#/components/schemas/{method}.result")});
            keeps(&document, &schema, result);
        }
    }
    for (route, headers, body) in [
        ("POST /rpc", "x: y", "{"),
        ("POST /rpc", "origin: null", ""),
        ("GET /health", "x: y", ""),
        ("GET /health", "hookgate-caller: 0", ""),
        ("GET /metrics", "x: y", ""),
        ("GET /events", "x: y", ""),
        ("DELETE /rpc", "x: y", ""),
    ] {
        check(route, None, &http.send(route, &[headers], body.as_bytes()));
    }
    let third = http.hello();
    check("POST /rpc", None, &http.call(None, "hello", &hello(&events, ALL)));
    let third = format!("hookgate-caller: {third}");
    check("DELETE /rpc", None, &http.send("DELETE /rpc", &[&third], b""));
    let nobody = Http { token: String::new(), ..http.clone() };
    check("GET /metrics", None, &nobody.get("/metrics"));
    for command in ["ls", "git push --force", "cargo publish"] {
        let mut alone = bash(command);
        alone["session_id"] = json!("o");
        for body in
            [json!({"input": {"session": "o", "step": bash(command)}}), json!({"input": alone})]
        {
            for path in ["/v1/data/hookgate", "/v1/data/hookgate/allow"] {
                let route = format!("POST {path}");
                check(&route, Some(&body), &http.send(&route, &[], body.to_string().as_bytes()));
            }
        }
    }
    let wrong = json!({"input": {}});
    let route = "POST /v1/data/hookgate";
    check(route, None, &http.send(route, &[], wrong.to_string().as_bytes()));
    assert_eq!(statuses.into_iter().collect::<Vec<_>>(), [200, 204, 400, 401, 403, 429, 504]);
    let schema = &document["paths"]["/events"]["get"]["responses"]["200"]["content"]["text/event-stream"]
        ["x-data"];
    for _ in 0..8 {
        let data = told.recv_timeout(crate::support::PATIENCE).unwrap();
        keeps(&document, schema, &serde_json::from_str(&data).unwrap());
    }
    // What is no answer is none for the document.
    let allow = json!({"$ref": "#/components/schemas/opa.answer"});
    let question = json!({"$ref": "#/components/schemas/opa.question"});
    for (schema, wrong) in [
        (&allow, json!({"decision_id": "x"})),
        (&allow, json!({"decision_id": "x", "result": {"verdict": "pass"}})),
        (&allow, json!({"result": {"allow": true}})),
        (&question, json!({})),
        (&question, wrong),
        (&question, json!({"input": {"session": "s", "step": {}, "verdict": "allow"}})),
    ] {
        assert!(!validator(&document, schema).is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn the_openrpc_document_has_every_method_as_it_is_called() {
    let folder = Folder::with_hooks(HOOKS);
    let document = printed(&folder, "openrpc");
    let plain = printed(&folder, "serve");
    let methods = document["methods"].as_array().unwrap();
    let requests = plain["oneOf"].as_array().unwrap();
    let named = |name: &str| methods.iter().find(|method| method["name"] == name);
    let calls =
        requests.iter().filter_map(|request| request["properties"]["method"]["const"].as_str());
    let calls: Vec<&str> = calls.filter(|name| *name != "event").collect();
    assert!(
        calls.len() == methods.len() && calls.iter().all(|name| named(name).is_some()),
        "{calls:?}"
    );
    let (_server, mut host) = crate::support::Host::spawn(&folder);
    for (method, params) in [
        ("judge", judge("s", "ls")),
        ("judge", json!({"session": "s", "step": bash("ls"), "deadline_ms": 500})),
        ("session.begin", json!({"session": "t", "lasting": true})),
        ("override", json!({"session": "s", "disable": []})),
        ("status", json!({})),
    ] {
        let of = named(method).unwrap();
        let described = of["params"].as_array().unwrap();
        for param in described {
            let (name, required) = (param["name"].as_str().unwrap(), &param["required"]);
            let given = params.get(name);
            assert!(given.is_some() || required == &json!(false), "{method} {name}");
            if let Some(given) = given {
                keeps(&document, &param["schema"], given);
            }
        }
        let known = |name: &String| described.iter().any(|param| param["name"] == name.as_str());
        assert!(params.as_object().unwrap().keys().all(known), "{method}");
        keeps(&document, &of["result"]["schema"], &host.ok(method, params));
    }
    // Each of the parameters that it calls needed is.
    let judge = named("judge").unwrap()["params"].as_array().unwrap();
    let needed: Vec<&str> = judge
        .iter()
        .filter(|param| param["required"] == true)
        .map(|param| param["name"].as_str().unwrap())
        .collect();
    assert_eq!(needed, ["session", "step"]);
    let text = document.to_string();
    assert!(!text.contains("#/$defs/"), "a reference that leads nowhere in this document");
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
}
