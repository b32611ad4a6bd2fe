//! Programs that stay and answer step after step. Each cell has a worker of its own, which is asked
//! once: the call is number 1.

use hookgate::FailureClass;
use hookgate::contract::Word;

use crate::way::{self, Kind, Needs, Way};

pub(crate) const PROGRAM: &str = "worker";

pub(crate) fn ways(class: FailureClass) -> Vec<Way> {
    let way = |how| Way::new(Kind::Worker, class, how);
    match class {
        FailureClass::Timeout => vec![
            way("hang").needs(Needs::Deadline).words("no answer within"),
            way("hang").needs(Needs::DispatchDeadline).words("whole dispatch"),
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
            way("close").words("closed its stdout in the middle of a call"),
            way("error").words("the hook failed: broken"),
        ],
        FailureClass::Signal => vec![way("signal").words("killed by signal 9")],
        FailureClass::Malformed => vec![
            way("malformed").words("print nothing else to stdout"),
            way("malformed-ask").stands(Word::Ask).words("surprise"),
            way("malformed-deny").stands(Word::Deny).words("a line of the worker"),
            way("nothing").words("has no `verdict`"),
            way("both").stands(Word::Deny).words("both `verdict` and `error`"),
            way("other-call").stands(Word::Deny).words("answers call 99, asked was 1"),
        ],
        FailureClass::Illegal => vec![
            way("illegal").words("a guard must not patch"),
            way("illegal-ask").stands(Word::Ask).words("a guard must not patch"),
        ],
        FailureClass::Oversize => vec![
            way("fine").needs(Needs::LargeStep).words("limits.payload"),
            way("flood").words("limits.output"),
        ],
        FailureClass::Overloaded => {
            vec![way("hang").needs(Needs::FullQueue).more("queue = 1, ").words("raise `workers`")]
        }
        FailureClass::Cancelled => vec![
            way("fine").needs(Needs::Cancelled),
            way("hang").needs(Needs::CancelledLater),
            way("never-ready").needs(Needs::CancelledLater),
        ],
        // What is for services, judges and code in process.
        FailureClass::Unreachable
        | FailureClass::HttpStatus
        | FailureClass::Auth
        | FailureClass::Panic
        | FailureClass::Budget
        | FailureClass::Unsure
        | FailureClass::Untrusted => Vec::new(),
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
say() {{ printf '{{"id":1,"verdict":%s}}\n' "$1"; }}
case "$1" in
    early) echo broken >&2; exit 9 ;;
    not-ready) echo hello; exec sleep 60 ;;
    never-ready) exec sleep 60 ;;
esac
echo '{{"ready":1}}'
read -r call || exit 0
case "$1" in
    fine) say '{{}}' ;;
    hang) exec sleep 60 ;;
    exit) echo broken >&2; exit 3 ;;
    close) exec sleep 60 >&- ;;
    error) echo '{{"id":1,"error":"broken"}}' ;;
    signal) kill -9 $$ ;;
    malformed) echo '{malformed}' ;;
    malformed-ask) say '{malformed_ask}' ;;
    malformed-deny) say '{malformed_deny}' ;;
    nothing) echo '{{"id":1}}' ;;
    both) echo '{{"id":1,"verdict":{deny},"error":"broken"}}' ;;
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
