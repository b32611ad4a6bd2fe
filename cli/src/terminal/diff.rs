//! Shows how two texts differ, line by line.

use similar::{ChangeTag, TextDiff};

use crate::terminal::style::{BAD, DIM, GOOD};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the lines that differ, with a few around them.
pub(crate) fn lines(before: &str, after: &str) -> String {
    let mut text = String::new();
    let diff = TextDiff::from_lines(before, after);
    for group in diff.grouped_ops(CONTEXT) {
        if let Some(first) = group.first() {
            text.push_str(&format!("{DIM}@ line {}{DIM:#}\n", first.new_range().start + 1));
        }
        for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let shown = line.value().trim_end_matches(['\r', '\n']);
            text.push_str(&match line.tag() {
                ChangeTag::Equal => format!("  {shown}\n"),
                ChangeTag::Insert => format!("{GOOD}+ {shown}{GOOD:#}\n"),
                ChangeTag::Delete => format!("{BAD}- {shown}{BAD:#}\n"),
            });
        }
    }
    text
}
