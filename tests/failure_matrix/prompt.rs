//! Judges, with a model server on loopback that answers well or badly.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::cell::OUTPUT;
use crate::model_server::{Change, Mode, Server};
use crate::nobody::Nobody;
use crate::way::{self, Kind, Needs, Way};

const KEY: &str = "api_key_env = \"HOOKGATE_KEY_THAT_NOBODY_SETS\", ";

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Prompt, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("drip").needs(Needs::Deadline).words("no answer within"),
            way("drip").needs(Needs::DispatchDeadline).words("whole dispatch"),
        ],
        FailureClass::Malformed => vec![
            way("empty").words("it is empty"),
            way("no-body").words("answer is empty"),
            way("prose").words("not one JSON object"),
            way("wrong-nonce").words("wrong nonce"),
            way("more-keys").words("keys that were not requested"),
            way("tool-calls").words("finish_reason"),
            way("with-error").words("`error`"),
            way("content-twice").with_salvaged(VerdictDecision::Deny).words("every key once"),
            way("second-choice").with_salvaged(VerdictDecision::Deny).words("choices"),
            way("prose-deny").with_salvaged(VerdictDecision::Deny),
            way("more-keys-ask").with_salvaged(VerdictDecision::Ask),
            way("wrong-nonce-deny").with_salvaged(VerdictDecision::Deny).words("wrong nonce"),
            way("cut-deny").with_salvaged(VerdictDecision::Deny).words("cut off"),
        ],
        FailureClass::Illegal => {
            vec![way("illegal").more("respond = \"rewrite\", ").words("cannot be patched")]
        }
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep).more("show_limit = 200, ").words("`show_limit`"),
            way("fine").more("show = [\"/tool_input/path\"], ").words("`/tool_input/path`"),
            way("flood").words("more than"),
            way("padded-deny").with_salvaged(VerdictDecision::Deny).words("more than"),
        ],
        FailureClass::Unreachable => {
            vec![
                way("fine").needs(Needs::NoService),
                way("reset"),
                way("reset-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::HttpStatus => {
            vec![
                way("500"),
                way("404"),
                way("redirect"),
                way("500-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::Auth => vec![
            way("401"),
            way("403-ask").with_salvaged(VerdictDecision::Ask),
            way("fine").more(KEY).words("is not set"),
        ],
        FailureClass::Overloaded => vec![way("429")],
        FailureClass::Budget => {
            vec![
                way("fine").more("budget = { session = { calls = 0 } }, ").words("budget of calls"),
            ]
        }
        FailureClass::Unsure => {
            vec![
                way("unsure"),
                way("refusal"),
                way("filter-deny").with_salvaged(VerdictDecision::Deny),
            ]
        }
        FailureClass::Cancelled => {
            vec![way("fine").needs(Needs::Cancelled), way("drip").needs(Needs::CancelledLater)]
        }
        // What is for processes and code in process. A judge is untrusted where a name resolves to
        // what it must not: that has tests with a resolver of their own.
        FailureClass::Spawn
        | FailureClass::Exit
        | FailureClass::Signal
        | FailureClass::Panic
        | FailureClass::Untrusted => Vec::new(),
        class => way::unknown(class),
    }
}

const ALLOW: &str = r#"{"nonce":"NONCE","decision":"allow","reason":"why"}"#;
const DENY: &str = r#"{"nonce":"NONCE","decision":"deny","reason":"why"}"#;

/// What the server of a way answers.
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
        "unsure" => Mode::Says("unsure"),
        "refusal" => Mode::Refusal,
        "filter-deny" => content(DENY, "content_filter"),
        number => Mode::Status(number.parse().expect("an answer or a status")),
    }
}

/// The model servers, one for each way.
pub(crate) struct Models(Vec<(Way, Place)>);

enum Place {
    Server(Server),
    Nobody(Nobody),
}

impl Models {
    pub(crate) async fn start(ways: &[Way]) -> Self {
        let mut models = Vec::new();
        for &way in ways.iter().filter(|way| way.kind == Kind::Prompt) {
            let place = if way.needs == Needs::NoService {
                Place::Nobody(Nobody::new())
            } else {
                Place::Server(Server::start(says(way.how)).await)
            };
            models.push((way, place));
        }
        Self(models)
    }

    /// The line of hooks.toml for a way.
    pub(crate) fn handler(&self, way: Way) -> String {
        let place = self.0.iter().find_map(|(other, place)| (*other == way).then_some(place));
        let url = match place.expect("each way has a server") {
            Place::Server(server) => server.base_url.clone(),
            Place::Nobody(nobody) => nobody.base_url(),
        };
        let more = way.more;
        format!(
            "prompt = {{ {more}model = \"m\", base_url = \"{url}\", prompt = \"No.\", retries = 0, \
             repair = false, cache = false }}"
        )
    }
}
