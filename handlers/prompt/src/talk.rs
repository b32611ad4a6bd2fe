//! One conversation with a model: a question by one rule or several, retries, a repair.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, VerdictDecision};
use hookgate_secrets::Secrets;
use serde_json::Value;

use crate::answer::{self, Expected};
use crate::case::Rule;
use crate::heard::Part;
use crate::model::{CallError, Completion, Format, Request, Sampling};
use crate::nonce::nonce;
use crate::outcome::{Outcome, Took};
use crate::question::{Question, kept, showable};
use crate::recipe::Recipe;
use crate::shape::{Finding, Shape};
use crate::shared::Shared;
use crate::shown::present;
use crate::target::Target;

/// What a server may ask us to wait. Who wants more is not there in time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks a model about a step by all these rules, which differ in nothing else. An outcome for each.
pub(crate) async fn talk(rules: Vec<Rule>, sample: u32) -> Vec<Outcome> {
    let mut places: Vec<Place> = rules.into_iter().map(Place::new).collect();
    for round in 0..2 {
        for place in places.iter_mut().filter(|place| place.open) {
            if let Err(failure) = place.rule.pay_for_call() {
                place.end(failure);
            }
        }
        let mut open: Vec<&mut Place> = places.iter_mut().filter(|place| place.open).collect();
        if open.is_empty() {
            break;
        }
        ask(&mut open, sample, round > 0).await;
    }
    places.into_iter().map(|place| place.outcome).collect()
}

struct Place {
    rule: Rule,
    outcome: Outcome,
    open: bool,
    /// The ask or deny in the answers that could not be read.
    stood: Option<VerdictDecision>,
}

impl Place {
    fn new(rule: Rule) -> Self {
        let unasked = Failure::new(FailureClass::Cancelled, "the judge was not asked");
        Self { rule, outcome: Outcome::failed(unasked), open: true, stood: None }
    }

    fn end(&mut self, failure: Failure) {
        let stands = failure.salvaged.max(self.stood);
        self.outcome.finding = Err(failure.with_salvaged(stands));
        self.open = false;
    }

    /// What an answer comes to, after those that could not be read. None of these is made weaker by
    /// a later one: a judge that said deny and then allow cannot tell.
    fn hear(&mut self, finding: Result<Finding, Failure>) -> Result<Finding, Failure> {
        match finding {
            Ok(finding) if finding.word().is_some() && finding.word() < self.stood => {
                let detail = "the judge's answer: it is weaker than one before, which could not be \
                              read";
                Err(Failure::new(FailureClass::Unsure, detail).with_salvaged(self.stood))
            }
            Ok(finding) => Ok(finding),
            Err(failure) => {
                self.stood = self.stood.max(failure.salvaged);
                Err(failure.with_salvaged(self.stood))
            }
        }
    }
}

/// Asks once, and closes every place that needs no repair.
async fn ask(open: &mut [&mut Place], sample: u32, again: bool) {
    let rules: Vec<Rule> = open.iter().map(|place| place.rule.clone()).collect();
    let (Some(leader), of) = (rules.first(), rules.len()) else { return };
    let (recipe, case) = (&leader.core.recipe, &leader.case);
    let policies: Result<Vec<String>, String> =
        rules.iter().map(|rule| rule.core.recipe.policy.render(&case.event)).collect();
    let Ok(policies) = policies else {
        let failure = Failure::new(FailureClass::Malformed, "the rule could not be rendered");
        return open.iter_mut().for_each(|place| place.end(failure.clone()));
    };
    let shapes: Vec<Shape<'_>> = rules
        .iter()
        .map(|rule| Shape { respond: &rule.core.recipe.respond, contract: case.contract })
        .collect();
    let shown = present(&case.body, recipe.show_limit);
    let question = Question::new(recipe.role.as_deref(), &policies, &shapes, &case.event, shown);
    let nonce = match nonce(&question.shown.text) {
        Ok(nonce) => nonce,
        Err(failure) => return open.iter_mut().for_each(|place| place.end(failure.clone())),
    };
    let mut call = Call {
        rules: &rules,
        shared: &leader.core.shared,
        recipe,
        sampling: &recipe.sampling,
        sample,
        schema: &answer::schema(&shapes),
        system: &question.system,
        user: &question.user(&nonce, again),
        took: Took::default(),
        stood: None,
    };
    let said = call.first_that_answers().await;
    let (took, stood) = (call.took, call.stood);
    let hash: Arc<str> = question.hash().into();
    for (index, place) in open.iter_mut().enumerate() {
        if place.rule.core.recipe.respond.decides() {
            place.stood = place.stood.max(stood);
        }
        place.outcome.omitted = question.shown.omitted;
        let share = took.share(index, of);
        place.outcome.took.add(share);
        place.outcome.prompt_hash = Arc::clone(&hash);
        place.rule.pay(share);
    }
    let said = match said {
        Ok(said) => said,
        Err(error) => {
            let failure = Failure::from(error);
            return open.iter_mut().for_each(|place| {
                let decides = place.rule.core.recipe.respond.decides();
                let stands = failure.salvaged.filter(|_| decides);
                place.end(failure.clone().with_salvaged(stands));
            });
        }
    };
    let expected = Expected { nonce: &nonce, shapes: &shapes, format: said.format };
    let findings = match answer::read(&said.completion, &expected) {
        Ok(findings) => findings,
        Err(failure) => vec![Err(failure); of],
    };
    let secrets = recipe.secrets();
    let answer: Option<Arc<str>> =
        recipe.keep_answer.then(|| kept(&said.completion.content, &secrets).into());
    for (place, finding) in open.iter_mut().zip(findings) {
        place.outcome.answer = answer.clone();
        place.outcome.model = said.model.as_str().into();
        place.outcome.fallback = said.fallback;
        // More tokens would be needed, and a second refusal helps nobody.
        let repairable = !again
            && recipe.repair
            && !said.completion.cut
            && finding.as_ref().is_err_and(|failure| failure.class == FailureClass::Malformed);
        place.open = repairable;
        let heard = place.hear(finding);
        place.outcome.finding = heard
            .map(|finding| worded(finding, &place.rule.core.recipe, &question, &secrets))
            .map_err(|mut failure| {
                failure.detail = format!("{} (prompt {hash})", failure.detail).into();
                failure
            });
    }
}

/// A finding with a reason that can be shown.
fn worded(finding: Finding, recipe: &Recipe, question: &Question, secrets: &Secrets) -> Finding {
    let word = |reason: String, usual: &str| {
        let own = recipe.reason.clone();
        own.or_else(|| showable(&reason, question, secrets)).unwrap_or_else(|| usual.to_owned())
    };
    match finding {
        Finding::Allow(reason) => {
            Finding::Allow(showable(&reason, question, secrets).unwrap_or_default())
        }
        Finding::Deny(reason) => Finding::Deny(word(reason, "the judge objects to this step")),
        Finding::Ask(reason) => Finding::Ask(word(reason, "the judge leaves this to you")),
        other => other,
    }
}

struct Said {
    completion: Completion,
    model: String,
    format: Format,
    fallback: bool,
}

/// A question on its way to a model.
pub(crate) struct Call<'a> {
    /// Who pays; nobody for a question about no step.
    pub(crate) rules: &'a [Rule],
    pub(crate) shared: &'a Shared,
    pub(crate) recipe: &'a Recipe,
    pub(crate) sampling: &'a Sampling,
    pub(crate) sample: u32,
    pub(crate) schema: &'a Value,
    pub(crate) system: &'a str,
    pub(crate) user: &'a str,
    pub(crate) took: Took,
    /// The ask or deny in what came of the attempts that failed.
    pub(crate) stood: Option<VerdictDecision>,
}

impl Call<'_> {
    /// Goes through the models until one answers.
    async fn first_that_answers(&mut self) -> Result<Said, CallError> {
        let recipe = self.recipe;
        let mut last = CallError::new(FailureClass::Unreachable, "there is no model to ask");
        for (index, target) in recipe.targets.iter().enumerate() {
            match self.patiently(target).await {
                Ok((completion, format)) => {
                    let Completion { prompt_tokens, completion_tokens, .. } = completion;
                    let price = recipe.prices.get(&target.model);
                    let cost =
                        price.map_or(0.0, |price| price.of(prompt_tokens, completion_tokens));
                    // What a server counts may be any number.
                    self.took.add(Took { calls: 0, prompt_tokens, completion_tokens, cost });
                    let model = target.model.clone();
                    return Ok(Said { completion, model, format, fallback: index > 0 });
                }
                Err(error) if error.moves_on() => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Asks one model, again where that may help. The deadline of the hook ends it all.
    pub(crate) async fn patiently(
        &mut self,
        target: &Target,
    ) -> Result<(Completion, Format), CallError> {
        let mut tried = 0;
        loop {
            let format = self.recipe.format.unwrap_or_else(|| self.shared.format(target));
            let error = match self.once(target, format).await {
                Ok(completion) => return Ok((completion, format)),
                Err(error) => error,
            };
            self.stood = self.stood.max(error.salvaged);
            if error.refuses_format()
                && self.recipe.format.is_none()
                && let Some(weaker) = format.weaker()
            {
                // Remembered, so that it is found out once.
                self.shared.remember_format(target, weaker);
                continue;
            }
            let wait = error.retry_after.unwrap_or_else(|| self.backoff(tried));
            if !error.passes() || tried >= self.recipe.retries || wait > PATIENCE {
                return Err(error);
            }
            tried += 1;
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(&mut self, target: &Target, format: Format) -> Result<Completion, CallError> {
        let (bound, waiting) = (self.recipe.concurrency, self.recipe.waiting);
        let _permit = self.shared.gates.pass(&target.base_url, bound, waiting).await?;
        if self.took.calls > 0 {
            // The first call was paid for before the question was put together.
            for rule in self.rules {
                rule.pay_for_call()
                    .map_err(|failure| CallError::new(failure.class, failure.detail))?;
            }
        }
        self.took.calls = self.took.calls.saturating_add(1);
        let part = Part::default();
        for rule in self.rules.iter().filter(|rule| rule.core.recipe.respond.decides()) {
            rule.heard.add(&part);
        }
        let request = Request {
            target,
            sampling: self.sampling,
            sample: self.sample,
            rules: u32::try_from(self.rules.len().max(1)).unwrap_or(u32::MAX),
            format,
            schema: self.schema,
            system: self.system,
            user: self.user,
            most: self.recipe.output,
            part,
        };
        let client = self.shared.client();
        client.map_err(|why| CallError::new(FailureClass::Spawn, why))?.complete(request).await
    }

    /// Twice as long each time, and a little more, so that not all come back at once.
    fn backoff(&self, tried: u32) -> Duration {
        let mut random = [0_u8; 1];
        let _ = getrandom::fill(&mut random);
        let base = self.recipe.backoff.saturating_mul(1 << tried.min(6));
        let more = base.mul_f64(f64::from(random[0]) / 1024.0);
        base.saturating_add(more).min(PATIENCE)
    }
}
