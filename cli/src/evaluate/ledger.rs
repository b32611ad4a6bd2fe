//! What is noted about a hook while it is asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookgate::Invocation;
use hookgate::contract::BuildContext;
use hookgate::contract::settings::{Node, NodeValue, Settings};
use hookgate::contract::{AsyncHandler, BuiltHandler, Handler, Reply, ReplyFuture};
use hookgate::prompt::{self, Judge, JudgeState, Judgement};

use crate::evaluate::tape::Usage;

/// What is known about one call.
#[derive(Debug, Default)]
pub(crate) struct Noted {
    /// What the handler replied; none where it was stopped before.
    pub(crate) reply: Option<Reply>,
    /// What asking a model took.
    pub(crate) usage: Option<Usage>,
}

/// The notes, by the name of the step.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Mutex<HashMap<String, Noted>>);

impl Ledger {
    fn note(&self, step: &str, note: impl FnOnce(&mut Noted)) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        note(notes.entry(step.to_owned()).or_default());
    }

    /// The notes of a step; they are gone then.
    pub(crate) fn take(&self, step: &str) -> Noted {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        notes.remove(step).unwrap_or_default()
    }
}

/// The factory of judges that note what they take. Every one of them starts with an empty cache.
pub(crate) fn judges(
    ledger: Arc<Ledger>,
) -> impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static {
    let state = Arc::new(JudgeState::default());
    let factory = prompt::factory(Arc::clone(&state));
    move |settings, surroundings| {
        let node =
            Node { span: settings.span(), value: NodeValue::Table(settings.entries().to_vec()) };
        // What the judge declares about itself stays as it is; only who answers is another. What
        // is wrong with the settings is reported by the factory.
        let mut built = factory(settings, surroundings)?;
        let judge = Judge::build(&mut Settings::new(&node), surroundings, Arc::clone(&state))?;
        built.handler = Handler::Async(Arc::new(Metered { judge, ledger: Arc::clone(&ledger) }));
        Some(built)
    }
}

/// A judge that notes what it takes.
struct Metered {
    judge: Judge,
    ledger: Arc<Ledger>,
}

impl AsyncHandler for Metered {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let judgement = self.judge.evaluate(invocation).await;
            let usage = usage(&judgement);
            self.ledger.note(invocation.envelope.step_id(), |noted| noted.usage = Some(usage));
            judgement.reply
        })
    }
}

fn usage(judgement: &Judgement) -> Usage {
    Usage {
        model: judgement.model.clone(),
        cached: judgement.cached,
        calls: judgement.calls,
        prompt_tokens: judgement.prompt_tokens,
        completion_tokens: judgement.completion_tokens,
        cost: judgement.cost,
    }
}

/// A handler whose replies are noted.
pub(crate) struct Watched {
    handler: Handler,
    ledger: Arc<Ledger>,
}

impl Watched {
    /// Notes what a handler replies.
    pub(crate) const fn new(handler: Handler, ledger: Arc<Ledger>) -> Self {
        Self { handler, ledger }
    }
}

impl AsyncHandler for Watched {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let reply = match &self.handler {
                Handler::Sync(handler) => handler.handle(invocation),
                Handler::Async(handler) => handler.handle(invocation).await,
            };
            let noted = reply.clone();
            self.ledger.note(invocation.envelope.step_id(), |note| note.reply = Some(noted));
            reply
        })
    }
}
