//! What is said of events.

use hookgate::contract::{Role, VerdictDecision};
use hookgate::envelope::alias::ALIASES;
use hookgate::table::EventSelector;
use hookgate::{Contract, Event};

/// Returns the contracts of the events that a name in a config means.
pub(super) fn contracts(name: &str) -> Vec<&'static Contract> {
    let selected = EventSelector::named(name).unwrap_or_default();
    let events = selected.iter().filter_map(|on| Event::from_name(on.name()));
    events.map(Event::contract).collect()
}

/// Returns all names, each with what happens there.
pub(super) fn names() -> Vec<(&'static str, String)> {
    let own =
        Event::NAMED.into_iter().map(|event| (event.name(), event.contract().about.to_owned()));
    let others = ALIASES.iter().map(|alias| {
        let events: Vec<&str> = alias.events.iter().map(|event| event.name()).collect();
        (alias.name, format!("`{}` as {} calls it", events.join("`, `"), alias.system))
    });
    own.chain(others).collect()
}

/// Returns what there is to know of an event, in Markdown.
pub(super) fn page(contract: &Contract) -> String {
    let decisions = VerdictDecision::ALL.into_iter().filter(|&decision| contract.allows(decision));
    let decisions: Vec<&str> = decisions.map(VerdictDecision::name).collect();
    let mut text = format!("**{}**: {}\n", contract.name, contract.about);
    if decisions.is_empty() {
        text.push_str("\n* a hook can only observe");
    } else {
        text.push_str(&format!("\n* decisions: {}", decisions.join(", ")));
    }
    if contract.deny() {
        text.push_str(&format!("\n* after a deny: {}", contract.on_deny));
    }
    let patch: Vec<&str> = contract.patch.iter().map(|field| field.name).collect();
    if !patch.is_empty() {
        text.push_str(&format!("\n* a patch may set: `{}`", patch.join("`, `")));
    }
    if contract.takes_role(Role::Guard) {
        let posture = contract.default_posture(Role::Guard);
        text.push_str(&format!("\n* a guard that fails counts as: {}", posture.name()));
    }
    text
}
