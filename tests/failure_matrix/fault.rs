//! The kinds of handlers, and one fault of a handler of a kind.

use hookgate::FailureClass;
use hookgate::contract::VerdictDecision;

#[cfg(feature = "http")]
use crate::http;
#[cfg(feature = "prompt")]
use crate::prompt;
use crate::{builtin, fixture::Fixture};
#[cfg(feature = "command")]
use crate::{command, worker};

// What handlers of every kind answer, and what is wrong with it.
pub(crate) const MALFORMED: &str = "sure, go on";
pub(crate) const MALFORMED_ASK: &str = r#"{"decision":"ask","reason":"r","surprise":1}"#;
#[cfg(any(feature = "command", feature = "http"))]
pub(crate) const MALFORMED_DENY: &str = r#"{"decision":"deny","reason":"r"} and more"#;
pub(crate) const ILLEGAL: &str = r#"{"patch":{"tool_input":{}}}"#;
pub(crate) const ILLEGAL_ASK: &str = r#"{"decision":"ask","reason":"r","patch":{"tool_input":{}}}"#;

/// The kinds of handlers that this build has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sync,
    Async,
    #[cfg(feature = "command")]
    Command,
    #[cfg(feature = "command")]
    Worker,
    #[cfg(feature = "http")]
    Http,
    #[cfg(feature = "prompt")]
    Prompt,
}

impl Kind {
    pub(crate) const ALL: &[Self] = &[
        Self::Sync,
        Self::Async,
        #[cfg(feature = "command")]
        Self::Command,
        #[cfg(feature = "command")]
        Self::Worker,
        #[cfg(feature = "http")]
        Self::Http,
        #[cfg(feature = "prompt")]
        Self::Prompt,
    ];

    /// The faults by which a handler of the kind can fail in a class; empty if it cannot.
    pub(crate) fn faults(self, class: FailureClass) -> Vec<Fault> {
        if class == FailureClass::Skipped {
            let skipped = Fault::new(self, class, "fine").needs(Needs::Unmet);
            let mut faults = vec![skipped.detail("`unmet`, which it needs, was not called")];
            if self.in_process() {
                faults.push(Fault::new(self, class, builtin::RETURNS));
            }
            return faults;
        }
        match self {
            Self::Sync | Self::Async => builtin::faults(self, class),
            #[cfg(feature = "command")]
            Self::Command => command::faults(class),
            #[cfg(feature = "command")]
            Self::Worker => worker::faults(class),
            #[cfg(feature = "http")]
            Self::Http => http::faults(class),
            #[cfg(feature = "prompt")]
            Self::Prompt => prompt::faults(class),
        }
    }

    /// The file of its programs, where it has any.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            #[cfg(feature = "command")]
            Self::Command => command::PROGRAM,
            #[cfg(feature = "command")]
            Self::Worker => worker::PROGRAM,
            _ => "none",
        }
    }

    /// The line of hooks.toml that sets up a handler.
    #[allow(unused_variables, reason = "handlers in process need nothing of the fixture")]
    pub(crate) fn handler(self, fault: Fault, program: &str, fixture: &Fixture) -> String {
        match self {
            Self::Sync | Self::Async => builtin::handler(fault),
            #[cfg(feature = "command")]
            Self::Command => command::handler(fault, program),
            #[cfg(feature = "command")]
            Self::Worker => worker::handler(fault, program),
            #[cfg(feature = "http")]
            Self::Http => fixture.services.handler(fault),
            #[cfg(feature = "prompt")]
            Self::Prompt => fixture.models.handler(fault),
        }
    }

    /// What the record calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sync | Self::Async => "builtin",
            #[cfg(feature = "command")]
            Self::Command | Self::Worker => "command",
            #[cfg(feature = "http")]
            Self::Http => "http",
            #[cfg(feature = "prompt")]
            Self::Prompt => "prompt",
        }
    }

    /// Whether a second dispatch costs nothing and sends nothing.
    pub(crate) const fn in_process(self) -> bool {
        matches!(self, Self::Sync | Self::Async)
    }
}

/// What must be so for the failure to happen, beside the handler itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(all(feature = "command", feature = "http", feature = "prompt")),
    allow(dead_code, reason = "some are for one kind only")
)]
pub(crate) enum Needs {
    Nothing,
    /// The hook's deadline is short.
    Deadline,
    /// The hook's deadline is short, and long enough for a program to print something before.
    LateDeadline,
    /// The deadline of the whole dispatch is short.
    DispatchDeadline,
    /// The step is larger than `limits.payload`.
    LargeStep,
    /// The dispatch was cancelled before it began.
    Cancelled,
    /// The dispatch is cancelled while the handler is at work.
    CancelledLater,
    /// The dispatch is cancelled once the handler has had the time to print something.
    CancelledLate,
    /// The program is deleted once the table is built.
    Deletion,
    /// Another program replaces it.
    Replacement,
    /// One call is with the only worker, and another fills the queue.
    FullQueue,
    /// Nothing listens at the port.
    NoService,
    /// The hook needs another one that is not called.
    Unmet,
    /// A registered condition of the hook cannot be told.
    UnknownCondition,
    /// The host is one that may not be loopback.
    NoOptIn,
}

/// One fault, or none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    pub(crate) class: FailureClass,
    /// What the handler does.
    pub(crate) how: &'static str,
    pub(crate) needs: Needs,
    /// More settings of the handler.
    pub(crate) more: &'static str,
    /// The decision that is salvaged from its refused answer.
    pub(crate) salvaged: Option<VerdictDecision>,
    /// Text in the record that tells this fault from others of the class.
    pub(crate) detail: &'static str,
    /// The control: nothing fails, in no class.
    pub(crate) healthy: bool,
}

impl Fault {
    pub(crate) const fn new(kind: Kind, class: FailureClass, how: &'static str) -> Self {
        let (needs, more, detail) = (Needs::Nothing, "", "");
        Self { kind, class, how, needs, more, salvaged: None, detail, healthy: false }
    }

    /// A handler that answers as it should. A class is there for the keys of the config only.
    pub(crate) const fn healthy(kind: Kind) -> Self {
        Self { healthy: true, ..Self::new(kind, FailureClass::Exit, "fine") }
    }

    pub(crate) const fn needs(mut self, needs: Needs) -> Self {
        self.needs = needs;
        self
    }

    pub(crate) const fn with_salvaged(mut self, decision: VerdictDecision) -> Self {
        self.salvaged = Some(decision);
        self
    }

    #[cfg(any(feature = "command", feature = "http", feature = "prompt"))]
    pub(crate) const fn more(mut self, more: &'static str) -> Self {
        self.more = more;
        self
    }

    pub(crate) const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    /// Whether a handler comes to it by itself, and not because it says that it did.
    pub(crate) fn is_natural(&self) -> bool {
        self.how != builtin::RETURNS
    }
}

/// Ends a test that meets a class which it does not know.
#[track_caller]
pub(crate) fn unknown(class: FailureClass) -> ! {
    panic!("no cell for the class `{class}`: say how its kinds can fail so, or that they cannot")
}
