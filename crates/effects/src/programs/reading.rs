//! The words of a run as its program understands them.

use super::entry::{Entry, entry};
use super::table::Program;
use crate::options::{Given, OptionTable, read_options};
use crate::run::Run;
use crate::word::Word;

/// The words of a run as its program understands them.
#[derive(Debug)]
pub(crate) struct Reading<'w> {
    /// The program, or its sub-command; `None` if the tables do not have it.
    pub(crate) program: Option<&'static Program>,
    /// The programs above the sub-command, each with the end of what is given before its sub-command.
    above: Vec<(usize, &'static Program)>,
    /// Whether the tables have sub-commands of the program.
    pub(crate) has_parts: bool,
    /// How many sub-commands were found in the table: `remote add` are two.
    pub(crate) depth: usize,
    /// The options, operands (sub-commands too) and unknown words, in order.
    pub(crate) given: Vec<Given<'w>>,
    /// The first of them after the sub-commands.
    pub(crate) start: usize,
    /// The first of them after `--`, if there is one.
    pub(crate) end_of_options: Option<usize>,
}

/// Reads the words of a run.
pub(crate) fn read(run: &Run) -> Reading<'_> {
    let known = run.name().as_deref().and_then(entry);
    let mut reading = Reading {
        program: None,
        above: Vec::new(),
        has_parts: known.is_some_and(Entry::has_parts),
        depth: 0,
        given: Vec::new(),
        start: 0,
        end_of_options: None,
    };
    let Some(mut entry) = known else {
        reading.add(&OptionTable::default(), &run.args, 0);
        return reading;
    };
    let mut from = 0;
    while entry.has_parts() {
        let table = OptionTable { stop_at_operand: true, ..entry.program().option_table() };
        let words = run.args.get(from..).unwrap_or_default();
        let before = reading.given.len();
        let at = from + reading.add(&table, words, from);
        let word = run.args.get(at);
        let part = word.and_then(|word| entry.part(&word.known()?));
        let (Some(word), Some(part)) = (word, part) else {
            reading.given.truncate(before);
            break;
        };
        reading.above.push((reading.given.len(), entry.program()));
        reading.given.push(Given::Operand { word, at });
        reading.start = reading.given.len();
        reading.depth += 1;
        (entry, from) = (part, at + 1);
    }
    let program = entry.program();
    reading.program = Some(program);
    let table = program.option_table();
    let words = run.args.get(from..).unwrap_or_default();
    let rest = from + reading.add(&table, words, from);
    // What a wrapper runs: its words are none of the wrapper's options.
    for (at, word) in run.args.iter().enumerate().skip(rest) {
        reading.given.push(Given::Operand { word, at });
    }
    reading
}

impl<'w> Reading<'w> {
    /// Adds words, and returns how many were read.
    fn add(&mut self, table: &OptionTable<'_>, words: &'w [Word], from: usize) -> usize {
        let read = read_options(table, words);
        for mut given in read.given {
            let (Given::Option { at, .. } | Given::Operand { at, .. } | Given::Unknown { at, .. }) =
                &mut given;
            *at += from;
            self.given.push(given);
        }
        if let Some(end) = read.end_of_options {
            let is_before = |given: &&Given<'_>| place(given) < end + from;
            self.end_of_options = Some(self.given.iter().take_while(is_before).count());
        }
        read.rest
    }

    /// Returns the program that the words were given to at a place among them: the one above, if they stand before
    /// the sub-command.
    pub(crate) fn program_at(&self, at: usize) -> Option<&'static Program> {
        let above = self.above.iter().find(|(end, _)| at < *end);
        above.map(|(_, program)| *program).or(self.program)
    }

    /// Returns the end of what is given before the sub-command of a program; `None` if it is none of those above.
    pub(crate) fn end_before_part_of(&self, program: &Program) -> Option<usize> {
        let above = self.above.iter().find(|(_, above)| std::ptr::eq(*above, program));
        above.map(|(end, _)| *end)
    }

    /// Returns whether an option of one of these names is given. The name `--` asks for the end of options.
    pub(crate) fn has(&self, names: &[String]) -> bool {
        names.iter().any(|asked| {
            (asked == "--" && self.end_of_options.is_some()) || self.options(asked).next().is_some()
        })
    }

    /// Returns the values of the options of a name, `None` for those without one.
    pub(crate) fn options(&self, asked: &str) -> impl Iterator<Item = Option<&Word>> {
        self.given.iter().filter_map(move |given| match given {
            Given::Option { name, value, .. } if name == asked => Some(value.as_ref()),
            _ => None,
        })
    }

    /// Returns the words after the sub-commands that are no options, or may be none.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &'w Word> + Clone {
        words(self.given.get(self.start..).unwrap_or_default())
    }

    /// Returns how many of the operands stand before `--`.
    pub(crate) fn operands_before_end(&self) -> usize {
        let end = self.end_of_options.unwrap_or(self.start);
        words(self.given.get(self.start..end).unwrap_or_default()).count()
    }

    /// Returns the sub-commands and the words after them that are no options, or may be none.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'w Word> + Clone {
        words(&self.given)
    }
}

fn words<'w>(given: &[Given<'w>]) -> impl Iterator<Item = &'w Word> + Clone {
    given.iter().filter_map(|given| match given {
        Given::Operand { word, .. } | Given::Unknown { word, .. } => Some(*word),
        Given::Option { .. } => None,
    })
}

/// Returns the place of what is given among the words of the run.
pub(crate) fn place(given: &Given<'_>) -> usize {
    match given {
        Given::Option { at, .. } | Given::Operand { at, .. } | Given::Unknown { at, .. } => *at,
    }
}
