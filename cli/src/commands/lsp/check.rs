//! What `hookgate check` says of a text that may not be saved yet.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hookgate::Registry;
use hookgate::analysis::{Finding, Options, Severity};
use hookgate::config::{ConfigError, ConfigProblem, Loader, parse_toml};
use miette::Diagnostic as _;
use serde_json::{Value, json};

use super::document::{Contents, Document};
use super::lines::{Encoding, Lines};
use crate::commands::check::{problem_by_name, remarks};
use crate::config::registry;
use crate::foreign;

/// The severities of the protocol.
const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFORMATION: u8 = 3;

/// The code of a mistake in TOML.
const SYNTAX: &str = "syntax";

/// What a script looked like: when it was changed, and its size.
type Stamp = (Option<SystemTime>, u64);

/// Checks texts, and remembers what interpreters said of scripts that have not changed.
pub(super) struct Checker {
    registry: Registry,
    scripts: HashMap<PathBuf, (Stamp, Option<String>)>,
}

impl Checker {
    pub(super) fn new() -> Self {
        Self { registry: registry(), scripts: HashMap::new() }
    }

    /// Returns the diagnostics of a text, and whether all of its scripts were read by an interpreter, now or
    /// earlier. With `ask` interpreters are asked.
    pub(super) fn check(
        &mut self,
        document: &Document,
        encoding: Encoding,
        ask: bool,
    ) -> (Vec<Value>, bool) {
        let lines = Lines::new(&document.text, encoding);
        if document.contents == Contents::Other {
            return (Vec::new(), true);
        }
        if document.contents == Contents::Cases {
            let (_, wrong) = parse_toml(&document.text);
            let wrong = wrong.into_iter().map(|(span, message)| {
                diagnostic(lines.first_line(span), ERROR, SYNTAX, (&message, None))
            });
            return (wrong.collect(), true);
        }
        let loader = Loader::new(&self.registry).allow_unverified();
        let loaded = match foreign::parse(loader, &document.path, &document.text, false) {
            Ok(loaded) => loaded,
            Err(errors) => {
                let errors = errors.errors().iter();
                return (
                    errors.map(|error| of_config(error, document, &lines, ERROR)).collect(),
                    true,
                );
            }
        };
        // The analysis says it too.
        let is_said =
            |warning: &ConfigError| matches!(warning.problem(), ConfigProblem::Shadowed { .. });
        let warnings = loaded.warnings.iter().filter(|warning| !is_said(warning));
        let mut found: Vec<Value> =
            warnings.map(|warning| of_config(warning, document, &lines, WARNING)).collect();
        let analysis = loaded.table.analyze(&Options::new());
        found.extend(analysis.findings.iter().map(|told| of_finding(told, document, &lines)));
        let (scripts, mut all_known) = (&mut self.scripts, true);
        let mut problem = |script: &Path, files: &[PathBuf]| {
            let stamp = stamp(script);
            if let Some((known, problem)) = scripts.get(script)
                && *known == stamp
            {
                return problem.clone();
            }
            if !ask {
                all_known = false;
                return None;
            }
            let problem = problem_by_name(script, files);
            scripts.insert(script.to_owned(), (stamp, problem.clone()));
            problem
        };
        let more =
            remarks(&document.path, &document.text, &loaded.table, &loaded.warnings, &mut problem);
        found.extend(more.iter().map(|remark| {
            let number = |key: &str| remark.get(key).and_then(Value::as_u64).unwrap_or(1);
            let place = |key: &str| usize::try_from(number(key)).unwrap_or(1);
            let text = |key: &str| remark.get(key).and_then(Value::as_str);
            let start = lines.offset_of(place("line"), place("column"));
            let range = lines.range(lines.rest(start));
            let said = (text("message").unwrap_or_default(), text("help"));
            diagnostic(range, WARNING, text("code").unwrap_or_default(), said)
        }));
        (found, all_known)
    }
}

fn stamp(script: &Path) -> Stamp {
    fs::metadata(script).map_or((None, 0), |found| (found.modified().ok(), found.len()))
}

/// Returns a mistake of the loader. One in another file, which this one takes in, is told at the beginning.
fn of_config(error: &ConfigError, document: &Document, lines: &Lines<'_>, severity: u8) -> Value {
    let code = error.problem().code();
    if Path::new(error.file()) != document.path {
        let place = format!("{}:{}:{}", error.file(), error.line(), error.column());
        let message = format!("{place}: {}", error.message());
        return diagnostic(lines.range(lines.rest(0)), severity, code, (&message, error.help()));
    }
    let start = lines.offset_of(error.line(), error.column());
    let length = error.labels().and_then(|mut labels| labels.next()).map_or(0, |label| label.len());
    let span: Range<usize> = start..start + length;
    diagnostic(lines.first_line(span), severity, code, (&error.message(), error.help()))
}

/// Returns what is doubtful about the hooks together. What is about a hook of another file is told at the
/// beginning.
fn of_finding(finding: &Finding, document: &Document, lines: &Lines<'_>) -> Value {
    let Finding { line, column, .. } = *finding;
    let other = finding.file.as_ref().filter(|file| Path::new(file) != document.path);
    let message = match other {
        Some(file) => format!("{file}:{line}:{column}: {}", finding.message),
        None => finding.message.clone(),
    };
    let start = if other.is_some() { 0 } else { lines.offset_of(line, column) };
    let severity = match finding.severity {
        Severity::Warning => WARNING,
        _ => INFORMATION,
    };
    let range = lines.range(lines.rest(start));
    diagnostic(range, severity, finding.code.name(), (&message, Some(&finding.help)))
}

fn diagnostic(
    range: Value,
    severity: u8,
    code: &str,
    (message, help): (&str, Option<&str>),
) -> Value {
    let message = match help {
        Some(help) => format!("{message}\nhelp: {help}"),
        None => message.to_owned(),
    };
    json!({
        "range": range, "severity": severity, "code": code, "source": "hookgate", "message": message,
    })
}
