//! The document about events: when a runtime dispatches each, and what it owes then, from the contracts.

use hookgate::contract::VerdictDecision;
use hookgate::contract::contribution::ContributionKind;
use hookgate::{Contract, Event};

use super::markdown::{code_list, row, sentence};

const INTRODUCTION: &str = include_str!("events.md");

/// Returns the document.
pub(super) fn events() -> String {
    let mut text = INTRODUCTION.to_owned();
    text.push_str("| event | step | when | if it is cleared | if not |\n|---|---|---|---|---|\n");
    for event in Event::NAMED {
        let contract = event.contract();
        text.push_str(&row(&[
            &format!("`{}`", contract.name),
            &format!("`{}`", step_type(contract)),
            &sentence(contract.about),
            &sentence(&when_cleared(contract).join("; ")),
            &sentence(&when_not_cleared(contract).join("; ")),
        ]));
    }
    text
}

/// Returns the type that is dispatched: the payload, but for tools.
fn step_type(contract: &Contract) -> String {
    match contract.event {
        Event::PreToolUse => "ToolUse".to_owned(),
        Event::PostToolUse | Event::PostToolUseFailure => "ToolUse<Ran>".to_owned(),
        _ => contract.name.split('_').map(capitalised).collect(),
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// Returns what a runtime owes for a step that goes on, as clauses.
fn when_cleared(contract: &Contract) -> Vec<String> {
    let mut owed = Vec::new();
    if !contract.patch.is_empty() {
        let fields: Vec<&str> = contract.patch.iter().map(|field| field.name).collect();
        owed.push(format!("use what came back: hooks may set {}", code_list(&fields)));
    }
    if contract.context {
        owed.push("show the model `context`".to_owned());
    }
    let is_special = |kind: &&ContributionKind| !ContributionKind::ANYWHERE.contains(kind);
    let taken: Vec<&str> =
        contract.contributions.iter().filter(is_special).map(|kind| kind.name()).collect();
    if !taken.is_empty() {
        owed.push(format!("use the contributions {}", code_list(&taken)));
    }
    if contract.ends_session {
        owed.push("the engine forgets the session".to_owned());
    }
    owed
}

/// Returns what a runtime owes for a step that does not go on, as clauses.
fn when_not_cleared(contract: &Contract) -> Vec<String> {
    let mut owed = Vec::new();
    if contract.deny() {
        owed.push(format!("denied: {}", contract.on_deny));
    }
    if contract.allows(VerdictDecision::Ask) {
        owed.push("asked: the user is asked".to_owned());
    }
    if contract.allows(VerdictDecision::Halt) {
        owed.push("halted: the run ends".to_owned());
    }
    if contract.answer {
        owed.push("answered: the result is there".to_owned());
    }
    if contract.limits_denials {
        owed.push("denials in a row are limited (`stop_denials`)".to_owned());
    }
    owed
}
