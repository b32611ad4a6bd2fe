//! What the judges of a registry have in common.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use crate::budget::Book;
use crate::cache::Answers;
use crate::desk::Desk;
use crate::gate::Gates;
use crate::judge::Core;
use crate::model::{Format, ModelClient};
use crate::client::openai::OpenAi;
use crate::recipe::Keep;
use crate::shape::AnswerShape;
use crate::target::Target;

/// The state that all judges of a registry share: what they know, what is under way, what they
/// have spent. Every registry has its own.
#[derive(Default)]
pub struct Shared {
    client: OnceLock<Result<Arc<dyn ModelClient>, String>>,
    pub(crate) desk: Arc<Desk>,
    pub(crate) book: Book,
    pub(crate) gates: Gates,
    shapes: HashMap<String, Arc<dyn AnswerShape>>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    answers: HashMap<[u8; 32], Weak<Answers>>,
    judges: HashMap<String, Vec<Weak<Core>>>,
    formats: HashMap<Target, Format>,
}

impl Shared {
    /// Adds a form of answer, for `respond = "name"`.
    #[must_use]
    pub fn with_shape(mut self, name: impl Into<String>, shape: Arc<dyn AnswerShape>) -> Self {
        self.shapes.insert(name.into(), shape);
        self
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn client(&self) -> Result<&Arc<dyn ModelClient>, String> {
        let made = self
            .client
            .get_or_init(|| OpenAi::new().map(|client| Arc::new(client) as Arc<dyn ModelClient>));
        made.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn shape(&self, name: &str) -> Option<Arc<dyn AnswerShape>> {
        self.shapes.get(name).cloned()
    }

    /// What is known of judges of this definition. It lives as long as one of them, so a reload
    /// that does not change a judge keeps what it knows.
    pub(crate) fn answers(&self, definition: [u8; 32], keep: Keep) -> Arc<Answers> {
        let mut known = self.known();
        known.answers.retain(|_, answers| answers.strong_count() > 0);
        if let Some(answers) = known.answers.get(&definition).and_then(Weak::upgrade) {
            return answers;
        }
        let answers = Arc::new(Answers::new(keep));
        known.answers.insert(definition, Arc::downgrade(&answers));
        answers
    }

    /// Makes the judge of a hook known.
    pub(crate) fn introduce(&self, hook: &str, judge: &Arc<Core>) {
        let mut known = self.known();
        let all = known.judges.entry(hook.to_owned()).or_default();
        all.retain(|judge| judge.strong_count() > 0);
        all.push(Arc::downgrade(judge));
    }

    /// The judge of a hook; of several the latest.
    pub(crate) fn judge(&self, hook: &str) -> Option<Arc<Core>> {
        self.known().judges.get(hook)?.iter().rev().find_map(Weak::upgrade)
    }

    /// The strictest form of answer that a server is known to take.
    pub(crate) fn format(&self, target: &Target) -> Format {
        self.known().formats.get(target).copied().unwrap_or(Format::Schema)
    }

    pub(crate) fn remember_format(&self, target: &Target, format: Format) {
        self.known().formats.insert(target.clone(), format);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}
