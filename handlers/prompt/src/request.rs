//! A request to a model: one question or a batch of them, and at most one repair.
//!
//! A request has up to two rounds. In each, the questions that are open are paid for, put together in
//! one prompt with a nonce of its own, sent, and read. A question stays open for the second round only
//! if its answer did not have the requested form and `repair` is set. What failed otherwise is not
//! asked again: more tokens or a better key would be needed, not another attempt.
//!
//! | what happens | the question |
//! |---|---|
//! | the answer is in good form | is closed with its finding |
//! | it is malformed, in the first round, and `repair` is set | stays open |
//! | it is malformed otherwise | is closed with a failure that keeps a salvaged deny |
//! | no reply could be had | is closed with the failure of the call |
//! | its budget is used up | is closed with class `budget`, while the others go on |
//!
//! In a batch every question has its own fate. Only the reply, the retries and the prompt hash are
//! shared, and the usage is divided between all of them.

mod slot;

use std::sync::Arc;

use hookgate_contract::{Failure, FailureClass, VerdictDecision};
use hookgate_secrets::Secrets;

use crate::answer::finding::Finding;
use crate::answer::opinion::{Opinion, Usage};
use crate::answer::parser::{ExpectedReply, read_reply};
use crate::answer::presentable::{presentable_answer, presentable_reason};
use crate::answer::schema::answer_schema;
use crate::answer::spec::AnswerSpec;
use crate::client::Client;
use crate::client::chat::Chat;
use crate::client::ledger::{Payer, SpendLedger};
use crate::client::partial_reply::PartialReplies;
use crate::client::retry::{ModelCall, ModelReply};
use crate::question::Question;
use crate::question::excerpt::show_data;
use crate::question::nonce::draw_nonce;
use crate::question::prompt::Prompt;
use crate::settings::JudgeSettings;
use crate::settings::respond::Respond;
use slot::Slot;

/// Asks a model these questions, which have the same input and settings that differ only in the rule.
/// Returns an opinion for each, in their order.
pub(crate) async fn request(
    questions: Vec<Question>,
    sample: u32,
    client: &Client,
    ledger: &SpendLedger,
) -> Vec<Opinion> {
    let mut slots: Vec<Slot> = questions.into_iter().map(Slot::new).collect();
    for repair in [false, true] {
        for slot in slots.iter_mut().filter(|slot| slot.open) {
            if let Err(failure) = slot.question.payer(ledger).reserve_call() {
                slot.fail(failure);
            }
        }
        let mut open: Vec<&mut Slot> = slots.iter_mut().filter(|slot| slot.open).collect();
        if open.is_empty() {
            break;
        }
        let questions: Vec<Question> = open.iter().map(|slot| slot.question.clone()).collect();
        let Some(round) = Round::new(&questions, &mut open, repair) else { break };
        let sent = round.send(sample, client, ledger).await;
        round.close(sent, &mut open, ledger);
    }
    slots.into_iter().map(|slot| slot.opinion).collect()
}

/// One round: the prompt about all questions that are open.
///
/// A round has its own nonce, so an answer to the first round is not an answer to the second.
struct Round<'a> {
    questions: &'a [Question],
    /// The settings that all questions share; of those that differ, only the rule is used here.
    settings: &'a JudgeSettings,
    specs: Vec<AnswerSpec<'a>>,
    prompt: Prompt,
    nonce: String,
    repair: bool,
}

/// What came of sending a prompt.
struct Sent {
    reply: Result<ModelReply, Failure>,
    usage: Usage,
    salvaged: Option<VerdictDecision>,
}

impl<'a> Round<'a> {
    /// Makes the prompt of a round; returns `None` if that failed, which ends the questions.
    fn new(questions: &'a [Question], open: &mut [&mut Slot], repair: bool) -> Option<Self> {
        let Question { settings, input, .. } = questions.first()?;
        let specs: Vec<AnswerSpec<'a>> = questions.iter().map(Question::spec).collect();
        let rules: Result<Vec<String>, String> =
            questions.iter().map(|it| it.settings.rule.render(&input.event)).collect();
        let rules = rules
            .map_err(|_| Failure::new(FailureClass::Malformed, "the rule could not be rendered"));
        let shown = show_data(&input.json, settings.show.limit);
        let (rules, nonce) = match (rules, draw_nonce(&shown.text)) {
            (Ok(rules), Ok(nonce)) => (rules, nonce),
            (Err(failure), _) | (_, Err(failure)) => {
                for slot in open {
                    slot.fail(failure.clone());
                }
                return None;
            }
        };
        let prompt = Prompt::new(settings.system.as_deref(), &rules, &specs, &input.event, shown);
        Some(Self { questions, settings, specs, prompt, nonce, repair })
    }

    /// Sends the prompt, with retries and fallbacks.
    async fn send(&self, sample: u32, client: &Client, ledger: &SpendLedger) -> Sent {
        let payers: Vec<Payer<'_>> = self.questions.iter().map(|it| it.payer(ledger)).collect();
        let deciding = self.questions.iter().filter(|question| question.decides());
        let partials: Vec<&PartialReplies> = deciding.map(|question| &question.partial).collect();
        let chat = Chat {
            system: &self.prompt.system,
            user: &self.prompt.user(&self.nonce, self.repair),
            schema: &answer_schema(&self.specs),
            sample,
            rules: u32::try_from(self.questions.len()).unwrap_or(u32::MAX),
        };
        let mut call = ModelCall {
            client,
            settings: self.settings,
            sampling: &self.settings.sampling,
            chat: &chat,
            payers: &payers,
            claim: self.questions.first().map(|question| &question.input.claim),
            partials: &partials,
            usage: Usage::default(),
            salvaged: None,
        };
        let reply = call.with_fallback().await.map_err(Failure::from);
        Sent { reply, usage: call.usage, salvaged: call.salvaged }
    }

    /// Hands the result to the slots, and closes all that need no repair.
    fn close(&self, sent: Sent, open: &mut [&mut Slot], ledger: &SpendLedger) {
        let hash: Arc<str> = self.prompt.hash().into();
        let count = open.len();
        let mut uncharged = None;
        for (index, slot) in open.iter_mut().enumerate() {
            slot.salvage(sent.salvaged);
            slot.opinion.omitted = self.prompt.shown.omitted + slot.question.input.unseen;
            slot.opinion.prompt_hash = Arc::clone(&hash);
            let share = sent.usage.share(index, count);
            slot.opinion.usage.add(share);
            if let Err(failure) = slot.question.payer(ledger).charge(share) {
                // What cannot be charged would be spent again and again.
                uncharged.get_or_insert(failure);
            }
        }
        if let Some(failure) = uncharged {
            for slot in open {
                slot.fail(failure.clone());
            }
            return;
        }
        match sent.reply {
            Ok(reply) => self.read(&reply, open, &hash),
            Err(failure) => {
                for slot in open {
                    let salvaged = failure.salvaged.filter(|_| slot.question.decides());
                    slot.fail(failure.clone().with_salvaged(salvaged));
                }
            }
        }
    }

    fn read(&self, reply: &ModelReply, open: &mut [&mut Slot], hash: &str) {
        let expected =
            ExpectedReply { nonce: &self.nonce, specs: &self.specs, format: reply.format };
        let findings = match read_reply(&reply.completion, &expected) {
            Ok(findings) => findings,
            Err(failure) => vec![Err(failure); open.len()],
        };
        let secrets = self.settings.secrets();
        let answer: Option<Arc<str>> = self
            .settings
            .respond
            .keep_answer
            .then(|| presentable_answer(&reply.completion.content, &secrets).into());
        let unescaped = self.prompt.unescaped_data();
        let private = [self.prompt.system.as_str(), &self.prompt.shown.text, &unescaped];
        // More tokens would be needed for an answer that was cut off.
        let may_repair = !self.repair && self.settings.retry.repair && !reply.completion.cut;
        for (slot, finding) in open.iter_mut().zip(findings) {
            slot.opinion.answer = answer.clone();
            slot.opinion.model = reply.model.as_str().into();
            slot.opinion.fallback = reply.fallback;
            slot.opinion.refused = reply.refused;
            let malformed =
                finding.as_ref().is_err_and(|failure| failure.class == FailureClass::Malformed);
            slot.open = may_repair && malformed;
            slot.opinion.finding = match slot.reconcile(finding) {
                Ok(finding) => Ok(with_fit_reason(
                    finding,
                    &slot.question.settings.respond,
                    &private,
                    &secrets,
                )),
                Err(mut failure) => {
                    failure.detail = format!("{} (prompt {hash})", failure.detail).into();
                    Err(failure)
                }
            };
        }
    }
}

/// Replaces the reason of a decision by one that may be shown.
fn with_fit_reason(
    finding: Finding,
    respond: &Respond,
    private: &[&str],
    secrets: &Secrets,
) -> Finding {
    let fit = |reason: &str| presentable_reason(reason, private, secrets);
    let configured_or = |reason: &str, default: &str| {
        respond.reason.clone().or_else(|| fit(reason)).unwrap_or_else(|| default.to_owned())
    };
    match finding {
        Finding::Allow(reason) => Finding::Allow(fit(&reason).unwrap_or_default()),
        Finding::Deny(reason) => {
            Finding::Deny(configured_or(&reason, "the judge objects to this step"))
        }
        Finding::Ask(reason) => {
            Finding::Ask(configured_or(&reason, "the judge leaves this to you"))
        }
        other => other,
    }
}
