//! Rules about commands: `git push *`, `npm run test:*`, `ls`.

use super::shell;
use hookgate_contract::glob::Wildcard;

/// Programs that run the command behind them.
const WRAPPERS: [&str; 9] =
    ["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"];

/// Tells whether a rule is about one of the commands in a line.
pub(super) fn holds(rule: &str, line: &str) -> bool {
    let Ok(found) = shell::commands(line) else { return true };
    // What an expansion becomes is not known, and a rule with arguments could be about it.
    if found.expands && has_arguments(rule) {
        return true;
    }
    found.commands.iter().any(|command| forms(command).iter().any(|form| is_meant(rule, form)))
}

/// Tells whether a rule says more than the name of a program.
fn has_arguments(rule: &str) -> bool {
    let rule = rule.strip_suffix(":*").unwrap_or(rule);
    rule.trim_end_matches('*').trim_end().contains(' ')
}

fn is_meant(rule: &str, command: &str) -> bool {
    // A blank before the last star, or `:*`, is the end of a word: `ls *` is about `ls`, not `lsof`.
    let words = rule.strip_suffix(":*").or_else(|| rule.strip_suffix(" *"));
    match words {
        Some(words) => {
            Wildcard::of_stars(words).matches(command)
                || Wildcard::of_stars(&format!("{words} *")).matches(command)
        }
        None => Wildcard::of_stars(rule).matches(command),
    }
}

/// Returns a command in the forms that a rule may be about: as it is written, without assignments, without
/// wrappers, without redirections.
fn forms(command: &str) -> Vec<String> {
    let mut forms = vec![command.to_owned()];
    let words = shell::words(command);
    let mut rest = words.as_slice();
    loop {
        rest = without_assignments(rest);
        forms.push(rest.join(" "));
        forms.push(without_redirections(rest).join(" "));
        match without_wrapper(rest) {
            Some(inner) => rest = inner,
            None => return forms,
        }
    }
}

fn without_assignments<'a>(mut words: &'a [&'a str]) -> &'a [&'a str] {
    while let [first, rest @ ..] = words
        && is_assignment(first)
    {
        words = rest;
    }
    words
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_start = |sign: char| sign.is_ascii_alphabetic() || sign == '_';
    name.starts_with(is_start)
        && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

/// Returns the command that a wrapper runs; `None` if this is no wrapper.
fn without_wrapper<'a>(words: &'a [&'a str]) -> Option<&'a [&'a str]> {
    let (wrapper, mut rest) = words.split_first()?;
    if !WRAPPERS.contains(wrapper) {
        return None;
    }
    while let [option, after @ ..] = rest
        && option.starts_with('-')
    {
        match *wrapper {
            // Only without options it runs just what follows.
            "xargs" => return None,
            "timeout" if matches!(*option, "-k" | "-s" | "--kill-after" | "--signal") => {
                rest = after.get(1..).unwrap_or_default();
            }
            "nice" if matches!(*option, "-n" | "--adjustment") => {
                rest = after.get(1..).unwrap_or_default();
            }
            "stdbuf" if matches!(*option, "-i" | "-o" | "-e") => {
                rest = after.get(1..).unwrap_or_default();
            }
            _ => rest = after,
        }
    }
    if *wrapper == "timeout" {
        rest = rest.get(1..).unwrap_or_default();
    }
    (!rest.is_empty()).then_some(rest)
}

fn without_redirections<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let operator = word.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let operator = operator.strip_prefix('&').unwrap_or(operator);
        if !operator.starts_with(['<', '>']) {
            kept.push(*word);
        } else if operator.trim_start_matches(['<', '>', '&', '|']).is_empty() {
            // Its file is the next word.
            let _ = words.next();
        }
    }
    kept
}
