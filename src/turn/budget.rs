//! Who has how much room left.

use std::collections::BTreeMap;

use super::note::plain;
use super::source::Source;
use crate::table::{Budget, ContributionLimits};
use hookgate_contract::contribution::ContributionKind;

/// Something that has a budget.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Account {
    Kind(ContributionKind),
    Section(String),
    Hook(String),
    Slot(String),
    Turn,
}

impl Account {
    /// Returns what a contribution is paid from. Only texts for the prompt count for slot, hook and turn.
    pub(super) fn all_of(source: &Source) -> Vec<Self> {
        let mut accounts = vec![Self::Kind(source.kind)];
        if source.kind == ContributionKind::PromptSection {
            accounts.push(Self::Section(source.id.clone()));
        }
        let is_text = matches!(
            source.kind,
            ContributionKind::PromptContext | ContributionKind::PromptSection
        );
        if is_text {
            let hook = Self::Hook(source.hook.as_str().to_owned());
            accounts.extend([hook, Self::Slot(source.slot.clone()), Self::Turn]);
        }
        accounts
    }

    fn budget(&self, limits: &ContributionLimits) -> Budget {
        match self {
            Self::Kind(kind) => limits.of_kind(*kind),
            Self::Section(_) => limits.section,
            Self::Hook(hook) => limits.of_hook(hook),
            Self::Slot(slot) => limits.of_slot(slot),
            Self::Turn => limits.turn,
        }
    }

    /// Says what is bounded, in words.
    fn words(&self) -> String {
        match self {
            Self::Kind(kind) => format!("the kind `{kind}`"),
            Self::Section(id) => format!("the section `{}`", plain(id)),
            Self::Hook(hook) => format!("the hook `{}`", plain(hook)),
            Self::Slot(slot) => format!("the slot `{}`", plain(slot)),
            Self::Turn => "the turn".to_owned(),
        }
    }
}

/// What something takes of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Cost {
    pub(super) items: u64,
    pub(super) bytes: u64,
    pub(super) tokens: u64,
}

impl Cost {
    pub(super) const fn one(bytes: u64, tokens: u64) -> Self {
        Self { items: 1, bytes, tokens }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            items: self.items.saturating_add(other.items),
            bytes: self.bytes.saturating_add(other.bytes),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }

    /// Returns the bound that is exceeded, in words.
    fn exceeded(self, budget: Budget) -> Option<String> {
        let exceeds = |used: u64, bound: Option<u64>, unit: &str| {
            bound.filter(|bound| used > *bound).map(|bound| format!("{bound} {unit}"))
        };
        exceeds(self.items, budget.items, "items")
            .or_else(|| exceeds(self.bytes, budget.bytes, "bytes"))
            .or_else(|| exceeds(self.tokens, budget.tokens, "tokens"))
    }
}

/// What has been taken of each budget.
#[derive(Debug)]
pub(super) struct Usage<'l> {
    limits: &'l ContributionLimits,
    used: BTreeMap<Account, Cost>,
}

impl<'l> Usage<'l> {
    pub(super) const fn new(limits: &'l ContributionLimits) -> Self {
        Self { limits, used: BTreeMap::new() }
    }

    /// Returns why there is no room for something, in words: `the hook `memory`, 2000 bytes`.
    pub(super) fn refusal(&self, accounts: &[Account], cost: Cost) -> Option<String> {
        accounts.iter().find_map(|account| {
            let used = self.used.get(account).copied().unwrap_or_default();
            let bound = used.plus(cost).exceeded(account.budget(self.limits))?;
            Some(format!("{}, {bound}", account.words()))
        })
    }

    pub(super) fn take(&mut self, accounts: Vec<Account>, cost: Cost) {
        for account in accounts {
            let used = self.used.entry(account).or_default();
            *used = used.plus(cost);
        }
    }
}
