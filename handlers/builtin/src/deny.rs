//! `deny`: the step does not happen.

use hookgate_contract::settings::{Settings, Surroundings};
use hookgate_contract::{Ask, Built, Contract, ReasonCode, Role, Verdict, Word};

use crate::wording;

const CODES: &[&str] = &["policy_violation", "safety_violation", "schema_violation"];

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &Surroundings<'_>) -> Option<Built> {
    let code = settings.choice("reason_code", CODES, ReasonCode::from_name);
    let mut verdict = Verdict::deny(wording::required(settings, "reason")?);
    if let Some(code) = code {
        verdict = verdict.reason_code(code);
    }
    let handler = move |_: Ask<'_>| Ok(verdict.clone());
    Some(Built::sync(handler).role(Role::Guard).fits(fits))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(Word::Deny) { Ok(()) } else { Err("nothing can be denied here") }
}
