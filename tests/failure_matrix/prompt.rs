//! Judges, with a model server on loopback that answers well or badly.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::cell::OUTPUT;
use crate::fault::{self, Fault, Kind, Needs};
use crate::model_server::{Change, Mode, Server};
use crate::unused_port::UnusedPort;

const KEY: &str = "api_key_env = \"HOOKGATE_KEY_THAT_NOBODY_SETS\", ";

pub(crate) fn faults(class: FailureClass) -> Vec<Fault> {
    let fault = |how| Fault::new(Kind::Prompt, class, how);
    match class {
        FailureClass::Timeout => vec![
            fault("drip").needs(Needs::Deadline).detail("no answer within"),
            fault("drip").needs(Needs::DispatchDeadline).detail("whole dispatch"),
        ],
        FailureClass::Malformed => vec![
            fault("empty").detail("it is empty"),
            fault("no-body").detail("answer is empty"),
            fault("prose").detail("not one JSON object"),
            fault("wrong-nonce").detail("wrong nonce"),
            fault("more-keys").detail("keys that were not requested"),
            fault("tool-calls").detail("finish_reason"),
            fault("with-error").detail("`error`"),
            fault("content-twice").with_salvaged(VerdictDecision::Deny).detail("every key once"),
            fault("second-choice").with_salvaged(VerdictDecision::Deny).detail("choices"),
            fault("prose-deny").with_salvaged(VerdictDecision::Deny),
            fault("more-keys-ask").with_salvaged(VerdictDecision::Ask),
            fault("wrong-nonce-deny").with_salvaged(VerdictDecision::Deny).detail("wrong nonce"),
            fault("cut-deny").with_salvaged(VerdictDecision::Deny).detail("cut off"),
        ],
        FailureClass::Illegal => {
            vec![fault("illegal").more("respond = \"rewrite\", ").detail("cannot be patched")]
        }
        FailureClass::Oversize => vec![
            fault("fine").needs(Needs::LargeStep).more("show_limit = 200, ").detail("`show_limit`"),
            fault("fine").more("show = [\"/tool_input/path\"], ").detail("`/tool_input/path`"),
            fault("flood").detail("more than"),
            fault("padded-deny").with_salvaged(VerdictDecision::Deny).detail("more than"),
        ],
        FailureClass::Unreachable => {
            vec![
                fault("fine").needs(Needs::NoService),
                fault("reset"),
                fault("reset-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::HttpStatus => {
            vec![
                fault("500"),
                fault("404"),
                fault("redirect"),
                fault("500-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::Auth => vec![
            fault("401"),
            fault("403-ask").with_salvaged(VerdictDecision::Ask),
            fault("fine").more(KEY).detail("is not set"),
        ],
        FailureClass::Overloaded => vec![fault("429")],
        FailureClass::Budget => {
            vec![
                fault("fine")
                    .more("budget = { session = { calls = 0 } }, ")
                    .detail("budget of calls"),
            ]
        }
        FailureClass::Unsure => {
            vec![
                fault("unsure"),
                fault("refusal"),
                fault("filter-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::Cancelled => {
            vec![fault("fine").needs(Needs::Cancelled), fault("drip").needs(Needs::CancelledLater)]
        }
        // What is for processes and code in process. A judge is untrusted where a name resolves to
        // what it must not: that has tests with a resolver of their own.
        FailureClass::Spawn
        | FailureClass::Exit
        | FailureClass::Signal
        | FailureClass::Panic
        | FailureClass::Untrusted
        | FailureClass::State
        | FailureClass::Unclear => Vec::new(),
        class => fault::unknown(class),
    }
}

const ALLOW: &str = r#"{"nonce":"NONCE","decision":"allow","reason":"why"}"#;
const DENY: &str = r#"{"nonce":"NONCE","decision":"deny","reason":"why"}"#;

/// What the server of a fault answers.
fn says(how: &str) -> Mode {
    let content = |text: &str, finish| Mode::Content(text.to_owned(), finish);
    let body = |status, text: &str, change| Mode::Body(status, "", text.to_owned(), change);
    let ask = DENY.replace("deny", "ask");
    match how {
        "fine" => content(ALLOW, "stop"),
        "drip" => Mode::Drip,
        "empty" => Mode::Empty,
        "no-body" => Mode::NoBody,
        "prose" => Mode::Prose,
        "wrong-nonce" => Mode::WrongNonce,
        "more-keys" => Mode::MoreKeys,
        "tool-calls" => content(ALLOW, "tool_calls"),
        "with-error" => body(200, ALLOW, Change::WithError),
        "content-twice" => body(200, DENY, Change::ContentTwice),
        "second-choice" => body(200, DENY, Change::SecondChoice),
        "prose-deny" => content(&format!("I think: {DENY}"), "stop"),
        "more-keys-ask" => content(&ask.replacen('{', "{\"sure\":1,", 1), "stop"),
        "wrong-nonce-deny" => content(&DENY.replace("NONCE", "0"), "stop"),
        "cut-deny" => content(&DENY[..DENY.len() - 3], "length"),
        "illegal" => content(r#"{"nonce":"NONCE","patch":"{\"tool_name\":\"x\"}"}"#, "stop"),
        "flood" => Mode::Huge,
        "padded-deny" => body(200, DENY, Change::Padded(OUTPUT)),
        "reset" => Mode::Reset,
        "reset-deny" => body(200, DENY, Change::BrokenOff),
        "500-deny" => body(500, DENY, Change::None),
        "403-ask" => body(403, &ask, Change::None),
        "redirect" => Mode::Redirect,
        "429" => Mode::RetryAfter(3600),
        "unsure" => Mode::Decision("unsure"),
        "refusal" => Mode::Refusal,
        "filter-deny" => content(DENY, "content_filter"),
        number => Mode::Status(number.parse().expect("an answer or a status")),
    }
}

/// The model servers, one for each fault.
pub(crate) struct Models(Vec<(Fault, Target)>);

enum Target {
    Server(Server),
    UnusedPort(UnusedPort),
}

impl Models {
    pub(crate) async fn start(faults: &[Fault]) -> Self {
        let mut models = Vec::new();
        for &fault in faults.iter().filter(|fault| fault.kind == Kind::Prompt) {
            let target = if fault.needs == Needs::NoService {
                Target::UnusedPort(UnusedPort::new())
            } else {
                Target::Server(Server::start(says(fault.how)).await)
            };
            models.push((fault, target));
        }
        Self(models)
    }

    /// The line of hooks.toml for a fault.
    pub(crate) fn handler(&self, fault: Fault) -> String {
        let target = self.0.iter().find_map(|(other, target)| (*other == fault).then_some(target));
        let url = match target.expect("each fault has a server") {
            Target::Server(server) => server.base_url.clone(),
            Target::UnusedPort(port) => port.base_url(),
        };
        let more = fault.more;
        format!(
            "prompt = {{ {more}model = \"m\", base_url = \"{url}\", prompt = \"No.\", retries = 0, \
             repair = false, cache = false }}"
        )
    }
}
