//! `hookgate list`: the hooks in the order in which they are called.

use std::collections::BTreeSet;

use comfy_table::{Attribute, Cell};
use hookgate::table::Listed;
use hookgate::{HandlerTable, HookSpec, Mode, Role};
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::conditions;
use crate::config::{self, ConfigArgs};
use crate::exit_code::Exit;
use crate::postures::{postures_json, postures_short};
use crate::terminal::stdout::OutputArgs;
use crate::terminal::table::{To, cell, dim};
use crate::terminal::{phrase, sanitize, stdout, table};

/// Show the hooks of each event, in the order in which they are called
///
/// Each with what its failures count as, and with the layer and the place where it is written.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate list -c hooks.toml
  hookgate list --json | jq -r 'select(.mode == \"shadow\") | .id'")]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// How many characters of the conditions are shown in the table; the JSON has all of them.
const CONDITIONS: usize = 80;

/// Runs the verb.
///
/// # Errors
/// The config is not valid.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    let table = args.config.load(&config::registry())?;
    if args.output.wants_json() {
        for line in json_lines(&table) {
            stdout::json_line(&line)?;
        }
    } else {
        stdout::print(&format!("{}\n", hooks_table(&table)))?;
    }
    Ok(Exit::Ok)
}

/// Returns the hooks that are off: they are in the config, but called at no event.
fn switched_off(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    let listed: BTreeSet<_> = table.listing().map(|hook| hook.id()).collect();
    table.specs().filter(move |spec| !listed.contains(spec.id()))
}

/// Returns the hooks with their number in the order of their event, from 1. Observers are called
/// after the decision, so they come last.
fn numbered(table: &HandlerTable) -> Vec<(usize, Listed<'_>)> {
    let listed: Vec<_> = table.listing().collect();
    let events = listed.chunk_by(|one, next| one.event == next.event);
    events
        .flat_map(|hooks| {
            let (observers, deciders): (Vec<_>, Vec<_>) =
                hooks.iter().copied().partition(|hook| hook.role() == Role::Observe);
            (1..).zip(deciders.into_iter().chain(observers))
        })
        .collect()
}

fn json_lines(table: &HandlerTable) -> impl Iterator<Item = Value> {
    let called = numbered(table).into_iter().map(|(number, hook)| {
        json!({
            "event": hook.event,
            "place": number,
            "id": hook.id(),
            "kind": hook.kind(),
            "role": hook.role(),
            "mode": hook.mode(),
            "background": hook.spec().is_background(),
            "priority": hook.spec().priority(),
            "timeout_ms": hook.timeout().map(|timeout| timeout.as_millis() as u64),
            "postures": postures_json(&hook),
            "matcher": conditions::to_short(hook.matcher()),
            "tags": hook.spec().tags(),
            "origin": hook.spec().origin(),
        })
    });
    let off = switched_off(table).flat_map(|spec| {
        spec.events().iter().map(|on| {
            json!({
                "event": on.name(),
                "place": null,
                "id": spec.id(),
                "kind": spec.kind(),
                "role": null,
                "mode": Mode::Off,
                "background": spec.is_background(),
                "priority": spec.priority(),
                "timeout_ms": null,
                "postures": null,
                "matcher": conditions::to_short(spec.matcher()),
                "tags": spec.tags(),
                "origin": spec.origin(),
            })
        })
    });
    called.chain(off)
}

fn hooks_table(table: &HandlerTable) -> comfy_table::Table {
    let mut head =
        vec!["hook", "kind", "role", "prio", "timeout", "on failure", "called for", "from"];
    let layers: BTreeSet<_> = table.specs().map(|spec| spec.origin().layer()).collect();
    if layers.len() > 1 {
        head.push("layer");
    }
    // With one layer it says nothing.
    let from = |spec: &HookSpec| {
        let layer = (layers.len() > 1).then(|| dim(spec.origin().layer()));
        std::iter::once(dim(spec.origin())).chain(layer)
    };
    let mut rows = table::new(To::Stdout, &head);
    for (number, hook) in numbered(table) {
        if number == 1 {
            rows.add_row([cell(hook.event).add_attribute(Attribute::Bold)]);
        }
        let mut role = hook.role().name().to_owned();
        if hook.mode() != Mode::Enforce {
            role.push_str(&format!(", {}", hook.mode().name()));
        }
        if hook.spec().is_background() {
            role.push_str(", background");
        }
        let row = [
            // A cell of `table::cell` would be trimmed, and not aligned.
            Cell::new(format!("{number:>3} {}", sanitize::line(hook.id()))),
            dim(hook.kind()),
            cell(role),
            dim(hook.spec().priority()),
            dim(hook.timeout().map(phrase::duration).unwrap_or_default()),
            dim(postures_short(&hook)),
            cell(called_for(hook.spec())),
        ];
        rows.add_row(row.into_iter().chain(from(hook.spec())));
    }
    for spec in switched_off(table) {
        let events: Vec<_> = spec.events().iter().map(|on| on.name()).collect();
        let row = [
            Cell::new(format!("  - {}", sanitize::line(spec.id()))).add_attribute(Attribute::Dim),
            dim(spec.kind()),
            dim("off"),
            dim(spec.priority()),
            dim(""),
            dim(""),
            dim(format!("{}: {}", events.join(", "), called_for(spec))),
        ];
        rows.add_row(row.into_iter().chain(from(spec)));
    }
    table::keep_whole(&mut rows, &[0, 1, 2]);
    rows
}

/// Returns the conditions and the tags.
fn called_for(spec: &HookSpec) -> String {
    let tags = spec.tags().iter().map(|tag| format!("#{tag}"));
    let conditions = sanitize::one_line(&conditions::to_short(spec.matcher()), CONDITIONS);
    let conditions = Some(conditions).filter(|text| !text.is_empty());
    conditions.into_iter().chain(tags).collect::<Vec<_>>().join(" ")
}
