//! The events at which a builtin can do something.
//!
//! A hook at an event that its handler does not support would never have an effect, and its author
//! would not notice. So each builtin declares what it supports, and the table refuses the rest when
//! it is built, with the sentences below.

use hookgate_contract::{Contract, Event, VerdictDecision, patch_field};

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

/// Accepts events at which a result can be given instead of running the step.
pub(crate) fn takes_answer(contract: &Contract) -> Result<(), &'static str> {
    if contract.answer { Ok(()) } else { Err("no result can be given here") }
}

/// Accepts events at which the arguments of a tool can be changed.
pub(crate) fn takes_tool_input(contract: &Contract) -> Result<(), &'static str> {
    if contract.patch_field(patch_field::TOOL_INPUT).is_some() {
        Ok(())
    } else {
        Err("the arguments of a tool cannot be changed here")
    }
}

/// Accepts events at which a deny ends something.
pub(crate) fn can_end(contract: &Contract) -> Result<(), &'static str> {
    if matches!(contract.event, Event::Stop | Event::SubagentStop) {
        return Err("a deny here would keep the agent going");
    }
    can_deny(contract)
}

/// Accepts events at which the run can be halted.
pub(crate) fn can_halt(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Halt) { Ok(()) } else { Err("nothing can be halted here") }
}

/// Accepts events at which a call of a tool is proposed.
pub(crate) fn proposes_call(contract: &Contract) -> Result<(), &'static str> {
    if matches!(contract.event, Event::PreToolUse | Event::PermissionRequest) {
        Ok(())
    } else {
        Err("no call of a tool is proposed here")
    }
}
