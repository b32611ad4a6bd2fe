//! What the programs of a pipe let through of the variables that one of them shows.

use crate::effects::Effects;
use crate::options::Given;
use crate::programs::has_verbs;
use crate::programs::reading::{Reading, read};
use crate::run::{Output, Run};
use crate::variables::is_name;
use crate::word::Word;

/// What the next program makes of the variables that one shows: a filter lets some of them through, and a program
/// that takes a secret from its standard input shows it to nobody. `first` is the first run of the command.
pub(crate) fn behind_pipes(effects: &mut Effects, first: usize) {
    let (runs, shown) = (&effects.runs, &mut effects.shows_env);
    shown.retain_mut(|effect| {
        let Some(mut at) = effect.run.filter(|at| *at >= first) else { return true };
        while let Some(run) = runs.get(at) {
            let next = match run.output {
                Output::Nowhere => return false,
                Output::Shown | Output::Elsewhere => return true,
                Output::Pipe => at + 1,
            };
            let Some(reader) = runs.get(next) else { return true };
            if takes_secret(reader) || hides_values(reader) {
                return false;
            }
            if !passes_all(reader) {
                if effect.name.is_none() {
                    effect.name = part_of_name(reader);
                    effect.is_part = effect.name.is_some();
                }
                return true;
            }
            at = next;
        }
        true
    });
}

/// Whether a program writes what it reads, in another order or less of it.
fn passes_all(run: &Run) -> bool {
    let reading = read(run);
    let elsewhere = ["o", "output", "files0-from"];
    matches!(run.name().as_deref(), Some("sort" | "uniq" | "head" | "tail"))
        && reading.operands().next().is_none()
        && !elsewhere.iter().any(|name| reading.options(name).next().is_some())
}

/// `docker login --password-stdin`, `gh auth login --with-token`, `gh secret set`
fn takes_secret(run: &Run) -> bool {
    let reading = read(run);
    // A program of files writes what it reads, whatever it is told.
    if !run.name().is_some_and(|name| has_verbs(&name)) {
        return false;
    }
    let by_option = reading.given.iter().any(|given| match given {
        Given::Option { name, .. } => name.ends_with("-stdin") || name == "with-token",
        _ => false,
    });
    let words: Vec<_> = reading.words().filter_map(Word::known).collect();
    let is_kept = words.windows(2).any(|pair| {
        matches!(pair, [what, verb] if matches!(what.as_ref(), "secret" | "secrets" | "env" | "variable" | "variables")
            && matches!(verb.as_ref(), "set" | "put" | "add" | "create"))
    });
    by_option || is_kept
}

/// `cut -d= -f1`, `awk -F= '{print $1}'`, `sed 's/=.*//'`: what stands behind the names is left out; `wc` and
/// `grep -c` only count.
fn hides_values(run: &Run) -> bool {
    let reading = read(run);
    let is = |names: [&str; 2], wanted: &str| {
        let mut values = names.iter().flat_map(|name| reading.options(name));
        let is_wanted =
            |value: Option<&Word>| value.and_then(Word::known).as_deref() == Some(wanted);
        values.next().is_some_and(is_wanted) && values.next().is_none()
    };
    let words: Vec<_> = reading.operands().filter_map(Word::known).collect();
    match (run.name().as_deref(), words.as_slice()) {
        (Some("cut"), []) => {
            has_only(&reading, &["d", "delimiter", "f", "fields", "s", "only-delimited"])
                && is(["d", "delimiter"], "=")
                && is(["f", "fields"], "1")
        }
        (Some("awk" | "gawk" | "mawk"), [code]) => {
            has_only(&reading, &["F", "field-separator"])
                && is(["F", "field-separator"], "=")
                && code.replace(' ', "") == "{print$1}"
        }
        (Some("wc"), []) => {
            has_only(&reading, &["c", "bytes", "m", "chars", "l", "lines", "w", "words"])
        }
        (Some("grep" | "egrep"), [pattern]) => {
            let given = |name: &&str| reading.options(name).next().is_some();
            let counts = ["c", "count", "q", "quiet", "silent"].iter().any(given);
            let is_of_names = matches!(
                pattern.as_ref(),
                "^[^=]*" | "^[^=]+" | "^[A-Z_]*" | "^[A-Z_]+" | "^[A-Z0-9_]*" | "^[A-Z0-9_]+"
            );
            has_only(&reading, NO_OTHER_LINES)
                && (counts || is_of_names && ["o", "only-matching"].iter().any(given))
        }
        (Some("sed"), [script]) => {
            has_only(&reading, &["E", "r"]) && matches!(script.as_ref(), "s/=.*//" | "s/=.*$//")
        }
        _ => false,
    }
}

/// Whether no other options than these are given.
fn has_only(reading: &Reading<'_>, names: &[&str]) -> bool {
    reading.given.iter().all(|given| match given {
        Given::Option { name, .. } => names.contains(&name.as_ref()),
        Given::Operand { .. } => true,
        Given::Unknown { .. } => false,
    })
}

/// Options with which `grep` writes lines that have its pattern, or parts of them, and no others.
const NO_OTHER_LINES: &[&str] = &[
    "i",
    "ignore-case",
    "y",
    "E",
    "extended-regexp",
    "F",
    "fixed-strings",
    "G",
    "w",
    "word-regexp",
    "x",
    "line-regexp",
    "o",
    "only-matching",
    "n",
    "line-number",
    "c",
    "count",
    "q",
    "quiet",
    "m",
    "max-count",
    "color",
    "colour",
    "a",
    "text",
    "s",
    "no-messages",
    "h",
    "no-filename",
];

/// Returns the part of a name that a filter lets through: `grep -i token`.
fn part_of_name(run: &Run) -> Option<String> {
    if !matches!(run.name()?.as_ref(), "grep" | "egrep" | "fgrep" | "rg" | "ag") {
        return None;
    }
    let reading = read(run);
    let mut words = reading.operands();
    let (Some(word), None) = (words.next(), words.next()) else { return None };
    if !has_only(&reading, NO_OTHER_LINES) {
        return None;
    }
    // A name or a part of one; any other expression may mean anything.
    let text = word.known()?;
    let name = text.trim_start_matches('^').trim_end_matches('=');
    is_name(name).then(|| name.to_ascii_uppercase())
}
