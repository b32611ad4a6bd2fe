//! `tar`, whose first word may be letters of options: `tar xzf FILE`.

use super::entry::program;
use super::hosts;
use super::sink::Sink;
use crate::effects::UnclearWhat;
use crate::options::{Given, read_options};
use crate::word::{Word, WordPart};

/// Adds the effects of a `tar`.
pub(super) fn effects(sink: &mut Sink<'_>) {
    let mut words = from_variable(sink);
    words.extend(new_style(&sink.run.args));
    let Some(tar) = program("tar") else { return };
    let table = tar.option_table();
    let read = read_options(&table, &words);
    let folder = read.value("C directory cd").cloned().unwrap_or_else(|| Word::text("."));
    let tape = sink.run.env.iter().find(|(name, _)| name == "TAPE").map(|(_, value)| value.clone());
    let archive = read.value("f file").cloned().or(tape);
    // `host:path` is a file on another machine.
    let elsewhere = archive.as_ref().filter(|_| !read.has("force-local")).and_then(hosts::of_copy);
    let is_elsewhere = elsewhere.is_some();
    sink.connect(elsewhere);
    let archive = archive.as_ref().filter(|_| !is_elsewhere);
    let has = |names: &str| read.has(names);
    if has("x extract get") {
        if let Some(archive) = archive {
            sink.read(archive, false);
        }
        if !has("O to-stdout") {
            sink.write(&folder, true);
        }
    } else if has("c create r append u update A catenate concatenate") {
        if let Some(archive) = archive {
            sink.write(archive, false);
        }
        // `-C` counts for the words after it.
        let mut folder: Option<&Word> = None;
        let deletes = has("remove-files");
        for given in &read.given {
            match given {
                Given::Option { name, value, .. }
                    if matches!(name.as_ref(), "C" | "directory" | "cd") =>
                {
                    folder = value.as_ref();
                }
                Given::Operand { word, .. } | Given::Unknown { word, .. } => {
                    let member = inside(folder, word);
                    sink.read(&member, true);
                    if deletes {
                        sink.delete(&member, true);
                    }
                }
                Given::Option { .. } => {}
            }
        }
        if sink.run.more_args {
            sink.read(&Word::unknown("words from standard input", true), true);
        }
    } else if let Some(archive) = archive {
        sink.read(archive, false);
    }
    for list in read.values("T files-from X exclude-from") {
        sink.read(list, false);
    }
}

/// The options in `TAR_OPTIONS`, which stand before those of the line.
fn from_variable(sink: &mut Sink<'_>) -> Vec<Word> {
    let variable = sink.run.env.iter().find(|(name, _)| name == "TAR_OPTIONS");
    let Some((_, value)) = variable else { return Vec::new() };
    match value.known() {
        Some(options) => options.split_ascii_whitespace().map(Word::text).collect(),
        None => {
            let why = "the options of `tar` in `TAR_OPTIONS` are not known";
            for what in [UnclearWhat::Reads, UnclearWhat::Writes, UnclearWhat::Connects] {
                sink.unclear(what, why);
            }
            Vec::new()
        }
    }
}

/// Returns a path as it is seen from a folder.
pub(super) fn inside(folder: Option<&Word>, path: &Word) -> Word {
    let Some(folder) = folder.filter(|_| !path.known_prefix().starts_with('/')) else {
        return path.clone();
    };
    let mut whole = folder.clone();
    whole.push(WordPart::Text("/".into()));
    for part in &path.parts {
        whole.push(part.clone());
    }
    whole
}

/// Rewrites `xzf FILE …` as `-x -z -f FILE …`: the values follow in the order of their letters.
pub(crate) fn new_style(words: &[Word]) -> Vec<Word> {
    let letters = words.first().and_then(Word::known).unwrap_or_default().into_owned();
    let is_old = !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphabetic());
    if !is_old {
        return words.to_vec();
    }
    let mut rest = words.iter().skip(1).cloned();
    let mut new = Vec::new();
    for letter in letters.chars() {
        new.push(Word::text(format!("-{letter}")));
        if "fCTXbgHIKLNV".contains(letter) {
            new.extend(rest.next());
        }
    }
    new.extend(rest);
    new
}
