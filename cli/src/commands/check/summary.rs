//! What is printed of a valid config: its hooks, what they run, and what their failures count as.

use std::collections::BTreeSet;

use hookgate::table::Listed;
use hookgate::{FailureClass, HandlerTable, HookSpec, Mode, Posture};
use serde_json::{Value, json};

use super::entry::Entry;
use super::names_of_files;
use crate::config::Configs;
use crate::postures::{possible, postures_json};
use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::style::{DIM, GOOD};
use crate::terminal::table::{self, To, cell, dim};

fn events_of(table: &HandlerTable) -> BTreeSet<&str> {
    table.listing().map(|hook| hook.event).collect()
}

/// Returns the facts of a valid config as JSON.
pub(super) fn valid_json(
    configs: &Configs,
    table: &HandlerTable,
    warnings: &[Entry],
    failures: bool,
) -> Value {
    let mut found = json!({
        "config": configs.name().plain(),
        "files": names_of_files(configs),
        "valid": true,
        "hooks": table.len(),
        "events": events_of(table),
        "config_hash": table.config_hash(),
        "handlers": declared(table).map(handler_json).collect::<Vec<_>>(),
        "warnings": warnings.iter().map(Entry::to_json).collect::<Vec<_>>(),
    });
    if failures && let Some(found) = found.as_object_mut() {
        let rows = table.listing().map(|hook| {
            json!({
                "hook": hook.id(),
                "event": hook.event,
                "role": hook.role(),
                "mode": hook.mode(),
                "postures": postures_json(&hook),
            })
        });
        found.insert("failures".to_owned(), rows.collect());
    }
    found
}

/// Returns the hooks whose handlers have declared what they run, and how.
fn declared(table: &HandlerTable) -> impl Iterator<Item = &HookSpec> {
    table.specs().filter(|hook| !hook.files().is_empty() || !hook.notes().is_empty())
}

fn handler_json(hook: &HookSpec) -> Value {
    json!({
        "hook": hook.id(),
        "kind": hook.kind(),
        "files": hook.files().iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
        "notes": hook.notes(),
    })
}

/// Returns what each hook runs, by absolute path, and how; `None` if no hook runs a file.
fn runs_table(table: &HandlerTable) -> Option<comfy_table::Table> {
    let mut rows = table::new(To::Stdout, &["hook", "runs", "how"]);
    for hook in declared(table) {
        let files: Vec<_> = hook.files().iter().map(|file| file.display().to_string()).collect();
        rows.add_row([cell(hook.id()), cell(files.join("\n")), dim(hook.notes().join("\n"))]);
    }
    table::keep_whole(&mut rows, &[0]);
    (!rows.is_empty()).then_some(rows)
}

/// Returns the same for people.
pub(super) fn summary(name: &str, table: &HandlerTable, warnings: usize, failures: bool) -> String {
    let mut text = format!(
        "{GOOD}ok{GOOD:#} {}: {} at {}",
        line(name),
        count(table.len(), "hook"),
        count(events_of(table).len(), "event"),
    );
    if warnings > 0 {
        text.push_str(&format!(", {}", count(warnings, "warning")));
    }
    text.push_str(&format!("\n   {DIM}{}{DIM:#}\n", table.config_hash()));
    if let Some(runs) = runs_table(table) {
        text.push_str(&format!("{runs}\n"));
    }
    if failures {
        text.push_str(&format!("{}\n", failures_table(table)));
    }
    text
}

/// Returns what each hook counts as when it fails: the classes of failure, by posture.
fn failures_table(table: &HandlerTable) -> comfy_table::Table {
    let mut rows = table::new(To::Stdout, &["event", "hook", "role", "deny", "ask", "allow"]);
    for hook in table.listing() {
        let mut row = vec![dim(hook.event), cell(hook.id()), dim(hook.role().name())];
        // A hook that does not count decides nothing, however it fails.
        if matches!(hook.mode(), Mode::Warn | Mode::Shadow) {
            row.extend([dim(""), dim(""), dim(format!("all ({})", hook.mode().name()))]);
        } else {
            row.extend(Posture::ALL.map(|posture| classes(&hook, posture).into()));
        }
        rows.add_row(row);
    }
    table::keep_whole(&mut rows, &[0, 1, 2]);
    rows
}

fn classes(hook: &Listed<'_>, posture: Posture) -> String {
    let all = possible(hook);
    let matching: Vec<_> =
        all.iter().copied().filter(|&class| hook.posture(class) == posture).collect();
    if matching.len() == all.len() {
        return "all".to_owned();
    }
    // If it is nearly all, the rest is shorter.
    if matching.len() > all.len() / 2 {
        let others: Vec<_> = all.into_iter().filter(|class| !matching.contains(class)).collect();
        return format!("all but {}", names_of(&others));
    }
    names_of(&matching)
}

fn names_of(classes: &[FailureClass]) -> String {
    classes.iter().map(|class| class.name()).collect::<Vec<_>>().join(", ")
}
