use super::*;

fn salvaged(text: &str) -> Option<VerdictDecision> {
    let failure = Verdict::parse(text.as_bytes()).expect_err(text);
    assert_eq!(failure.class, FailureClass::Malformed, "{text}");
    failure.salvaged
}

#[test]
fn nothing_is_no_opinion() {
    for silent in ["", " \n", "{}", " {} \n", r#"{"context":[]}"#] {
        assert_eq!(Verdict::parse(silent.as_bytes()), Ok(Verdict::none()), "{silent:?}");
    }
}

#[test]
fn all_parts_are_read() {
    let text = r#"{"decision":"deny","reason":"r","reason_code":"safety_violation",
        "patch":{"tool_input":{"a":1}},"context":["c"],"message":"m",
        "answer":{"content":"x","is_error":true},
        "contributions":[{"kind":"audit","event_kind":"seen"}],
        "annotations":{"k":"v"},"payload":null}"#;
    let verdict = Verdict::parse(text.as_bytes()).unwrap();
    let parts = verdict.parts().unwrap();
    assert_eq!(parts.decision, Some(VerdictDecision::Deny));
    assert_eq!(parts.reason_code, Some(ReasonCode::SafetyViolation));
    assert_eq!(parts.context, ["c"]);
    assert_eq!(parts.payload, Some(Value::Null));
    assert!(parts.answer.as_ref().unwrap().is_error);
    assert_eq!(parts.contributions.len(), 1);
}

#[test]
fn everything_else_is_malformed() {
    for bad in [
        "[]",
        "\"deny\"",
        "null",
        "deny",
        "{} {}",
        "{}x",
        "\u{feff}{}",
        "{\"decision\":null}",
        "{\"decision\":\"approve\"}",
        "{\"patch\":null}",
        "{\"context\":\"text\"}",
        "{\"reason\":\"why\"}",
        "{\"reason_code\":\"policy_violation\"}",
        "{\"decision\":\"allow\",\"reason_code\":\"timeout\"}",
        "{\"decision\":\"allow\",\"decision\":\"allow\"}",
        "{\"decison\":\"deny\"}",
        "{\"answer\":{\"content\":1,\"more\":2}}",
        "{\"contributions\":[{\"kind\":\"audit\"}]}",
        "{\"contributions\":[{\"kind\":\"audit\",\"event_kind\":\"e\",\"x\":1}]}",
    ] {
        assert_eq!(salvaged(bad), None, "{bad}");
    }
    assert!(Verdict::parse(b"{\"message\":\"\xff\"}").is_err());
    let deep = format!("{{\"payload\":{}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(salvaged(&deep), None);
}

#[test]
fn a_decision_is_salvaged_from_a_damaged_verdict() {
    for (text, decision) in [
        ("{\"decision\":\"deny\",\"reason\":42}", VerdictDecision::Deny),
        ("{\"decision\":\"deny\",\"surprise\":1}", VerdictDecision::Deny),
        // In the words of other agents.
        ("{\"decision\":\"block\"}", VerdictDecision::Deny),
        ("{\"decision\":\"block\"", VerdictDecision::Deny),
        ("{\"permission\":\"ask\"}", VerdictDecision::Ask),
        ("{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}", VerdictDecision::Deny),
        ("{\"decision\":\"ask\"} and more", VerdictDecision::Ask),
        ("{\"decision\":\"allow\"}{\"decision\":\"halt\"}", VerdictDecision::Halt),
        ("{\"decision\":\"allow\",\"decision\":\"deny\"}", VerdictDecision::Deny),
        ("\u{feff}{\"decision\":\"deny\"}", VerdictDecision::Deny),
        ("{\"decision\":\"deny\",\"reason\":\"cut o", VerdictDecision::Deny),
        ("{\"x\":1,\"decision\":\"deny\"}", VerdictDecision::Deny),
        ("{\"reason\":\"two\nlines\",\"decision\":\"deny\"}", VerdictDecision::Deny),
        ("{\"reason\":\"a \"b\" c\", \"decision\" : \"halt\"}", VerdictDecision::Halt),
        ("echo {\"decision\":\"ask\"}", VerdictDecision::Ask),
        ("[{\"decision\":\"deny\"}]", VerdictDecision::Deny),
        ("{\"decision\":\"Deny\"}", VerdictDecision::Deny),
        ("{\"Decision\":\"HALT \"}", VerdictDecision::Halt),
        ("{\"DECISION\" : \"Ask\"} more", VerdictDecision::Ask),
        ("{\"decision\":\"den", VerdictDecision::Allow),
        ("{\"decision\":\"deny", VerdictDecision::Deny),
        // As a string, as a dictionary of Python, as YAML, in UTF-16.
        (r#""{\"decision\":\"deny\"}""#, VerdictDecision::Deny),
        ("{'decision': 'deny'}", VerdictDecision::Deny),
        ("decision: ask", VerdictDecision::Ask),
        ("{\0\"\0d\0e\0c\0i\0s\0i\0o\0n\0\"\0:\0\"\0d\0e\0n\0y\0\"\0}\0", VerdictDecision::Deny),
    ] {
        if decision == VerdictDecision::Allow {
            assert_eq!(salvaged(text), None, "{text}");
            continue;
        }
        assert_eq!(salvaged(text), Some(decision), "{text}");
    }
    let failure = Verdict::parse(b"{\"reason\":\"\xff\",\"decision\":\"deny\"}").unwrap_err();
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
    assert_eq!(salvaged("{\"decision\":\"allow\",\"surprise\":1}"), None);
    assert_eq!(salvaged("indecision: deny"), None);
    assert_eq!(salvaged("{\"decision\":\"ALLOW\"}"), None);
    // What can be read is not searched: there it is no decision.
    assert_eq!(salvaged("{\"patch\":{\"decision\":\"deny\"},\"surprise\":1}"), None);
}

/// Many small values used to be searched again and again for the line of each: of this text that would take hours.
#[test]
fn the_search_for_a_decision_goes_once_through_the_text() {
    for part in ["1 ", "{}", "\"decision\":\"", "\"decision\"  ", "[", "{\"decision\":"] {
        let text = part.repeat((1 << 23) / part.len());
        assert!(Verdict::parse(text.as_bytes()).is_err(), "{part:?}");
        assert_eq!(Verdict::salvage_anywhere(text.as_bytes()), None, "{part:?}");
    }
}

#[test]
fn messages_tell_what_to_do() {
    let typo = Verdict::parse(br#"{"decison":"deny"}"#).unwrap_err();
    assert_contains(&typo.detail, "did you mean `decision`?");
    let foreign = Verdict::parse(br#"{"hookSpecificOutput":{}}"#).unwrap_err();
    assert_contains(&foreign.detail, "another agent");
    let block = Verdict::parse(br#"{"decision":"block"}"#).unwrap_err();
    assert_contains(&block.detail, "another agent");
}

fn assert_contains(text: &str, part: &str) {
    assert!(text.contains(part), "{text}");
}

#[test]
fn texts_are_changed_and_data_stays() {
    let verdict = |text: &str| {
        Verdict::deny(format!("no: {text}"))
            .context(text)
            .message(text)
            .annotate("seen", serde_json::json!([{"value": text}]))
            .patch("header", "hunter2-x")
    };
    let changed = verdict("hunter2-x").map_texts(|text| text.replace("hunter2-x", "[K]"));
    assert_eq!(changed, verdict("[K]"));
}

#[test]
fn many_values_are_salvaged_in_linear_time() {
    // A control for the loop: the strictest decision of many values counts, before and behind damage.
    let mut text = "{} 1 ".repeat(1000);
    text.push_str(r#"{"decision":"ask"} {"decision":"deny","x":[}"#);
    assert_eq!(Verdict::parse(text.as_bytes()).unwrap_err().salvaged, Some(VerdictDecision::Deny));
}

#[test]
fn a_decision_inside_of_something_else_is_found_if_it_stops() {
    let anywhere = |text: &str| Verdict::salvage_anywhere(text.as_bytes());
    assert_eq!(anywhere(r#"{"result":{"decision":"deny"}}"#), Some(VerdictDecision::Deny));
    assert_eq!(anywhere(r#"[[{"decision":"ask"}]"#), Some(VerdictDecision::Ask));
    assert_eq!(anywhere(r#"{"result":{"decision":"allow"}}"#), None);
}

#[test]
fn a_patch_is_a_map_by_name() {
    let mut patch = Patch::new();
    assert!(patch.is_empty());
    for (name, value) in [("b", 2), ("c", 3), ("a", 1)] {
        assert_eq!(patch.insert(name, Value::from(value)), None);
    }
    assert_eq!(patch.insert("b", Value::from(20)), Some(Value::from(2)));
    assert_eq!(patch.len(), 3);
    assert_eq!(patch.keys().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(patch.values().collect::<Vec<_>>(), [1, 20, 3]);
    assert_eq!(patch.iter().last(), Some(("c", &Value::from(3))));
    assert_eq!((patch.get("b"), patch.get("d")), (Some(&Value::from(20)), None));
    assert_eq!((&patch["a"], &patch["d"]), (&Value::from(1), &Value::Null));
    *patch.get_mut("a").unwrap() = Value::from(10);
    assert_eq!(patch.get_mut("d"), None);
    assert_eq!((patch.remove("a"), patch.remove("a")), (Some(Value::from(10)), None));
    patch.clear();
    assert_eq!((patch.is_empty(), patch.len()), (true, 0));
}
