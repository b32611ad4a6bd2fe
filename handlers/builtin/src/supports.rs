//! The events at which a builtin can do something.
//!
//! A hook at an event that its handler does not support would never have an effect, and its author
//! would not notice. So each builtin declares what it supports, and the table refuses the rest when
//! it is built, with the sentences below.

use hookgate_contract::{Contract, Event, VerdictDecision};

/// Accepts events at which a step can be denied.
pub(crate) fn can_deny(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Deny) { Ok(()) } else { Err("nothing can be denied here") }
}

/// Accepts events at which the user can be asked.
pub(crate) fn can_ask(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Ask) {
        Ok(())
    } else {
        Err("the user cannot be asked here")
    }
}

/// Accepts events at which text can be added for the model.
pub(crate) fn takes_context(contract: &Contract) -> Result<(), &'static str> {
    if contract.context { Ok(()) } else { Err("no context can be added here") }
}

/// Accepts events at which a deny or a halt ends something.
pub(crate) fn can_stop(contract: &Contract) -> Result<(), &'static str> {
    // A denied stop makes the agent go on, which is the opposite of a limit.
    if contract.event == Event::SubagentStop {
        return Err("a deny here would keep the sub-agent going for ever");
    }
    if contract.allows(VerdictDecision::Deny) || contract.allows(VerdictDecision::Halt) {
        Ok(())
    } else {
        Err("nothing can be stopped here")
    }
}
