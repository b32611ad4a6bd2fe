//! `ask`: the user decides.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{BuiltHandler, Contract, Invocation, Role, Verdict, VerdictDecision};

use crate::wording;

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let verdict = Verdict::ask(wording::required(settings, "reason")?);
    let handler = move |_: Invocation<'_>| Ok(verdict.clone());
    Some(BuiltHandler::from_sync(handler).role(Role::Guard).supports(fits))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Ask) {
        Ok(())
    } else {
        Err("the user cannot be asked here")
    }
}
