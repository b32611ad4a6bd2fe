use super::*;
use crate::run::{CodeFrom, Origin};
use crate::word::Word;

mod code;
mod endless;
mod files;
mod programs;
mod setup;
mod words;

fn reading(text: &str) -> ShellReading {
    let around =
        Surroundings { cwd: Some("/home/u/p".to_owned()), home: Some("/home/u".to_owned()) };
    read(text, &around)
}

/// The names of the programs; `@` before one that runs elsewhere, `+` before one that is carried,
/// `*` before a later round, and a `!` at the end if there may be more.
fn names(text: &str) -> String {
    let reading = reading(text);
    let mut shown: Vec<String> = Vec::new();
    for run in &reading.runs {
        let mark = match (run.place, run.origin) {
            (Place::Remote, _) => "@",
            (_, Origin::Carried) => "+",
            (_, Origin::Round) => "*",
            (_, Origin::Text) => "",
        };
        let name = run.name().map_or_else(|| run.program.written(), Into::into);
        shown.push(format!("{mark}{name}"));
    }
    if !reading.complete {
        shown.push("!".to_owned());
    }
    shown.join(" ")
}

/// The last run with its words as they are known: unknown parts in `<…>`, globs in `[…]`.
fn last(text: &str) -> String {
    let reading = reading(text);
    let run = reading.runs.last().expect("a run");
    std::iter::once(&run.program).chain(&run.args).map(show).collect::<Vec<_>>().join(" ")
}

fn show(word: &Word) -> String {
    use crate::word::WordPart;
    let parts = word.parts.iter().map(|part| match part {
        WordPart::Text(text) => text.clone(),
        WordPart::Glob(glob) => format!("[{glob}]"),
        WordPart::Unknown { written, splits: true, .. } => format!("<{written}…>"),
        WordPart::Unknown { written, splits: false, .. } => format!("<{written}>"),
    });
    if word.parts.is_empty() { "''".to_owned() } else { parts.collect() }
}

fn all(expected: &[(&str, &str)], of: fn(&str) -> String) {
    for (text, expected) in expected {
        assert_eq!(of(text), *expected, "{text}");
    }
}
