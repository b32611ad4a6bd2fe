//! Systems and protocols beside the agents: what they are told, and what their scripts say.

use hookgate_contract::VerdictDecision::{Allow, Ask, Deny, Halt};
use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, ScriptOutput};
use hookgate_contract::{FailureClass, VerdictDecision};
use hookgate_dialects::of_systems;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::samples::{SYSTEMS, dialect, ours, step};
use crate::scripts::check;

#[test]
fn scripts_for_docker_agent() {
    let specific = r#"{"hook_specific_output":{"permission_decision":"ask","permission_decision_reason":"q"}}"#;
    check(
        "docker-agent",
        &[
            ("pre_tool_use", 0, "", "", ""),
            ("pre_tool_use", 2, r#"{"decision":"allow"}"#, "no\n", "deny: no"),
            ("pre_tool_use", 1, "", "boom", "exit"),
            ("pre_tool_use", 0, r#"{"decision":"block","reason":"r"}"#, "", "deny: r"),
            ("pre_tool_use", 0, r#"{"continue":false,"stop_reason":"s"}"#, "", "deny: s"),
            ("pre_tool_use", 0, r#"{"decision":"allow"}"#, "", "malformed"),
            ("pre_tool_use", 0, r#"{"DECISION":"block"}"#, "", "malformed after deny"),
            ("pre_tool_use", 0, "log\n{\"decision\":\"block\"}", "", "malformed after deny"),
            ("pre_tool_use", 0, specific, "", "ask: q"),
            // A patch changes single arguments; all others stay.
            (
                "pre_tool_use",
                0,
                r#"{"hook_specific_output":{"updated_input":{"command":"x"}}}"#,
                "",
                r#"tool_input={"command":"x","file_path":"/w/a","list":["one",2]}"#,
            ),
            // An allow is advice there.
            (
                "tool_guard",
                0,
                r#"{"hook_specific_output":{"permission_decision":"allow"}}"#,
                "",
                "",
            ),
            ("session_start", 0, "node 22\n", "", "context: node 22"),
            ("session_start", 2, "", "no", "message: no"),
            ("turn_start", 0, "node 22\n", "", "context: node 22"),
            ("user_followup_submit", 0, "node 22\n", "", "context: node 22"),
            ("stop", 0, "node 22\n", "", ""),
            ("pre_tool_use", 0, "node 22\n", "", ""),
            ("pre_compact", 0, "keep the plan\n", "", r#"custom_instructions="keep the plan""#),
            ("worktree_create", 0, "made\n", "", "message: made"),
            ("turn_end", 2, "", "no", "message: no"),
            ("post_tool_use", 0, "text", "", ""),
            ("post_tool_use", 2, "", "enough", "halt: enough"),
            (
                "tool_response_transform",
                0,
                r#"{"hook_specific_output":{"updated_tool_response":""}}"#,
                "",
                r#"tool_response="""#,
            ),
            ("before_llm_call", 0, r#"{"hook_specific_output":{"updated_messages":[]}}"#, "", ""),
            (
                "before_compaction",
                0,
                r#"{"hook_specific_output":{"summary":"short"}}"#,
                "",
                r#"summary="short""#,
            ),
        ],
    );
}

#[test]
fn scripts_for_meerkat() {
    let deny = r#"{"decision":{"decision":"deny","hook_id":"h","reason_code":"policy_violation","message":"r"}}"#;
    check(
        "meerkat",
        &[
            ("pre_tool_execution", 0, "{}", "", ""),
            ("pre_tool_execution", 0, "", "", "malformed"),
            ("pre_tool_execution", 0, "fine", "", "malformed"),
            ("pre_tool_execution", 0, deny, "", "deny: r"),
            ("pre_tool_execution", 1, deny, "", "exit after deny"),
            ("pre_tool_execution", 2, "", "no", "exit"),
            ("pre_tool_execution", 0, r#"{"decision":{"decision":"allow"}}"#, "", "allow"),
            (
                "pre_tool_execution",
                0,
                r#"{"decision":{"decision":"deny","message":"r"}}"#,
                "",
                "malformed after deny",
            ),
            ("pre_tool_execution", 0, r#"{"reason":"r"}"#, "", "malformed"),
            (
                "pre_tool_execution",
                0,
                r#"{"patches":[{"patch_type":"tool_args","args":{"command":"x"}}]}"#,
                "",
                r#"tool_input={"command":"x"}"#,
            ),
            (
                "post_llm_response",
                0,
                r#"{"patches":[{"patch_type":"assistant_text","text":"t"}]}"#,
                "",
                r#"assistant_text="t""#,
            ),
            ("post_tool_execution", 0, r#"{"patches":[{"patch_type":"odd"}]}"#, "", "malformed"),
        ],
    );
}

#[test]
fn scripts_for_defect() {
    check(
        "defect",
        &[
            ("before_tool_apply", 0, "", "", ""),
            ("before_tool_apply", 0, "fine", "", ""),
            ("before_tool_apply", 2, "", "no\n", "deny: no"),
            ("before_tool_apply", 1, "", "boom", "exit"),
            (
                "before_tool_apply",
                0,
                r#"{"control":"veto","additional_context":["r"]}"#,
                "",
                "deny: r",
            ),
            (
                "before_tool_apply",
                0,
                r#"{"control":"proceed","args":{"a":1}}"#,
                "",
                r#"tool_input={"a":1}"#,
            ),
            ("before_tool_apply", 0, r#"{"args":null}"#, "", ""),
            // defect would run the tool.
            ("before_tool_apply", 0, r#"{"control":"skip"}"#, "", "malformed after deny"),
            ("before_tool_apply", 0, r#"{"control":"vetoo"}"#, "", "malformed"),
            (
                "before_tool_apply",
                0,
                r#"{"result":{"kind":"text","text":"cached"}}"#,
                "",
                r#"answer="cached""#,
            ),
            ("before_turn_end", 2, "", "test first", "deny: test first"),
            (
                "before_turn_end",
                0,
                r#"{"control":"continue","additional_context":["test first"]}"#,
                "",
                "deny: test first",
            ),
            ("before_turn_end", 0, r#"{"control":"break"}"#, "", ""),
            ("before_compact", 0, r#"{"control":"skip"}"#, "", "deny: denied by a hook"),
            ("before_compact", 0, r#"{"control":"break"}"#, "", ""),
            ("after_tool_apply", 0, r#"{"additional_context":["c"]}"#, "", "context: c"),
            ("after_tool_apply", 0, r#"{"additional_context":"c"}"#, "", "malformed"),
            ("after_tool_batch", 0, r#"{"control":"break"}"#, "", "halt: denied by a hook"),
            ("before_ingest", 0, r#"{"input":["a","b"]}"#, "", r#"prompt="a\nb""#),
            ("before_generate", 0, r#"{"assistant":"cached"}"#, "", r#"answer="cached""#),
        ],
    );
}

fn step_of_ours() -> Map<String, Value> {
    ours("pre_tool_use")
}

#[test]
fn a_backend_of_ahp_is_asked_and_answers() {
    let ahp = dialect("ahp");
    let input = ahp.write(&step_of_ours()).unwrap();
    let sent = &input.envelope;
    assert_eq!((&sent["method"], &sent["jsonrpc"]), (&json!("hooks/intercept"), &json!("2.0")));
    assert_eq!(sent["id"], sent["params"]["event"]["id"]);
    assert_eq!(sent["params"]["capabilities"], json!({"effects": ["deny"]}));
    let event = &sent["params"]["event"];
    assert_eq!(event["type"], "tool.before");
    assert_eq!(event["session"], json!({"id": "s-1", "cwd": "/w"}));
    assert_eq!(event["tool"]["name"], "a_tool");
    assert!(event["time"].as_str().unwrap().ends_with('Z'));

    let reply = |id: &Value, rest: Value| {
        let mut answer = json!({"jsonrpc": "2.0", "id": id});
        answer.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        ahp.reply(&input, &ScriptOutput::new(0, answer.to_string().as_bytes(), ""))
    };
    let result =
        |effects: Value| json!({"result": {"protocolVersion": "draft", "effects": effects}});
    let id = &sent["id"];
    assert!(reply(id, result(json!([]))).unwrap().parts().is_none());
    let denied = reply(id, result(json!([{"type": "deny", "reason": "r"}]))).unwrap();
    assert_eq!(denied.parts().unwrap().decision, Some(Deny));
    // What the request did not name, another id, an error and two effects are failures.
    for (id, rest) in [
        (id, result(json!([{"type": "allow"}]))),
        (&json!("other"), result(json!([]))),
        (id, json!({"error": {"code": -32_603, "message": "no"}})),
        (id, result(json!([{"type": "deny", "reason": "a"}, {"type": "deny", "reason": "b"}]))),
        (id, result(json!([{"type": "deny"}]))),
    ] {
        assert_eq!(reply(id, rest).unwrap_err().class, FailureClass::Malformed);
    }
}

fn answer(agent: &str, event: &str, decision: Option<VerdictDecision>) -> HostAnswer {
    let dialect = dialect(agent);
    let step = step(agent, dialect.event(event).unwrap());
    let none = Map::new();
    dialect.answer(&step, &HostDecision::new(decision, Some("why"), &none))
}

#[test]
fn each_is_denied_in_its_own_words() {
    let said = |agent, event, decision| {
        let answer = answer(agent, event, decision);
        assert_eq!(answer.exit, 0, "{answer:?}");
        serde_json::from_str::<Value>(&answer.stdout).unwrap_or_default()
    };
    assert_eq!(
        said("docker-agent", "tool_guard", Some(Deny)),
        json!({"decision": "block", "reason": "why"})
    );
    assert_eq!(
        said("docker-agent", "pre_tool_use", Some(Ask))["hook_specific_output"],
        json!({"hook_event_name": "pre_tool_use", "permission_decision": "ask", "permission_decision_reason": "why"})
    );
    assert_eq!(
        said("docker-agent", "tool_response_transform", Some(Deny))["hook_specific_output"]["updated_tool_response"],
        "why"
    );
    assert_eq!(said("docker-agent", "tool_guard", None), Value::Null);
    assert_eq!(said("meerkat", "pre_tool_execution", Some(Deny))["decision"]["message"], "why");
    assert_eq!(said("meerkat", "pre_tool_execution", None), json!({}));
    let id = step("ahp", &dialect("ahp").events()[0]).native["id"].clone();
    assert_eq!(
        said("ahp", "tool.before", Some(Deny)),
        json!({"jsonrpc": "2.0", "id": id, "result": {"protocolVersion": "draft", "effects": [{"type": "deny", "reason": "why"}]}})
    );
    let veto = answer("defect", "before_tool_apply", Some(Deny));
    assert_eq!((veto.exit, veto.stderr.as_str()), (2, "why"));
}

/// docker agent merges a patch of the arguments, so one cannot be taken away.
#[test]
fn an_argument_that_cannot_be_taken_away_is_a_deny() {
    let dialect = dialect("docker-agent");
    let step = step("docker-agent", dialect.event("pre_tool_use").unwrap());
    for (input, denied) in [
        (json!({"command": "ls"}), true),
        (json!({"command": "ls -l", "file_path": "/w/a", "list": [], "more": 1}), false),
    ] {
        let patch: Map<String, Value> =
            [("tool_input".to_owned(), input.clone())].into_iter().collect();
        let answer = dialect.answer(&step, &HostDecision::new(None, None, &patch));
        let said: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(said["decision"] == "block", denied, "{said}");
        assert_eq!(!answer.losses.is_empty(), denied);
        assert!(denied || said["hook_specific_output"]["updated_input"] == input, "{said}");
    }
}

/// What was decided comes back if a script of the same system says it.
fn places() -> Vec<(&'static str, usize)> {
    SYSTEMS
        .iter()
        .flat_map(|name| (0..dialect(name).events().len()).map(move |index| (*name, index)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Each system reads its own deny as a deny, and nothing else as one.
    #[test]
    fn a_decision_is_read_as_it_was_said(
        place in proptest::sample::select(places()),
        decision in proptest::option::of(proptest::sample::select(vec![Allow, Ask, Deny, Halt])),
        reason in "[ a-z]{0,12}",
    ) {
        let (agent, index) = place;
        let dialect = dialect(agent);
        let event = &dialect.events()[index];
        let step = step(agent, event);
        let none = Map::new();
        let answer = dialect.answer(&step, &HostDecision::new(decision, Some(&reason), &none));
        let input = dialect.write(&step.envelope).unwrap();
        let output = ScriptOutput::new(answer.exit.into(), answer.stdout.as_bytes(), &answer.stderr);
        let reply = dialect.reply(&input, &output);
        let said = reply.as_ref().unwrap().parts().and_then(|parts| parts.decision);
        let refuses = decision >= Some(Deny);
        // A result is hidden by another one there.
        let by_text = event.name == "tool_response_transform";
        let by = if decision == Some(Halt) { HostEffect::Halt } else { HostEffect::KeepGoing };
        let obeys = event.can(HostEffect::Deny) || event.can(by);
        if refuses && obeys && !by_text {
            prop_assert!(said >= Some(Deny), "{agent} {}: {answer:?} is {reply:?}", event.name);
        }
        if decision.is_none() {
            prop_assert_eq!(said, None, "{} {}: {:?}", agent, event.name, answer);
        }
        if refuses && !obeys {
            prop_assert!(!answer.losses.is_empty(), "{agent} {}", event.name);
        }
    }
}

#[test]
fn a_step_that_could_not_be_judged_is_refused_where_it_can_be() {
    for dialect in of_systems() {
        for event in dialect.events() {
            let answer = dialect.refuse(Some(event.name), "hookgate has no config");
            let says = !answer.stdout.is_empty() && answer.stdout != "{}" || answer.exit == 2;
            assert_eq!(says, event.fails_closed(), "{} {}: {answer:?}", dialect.name(), event.name);
        }
        assert!(!dialect.refuse(None, "why").stderr.is_empty());
    }
}
