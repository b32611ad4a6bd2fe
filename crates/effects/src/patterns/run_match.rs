//! Whether one run is what a pattern means.

use super::run_flags::{AnyFlag, Words, any_is_there};
use super::run_words::{AskedWord, are_there};
use super::text_glob::TextGlob;
use super::truth::Truth;
use crate::options::Given;
use crate::programs::{
    ModeBit, Reading, Trial, discards, gives, named_program, read, starts_programs, status_counts,
    trial, verbs,
};
use crate::run::{CodeFrom, Place, Run};
use crate::word::Word;

/// A pattern of one run.
#[derive(Debug, Clone, Default)]
pub(super) struct OneRun {
    /// The programs; none means any.
    pub(super) program: Vec<TextGlob>,
    pub(super) words: Vec<AskedWord>,
    /// All of these must hold.
    pub(super) flags: Vec<AnyFlag>,
    pub(super) no_flags: AnyFlag,
    pub(super) operand: Vec<TextGlob>,
    pub(super) last: Vec<TextGlob>,
    pub(super) env: Vec<(TextGlob, Option<TextGlob>)>,
    pub(super) via: Vec<TextGlob>,
    pub(super) place: Option<Place>,
    pub(super) status_counts: Option<bool>,
    pub(super) written_in_session: Option<bool>,
    pub(super) code_from: Vec<CodeFrom>,
    pub(super) verb: Vec<TextGlob>,
    /// Whether it must be a trial run, or must not be one.
    pub(super) trial: Option<bool>,
    /// Whether it must throw away work that is not committed.
    pub(super) discards: bool,
    pub(super) mode: Vec<ModeBit>,
}

impl OneRun {
    /// Returns whether the run is meant.
    pub(super) fn matches(&self, run: &Run) -> Truth {
        let around = self.around(run);
        if around == Truth::False {
            return Truth::False;
        }
        let program = self.program(run);
        let itself = match program {
            Truth::False => Truth::False,
            program => program.and(self.after_program(run)),
        };
        if itself == Truth::True {
            return around;
        }
        let hidden = if self.program.is_empty() { Truth::False } else { self.hidden(run) };
        around.and(itself.or(hidden))
    }

    /// What does not depend on the words.
    fn around(&self, run: &Run) -> Truth {
        let via = self.via.is_empty()
            || run.via.iter().any(|name| self.via.iter().any(|glob| glob.takes(name)));
        let place = self.place.is_none_or(|place| place == run.place);
        let code = self.code_from.is_empty()
            || run.code_from.is_some_and(|from| self.code_from.contains(&from));
        let status = self.status_counts.is_none_or(|counts| counts == status_counts(run));
        let written = match (self.written_in_session, run.written_in_session) {
            (None, _) => Truth::True,
            (Some(_), None) => Truth::Unknown,
            (Some(asked), Some(is)) => (asked == is).into(),
        };
        let env = |(name, glob): &(TextGlob, Option<TextGlob>)| {
            run.env
                .iter()
                .filter(|(set, _)| name.takes(set))
                .map(|(_, value)| glob.as_ref().map_or(Truth::True, |glob| glob.matches(value)))
                .max()
                .unwrap_or(Truth::False)
        };
        let env = match self.env.as_slice() {
            [] => Truth::True,
            asked => asked.iter().map(env).max().unwrap_or(Truth::False),
        };
        Truth::from(via && place && code && status).and(env).and(written)
    }

    fn program(&self, run: &Run) -> Truth {
        if self.program.is_empty() {
            return Truth::True;
        }
        let is = match run.program.known() {
            Some(known) => self.names(&known).into(),
            None if self.program.iter().any(|glob| glob.may_name(&run.program)) => Truth::Unknown,
            None => Truth::False,
        };
        if run.renamed { is.or(Truth::Unknown) } else { is }
    }

    /// Returns whether a known program is meant. A pattern without a slash is about its name only.
    fn names(&self, known: &str) -> bool {
        let base = known.rsplit('/').next().unwrap_or_default();
        let ends = [".exe", ".cmd", ".bat", ".com"];
        let bare = ends.iter().find_map(|end| base.strip_suffix(end));
        self.program.iter().any(|glob| match glob.has_slash() {
            true => glob.takes(known),
            false => glob.takes(base) || bare.is_some_and(|bare| glob.takes(bare)),
        })
    }

    /// What the words after the program say.
    fn after_program(&self, run: &Run) -> Truth {
        if self.asks_only_program() {
            return Truth::True;
        }
        let reading = read(run);
        let answer = self.reading(run, &reading);
        // `$CMD` without quotes may bring words of its own.
        if run.program.splits() { Truth::Unknown } else { answer }
    }

    fn asks_only_program(&self) -> bool {
        self.words.is_empty()
            && self.flags.is_empty()
            && self.no_flags.is_empty()
            && self.operand.is_empty()
            && self.last.is_empty()
            && self.verb.is_empty()
            && self.trial.is_none()
            && !self.discards
            && self.mode.is_empty()
    }

    /// Whether the run is meant as far as it only tries or tells. A pattern that names such an option means a
    /// trial run as well.
    fn trial(&self, run: &Run, reading: &Reading<'_>) -> bool {
        let found = trial(reading, run);
        match self.trial {
            Some(asked) => asked == (found != Trial::No),
            None if matches!(found, Trial::No | Trial::MayTry) => true,
            None => self.flags.iter().flatten().flatten().any(|flag| {
                flag.is_help()
                    || reading.program.is_some_and(|program| program.tries_with(flag.name()))
            }),
        }
    }

    fn reading(&self, run: &Run, reading: &Reading<'_>) -> Truth {
        if !self.trial(run, reading) {
            return Truth::False;
        }
        let literals = self.words.iter().map_while(AskedWord::literal);
        let named = run.name().and_then(|name| named_program(&name, literals));
        let fixed = match named {
            // What the tables know as a sub-command stands where it stands.
            Some((_, depth)) if reading.has_parts => depth.max(1).max(reading.depth),
            _ => 0,
        };
        let mut answer = are_there(&self.words, fixed, reading, run.more_args);
        let words =
            Words { reading, named: named.map(|(program, _)| program), more: run.more_args, run };
        for any in &self.flags {
            if answer == Truth::False {
                return answer;
            }
            answer = answer.and(any_is_there(any, words));
        }
        if answer != Truth::False && !self.no_flags.is_empty() {
            answer = answer.and(any_is_there(&self.no_flags, words).not());
        }
        if answer != Truth::False && !self.operand.is_empty() {
            answer = answer.and(self.an_operand(run, reading));
        }
        if answer != Truth::False && !self.last.is_empty() {
            answer = answer.and(self.the_last_operand(run, reading));
        }
        if answer != Truth::False && !self.verb.is_empty() {
            answer = answer.and(self.a_verb(run, reading));
        }
        if answer != Truth::False && self.discards {
            answer = answer.and(discards(reading, run));
        }
        if answer != Truth::False && !self.mode.is_empty() {
            answer =
                answer.and(gives(run, reading, &self.mode).map_or(Truth::Unknown, Truth::from));
        }
        answer
    }

    fn an_operand(&self, run: &Run, reading: &Reading<'_>) -> Truth {
        let mut answer = if run.more_args { Truth::Unknown } else { Truth::False };
        for (word, most) in operands(reading) {
            for glob in &self.operand {
                answer = answer.or(glob.matches(word).and(most));
            }
        }
        answer
    }

    fn the_last_operand(&self, run: &Run, reading: &Reading<'_>) -> Truth {
        if run.more_args {
            return Truth::Unknown;
        }
        let Some((word, most)) = operands(reading).last() else { return Truth::False };
        self.last.iter().map(|glob| glob.matches(word).and(most)).max().unwrap_or(Truth::False)
    }

    fn a_verb(&self, run: &Run, reading: &Reading<'_>) -> Truth {
        let one = |verb: &crate::programs::Verb<'_>| {
            let most = if verb.uncertain { Truth::Unknown } else { Truth::True };
            self.verb.iter().map(|glob| glob.matches(verb.word).and(most)).max()
        };
        verbs(reading, run).iter().filter_map(one).max().unwrap_or(Truth::False)
    }

    /// What may run inside of this run, although nothing says so: the words of a program that is not known
    /// may be a command (`notarealwrapper rm -rf /`), and so may a text in another language's code.
    fn hidden(&self, run: &Run) -> Truth {
        if run.program.known().is_none() {
            return Truth::False;
        }
        let names_one =
            run.args.iter().any(|word| word.known().is_some_and(|word| self.names(&word)));
        if names_one {
            let reading = read(run);
            if reading.program.is_none() {
                return self.words_as_run(run).and(Truth::Unknown);
            }
        }
        if self.in_code(run) { Truth::Unknown } else { Truth::False }
    }

    /// Reads the words from each program that is asked for as a run of its own.
    fn words_as_run(&self, run: &Run) -> Truth {
        let mut answer = Truth::False;
        for (at, word) in run.args.iter().enumerate() {
            if !word.known().is_some_and(|word| self.names(&word)) {
                continue;
            }
            let inner = Run {
                program: word.clone(),
                args: run.args.get(at + 1..).unwrap_or_default().to_vec(),
                more_args: run.more_args,
                ..Run::default()
            };
            answer = answer.or(self.after_program(&inner));
        }
        answer
    }

    /// Returns whether code that can start programs has the names that are asked for.
    fn in_code(&self, run: &Run) -> bool {
        let Some(code) = run.code.as_ref().and_then(Word::known) else { return false };
        let names_one = |literal: &str| has_word(&code, literal);
        !run.code_is_told
            && starts_programs(&code)
            && self.program.iter().filter_map(TextGlob::literal).any(names_one)
            && self.words.iter().all(|word| {
                let mut literals = word.literals().peekable();
                literals.peek().is_none() || literals.any(names_one)
            })
    }
}

/// Returns the operands behind the sub-commands, and how sure it is that each is one.
fn operands<'r>(reading: &'r Reading<'_>) -> impl Iterator<Item = (&'r Word, Truth)> {
    reading.given.iter().skip(reading.start).filter_map(|given| match given {
        Given::Operand { word, .. } => Some((*word, Truth::True)),
        Given::Unknown { word, .. } => Some((*word, Truth::Unknown)),
        Given::Option { .. } => None,
    })
}

/// Returns whether a name stands in a text as a word of its own.
fn has_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}
