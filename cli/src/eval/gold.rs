//! Gold sets: steps, and what a person says that should become of them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use hookgate::contract::json;
use serde::Deserialize;
use serde_json::Value;

use crate::eval::error::EvalError;
use crate::eval::jsonl;
use crate::eval::label::Label;
use crate::eval::sample::Sample;

/// A line of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    envelope: Value,
    label: Label,
    #[serde(default)]
    note: Option<String>,
}

/// A labelled step.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GoldSample {
    /// The step.
    pub sample: Arc<Sample>,
    /// What should become of it.
    pub label: Label,
    /// Why, in the words of the person who labelled it; may be empty.
    pub note: String,
}

impl GoldSample {
    /// Returns a labelled step without a note.
    #[must_use]
    pub fn new(sample: Sample, label: Label) -> Self {
        Self { sample: Arc::new(sample), label, note: String::new() }
    }
}

/// Labelled steps, each of them once.
///
/// As a file, a gold set has one JSON object a line:
///
/// ```
/// use hookgate_cli::eval::{GoldSet, Label};
///
/// let line = br#"{"envelope": {"hook_event_name": "stop"}, "label": "allow", "note": "it may stop"}"#;
/// let gold = GoldSet::parse("gold.jsonl", line)?;
/// assert_eq!(gold.labels().collect::<Vec<_>>(), [Label::Allow]);
///
/// // All mistakes are reported at once.
/// let wrong = GoldSet::parse("gold.jsonl", b"{}\n[]").unwrap_err().to_string();
/// assert!(wrong.contains("line 1: ") && wrong.contains("line 2: "));
/// # Ok::<_, hookgate_cli::eval::EvalError>(())
/// ```
#[derive(Debug, Clone)]
pub struct GoldSet {
    gold: Vec<GoldSample>,
    samples: Vec<Arc<Sample>>,
}

impl GoldSet {
    /// Reads a file of at most 256 MiB.
    ///
    /// # Errors
    /// [`EvalError::File`], and everything that [`parse`](Self::parse) reports.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        Self::parse(&path.display().to_string(), &jsonl::read_file(path)?)
    }

    /// Reads the bytes of a file; `name` is what errors call it.
    ///
    /// # Errors
    /// [`EvalError::Gold`] with every problem: a line that is not a labelled step, a step that is
    /// there twice, a file without any step.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, EvalError> {
        let mut gold = Vec::new();
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut problems = Vec::new();
        for (number, line) in jsonl::numbered_lines(bytes) {
            match read_line(line) {
                Ok(read) => {
                    let earlier = seen.insert(read.sample.key().to_owned(), number);
                    if let Some(earlier) = earlier {
                        problems.push(format!("line {number}: the same step as in line {earlier}"));
                    }
                    gold.push(read);
                }
                Err(problem) => problems.push(format!("line {number}: {problem}")),
            }
        }
        if gold.is_empty() && problems.is_empty() {
            problems.push("it has no labelled step".to_owned());
        }
        if problems.is_empty() {
            Ok(gold.into_iter().collect())
        } else {
            Err(EvalError::Gold { name: name.to_owned(), problems })
        }
    }

    /// Returns the labelled steps, in the order of the file.
    #[must_use]
    pub fn gold_samples(&self) -> &[GoldSample] {
        &self.gold
    }

    /// Returns the steps without their labels, as [`Evaluation::run`](crate::eval::Evaluation::run) takes
    /// them.
    #[must_use]
    pub fn samples(&self) -> &[Arc<Sample>] {
        &self.samples
    }

    /// Returns the labels, in the order of the steps.
    pub fn labels(&self) -> impl Iterator<Item = Label> {
        self.gold.iter().map(|gold| gold.label)
    }
}

impl FromIterator<GoldSample> for GoldSet {
    fn from_iter<I: IntoIterator<Item = GoldSample>>(gold: I) -> Self {
        let gold: Vec<_> = gold.into_iter().collect();
        let samples = gold.iter().map(|gold| Arc::clone(&gold.sample)).collect();
        Self { gold, samples }
    }
}

fn read_line(line: &[u8]) -> Result<GoldSample, String> {
    let line: Line = jsonl::from_value(json::parse(line))?;
    let sample = Sample::from_value(line.envelope).map_err(|error| error.to_string())?;
    let gold = GoldSample::new(sample, line.label);
    Ok(GoldSample { note: line.note.unwrap_or_default(), ..gold })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_wrong_with_it() {
        let problem = |line: &str| read_line(line.as_bytes()).unwrap_err();
        assert!(problem("{").contains("EOF"));
        assert!(problem(r#"{"envelope":{},"label":"deny"}"#).contains("hook_event_name"));
        assert!(problem(r#"{"envelope":[],"label":"deny"}"#).contains("not a JSON object"));
        let maybe = r#"{"envelope":{"hook_event_name":"stop"},"label":"maybe"}"#;
        assert!(problem(maybe).contains("maybe"));
        let typo = r#"{"envelope":{"hook_event_name":"stop"},"lable":"deny"}"#;
        assert!(problem(typo).contains("lable"));
        let twice = r#"{"envelope":{"hook_event_name":"stop"},"label":"deny","label":"allow"}"#;
        assert!(problem(twice).contains("twice") || problem(twice).contains("duplicate"));
    }

    #[test]
    fn a_step_may_be_there_once() {
        let line = r#"{"envelope":{"hook_event_name":"stop"},"label":"deny"}"#;
        let error = GoldSet::parse("g", format!("{line}\n\n{line}").as_bytes()).unwrap_err();
        assert!(error.to_string().ends_with("line 3: the same step as in line 1"), "{error}");
    }
}
