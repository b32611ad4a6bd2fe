//! Programs that are started for each step.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::way::{self, Kind, Needs, Way};

pub(crate) const PROGRAM: &str = "command";

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Command, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("hang").needs(Needs::Deadline).words("no answer within"),
            way("hang").needs(Needs::DispatchDeadline).words("whole dispatch"),
            way("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::LateDeadline),
        ],
        FailureClass::Spawn => vec![way("fine").needs(Needs::Deletion).words("not there any more")],
        FailureClass::Exit => vec![
            way("exit").words("exit status 3: broken"),
            way("not-found").words("exit status 127"),
            way("deny-and-exit").with_salvaged(VerdictDecision::Deny).words("exit status 3"),
            way("deny-and-crash").with_salvaged(VerdictDecision::Deny).words("exit status 139"),
        ],
        FailureClass::Signal => vec![
            way("signal").words("signal 9"),
            way("deny-and-signal").with_salvaged(VerdictDecision::Deny).words("signal 9"),
        ],
        FailureClass::Malformed => vec![
            way("malformed"),
            way("malformed-ask").with_salvaged(VerdictDecision::Ask).words("surprise"),
            way("malformed-deny").with_salvaged(VerdictDecision::Deny),
            way("wrong-case").with_salvaged(VerdictDecision::Deny),
            way("silent").more("silence = \"failure\", ").words("print `{}` for no opinion"),
            way("held").words("still held its stdout"),
            way("held-deny").with_salvaged(VerdictDecision::Deny).words("still held its stdout"),
        ],
        FailureClass::Illegal => {
            vec![way("illegal"), way("illegal-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep).words("limits.payload"),
            way("flood").words("limits.output"),
            way("deny-and-flood").with_salvaged(VerdictDecision::Deny).words("limits.output"),
            way("flood-and-deny").with_salvaged(VerdictDecision::Deny).words("limits.output"),
        ],
        FailureClass::Cancelled => {
            vec![
                way("fine").needs(Needs::Cancelled),
                way("hang").needs(Needs::CancelledLater),
                way("deny-and-hang")
                    .with_salvaged(VerdictDecision::Deny)
                    .needs(Needs::CancelledLate),
            ]
        }
        // What is for services, workers, judges and code in process.
        FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
        | FailureClass::Overloaded
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure => Vec::new(),
        FailureClass::Untrusted => vec![way("fine").needs(Needs::Replacement).words("reload")],
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
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    format!(
        r#"#!/bin/sh
case "$1" in
    fine) ;;
    hang) exec sleep 60 ;;
    silent) ;;
    held) sleep 60 2>&- & ;;
    held-deny) printf '%s' '{{"decision":"deny"'; sleep 60 2>&- & ;;
    deny-and-hang) echo '{deny}'; exec sleep 60 ;;
    deny-and-exit) echo '{deny}'; exit 3 ;;
    deny-and-crash) echo '{deny}'; exit 139 ;;
    deny-and-signal) echo '{deny}'; kill -9 $$ ;;
    deny-and-flood) printf '%s' '{{"decision":"deny","reason":"'; while :; do printf '%064d' 0; done ;;
    flood-and-deny)
        printf '%s' '{{"reason":"'; printf '%020000d' 0; echo '","decision":"deny"}}'; exec sleep 60 ;;
    wrong-case) echo '{{"Decision":"DENY"}}' ;;
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
