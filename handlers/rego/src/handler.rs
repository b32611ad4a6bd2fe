//! Asks a policy about one step.

use std::sync::Arc;

use hookgate_contract::{EffectsFn, Invocation, Reply, SyncHandler};

use crate::answer::{Rule, verdict};
use crate::input::input;
use crate::policy::Policy;

/// A policy, and what it is asked.
pub(crate) struct RegoHandler {
    pub(crate) policy: Policy,
    pub(crate) rules: Vec<Rule>,
    /// The reason of a decision for which the policy gives none.
    pub(crate) reason: Option<String>,
    pub(crate) effects: Option<Arc<EffectsFn>>,
}

impl SyncHandler for RegoHandler {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let input = input(invocation.envelope, self.effects.as_ref())?;
        let paths = self.rules.iter().map(|rule| rule.path.as_str());
        let values = self.policy.ask(invocation.hook, input, paths)?;
        verdict(&self.rules, values, self.reason.as_deref())
    }
}
