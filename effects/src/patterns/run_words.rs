//! The words that a run pattern asks for, in order.

use super::error::PatternError;
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
}

impl AskedWord {
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        if text == "**" {
            return Ok(Self::Any);
        }
        let mut globs = Vec::new();
        for (offset, glob) in alternatives(text)? {
            globs.push(TextGlob::parse(glob).map_err(|error| error.in_pattern(0, offset))?);
        }
        Ok(Self::OneOf(globs))
    }

    /// The text of the word, if it has only one.
    pub(super) fn literal(&self) -> Option<&str> {
        match self {
            Self::OneOf(globs) => match globs.as_slice() {
                [glob] => glob.literal(),
                _ => None,
            },
            Self::Any => None,
        }
    }

    /// The texts of the word, without those that have wildcards.
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        let globs = match self {
            Self::OneOf(globs) => globs.as_slice(),
            Self::Any => &[],
        };
        globs.iter().filter_map(TextGlob::literal)
    }

    fn matches(&self, word: &Word) -> Truth {
        match self {
            Self::OneOf(globs) => {
                globs.iter().map(|glob| glob.matches(word)).max().unwrap_or(Truth::False)
            }
            Self::Any => Truth::True,
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
    let words: Vec<(&Word, bool)> = reading
        .given
        .iter()
        .filter_map(|given| match given {
            Given::Operand { word, .. } => Some((*word, true)),
            Given::Unknown { word, .. } => Some((*word, false)),
            Given::Option { .. } => None,
        })
        .collect();
    // What the asked words from each place on say about the words that are left, from the last word on.
    let past_end = |rest: &[AskedWord]| match rest.iter().all(|word| matches!(word, AskedWord::Any))
    {
        true => Truth::True,
        false if more => Truth::Unknown,
        false => Truth::False,
    };
    let mut after: Vec<Truth> =
        (0..=asked.len()).map(|at| past_end(asked.get(at..).unwrap_or_default())).collect();
    for (word, is_operand) in words.iter().rev() {
        let mut here = after.clone();
        for (at, wanted) in asked.iter().enumerate().rev() {
            let later = |at: usize| after.get(at).copied().unwrap_or(Truth::True);
            let same = here.get(at + 1).copied().unwrap_or(Truth::True);
            let mut answer = match wanted {
                AskedWord::Any => same.or(later(at)),
                AskedWord::OneOf(_) => {
                    let taken = wanted.matches(word).and(later(at + 1));
                    if *is_operand { taken } else { taken.and(Truth::Unknown) }
                }
            };
            if at >= fixed {
                answer = answer.or(later(at));
            }
            if !is_operand {
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
