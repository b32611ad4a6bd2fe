//! How the opinion of a judge comes about: from the cache, from a request under way, or from a new
//! request that may be shared with other judges.
//!
//! ```text
//! opinion ── join ── a request under way for the same question ──────────────┐
//!              │                                                             │
//!              └──── start ── for each sample ─┬─ batch of the step ─┐       ├─ wait
//!                                              └─ its own request ───┴ tally ┘
//! ```
//!
//! Two keys decide what is shared. A *flight* (single flight) has the definition of the judge and the
//! excerpt: questions with both in common are the very same question, and get the very same answer. A *batch* has
//! the excerpt and the settings without the rule: its members share a request, and each gets its own
//! part of the answer.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use hookgate_contract::{Failure, FailureClass, Invocation};

use crate::answer::opinion::Opinion;
use crate::answer::quorum::tally;
use crate::client::partial_reply::PartialReplies;
use crate::coalesce::single_flight::Joined;
use crate::configured::ConfiguredJudge;
use crate::digest;
use crate::question::Question;
use crate::question::input::{Excerpt, Input, InputKey};
use crate::request::request;
use crate::state::{JudgeState, Key};
use crate::wait::OpinionWait;

/// Returns the opinion of a judge about an excerpt, and whether it cost this invocation nothing.
///
/// A failure is an opinion, too: it is shared with all waiting steps, but it is not cached. The one
/// failure that is not shared is that of a budget, since the session that started the request may have
/// spent its own while this one has not.
///
/// # Cancel safety
/// A dropped future leaves the request to the steps that still wait for it.
pub(crate) async fn opinion(
    state: &Arc<JudgeState>,
    judge: &Arc<ConfiguredJudge>,
    invocation: &Invocation<'_>,
    excerpt: Excerpt,
    wait: &OpinionWait<'_>,
) -> (Arc<Opinion>, bool) {
    let key = excerpt.key;
    let input = Arc::new(Input::new(invocation, excerpt));
    let joined = join(state, judge, &input, key);
    // INVARIANT: a dispatch starts all its guards before it polls any of them again. With this yield,
    // every guard has joined its batch before any of them polls one, so a batch cannot close before
    // all questions of its dispatch are in it.
    tokio::task::yield_now().await;
    let opinion = wait.until(joined.future, &joined.companion).await;
    if joined.started || !ran_out_of_budget(&opinion) {
        return (opinion, !joined.started);
    }
    // The request belonged to another session, whose budget was used up. This one pays for itself.
    let joined = join(state, judge, &input, key);
    (wait.until(joined.future, &joined.companion).await, !joined.started)
}

fn ran_out_of_budget(opinion: &Opinion) -> bool {
    opinion.finding.as_ref().is_err_and(|failure| failure.class == FailureClass::Budget)
}

/// Joins the request for an opinion, or starts it. Judges without a cache start one for each step.
fn join(
    state: &Arc<JudgeState>,
    judge: &Arc<ConfiguredJudge>,
    input: &Arc<Input>,
    key: InputKey,
) -> Joined<Arc<Opinion>, PartialReplies> {
    if judge.cache.is_none() {
        let (future, companion) = start(state, judge, input, key);
        return Joined { future: future.shared(), companion, started: true };
    }
    // Two judges with the same definition ask the same question.
    let flight = digest::of_parts([judge.settings.definition.as_slice(), &key]);
    state.flights.join(flight, || judge.cached(&key), || start(state, judge, input, key))
}

/// Starts the samples of a question. Their questions are in their batches when this returns.
fn start(
    state: &Arc<JudgeState>,
    judge: &Arc<ConfiguredJudge>,
    input: &Arc<Input>,
    key: InputKey,
) -> (BoxFuture<'static, Arc<Opinion>>, PartialReplies) {
    let partial = PartialReplies::default();
    let question = Question {
        settings: Arc::clone(&judge.settings),
        input: Arc::clone(input),
        partial: partial.clone(),
    };
    let samples: Vec<_> = (0..judge.settings.samples.count)
        .map(|sample| start_sample(state, question.clone(), key, sample))
        .collect();
    let judge = Arc::clone(judge);
    let future = async move {
        let mut samples = join_all(samples).await;
        let opinion = match samples.pop() {
            Some(only) if samples.is_empty() => only,
            Some(last) => {
                samples.push(last);
                tally(samples, judge.settings.samples.agree)
            }
            None => without_reply(),
        };
        let opinion = Arc::new(opinion);
        judge.remember(key, &opinion);
        opinion
    };
    (future.boxed(), partial)
}

/// Starts one sample: in the batch of its step, or in a request of its own.
fn start_sample(
    state: &Arc<JudgeState>,
    question: Question,
    key: InputKey,
    sample: u32,
) -> BoxFuture<'static, Opinion> {
    let batch = question.settings.batch.then(|| batch_key(&question, &key, sample));
    let shared = Arc::clone(state);
    let send = move |questions: Vec<Question>| {
        let request =
            async move { request(questions, sample, &shared.client, &shared.ledger).await };
        request.boxed()
    };
    match batch {
        Some(batch) => {
            let joined = state.batches.join(batch, question, send);
            async move { joined.await.unwrap_or_else(without_reply) }.boxed()
        }
        None => {
            async move { send(vec![question]).await.pop().unwrap_or_else(without_reply) }.boxed()
        }
    }
}

/// Returns the batch of a question: the same data, the same sample, and settings that differ in
/// nothing but the rule. Without a cache each step is asked about anew, so the step is a part of it.
fn batch_key(question: &Question, key: &InputKey, sample: u32) -> Key {
    let step = match question.settings.cache {
        Some(_) => "",
        None => question.input.step.as_str(),
    };
    let signature = question.settings.batch_signature();
    digest::of_parts([key.as_slice(), &sample.to_le_bytes(), step.as_bytes(), signature.as_bytes()])
}

fn without_reply() -> Opinion {
    Opinion::failed(Failure::new(FailureClass::Malformed, "no model was asked"))
}
