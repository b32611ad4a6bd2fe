//! One question to the models of a judge: fallbacks, retries, and the payment of each attempt.
//!
//! A question goes through four loops, all within the deadline of the hook, which drops the future:
//!
//! 1. the models in their order, as long as the failure allows a fallback;
//! 2. the response formats of a model, from the strictest to one that the server accepts. This is
//!    found out once for each server and costs no retry;
//! 3. the parameters that a model refuses, which are left out one after the other, in the same way;
//! 4. the retries of a failure that may pass, after the wait that the server asks for, or else after
//!    a backoff that doubles and is spread by up to a quarter.
//!
//! The loop is written out. With a retry crate such as `backon`, backoff and `Retry-After` would be a
//! builder and a hook; what is left are the change of the format between attempts, which does not count
//! as one, and the budget and the salvaged decision, which every attempt changes. An outer loop and a
//! context that is handed through would be more code than the twenty lines below.

use std::time::Duration;

use hookgate_contract::{Claim, FailureClass, VerdictDecision};

use super::Client;
use super::chat::{Chat, Request};
use super::error::CallError;
use super::ledger::Payer;
use super::partial_reply::{PartialReplies, PartialReply};
use crate::answer::completion::Completion;
use crate::answer::opinion::Usage;
use crate::answer::response_format::ResponseFormat;
use crate::parameter::Parameters;
use crate::settings::JudgeSettings;
use crate::settings::endpoint::Endpoint;
use crate::settings::sampling::Sampling;

/// The longest wait between two attempts. A server that asks for a longer one with `Retry-After` would
/// exceed the deadline of most hooks, so the call fails instead.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The reply of a model, and how it came about.
pub(crate) struct ModelReply {
    pub(crate) completion: Completion,
    pub(crate) model: String,
    /// The response format of the attempt that succeeded.
    pub(crate) format: ResponseFormat,
    /// The parameters that it refuses.
    pub(crate) refused: Parameters,
    /// Whether a fallback answered.
    pub(crate) fallback: bool,
}

/// One question on its way to a model.
pub(crate) struct ModelCall<'a> {
    pub(crate) client: &'a Client,
    pub(crate) settings: &'a JudgeSettings,
    pub(crate) sampling: &'a Sampling,
    pub(crate) chat: &'a Chat<'a>,
    /// What every attempt after the first is paid from. The first was paid before the prompt was
    /// made.
    pub(crate) payers: &'a [Payer<'a>],
    /// What takes a place for each attempt; a probe has none.
    pub(crate) claim: Option<&'a Claim>,
    /// Where to keep what arrives of the replies.
    pub(crate) partials: &'a [&'a PartialReplies],
    /// What all attempts used.
    pub(crate) usage: Usage,
    /// The strictest decision in what arrived of failed attempts.
    pub(crate) salvaged: Option<VerdictDecision>,
}

impl ModelCall<'_> {
    /// Asks the models in their order until one answers.
    ///
    /// # Errors
    /// The failure of the last model that was asked.
    pub(crate) async fn with_fallback(&mut self) -> Result<ModelReply, CallError> {
        let mut last = CallError::new(FailureClass::Unreachable, "there is no model to ask");
        for (index, endpoint) in self.settings.endpoints.iter().enumerate() {
            match self.with_retries(endpoint).await {
                Ok((completion, format)) => {
                    self.count_tokens(endpoint, &completion);
                    let (model, refused) = (endpoint.model.clone(), self.client.refused(endpoint));
                    let fallback = index > 0;
                    return Ok(ModelReply { completion, model, format, refused, fallback });
                }
                Err(error) if error.allows_fallback() => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// Asks one model, again if that may help. Also returns the response format that was accepted.
    ///
    /// # Errors
    /// The failure of the last attempt.
    pub(crate) async fn with_retries(
        &mut self,
        endpoint: &Endpoint,
    ) -> Result<(Completion, ResponseFormat), CallError> {
        let configured = self.settings.response_format;
        let mut retries = 0;
        // What was found out counts here, even if it cannot be kept for others.
        let (mut weaker_format, mut refused) = (None, self.client.refused(endpoint));
        loop {
            let format = configured.or(weaker_format);
            let format = format.unwrap_or_else(|| self.client.accepted_format(endpoint));
            let (sent, error) = match self.send(endpoint, format, refused).await {
                Ok(completion) => return Ok((completion, format)),
                Err(failed) => failed,
            };
            self.salvaged = self.salvaged.max(error.salvaged);
            if let Some(parameter) = error.about.first_in(sent) {
                self.client.leave_out(endpoint, parameter);
                refused = refused.with(parameter);
                continue;
            }
            if configured.is_none()
                && error.refuses_format()
                && let Some(weaker) = format.weaker()
            {
                self.client.remember_format(endpoint, weaker);
                weaker_format = Some(weaker);
                continue;
            }
            let wait = error.retry_after.unwrap_or_else(|| self.backoff(retries));
            if !error.may_pass() || retries >= self.settings.retry.retries || wait > MAX_WAIT {
                return Err(error);
            }
            retries += 1;
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends one request, once the server may get one more. An error comes with the parameters that were sent.
    async fn send(
        &mut self,
        endpoint: &Endpoint,
        format: ResponseFormat,
        refused: Parameters,
    ) -> Result<Completion, (Parameters, CallError)> {
        let nothing = |error| (Parameters::default(), error);
        let limit = self.settings.concurrency;
        let permit = self.client.semaphores.acquire(&endpoint.base_url, limit).await;
        let _permit = permit.map_err(nothing)?;
        // Only now: who waits for a server must not keep others from theirs.
        let _place = match self.claim {
            Some(claim) => {
                let taken = claim.take().await;
                Some(taken.map_err(|why| nothing(CallError::new(why.class, why.detail)))?)
            }
            None => None,
        };
        self.pay().map_err(nothing)?;
        let partial = PartialReply::default();
        for replies in self.partials {
            replies.add(&partial);
        }
        let request = Request {
            endpoint,
            sampling: self.sampling,
            format,
            refused,
            chat: self.chat,
            max_reply: self.settings.max_reply,
            partial,
        };
        let sent = request.sent().fold(Parameters::default(), Parameters::with);
        let carrier = self.client.carrier();
        let carrier = carrier.map_err(|why| nothing(CallError::new(FailureClass::Spawn, why)))?;
        carrier.complete(request).await.map_err(|error| (sent, error))
    }

    /// Pays for one more request; the first was paid before.
    fn pay(&mut self) -> Result<(), CallError> {
        if self.usage.calls > 0 {
            for payer in self.payers {
                payer
                    .reserve_call()
                    .map_err(|failure| CallError::new(failure.class, failure.detail))?;
            }
        }
        self.usage.calls = self.usage.calls.saturating_add(1);
        Ok(())
    }

    fn count_tokens(&mut self, endpoint: &Endpoint, completion: &Completion) {
        let Completion { prompt_tokens, completion_tokens, .. } = *completion;
        let price = self.settings.prices.get(&endpoint.model);
        let cost = price.map_or(0.0, |price| price.cost(prompt_tokens, completion_tokens));
        self.usage.add(Usage { calls: 0, prompt_tokens, completion_tokens, cost });
    }

    /// Returns a wait that doubles with each retry, plus up to a quarter of it, so that judges that
    /// failed together do not come back together.
    fn backoff(&self, retries: u32) -> Duration {
        let mut random = [0_u8; 1];
        let _ = getrandom::fill(&mut random);
        let base = self.settings.retry.backoff.saturating_mul(1 << retries.min(6));
        let spread = base.mul_f64(f64::from(random[0]) / 1024.0);
        base.saturating_add(spread).min(MAX_WAIT)
    }
}
