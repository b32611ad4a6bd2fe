//! Programs that stay and answer step after step. Each cell has a worker of its own, which is asked
//! once.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

use crate::way::{self, Kind, Needs, Way};

pub(crate) const PROGRAM: &str = "worker";

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Worker, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("hang").needs(Needs::Deadline).words("no answer within"),
            way("hang").needs(Needs::DispatchDeadline).words("whole dispatch"),
            way("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::LateDeadline),
            // The hook's deadline is shorter than `startup`.
            way("never-ready").needs(Needs::Deadline).words("no answer within"),
        ],
        FailureClass::Spawn => vec![
            way("fine").needs(Needs::Deletion).words("not there any more"),
            way("not-ready").words("the first line of a worker"),
            way("never-ready").more("startup = \"100ms\", ").words("raise `startup`"),
        ],
        FailureClass::Exit => vec![
            way("early").words("before it was ready: exit status 9: broken"),
            way("exit").words("in the middle of a call: exit status 3: broken"),
            way("exit").more("idempotent = true, ").words("exit status 3: broken"),
            way("deny-and-exit").with_salvaged(VerdictDecision::Deny).words("exit status 3"),
            way("close").words("closed its stdout in the middle of a call"),
            way("error").words("the hook failed: broken"),
        ],
        FailureClass::Signal => vec![
            way("signal").words("killed by signal 9"),
            way("deny-and-signal").with_salvaged(VerdictDecision::Deny).words("killed by signal 9"),
        ],
        FailureClass::Malformed => vec![
            way("malformed").words("print nothing else to stdout"),
            way("malformed-ask").with_salvaged(VerdictDecision::Ask).words("surprise"),
            way("wrong-case").with_salvaged(VerdictDecision::Deny),
            way("malformed-deny")
                .with_salvaged(VerdictDecision::Deny)
                .words("a line of the worker"),
            way("nothing").words("has no `verdict`"),
            way("both").with_salvaged(VerdictDecision::Deny).words("both `verdict` and `error`"),
            way("other-call")
                .with_salvaged(VerdictDecision::Deny)
                .words("answers call 99, the open call is "),
            way("early-answer").with_salvaged(VerdictDecision::Deny).words("before a call"),
            way("two-answers")
                .with_salvaged(VerdictDecision::Deny)
                .words("more than one line for one call"),
        ],
        FailureClass::Illegal => vec![
            way("illegal").words("a guard must not patch"),
            way("illegal-ask").with_salvaged(VerdictDecision::Ask).words("a guard must not patch"),
        ],
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep).words("limits.payload"),
            way("flood").words("limits.output"),
            way("deny-and-flood").with_salvaged(VerdictDecision::Deny).words("limits.output"),
        ],
        FailureClass::Overloaded => {
            vec![way("hang").needs(Needs::FullQueue).more("queue = 1, ").words("raise `workers`")]
        }
        FailureClass::Cancelled => vec![
            way("fine").needs(Needs::Cancelled),
            way("hang").needs(Needs::CancelledLater),
            way("deny-and-hang").with_salvaged(VerdictDecision::Deny).needs(Needs::CancelledLate),
            way("never-ready").needs(Needs::CancelledLater),
        ],
        // What is for services, judges and code in process.
        FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure => Vec::new(),
        FailureClass::Untrusted => vec![way("fine").needs(Needs::Replacement).words("reload")],
        class => way::unknown(class),
    }
}

pub(crate) fn handler(way: Way, program: &str) -> String {
    let Way { how, more, .. } = way;
    format!("command = {{ {more}argv = [\"./{program}\", \"{how}\"], mode = \"worker\" }}")
}

pub(crate) fn script() -> String {
    let (malformed, illegal) = (way::MALFORMED, way::ILLEGAL);
    let (malformed_ask, illegal_ask) = (way::MALFORMED_ASK, way::ILLEGAL_ASK);
    let malformed_deny = way::MALFORMED_DENY;
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
    *) echo "nobody can $1" >&2; exit 64 ;;
esac
read -r call
"#
    )
}
