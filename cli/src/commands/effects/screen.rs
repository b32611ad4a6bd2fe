//! Effects as a table for people.

use std::borrow::Cow;

use comfy_table::Table;
use hookgate::effects::{CodeFrom, Effects, HostEffect, Origin, PathEffect, Place, Run, Word};

use super::call::Call;
use crate::terminal::sanitize::{line, one_line};
use crate::terminal::style::{BOLD, DIM};
use crate::terminal::table::{self, To, cell, dim};

/// How many characters of a program with its words are shown; the JSON has all of them.
const LONGEST: usize = 300;

/// Returns what a call would do, for people.
pub(super) fn text(call: &Call, cwd: Option<&str>, effects: &Effects) -> String {
    let Some(tool) = &call.tool_name else {
        return "The step is about no tool: it has no effects.\n".to_owned();
    };
    let folder = cwd.map_or_else(|| "the folder is not known".to_owned(), line);
    let head = format!("{BOLD}{}{BOLD:#}  {DIM}{folder}{DIM:#}\n", line(tool));
    let rows = rows(effects, cwd);
    if rows.is_empty() {
        return format!("{head}It runs no program, touches no file and connects to no host.\n");
    }
    format!("{head}{}\n", table_of(rows))
}

/// A row: the kind of effect, what it is about, and how it comes about.
pub(super) type Row = (&'static str, String, String);

fn table_of(rows: Vec<Row>) -> Table {
    let mut table = table::new(To::Stdout, &["it", "what", "how"]);
    let mut last = "";
    for (kind, what, how) in rows {
        let label = if kind == last { "" } else { kind };
        last = kind;
        table.add_row([cell(label), cell(what), dim(how)]);
    }
    table::keep_whole(&mut table, &[0]);
    table
}

/// Returns the effects of a call.
pub(super) fn rows(effects: &Effects, cwd: Option<&str>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    // A later round of a loop says nothing new of its program.
    let runs = effects.runs.iter().filter(|run| run.origin != Origin::Round);
    rows.extend(runs.map(|run| ("runs", run_text(run), run_facts(run, cwd))));
    if effects.more_programs {
        rows.push(("runs", "maybe other programs as well".to_owned(), String::new()));
    }
    for (kind, paths) in [
        ("reads", &effects.reads),
        ("writes", &effects.writes),
        ("deletes", &effects.deletes),
        ("may touch", &effects.mentions),
    ] {
        rows.extend(paths.iter().map(|path| (kind, path_text(path), path.by.clone())));
    }
    let hosts = effects.connects.iter();
    rows.extend(hosts.map(|host| ("connects to", host_text(host), host.by.clone())));
    let unclear = effects.unclear.iter();
    rows.extend(unclear.map(|one| {
        ("cannot tell", one.why.clone(), format!("it may add to: {}", one.what.name()))
    }));
    rows
}

fn run_text(run: &Run) -> String {
    let mut text = run.program.written();
    for (name, value) in run.env.iter().rev() {
        text.insert_str(0, &format!("{name}={} ", quoted(value)));
    }
    for arg in &run.args {
        text.push(' ');
        text.push_str(&quoted(arg));
    }
    if run.more_args {
        text.push_str(" …");
    }
    one_line(&text, LONGEST)
}

/// Returns a word as it could stand in a command line.
fn quoted(word: &Word) -> String {
    let written = word.written();
    let plain =
        !written.is_empty() && !written.contains([' ', '\t', '\n', '\'', '"', ';', '&', '|']);
    if plain || !word.parts.iter().all(|part| matches!(part, hookgate::effects::WordPart::Text(_)))
    {
        return written;
    }
    format!("'{}'", written.replace('\'', r"'\''"))
}

fn run_facts(run: &Run, cwd: Option<&str>) -> String {
    let mut facts: Vec<Cow<'_, str>> = Vec::new();
    if !run.via.is_empty() {
        facts.push(format!("via {}", run.via.join(" ")).into());
    }
    if run.place == Place::Remote {
        facts.push("on another machine".into());
    } else {
        match run.cwd.as_deref() {
            None if cwd.is_some() => facts.push("in a folder that is not known".into()),
            Some(folder) if Some(folder) != cwd => facts.push(format!("in {folder}").into()),
            _ => {}
        }
    }
    facts.extend(run.code_from.map(|from| match from {
        CodeFrom::Network => "runs code from the network".into(),
        CodeFrom::Decoded => "runs code that is decoded".into(),
        CodeFrom::Stdin => "runs code from stdin".into(),
    }));
    if let Some(script) = &run.script {
        facts.push(format!("runs the script {}", script.written()).into());
    }
    if run.origin == Origin::Carried {
        facts.push("started by that program itself".into());
    }
    if run.renamed {
        facts.push("the name may stand for another program".into());
    }
    facts.join(", ")
}

fn path_text(effect: &PathEffect) -> String {
    let path = effect.path.written();
    if effect.below { format!("{path} and all below") } else { path }
}

fn host_text(effect: &HostEffect) -> String {
    let host = effect.host.written();
    match effect.port {
        Some(port) if host.contains(':') => format!("[{host}]:{port}"),
        Some(port) => format!("{host}:{port}"),
        None => host,
    }
}
