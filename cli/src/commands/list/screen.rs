//! The hooks for people: a table of what is short, and below each hook what it is called for.
//!
//! What is long stands in lines of its own, so that a table with many conditions is as readable as one with few.

use std::collections::BTreeSet;

use anstyle::Style;
use comfy_table::{Attribute, Cell, Color};
use hookgate::{HookSpec, Mode};

use super::row::Row;
use crate::conditions;
use crate::hook_standing::HookStanding;
use crate::postures::postures_short;
use crate::terminal::phrase;
use crate::terminal::sanitize::{line, one_line};
use crate::terminal::style::{BAD, BOLD, DIM};
use crate::terminal::table::{self, To, cell, dim, trimmed, visible_width, wrapped};

/// How many characters of an id are shown; the JSON has all of them.
const ID: usize = 60;

/// How many characters of the conditions are shown.
const CONDITIONS: usize = 600;

/// The priority of a hook that sets none.
const PRIORITY: i64 = 100;

/// How far what stands below a hook is moved in: to where its id begins.
const INDENT: u16 = 4;

/// Which columns there are, of those that may be left out: one without a value says nothing.
#[derive(Debug, Clone, Copy, Default)]
struct Columns {
    priority: bool,
    timeout: bool,
    trust: bool,
    from: bool,
    layer: bool,
}

impl Columns {
    /// Returns those that say something of a hook.
    fn of(rows: &[Row<'_>]) -> Self {
        let layers: BTreeSet<_> = rows.iter().map(|row| row.spec.origin().layer()).collect();
        Self {
            priority: rows.iter().any(|row| row.spec.priority() != PRIORITY),
            timeout: rows.iter().any(|row| timeout(row).is_some()),
            trust: rows.iter().any(|row| row.standing != HookStanding::InForce),
            from: true,
            layer: layers.len() > 1,
        }
    }
}

/// Returns the hooks, event by event. What does not fit beside a hook stands below it.
pub(super) fn text(rows: &[Row<'_>]) -> String {
    let all = Columns::of(rows);
    let without_places = Columns { from: false, layer: false, ..all };
    let width = table::width(To::Stdout);
    let fits = |lines: &[String]| lines.iter().all(|line| visible_width(line) <= width);
    let (columns, lines) = [all, without_places]
        .into_iter()
        .map(|columns| (columns, table_lines(rows, columns)))
        .find(|(_, lines)| fits(lines))
        .unwrap_or_else(|| (Columns::default(), table_lines(rows, Columns::default())));
    let mut lines = lines.into_iter();
    let mut out: Vec<String> = lines.by_ref().take(2).collect();
    let mut event: Option<&str> = None;
    for (row, of_table) in rows.iter().zip(lines) {
        let here = row.called.map(|(_, listed)| listed.event);
        if let Some(here) = here.filter(|here| event != Some(here)) {
            event = Some(here);
            out.push(format!("{BOLD}{}{BOLD:#}", line(here)));
        }
        out.push(of_table);
        out.extend(below(row, all, columns));
    }
    out.join("\n") + "\n"
}

/// Returns the lines of the table: two of its head, then one for each hook.
fn table_lines(rows: &[Row<'_>], columns: Columns) -> Vec<String> {
    let head = [
        ("hook", true),
        ("kind", true),
        ("role", true),
        ("prio", columns.priority),
        ("timeout", columns.timeout),
        ("on failure", true),
        ("trust", columns.trust),
        ("from", columns.from),
        ("layer", columns.layer),
    ];
    let names: Vec<&str> =
        head.iter().filter(|(_, is_shown)| *is_shown).map(|(name, _)| *name).collect();
    let mut table = table::new(To::Stdout, &names);
    for row in rows {
        let cells = cells(row).into_iter().zip(&head);
        table.add_row(cells.filter(|(_, (_, is_shown))| *is_shown).map(|(cell, _)| cell));
    }
    table::keep_all_whole(&mut table);
    table.to_string().lines().map(trimmed).collect()
}

/// Returns the cells of a hook, those that may not be shown included.
fn cells(row: &Row<'_>) -> [Cell; 9] {
    let Row { spec, called, standing, .. } = row;
    let id = one_line(spec.id(), ID);
    let origin = spec.origin();
    let (id, postures) = match called {
        // A cell of `table::cell` would be trimmed, and not aligned.
        Some((number, listed)) => (Cell::new(format!("{number:>3} {id}")), postures_short(listed)),
        None => (Cell::new(format!("  - {id}")).add_attribute(Attribute::Dim), String::new()),
    };
    let trust = match standing.refuses() {
        true => cell(standing.word()).fg(Color::Yellow),
        false => dim(standing.word()),
    };
    [
        id,
        dim(spec.kind()),
        role(row),
        dim(spec.priority()),
        dim(timeout(row).unwrap_or_default()),
        cell(postures),
        trust,
        dim(origin),
        dim(origin.layer()),
    ]
}

/// Returns the role, and what about the hook is not as with most hooks.
fn role(row: &Row<'_>) -> Cell {
    let Some((_, listed)) = row.called else { return dim("off") };
    let mut text = listed.role().name().to_owned();
    if listed.mode() != Mode::Enforce {
        text.push_str(&format!(", {}", listed.mode().name()));
    }
    if row.spec.is_background() {
        text.push_str(", background");
    }
    if row.wants_whole_text {
        text.push_str(", whole text");
    }
    if row.spec.why_set_aside().is_some() {
        return cell(text + ", set aside").fg(Color::Red);
    }
    cell(text)
}

fn timeout(row: &Row<'_>) -> Option<String> {
    row.called.and_then(|(_, listed)| listed.timeout()).map(phrase::duration)
}

/// Returns what stands below a hook: what has no column, what it is called for, its tags, why it is set aside.
fn below(row: &Row<'_>, all: Columns, columns: Columns) -> Vec<String> {
    let spec = row.spec;
    let origin = spec.origin();
    let mut parts = Vec::new();
    let mut add = |is_left_out: bool, text: String| parts.extend(is_left_out.then_some(text));
    add(all.from && !columns.from, line(&origin.to_string()));
    add(all.layer && !columns.layer, format!("layer {}", origin.layer()));
    add(all.priority && !columns.priority, format!("priority {}", spec.priority()));
    if let Some(timeout) = timeout(row) {
        add(all.timeout && !columns.timeout, format!("timeout {timeout}"));
    }
    let trust = row.standing.word();
    add(all.trust && !columns.trust && !trust.is_empty(), format!("trust: {trust}"));
    add(row.called.is_none(), line(&row.events.join(", ")));
    let mut out = wrapped(&parts.join(", "), INDENT, DIM);
    out.extend(wrapped(&called_for(spec).join(" "), INDENT, Style::new()));
    out.extend(wrapped(&line(&spec.execution().join("; ")), INDENT, DIM));
    if let Some(why) = spec.why_set_aside() {
        out.extend(wrapped(&line(why), INDENT, BAD));
    }
    out
}

/// Returns the conditions and the tags.
fn called_for(spec: &HookSpec) -> Vec<String> {
    let conditions = one_line(&conditions::to_short(spec.matcher()), CONDITIONS);
    let conditions = Some(conditions).filter(|text| !text.is_empty());
    let tags = spec.tags().iter().map(|tag| line(&format!("#{tag}")));
    conditions.into_iter().chain(tags).collect()
}
