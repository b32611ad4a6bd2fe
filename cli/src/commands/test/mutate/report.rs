//! What is told of the changes.

use std::io;
use std::time::Duration;

use serde_json::{Value, json};

use super::bench::Fate;
use super::change::Change;
use super::policy::{Policy, PolicyFile};
use crate::commands::test::output::Format;
use crate::terminal::phrase::{count, duration};
use crate::terminal::sanitize::line;
use crate::terminal::style::{BAD, BOLD, DIM, DOUBTFUL, GOOD, HELP};
use crate::terminal::{stderr, stdout};

/// What became of all changes of all policies.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    told: Vec<Told>,
    caught: usize,
    same: usize,
    not_loaded: usize,
    /// How many explanations do not say why.
    pub(super) unexplained: usize,
    pub(super) duration: Duration,
}

/// A change that no case noticed.
#[derive(Debug)]
struct Told {
    file: String,
    line: usize,
    column: usize,
    of: String,
    sort: &'static str,
    words: String,
    /// Why the policy keeps the part, if it says so.
    because: Option<String>,
}

impl Outcome {
    /// Adds what became of the changes of a policy, in their order.
    pub(super) fn add(&mut self, policy: &Policy, fates: impl Iterator<Item = Fate>) {
        let mut used: Vec<(usize, usize)> = Vec::new();
        for ((index, change), fate) in policy.changes.iter().zip(fates) {
            match fate {
                Fate::Caught => self.caught += 1,
                Fate::Same => self.same += 1,
                Fate::NotLoaded => self.not_loaded += 1,
                Fate::Survived => {
                    let Some(file) = policy.file(*index) else { continue };
                    let told = Told::of(file, change);
                    used.extend(file.keep_at(change.span.start).map(|keep| (*index, keep.at)));
                    self.told.push(told);
                }
            }
        }
        for (index, file) in policy.files.iter().enumerate() {
            for keep in &file.keeps {
                let (name, line, column) = file.place(keep.at);
                let place = format!("{name}:{line}:{column}");
                if keep.because.is_none() {
                    self.unexplained += 1;
                    stderr::error_at(&place, "write `# mutate: keep, because …` with the reason");
                } else if !used.contains(&(index, keep.at)) {
                    stderr::error_at(
                        &place,
                        "this explanation is not needed: a case notices each change here",
                    );
                }
            }
        }
    }

    /// Returns how many changes survived without an explanation.
    pub(super) fn survived(&self) -> usize {
        self.told.iter().filter(|told| told.because.is_none()).count()
    }

    fn kept(&self) -> usize {
        self.told.len() - self.survived()
    }

    fn all(&self) -> usize {
        self.told.len() + self.caught + self.same + self.not_loaded
    }
}

impl Told {
    fn of(file: &PolicyFile, change: &Change) -> Self {
        let (name, line, column) = file.place(change.span.start);
        Self {
            file: name,
            line,
            column,
            of: change.of.clone(),
            sort: change.sort.name(),
            words: change.words.clone(),
            because: file.keep_at(change.span.start).and_then(|keep| keep.because.clone()),
        }
    }

    fn record(&self) -> Value {
        json!({
            "type": "mutant",
            "status": if self.because.is_some() { "kept" } else { "survived" },
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "of": self.of,
            "sort": self.sort,
            "change": self.words,
            "because": self.because,
        })
    }

    fn text(&self) -> String {
        let (style, label) =
            if self.because.is_some() { (DOUBTFUL, "KEPT") } else { (BAD, "SURVIVED") };
        let place = line(&format!("{}:{}:{}", self.file, self.line, self.column));
        let why = self.because.as_ref().map(|why| format!("\n          because {}", line(why)));
        format!(
            "{style}{label:<8}{style:#}  {BOLD}{}{BOLD:#}: {}  {DIM}{place}{DIM:#}{}\n",
            line(&self.of),
            line(&self.words),
            why.unwrap_or_default()
        )
    }
}

/// Prints the report.
///
/// # Errors
/// Stdout takes no more.
pub(super) fn print(outcome: &Outcome, format: Format) -> io::Result<()> {
    if format == Format::Json {
        outcome.told.iter().try_for_each(|told| stdout::json_line(&told.record()))?;
        return stdout::json_line(&json!({
            "type": "summary",
            "mutants": outcome.all(),
            "caught": outcome.caught,
            "survived": outcome.survived(),
            "kept": outcome.kept(),
            "same": outcome.same,
            "not_loaded": outcome.not_loaded,
            "duration_us": u64::try_from(outcome.duration.as_micros()).unwrap_or(u64::MAX),
        }));
    }
    stdout::print(&text(outcome))
}

fn text(outcome: &Outcome) -> String {
    let mut text: String = outcome.told.iter().map(Told::text).collect();
    let (survived, kept) = (outcome.survived(), outcome.kept());
    let style = if survived > 0 { BAD } else { GOOD };
    text += &format!(
        "{}: {GOOD}{} caught{GOOD:#}, {style}{survived} survived{style:#}",
        count(outcome.all(), "change"),
        outcome.caught
    );
    for (number, what) in
        [(kept, "kept"), (outcome.same, "without effect"), (outcome.not_loaded, "not valid")]
    {
        if number > 0 {
            text += &format!(", {number} {what}");
        }
    }
    let millis = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX).max(1);
    text += &format!("  {DIM}in {}{DIM:#}\n", duration(Duration::from_millis(millis)));
    if survived > 0 {
        text += &format!(
            "{HELP}no case notices these changes: add one that does, take the part out, or say why it stays, on its \
             line:\n  # mutate: keep, because …{HELP:#}\n"
        );
    }
    text
}
