//! `deny`: the step does not happen.

use hookgate_contract::BuildContext;
use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuiltHandler, Contract, Invocation, ReasonCode, Role, Verdict, VerdictDecision,
};

use crate::wording;

const CODES: &[&str] = &["policy_violation", "safety_violation", "schema_violation"];

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let code = settings.choice("reason_code", CODES, ReasonCode::from_name);
    let mut verdict = Verdict::deny(wording::required(settings, "reason")?);
    if let Some(code) = code {
        verdict = verdict.reason_code(code);
    }
    let handler = move |_: Invocation<'_>| Ok(verdict.clone());
    Some(BuiltHandler::from_sync(handler).role(Role::Guard).supports(fits))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(VerdictDecision::Deny) { Ok(()) } else { Err("nothing can be denied here") }
}
