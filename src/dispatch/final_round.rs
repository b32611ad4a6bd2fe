//! The final round: the bytes that were evaluated are the bytes that run.
//!
//! A rewriter changes the step after earlier hooks have evaluated it. So once there was a patch, every
//! hook that may deny and that evaluated other bytes than the final ones is called again with these,
//! rewriters too, and so is every hook whose conditions hold only now.
//!
//! * These hooks are exactly those before the last rewriter. The last rewriter need not look at its
//!   own bytes, and the hooks after it have seen the final ones.
//! * A hook whose handler is asked once ([`BuiltHandler::once`](hookgate_contract::BuiltHandler::once))
//!   is not asked again: what it said of the earlier version stands.
//! * The vote of the final round replaces the earlier one. A rewriter whose patch is a part of the
//!   final bytes keeps the rest of the verdict that held the patch: of its two decisions the stricter counts.
//! * Conditions that see every call are told of the final version, too, also if no hook is called again.
//! * Nothing is rewritten any more. A patch that would change the final bytes is a failure
//!   (`illegal`). There is no second pass of rewriting, in which a rewriter that is not idempotent (one
//!   that adds a line) would be applied twice. Such a rewriter is put after the others, or it leaves
//!   alone what is marked `rejudge`.

use std::future::poll_fn;

use hookgate_contract::Role;
use hookgate_contract::payload::AnyPayload;

use super::deciders::Groups;
use super::next::Next;
use super::{DispatchState, Progress};
use crate::decision::Ballot;
use crate::table::CompiledHook;

impl DispatchState<'_> {
    /// Calls the hooks before the last rewriter again, with the final version of the step.
    pub(super) async fn final_round(&mut self, last: usize, payload: &dyn AnyPayload) {
        let mut envelope = self.envelope(payload).rejudge();
        self.context.tell_seers(&envelope);
        let deny = self.contract(payload).deny();
        let mut from = 0;
        while from < last {
            let to = self.group_end(from).min(last);
            let may_deny = |hook: &CompiledHook| (deny || hook.role == Role::Guard) && !hook.once;
            if self.hook(from).is_some_and(may_deny) {
                let before = self.ballots.extract(from..to);
                let next = {
                    let mut groups = Groups::new(from, to);
                    poll_fn(|cx| self.poll_groups(&mut groups, &envelope, 2, cx)).await
                };
                self.keep_patch_ballots(before);
                if let Next::Stop = next {
                    break;
                }
            }
            from = to;
        }
        self.derived = envelope.take_derived();
    }

    /// Puts back the ballots of rewriters whose patches are a part of the final bytes, combined with
    /// their ballots of the final round.
    fn keep_patch_ballots(&mut self, before: Vec<Ballot>) {
        for mut earlier in before {
            if self.progress.get(earlier.index) != Some(&Progress::Patched) {
                continue;
            }
            for later in self.ballots.extract(earlier.index..earlier.index + 1) {
                earlier.combine(later);
            }
            self.ballots.push(earlier);
        }
    }
}
