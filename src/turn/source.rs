//! What is known of every contribution, whatever its kind.

use std::cmp::Ordering;

use hookgate_contract::contribution::{
    Contribution, ContributionKind, Lifetime, TextProvenance, Visibility,
};
use hookgate_contract::json::canonical;
use serde::Serialize;
use serde_json::Value;

use super::tokens::Tokens;
use crate::digest::digest;
use crate::hook_id::HookId;
use crate::table::ContributionLimits;

/// A contribution as its hook named it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Giver {
    /// The hook.
    pub hook: HookId,
    /// The id that it gave.
    pub id: String,
}

/// Where something in a set comes from, and what it amounts to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Source {
    /// The kind of contribution.
    pub kind: ContributionKind,
    /// Its id: of a section, a bundle, a job; the key of a policy, the code of a diagnostic.
    pub id: String,
    /// The hook that gave it.
    pub hook: HookId,
    /// Its place: what it says itself, or else its domain, or else the place of its kind.
    pub slot: String,
    /// SHA-256 of what it says, as it was given: `sha256:` and 64 digits. Two that say the same have the same one.
    pub digest: String,
    /// Its bytes as they are delivered: of a text with fence and marks, of anything else as JSON.
    pub bytes: u64,
    /// Its tokens as they are delivered.
    pub tokens: u64,
    /// How long it counts.
    pub lifetime: Lifetime,
    /// Lower comes first, and is cut last.
    pub priority: i64,
    /// Who sees it.
    pub visible: Visibility,
    /// Who wrote it.
    pub provenance: TextProvenance,
    /// Others that gave the same, which stands here once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Giver>,
}

impl Source {
    /// Describes a contribution that is taken whole or not at all; what it says is `content`.
    pub(super) fn of_whole(
        hook: &HookId,
        contribution: &Contribution,
        (id, slot, priority): (&str, &str, i64),
        content: &Value,
        tokens: &Tokens,
    ) -> Self {
        let text = canonical(&serde_json::to_value(contribution).unwrap_or_default());
        Self {
            kind: contribution.kind(),
            id: id.to_owned(),
            hook: hook.clone(),
            slot: slot.to_owned(),
            digest: digest(content),
            bytes: text.len() as u64,
            tokens: tokens.of(&text),
            lifetime: Lifetime::Turn,
            priority,
            visible: Visibility::Model,
            provenance: TextProvenance::default(),
            also: Vec::new(),
        }
    }

    /// Returns who gave it.
    #[must_use]
    pub fn giver(&self) -> Giver {
        Giver { hook: self.hook.clone(), id: self.id.clone() }
    }

    /// Adds what another one says as well. The list is in order, so that nothing hangs on who came first.
    pub(super) fn join(&mut self, other: Self) {
        self.also.push(other.giver());
        self.also.extend(other.also);
        self.also.sort();
        self.also.dedup();
        let own = self.giver();
        self.also.retain(|giver| *giver != own);
    }

    /// The order in which contributions stand: slot, priority, hook, id.
    pub(super) fn in_order(&self, other: &Self, limits: &ContributionLimits) -> Ordering {
        let slot = |source: &Self| limits.rank_of(&source.slot);
        slot(self)
            .cmp(&slot(other))
            .then_with(|| self.slot.cmp(&other.slot))
            .then_with(|| self.priority.cmp(&other.priority))
            .then_with(|| self.hook.cmp(&other.hook))
            .then_with(|| self.id.cmp(&other.id))
            .then_with(|| self.digest.cmp(&other.digest))
    }

    /// The order in which contributions are served from a budget: by priority, and then as they stand.
    pub(super) fn by_importance(&self, other: &Self, limits: &ContributionLimits) -> Ordering {
        self.priority.cmp(&other.priority).then_with(|| self.in_order(other, limits))
    }
}
