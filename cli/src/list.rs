//! `hookgate list`: the hooks as they are asked.

use std::collections::BTreeSet;

use comfy_table::{Attribute, Cell};
use hookgate::table::Listed;
use hookgate::{HandlerTable, HookSpec, Mode, Role};
use serde_json::{Value, json};

use crate::abort::Abort;
use crate::config::{ConfigArgs, registry};
use crate::exit_code::Exit;
use crate::output::{self, OutputArgs};
use crate::table::{self, To, cell, dim};
use crate::{matcher, text};

/// Show the hooks of each event, in the order in which they are asked
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  hookgate list -c hooks.toml
  hookgate list --json | jq -r 'select(.mode == \"shadow\") | .id'")]
pub(crate) struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// How many characters of the conditions are shown in the table; the JSON has all of them.
const MATCHER: usize = 80;

pub(crate) fn run(args: &Args) -> Result<Exit, Abort> {
    let table = args.config.load(&registry())?;
    if args.output.wants_json() {
        for line in lines(&table) {
            output::json_line(&line)?;
        }
    } else {
        output::text(&format!("{}\n", rows(&table)))?;
    }
    Ok(Exit::Ok)
}

/// The hooks that are off: they stand in no bucket, but in the config.
fn off(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    let asked: BTreeSet<_> = table.listing().map(|hook| hook.id()).collect();
    table.specs().filter(move |spec| !asked.contains(spec.id()))
}

/// The hooks with their place in the order of their event, from 1. Observers are told after the
/// decision, so they come last.
fn numbered(table: &HandlerTable) -> Vec<(usize, Listed<'_>)> {
    let listed: Vec<_> = table.listing().collect();
    let events = listed.chunk_by(|one, next| one.event == next.event);
    events
        .flat_map(|hooks| {
            let (told, asked): (Vec<_>, Vec<_>) =
                hooks.iter().copied().partition(|hook| hook.role() == Role::Observe);
            (1..).zip(asked.into_iter().chain(told))
        })
        .collect()
}

fn lines(table: &HandlerTable) -> impl Iterator<Item = Value> {
    let asked = numbered(table).into_iter().map(|(place, hook)| {
        json!({
            "event": hook.event,
            "place": place,
            "id": hook.id(),
            "kind": hook.kind(),
            "role": hook.role(),
            "mode": hook.mode(),
            "background": hook.spec().is_background(),
            "priority": hook.spec().priority(),
            "timeout_ms": hook.timeout().map(|timeout| timeout.as_millis() as u64),
            "matcher": matcher::short(hook.matcher()),
            "tags": hook.spec().tags(),
            "origin": hook.spec().origin(),
        })
    });
    let off = off(table).flat_map(|spec| {
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
                "matcher": matcher::short(spec.matcher()),
                "tags": spec.tags(),
                "origin": spec.origin(),
            })
        })
    });
    asked.chain(off)
}

fn rows(table: &HandlerTable) -> comfy_table::Table {
    let head = ["hook", "kind", "role", "prio", "timeout", "asked about"];
    let mut rows = table::new(To::Stdout, &head);
    for (place, hook) in numbered(table) {
        if place == 1 {
            rows.add_row([cell(hook.event).add_attribute(Attribute::Bold)]);
        }
        let mut role = hook.role().name().to_owned();
        if hook.mode() != Mode::Enforce {
            role.push_str(&format!(", {}", hook.mode().name()));
        }
        if hook.spec().is_background() {
            role.push_str(", background");
        }
        rows.add_row([
            // Trimmed with the rest it would not be aligned.
            Cell::new(format!("{place:>3} {}", text::line(hook.id()))),
            dim(hook.kind()),
            cell(role),
            dim(hook.spec().priority()),
            dim(hook.timeout().map(text::duration).unwrap_or_default()),
            cell(about(hook.spec())),
        ]);
    }
    for spec in off(table) {
        let events: Vec<_> = spec.events().iter().map(|on| on.name()).collect();
        rows.add_row([
            Cell::new(format!("  - {}", text::line(spec.id()))).add_attribute(Attribute::Dim),
            dim(spec.kind()),
            dim("off"),
            dim(spec.priority()),
            dim(""),
            dim(format!("{}: {}", events.join(", "), about(spec))),
        ]);
    }
    table::keep_whole(&mut rows, &[0, 1, 2]);
    rows
}

/// The conditions and the tags.
fn about(spec: &HookSpec) -> String {
    let tags = spec.tags().iter().map(|tag| format!("#{tag}"));
    let conditions = text::one_line(&matcher::short(spec.matcher()), MATCHER);
    let conditions = Some(conditions).filter(|text| !text.is_empty());
    conditions.into_iter().chain(tags).collect::<Vec<_>>().join(" ")
}
