//! The options that a run pattern asks for.

use super::error::{PatternError, PatternFault};
use super::text_glob::{TextGlob, alternatives};
use super::truth::Truth;
use crate::options::Given;
use crate::programs::{Program, Reading, writes_folders};
use crate::run::Run;
use crate::word::Word;

/// An option of a pattern: `--force`, `-rf`, `--format=json`.
#[derive(Debug, Clone)]
pub(super) struct Flag {
    /// The name without dashes: of a long option, or several letters; empty for `--` itself.
    name: String,
    /// The name as a glob, if it has a `*`: `--remove*`.
    glob: Option<TextGlob>,
    /// Whether it has two dashes.
    long: bool,
    /// The values of which it must have one; none means any.
    value: Vec<TextGlob>,
}

/// Options of which one must be there: `--force|-f`. Each may ask for several.
pub(super) type AnyFlag = Vec<Vec<Flag>>;

/// Reads alternatives of options; blanks stand between those that must all be there.
pub(super) fn parse(text: &str) -> Result<AnyFlag, PatternError> {
    let mut any = Vec::new();
    for (offset, alternative) in alternatives(text)? {
        // A blank in a value stays: only where an option follows does it end one.
        let mut flags: Vec<String> = Vec::new();
        for piece in alternative.split(' ') {
            match flags.last_mut() {
                Some(last) if !piece.starts_with('-') => *last = format!("{last} {piece}"),
                _ => flags.push(piece.to_owned()),
            }
        }
        let all: Result<Vec<Flag>, PatternError> = flags
            .iter()
            .map(|flag| Flag::parse(flag).map_err(|error| error.in_pattern(0, offset)))
            .collect();
        any.push(all?);
    }
    Ok(any)
}

/// What is known of the words in which options are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'r> {
    pub(super) reading: &'r Reading<'r>,
    /// The program that the pattern names with its sub-commands: it has the options even where the
    /// sub-command of the run is not known.
    pub(super) named: Option<&'r Program>,
    /// Whether more words may follow.
    pub(super) more: bool,
    pub(super) run: &'r Run,
}

/// Returns whether one of the options is there.
pub(super) fn any_is_there(any: &AnyFlag, words: Words<'_>) -> Truth {
    let all =
        |all: &Vec<Flag>| all.iter().map(|flag| flag.is_there(words)).min().unwrap_or(Truth::True);
    any.iter().map(all).max().unwrap_or(Truth::False)
}

/// Returns whether `--` is there.
fn end_is_there(words: Words<'_>) -> Truth {
    let may_be = |given: &Given<'_>| match given {
        Given::Unknown { word, .. } => "--".starts_with(word.known_prefix()),
        _ => false,
    };
    if words.reading.end_of_options.is_some() {
        Truth::True
    } else if words.more || words.reading.given.iter().any(may_be) {
        Truth::Unknown
    } else {
        Truth::False
    }
}

impl Flag {
    fn parse(text: &str) -> Result<Self, PatternError> {
        let (written, value) = match text.split_once('=') {
            Some((name, value)) => (name, vec![TextGlob::parse(value)?]),
            None => (text, Vec::new()),
        };
        let long = written.starts_with("--");
        let name = written.trim_start_matches('-');
        // `-?` is the name of an option.
        let odd = |c: char| c.is_whitespace() || "[]{}()\\'\"^$".contains(c);
        let is_end = text == "--";
        if (name.is_empty() && !is_end)
            || name.contains(odd)
            || (name.len() > 1 && name.contains('?'))
        {
            return Err(PatternFault::NoOption(text.to_owned()).at(0));
        }
        let glob = name.contains('*').then(|| TextGlob::parse(name)).transpose()?;
        Ok(Self { name: name.to_owned(), glob, long, value })
    }

    /// Whether it is `--`, which ends the options.
    fn is_end_of_options(&self) -> bool {
        self.name.is_empty()
    }

    /// The name without dashes.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it asks for help.
    pub(super) fn is_help(&self) -> bool {
        matches!(self.name.as_str(), "help" | "h")
    }

    /// Whether it is a single option that has no value yet and takes one in this program.
    pub(super) fn takes_value(&self, program: &Program) -> bool {
        let is_single =
            self.long || self.name.chars().count() == 1 || program.option_table().dash_words;
        self.value.is_empty()
            && is_single
            && program.option(&self.name).is_some_and(|option| option.takes_value())
    }

    /// Adds the value that the next word of the pattern gives.
    pub(super) fn set_values(&mut self, values: &[TextGlob]) {
        self.value.extend_from_slice(values);
    }

    fn is_there(&self, words: Words<'_>) -> Truth {
        if self.is_end_of_options() {
            return end_is_there(words);
        }
        let whole = self.name_is_there(&self.name, words);
        let dash_words =
            words.reading.program.is_some_and(|program| program.option_table().dash_words);
        if self.glob.is_some()
            || self.long
            || self.name.chars().count() < 2
            || whole == Truth::True
            || dash_words
        {
            return whole;
        }
        // `-rf` is `-r` and `-f`.
        let mut buffer = [0; 4];
        let letters = self.name.chars();
        let each = letters.map(|letter| self.name_is_there(letter.encode_utf8(&mut buffer), words));
        each.min().unwrap_or(Truth::False)
    }

    fn name_is_there(&self, name: &str, words: Words<'_>) -> Truth {
        let programs = [words.reading.program, words.named];
        let is_same = |given: &str| {
            let known = programs.iter().flatten().filter_map(|program| program.option(name));
            given == name
                || self.glob.as_ref().is_some_and(|glob| glob.takes(given))
                || known.flat_map(|option| &option.names).any(|equal| equal == given)
        };
        let end = words.reading.end_of_options.unwrap_or(usize::MAX);
        // `-c` of git stands before the sub-command: behind it is another option, if it is one.
        let own_end = words
            .named
            .filter(|named| named.has_own_option(name))
            .and_then(|named| words.reading.end_before_part_of(named));
        let end = own_end.map_or(end, |own_end| end.min(own_end));
        let mut answer = Truth::False;
        for given in words.reading.given.iter().take(end) {
            answer = answer.or(match given {
                Given::Option { name: given, value, .. } if is_same(given) => {
                    let value = value.as_ref();
                    let each = self
                        .value
                        .iter()
                        .map(|asked| value.map_or(Truth::False, |value| asked.matches(value)));
                    if self.value.is_empty() {
                        Truth::True
                    } else {
                        each.max().unwrap_or(Truth::False)
                    }
                }
                Given::Option { name: given, long: true, listed: false, .. }
                    if self.long && name.starts_with(given.as_ref()) =>
                {
                    cut_name(given, words.reading.program)
                }
                Given::Unknown { word, .. } if is_found(word, words.run) => Truth::False,
                Given::Unknown { word, .. } => self.may_be(word.known_prefix()),
                _ => Truth::False,
            });
        }
        let open = words.more
            && words.reading.end_of_options.is_none()
            && own_end.is_none()
            && !words.run.search.as_deref().is_some_and(writes_folders);
        if open { answer.or(Truth::Unknown) } else { answer }
    }

    /// Returns whether a word that begins so may be or hold this option.
    fn may_be(&self, prefix: &str) -> Truth {
        let may = match prefix.strip_prefix("--") {
            Some(start) => self.name.starts_with(start),
            None => prefix.is_empty() || prefix.starts_with('-') && (!self.long || prefix == "-"),
        };
        if may { Truth::Unknown } else { Truth::False }
    }
}

/// Whether a word stands for files that a search finds, and that begin with their folder.
fn is_found(word: &Word, run: &Run) -> bool {
    run.search_word.as_ref().is_some_and(|found| *found == word.written())
        && run.search.as_deref().is_some_and(writes_folders)
}

/// Whether the beginning of a name is taken for it. A program that is not known may take it. One that takes
/// names which are cut takes it, or stops if it means several of its options.
fn cut_name(given: &str, program: Option<&Program>) -> Truth {
    match program {
        None if given.len() >= 3 => Truth::Unknown,
        Some(program) if program.option_table().abbreviations && !given.is_empty() => Truth::True,
        _ => Truth::False,
    }
}

impl Flag {
    /// Returns the words that give it; `None` if its value cannot be made up.
    pub(super) fn words(&self, program: Option<&Program>) -> Option<Vec<Word>> {
        if self.is_end_of_options() {
            return Some(vec![Word::text("--")]);
        }
        let value = match self.value.first() {
            Some(glob) => Some(glob.sample()?),
            None => None,
        };
        let option = program.and_then(|program| program.option(&self.name));
        let takes_value = option.is_some_and(|option| option.takes_value());
        let value = value.or_else(|| takes_value.then(|| "w".to_owned()));
        let dash_words = program.is_some_and(|program| program.option_table().dash_words);
        let is_long = self.long && !dash_words;
        let name = match &self.glob {
            Some(glob) => glob.sample()?,
            None => self.name.clone(),
        };
        let name = format!("{}{name}", if is_long { "--" } else { "-" });
        Some(match value {
            None => vec![Word::text(name)],
            Some(value) if takes_value => vec![Word::text(name), Word::text(value)],
            Some(value) if is_long || dash_words => vec![Word::text(format!("{name}={value}"))],
            Some(value) => vec![Word::text(format!("{name}{value}"))],
        })
    }
}
