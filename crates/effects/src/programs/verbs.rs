//! The verb of a run: `topic delete` of `rpk topic delete orders`, `delete-object` of `aws s3api delete-object`.
//!
//! Programs of services name what they do among their first words, behind the things that they do it to. Which
//! programs these are, nobody can list, so every program has verbs that the tables do not have; of those in the
//! tables only a `service`: in `grep delete` and `cargo remove serde` nothing is lost.

use super::reading::Reading;
use crate::options::Given;
use crate::run::Run;
use crate::word::Word;

/// The most words among which a verb is: `gcloud beta compute instance-groups managed delete`.
const MOST: usize = 5;

/// Verbs that lose nothing: the words after them are what they are about.
const HARMLESS: &[&str] = &[
    "get",
    "list",
    "ls",
    "show",
    "describe",
    "view",
    "create",
    "add",
    "put",
    "set",
    "update",
    "edit",
    "status",
    "info",
    "help",
    "whoami",
    "version",
    "inspect",
    "cat",
    "read",
    "find",
    "query",
    "invoke",
    "call",
    "exec",
    "apply",
    "login",
    "new",
    "init",
    "upload",
    "download",
    "cp",
    "copy",
    "encrypt",
    "decrypt",
    "sign",
    "verify",
    "lint",
    "validate",
    "explain",
    "completion",
    "tail",
    "open",
    "clone",
    "push",
    "pull",
    "fetch",
    "diff",
    "plan",
    "watch",
    "search",
];

/// Words behind which often comes the name of a thing, although they can be the name of one themselves.
const BEFORE_A_NAME: &[&str] = &[
    "logs", "log", "run", "start", "restart", "test", "build", "deploy", "config", "search", "use",
    "up", "top",
];

/// Behind the name of a kind of things these are verbs: `gcloud functions deploy x`; before one they are a kind
/// themselves: `gcloud run services delete x`.
const RUNS_A_THING: &[&str] = &["run", "start", "restart", "test", "build", "deploy", "use", "up"];

/// As the first word, these are what managers of packages say, whose work is undone by its opposite.
const OF_PACKAGES: &[&str] = &["remove", "rm", "uninstall", "del", "unlink", "deactivate"];

/// A word that may be the verb of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verb<'w> {
    /// The word.
    pub(crate) word: &'w Word,
    /// Whether it may be something else, since it is not known.
    pub(crate) uncertain: bool,
}

/// Returns whether a program can have verbs: one that is not in the tables, a service, or one with sub-commands.
pub(crate) fn has_verbs(name: &str) -> bool {
    super::entry::program(name).is_none_or(|program| program.service)
        || super::sub_commands(name).is_some()
}

/// Returns the words of a run of which one may be its verb.
pub(crate) fn verbs<'w>(reading: &Reading<'w>, run: &Run) -> Vec<Verb<'w>> {
    let mut found: Vec<Verb<'w>> = Vec::new();
    let is_service = reading.program.is_some_and(|program| program.service);
    let is_told_otherwise = run.is_cmdlet || is_of_the_project(run);
    if !(is_service || reading.program.is_none()) || is_told_otherwise {
        return found;
    }
    // After the first word, an option that the tables do not have may take the next one.
    let mut may_be_value = false;
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    for given in reading.given.iter().take(end) {
        match given {
            Given::Option { value, listed, .. } => {
                may_be_value = value.is_none() && !listed && !found.is_empty();
            }
            Given::Operand { .. } if std::mem::take(&mut may_be_value) => {}
            Given::Operand { word, .. } => {
                let Some(text) = word.known().filter(|text| is_command_word(text)) else { break };
                let is_first = found.iter().all(|verb| is_stage(verb.word));
                let is_other_verb = match is_first {
                    true => !is_service && OF_PACKAGES.contains(&text.as_ref()),
                    false => RUNS_A_THING.contains(&text.as_ref()),
                };
                if is_harmless(&text) || is_other_verb {
                    break;
                }
                found.push(Verb { word, uncertain: false });
            }
            Given::Unknown { word, .. } => {
                let after = found.last().and_then(|verb| verb.word.known());
                let names_a_thing =
                    after.is_some_and(|word| BEFORE_A_NAME.contains(&word.as_ref()));
                if is_service && found.len() < 2 && !names_a_thing {
                    found.push(Verb { word, uncertain: true });
                }
                break;
            }
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Whether a program is a file of the project: `./deploy.sh`. What it does with its words is its own.
fn is_of_the_project(run: &Run) -> bool {
    run.program.known().is_none_or(|name| name.contains('/') && !name.starts_with('/'))
}

/// `gcloud beta run …`
fn is_stage(word: &Word) -> bool {
    matches!(word.known().as_deref(), Some("alpha" | "beta" | "preview"))
}

fn is_harmless(word: &str) -> bool {
    let first = word.split(['-', '_']).next().unwrap_or_default();
    let last = word.rsplit(':').next().unwrap_or_default();
    HARMLESS.contains(&word)
        || HARMLESS.contains(&last)
        || matches!(first, "get" | "list" | "describe" | "show" | "create") && first != word
}

/// Whether a word can be a sub-command: no path, no address, no assignment, no number.
fn is_command_word(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':'))
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn told(text: &str) -> String {
        let mut words = text.split(' ').map(|word| match word.strip_prefix('$') {
            Some(_) => Word::unknown(word, true),
            None => Word::text(word),
        });
        let run = Run { program: words.next().unwrap(), args: words.collect(), ..Run::default() };
        let reading = read(&run);
        let found = verbs(&reading, &run);
        let written: Vec<_> = found.iter().map(|verb| verb.word.written()).collect();
        written.join(" ")
    }

    #[test]
    fn words_of_which_one_is_the_verb() {
        for (text, words) in [
            ("rpk topic delete orders", "topic delete orders"),
            ("acmectl --zone a volumes delete x", "a volumes delete x"),
            ("acmectl volumes --zone a delete x/y", "volumes delete"),
            ("acmectl volumes list delete", "volumes"),
            ("acmectl get delete", ""),
            ("acmectl remove x", ""),
            ("acmectl volume remove x", "volume remove x"),
            ("gcloud functions deploy delete-users", "functions"),
            ("gcloud beta run services delete x", "beta run services delete x"),
            ("gh search code delete", ""),
            ("gcloud functions call delete-user", "functions"),
            ("acmectl run a.txt delete", "run"),
            ("vault -- delete", ""),
            ("aws ec2 $x", "ec2 $x"),
            ("heroku logs $x", "logs"),
            ("acmectl $x delete", ""),
            ("aws s3api get-object delete", "s3api"),
            ("cargo remove serde", ""),
            ("grep delete x", ""),
            ("./acmectl delete x", ""),
            ("/opt/acmectl delete x", "delete x"),
        ] {
            assert_eq!(told(text), words, "{text}");
        }
    }
}
