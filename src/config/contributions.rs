//! `[contributions]`: what hooks may add to a turn, and in which order it stands in the prompt.
//!
//! ```toml
//! [contributions]
//! slots = ["system", "memory"]    # come first, in this order; others follow by name
//! tokens = 8000                   # all texts of a turn; also `items`, `bytes`
//! section = { bytes = "8KB" }     # the texts of one section
//! kind.prompt_context = { items = 16, bytes = "12KB" }
//! slot.memory = { bytes = "4KB" }
//! hook.notes = { bytes = "2KB" }
//! ```

use hookgate_contract::contribution::ContributionKind;
use hookgate_contract::settings::Settings;
use hookgate_contract::suggest::Suggestion;

use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::table::{Budget, ContributionLimits, HookSpec, MOST_HINTS};

/// The largest number of contributions or tokens that can be set.
const MOST: usize = if usize::BITS > 40 { 1 << (40 % usize::BITS) } else { usize::MAX };

/// The keys of budgets by name.
const BY_NAME: [&str; 2] = ["slot", "hook"];

/// Reads the budgets of a file; what is not set keeps its default. `hooks` are those of the file: a budget of another
/// one bounds nothing here.
pub(super) fn read_contributions(
    reader: &mut Reader<'_>,
    mut settings: Settings<'_>,
    hooks: &[HookSpec],
) -> ContributionLimits {
    let mut limits = ContributionLimits::default();
    if let Some(slots) = settings.list("slots") {
        limits.slots = slots.into_iter().map(str::to_owned).collect();
    }
    limits.turn = budget(&mut settings, limits.turn);
    if let Some(mut section) = settings.table("section") {
        limits.section = budget(&mut section, limits.section);
        settings.absorb(section.finish());
    }
    if let Some(mut kinds) = settings.table("kind") {
        for kind in ContributionKind::ALL {
            if let Some(mut one) = kinds.table(kind.name()) {
                limits.kinds.insert(kind, budget(&mut one, limits.of_kind(kind)));
                kinds.absorb(one.finish());
            }
        }
        settings.absorb(kinds.finish());
    }
    for key in BY_NAME {
        read_named(reader, &mut settings, key, hooks, &mut limits);
    }
    reader.finish(settings);
    limits
}

/// Reads the budgets of slots or of hooks.
fn read_named(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    key: &'static str,
    hooks: &[HookSpec],
    limits: &mut ContributionLimits,
) {
    let Some(named) = settings.table(key) else { return };
    let known: Vec<&str> = hooks.iter().map(|hook| hook.id().as_str()).collect();
    let mut hints = MOST_HINTS;
    for entry in named.entries() {
        let mut one = Settings::new(&entry.node);
        let budget = budget(&mut one, Budget::NONE);
        settings.absorb(one.finish());
        if key == "slot" {
            limits.slot_budgets.insert(entry.key.clone(), budget);
            continue;
        }
        limits.hooks.insert(entry.key.clone(), budget);
        if !known.contains(&entry.key.as_str()) {
            let known = if hints > 0 { known.as_slice() } else { &[] };
            hints = hints.saturating_sub(1);
            let near = Suggestion::nearest(&entry.key, known);
            let problem = ConfigProblem::BudgetOfNothing { hook: entry.key.clone(), near };
            reader.warn(entry.key_span.clone(), problem);
        }
    }
}

/// Reads one budget. What is not set is as usual.
fn budget(settings: &mut Settings<'_>, usual: Budget) -> Budget {
    let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut budget = Budget::NONE;
    budget.items = settings.count("items", 0..=MOST).map(number).or(usual.items);
    budget.bytes = settings.size("bytes").map(number).or(usual.bytes);
    budget.tokens = settings.count("tokens", 0..=MOST).map(number).or(usual.tokens);
    budget
}
