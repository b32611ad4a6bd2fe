//! Programs that are started for each step.

use hookgate::FailureClass;
use hookgate::contract::Word;

use crate::way::{self, Kind, Needs, Way};

pub(crate) const PROGRAM: &str = "command";

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Command, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("hang").needs(Needs::Deadline).words("no answer within"),
            way("hang").needs(Needs::DispatchDeadline).words("whole dispatch"),
        ],
        FailureClass::Spawn => vec![way("fine").needs(Needs::Deletion).words("not there any more")],
        FailureClass::Exit => vec![
            way("exit").words("exit status 3: broken"),
            way("not-found").words("exit status 127"),
        ],
        FailureClass::Signal => vec![way("signal").words("signal 9")],
        FailureClass::Malformed => vec![
            way("malformed"),
            way("malformed-ask").stands(Word::Ask).words("surprise"),
            way("malformed-deny").stands(Word::Deny),
        ],
        FailureClass::Illegal => {
            vec![way("illegal"), way("illegal-ask").stands(Word::Ask)]
        }
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep).words("limits.payload"),
            way("flood").words("limits.output"),
        ],
        FailureClass::Cancelled => {
            vec![way("fine").needs(Needs::Cancelled), way("hang").needs(Needs::CancelledLater)]
        }
        // What is for services, workers, judges and code in process.
        FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
        | FailureClass::Overloaded
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure
        | FailureClass::Untrusted => Vec::new(),
        class => way::unknown(class),
    }
}

pub(crate) fn handler(way: Way, program: &str) -> String {
    let Way { how, more, .. } = way;
    format!("command = {{ {more}argv = [\"./{program}\", \"{how}\"] }}")
}

pub(crate) fn script() -> String {
    let (malformed, illegal) = (way::MALFORMED, way::ILLEGAL);
    let (malformed_ask, illegal_ask) = (way::MALFORMED_ASK, way::ILLEGAL_ASK);
    let malformed_deny = way::MALFORMED_DENY;
    format!(
        r#"#!/bin/sh
case "$1" in
    fine) ;;
    hang) exec sleep 60 ;;
    exit) echo broken >&2; exit 3 ;;
    not-found) exec no-such-program-anywhere ;;
    signal) kill -9 $$ ;;
    flood) while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done ;;
    malformed) echo '{malformed}' ;;
    malformed-ask) echo '{malformed_ask}' ;;
    malformed-deny) echo '{malformed_deny}' ;;
    illegal) echo '{illegal}' ;;
    illegal-ask) echo '{illegal_ask}' ;;
    *) echo "nobody can $1" >&2; exit 64 ;;
esac
"#
    )
}
