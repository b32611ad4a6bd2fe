//! Tables on a terminal.

use std::io::{self, IsTerminal};

use anstream::adapter::strip_str;
use anstyle::Style;
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

/// What begins a colour, and what ends all of them.
const ESCAPE: char = '\u{1b}';
const RESET: &str = "\u{1b}[0m";

/// The width without a terminal, unless `COLUMNS` sets another.
const WIDTH: u16 = 120;

/// From this width on, ids and names are not broken: enough is left for the other columns.
const ROOMY: u16 = 90;

/// How many columns of the terminal a text needs that may be broken.
const READABLE: usize = 14;

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

/// Returns the next part of a table that is printed as it grows: only the first has the head. The columns of these
/// places are kept whole.
pub(crate) fn part<const N: usize>(
    head: &[&str; N],
    rows: Vec<[Cell; N]>,
    with_head: bool,
    whole: &[usize],
) -> Table {
    let mut table = if with_head { new(To::Stdout, head) } else { without_head(To::Stdout) };
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
    keep_whole(&mut table, whole);
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
    // A terminal that says it has no column does not say what it has.
    if !terminal || table.width().is_none_or(|columns| columns == 0) {
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

/// Keeps the words of some columns whole, if the table is wide enough. The widest of them are broken all the same
/// if the other columns could not be read otherwise.
pub(crate) fn keep_whole(table: &mut Table, columns: &[usize]) {
    let width = table.width().unwrap_or(WIDTH);
    if width < ROOMY {
        return;
    }
    let widths = table.column_max_content_widths();
    let wide = |column: &usize| usize::from(widths.get(*column).copied().unwrap_or_default()) + 1;
    let needed = widths.len().saturating_sub(columns.len()) * READABLE;
    let mut kept = columns.to_vec();
    kept.sort_by_key(wide);
    while kept.iter().map(wide).sum::<usize>() + needed > width.into() && kept.pop().is_some() {}
    for column in kept {
        if let Some(column) = table.column_mut(column) {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
}

/// Keeps the words of all columns whole: each row is one line, however narrow the terminal is.
pub(crate) fn keep_all_whole(table: &mut Table) {
    for column in table.column_iter_mut() {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
}

/// Returns how many columns a stream has.
pub(crate) fn width(to: To) -> usize {
    without_head(to).width().unwrap_or(WIDTH).into()
}

/// Returns how many characters of a line are seen.
pub(crate) fn visible_width(line: &str) -> usize {
    strip_str(line).to_string().chars().count()
}

/// Returns a line of a table without the spaces at its end, which a narrow terminal would show as a line of their
/// own.
pub(crate) fn trimmed(line: &str) -> String {
    let mut rest = line;
    while let Some(shorter) = rest.strip_suffix(RESET).or_else(|| rest.strip_suffix(' ')) {
        rest = shorter;
    }
    if rest.contains(ESCAPE) { format!("{rest}{RESET}") } else { rest.to_owned() }
}

/// Returns a text that is safe to print in lines that fit stdout, each moved in and in a style. An empty text has
/// no line.
pub(crate) fn wrapped(text: &str, indent: u16, style: Style) -> Vec<String> {
    let mut table = without_head(To::Stdout);
    table.add_row([text]);
    if let Some(column) = table.column_mut(0) {
        column.set_padding((indent, 0));
    }
    let text = table.to_string();
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(|line| format!("{style}{line}{style:#}")).collect()
}

/// Returns a cell with a text that may come from outside.
pub(crate) fn cell(text: impl ToString) -> Cell {
    Cell::new(lines(&text.to_string()))
}

/// Returns a dim cell, for what can be overlooked.
pub(crate) fn dim(text: impl ToString) -> Cell {
    cell(text).add_attribute(Attribute::Dim)
}
