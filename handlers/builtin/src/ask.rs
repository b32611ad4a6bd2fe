//! `ask`: the user decides.

use hookgate_contract::settings::{Settings, Surroundings};
use hookgate_contract::{Ask, Built, Contract, Role, Verdict, Word};

use crate::wording;

/// Builds the handler.
pub(crate) fn build(settings: &mut Settings<'_>, _: &Surroundings<'_>) -> Option<Built> {
    let verdict = Verdict::ask(wording::required(settings, "reason")?);
    let handler = move |_: Ask<'_>| Ok(verdict.clone());
    Some(Built::sync(handler).role(Role::Guard).fits(fits))
}

fn fits(contract: &Contract) -> Result<(), &'static str> {
    if contract.allows(Word::Ask) { Ok(()) } else { Err("the user cannot be asked here") }
}
