//! The readiness probe: whether the models of a judge are there, and answer in a form that can be
//! read.
//!
//! Each model is asked one small question that is always the same, by the same means as for a
//! judgement: the same client, retries, response formats and parser. Only the form of the answer is
//! checked, not the decision. The rule of the hook is not shown, and no budget is charged.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use hookgate_contract::{Event, Failure, FailureClass, Probe};
use hookgate_contract::{ProbeFuture, ProbeResult};

use crate::answer::completion::Completion;
use crate::answer::finding::malformed;
use crate::answer::format::AnswerKind;
use crate::answer::opinion::Usage;
use crate::answer::parser::{ExpectedReply, read_reply};
use crate::answer::response_format::ResponseFormat;
use crate::answer::schema::answer_schema;
use crate::answer::spec::AnswerSpec;
use crate::client::Client;
use crate::client::chat::Chat;
use crate::client::retry::ModelCall;
use crate::configured::ConfiguredJudge;
use crate::question::excerpt::show_data;
use crate::question::nonce::draw_nonce;
use crate::question::prompt::Prompt;
use crate::settings::endpoint::Endpoint;
use crate::settings::sampling::Sampling;
use crate::settings::{FirstJudge, JudgeSettings};
use crate::state::JudgeState;

/// The rule of the question.
const RULE: &str = "A step that only prints the date is allowed.";

/// The step of the question.
const STEP: &[u8] = br#"{"tool_name":"Bash","tool_input":{"command":"date"}}"#;

/// Enough for a nonce, a decision and a sentence.
const MAX_TOKENS: u32 = 256;

/// Asks all models of a judge, at the same time.
///
/// The result is one line: each model with its address, the form of its answer and the time that it
/// took. If one of them fails the probe fails with its class, and the line still tells about all.
pub(crate) struct ModelProbe {
    judge: Arc<ConfiguredJudge>,
    state: Arc<JudgeState>,
}

impl ModelProbe {
    pub(crate) fn new(judge: &Arc<ConfiguredJudge>, state: &Arc<JudgeState>) -> Self {
        Self { judge: Arc::clone(judge), state: Arc::clone(state) }
    }

    /// Checks that a judge which is named as `first` is in the config. Without it steps are judged all
    /// the same, but at the full price.
    fn check_named_first(&self) -> Result<(), Failure> {
        match &self.judge.settings.first {
            Some(FirstJudge::Named(id)) if self.state.judge_of(id).is_none() => {
                let detail = format!("`first` names the judge `{id}`, which is not there");
                Err(Failure::new(FailureClass::Spawn, detail))
            }
            _ => Ok(()),
        }
    }

    /// Returns all models that may be asked, with fallbacks and those of a table `first`. A judge that
    /// is named as `first` has a probe of its own.
    fn models(&self) -> Vec<ProbedModel<'_>> {
        let first = self.judge.table_first.iter();
        let first = first.map(|first| (&*first.settings, "the judge that is asked first, "));
        std::iter::once((&*self.judge.settings, ""))
            .chain(first)
            .flat_map(|(settings, role)| {
                settings.endpoints.iter().enumerate().map(move |(index, endpoint)| {
                    let role = if index == 0 { role } else { "the fallback " };
                    ProbedModel { role, settings, endpoint, client: &self.state.client }
                })
            })
            .collect()
    }
}

impl Probe for ModelProbe {
    fn check<'a>(&'a self, _hook: &'a str, timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            self.check_named_first()?;
            let models = self.models();
            combine(join_all(models.iter().map(|model| model.probe(timeout))).await)
        })
    }
}

/// Joins the results of all models in one text. The class is that of the first failure.
fn combine(results: Vec<ProbeResult>) -> ProbeResult {
    let class = results.iter().find_map(|result| result.as_ref().err().map(|it| it.class));
    let texts: Vec<String> = results
        .into_iter()
        .map(|result| result.unwrap_or_else(|failure| failure.detail.into_owned()))
        .collect();
    let text = texts.join("; ");
    match class {
        None => Ok(text),
        Some(class) => Err(Failure::new(class, text)),
    }
}

/// A model that may be asked.
struct ProbedModel<'a> {
    /// What it is to the judge, in words; empty for its own model.
    role: &'static str,
    settings: &'a JudgeSettings,
    endpoint: &'a Endpoint,
    client: &'a Client,
}

impl ProbedModel<'_> {
    /// Asks the model within a time, and says what was found.
    async fn probe(&self, timeout: Duration) -> ProbeResult {
        let started = Instant::now();
        let late = Failure::new(FailureClass::Timeout, format!("no answer within {timeout:?}"));
        let result =
            tokio::time::timeout(timeout, self.ask_with_repair()).await.unwrap_or(Err(late));
        let Endpoint { model, base_url, .. } = self.endpoint;
        let name = format!("{}{model} at {base_url}", self.role);
        match result {
            Ok(form) => {
                let took = started.elapsed().as_millis();
                Ok(format!("{name} answers in the form {form}, in {took} ms"))
            }
            Err(failure) => Err(Failure::new(failure.class, format!("{name}: {}", failure.detail))),
        }
    }

    /// Asks once, and once more if a judgement would. Returns the form of the answer.
    async fn ask_with_repair(&self) -> Result<String, Failure> {
        match self.ask(false).await {
            Err(failure)
                if self.settings.retry.repair && failure.class == FailureClass::Malformed =>
            {
                self.ask(true).await
            }
            other => other,
        }
    }

    /// Asks the question once, and checks the answer. Returns the form of the answer.
    async fn ask(&self, repair: bool) -> Result<String, Failure> {
        let event = Event::PreToolUse;
        let specs = [AnswerSpec { kind: &AnswerKind::Decision, contract: event.contract() }];
        let shown = show_data(STEP, STEP.len());
        let prompt = Prompt::new(None, &[RULE.to_owned()], &specs, event.name(), shown);
        let nonce = draw_nonce(&prompt.shown.text)?;
        let configured = &self.settings.sampling;
        let max_tokens = configured.max_tokens.min(MAX_TOKENS);
        let chat = Chat {
            system: &prompt.system,
            user: &prompt.user(&nonce, repair),
            schema: &answer_schema(&specs),
            sample: 0,
            rules: 1,
        };
        let mut call = ModelCall {
            client: self.client,
            settings: self.settings,
            sampling: &Sampling { max_tokens, ..configured.clone() },
            chat: &chat,
            payers: &[],
            claim: None,
            partials: &[],
            usage: Usage::default(),
            salvaged: None,
        };
        let (completion, format) = call.with_retries(self.endpoint).await?;
        let form = self.form(format);
        if completion.refused {
            let detail = "the model refuses to answer a harmless question";
            return Err(Failure::new(FailureClass::Unsure, detail));
        }
        // A model that thinks aloud first may need more tokens than are spent here.
        if completion.cut && max_tokens < configured.max_tokens {
            return Ok(format!("{form} at more length than was waited for"));
        }
        check_form(&completion, &ExpectedReply { nonce: &nonce, specs: &specs, format })?;
        Ok(form)
    }

    /// Names the response format, and why it is not the strictest.
    fn form(&self, format: ResponseFormat) -> String {
        let found_out = self.settings.response_format.is_none() && format != ResponseFormat::Schema;
        let why = if found_out { " (the server takes no stricter one)" } else { "" };
        let refused = self.client.refused(self.endpoint);
        let without = match refused.is_empty() {
            true => String::new(),
            false => format!(" without {refused}, which it refuses"),
        };
        format!("`{format}`{why}{without}")
    }
}

/// Checks the form of the answer. The decision does not matter, and a model may be unsure.
fn check_form(completion: &Completion, expected: &ExpectedReply<'_>) -> Result<(), Failure> {
    match read_reply(completion, expected)?.pop() {
        Some(Err(failure)) if failure.class != FailureClass::Unsure => Err(failure),
        Some(_) => Ok(()),
        None => Err(malformed("it is not about the rule")),
    }
}
