//! What contributions to a turn may amount to.

use std::collections::BTreeMap;

use hookgate_contract::contribution::ContributionKind;

/// A bound for contributions together; what is `None` is not bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Budget {
    /// How many there may be.
    pub items: Option<u64>,
    /// How many bytes they may have.
    pub bytes: Option<u64>,
    /// How many tokens they may have, as the runtime counts them.
    pub tokens: Option<u64>,
}

impl Budget {
    /// Bounds nothing.
    pub const NONE: Self = Self { items: None, bytes: None, tokens: None };

    /// Bounds how many there may be.
    #[must_use]
    pub const fn items(mut self, items: u64) -> Self {
        self.items = Some(items);
        self
    }

    /// Bounds their bytes.
    #[must_use]
    pub const fn bytes(mut self, bytes: u64) -> Self {
        self.bytes = Some(bytes);
        self
    }

    /// Bounds their tokens.
    #[must_use]
    pub const fn tokens(mut self, tokens: u64) -> Self {
        self.tokens = Some(tokens);
        self
    }
}

/// What contributions to a turn may amount to, and the order of their places in the prompt: `[contributions]`.
///
/// The whole turn, a slot and a hook are bounded in the texts that go into the prompt (context and sections); a kind in
/// all that is of it. Without a word there are at most 16 pieces of context with 12,000 bytes, and 16 texts of sections
/// with 16,000 bytes, 8,000 of them in one section.
///
/// ```
/// use hookgate::contract::contribution::ContributionKind;
/// use hookgate::table::{Budget, ContributionLimits};
///
/// let limits = ContributionLimits::new()
///     .slots(["system", "memory"])
///     .turn(Budget::NONE.tokens(4000))
///     .hook("memory", Budget::NONE.bytes(2000));
/// assert_eq!(limits.of_kind(ContributionKind::PromptContext).bytes, Some(12_000));
/// assert_eq!(limits.of_kind(ContributionKind::Policy), Budget::NONE);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContributionLimits {
    /// The slots that come first, in their order; others follow in the order of their names.
    pub slots: Vec<String>,
    /// All texts of a turn together; not bounded by default.
    pub turn: Budget,
    /// The texts of each section together; 8,000 bytes by default.
    pub section: Budget,
    /// What is of a kind.
    pub kinds: BTreeMap<ContributionKind, Budget>,
    /// The texts of a slot.
    pub slot_budgets: BTreeMap<String, Budget>,
    /// The texts of a hook.
    pub hooks: BTreeMap<String, Budget>,
}

impl Default for ContributionLimits {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            turn: Budget::NONE,
            section: Budget::NONE.bytes(8_000),
            kinds: BTreeMap::new(),
            slot_budgets: BTreeMap::new(),
            hooks: BTreeMap::new(),
        }
    }
}

impl ContributionLimits {
    /// Returns the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which slots come first, in their order.
    #[must_use]
    pub fn slots<T: Into<String>>(mut self, slots: impl IntoIterator<Item = T>) -> Self {
        self.slots = slots.into_iter().map(Into::into).collect();
        self
    }

    /// Bounds all texts of a turn together.
    #[must_use]
    pub const fn turn(mut self, budget: Budget) -> Self {
        self.turn = budget;
        self
    }

    /// Bounds the texts of each section together.
    #[must_use]
    pub const fn section(mut self, budget: Budget) -> Self {
        self.section = budget;
        self
    }

    /// Bounds what is of a kind, in place of its default.
    #[must_use]
    pub fn kind(mut self, kind: ContributionKind, budget: Budget) -> Self {
        self.kinds.insert(kind, budget);
        self
    }

    /// Bounds the texts of a slot.
    #[must_use]
    pub fn slot(mut self, slot: impl Into<String>, budget: Budget) -> Self {
        self.slot_budgets.insert(slot.into(), budget);
        self
    }

    /// Bounds the texts of a hook.
    #[must_use]
    pub fn hook(mut self, hook: impl Into<String>, budget: Budget) -> Self {
        self.hooks.insert(hook.into(), budget);
        self
    }

    /// Returns the budget of a kind: the one that was set, or its default.
    #[must_use]
    pub fn of_kind(&self, kind: ContributionKind) -> Budget {
        self.kinds.get(&kind).copied().unwrap_or(match kind {
            ContributionKind::PromptContext => Budget::NONE.items(16).bytes(12_000),
            ContributionKind::PromptSection => Budget::NONE.items(16).bytes(16_000),
            _ => Budget::NONE,
        })
    }

    /// Returns the budget of the texts of a slot.
    #[must_use]
    pub fn of_slot(&self, slot: &str) -> Budget {
        self.slot_budgets.get(slot).copied().unwrap_or_default()
    }

    /// Returns the budget of the texts of a hook.
    #[must_use]
    pub fn of_hook(&self, hook: &str) -> Budget {
        self.hooks.get(hook).copied().unwrap_or_default()
    }

    /// Returns the place of a slot among those that are named, and after them all others.
    #[must_use]
    pub fn rank_of(&self, slot: &str) -> usize {
        self.slots.iter().position(|named| named == slot).unwrap_or(self.slots.len())
    }
}
