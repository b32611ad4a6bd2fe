//! Programs that stay and answer step after step. Each cell has a worker of its own, which is invoked
//! once.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::fault::{self, Fault, Kind, Needs};

pub(crate) const PROGRAM: &str = "worker";

pub(crate) fn faults(class: FailureClass) -> Vec<Fault> {
    let fault = |how| Fault::new(Kind::Worker, class, how);
    match class {
        FailureClass::Timeout => vec![
            fault("hang").needs(Needs::Deadline).detail("no answer within"),
            fault("hang").needs(Needs::DispatchDeadline).detail("whole dispatch"),
            fault("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::LateDeadline),
            // The hook's deadline is shorter than `startup`.
            fault("never-ready").needs(Needs::Deadline).detail("no answer within"),
        ],
        FailureClass::Spawn => vec![
            fault("fine").needs(Needs::Deletion).detail("not there any more"),
            fault("not-ready").detail("the first line of a worker"),
            fault("never-ready").more("startup = \"100ms\", ").detail("raise `startup`"),
        ],
        FailureClass::Exit => vec![
            fault("early").detail("before it was ready: exit status 9: broken"),
            fault("exit").detail("in the middle of a call: exit status 3: broken"),
            fault("exit").more("idempotent = true, ").detail("exit status 3: broken"),
            fault("deny-and-exit").with_salvaged(VerdictDecision::Deny).detail("exit status 3"),
            fault("close").detail("closed its stdout in the middle of a call"),
            fault("error").detail("the hook failed: broken"),
        ],
        FailureClass::Signal => vec![
            fault("signal").detail("killed by signal 9"),
            fault("deny-and-signal")
                .with_salvaged(VerdictDecision::Deny)
                .detail("killed by signal 9"),
        ],
        FailureClass::Malformed => vec![
            fault("malformed").detail("print nothing else to stdout"),
            fault("malformed-ask").with_salvaged(VerdictDecision::Ask).detail("surprise"),
            fault("wrong-case").with_salvaged(VerdictDecision::Deny),
            fault("malformed-deny")
                .with_salvaged(VerdictDecision::Deny)
                .detail("a line of the worker"),
            fault("nothing").detail("has no `verdict`"),
            fault("both").with_salvaged(VerdictDecision::Deny).detail("both `verdict` and `error`"),
            fault("other-call")
                .with_salvaged(VerdictDecision::Deny)
                .detail("answers call 99, the open call is "),
            fault("early-answer").with_salvaged(VerdictDecision::Deny).detail("before a call"),
            fault("two-answers")
                .with_salvaged(VerdictDecision::Deny)
                .detail("more than one line for one call"),
        ],
        FailureClass::Illegal => vec![
            fault("illegal").detail("a guard must not patch"),
            fault("illegal-ask")
                .with_salvaged(VerdictDecision::Ask)
                .detail("a guard must not patch"),
        ],
        FailureClass::Oversize => vec![
            fault("fine").needs(Needs::LargeStep).detail("limits.payload"),
            fault("flood").detail("limits.output"),
            fault("deny-and-flood").with_salvaged(VerdictDecision::Deny).detail("limits.output"),
        ],
        FailureClass::Overloaded => {
            vec![
                fault("hang").needs(Needs::FullQueue).more("queue = 1, ").detail("raise `workers`"),
            ]
        }
        FailureClass::Cancelled => vec![
            fault("fine").needs(Needs::Cancelled),
            fault("hang").needs(Needs::CancelledLater),
            fault("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::CancelledLate),
            fault("never-ready").needs(Needs::CancelledLater),
        ],
        // What is for services, judges and code in process.
        FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
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
    format!("command = {{ {more}argv = [\"./{program}\", \"{how}\"], mode = \"worker\" }}")
}

pub(crate) fn script() -> String {
    let (malformed, illegal) = (fault::MALFORMED, fault::ILLEGAL);
    let (malformed_ask, illegal_ask) = (fault::MALFORMED_ASK, fault::ILLEGAL_ASK);
    let malformed_deny = fault::MALFORMED_DENY;
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    format!(
        r#"#!/bin/sh
say() {{ printf '{{"id":%s,"verdict":%s}}\n' "$id" "$1"; }}
case "$1" in
    early) echo broken >&2; exit 9 ;;
    not-ready) echo hello; exec sleep 60 ;;
    never-ready) exec sleep 60 ;;
esac
case "$1" in
    early-answer) printf '{{"ready":1}}\n{{"id":1,"verdict":{deny}}}\n' ;;
    *) echo '{{"ready":1}}' ;;
esac
read -r call || exit 0
id=${{call#*:}}
id=${{id%%,*}}
case "$1" in
    fine) say '{{}}' ;;
    hang) exec sleep 60 ;;
    deny-and-hang) printf '{{"id":%s,"verdict":%s' "$id" '{deny}'; exec sleep 60 ;;
    deny-and-exit) printf '{{"id":%s,"verdict":%s' "$id" '{deny}'; exit 3 ;;
    deny-and-signal) printf '{{"id":%s,"verdict":%s' "$id" '{deny}'; kill -9 $$ ;;
    deny-and-flood) printf '{{"id":%s,"verdict":%s' "$id" '{deny}'; while :; do printf ' %064d' 0; done ;;
    exit) echo broken >&2; exit 3 ;;
    close) exec sleep 60 >&- ;;
    error) echo "{{\"id\":$id,\"error\":\"broken\"}}" ;;
    signal) kill -9 $$ ;;
    malformed) echo '{malformed}' ;;
    malformed-ask) say '{malformed_ask}' ;;
    wrong-case) say '{{"Decision":"DENY"}}' ;;
    malformed-deny) say '{malformed_deny}' ;;
    nothing) echo "{{\"id\":$id}}" ;;
    both) printf '{{"id":%s,"verdict":%s,"error":"broken"}}\n' "$id" '{deny}' ;;
    two-answers) printf '{{"id":%s,"verdict":{{}}}}\n{{"id":%s,"verdict":%s}}\n' "$id" "$id" '{deny}' ;;
    other-call) echo '{{"id":99,"verdict":{deny}}}' ;;
    illegal) say '{illegal}' ;;
    illegal-ask) say '{illegal_ask}' ;;
    flood) while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done ;;
    *) echo "unknown fault $1" >&2; exit 64 ;;
esac
read -r call
"#
    )
}
