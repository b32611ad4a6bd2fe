//! Finds values in the columns of a table: the first line has the names, the lines below it the values.
//!
//! ```text
//! Access key ID,Secret access key        | user | token |
//! AKIA…,wJalr…                           |------|-------|
//!                                        | ci   | wJal… |
//! ```
//!
//! A line is a head if all of its fields read like names, and one of them like that of a secret. The lines
//! below it belong to it as long as they have as many fields. It reads each line once and does not allocate.

use std::ops::Range;

use crate::field_name::{self, NameHint};
use crate::scan::{OwnKey, Sink};
use crate::value::ValueContext;

/// The signs between fields.
const SIGNS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The most fields of a line.
const MOST_FIELDS: usize = 64;

/// The longest name of a column.
const LONGEST_NAME: usize = 48;

/// The head of a table.
struct Head<'t> {
    sign: u8,
    line: &'t str,
    fields: usize,
}

impl Head<'_> {
    /// Whether a line below it belongs to it.
    fn has_row(&self, line: &str) -> bool {
        fields(line, self.sign).count() == self.fields
    }
}

/// Finds the values in the order of the text; returns whether it came to the end.
pub(crate) fn find(text: &str, own: OwnKey<'_>, found: Sink<'_>) -> bool {
    each_line(text, own, &mut |from, line, head| {
        let Some(head) = head.filter(|head| head.has_row(line)) else { return true };
        let names = fields(head.line, head.sign).map(|(_, name)| name);
        for (name, (at, value)) in names.zip(fields(line, head.sign)) {
            let is_secret = is_name_of_secret(name, own)
                && !value.contains(' ')
                && ValueContext {
                    key: name,
                    quoted: false,
                    equals: true,
                    ends_line: false,
                    if_random: false,
                }
                .is_secret(value);
            if is_secret && !found(shifted(&at, from), "assignment") {
                return false;
            }
        }
        true
    })
    .0
}

/// Returns the beginnings of the lines to which a table goes on: those below its head, and below a line of it.
pub(crate) fn lines_of_tables(text: &str, own: OwnKey<'_>) -> Vec<usize> {
    let mut lines = Vec::new();
    let mut note = |from, _: &str, head: Option<&Head<'_>>| {
        lines.extend(head.map(|_| from));
        true
    };
    let (_, head) = each_line(text, own, &mut note);
    // The next line comes behind the text.
    lines.extend(head.map(|_| text.len()));
    lines
}

/// Goes through the lines of a text, each with the head of the table above it, until it is told to stop. Returns whether
/// it came to the end, and the head that the next line would have.
fn each_line<'t>(
    text: &'t str,
    own: OwnKey<'_>,
    each: &mut dyn FnMut(usize, &'t str, Option<&Head<'t>>) -> bool,
) -> (bool, Option<Head<'t>>) {
    let mut head: Option<Head<'_>> = None;
    if !text.contains('\n') {
        return (true, head);
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let from = start;
        start += line.len();
        let line = line.trim_end_matches(['\r', '\n']);
        if !each(from, line, head.as_ref()) {
            return (false, head);
        }
        if !head.as_ref().is_some_and(|head| head.has_row(line)) {
            head = SIGNS.into_iter().find_map(|sign| head_of(line, sign, own));
        }
    }
    (true, head)
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn head_of<'t>(line: &'t str, sign: u8, own: OwnKey<'_>) -> Option<Head<'t>> {
    if line.len() > MOST_FIELDS * LONGEST_NAME || !line.as_bytes().contains(&sign) {
        return None;
    }
    let (mut count, mut secrets) = (0, 0);
    for (_, name) in fields(line, sign) {
        let is_edge = sign == b'|' && name.is_empty();
        if !(is_edge || is_name(name)) || count >= MOST_FIELDS {
            return None;
        }
        count += 1;
        secrets += usize::from(is_name_of_secret(name, own));
    }
    (count > 1 && secrets > 0).then_some(Head { sign, line, fields: count })
}

fn is_name(text: &str) -> bool {
    (1..=LONGEST_NAME).contains(&text.len())
        // The rest of a sentence that was cut before its full stop is none.
        && !text.starts_with(['.', '-'])
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _-.".contains(&byte))
        && text.split(' ').count() <= 4
}

fn is_name_of_secret(name: &str, own: OwnKey<'_>) -> bool {
    own(name) || field_name::name_hint(name) == NameHint::Secret
}

/// The fields of a line without blanks and quotes, and where they are.
fn fields(line: &str, sign: u8) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut from = 0;
    line.split(char::from(sign)).map(move |whole| {
        let start = from;
        from += whole.len() + 1;
        let is_around = |sign: char| matches!(sign, ' ' | '"' | '\'' | '`');
        let field = whole.trim_start_matches(is_around);
        let start = start + whole.len() - field.len();
        let field = field.trim_end_matches(is_around);
        (start..start + field.len(), field)
    })
}
