//! Services, real ones on loopback.

use std::path::Path;

use hookgate::config::Loader;
use hookgate::contract::VerdictDecision;
use hookgate::{
    Engine, FailureClass, Gate, HandlerTable, HookEngine, Mode, Outcome, Posture, StepContext,
};

use crate::cell::{Asked, Cell, OUTPUT};
use crate::nobody::Nobody;
use crate::place::PRE_TOOL_USE;
use crate::service::{Mode as Says, Service};
use crate::support;
use crate::way::{self, Kind, Needs, Way};

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Http, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("never").needs(Needs::Deadline),
            way("drip").needs(Needs::Deadline),
            way("interim").needs(Needs::Deadline),
            way("never").needs(Needs::DispatchDeadline),
        ],
        FailureClass::Malformed => vec![
            way("malformed"),
            way("twice"),
            way("malformed-ask").with_salvaged(VerdictDecision::Ask),
            way("malformed-deny").with_salvaged(VerdictDecision::Deny),
            way("cut-deny").with_salvaged(VerdictDecision::Deny),
            way("cut"),
            way("empty"),
            way("silent").more("silence = \"failure\", "),
            way("html"),
            way("html-deny").with_salvaged(VerdictDecision::Deny),
            way("gzip"),
            way("other-request").more("request_id = true, ").with_salvaged(VerdictDecision::Deny),
            way("garbage"),
            way("huge-header"),
        ],
        FailureClass::Illegal => {
            vec![way("illegal"), way("illegal-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep),
            way("flood"),
            way("too-long").with_salvaged(VerdictDecision::Deny),
        ],
        FailureClass::Unreachable => vec![
            way("fine").needs(Needs::NoService),
            way("fine").needs(Needs::NoService).more("idempotent = true, "),
            way("close"),
            way("reset"),
        ],
        FailureClass::HttpStatus => {
            vec![
                way("500"),
                way("429"),
                way("307"),
                way("500-ask").with_salvaged(VerdictDecision::Ask),
            ]
        }
        FailureClass::Auth => {
            vec![way("401"), way("403"), way("403-deny").with_salvaged(VerdictDecision::Deny)]
        }
        FailureClass::Untrusted => vec![way("fine").needs(Needs::NoOptIn)],
        FailureClass::Cancelled => {
            vec![way("fine").needs(Needs::Cancelled), way("never").needs(Needs::CancelledLater)]
        }
        // What is for processes, judges and code in process.
        FailureClass::Spawn
        | FailureClass::Exit
        | FailureClass::Signal
        | FailureClass::Overloaded
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure => Vec::new(),
        class => way::unknown(class),
    }
}

/// What the service of a way answers.
fn says(how: &str) -> Says {
    let verdict = |text: &str| Says::Verdict(text.to_owned());
    let status = |status, headers| Says::Status(status, headers, "{}".to_owned());
    let deny = || r#"{"decision":"deny","reason":"r"}"#.to_owned();
    match how {
        "fine" => verdict("{}"),
        "never" => Says::Never,
        "drip" => Says::Drip,
        "interim" => Says::Interim,
        "malformed" => verdict(way::MALFORMED),
        "malformed-ask" => verdict(way::MALFORMED_ASK),
        "malformed-deny" => verdict(way::MALFORMED_DENY),
        "twice" => verdict(r#"{"decision":"allow"}{"decision":"allow"}"#),
        "cut-deny" => Says::WrongLength(r#"{"decision":"deny","rea"#),
        "cut" => Says::WrongLength("{}"),
        "html" => status(200, "content-type: text/html\r\n"),
        "html-deny" => Says::Status(200, "content-type: text/html\r\n", deny()),
        "403-deny" => Says::Status(403, "", deny()),
        "500-ask" => Says::Status(500, "", deny().replace("deny", "ask")),
        "empty" => verdict(""),
        "silent" => status(204, ""),
        "gzip" => status(200, "content-encoding: gzip\r\n"),
        "other-request" => Says::Echo { right: false },
        "garbage" => Says::Garbage,
        "huge-header" => Says::HugeHeader,
        "illegal" => verdict(way::ILLEGAL),
        "illegal-ask" => verdict(way::ILLEGAL_ASK),
        "flood" => Says::Flood,
        "too-long" => Says::Padded(OUTPUT + 1),
        "close" => Says::Close,
        "reset" => Says::Reset,
        "307" => status(307, "location: http://127.0.0.1:1/\r\n"),
        number => status(number.parse().expect("an answer or a status"), ""),
    }
}

/// The line of hooks.toml for a service at this port.
fn handler(way: Way, port: u16) -> String {
    let more = way.more;
    let (url, opt_in) = if way.needs == Needs::NoOptIn {
        (format!("https://localhost:{port}/"), String::new())
    } else {
        (format!("http://127.0.0.1:{port}/"), format!("\"127.0.0.1:{port}\""))
    };
    format!("http = {{ {more}url = \"{url}\", allow_loopback = [{opt_in}] }}")
}

/// The services, one for each way; all cells of the way ask the same.
pub(crate) struct Services(Vec<(Way, Place)>);

enum Place {
    Service(Service),
    Nobody(Nobody),
}

impl Services {
    pub(crate) async fn start(ways: &[Way]) -> Self {
        let mut services = Vec::new();
        for &way in ways.iter().filter(|way| way.kind == Kind::Http) {
            let place = if way.needs == Needs::NoService {
                Place::Nobody(Nobody::new())
            } else {
                Place::Service(Service::start(says(way.how)).await)
            };
            services.push((way, place));
        }
        Self(services)
    }

    /// The line of hooks.toml for a way.
    pub(crate) fn handler(&self, way: Way) -> String {
        let place = self.0.iter().find_map(|(other, place)| (*other == way).then_some(place));
        handler(
            way,
            match place.expect("each way has a service") {
                Place::Service(service) => service.address.port(),
                Place::Nobody(nobody) => nobody.port(),
            },
        )
    }

    /// Nothing was tried twice, and what may not be sent was not sent, after so many cells each.
    pub(crate) fn check(&self, cells: usize) {
        for (way, place) in &self.0 {
            let Place::Service(service) = place else { continue };
            let came = (service.accepted(), service.requests().len());
            let (least, most) = match way.needs {
                Needs::LargeStep | Needs::Cancelled | Needs::NoOptIn => (0, 0),
                // On a busy machine some may end before they were sent.
                Needs::Deadline | Needs::DispatchDeadline | Needs::CancelledLater => (1, cells),
                _ => (cells, cells),
            };
            let expected = least..=most;
            assert!(expected.contains(&came.0) && expected.contains(&came.1), "{came:?} {way:?}");
        }
    }
}

/// A hooks.toml with a service that does not fail.
fn config(asked: Asked, service: &Service) -> String {
    let way = Way::healthy(Kind::Http);
    let cell =
        Cell { way, asked, mode: Mode::Enforce, at: &PRE_TOOL_USE, company: false, number: 0 };
    cell.config(&handler(way, service.address.port()))
}

/// The control for answers that decide: they count, and no failure is told.
#[tokio::test]
async fn a_service_that_answers_is_no_failure() {
    let registry = crate::support::registry();
    for (says, outcome) in [
        (Says::Verdict("{}".to_owned()), Outcome::Allow),
        (Says::Verdict(r#"{"decision":"ask","reason":"r"}"#.to_owned()), Outcome::Ask),
        (Says::Padded(OUTPUT), Outcome::Deny),
    ] {
        let service = Service::start(says).await;
        let config = config(Asked::OnFailure(Posture::Deny), &service);
        let loaded = Loader::new(&registry).parse("hooks.toml", &config, Path::new("/")).unwrap();
        let engine = Engine::new(loaded.table);
        let context = StepContext::new("control");
        let (_, report) = engine.dispatch_reported(support::bash("x"), &context).await;
        assert_eq!(report.decision, outcome, "{report:?}");
        assert!(report.votes.iter().all(|vote| vote.failure.is_none()), "{report:?}");
        let failures = FailureClass::ALL.map(|class| engine.failures("failing", class));
        assert_eq!(failures, [0; FailureClass::COUNT]);
    }
}

/// A reload keeps the handler of a hook that has not changed, and with it the connection.
#[tokio::test]
async fn a_reload_keeps_the_connection() {
    let registry = crate::support::registry();
    let service = Service::start(Says::Padded(100)).await;
    let config = config(Asked::Nothing, &service);
    let load = |text: &str, earlier: Option<&HandlerTable>| {
        let loader = Loader::new(&registry);
        let loader = earlier.map_or(loader, |table| loader.keeping(table));
        loader.parse("hooks.toml", text, Path::new("/")).unwrap().table
    };
    let engine = Engine::new(load(&config, None));
    let context = StepContext::new("reload");
    for round in 0..5 {
        let gate = engine.dispatch(support::bash("ls"), &context).await;
        assert!(matches!(gate, Gate::Denied(_)), "{round}");
        engine.swap(load(&format!("# {round}\n{config}"), Some(&engine.table())));
    }
    assert_eq!((service.requests().len(), service.accepted()), (5, 1));
}
