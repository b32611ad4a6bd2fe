//! Reads the options of any program by a small table: which options take a value, and in which style
//! the program reads its words.
//!
//! Lists of names are one string with blanks in between, so that a table can be a constant as well as
//! a line of a data file.

use std::borrow::Cow;

use crate::word::{Word, WordPart};

mod long;
mod short;

/// How a program reads its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OptionTable<'t> {
    /// Letters of options that take a value: the rest of the word, or else the next word.
    pub short_value: &'t str,
    /// Letters of options with a value that must stand in the same word: `-i.bak`.
    pub short_optional: &'t str,
    /// Letters of options without a value. They need not be listed: every other letter is one, but
    /// then it is not [`Given::Option::listed`].
    pub short_flags: &'t str,
    /// Long names that take a value: after `=`, or else the next word.
    pub long_value: &'t str,
    /// Long names with a value that must stand after `=`.
    pub long_optional: &'t str,
    /// Long names without a value.
    pub long_flags: &'t str,
    /// Whether a long name may be cut as long as only one name of the table begins so: GNU, git.
    pub abbreviations: bool,
    /// Whether one dash begins a long name: find, java, terraform.
    pub dash_words: bool,
    /// Whether `-5` is a number and not a letter: nice, head, tail.
    pub numbers: bool,
    /// Whether `+x` is an option as well: sh.
    pub plus: bool,
    /// Whether options end at the first operand: what a wrapper runs has options of its own.
    pub stop_at_operand: bool,
}

impl OptionTable<'static> {
    /// A program without options.
    pub const NONE: Self = Self {
        short_value: "",
        short_optional: "",
        short_flags: "",
        long_value: "",
        long_optional: "",
        long_flags: "",
        abbreviations: false,
        dash_words: false,
        numbers: false,
        plus: false,
        stop_at_operand: false,
    };
}

/// One thing that the words of a program say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given<'w> {
    /// An option.
    Option {
        /// Its name without dashes. A long name that was cut is completed.
        name: Cow<'w, str>,
        /// Whether it is a long name: `--force`, or `-force` with [`OptionTable::dash_words`].
        long: bool,
        /// Its value, if it has one.
        value: Option<Word>,
        /// Whether the table lists it. One that is not listed may take a value, too.
        listed: bool,
        /// The place of the word.
        at: usize,
    },
    /// A word that is no option.
    Operand {
        /// The word.
        word: &'w Word,
        /// The place of the word.
        at: usize,
    },
    /// A word that may be an option, an operand or, if it [splits](Word::splits), any number of both.
    Unknown {
        /// The word.
        word: &'w Word,
        /// The place of the word.
        at: usize,
    },
}

/// What the words of a program say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionsRead<'w> {
    /// Options, operands and unknown words in their order.
    pub given: Vec<Given<'w>>,
    /// The place of the first word that was not read; the number of words if all were. With
    /// [`OptionTable::stop_at_operand`] this is the first operand or the first unknown word.
    pub rest: usize,
    /// The place of the `--` that ended the options.
    pub end_of_options: Option<usize>,
}

/// Reads the words after the name of a program.
#[must_use]
pub fn read_options<'w>(table: &OptionTable<'_>, words: &'w [Word]) -> OptionsRead<'w> {
    let mut read = OptionsRead::default();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if read.end_of_options.is_some() {
            if table.stop_at_operand {
                break;
            }
            read.given.push(operand_or_unknown(word, at, true));
            at += 1;
            continue;
        }
        let start = word.known_prefix();
        let dash = start.starts_with('-') || (table.plus && start.starts_with('+'));
        if !dash || (start.len() == 1 && word.known().is_some()) {
            if table.stop_at_operand {
                break;
            }
            read.given.push(operand_or_unknown(word, at, false));
            at += 1;
        } else if start == "--" && word.known().is_some() {
            read.end_of_options = Some(at);
            at += 1;
        } else if start.len() == 1 || start == "--" {
            // `-$x` and `--$x`: an option, but who knows which.
            if table.stop_at_operand {
                break;
            }
            read.given.push(Given::Unknown { word, at });
            at += 1;
        } else if table.numbers && is_number(start) {
            at = short::read(table, words, at, &mut read);
        } else if start.starts_with("--") || (table.dash_words && start.starts_with('-')) {
            at = long::read(table, words, at, &mut read);
        } else {
            at = short::read(table, words, at, &mut read);
        }
    }
    read.rest = at.min(words.len());
    read
}

fn operand_or_unknown(word: &Word, at: usize, after_end: bool) -> Given<'_> {
    if word.parts.first().is_some_and(WordPart::is_plain_name) && word.parts.len() == 1 {
        return Given::Operand { word, at };
    }
    let may_be_option = !after_end && word.known_prefix().is_empty() && begins_unknown(word);
    if may_be_option || word.splits() {
        Given::Unknown { word, at }
    } else {
        Given::Operand { word, at }
    }
}

/// `-5`, and as nice accepts them `--5` and `-+5`.
fn is_number(start: &str) -> bool {
    start.trim_start_matches(['-', '+']).starts_with(|first: char| first.is_ascii_digit())
}

fn begins_unknown(word: &Word) -> bool {
    matches!(word.parts.first(), Some(WordPart::Unknown { .. }))
}

impl<'w> OptionsRead<'w> {
    /// Returns whether an option of one of these names is there. The names of the list stand with
    /// blanks in between; one letter is a short option, more letters are a long one.
    #[must_use]
    pub fn has(&self, names: &str) -> bool {
        self.find(names).next().is_some()
    }

    /// Returns the value of the last option of one of these names.
    #[must_use]
    pub fn value(&self, names: &str) -> Option<&Word> {
        self.find(names).last().flatten()
    }

    /// Returns the values of all options of these names, in order.
    pub fn values(&self, names: &str) -> impl Iterator<Item = &Word> {
        self.find(names).flatten()
    }

    /// Returns the operands that are known to be some.
    pub fn operands(&self) -> impl Iterator<Item = &'w Word> {
        self.given.iter().filter_map(|given| match given {
            Given::Operand { word, .. } => Some(*word),
            _ => None,
        })
    }

    /// Returns the first word that may be an option or an operand.
    #[must_use]
    pub fn unknown(&self) -> Option<&'w Word> {
        self.given.iter().find_map(|given| match given {
            Given::Unknown { word, .. } => Some(*word),
            _ => None,
        })
    }

    /// Returns the name of the first option that the table does not list.
    #[must_use]
    pub fn unlisted(&self) -> Option<&str> {
        self.given.iter().find_map(|given| match given {
            Given::Option { name, listed: false, .. } => Some(name.as_ref()),
            _ => None,
        })
    }

    fn find(&self, names: &str) -> impl Iterator<Item = Option<&Word>> {
        self.given.iter().filter_map(move |given| match given {
            Given::Option { name, long, value, .. } => {
                let is_asked = |asked: &str| asked == name && (*long || asked.chars().count() == 1);
                names.split_ascii_whitespace().any(is_asked).then_some(value.as_ref())
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
