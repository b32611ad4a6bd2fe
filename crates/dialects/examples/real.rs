//! Reads envelopes that agents really sent, and shows what of them would be lost.
//!
//! ```sh
//! cargo run --release -q -p hookgate-dialects --example real -- FILE-OR-FOLDER…
//! ```
//!
//! A file holds one JSON object a line: `agent`, `event`, `input`. Each input is read by the dialect of its
//! agent, and written again from our envelope alone. What then is missing, or is another value, was lost.
//! The payload must also be one that the engine reads. Prints each loss, and last `lossless P of N`; the
//! exit status is 1 if there is any.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs, io};

use hookgate_contract::dialect::Dialect;
use hookgate_contract::{Event, json, payload};
use serde_json::{Map, Value};

fn main() -> ExitCode {
    let mut files = Vec::new();
    for name in env::args_os().skip(1) {
        if let Err(error) = collect(Path::new(&name), &mut files) {
            eprintln!("{}: {error}", Path::new(&name).display());
            return ExitCode::FAILURE;
        }
    }
    if files.is_empty() {
        eprintln!("usage: real FILE-OR-FOLDER…");
        return ExitCode::FAILURE;
    }
    let (mut lossless, mut count) = (0, 0);
    for file in files {
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                return ExitCode::FAILURE;
            }
        };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            count += 1;
            let losses = check(line);
            lossless += usize::from(losses.is_empty());
            for loss in losses {
                println!("{}:{}: {loss}", file.display(), number + 1);
            }
        }
    }
    println!("lossless {lossless} of {count}");
    if lossless == count { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Adds a file, or all files of a folder and the folders in it that hold JSON lines.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut inside: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    inside.sort();
    for path in inside {
        if path.is_dir() || path.extension() == Some(OsStr::new("jsonl")) {
            collect(&path, files)?;
        }
    }
    Ok(())
}

/// Returns what is lost of one recorded envelope.
fn check(line: &str) -> Vec<String> {
    let record = match json::parse_with(line.as_bytes(), json::Integers::Exact) {
        Ok(Value::Object(record)) => record,
        Ok(_) => return vec!["the line is no object".to_owned()],
        Err(error) => return vec![error.to_string()],
    };
    let text = |key: &str| record.get(key).and_then(Value::as_str).unwrap_or_default();
    let (agent, event) = (text("agent"), text("event"));
    let Some(Value::Object(input)) = record.get("input") else {
        return vec!["`input` is no object".to_owned()];
    };
    let dialects = hookgate_dialects::of_agents();
    // One agent may have been recorded in several forms: `copilot-pascal`.
    let named = |name: &str| agent == name || agent.starts_with(&format!("{name}-"));
    let Some(dialect) = dialects.iter().find(|dialect| named(dialect.name())) else {
        return vec![format!("there is no dialect of `{agent}`")];
    };
    losses(dialect.as_ref(), event, input)
        .into_iter()
        .map(|loss| format!("{agent} {event}: {loss}"))
        .collect()
}

fn losses(dialect: &dyn Dialect, event: &str, input: &Map<String, Value>) -> Vec<String> {
    let step = match dialect.read(Some(event), input.clone()) {
        Ok(step) => step,
        Err(error) => return vec![format!("it cannot be read: {error}")],
    };
    let mut losses = Vec::new();
    if let Some(problem) = unreadable(&step.envelope) {
        losses.push(format!("the engine cannot read it: {problem}"));
    }
    match dialect.write(&step.envelope) {
        Ok(written) => compare("", &Value::Object(input.clone()), &written.envelope, &mut losses),
        Err(error) => losses.push(format!("it cannot be written again: {error}")),
    }
    losses
}

/// Notes each value that is missing, and each that is another one.
fn compare(path: &str, sent: &Value, written: &Value, losses: &mut Vec<String>) {
    match (sent, written) {
        (Value::Object(sent), Value::Object(written)) => {
            for (key, value) in sent {
                match written.get(key) {
                    Some(other) => compare(&format!("{path}/{key}"), value, other, losses),
                    None => losses.push(format!("`{path}/{key}` is lost")),
                }
            }
        }
        (Value::Array(sent), Value::Array(written)) if sent.len() == written.len() => {
            for (index, (value, other)) in sent.iter().zip(written).enumerate() {
                compare(&format!("{path}/{index}"), value, other, losses);
            }
        }
        _ if sent == written => {}
        _ => losses.push(format!("`{path}` is {written} and was {sent}")),
    }
}

macro_rules! define_readable {
    ($($event:ident($payload:ident) $name:literal $kind:ident [$($rule:ident)*] {$($rest:tt)*})*) => {
        fn readable(event: Event, envelope: Value) -> Result<(), serde_json::Error> {
            match event {
                $(Event::$event => {
                    serde_json::from_value::<payload::$payload>(envelope).map(|_| ())
                })*
                _ => Ok(()),
            }
        }
    };
}

hookgate_contract::with_events!(define_readable);

/// Says why the payload of an envelope is none of its event.
fn unreadable(envelope: &Map<String, Value>) -> Option<String> {
    let name = envelope.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let event = match Event::from_name(name) {
        Some(event) => event,
        None if hookgate_contract::is_custom_name(name) => return None,
        None => return Some(format!("there is no event `{name}`")),
    };
    readable(event, Value::Object(envelope.clone())).err().map(|error| error.to_string())
}
