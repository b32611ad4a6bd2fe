//! What a hook may spend, and what tokens cost.
//!
//! All amounts are those of one hook. A budget of 0 calls is valid: it switches the judge off and shows
//! what its posture for class `budget` does. Money has no unit; it is that of the prices.

use std::collections::BTreeMap;

use hookgate_contract::settings::Settings;

use super::number::{amount, count};

/// What may be spent in one period. `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Budget {
    /// Requests.
    pub(crate) calls: Option<u64>,
    /// Tokens in both directions.
    pub(crate) tokens: Option<u64>,
    /// In the currency of `prices`.
    pub(crate) money: Option<f64>,
}

impl Budget {
    /// Reads the budget of a period; an absent one is unlimited.
    fn read(settings: &mut Settings<'_>, key: &'static str) -> Self {
        let Some(mut inner) = settings.table(key) else { return Self::default() };
        let budget = Self {
            calls: count(&mut inner, "calls", 0..=u32::MAX).map(u64::from),
            tokens: count(&mut inner, "tokens", 0..=u32::MAX).map(u64::from),
            money: amount(&mut inner, "money"),
        };
        settings.absorb(inner.finish());
        budget
    }
}

/// All spending limits of one hook.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SpendLimits {
    /// Calls in any minute.
    pub(crate) rate: Option<u32>,
    /// For each session of an agent.
    pub(crate) session: Budget,
    /// For each hour, over all sessions.
    pub(crate) hour: Budget,
}

impl SpendLimits {
    /// Reads the table `budget`.
    pub(crate) fn read(settings: &mut Settings<'_>, rate: Option<u32>) -> Self {
        let mut limits = Self { rate, ..Self::default() };
        if let Some(mut inner) = settings.table("budget") {
            limits.session = Budget::read(&mut inner, "session");
            limits.hour = Budget::read(&mut inner, "hour");
            settings.absorb(inner.finish());
        }
        limits
    }

    /// Tells whether money is limited, for which every model needs a price.
    pub(crate) const fn count_money(&self) -> bool {
        self.session.money.is_some() || self.hour.money.is_some()
    }
}

/// The price of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    pub(crate) input: f64,
    pub(crate) output: f64,
}

impl Price {
    /// Returns the cost of a call.
    pub(crate) fn cost(&self, prompt_tokens: u64, completion_tokens: u64) -> f64 {
        (prompt_tokens as f64 * self.input + completion_tokens as f64 * self.output) / 1e6
    }

    /// Reads `prices`: a price for each model.
    pub(crate) fn read_all(settings: &mut Settings<'_>) -> BTreeMap<String, Self> {
        let mut all = BTreeMap::new();
        let Some(table) = settings.table("prices") else { return all };
        for entry in table.entries() {
            let mut inner = Settings::new(&entry.node);
            let input = amount(&mut inner, "input").unwrap_or(0.0);
            let output = amount(&mut inner, "output").unwrap_or(0.0);
            settings.absorb(inner.finish());
            all.insert(entry.key.clone(), Self { input, output });
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_for_a_million_tokens() {
        assert_eq!(Price { input: 1.0, output: 10.0 }.cost(1_000_000, 100_000), 2.0);
    }
}
