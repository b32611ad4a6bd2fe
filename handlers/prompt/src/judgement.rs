//! What a judge came to, with the figures.

use hookgate_contract::{Reply, Verdict, visible};

use crate::answer::finding::Finding;
use crate::answer::opinion::{Opinion, Usage};
use crate::settings::respond::Respond;

/// How many characters of an answer that allows are noted.
const ALLOWED: usize = 300;

/// What a judge came to, and what it used.
///
/// The figures of all judgements add up to what was spent. An answer from the cache, or one that
/// another step had requested, cost nothing; of rules that were asked about together each has its
/// share, and the first has the request.
///
/// ```
/// use hookgate_prompt::Judgement;
///
/// /// What a run of judgements cost, and how many of them needed a model.
/// fn bill(judgements: &[Judgement]) -> (f64, usize) {
///     let cost = judgements.iter().map(|judgement| judgement.cost).sum();
///     (cost, judgements.iter().filter(|judgement| !judgement.cached).count())
/// }
///
/// assert_eq!(bill(&[]), (0.0, 0));
/// ```
///
/// See [`Judge::evaluate`](crate::Judge::evaluate) for how one comes about.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Judgement {
    /// The reply of the handler. A judge that decides and sees nothing wrong replies with a verdict
    /// without an opinion, unless its settings have `speak_allow = true`.
    pub reply: Reply,
    /// Why it sees nothing wrong, if that is its answer.
    pub allowed: Option<String>,
    /// The model that answered; empty if none did.
    pub model: String,
    /// Whether no request was made for it.
    pub cached: bool,
    /// How many requests were made for it, retries included.
    pub calls: u32,
    /// How many tokens went in, as the server counts them.
    pub prompt_tokens: u64,
    /// How many tokens came out, as the server counts them.
    pub completion_tokens: u64,
    /// What it cost, in the currency of the setting `prices`; 0 for a model without a price.
    pub cost: f64,
    /// A hash of the prompt without its nonce; empty if none was sent.
    pub prompt_hash: String,
}

impl Judgement {
    /// Makes the judgement of an opinion, with the note for the record of the vote.
    pub(crate) fn new(opinion: &Opinion, respond: &Respond, cached: bool) -> Self {
        let usage = if cached { Usage::default() } else { opinion.usage };
        let allowed = match &opinion.finding {
            Ok(Finding::Allow(reason)) => Some(reason.clone()),
            _ => None,
        };
        let reply = match opinion.finding.clone() {
            Ok(finding) => {
                let known = if cached { ", known" } else { "" };
                let mut note = format!("{}, prompt {}{known}", opinion.model, opinion.prompt_hash);
                if let Some(reason) = &allowed {
                    note.push_str(&format!("; it allows: {}", visible::line(reason, ALLOWED)));
                }
                opinion.append_note(&mut note);
                Ok(verdict_of(finding, respond.speak_allow).note(note))
            }
            Err(mut failure) => {
                opinion.append_note(failure.detail.to_mut());
                Err(failure)
            }
        };
        Self {
            reply,
            allowed,
            model: opinion.model.to_string(),
            cached,
            calls: usage.calls,
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            cost: usage.cost,
            prompt_hash: opinion.prompt_hash.to_string(),
        }
    }

    /// Logs which model answered and what that took, at `DEBUG`. What it said is the reply.
    pub(crate) fn log(&self, hook: &str) {
        let Self { model, cached, calls, prompt_tokens, completion_tokens, cost, .. } = self;
        let used = format_args!(
            "{calls} requests, {prompt_tokens} + {completion_tokens} tokens, cost {cost}, {}",
            if *cached { "known before" } else { "asked now" }
        );
        tracing::debug!(target: "hookgate::prompt", hook, model, %used);
    }

    /// Adds what a first judge used.
    pub(crate) fn add(&mut self, usage: Usage) {
        self.calls = self.calls.saturating_add(usage.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
        self.cost += usage.cost;
    }
}

/// Returns the verdict of a finding. That a judge sees nothing wrong is an approval only if its
/// settings say so.
fn verdict_of(finding: Finding, speak_allow: bool) -> Verdict {
    match finding {
        Finding::Allow(reason) if speak_allow => {
            let mut verdict = Verdict::allow();
            if let Some(parts) = verdict.parts_mut() {
                parts.reason = Some(reason).filter(|reason| !reason.is_empty());
            }
            verdict
        }
        Finding::Allow(_) => Verdict::none(),
        Finding::Deny(reason) => Verdict::deny(reason),
        Finding::Ask(reason) => Verdict::ask(reason),
        Finding::Context(text) if text.is_empty() => Verdict::none(),
        Finding::Context(text) => Verdict::none().context(text),
        Finding::Patch(fields) => fields
            .into_iter()
            .fold(Verdict::none(), |verdict, (field, value)| verdict.patch(field, value)),
        Finding::Custom(verdict) => verdict,
    }
}
