//! Programs that are started for each step.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::fault::{self, Fault, Kind, Needs};

pub(crate) const PROGRAM: &str = "command";

pub(crate) fn faults(class: FailureClass) -> Vec<Fault> {
    let fault = |how| Fault::new(Kind::Command, class, how);
    match class {
        FailureClass::Timeout => vec![
            fault("hang").needs(Needs::Deadline).detail("no answer within"),
            fault("hang").needs(Needs::DispatchDeadline).detail("whole dispatch"),
            fault("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::LateDeadline),
        ],
        FailureClass::Spawn => {
            vec![fault("fine").needs(Needs::Deletion).detail("not there any more")]
        }
        FailureClass::Exit => vec![
            fault("exit").detail("exit status 3: broken"),
            fault("not-found").detail("exit status 127"),
            fault("deny-and-exit").with_salvaged(VerdictDecision::Deny).detail("exit status 3"),
            fault("deny-and-crash").with_salvaged(VerdictDecision::Deny).detail("exit status 139"),
        ],
        FailureClass::Signal => vec![
            fault("signal").detail("signal 9"),
            fault("deny-and-signal").with_salvaged(VerdictDecision::Deny).detail("signal 9"),
        ],
        FailureClass::Malformed => vec![
            fault("malformed"),
            fault("malformed-ask").with_salvaged(VerdictDecision::Ask).detail("surprise"),
            fault("malformed-deny").with_salvaged(VerdictDecision::Deny),
            fault("wrong-case").with_salvaged(VerdictDecision::Deny),
            fault("silent").more("silence = \"failure\", ").detail("print `{}` for no opinion"),
            fault("held").detail("still held its stdout"),
            fault("held-deny").with_salvaged(VerdictDecision::Deny).detail("still held its stdout"),
        ],
        FailureClass::Illegal => {
            vec![fault("illegal"), fault("illegal-ask").with_salvaged(VerdictDecision::Ask)]
        }
        FailureClass::Oversize => vec![
            fault("fine").needs(Needs::LargeStep).detail("limits.payload"),
            fault("flood").detail("limits.output"),
            fault("deny-and-flood").with_salvaged(VerdictDecision::Deny).detail("limits.output"),
            fault("flood-and-deny").with_salvaged(VerdictDecision::Deny).detail("limits.output"),
        ],
        FailureClass::Cancelled => {
            vec![
                fault("fine").needs(Needs::Cancelled),
                fault("hang").needs(Needs::CancelledLater),
                fault("deny-and-hang")
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
        | FailureClass::Unsure
        | FailureClass::State
        | FailureClass::Unclear => Vec::new(),
        FailureClass::Untrusted => vec![fault("fine").needs(Needs::Replacement).detail("reload")],
        class => fault::unknown(class),
    }
}

pub(crate) fn handler(fault: Fault, program: &str) -> String {
    let Fault { how, more, .. } = fault;
    format!("command = {{ {more}argv = [\"./{program}\", \"{how}\"] }}")
}

pub(crate) fn script() -> String {
    let (malformed, illegal) = (fault::MALFORMED, fault::ILLEGAL);
    let (malformed_ask, illegal_ask) = (fault::MALFORMED_ASK, fault::ILLEGAL_ASK);
    let malformed_deny = fault::MALFORMED_DENY;
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
    *) echo "unknown fault $1" >&2; exit 64 ;;
esac
"#
    )
}
