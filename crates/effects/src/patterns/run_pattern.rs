//! Patterns of programs that run.
//!
//! `git push --force|-f` is a program, then words in order, and options anywhere: `|` stands between
//! alternatives, `*` in a word is any text, `*` alone one word, `**` any number of words. Sub-commands
//! stand at their place, other words may have more words between them: `git push +*` means
//! `git push origin +main`. `-rf` is `-r` and `-f`. Other names of an option, names that are cut and
//! global options before a sub-command are known for the programs of the tables.
//!
//! `--` is the word that ends the options: `git checkout ** -- **`. What stands behind it is no option.
//!
//! A run that only tries or tells (`--dry-run`, `--help`) is none that a pattern with words or options means, unless
//! the pattern names that option.
//!
//! `!pattern` takes out again: `["git push", "!git push origin"]`.

use super::error::{PatternError, PatternFault};
use super::found::{Cause, Found};
use super::run_flags;
use super::run_match::OneRun;
use super::run_table::RunTable;
use super::run_text;
use super::run_witness;
use super::run_words::AskedWord;
use super::truth::Truth;
use crate::effects::{Effects, UnclearWhat};
use crate::run::Run;

/// A list of run patterns.
#[derive(Debug, Clone, Default)]
pub struct RunPatterns {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    run: OneRun,
    takes_out: bool,
}

impl RunPatterns {
    /// Reads a list of patterns.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn parse(patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        let mut all = Self::default();
        for (index, text) in patterns.iter().enumerate() {
            all.add(text.as_ref()).map_err(|error| error.in_pattern(index, 0))?;
        }
        Ok(all)
    }

    /// Adds a pattern to the list.
    ///
    /// # Errors
    /// The pattern cannot be read.
    pub fn add(&mut self, text: &str) -> Result<(), PatternError> {
        let (rest, takes_out) = text.strip_prefix('!').map_or((text, false), |rest| (rest, true));
        let run =
            run_text::parse(rest).map_err(|error| error.in_pattern(0, usize::from(takes_out)))?;
        if takes_out && self.rules.is_empty() {
            return Err(PatternFault::OnlyNegative.at(0));
        }
        self.rules.push(Rule { run, takes_out });
        Ok(())
    }

    /// Adds a pattern in its table form to the list.
    ///
    /// # Errors
    /// A text of the table cannot be read; the index is the place in its list.
    pub fn add_table(&mut self, table: &RunTable) -> Result<(), PatternError> {
        if table.asks_nothing() {
            return Err(PatternFault::AsksNothing.at(0));
        }
        let mut run = OneRun {
            place: table.place,
            status_counts: table.status_counts,
            written_in_session: table.written_in_session,
            code_from: table.code_from.clone(),
            mode: table.mode.clone(),
            trial: table.trial,
            discards: table.discards,
            ..OneRun::default()
        };
        run.verb = each(&table.verb, run_text::programs)?.into_iter().flatten().collect();
        run.program =
            each(&table.program, run_text::programs_of_table)?.into_iter().flatten().collect();
        run.words = each(&table.words, AskedWord::parse_all)?.into_iter().flatten().collect();
        AskedWord::keep_first_end(&mut run.words)?;
        AskedWord::refuse_options(&run.words)?;
        let flags: Vec<_> = each(&table.flags, run_flags::parse)?.into_iter().flatten().collect();
        run.flags = if flags.is_empty() { Vec::new() } else { vec![flags] };
        run.no_flags = each(&table.no_flags, run_flags::parse)?.into_iter().flatten().collect();
        run.operand = each(&table.operand, run_text::one_word)?.into_iter().flatten().collect();
        run.last = each(&table.last, run_text::one_word)?.into_iter().flatten().collect();
        run.via = each(&table.via, run_text::programs_of_table)?.into_iter().flatten().collect();
        run.env = each(&table.env, run_text::variable)?;
        self.rules.push(Rule { run, takes_out: false });
        Ok(())
    }

    /// Returns what is doubtful about each pattern, with its place in the list.
    #[must_use]
    pub fn doubts(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (at, rule) in self.rules.iter().enumerate().filter(|(_, rule)| !rule.takes_out) {
            if let Some(doubt) = run_witness::doubt(&rule.run, |run| self.matches(run)) {
                found.push((at, doubt));
            }
        }
        found
    }

    /// Returns command lines that the list may mean, made up for its patterns.
    #[must_use]
    pub fn examples(&self) -> Vec<String> {
        let wanted = self.rules.iter().filter(|rule| !rule.takes_out);
        wanted.flat_map(|rule| run_witness::lines(&rule.run)).collect()
    }

    /// Returns whether the list means a run.
    #[must_use]
    pub fn matches(&self, run: &Run) -> Truth {
        let mut answer = Truth::False;
        for rule in &self.rules {
            if rule.takes_out && answer > Truth::False {
                answer = answer.and(rule.run.matches(run).not());
            } else if !rule.takes_out && answer < Truth::True {
                answer = answer.or(rule.run.matches(run));
            }
        }
        answer
    }

    /// Returns whether the list means one of the runs of a step.
    #[must_use]
    pub fn find(&self, effects: &Effects) -> Found {
        let mut found = Found::NOTHING;
        for (at, run) in effects.runs.iter().enumerate() {
            found.add(self.matches(run), Cause::Run(at));
            if found.truth == Truth::True {
                return found;
            }
        }
        if found.truth == Truth::False {
            let adds = |what| matches!(what, UnclearWhat::Anything | UnclearWhat::Program);
            if let Some(at) = effects.unclear.iter().position(|unclear| adds(unclear.what)) {
                found.add(Truth::Unknown, Cause::Unclear(at));
            }
        }
        found
    }
}

fn each<T>(
    texts: &[String],
    read: impl Fn(&str) -> Result<T, PatternError>,
) -> Result<Vec<T>, PatternError> {
    let mut all = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let checked = super::error::check_text(text)
            .and_then(|()| super::error::check_characters(text))
            .and_then(|()| read(text));
        all.push(checked.map_err(|error| error.in_pattern(index, 0))?);
    }
    Ok(all)
}
