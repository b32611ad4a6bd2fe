//! Promise: an envelope that cannot be read is an error that says why.

use hookgate::contract::PROTOCOL;
use hookgate::envelope::alias::ALIASES;
use hookgate::envelope::{Incoming, IncomingError};
use serde_json::json;

fn error(text: &str) -> IncomingError {
    Incoming::parse(text.as_bytes()).expect_err(text)
}

#[test]
fn an_envelope_that_cannot_be_read_says_why() {
    use IncomingError::{Header, Json, NoEvent, Protocol, UnknownEvent};
    for bad in [
        "",
        "[]",
        "1",
        "null",
        "{",
        "{} {}",
        "{\"a\":1,\"a\":1}",
        "\u{feff}{}",
        r#"{"hook_event_name":"pre_tool_use","tool_name":"x","tool_input":{"a":1,"a":2}}"#,
    ] {
        assert!(matches!(error(bad), Json(_)), "{bad}: {:?}", error(bad));
    }
    assert!(matches!(Incoming::parse(b"{\"a\":\"\xff\"}"), Err(Json(_))));
    for none in ["{}", r#"{"hook_event_name":null}"#, r#"{"tool_name":"Bash"}"#] {
        assert_eq!(error(none), NoEvent, "{none}");
    }
    let header = |field, expected| Header { field, expected };
    let end = |rest: &str| format!(r#"{{"hook_event_name":"session_end","reason":"x",{rest}}}"#);
    assert_eq!(error(r#"{"hook_event_name":7}"#), header("hook_event_name", "a string"));
    for field in ["step_id", "session_id", "cwd", "agent_id", "agent_type"] {
        assert_eq!(error(&end(&format!("\"{field}\":1"))), header(field, "a string"));
    }
    for turn in ["-1", "1.5", "\"3\"", "[]"] {
        let expected = header("turn", "a whole number, 0 or more");
        assert_eq!(error(&end(&format!("\"turn\":{turn}"))), expected);
    }
    assert_eq!(error(&end("\"host\":[]")), header("host", "an object"));
    for version in [json!(0), json!(2), json!("1"), json!(1.0), json!(null)] {
        assert_eq!(error(&end(&format!("\"protocol\":{version}"))), Protocol(version));
    }
    assert!(Incoming::parse(end(&format!("\"protocol\":{PROTOCOL}")).as_bytes()).is_ok());
    for (name, near) in [
        ("pre_tol_use", Some("pre_tool_use")),
        ("Stop!", Some("stop")),
        ("banana", None),
        ("x.Deploy", None),
        ("", None),
    ] {
        let text = format!(r#"{{"hook_event_name":"{name}"}}"#);
        let UnknownEvent { name: found, near: suggested } = error(&text) else { panic!("{name}") };
        assert_eq!((found.as_str(), suggested.as_deref()), (name, near));
    }
}

#[test]
fn an_alias_is_refused_with_our_name() {
    for alias in ALIASES {
        let text = format!(r#"{{"hook_event_name":"{}"}}"#, alias.name);
        let expected =
            IncomingError::Alias { name: alias.name.into(), event: alias.events[0].name() };
        assert_eq!(error(&text), expected);
    }
}
