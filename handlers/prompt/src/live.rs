//! Whether the models of a judge are there, and answer in a form that can be read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hookgate_contract::probe::{ProbeFuture, ProbeResult};
use hookgate_contract::{Event, Failure, FailureClass, Probe};

use crate::answer::{self, Expected};
use crate::judge::Core;
use crate::model::{Completion, Format, Sampling};
use crate::nonce::nonce;
use crate::outcome::Took;
use crate::question::Question;
use crate::recipe::{First, Recipe};
use crate::shape::{Respond, Shape, malformed};
use crate::shared::Shared;
use crate::shown::present;
use crate::talk::Call;
use crate::target::Target;

/// The rule of the question. That of the hook is nobody's business here.
const RULE: &str = "A step that only prints the date is allowed.";

/// The step of the question.
const STEP: &[u8] = br#"{"tool_name":"Bash","tool_input":{"command":"date"}}"#;

/// Enough for a nonce, a decision and a sentence.
const MAX_TOKENS: u32 = 256;

/// Tries out the models of a judge.
pub(crate) struct Live(Arc<Core>);

impl Live {
    pub(crate) fn new(core: &Arc<Core>) -> Self {
        Self(Arc::clone(core))
    }

    /// A judge that is asked first by the id of its hook must be in the config; when it is not, a
    /// step is judged all the same, at the full price.
    fn named_is_there(&self) -> Result<(), Failure> {
        match &self.0.recipe.first {
            Some(First::Named(id)) if self.0.shared.judge(id).is_none() => {
                let detail = format!("`first` names the judge `{id}`, which is not there");
                Err(Failure::new(FailureClass::Spawn, detail))
            }
            _ => Ok(()),
        }
    }

    /// All models that may be asked. A judge that is asked first by its name is tried as a hook of
    /// its own.
    fn models(&self) -> Vec<Model<'_>> {
        let Core { recipe, shared, own_first, .. } = &*self.0;
        let first =
            own_first.iter().map(|first| (&first.recipe, "the judge that is asked first, "));
        let own = std::iter::once((recipe, ""));
        own.chain(first)
            .flat_map(|(recipe, place)| {
                recipe.targets.iter().enumerate().map(move |(index, target)| {
                    let place = if index == 0 { place } else { "the fallback " };
                    Model { place, recipe, target, shared }
                })
            })
            .collect()
    }
}

impl Probe for Live {
    fn check<'a>(&'a self, _hook: &'a str, timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            self.named_is_there()?;
            let models = self.models();
            together(join_all(models.iter().map(|model| model.within(timeout))).await)
        })
    }
}

/// What was found of all, or the class of the first failure and what was found of all.
fn together(models: Vec<ProbeResult>) -> ProbeResult {
    let class = models.iter().find_map(|found| found.as_ref().err().map(|failure| failure.class));
    let told: Vec<String> = models
        .into_iter()
        .map(|found| found.unwrap_or_else(|failure| failure.detail.into_owned()))
        .collect();
    let told = told.join("; ");
    match class {
        None => Ok(told),
        Some(class) => Err(Failure::new(class, told)),
    }
}

/// A model that may be asked.
struct Model<'a> {
    place: &'static str,
    recipe: &'a Recipe,
    target: &'a Target,
    shared: &'a Shared,
}

impl Model<'_> {
    async fn within(&self, timeout: Duration) -> ProbeResult {
        let since = Instant::now();
        let late = Failure::new(FailureClass::Timeout, format!("no answer within {timeout:?}"));
        let asked = tokio::time::timeout(timeout, self.ask()).await.unwrap_or(Err(late));
        let Target { model, base_url, .. } = self.target;
        let name = format!("{}{model} at {base_url}", self.place);
        match asked {
            Ok(form) => {
                let took = since.elapsed().as_millis();
                Ok(format!("{name} answers in the form {form}, in {took} ms"))
            }
            Err(failure) => Err(Failure::new(failure.class, format!("{name}: {}", failure.detail))),
        }
    }

    /// Asks as a judgement does, and once more where a judgement would. The form of the answer.
    async fn ask(&self) -> Result<String, Failure> {
        let again = self.recipe.repair;
        match self.once(false).await {
            Err(failure) if again && failure.class == FailureClass::Malformed => {
                self.once(true).await
            }
            other => other,
        }
    }

    async fn once(&self, again: bool) -> Result<String, Failure> {
        let most = self.recipe.sampling.max_tokens.min(MAX_TOKENS);
        let sampling = Sampling { max_tokens: most, ..self.recipe.sampling.clone() };
        let event = Event::PreToolUse;
        let shapes = [Shape { respond: &Respond::Decision, contract: event.contract() }];
        let shown = present(STEP, STEP.len());
        let question = Question::new(None, &[RULE.to_owned()], &shapes, event.name(), shown);
        let nonce = nonce(&question.shown.text)?;
        let mut call = Call {
            rules: &[],
            shared: self.shared,
            recipe: self.recipe,
            sampling: &sampling,
            sample: 0,
            schema: &answer::schema(&shapes),
            system: &question.system,
            user: &question.user(&nonce, again),
            took: Took::default(),
            stood: None,
        };
        let (completion, format) = call.patiently(self.target).await?;
        let form = self.form(format);
        if completion.refused {
            let detail = "the model refuses to answer a harmless question";
            return Err(Failure::new(FailureClass::Unsure, detail));
        }
        // A model that thinks aloud first may need more tokens than are spent here.
        if completion.cut && most < self.recipe.sampling.max_tokens {
            return Ok(format!("{form} at more length than was waited for"));
        }
        readable(&completion, &Expected { nonce: &nonce, shapes: &shapes, format })?;
        Ok(form)
    }

    fn form(&self, format: Format) -> String {
        let found_out = self.recipe.format.is_none() && format != Format::Schema;
        let why = if found_out { " (the server takes no stricter one)" } else { "" };
        format!("`{}`{why}", format.name())
    }
}

/// What the model thinks of the date is all the same.
fn readable(completion: &Completion, expected: &Expected<'_>) -> Result<(), Failure> {
    match answer::read(completion, expected)?.pop() {
        Some(Err(failure)) if failure.class != FailureClass::Unsure => Err(failure),
        Some(_) => Ok(()),
        None => Err(malformed("it is about no rule")),
    }
}
