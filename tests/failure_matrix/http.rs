//! Services, real ones on loopback.

use std::path::Path;

use hookgate::config::Loader;
use hookgate::contract::VerdictDecision;
use hookgate::{
    Engine, FailureClass, Gate, HandlerTable, HookEngine, Mode, Outcome, Posture, StepContext,
};

use crate::cell::{Cell, OUTPUT, PostureKeys};
use crate::fault::{self, Fault, Kind, Needs};
use crate::position::PRE_TOOL_USE;
use crate::service::{Mode as Says, Service};
use crate::support;
use crate::unused_port::UnusedPort;

pub(crate) fn faults(class: FailureClass) -> Vec<Fault> {
    let fault = |how| Fault::new(Kind::Http, class, how);
    match class {
        FailureClass::Timeout => vec![
            fault("never").needs(Needs::Deadline),
            fault("drip").needs(Needs::Deadline),
            fault("interim").needs(Needs::Deadline),
            fault("never").needs(Needs::DispatchDeadline),
        ],
        FailureClass::Malformed => vec![
            fault("malformed"),
            fault("twice"),
            fault("malformed-ask").with_salvaged(VerdictDecision::Ask),
            fault("malformed-deny").with_salvaged(VerdictDecision::Deny),
            fault("cut-deny").with_salvaged(VerdictDecision::Deny),
            fault("cut"),
            fault("empty"),
            fault("silent").more("silence = \"failure\", "),
            fault("html"),
            fault("html-deny").with_salvaged(VerdictDecision::Deny),
            fault("gzip"),
            fault("other-request").more("request_id = true, ").with_salvaged(VerdictDecision::Deny),
            fault("garbage"),
            fault("huge-header"),
        ],
        FailureClass::Illegal => {
            vec![fault("illegal"), fault("illegal-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Oversize => vec![
            fault("fine").needs(Needs::LargeStep),
            fault("flood"),
            fault("too-long").with_salvaged(VerdictDecision::Deny),
        ],
        FailureClass::Unreachable => vec![
            fault("fine").needs(Needs::NoService),
            fault("fine").needs(Needs::NoService).more("idempotent = true, "),
            fault("close"),
            fault("reset"),
        ],
        FailureClass::HttpStatus => {
            vec![
                fault("500"),
                fault("429"),
                fault("307"),
                fault("500-ask").with_salvaged(VerdictDecision::Ask),
            ]
        }
        FailureClass::Auth => {
            vec![fault("401"), fault("403"), fault("403-deny").with_salvaged(VerdictDecision::Deny)]
        }
        FailureClass::Untrusted => vec![fault("fine").needs(Needs::NoOptIn)],
        FailureClass::Cancelled => {
            vec![fault("fine").needs(Needs::Cancelled), fault("never").needs(Needs::CancelledLater)]
        }
        // What is for processes, judges and code in process.
        FailureClass::Spawn
        | FailureClass::Exit
        | FailureClass::Signal
        | FailureClass::Overloaded
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure
        | FailureClass::State
        | FailureClass::Unclear => Vec::new(),
        class => fault::unknown(class),
    }
}

/// What the service of a fault answers.
fn says(how: &str) -> Says {
    let verdict = |text: &str| Says::Verdict(text.to_owned());
    let status = |status, headers| Says::Status(status, headers, "{}".to_owned());
    let deny = || r#"{"decision":"deny","reason":"r"}"#.to_owned();
    match how {
        "fine" => verdict("{}"),
        "never" => Says::Never,
        "drip" => Says::Drip,
        "interim" => Says::Interim,
        "malformed" => verdict(fault::MALFORMED),
        "malformed-ask" => verdict(fault::MALFORMED_ASK),
        "malformed-deny" => verdict(fault::MALFORMED_DENY),
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
        "illegal" => verdict(fault::ILLEGAL),
        "illegal-ask" => verdict(fault::ILLEGAL_ASK),
        "flood" => Says::Flood,
        "too-long" => Says::Padded(OUTPUT + 1),
        "close" => Says::Close,
        "reset" => Says::Reset,
        "307" => status(307, "location: http://127.0.0.1:1/\r\n"),
        number => status(number.parse().expect("an answer or a status"), ""),
    }
}

/// The line of hooks.toml for a service at this port.
fn handler(fault: Fault, port: u16) -> String {
    let more = fault.more;
    let (url, opt_in) = if fault.needs == Needs::NoOptIn {
        (format!("https://localhost:{port}/"), String::new())
    } else {
        (format!("http://127.0.0.1:{port}/"), format!("\"127.0.0.1:{port}\""))
    };
    format!("http = {{ {more}url = \"{url}\", allow_loopback = [{opt_in}] }}")
}

/// The services, one for each fault; all cells of the fault use the same.
pub(crate) struct Services(Vec<(Fault, Target)>);

enum Target {
    Service(Service),
    UnusedPort(UnusedPort),
}

impl Services {
    pub(crate) async fn start(faults: &[Fault]) -> Self {
        let mut services = Vec::new();
        for &fault in faults.iter().filter(|fault| fault.kind == Kind::Http) {
            let target = if fault.needs == Needs::NoService {
                Target::UnusedPort(UnusedPort::new())
            } else {
                Target::Service(Service::start(says(fault.how)).await)
            };
            services.push((fault, target));
        }
        Self(services)
    }

    /// The line of hooks.toml for a fault.
    pub(crate) fn handler(&self, fault: Fault) -> String {
        let target = self.0.iter().find_map(|(other, target)| (*other == fault).then_some(target));
        handler(
            fault,
            match target.expect("each fault has a service") {
                Target::Service(service) => service.address.port(),
                Target::UnusedPort(port) => port.port(),
            },
        )
    }

    /// Nothing was tried twice, and what may not be sent was not sent, after so many cells each.
    pub(crate) fn check(&self, cells: usize) {
        for (fault, target) in &self.0 {
            let Target::Service(service) = target else { continue };
            let came = (service.accepted(), service.requests().len());
            let (least, most) = match fault.needs {
                Needs::LargeStep | Needs::Cancelled | Needs::NoOptIn | Needs::Unmet => (0, 0),
                // On a busy machine some may end before they were sent.
                Needs::Deadline | Needs::DispatchDeadline | Needs::CancelledLater => (1, cells),
                _ => (cells, cells),
            };
            let expected = least..=most;
            assert!(expected.contains(&came.0) && expected.contains(&came.1), "{came:?} {fault:?}");
        }
    }
}

/// A hooks.toml with a service that does not fail.
fn config(posture_keys: PostureKeys, service: &Service) -> String {
    let fault = Fault::healthy(Kind::Http);
    let cell = Cell {
        fault,
        posture_keys,
        mode: Mode::Enforce,
        at: &PRE_TOOL_USE,
        neighbours: false,
        number: 0,
    };
    cell.config(&handler(fault, service.address.port()))
}

/// The control for answers that decide: they count, and no failure is reported.
#[tokio::test]
async fn a_service_that_answers_is_not_a_failure() {
    let registry = crate::support::registry();
    for (says, outcome) in [
        (Says::Verdict("{}".to_owned()), Outcome::Allow),
        (Says::Verdict(r#"{"decision":"ask","reason":"r"}"#.to_owned()), Outcome::Ask),
        (Says::Padded(OUTPUT), Outcome::Deny),
    ] {
        let service = Service::start(says).await;
        let config = config(PostureKeys::OnFailure(Posture::Deny), &service);
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
    let config = config(PostureKeys::Nothing, &service);
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
