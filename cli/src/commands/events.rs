//! `hookgate events`: at which events hooks can be, and what they can do there.

use comfy_table::Cell;
use hookgate::contract::contribution::ContributionKind;
use hookgate::contract::{Role, VerdictDecision};
use hookgate::envelope::alias::{ALIASES, Alias};
use hookgate::table::EventSelector;
use hookgate::{Contract, Event};
use serde_json::{Map, Value, json};

use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::terminal::stdout::OutputArgs;
use crate::terminal::table::{To, dim};
use crate::terminal::{stdout, table};

/// Show the events, and what a hook can do at each
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate events                   all events
  hookgate events PreToolUse        one of them; names of other systems work too
  hookgate events --json | jq -r 'select(.ask) | .event'")]
pub struct Args {
    /// Only these events
    #[arg(value_name = "EVENT")]
    events: Vec<String>,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the verb.
///
/// # Errors
/// A name is not that of an event, or is that of an event which only an embedder knows.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let contracts = chosen_events(&args.events)?;
    if args.output.wants_json() {
        for contract in contracts {
            stdout::json_line(&contract_json(contract))?;
        }
    } else {
        stdout::print(&format!(
            "{}\n\n{}\n",
            abilities_table(&contracts),
            meanings_table(&contracts)
        ))?;
    }
    Ok(Exit::Ok)
}

fn chosen_events(names: &[String]) -> Result<Vec<&'static Contract>, Abort> {
    if names.is_empty() {
        return Ok(Event::NAMED.into_iter().map(Event::contract).collect());
    }
    let mut contracts = Vec::new();
    for name in names {
        let found = EventSelector::named(name).ok_or_else(|| {
            Abort::usage(format!("unknown event `{name}`")).help(
                "`hookgate events` lists all events and the names that other systems give them",
            )
        })?;
        let events = found.iter().filter_map(|on| Event::from_name(on.name()));
        let before = contracts.len();
        contracts.extend(events.map(Event::contract));
        if contracts.len() == before {
            return Err(Abort::usage(format!("`{name}` is an event of an embedder")).help(
                "its contract is known to the runtime that registers it, not to this program",
            ));
        }
    }
    Ok(contracts)
}

fn aliases_of(contract: &Contract) -> impl Iterator<Item = &'static Alias> {
    let event = contract.event;
    ALIASES.iter().filter(move |alias| alias.events.contains(&event))
}

fn decisions(contract: &Contract) -> Vec<&'static str> {
    [VerdictDecision::Allow, VerdictDecision::Ask, VerdictDecision::Deny, VerdictDecision::Halt]
        .into_iter()
        .filter(|&decision| contract.allows(decision))
        .map(VerdictDecision::name)
        .collect()
}

fn contract_json(contract: &Contract) -> Value {
    let postures: Map<String, Value> = [Role::Observe, Role::Guard, Role::Rewrite]
        .into_iter()
        .filter(|&role| contract.takes_role(role))
        .map(|role| (role.name().to_owned(), contract.default_posture(role).name().into()))
        .collect();
    let patch = contract.patch.iter().map(|field| {
        json!({"field": field.name, "value": field.json_type.description(), "nullable": field.nullable})
    });
    let aliases = aliases_of(contract).map(|alias| {
        let only =
            alias.condition.map(|(pointer, value)| json!({"pointer": pointer, "value": value}));
        json!({"name": alias.name, "system": alias.system, "role": alias.role, "only": only})
    });
    json!({
        "event": contract.name,
        "kind": contract.kind.name(),
        "about": contract.about,
        "decisions": decisions(contract),
        "deny_means": contract.deny().then_some(contract.on_deny),
        "tool": contract.tool,
        "ask": contract.ask,
        "halt": contract.halt,
        "patch": patch.collect::<Vec<_>>(),
        "context": contract.context,
        "answer": contract.answer,
        "contributions":
            contract.contributions.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        "default_role": contract.default_role().name(),
        "default_posture": postures,
        "aliases": aliases.collect::<Vec<_>>(),
    })
}

/// Returns what a hook can do at the events.
fn abilities_table(contracts: &[&Contract]) -> comfy_table::Table {
    let head = ["event", "kind", "decisions", "patch may set", "also", "on failure"];
    let mut rows = table::new(To::Stdout, &head);
    for contract in contracts {
        let patch: Vec<_> = contract.patch.iter().map(|field| field.name).collect();
        let failure = [Role::Guard, Role::Rewrite, Role::Observe]
            .into_iter()
            .find(|&role| contract.takes_role(role))
            .map(|role| contract.default_posture(role).name());
        rows.add_row([
            Cell::new(contract.name),
            dim(contract.kind.name()),
            Cell::new(decisions(contract).join(" ")),
            Cell::new(patch.join(", ")),
            dim(other_abilities(contract).join(", ")),
            Cell::new(failure.unwrap_or_default()),
        ]);
    }
    table::keep_whole(&mut rows, &[0, 1]);
    rows
}

/// Returns what else is taken, except for contributions that are taken nearly everywhere.
fn other_abilities(contract: &Contract) -> Vec<&'static str> {
    let mut also = Vec::new();
    if contract.context {
        also.push("context");
    }
    if contract.answer {
        also.push("answer");
    }
    let is_special = |kind: &&ContributionKind| !ContributionKind::ANYWHERE.contains(kind);
    also.extend(contract.contributions.iter().filter(is_special).map(|kind| kind.name()));
    also
}

/// Returns what the events mean, and how other systems call them.
fn meanings_table(contracts: &[&Contract]) -> comfy_table::Table {
    let mut rows = table::new(To::Stdout, &["event", "what happens", "deny means", "also called"]);
    for contract in contracts {
        rows.add_row([
            Cell::new(contract.name),
            Cell::new(contract.about),
            Cell::new(contract.on_deny),
            dim(aliases_of(contract).map(alias_text).collect::<Vec<_>>().join(", ")),
        ]);
    }
    table::keep_whole(&mut rows, &[0]);
    rows
}

fn alias_text(alias: &Alias) -> String {
    let mut name = alias.name.to_owned();
    if let Some(role) = alias.role {
        name.push_str(&format!(" (as {})", role.name()));
    }
    if let Some((pointer, value)) = alias.condition {
        name.push_str(&format!(" (only {pointer}={value})"));
    }
    name
}
