use super::*;

fn stands(text: &str) -> Option<Word> {
    let failure = Verdict::parse(text.as_bytes()).expect_err(text);
    assert_eq!(failure.class, FailureClass::Malformed, "{text}");
    failure.stands
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
    assert_eq!(parts.decision, Some(Word::Deny));
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
        "{\"decision\":\"Deny\"}",
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
        assert_eq!(stands(bad), None, "{bad}");
    }
    assert!(Verdict::parse(b"{\"message\":\"\xff\"}").is_err());
    let deep = format!("{{\"payload\":{}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(stands(&deep), None);
}

#[test]
fn a_decision_stands_in_a_damaged_verdict() {
    for (text, word) in [
        ("{\"decision\":\"deny\",\"reason\":42}", Word::Deny),
        ("{\"decision\":\"deny\",\"surprise\":1}", Word::Deny),
        // In the words of other agents.
        ("{\"decision\":\"block\"}", Word::Deny),
        ("{\"decision\":\"block\"", Word::Deny),
        ("{\"permission\":\"ask\"}", Word::Ask),
        ("{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}", Word::Deny),
        ("{\"decision\":\"ask\"} and more", Word::Ask),
        ("{\"decision\":\"allow\"}{\"decision\":\"halt\"}", Word::Halt),
        ("{\"decision\":\"allow\",\"decision\":\"deny\"}", Word::Deny),
        ("\u{feff}{\"decision\":\"deny\"}", Word::Deny),
        ("{\"decision\":\"deny\",\"reason\":\"cut o", Word::Deny),
        ("{\"x\":1,\"decision\":\"deny\"}", Word::Deny),
        ("{\"reason\":\"two\nlines\",\"decision\":\"deny\"}", Word::Deny),
        ("{\"reason\":\"a \"b\" c\", \"decision\" : \"halt\"}", Word::Halt),
        ("echo {\"decision\":\"ask\"}", Word::Ask),
        ("[{\"decision\":\"deny\"}]", Word::Deny),
    ] {
        assert_eq!(stands(text), Some(word), "{text}");
    }
    let failure = Verdict::parse(b"{\"reason\":\"\xff\",\"decision\":\"deny\"}").unwrap_err();
    assert_eq!(failure.stands, Some(Word::Deny));
    assert_eq!(stands("{\"decision\":\"allow\",\"surprise\":1}"), None);
    // What can be read is not searched: there it is no decision.
    assert_eq!(stands("{\"patch\":{\"decision\":\"deny\"},\"surprise\":1}"), None);
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
