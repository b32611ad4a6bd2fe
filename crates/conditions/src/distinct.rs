//! The condition `count` with `distinct = "files"`: of how many different files a hook was.

use hookgate_contract::{Command, Condition, Envelope, MeantFile, StateError, Truth};

use crate::history::Numbered;
use crate::memory::Memory;

/// Counts the different files that the conditions of a hook mean.
pub(crate) struct DistinctFiles {
    of: String,
    /// Whether it counts the files of the hook that it is a condition of.
    own: bool,
    over: u64,
    /// The name of the counter in the history: the same when the config is loaded again.
    counter: String,
    memory: Memory,
}

impl DistinctFiles {
    /// Counts up to a number.
    pub(crate) fn new(of: String, hook: &str, over: u64, memory: Memory) -> Self {
        let own = of == hook;
        Self { counter: format!("{hook} {of} files"), of, own, over, memory }
    }

    fn numbered(&self, step: &Envelope<'_>) -> Result<Numbered, StateError> {
        self.memory.at(step, |history, moment| history.numbered(moment, &self.counter))
    }
}

/// Returns the number that counts: the highest of the files of the step, or that of all files.
fn number(numbered: Numbered) -> u64 {
    numbered.this.unwrap_or(numbered.total)
}

impl Condition for DistinctFiles {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.numbered(step).map_or(Truth::Unknown, |files| (number(files) > self.over).into())
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let (of, over) = (&self.of, self.over);
        let files = match self.numbered(step) {
            Ok(files) => files,
            Err(error) => return format!("it is not known of how many files `{of}` was: {error}"),
        };
        let total = files.total;
        match files.this {
            Some(this) if this > over => {
                format!(
                    "a file of this step is one more than the {over} of the session that `{of}` may be about"
                )
            }
            Some(_) => format!(
                "the files of this step are among the first {over} of the session that `{of}` was about"
            ),
            None => {
                format!("`{of}` was about {total} files in the session, and {over} are allowed")
            }
        }
    }

    fn watches(&self) -> Option<&str> {
        (!self.own).then_some(&*self.of)
    }

    fn comes_last(&self) -> bool {
        self.own
    }

    fn wants_files(&self) -> bool {
        true
    }

    fn noted_files(&self, step: &Envelope<'_>, commands: &[Command]) {
        let mut names: Vec<String> = commands
            .iter()
            .filter_map(|command| match &command.file {
                MeantFile::Known(path) => Some(path.clone()),
                // A path has a slash in front.
                MeantFile::Unknown => Some(format!("in {}", step.step_id())),
                MeantFile::None => None,
            })
            .collect();
        names.sort();
        names.dedup();
        if names.is_empty() {
            return;
        }
        let keep = usize::try_from(self.over).unwrap_or(usize::MAX).saturating_add(1);
        // What could not be kept is not known when it is tested.
        let _ = self
            .memory
            .at(step, |history, moment| history.note_names(moment, &self.counter, &names, keep));
    }

    fn uses_history(&self) -> bool {
        !self.own
    }

    fn is_heavy(&self) -> bool {
        false
    }
}
