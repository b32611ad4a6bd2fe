//! Writes what came out into test files, in place of what was expected.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use serde_json::Value;

use super::case_run::{CaseRun, Status};
use super::suite::{Case, Suite};
use crate::abort::Abort;

/// What goes where in a text.
type Edits = Vec<(Range<usize>, String)>;

/// Rewrites `decision` and `by` of the cases that failed; everything else in the files stays as it is,
/// comments included. Returns how many values were written. Each run comes with the suite and the case
/// that it is of.
///
/// # Errors
/// A file cannot be written.
pub(super) fn update<'a>(
    runs: impl IntoIterator<Item = (&'a CaseRun, &'a Suite, &'a Case)>,
) -> Result<usize, Abort> {
    let mut files: BTreeMap<PathBuf, (&str, Edits)> = BTreeMap::new();
    for (run, suite, case) in runs {
        if run.status != Status::Failed || !run.is_decided() || !suite.text.is_toml() {
            continue;
        }
        let (_, edits) =
            files.entry(suite.text.path.clone()).or_insert((&suite.text.text, Vec::new()));
        for edit in edits_of(run, case) {
            // A case that is repeated is written once.
            if !edits.iter().any(|(span, _)| *span == edit.0) {
                edits.push(edit);
            }
        }
    }
    let mut written = 0;
    for (path, (text, mut edits)) in files {
        written += edits.len();
        let text = apply(text, &mut edits);
        std::fs::write(&path, text).map_err(|error| Abort::file("write", &path, &error))?;
    }
    Ok(written)
}

fn edits_of(run: &CaseRun, case: &Case) -> Edits {
    let mut edits = Vec::new();
    for (step, difference) in &run.differences {
        let index = step.saturating_sub(1);
        let (Some(step), Some(report)) = (case.steps.get(index), run.reports.get(index)) else {
            continue;
        };
        let (decision, by) = (&step.expected.decision, &step.expected.by);
        match (difference.what, decision, by) {
            ("decision", Some(written), _) => {
                edits.push((written.span.clone(), Value::from(report.decision.name()).to_string()));
            }
            ("by", _, Some(written)) => {
                let ids: Vec<String> =
                    report.by.iter().map(|id| Value::from(id.as_str()).to_string()).collect();
                edits.push((written.span.clone(), format!("[{}]", ids.join(", "))));
            }
            _ => {}
        }
    }
    edits
}

/// Puts the edits into the text, the last one first.
fn apply(text: &str, edits: &mut Edits) -> String {
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for (span, new) in edits {
        if text.get(span.clone()).is_some() {
            text.replace_range(span.clone(), new);
        }
    }
    text
}
