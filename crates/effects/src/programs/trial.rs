//! Runs that only try or tell: `git push --dry-run`, `mkfs.ext4 --help`, `rm --version`.
//!
//! That a program knows such an option is said by its tables: an option that is named so, with all its other names
//! (`-n|--dry-run`), or one of `trial` in its line. On any other program `--dry-run` is a convention that it may
//! not follow.

use super::reading::Reading;
use super::table::Program;
use crate::options::Given;
use crate::run::Run;

/// Whether a run only tries or tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trial {
    /// It does what it is for.
    No,
    /// It would be a trial if its program knows `--dry-run`, which the tables do not say.
    MayTry,
    /// It would show its help if its program keeps to the usual names: it is not in the tables.
    MayTell,
    /// It says what it would do.
    Tries,
    /// It shows its help or its version.
    Tells,
}

/// The names that mean the same in every program that has them.
const NAMES: [&str; 14] = [
    "dry-run",
    "dryrun",
    "dry_run",
    "dry-run-only",
    "just-print",
    "recon",
    "no-act",
    "simulate",
    "list-only",
    "what-if",
    "whatif",
    "pretend",
    "noop",
    "preview-only",
];

/// The values that switch such an option off.
const OFF: [&str; 5] = ["none", "false", "no", "off", "0"];

impl Program {
    /// Returns whether an option of this name makes a run a trial.
    pub(crate) fn tries_with(&self, name: &str) -> bool {
        let is_named = |name: &str| NAMES.contains(&name);
        !self.never_tries
            && (self.trial.iter().any(|one| one == name)
                || self.option(name).is_some_and(|option| {
                    option
                        .names
                        .iter()
                        .any(|name| is_named(name) || self.trial.iter().any(|one| one == name))
                }))
    }
}

/// Returns whether a run only tries or tells.
pub(crate) fn trial(reading: &Reading<'_>, run: &Run) -> Trial {
    let is_known = reading.program.is_some();
    let tells = asks_for_help(reading)
        || (is_known && asks_for_help_anywhere(reading, run))
        || only_tells(reading)
        || asks_at_the_end(reading);
    match (tells, is_known) {
        (true, true) => return Trial::Tells,
        (true, false) => return Trial::MayTell,
        _ => {}
    }
    if reading.program.is_some_and(|program| program.never_tries) || is_undone(reading) {
        return Trial::No;
    }
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    let permutes = reading.program.is_none_or(|program| program.option_table().abbreviations)
        || reading.has_parts;
    let mut found = Trial::No;
    // An option that the tables do not have may take the next word.
    let mut takes_value = false;
    let mut is_behind_operand = false;
    for (at, given) in reading.given.iter().enumerate().take(end) {
        let may_be_value = std::mem::replace(
            &mut takes_value,
            matches!(given, Given::Option { value: None, listed: false, long, .. } if is_known || !long),
        );
        match given {
            // It may be `--`, or an option that takes the next word.
            Given::Unknown { .. } => return found,
            Given::Operand { .. } if at >= reading.start => is_behind_operand = true,
            Given::Option { name, value, .. } if !may_be_value => {
                let program = reading.program_at(at);
                let listed = program.is_some_and(|program| program.tries_with(name));
                // Behind an operand a program may have stopped to read options that the tables do not have.
                if !listed && (is_behind_operand && !permutes || !NAMES.contains(&name.as_ref())) {
                    continue;
                }
                let is_on = value.as_ref().is_none_or(|value| {
                    value.known().is_some_and(|value| !OFF.contains(&value.as_ref()))
                });
                if !is_on {
                    return Trial::No;
                }
                found = found.max(if listed { Trial::Tries } else { Trial::MayTry });
            }
            _ => {}
        }
    }
    found
}

/// Returns whether an option takes a trial back: git and others know `--no-dry-run`, also when it is cut.
fn is_undone(reading: &Reading<'_>) -> bool {
    reading.given.iter().any(|given| match given {
        Given::Option { name, long: true, .. } => name.strip_prefix("no-").is_some_and(|rest| {
            !rest.is_empty() && NAMES.iter().any(|trial| trial.starts_with(rest))
        }),
        _ => false,
    })
}

/// A single `--version`, `-V` or `-h`, and nothing else after the sub-commands. Only a name that the program does
/// not use for something else counts: `shutdown -h` halts.
fn only_tells(reading: &Reading<'_>) -> bool {
    let rest = reading.given.get(reading.start..).unwrap_or_default();
    let [Given::Option { name, value: None, .. }] = rest else { return false };
    let tells: [&str; 3] = ["help", "version", "usage"];
    match name.as_ref() {
        "version" | "help" => true,
        "h" | "V" => reading.program.is_none_or(|program| {
            program
                .option(name)
                .is_none_or(|option| option.names.iter().any(|name| tells.contains(&name.as_str())))
        }),
        _ => false,
    }
}

/// Programs with sub-commands show the help of the one before: `az vm delete --help`, `aws ec2 terminate-instances
/// help`.
fn asks_at_the_end(reading: &Reading<'_>) -> bool {
    if reading.end_of_options.is_some() || !reading.program.is_none_or(|program| program.service) {
        return false;
    }
    let (last, before) = match reading.given.as_slice() {
        [.., before, last] => (last, Some(before)),
        [last] => (last, None),
        [] => return false,
    };
    // An option that the tables do not have may take the next word.
    if matches!(
        before,
        Some(Given::Option { value: None, listed: false, .. } | Given::Unknown { .. })
    ) {
        return false;
    }
    match last {
        Given::Option { name, long: true, value: None, .. } => name == "help",
        Given::Operand { word, .. } => reading.program.is_some_and(|program| {
            word.known().is_some_and(|word| program.trial.iter().any(|one| *one == word))
        }),
        _ => false,
    }
}

/// A program that shows its help does nothing else. After a first operand this is said only of programs
/// with sub-commands: others may have stopped to read options there.
fn asks_for_help(reading: &Reading<'_>) -> bool {
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    // An option that the tables do not have may take the next word.
    let mut takes_value = false;
    for (at, given) in reading.given.iter().enumerate().take(end) {
        let may_be_value = std::mem::replace(
            &mut takes_value,
            matches!(given, Given::Option { value: None, listed: false, .. }),
        );
        match given {
            Given::Option { name, long: true, value: None, .. }
                if name == "help" && !may_be_value =>
            {
                return true;
            }
            Given::Operand { .. } | Given::Unknown { .. }
                if at >= reading.start && !reading.has_parts =>
            {
                return false;
            }
            _ => {}
        }
    }
    false
}

/// A program in the style of GNU looks for `--help` and `--version` behind its operands, too. One of the
/// BSDs does not, nor does busybox, and nobody does if `POSIXLY_CORRECT` is set.
fn asks_for_help_anywhere(reading: &Reading<'_>, run: &Run) -> bool {
    let is_gnu = reading.program.is_some_and(|program| program.option_table().abbreviations);
    let is_strict = run.env.iter().any(|(name, _)| name == "POSIXLY_CORRECT")
        || run.via.last().is_some_and(|by| matches!(by.as_str(), "busybox" | "toybox"))
        || cfg!(any(target_os = "macos", target_os = "freebsd"));
    if !is_gnu || is_strict || reading.has_parts {
        return false;
    }
    let end = reading.end_of_options.unwrap_or(usize::MAX);
    let mut takes_value = false;
    for given in reading.given.iter().take(end) {
        match given {
            // An option that the tables do not have may take the next word.
            Given::Option { name, long: true, value: None, .. }
                if !takes_value && matches!(name.as_ref(), "help" | "version") =>
            {
                return true;
            }
            // Words that are not known may end the options, or take the next word.
            Given::Unknown { .. } => return false,
            Given::Option { value, listed, .. } => takes_value = value.is_none() && !listed,
            Given::Operand { .. } => takes_value = false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use crate::word::{Word, WordPart};

    fn ask(text: &str) -> Trial {
        let mut words = text.split(' ').map(|word| match word.split_once('$') {
            Some(("", _)) => Word::unknown(word, true),
            Some((known, unknown)) => {
                let mut word = Word::text(known);
                word.push(WordPart::Unknown {
                    written: format!("${unknown}"),
                    splits: true,
                    plain: false,
                });
                word
            }
            None => Word::text(word),
        });
        let run = Run { program: words.next().unwrap(), args: words.collect(), ..Run::default() };
        trial(&read(&run), &run)
    }

    #[test]
    fn runs_that_try() {
        for text in [
            "git push --dry-run --force",
            "git push -n origin main",
            "git clean -nfd",
            "git push --dry origin",
            "rsync -n --delete a b",
            "rsync --list-only a",
            "kubectl delete pod x --dry-run=client",
            "kubectl delete pod x --dry-run",
            "make -n install",
            "aws s3 rm s3://b --dryrun",
            "lvremove --test vg/lv",
            "poetry publish --dry-run",
            "restic forget --keep-last 3 --dry-run",
            "nc -zv localhost 80",
            "git filter-repo --analyze",
            "apt-get -s install x",
            "cargo publish -n",
            "ansible-playbook -C x.yml",
        ] {
            assert_eq!(ask(text), Trial::Tries, "{text}");
        }
        for text in [
            "git push --help",
            "rm -rf / --help",
            "mkfs.ext4 -V",
            "rm --version",
            "terraform destroy -help",
            "git -h",
            "az vm delete --help",
            "az vm delete -n x --help",
            "aws ec2 terminate-instances help",
        ] {
            assert_eq!(ask(text), Trial::Tells, "{text}");
        }
        assert_eq!(ask("acmectl volumes delete x --dry-run"), Trial::MayTry);
        assert_eq!(ask("acmectl volumes delete --help"), Trial::MayTell);
    }

    #[test]
    fn runs_that_do_it() {
        for text in [
            "git push --force",
            "git push -n --no-dry-run",
            "git push --dry-run --no-dry",
            "git push -- --dry-run",
            "git push --force --repo --help origin",
            "git commit -m --dry-run",
            "kubectl delete pod x --dry-run=none",
            "kubectl delete pod x --dry-run=client --dry-run=none",
            "kubectl delete pod x --dry-run=$x",
            "pip install --dry-run x",
            "git push $x --dry-run",
            "shutdown -h",
            "git commit -n",
            "docker run x --dry-run",
            "psql -h --help",
            "mkfs.ext4 -V /dev/sda",
            "rm -rf x --test",
            "foo -x --dry-run",
            "rabbitmqctl -n rabbit@a delete_queue q",
            "az vm delete --unlisted --help",
            "kubectl exec pod -- rm --help",
        ] {
            assert_eq!(ask(text), Trial::No, "{text}");
        }
    }
}
