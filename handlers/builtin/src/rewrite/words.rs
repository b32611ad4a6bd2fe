//! Replaces the words with which commands begin.

use std::ops::Range;

use super::commands::{self, CommandLine, Word, is_assignment};
use crate::error::BuiltinError;

/// Programs that run the command behind them.
const WRAPPERS: &[&str] = &[
    "sudo",
    "doas",
    "env",
    "nohup",
    "time",
    "exec",
    "command",
    "builtin",
    "nice",
    "ionice",
    "setsid",
    "stdbuf",
    "timeout",
    "xargs",
    "strace",
    "find",
    "chronic",
    "caffeinate",
];

/// Programs that run text: a word that they are given, or their input.
const RUNNERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "eval", "source", ".", "ssh", "su", "watch",
    "parallel", "trap", "alias", "script",
];

/// Words of commands, and the words that take their place.
#[derive(Debug, Clone)]
pub(super) struct ProgramWords {
    /// The longest first: `python -m pip` before `python`.
    from: Vec<Vec<String>>,
    to: String,
}

impl ProgramWords {
    pub(super) fn new(from: &[&str], to: &str) -> Result<Self, BuiltinError> {
        let mut all = from.iter().map(|text| plain_words(text)).collect::<Result<Vec<_>, _>>()?;
        all.sort_by_key(|words| std::cmp::Reverse(words.len()));
        Ok(Self { from: all, to: plain_words(to)?.join(" ") })
    }

    /// Returns the changed text and the number of places, or `None` if nothing is to be changed.
    ///
    /// # Errors
    /// What cannot be told, as a clause.
    pub(super) fn replace(&self, text: &str, once: bool) -> Result<Option<(String, u64)>, String> {
        // Most commands do not mention the words at all, in whatever quotes.
        let quotes = ['\'', '"', '\\'];
        let may_be_mentioned = self.is_mentioned(text)
            || (text.contains(quotes) && self.is_mentioned(&text.replace(quotes, "")));
        if !may_be_mentioned {
            return Ok(None);
        }
        let line = commands::read(text).map_err(str::to_owned)?;
        let mut places = Vec::new();
        let mut data = Vec::new();
        for command in &line.commands {
            self.places_in(command, text, &mut places, &mut data)?;
        }
        self.check_the_rest(&line, text, &data)?;
        places.sort_by_key(|place| place.start);
        if once {
            places.truncate(1);
        }
        let Some(last) = places.last() else { return Ok(None) };
        let mut changed = String::with_capacity(text.len() + places.len() * self.to.len());
        let mut at = 0;
        for place in &places {
            changed.push_str(text.get(at..place.start).unwrap_or_default());
            changed.push_str(&self.to);
            at = place.end;
        }
        changed.push_str(text.get(last.end..).unwrap_or_default());
        Ok(Some((changed, places.len() as u64)))
    }

    /// Notes the place of the words in a command, and the words that are its data.
    fn places_in<'a>(
        &self,
        mut command: &'a [Word],
        text: &str,
        places: &mut Vec<Range<usize>>,
        data: &mut Vec<&'a Word>,
    ) -> Result<(), String> {
        loop {
            if let Some((place, length)) = self.place(command) {
                places.push(place);
                data.extend(command.iter().skip(length));
                return Ok(());
            }
            let Some((program, rest)) = command.split_first() else { return Ok(()) };
            let name = program.value.as_deref().unwrap_or_default();
            if !WRAPPERS.contains(&name) {
                data.extend(rest);
                return Ok(());
            }
            let raw = |word: &Word| text.get(word.span.clone()).unwrap_or_default();
            let behind = rest.iter().position(|word| !is_assignment(raw(word)));
            command = behind.and_then(|at| rest.get(at..)).unwrap_or_default();
            let has_options = command.first().is_some_and(|word| {
                raw(word).starts_with(['-', '$'])
                    || raw(word).bytes().all(|b| !b.is_ascii_alphabetic())
            });
            if (has_options || name == "find") && command.iter().any(|word| self.begins_with(word))
            {
                return Err(format!("`{name}` has options before a command"));
            }
        }
    }

    /// Returns where the words are at the beginning of a command, and how many they are.
    fn place(&self, command: &[Word]) -> Option<(Range<usize>, usize)> {
        let words = self.from.iter().find(|words| {
            words.len() <= command.len()
                && words.iter().zip(command).all(|(from, word)| word.value.as_ref() == Some(from))
        })?;
        let last = command.get(words.len().checked_sub(1)?)?;
        Some((command.first()?.span.start..last.span.end, words.len()))
    }

    /// Checks that the words are in no text that may be run.
    fn check_the_rest(&self, line: &CommandLine, text: &str, data: &[&Word]) -> Result<(), String> {
        let part = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
        if let Some(span) = line.opaque.iter().find(|span| self.is_mentioned(part(span))) {
            return Err(format!("`{}` is not read", part(span).lines().next().unwrap_or_default()));
        }
        let runner = line.commands.iter().filter_map(|command| {
            let names = command.iter().filter_map(|word| word.value.as_deref());
            let mut names = names.skip_while(|name| WRAPPERS.contains(name) || is_assignment(name));
            names.next().map(|name| name.rsplit('/').next().unwrap_or(name))
        });
        let mut runner = runner.filter(|name| RUNNERS.contains(name));
        let Some(runner) = runner.next() else { return Ok(()) };
        let in_data = data.iter().any(|word| match &word.value {
            Some(value) => self.is_mentioned(value),
            None => self.is_mentioned(part(&word.span)),
        });
        if in_data || line.input.iter().any(|span| self.is_mentioned(part(span))) {
            return Err(format!("`{runner}` may run it"));
        }
        Ok(())
    }

    fn begins_with(&self, word: &Word) -> bool {
        self.from.iter().any(|words| words.first() == word.value.as_ref())
    }

    /// Tells whether a text has the first word of any of the phrases, as a word of its own.
    fn is_mentioned(&self, text: &str) -> bool {
        let part_of_word = |sign: char| sign.is_alphanumeric() || "_-./".contains(sign);
        self.from.iter().filter_map(|words| words.first()).any(|name| {
            text.match_indices(name.as_str()).any(|(at, found)| {
                let before = text.get(..at).and_then(|text| text.chars().next_back());
                let behind = text.get(at + found.len()..).and_then(|text| text.chars().next());
                !before.is_some_and(part_of_word)
                    && !behind.is_some_and(|sign| sign != '.' && part_of_word(sign))
            })
        })
    }
}

/// Splits a text into words that mean themselves in a shell.
fn plain_words(text: &str) -> Result<Vec<String>, BuiltinError> {
    let is_plain = |sign: char| sign.is_alphanumeric() || "_-./:=@%+, ".contains(sign);
    let words: Vec<String> = text.split(' ').filter(|it| !it.is_empty()).map(Into::into).collect();
    if words.is_empty() || !text.chars().all(is_plain) {
        return Err(BuiltinError::Words(text.to_owned()));
    }
    Ok(words)
}
