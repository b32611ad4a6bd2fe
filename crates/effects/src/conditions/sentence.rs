//! Effects in words: for explanations, and for `{{ effect }}` in the reason of a hook.

use hookgate_contract::quote::Quoted;

use super::question::Question;
use crate::effects::{Effects, HostEffect, PathEffect, UnclearWhat, VariableEffect};
use crate::patterns::{Cause, Deed, Found, Truth};
use crate::pushes::{PushEffect, PushedRefs, RefUpdate};
use crate::run::Run;
use crate::word::Word;

/// The most effects that an explanation names.
const MOST: usize = 3;

/// The most characters of a command that are shown.
const LONGEST: usize = 100;

/// Names the effect that made an answer true or unknown: "`cat` reads /home/u/.env".
pub(super) fn named(found: Found, effects: &Effects) -> Option<String> {
    match found.cause? {
        Cause::Run(at) => effects.runs.get(at).map(run),
        Cause::Read(at) => effects.reads.get(at).map(|effect| path(effect, "reads")),
        Cause::Write(at) => effects.writes.get(at).map(|effect| path(effect, "writes")),
        Cause::Delete(at) => effects.deletes.get(at).map(|effect| path(effect, "deletes")),
        Cause::Mention(at) => effects.mentions.get(at).map(|effect| path(effect, "is given")),
        Cause::Connect(at) => effects.connects.get(at).map(host),
        Cause::Variable(at) => effects.shows_env.get(at).map(variable),
        Cause::Push(at) => effects.pushes.get(at).map(|one| push(one, effects)),
        Cause::Unclear(at) => effects.unclear.get(at).map(|unclear| shown(&unclear.why)),
    }
}

/// Explains an answer in one sentence.
pub(super) fn explained(question: &Question, found: Found, effects: &Effects) -> String {
    let named = named(found, effects);
    match (found.truth, found.cause, named) {
        (Truth::True, _, Some(named)) => named,
        (Truth::Unknown, Some(Cause::Mention(_)), Some(named)) => {
            format!("{named}, and what it does with it is not known")
        }
        (Truth::Unknown, Some(Cause::Unclear(_)), Some(why)) => why,
        (Truth::Unknown, Some(cause), Some(named)) => why_unknown(cause, effects)
            .unwrap_or_else(|| format!("{named}, which is not wholly known before it runs")),
        _ => nothing(question, effects),
    }
}

/// Returns why a program that may be meant is not wholly known, if it is known why.
fn why_unknown(cause: Cause, effects: &Effects) -> Option<String> {
    let Cause::Run(at) = cause else { return None };
    // Not what is unclear about its files and hosts.
    let is_of_program =
        |what| matches!(what, UnclearWhat::Anything | UnclearWhat::Program | UnclearWhat::Words);
    let mut of_run = effects.unclear.iter().filter(|unclear| unclear.run == Some(at));
    let unclear = of_run.find(|unclear| is_of_program(unclear.what))?;
    Some(shown(&unclear.why))
}

/// Says what there is, if nothing of it is meant.
fn nothing(question: &Question, effects: &Effects) -> String {
    let (mut there, none) = match question {
        Question::Runs(_) => (effects.runs.iter().map(run).collect(), "no program is run"),
        Question::Pushes(_) => {
            (effects.pushes.iter().map(|one| push(one, effects)).collect(), "nothing is pushed")
        }
        Question::Hosts(_) => {
            (effects.connects.iter().map(host).collect(), "no host is connected to")
        }
        Question::Variables(_) => (
            effects.shows_env.iter().map(variable).collect(),
            "no variable of the environment is shown",
        ),
        Question::Paths { deeds, .. } => {
            let list = |deed: &Deed| match deed {
                Deed::Read => (&effects.reads, "reads"),
                Deed::Write => (&effects.writes, "writes"),
                Deed::Delete => (&effects.deletes, "deletes"),
            };
            let all = deeds.iter().map(list);
            let all =
                all.flat_map(|(list, verb)| list.iter().map(move |effect| path(effect, verb)));
            let none = match *deeds {
                [Deed::Read] => "nothing is read",
                [Deed::Write] => "nothing is written",
                [Deed::Delete] => "nothing is deleted",
                _ => "no file is touched",
            };
            (all.collect::<Vec<_>>(), none)
        }
    };
    there.dedup();
    let rest = there.len().saturating_sub(MOST);
    there.truncate(MOST);
    match (there.as_slice(), rest) {
        ([], _) => none.to_owned(),
        (some, 0) => format!("{}: not what is meant", some.join(", ")),
        (some, rest) => format!("{} and {rest} more: not what is meant", some.join(", ")),
    }
}

/// Shows the words of a run.
pub(super) fn run(run: &Run) -> String {
    let mut words = vec![run.program.written()];
    words.extend(run.args.iter().map(|word| word.written()));
    let whole = words.join(" ");
    match whole.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("`{}…`", shown(whole.get(..end).unwrap_or_default())),
        None => format!("`{}`", shown(&whole)),
    }
}

fn push(push: &PushEffect, effects: &Effects) -> String {
    let command = effects.runs.get(push.run).map_or_else(|| "`git push`".to_owned(), run);
    let remote = push.remotes.first().map(Word::written).unwrap_or_default();
    let mut to: Vec<String> = push.updates.iter().map(update).collect();
    to.dedup();
    let rest = to.len().saturating_sub(MOST);
    to.truncate(MOST);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{command} pushes to {}{more} of {}", to.join(", "), shown(&remote))
}

fn update(update: &RefUpdate) -> String {
    let to = match &update.to {
        PushedRefs::Branch(name) | PushedRefs::Ref(name) => shown(&name.written()),
        PushedRefs::All => "all refs".to_owned(),
        PushedRefs::Unknown(why) => return format!("refs that are not known ({})", shown(why)),
    };
    match (update.delete, update.force) {
        (true, _) => format!("{to} (deleted)"),
        (false, true) => format!("{to} (by force)"),
        (false, false) => to,
    }
}

fn path(effect: &PathEffect, verb: &str) -> String {
    let below = if effect.below { " and what is below it" } else { "" };
    let by = by(&effect.by, effect.run);
    format!("{by} {verb} {}{below}", shown(&effect.path.written()))
}

fn host(effect: &HostEffect) -> String {
    let port = match effect.port {
        None | Some(80 | 443) => String::new(),
        Some(port) => format!(":{port}"),
    };
    let by = by(&effect.by, effect.run);
    format!("{by} connects to {}{port}", shown(&effect.host.written()))
}

fn variable(effect: &VariableEffect) -> String {
    let by = by(&effect.by, effect.run);
    match &effect.name {
        Some(name) => format!("{by} shows the variable {}", shown(name)),
        None => format!("{by} shows all variables of the environment"),
    }
}

/// Names a program in quotes, and a tool as it is.
fn by(name: &str, run: Option<usize>) -> String {
    match run {
        Some(_) => format!("`{}`", shown(name)),
        None => shown(name),
    }
}

fn shown(text: &str) -> String {
    Quoted(text).to_string()
}
