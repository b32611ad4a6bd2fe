//! Where a new item of an object or an array goes, and what goes when an item is cut out.

use std::ops::Range;

use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};

/// How the items of a text are laid out.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The white space of one level; `None` if all is on one line.
    unit: Option<String>,
    end_of_line: &'static str,
}

/// A text that is to be put in.
pub(crate) type Insertion = (usize, String);

impl Layout {
    /// Finds out how a text is laid out.
    pub(crate) fn of(text: &str) -> Self {
        let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let trimmed = text.trim();
        let unit = trimmed.lines().skip(1).find_map(|line| {
            let blank = blank_start(line);
            let is_item = line.trim_start().starts_with(['"', '{', '[']);
            (!blank.is_empty() && is_item).then(|| blank.to_owned())
        });
        // What has no items yet becomes a text of lines.
        let one_line = trimmed.contains('"') && !trimmed.contains('\n');
        let unit = if one_line { None } else { Some(unit.unwrap_or_else(|| "  ".to_owned())) };
        Self { unit, end_of_line }
    }

    /// Writes a value, with all lines but the first behind `indent`.
    pub(crate) fn value(&self, value: &impl Serialize, indent: &str) -> String {
        let Some(unit) = &self.unit else {
            return serde_json::to_string(value).unwrap_or_default();
        };
        let mut bytes = Vec::new();
        let formatter = PrettyFormatter::with_indent(unit.as_bytes());
        let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
        if value.serialize(&mut serializer).is_err() {
            return String::new();
        }
        let text = String::from_utf8(bytes).unwrap_or_default();
        text.replace('\n', &format!("{}{indent}", self.end_of_line))
    }

    /// Puts an item at the end of a container. `last` is where its last item ends, and `item` writes the
    /// new one behind an indent.
    pub(crate) fn grow(
        &self,
        text: &str,
        container: Range<usize>,
        last: Option<usize>,
        item: impl FnOnce(&Self, &str) -> String,
    ) -> Vec<Insertion> {
        let close = container.end.saturating_sub(1);
        let inside = text.get(last.unwrap_or(container.start + 1)..close).unwrap_or_default();
        // A comment behind the last item stays there.
        let at = close - (inside.len() - inside.trim_end().len());
        let mut insertions = Vec::new();
        // TOML takes a comma behind the last item.
        if let Some(last) = last.filter(|last| find_comma(text, *last..close).is_none()) {
            insertions.push((last, ",".to_owned()));
        }
        let Some(unit) = &self.unit else {
            let gap = if last.is_some() { " " } else { "" };
            insertions.push((at, format!("{gap}{}", item(self, ""))));
            return insertions;
        };
        let outer = text.get(..container.start).map_or("", indent_of_last_line);
        let inner = format!("{outer}{unit}");
        let end = self.end_of_line;
        let closes_on_own_line = text.get(at..close).is_some_and(|rest| rest.contains('\n'));
        let behind = if closes_on_own_line { String::new() } else { format!("{end}{outer}") };
        insertions.push((at, format!("{end}{inner}{}{behind}", item(self, &inner))));
        insertions
    }
}

/// Returns a text in which one of the items of a container is cut out, with its comma.
pub(crate) fn cut(
    text: &str,
    container: Range<usize>,
    items: &[Range<usize>],
    index: usize,
) -> Option<String> {
    let item = items.get(index)?;
    let before = text.get(..item.start)?.trim_end().len();
    let next = items.get(index + 1);
    let previous = index.checked_sub(1).and_then(|index| items.get(index));
    match (previous, next) {
        (_, Some(next)) => {
            let comma = find_comma(text, item.end..next.start)?;
            join(text, before, comma + 1)
        }
        (Some(previous), None) => {
            let comma = find_comma(text, previous.end..item.start)?;
            if comma + 1 >= before {
                join(text, comma, item.end)
            } else {
                // A comment stands between the comma and the item.
                let shorter = join(text, before, item.end)?;
                join(&shorter, comma, comma + 1)
            }
        }
        (None, None) => {
            let close = container.end.checked_sub(1)?;
            let blank = text.get(item.end..close)?.trim().is_empty();
            let only = before == container.start + 1;
            join(text, before, if blank && only { close } else { item.end })
        }
    }
}

fn join(text: &str, until: usize, from: usize) -> Option<String> {
    Some(format!("{}{}", text.get(..until)?, text.get(from..)?))
}

/// Finds the comma between two items; comments may hold others.
fn find_comma(text: &str, range: Range<usize>) -> Option<usize> {
    let mut rest = text.get(range.clone())?;
    let mut at = range.start;
    loop {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if rest.starts_with(',') {
            return Some(at);
        } else {
            rest.chars().next()?.len_utf8()
        };
        at += skipped;
        rest = rest.get(skipped..)?;
    }
}

fn blank_start(line: &str) -> &str {
    let text = line.trim_start_matches([' ', '\t']);
    line.strip_suffix(text).unwrap_or_default()
}

fn indent_of_last_line(text: &str) -> &str {
    blank_start(text.rsplit('\n').next().unwrap_or_default())
}
