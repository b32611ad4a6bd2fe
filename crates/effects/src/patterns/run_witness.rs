//! Whether there is a run that a pattern means: one is made of the pattern and tried.

use super::run_flags::{AnyFlag, Flag};
use super::run_match::OneRun;
use super::run_names;
use super::run_words::AskedWord;
use super::text_glob::TextGlob;
use super::truth::Truth;
use crate::programs::Program;
use crate::run::Run;
use crate::word::Word;

/// Returns what is doubtful about a pattern. `list` is the answer of the list that it stands in, with all that
/// this takes out again.
pub(super) fn doubt(asked: &OneRun, list: impl Fn(&Run) -> Truth) -> Option<String> {
    if let Some(doubt) = run_names::doubt(asked) {
        return Some(doubt);
    }
    // What these ask for follows from what the program does: no command is made up for it.
    let of_data = asked.discards || !asked.mode.is_empty() || !asked.verb.is_empty();
    if of_data || asked.trial == Some(true) {
        return None;
    }
    let own = |run: &Run| asked.matches(run) == Truth::True;
    let first = witnesses(asked, 0).into_iter().find(|run| own(run));
    let Some(first) = first else {
        return Some("no command was found that it means: its parts exclude each other".to_owned());
    };
    // What is taken out may be this command only.
    let all = (1..WITNESSES).flat_map(|nth| witnesses(asked, nth)).filter(|run| own(run));
    let stays = std::iter::once(first).chain(all).any(|run| list(&run) == Truth::True);
    (!stays).then(|| "the patterns with `!` behind it take out all that it means".to_owned())
}

/// How many runs are made for each place of the options: with the first of all alternatives, the second, …
const WITNESSES: usize = 4;

/// Returns command lines of which some should be meant.
pub(super) fn lines(asked: &OneRun) -> Vec<String> {
    let runs = (0..WITNESSES).filter_map(|nth| witnesses(asked, nth).into_iter().next());
    runs.filter_map(|run| line_of(&run)).collect()
}

/// Returns the line that starts a run, as far as it can be written.
fn line_of(run: &Run) -> Option<String> {
    let quoted = |word: &Word| {
        let text = word.known()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,@%+-".contains(c);
        match text.chars().all(plain) && !text.is_empty() {
            true => Some(text.into_owned()),
            false => (!text.contains('\'')).then(|| format!("'{text}'")),
        }
    };
    let env = run.env.iter().map(|(name, value)| Some(format!("{name}={}", quoted(value)?)));
    let words = std::iter::once(&run.program).chain(&run.args).map(quoted);
    Some(env.chain(words).collect::<Option<Vec<_>>>()?.join(" "))
}

/// Returns runs that should be meant, with the options at each place before `--`.
fn witnesses(asked: &OneRun, nth: usize) -> Vec<Run> {
    let Some(base) = bare(asked, nth) else { return Vec::new() };
    let program = super::run_text::program_of(asked);
    let flags: Option<Vec<Word>> = asked
        .flags
        .iter()
        .map(|any| words_of_option(any, program, nth))
        .collect::<Option<Vec<_>>>()
        .map(|all| all.into_iter().flatten().collect());
    let Some(flags) = flags else { return Vec::new() };
    let end = base.args.iter().position(|word| word.known().as_deref() == Some("--"));
    let end = end.unwrap_or(base.args.len());
    let at = |place: usize| {
        let mut run = base.clone();
        run.args.splice(place..place, flags.iter().cloned());
        run
    };
    (0..=end).rev().map(at).collect()
}

/// Returns the run without its options.
fn bare(asked: &OneRun, nth: usize) -> Option<Run> {
    let choose = |all: &[TextGlob]| all.get(nth % all.len().max(1))?.sample().map(Word::text);
    let mut run = Run {
        program: match asked.program.is_empty() {
            true if asked.discards => Word::text("git"),
            true if !asked.mode.is_empty() => Word::text("chmod"),
            // It is in no table, so that it has verbs.
            true => Word::text("witness"),
            false => choose(&asked.program)?,
        },
        place: asked.place.unwrap_or_default(),
        code_from: asked.code_from.first().copied(),
        written_in_session: asked.written_in_session,
        status_lost: asked.status_counts == Some(false),
        ..Run::default()
    };
    for word in &asked.words {
        match word {
            AskedWord::OneOf(globs) => run.args.push(choose(globs)?),
            AskedWord::EndOfOptions => run.args.push(Word::text("--")),
            AskedWord::Any => {}
        }
    }
    if !asked.verb.is_empty() {
        run.args.push(choose(&asked.verb)?);
    }
    if asked.discards {
        run.args.extend(["reset", "--hard"].map(Word::text));
    }
    if !asked.mode.is_empty() {
        run.args.extend(["7777", "w"].map(Word::text));
    }
    if asked.trial == Some(true) {
        run.args.push(Word::text("--help"));
    }
    if !asked.operand.is_empty() {
        run.args.push(choose(&asked.operand)?);
    }
    if !asked.last.is_empty() {
        run.args.push(choose(&asked.last)?);
    }
    for (name, value) in asked.env.iter().take(1) {
        let value = value.as_ref().map_or_else(|| Some("w".to_owned()), TextGlob::sample)?;
        run.env.push((name.sample()?, Word::text(value)));
    }
    if let Some(via) = asked.via.get(nth % asked.via.len().max(1)) {
        run.via.push(via.sample()?);
    }
    Some(run)
}

fn words_of_option(any: &AnyFlag, program: Option<&Program>, nth: usize) -> Option<Vec<Word>> {
    let all = any.get(nth % any.len().max(1))?;
    let words: Option<Vec<_>> = all.iter().map(|flag| Flag::words(flag, program)).collect();
    Some(words?.into_iter().flatten().collect())
}
