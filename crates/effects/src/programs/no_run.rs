//! Calls of a program that do none of its work: they list, build or explain.

use super::reading::read;
use super::trial::{Trial, trial};
use crate::options::Given;
use crate::run::Run;

/// Options of any program.
const OPTIONS: &str = "no-run list list-tests listTests collect-only co just-print recon \
    question setup-plan fixtures markers list-files showConfig print-config";

/// Options of some programs, each with one letter or one dash.
const SHORT: &[(&str, &str)] = &[
    ("go", "c list n h V"),
    ("make gmake", "n q p h v"),
    ("ninja ctest", "N n t h"),
    ("pytest py.test", "h V"),
];

/// Words that stand in the place of the work.
const WORDS: &str = "list help version";

/// Returns whether success of the call as a whole says that the program did its work and succeeded.
pub(crate) fn status_counts(run: &Run) -> bool {
    !run.status_lost && !runs_nothing(run)
}

/// Returns whether the status of a run says nothing of the work that its program is for.
fn runs_nothing(run: &Run) -> bool {
    let reading = read(run);
    if trial(&reading, run) != Trial::No {
        return true;
    }
    let name = run.name().unwrap_or_default();
    let short =
        SHORT.iter().find(|(names, _)| has(names, &name)).map_or("", |(_, options)| options);
    reading.given.iter().any(|given| match given {
        Given::Option { name, long, .. } => {
            let name = name.trim_start_matches('-');
            (*long && has(OPTIONS, name)) || has(short, name)
        }
        Given::Operand { word, at } => {
            // `cargo nextest list`, `cargo test -- --list`
            word.known().is_some_and(|word| {
                let option = word.strip_prefix("--").is_some_and(|option| has(OPTIONS, option));
                option || (*at <= 1 && has(WORDS, &word))
            })
        }
        Given::Unknown { .. } => false,
    })
}

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == name)
}
