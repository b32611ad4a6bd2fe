//! What is noted about a hook while it is called.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::Invocation;
use hookgate::contract::settings::{Node, NodeValue, Settings};
use hookgate::contract::{AsyncHandler, BuildContext, BuiltHandler, Handler, Reply, ReplyFuture};
use hookgate::layer::{HandlerLayer, around};
use hookgate::prompt::{self, Judge, JudgeState, Judgement};

use crate::eval::recorded_reply::ModelUsage;

/// What is known about one call.
#[derive(Debug, Default)]
pub(crate) struct CallNotes {
    /// What the handler replied; `None` if the call was ended before.
    pub(crate) reply: Option<Reply>,
    /// What the calls of a model took.
    pub(crate) usage: Option<ModelUsage>,
    /// Why a judge saw nothing wrong.
    pub(crate) allowed: Option<String>,
}

/// Notes what handlers reply, and what judges take for it, by the id of the step.
///
/// A meter is a [layer](hookgate::layer): around a handler it notes the replies. Tokens and
/// cost are known to judges only; [`Meter::judge_factory`] builds judges that report them.
///
/// ```
/// use hookgate::contract::{BuiltHandler, Event};
/// use hookgate::{Hook, Invocation, Registry, Verdict};
/// use hookgate_cli::eval::Meter;
///
/// let meter = Meter::new();
/// // A config whose judges are built with this registry is metered.
/// let registry = Registry::new();
/// registry.register("prompt", meter.judge_factory())?;
/// // A single hook of any kind is metered by the layer.
/// let hook = Hook::sync("h", |_| Ok(Verdict::deny("no"))).event(Event::Stop).map_handler(meter.clone().into_layer());
/// # Ok::<_, hookgate::registry::RegistryError>(())
/// ```
///
/// Clones share their notes.
#[derive(Clone, Default)]
pub struct Meter(Arc<Mutex<HashMap<String, CallNotes>>>);

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter").field("calls", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Meter {
    /// Returns a meter without notes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, CallNotes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, step: &str, note: impl FnOnce(&mut CallNotes)) {
        note(self.lock().entry(step.to_owned()).or_default());
    }

    /// Removes the notes of a step, and returns them.
    pub(crate) fn take(&self, step: &str) -> CallNotes {
        self.lock().remove(step).unwrap_or_default()
    }

    /// Returns a layer that notes what a handler replies.
    pub fn into_layer(self) -> impl HandlerLayer {
        around(move |handler, invocation| {
            let meter = self.clone();
            Box::pin(async move {
                let reply = handler.invoke(invocation).await;
                let noted = reply.clone();
                meter.note(invocation.envelope.step_id(), |notes| notes.reply = Some(noted));
                reply
            })
        })
    }

    /// Returns a factory of judges (the kind `prompt`) that report what they take. They share one
    /// empty cache, which is why an evaluation loads its table anew for each repeat.
    pub fn judge_factory(
        &self,
    ) -> impl Fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler> + Send + Sync + 'static
    {
        let meter = self.clone();
        let state = Arc::new(JudgeState::default());
        let factory = prompt::factory(Arc::clone(&state));
        move |settings, context| {
            let node = Node {
                span: settings.span(),
                value: NodeValue::Table(settings.entries().to_vec()),
            };
            // What the judge declares about itself stays, and this factory reports what is wrong
            // with the settings. Only the handler is another one.
            let mut built = factory(settings, context)?;
            let judge = Judge::build(&mut Settings::new(&node), context, Arc::clone(&state))?;
            let metered = MeteredJudge { judge, meter: meter.clone() };
            built.handler = Handler::Async(Arc::new(metered));
            Some(built)
        }
    }
}

/// A judge that notes what it takes.
struct MeteredJudge {
    judge: Judge,
    meter: Meter,
}

impl AsyncHandler for MeteredJudge {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let judgement = self.judge.evaluate(invocation).await;
            let usage = usage_of(&judgement);
            let allowed = judgement.allowed;
            self.meter.note(invocation.envelope.step_id(), |notes| {
                (notes.usage, notes.allowed) = (Some(usage), allowed);
            });
            judgement.reply
        })
    }
}

fn usage_of(judgement: &Judgement) -> ModelUsage {
    ModelUsage {
        model: judgement.model.clone(),
        cached: judgement.cached,
        calls: judgement.calls,
        prompt_tokens: judgement.prompt_tokens,
        completion_tokens: judgement.completion_tokens,
        cost: judgement.cost,
    }
}

#[cfg(test)]
mod tests {
    use hookgate::contract::Event;
    use hookgate::{Engine, HandlerTable, Hook, Verdict};
    use serde_json::json;

    use super::*;
    use crate::eval::sample::Sample;

    /// Evaluates one step with a hook that denies in two layers of meters.
    async fn evaluate_in_two_layers(built: BuiltHandler) -> [Meter; 2] {
        let [inner, outer] = [Meter::new(), Meter::new()];
        let replacing = outer.clone();
        let hook = Hook::new("h", "test", built)
            .event(Event::Stop)
            .map_handler(inner.clone().into_layer())
            // Applied last, so called first: it replaces what the inner layer has noted.
            .map_handler(around(move |handler, invocation| {
                let meter = replacing.clone();
                Box::pin(async move {
                    let reply = handler.invoke(invocation).await.map(|_| Verdict::none());
                    let noted = reply.clone();
                    meter.note(invocation.envelope.step_id(), |notes| notes.reply = Some(noted));
                    reply
                })
            }));
        let engine = Engine::new(HandlerTable::builder().insert(hook).build().unwrap());
        let stop = Sample::from_value(json!({"hook_event_name": "stop"})).unwrap();
        let report = engine.evaluate(&mut stop.incoming("s".to_owned()).unwrap()).await;
        assert_eq!(report.decision, hookgate::Outcome::Allow, "{report:?}");
        [inner, outer]
    }

    struct Denying;

    impl AsyncHandler for Denying {
        fn handle<'a>(&'a self, _: Invocation<'a>) -> ReplyFuture<'a> {
            Box::pin(async { Ok(Verdict::deny("no")) })
        }
    }

    #[tokio::test]
    async fn layers_nest_around_a_synchronous_and_an_asynchronous_handler() {
        let sync = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::deny("no")));
        for built in [sync, BuiltHandler::from_async(Denying)] {
            let [inner, outer] = evaluate_in_two_layers(built).await;
            assert_eq!(inner.take("s").reply, Some(Ok(Verdict::deny("no"))));
            assert_eq!(outer.take("s").reply, Some(Ok(Verdict::none())));
            assert_eq!(outer.take("s").reply, None, "notes are taken once");
        }
    }
}
