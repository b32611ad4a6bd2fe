//! Shows what would change.

use similar::{ChangeTag, TextDiff};

use super::change::Change;
use crate::terminal::style::{BAD, BOLD, DIM, GOOD};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// Shows all changes, one file after the other.
pub(super) fn all(changes: &[Change]) -> String {
    changes.iter().filter(|change| !change.is_nothing()).map(one).collect()
}

fn one(change: &Change) -> String {
    let path = change.path.display();
    let what = match (&change.before, &change.after) {
        (None, _) => "a new file",
        (Some(_), None) => "the file goes",
        (Some(_), Some(_)) => "",
    };
    let mut text = format!("{BOLD}{path}{BOLD:#} {DIM}{what}{DIM:#}\n");
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
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
    text.push('\n');
    text
}
