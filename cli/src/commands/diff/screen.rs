//! The difference of two configs for people.

use std::fmt::Write as _;

use comfy_table::{Cell, CellAlignment, Color};
use serde_json::Value;

use super::deltas::{Deltas, Said};
use super::direction::Direction;
use super::structure::{KeyChange, Structure, What};
use crate::replay::Change;
use crate::terminal::phrase::count;
use crate::terminal::sanitize::one_line;
use crate::terminal::style::{BOLD, DIM, outcome_colour};
use crate::terminal::table::{self, To, cell, dim};

/// How many characters of a value are shown.
const VALUE: usize = 60;

/// How many characters of a reason are shown.
const REASON: usize = 80;

/// Returns the whole text.
pub(super) fn text(structure: &Structure, deltas: Option<&Deltas>) -> String {
    let mut text = hooks(structure);
    if let Some(deltas) = deltas {
        text.push('\n');
        text.push_str(&steps(deltas));
    }
    text
}

fn hooks(structure: &Structure) -> String {
    if structure.hooks.is_empty() && structure.table.is_empty() {
        return format!("{DIM}the hooks are the same{DIM:#}\n");
    }
    let mut rows = table::new(To::Stdout, &["", "hook", "key", "was", "now", ""]);
    for hook in &structure.hooks {
        match &hook.what {
            What::Added(direction) => {
                rows.add_row([
                    cell("+"),
                    cell(&hook.id),
                    cell(""),
                    cell(""),
                    cell("added"),
                    way(*direction),
                ]);
            }
            What::Removed(direction) => {
                rows.add_row([
                    cell("-"),
                    cell(&hook.id),
                    cell(""),
                    cell("there"),
                    cell("removed"),
                    way(*direction),
                ]);
            }
            What::Changed(keys) => keys.iter().enumerate().for_each(|(at, key)| {
                let id = if at == 0 { hook.id.as_str() } else { "" };
                rows.add_row(changed(id, key));
            }),
        }
    }
    for key in &structure.table {
        rows.add_row(changed("", key));
    }
    table::keep_whole(&mut rows, &[0, 1, 2, 5]);
    format!("{rows}\n")
}

fn changed(id: &str, key: &KeyChange) -> [Cell; 6] {
    let sign = if id.is_empty() { "" } else { "~" };
    [
        cell(sign),
        cell(id),
        cell(&key.key),
        dim(value(&key.before)),
        cell(value(&key.now)),
        way(key.direction),
    ]
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => one_line(text, VALUE),
        value => one_line(&value.to_string(), VALUE),
    }
}

fn way(direction: Direction) -> Cell {
    let name = Cell::new(direction.name());
    match direction {
        Direction::Weaker => name.fg(Color::Red),
        Direction::Stronger => name.fg(Color::Green),
        Direction::Open => dim(direction.name()),
    }
}

fn steps(deltas: &Deltas) -> String {
    let mut text = format!("{BOLD}{}{BOLD:#} judged by both", count(deltas.steps, "step"));
    for change in Change::ALL {
        if let Some(steps) = deltas.changes.get(&change) {
            // Writing to a text does not fail.
            let _ = write!(text, " · {steps} {}", change.name());
        }
    }
    text.push('\n');
    let mut groups = deltas.groups().peekable();
    if groups.peek().is_none() {
        return text;
    }
    let head = ["", "steps", "event", "tool", "was", "now", "the first", "what", "why"];
    let mut rows = table::new(To::Stdout, &head);
    for (key, delta) in groups {
        rows.add_row([
            cell(key.change.name()),
            cell(delta.steps).set_alignment(CellAlignment::Right),
            cell(&key.event),
            cell(key.tool.as_deref().unwrap_or_default()),
            said(&key.before),
            said(&key.now),
            dim(&delta.place),
            cell(&delta.what),
            dim(one_line(delta.reason.as_deref().unwrap_or_default(), REASON)),
        ]);
    }
    table::keep_whole(&mut rows, &[0, 1, 2, 3]);
    let _ = writeln!(text, "\n{rows}");
    text
}

fn said(said: &Said) -> Cell {
    let by: Vec<&str> = said.by.iter().chain(&said.unknown).map(String::as_str).collect();
    let text = match by.as_slice() {
        [] => said.outcome.to_string(),
        by => format!("{}\n{}", said.outcome, by.join("\n")),
    };
    Cell::new(text).fg(outcome_colour(said.outcome.least()))
}
