//! What a page shows, as data.

use serde::Serialize;

/// What a page shows, in this order.
#[derive(Debug, Default, Serialize)]
pub(crate) struct View {
    pub(crate) title: String,
    /// One sentence: how it stands.
    pub(crate) lead: Option<String>,
    /// Whether the lead is about something that is wrong.
    pub(crate) is_wrong: bool,
    /// Names and values.
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) plots: Vec<Plot>,
    pub(crate) tables: Vec<Table>,
    /// Texts that are shown line by line.
    pub(crate) texts: Vec<Lines>,
}

/// A plot.
#[derive(Debug, Serialize)]
pub(crate) struct Plot {
    pub(crate) title: &'static str,
    /// Made by [`plot`](super::plot), the one place that writes markup.
    pub(super) svg: String,
}

/// A table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    /// What is said below the title; where there is no row, in the place of the table.
    pub(crate) note: Option<String>,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Cell {
    pub(crate) text: String,
    /// How it looks: a class of the style sheet.
    pub(crate) class: &'static str,
    /// The view that it leads to. It begins with `/`, and a fixed word.
    pub(crate) leads_to: Option<String>,
}

/// A text that is shown line by line.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) lines: Vec<(Sign, String)>,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sign {
    Same,
    Added,
    Removed,
}

impl Cell {
    /// A cell that can be overlooked.
    pub(crate) fn dim(text: impl Into<String>) -> Self {
        Self { class: "dim", ..text.into().into() }
    }

    /// A cell with a number.
    pub(crate) fn number(number: u64) -> Self {
        let class = if number == 0 { "number dim" } else { "number" };
        Self { class, ..number.to_string().into() }
    }

    /// A cell with what is written in code.
    pub(crate) fn code(text: impl Into<String>) -> Self {
        Self { class: "code", ..text.into().into() }
    }

    /// Leads to a view.
    pub(crate) fn to(self, view: String) -> Self {
        Self { leads_to: Some(view), ..self }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Lines {
    /// A text as it is.
    pub(crate) fn plain(title: impl Into<String>, text: &str) -> Self {
        let lines = text.lines().map(|line| (Sign::Same, line.to_owned())).collect();
        Self { title: title.into(), lines }
    }
}
