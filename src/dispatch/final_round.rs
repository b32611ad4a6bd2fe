//! The final round: what was judged is what runs.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Failure, FailureClass, Mode, Role, VerdictDecision};

use super::patch::set_fields;
use super::weigh::{Weighed, fail};
use super::{Dispatch, Heard, Next};
use crate::decision::Ballot;
use crate::table::CompiledHook;

impl Dispatch<'_> {
    /// The final round: what was judged is what runs. Whoever may deny and judged other bytes than
    /// the final ones is asked about these, rewriters too, and so is who matches only now.
    ///
    /// * All of them stand before the last rewriter; that one needs no look at its own bytes, and
    ///   those after it have seen the final ones.
    /// * The vote of the final round replaces the earlier one. A rewriter whose patch is a part of
    ///   the final bytes keeps what it said with it: of its two decisions the stricter counts.
    /// * Nothing is rewritten any more. A patch that would change the final bytes is a failure
    ///   (`illegal`): the hook cannot have them as they are. There is no second pass, in which a
    ///   rewriter that cannot bear its own result (one that adds a line) would be applied twice.
    ///   Such a rewriter is put after the others, or leaves alone what is marked `rejudge`.
    pub(super) async fn rejudge(&mut self, last: usize, payload: &dyn AnyPayload) {
        let envelope = self.envelope(payload).rejudge();
        let deny = self.contract(payload).deny();
        let mut from = 0;
        while from < last {
            let to = self.group_end(from).min(last);
            let asks = self.entry(from).is_some_and(|entry| deny || entry.role == Role::Guard);
            if asks {
                let before = self.take_said(from, to);
                let next = self.ask_group(from, to, &envelope, 2).await;
                self.keep_patched(before);
                if let Next::Stop = next {
                    return;
                }
            }
            from = to;
        }
    }

    /// Takes out what the hooks from one place to another have said.
    fn take_said(&mut self, from: usize, to: usize) -> Vec<Ballot> {
        let (taken, kept) =
            self.said.drain(..).partition(|said: &Ballot| (from..to).contains(&said.place));
        self.said = kept;
        taken
    }

    /// Puts back what rewriters said with patches that are a part of the final bytes, with the
    /// stricter of their two decisions.
    fn keep_patched(&mut self, before: Vec<Ballot>) {
        for mut earlier in before {
            if self.asked.get(earlier.place) != Some(&Heard::Patched) {
                continue;
            }
            let place = earlier.place;
            if let Some(later) = self.said.iter().position(|said| said.place == place) {
                let later = self.said.remove(later);
                if later.word > earlier.word {
                    earlier.word = later.word;
                    earlier.reason = later.reason;
                    earlier.code = later.code;
                    earlier.payload = later.payload;
                }
                earlier.answer = later.answer.or(earlier.answer);
                earlier.approves |= later.approves;
                let new = |text: &String| !earlier.context.contains(text);
                let added: Vec<_> = later.context.into_iter().filter(new).collect();
                earlier.context.extend(added);
                earlier.message = later.message.or(earlier.message);
                if !later.contributions.is_empty() {
                    earlier.contributions = later.contributions;
                }
                earlier.annotations.extend(later.annotations);
            }
            self.said.push(earlier);
        }
    }

    /// The final round changes nothing: a patch that would is a failure, in which the decision that
    /// stands beside it counts; one that would not is nothing.
    pub(super) fn settle_patch(
        &self,
        entry: &CompiledHook,
        mut weighed: Weighed,
        envelope: &Envelope<'_>,
    ) -> Weighed {
        let Weighed::Says(parts) = &mut weighed else { return weighed };
        if parts.patch.is_empty() || entry.mode != Mode::Enforce {
            return weighed;
        }
        let patch = std::mem::take(&mut parts.patch);
        let contract = self.contract(envelope.payload());
        let mut trial = envelope.payload().snapshot();
        let changed = set_fields(contract, entry.hook.spec.merge, patch, &mut *trial);
        let text = |payload: &dyn AnyPayload| {
            let mut text = Vec::new();
            payload.write_json(&mut text).is_ok().then_some(text)
        };
        let (before, after) = (text(envelope.payload()), text(&*trial));
        if changed.is_empty() || (before.is_some() && before == after) {
            return if parts.is_silent() { Weighed::Silent(parts.note.take()) } else { weighed };
        }
        let detail = format!(
            "it would rewrite `{}` once more in the final round, where nothing is rewritten: ask \
             it after the other rewriters (`after`), or let it leave envelopes with `rejudge` alone",
            changed.join("`, `"),
        );
        let stands = parts.decision.filter(|word| *word > VerdictDecision::Allow);
        fail(entry, contract, Failure::new(FailureClass::Illegal, detail).with_salvaged(stands))
    }
}
