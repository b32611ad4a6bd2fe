//! The document about verdicts: what a handler may answer at each event, from the contracts.

use hookgate::contract::{Posture, Role, VerdictDecision};
use hookgate::{Contract, Event};
use serde_json::Value;

use super::markdown::{row, sentence};
use super::value_schema::ValueSchema;

const INTRODUCTION: &str = include_str!("verdicts.md");

/// The fields of a verdict, in the order in which they are read.
const FIELDS: &[(&str, &str)] = &[
    ("decision", "any role but `observe`"),
    ("reason", "with `decision`"),
    ("reason_code", "with `decision`"),
    ("context", "events with context"),
    ("message", "everywhere"),
    ("patch", "role `rewrite`"),
    ("answer", "role `rewrite`, events with an answer"),
    ("contributions", "events that take the kind"),
    ("annotations", "everywhere"),
    ("payload", "with `decision`"),
];

/// Returns the document.
pub(super) fn verdicts() -> String {
    let mut text = format!("{INTRODUCTION}## Fields\n\n{}\n## Events\n\n", fields());
    text.push_str(
        "What a failed hook counts as is that of a guard, or of an observer where there are no guards; a \
         hook sets its own with `on_failure` and `on_<class>`.\n\n",
    );
    text.push_str("| event | what happens | decisions | after a deny | a failure counts as |\n|---|---|---|---|---|\n");
    for event in Event::NAMED {
        text.push_str(&event_row(event.contract()));
    }
    text.push_str("\n## What else is taken at an event\n\n");
    text.push_str("| event | roles | `patch` may set | `context` | `answer` | contributions |\n|---|---|---|---|---|---|\n");
    for event in Event::NAMED {
        text.push_str(&more_row(event.contract()));
    }
    text.push_str(ENDING);
    text
}

const ENDING: &str = "
`null` clears a field that is marked with it. With `merge = true` a patch of a table is merged into it \
(RFC 7396), otherwise it replaces the table. An allow is no approval, except at the events of permissions \
for a hook with `may_allow = true`.
";

fn fields() -> String {
    let schema = hookgate::schema::verdict();
    let definitions = schema.get("$defs").and_then(Value::as_object);
    let known = ValueSchema { schema: &schema, definitions }.settings();
    let mut text = "| field | type | where | meaning |\n|---|---|---|---|\n".to_owned();
    let listed = FIELDS.iter().filter_map(|(name, place)| {
        Some((known.iter().find(|field| field.name == *name)?, *place))
    });
    let others = known.iter().filter(|field| FIELDS.iter().all(|(name, _)| *name != field.name));
    for (field, place) in listed.chain(others.map(|field| (field, ""))) {
        text.push_str(&row(&[&format!("`{}`", field.name), &field.kind, place, &field.meaning]));
    }
    text
}

fn event_row(contract: &Contract) -> String {
    let decisions = VerdictDecision::ALL.into_iter().filter(|&decision| contract.allows(decision));
    let decisions: Vec<&str> = decisions.map(VerdictDecision::name).collect();
    let posture = match roles(contract).as_slice() {
        [.., Role::Guard] | [.., Role::Guard, _] => contract.default_posture(Role::Guard),
        _ => Posture::Allow,
    };
    row(&[
        &format!("`{}`", contract.name),
        &sentence(contract.about),
        &decisions.join(", "),
        &sentence(contract.on_deny),
        posture.name(),
    ])
}

fn more_row(contract: &Contract) -> String {
    let roles: Vec<&str> = roles(contract).into_iter().map(Role::name).collect();
    let patch: Vec<String> = contract
        .patch
        .iter()
        .map(|field| {
            let null = if field.nullable { " or null" } else { "" };
            format!("`{}` ({}{null})", field.name, field.json_type.description())
        })
        .collect();
    let contributions: Vec<&str> = contract.contributions.iter().map(|kind| kind.name()).collect();
    let yes = |is: bool| if is { "yes" } else { "" };
    row(&[
        &format!("`{}`", contract.name),
        &roles.join(", "),
        &patch.join(", "),
        yes(contract.context),
        yes(contract.answer),
        &contributions.join(", "),
    ])
}

fn roles(contract: &Contract) -> Vec<Role> {
    [Role::Observe, Role::Guard, Role::Rewrite]
        .into_iter()
        .filter(|&role| contract.takes_role(role))
        .collect()
}
