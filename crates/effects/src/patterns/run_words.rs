//! The words that a run pattern asks for, in order.

use super::error::{PatternError, PatternFault};
use super::text_glob::{TextGlob, alternatives};
use super::truth::Truth;
use crate::options::Given;
use crate::programs::Reading;
use crate::word::Word;

/// A word of a pattern.
#[derive(Debug, Clone)]
pub(super) enum AskedWord {
    /// One word that is one of these.
    OneOf(Vec<TextGlob>),
    /// `**`: any number of words.
    Any,
    /// `--`: the options end here.
    EndOfOptions,
}

impl AskedWord {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        match text {
            "**" => return Ok(Self::Any),
            "--" => return Ok(Self::EndOfOptions),
            _ => {}
        }
        let mut globs = Vec::new();
        for (offset, glob) in alternatives(text)? {
            if glob == "--" {
                return Err(PatternFault::Dashes(text.to_owned()).at(offset));
            }
            globs.push(TextGlob::parse(&glob).map_err(|error| error.in_pattern(0, offset))?);
        }
        Ok(Self::OneOf(globs))
    }

    /// Reads the words of one text of a table.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, PatternError> {
        text.split_ascii_whitespace().map(Self::parse).collect()
    }

    /// Makes a second `--` a word like any other: only the first one ends the options.
    pub(super) fn keep_first_end(words: &mut [Self]) -> Result<(), PatternError> {
        let is_end = |word: &&mut Self| matches!(word, Self::EndOfOptions);
        for word in words.iter_mut().filter(is_end).skip(1) {
            *word = Self::OneOf(vec![TextGlob::parse("--")?]);
        }
        Ok(())
    }

    /// Refuses an option among words that stand before `--`: it would be compared with words only.
    pub(super) fn refuse_options(words: &[Self]) -> Result<(), PatternError> {
        let before = words.iter().take_while(|word| !matches!(word, Self::EndOfOptions));
        let option = before
            .flat_map(Self::literals)
            .find(|text| text.starts_with('-') && text.len() > 1)
            .map(|text| PatternFault::OptionAsWord(text.to_owned()).at(0));
        option.map_or(Ok(()), Err)
    }

    /// The text of the word, if it has only one.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::OneOf(globs) => match globs.as_slice() {
                [glob] => glob.literal(),
                _ => None,
            },
            Self::Any | Self::EndOfOptions => None,
        }
    }

    /// The texts of the word, without those that have wildcards.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        let globs = match self {
            Self::OneOf(globs) => globs.as_slice(),
            Self::Any | Self::EndOfOptions => &[],
        };
        globs.iter().filter_map(TextGlob::literal)
    }

    fn matches(&self, word: &Word) -> Truth {
        match self {
            Self::OneOf(globs) => {
                globs.iter().map(|glob| glob.matches(word)).max().unwrap_or(Truth::False)
            }
            Self::Any => Truth::True,
            Self::EndOfOptions => Truth::False,
        }
    }
}

/// Returns whether the words are among the operands, in order. The first `fixed` ones are sub-commands:
/// nothing may stand before or between them. After them other words may.
pub(super) fn are_there(
    asked: &[AskedWord],
    fixed: usize,
    reading: &Reading<'_>,
    more: bool,
) -> Truth {
    let words = seen(reading);
    // What the asked words from each place on say about the words that are left, from the last word on.
    let past_end = |rest: &[AskedWord]| match rest.iter().all(|word| matches!(word, AskedWord::Any))
    {
        true => Truth::True,
        false if more => Truth::Unknown,
        false => Truth::False,
    };
    let mut after: Vec<Truth> =
        (0..=asked.len()).map(|at| past_end(asked.get(at..).unwrap_or_default())).collect();
    for seen in words.iter().rev() {
        let mut here = after.clone();
        for (at, wanted) in asked.iter().enumerate().rev() {
            let later = |at: usize| after.get(at).copied().unwrap_or(Truth::True);
            let same = here.get(at + 1).copied().unwrap_or(Truth::True);
            let mut answer = match (wanted, seen) {
                (AskedWord::Any, _) => same.or(later(at)),
                (AskedWord::EndOfOptions, Seen::End) => later(at + 1),
                // Nothing but `--` is asked for by `--`, and it may stand between any words.
                (_, Seen::End) => later(at),
                (AskedWord::OneOf(_), Seen::Operand(word)) => {
                    wanted.matches(word).and(later(at + 1))
                }
                (AskedWord::OneOf(_), Seen::Unknown(word)) => {
                    wanted.matches(word).and(later(at + 1)).and(Truth::Unknown)
                }
                (AskedWord::EndOfOptions, Seen::Unknown(word)) if may_be_dashes(word) => {
                    later(at + 1).and(Truth::Unknown)
                }
                (AskedWord::EndOfOptions, _) => Truth::False,
            };
            if at >= fixed {
                answer = answer.or(later(at));
            }
            if let Seen::Unknown(word) = seen {
                // It may be an option, or nothing, or several words.
                answer = answer.or(later(at).and(Truth::Unknown));
                if word.splits() {
                    answer = answer.or(same.and(Truth::Unknown));
                }
            }
            if let Some(cell) = here.get_mut(at) {
                *cell = answer;
            }
        }
        after = here;
    }
    after.first().copied().unwrap_or(Truth::True)
}

/// A word of a run, as far as it can be one that is asked for.
enum Seen<'w> {
    Operand(&'w Word),
    /// It may be an option, too.
    Unknown(&'w Word),
    /// `--`
    End,
}

/// Returns the words of a run that are no options, in order.
fn seen<'w>(reading: &Reading<'w>) -> Vec<Seen<'w>> {
    let mut all = Vec::with_capacity(reading.given.len() + 1);
    for (at, given) in reading.given.iter().enumerate() {
        if reading.end_of_options == Some(at) {
            all.push(Seen::End);
        }
        match given {
            Given::Operand { word, .. } => all.push(Seen::Operand(word)),
            Given::Unknown { word, .. } => all.push(Seen::Unknown(word)),
            Given::Option { .. } => {}
        }
    }
    if reading.end_of_options == Some(reading.given.len()) {
        all.push(Seen::End);
    }
    all
}

/// Returns whether a word that is not known may be `--`.
fn may_be_dashes(word: &Word) -> bool {
    "--".starts_with(word.known_prefix())
}
