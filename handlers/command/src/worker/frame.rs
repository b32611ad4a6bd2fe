//! The lines between the engine and a worker: one JSON object each.
//!
//! | direction | line |
//! |---|---|
//! | worker → engine, first | `{"ready":1}` |
//! | engine → worker | `{"id":7,"hook":"guard","envelope":{…}}` |
//! | engine → worker, for a run that is done later | `{"id":7,"hook":"guard","idempotency_key":"…","envelope":{…}}` |
//! | worker → engine | `{"id":7,"verdict":{"decision":"deny","reason":"no"}}` |
//! | worker → engine, if the hook failed | `{"id":7,"error":"ValueError: bad","at":"guard.py:12"}` |
//!
//! The ids are random, so what a step makes a worker print cannot be taken for its answer. Reading is
//! strict: an unknown key, another id or a second object means that the worker is out of step, and no
//! line of it is believed any more. But a decision in such a line is salvaged: damage to a frame never
//! makes the verdict in it weaker.

use hookgate_contract::{Failure, FailureClass, Invocation, Verdict};
use hookgate_secrets::Secrets;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::line_process::LineError;

/// The version of these lines.
pub(super) const PROTOCOL: u64 = 1;

/// The largest integer that every language reads from JSON as it was written (2⁵³ − 1).
const LARGEST_ID: u64 = (1 << 53) - 1;

/// The first line of a worker.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadyLine {
    ready: u64,
}

/// Any other line of a worker: the answer to a call.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WorkerLine<'a> {
    id: u64,
    #[serde(borrow, default)]
    verdict: Option<&'a RawValue>,
    /// What went wrong in the hook, in place of a verdict.
    #[serde(default)]
    error: Option<String>,
    /// The file and the line of the hook that failed, with `error`.
    #[serde(default)]
    at: Option<String>,
}

/// Returns an id that cannot be guessed before the call.
///
/// # Errors
/// If the system has no random numbers.
pub(super) fn random_call_id() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(FailureClass::Spawn, format!("the system has no random numbers: {error}"))
    })?;
    Ok(u64::from_ne_bytes(bytes) & LARGEST_ID)
}

/// Returns the line of a call, with its line break.
pub(super) fn call_line(id: u64, invocation: &Invocation<'_>, envelope: &[u8]) -> Vec<u8> {
    let hook = serde_json::Value::from(invocation.hook);
    let key = invocation
        .idempotency_key()
        .map(|key| format!(r#""idempotency_key":{},"#, serde_json::Value::from(key)));
    let key = key.unwrap_or_default();
    let mut line = format!(r#"{{"id":{id},"hook":{hook},{key}"envelope":"#).into_bytes();
    // Line breaks occur only between the tokens of JSON, where a space means the same.
    line.extend(
        envelope.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }),
    );
    line.extend_from_slice(b"}\n");
    line
}

/// Reads the first line.
///
/// # Errors
/// Of class `spawn` if it is anything but `{"ready":1}`.
pub(super) fn parse_ready(line: &[u8]) -> Result<(), Failure> {
    let spawn = |detail: String| Err(Failure::new(FailureClass::Spawn, detail));
    match serde_json::from_slice::<ReadyLine>(line) {
        Ok(ReadyLine { ready: PROTOCOL }) => Ok(()),
        Ok(ReadyLine { ready }) => spawn(format!(
            "the worker speaks version {ready} of the protocol, hookgate speaks {PROTOCOL}: take \
             the SDK of this version"
        )),
        Err(_) => spawn(
            "the first line of a worker must be {\"ready\":1}: all else goes to stderr".to_owned(),
        ),
    }
}

/// Reads the line that should answer call `id`.
///
/// # Errors
/// The outer error says that the worker is out of step. The inner one is the failure of the hook, or
/// of its verdict; the worker can be used again.
pub(super) fn parse_answer(
    line: &[u8],
    id: u64,
    secrets: &Secrets,
) -> Result<Result<Verdict, Failure>, LineError> {
    let malformed = |detail: String| LineError::out_of_step(detail, line);
    let answer: WorkerLine<'_> = match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text).map_err(|error| {
            malformed(format!(
                "a line of the worker is not {{\"id\":…,\"verdict\":…}}: {error}: print nothing else \
                 to stdout"
            ))
        })?,
        Err(error) => return Err(malformed(format!("a line of the worker is not UTF-8: {error}"))),
    };
    if answer.id != id {
        return Err(malformed(format!(
            "the worker answers call {}, the open call is {id}",
            answer.id
        )));
    }
    Ok(match (answer.verdict, answer.error) {
        (Some(_), None) if answer.at.is_some() => {
            return Err(malformed(
                "the worker's answer has `at`, which goes with `error`".to_owned(),
            ));
        }
        (Some(verdict), None) => Verdict::parse(verdict.get().as_bytes()),
        (None, Some(error)) => {
            let mut detail = format!("the hook failed: {}", beginning(&secrets.hide(&error)));
            if let Some(at) = answer.at {
                detail.push_str(&format!(" ({})", beginning(&secrets.hide(&at))));
            }
            Err(Failure::new(FailureClass::Exit, detail))
        }
        (None, None) => return Err(malformed("the worker's answer has no `verdict`".to_owned())),
        (Some(_), Some(_)) => {
            return Err(malformed("the worker's answer has both `verdict` and `error`".to_owned()));
        }
    })
}

/// Returns the first 200 characters of a text. Secrets must be hidden before.
fn beginning(text: &str) -> String {
    text.trim().chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use hookgate_contract::VerdictDecision;

    use hookgate_contract::payload::SessionEnd;
    use hookgate_contract::{Envelope, StepContext, StepId};

    use super::*;

    fn parse(line: &[u8], id: u64) -> Result<Result<Verdict, Failure>, Failure> {
        parse_answer(line, id, &Secrets::default()).map_err(|error| match error {
            LineError::Protocol(failure) => failure,
            LineError::Died => panic!("a line cannot die"),
        })
    }

    #[test]
    fn a_call_is_one_line() {
        let (payload, context) = (SessionEnd::new("done"), StepContext::new("s"));
        let id = StepId::new(None, String::new);
        let envelope = Envelope::new(&payload, &context, &id, 1, 1 << 20);
        let call = Invocation::new("a\"b", &envelope);
        assert_eq!(
            call_line(7, &call, b"{\n\"x\":1}"),
            b"{\"id\":7,\"hook\":\"a\\\"b\",\"envelope\":{ \"x\":1}}\n"
        );
        assert_eq!(
            call_line(7, &call.keyed("k"), b"{}"),
            b"{\"id\":7,\"hook\":\"a\\\"b\",\"idempotency_key\":\"k\",\"envelope\":{}}\n"
        );
    }

    #[test]
    fn the_id_of_a_call_cannot_be_known_before() {
        let ids: std::collections::BTreeSet<u64> =
            (0..1000).map(|_| random_call_id().unwrap()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(ids.iter().all(|id| *id <= LARGEST_ID));
        assert!(ids.iter().any(|id| *id > 1 << 50));
    }

    #[test]
    fn an_answer_is_read_strictly() {
        let good = br#"{"id":3,"verdict":{"decision":"deny","reason":"no"}}"#;
        assert_eq!(parse(good, 3), Ok(Ok(Verdict::deny("no"))));
        assert_eq!(parse(br#"{"id":3,"verdict":{}}"#, 3), Ok(Ok(Verdict::none())));
        let bad: &[(&[u8], Option<VerdictDecision>)] = &[
            (good, Some(VerdictDecision::Deny)),
            (
                br#"{"id":1,"verdict":{"decision":"deny","reason":"no"}}"#,
                Some(VerdictDecision::Deny),
            ),
            (br#"{"id":9,"verdict": {"Decision":"HALT"}}"#, Some(VerdictDecision::Halt)),
            (br#"{"id":2,"verdict":{"decision":"ask"#, Some(VerdictDecision::Ask)),
            (b"hello", None),
            (b"", None),
            (br#"{"id":2}"#, None),
            (br#"{"id":2,"verdict":null}"#, None),
            (br#"{"id":2,"id":2,"verdict":{}}"#, None),
            (br#"{"id":2,"verdict":{},"verdict":{}}"#, None),
            (br#"{"id":2,"verdict":{},"x":1}"#, None),
            (br#"{"id":2,"verdict":{},"at":"guard.py:1"}"#, None),
            (br#"{"id":2,"verdict":{},"error":"x"}"#, None),
            (b"{\"id\":2,\"verdict\":{\"reason\":\"\xff\"}}", None),
        ];
        for (line, salvaged) in bad {
            let failure = parse(line, 2).unwrap_err();
            assert_eq!(failure.class, FailureClass::Malformed, "{line:?}");
            assert_eq!(failure.salvaged, *salvaged, "{failure:?}");
        }
    }

    #[test]
    fn a_mistake_inside_a_verdict_is_not_a_mistake_of_the_frame() {
        let twice = br#"{"id":1,"verdict":{"decision":"allow","decision":"deny"}}"#;
        let Ok(Err(failure)) = parse(twice, 1) else { panic!("it was accepted") };
        assert_eq!(
            (failure.class, failure.salvaged),
            (FailureClass::Malformed, Some(VerdictDecision::Deny))
        );
        let Ok(Err(failure)) = parse(br#"{"id":1,"error":"boom"}"#, 1) else {
            panic!("it was accepted")
        };
        assert_eq!(
            (failure.class, &*failure.detail),
            (FailureClass::Exit, "the hook failed: boom")
        );
        let line = br#"{"id":1,"error":"boom","at":"guard.py:12"}"#;
        let Ok(Err(failure)) = parse(line, 1) else { panic!("it was accepted") };
        assert_eq!(failure.detail, "the hook failed: boom (guard.py:12)");
    }

    #[test]
    fn a_secret_in_an_error_is_hidden_before_the_error_is_cut() {
        let value = format!("canary-{}", "x".repeat(40));
        let secrets = Secrets::new([("KEY".to_owned(), value.clone())]);
        let line = format!(r#"{{"id":1,"error":"{}{value}"}}"#, "e".repeat(170));
        let Ok(Err(failure)) = parse_answer(line.as_bytes(), 1, &secrets) else { panic!() };
        assert!(failure.detail.contains("[KEY]"), "{failure}");
        assert!(!failure.detail.contains("canary"), "{failure}");
    }

    #[test]
    fn the_first_line_names_the_version() {
        assert!(parse_ready(br#"{"ready":1}"#).is_ok());
        for bad in [&br#"{"ready":2}"#[..], b"{}", b"hello", br#"{"id":1,"verdict":{}}"#] {
            assert_eq!(parse_ready(bad).unwrap_err().class, FailureClass::Spawn);
        }
    }
}
