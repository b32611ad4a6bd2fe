//! Tables on a terminal.

use std::io::{self, IsTerminal};

use comfy_table::{
    Attribute, Cell, ColumnConstraint, ContentArrangement, ContentLineStyle, LineStyle, Table,
    TableStyle,
};

use crate::terminal::sanitize::lines;

/// Where a table is printed, which decides on its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum To {
    /// Stdout.
    Stdout,
    /// Stderr.
    Stderr,
}

/// A line under the head and nothing else: rows are short, and there are many.
const STYLE: TableStyle = TableStyle::new()
    .header_lines(ContentLineStyle::none())
    .header_separator(LineStyle::none().fill('─').junction('─'))
    .content_lines(ContentLineStyle::none());

/// The width without a terminal, unless `COLUMNS` sets another.
const WIDTH: u16 = 120;

/// From this width on, ids and names are not broken: enough is left for the other columns.
const ROOMY: u16 = 90;

/// Returns a table with a head and no rows. It always has colours: the stream that it is printed to
/// removes them if it takes none.
pub(crate) fn new(to: To, head: &[&str]) -> Table {
    let mut table = without_head(to);
    table.set_header(head.iter().map(|text| Cell::new(text).add_attribute(Attribute::Bold)));
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    table
}

/// Returns a table with rows only.
pub(crate) fn without_head(to: To) -> Table {
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic).enforce_styling();
    let terminal = match to {
        To::Stdout => io::stdout().is_terminal(),
        To::Stderr => {
            table.use_stderr();
            io::stderr().is_terminal()
        }
    };
    if !terminal {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        table.set_width(columns.unwrap_or(WIDTH));
    }
    table
}

/// Returns a list of facts: what each is about, and what there is to say.
pub(crate) fn facts(to: To, facts: &[(&str, String)]) -> Table {
    let mut table = without_head(to);
    for (name, fact) in facts {
        table.add_row([dim(name), cell(fact)]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    keep_whole(&mut table, &[0]);
    table
}

/// Keeps the words of some columns whole, if the table is wide enough.
pub(crate) fn keep_whole(table: &mut Table, columns: &[usize]) {
    if table.width().is_some_and(|width| width < ROOMY) {
        return;
    }
    for &column in columns {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// Returns a cell with a text that may come from outside.
pub(crate) fn cell(text: impl ToString) -> Cell {
    Cell::new(lines(&text.to_string()))
}

/// Returns a dim cell, for what can be overlooked.
pub(crate) fn dim(text: impl ToString) -> Cell {
    cell(text).add_attribute(Attribute::Dim)
}
