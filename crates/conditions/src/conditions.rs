//! All kinds of this crate, and what they share.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::ConditionKind;

use crate::clock::{Clock, SystemClock};
use crate::history::History;
use crate::mark::MarkNames;
use crate::memory::Memory;
use crate::{count, git_branch, mark, marked, when};

/// Makes the kinds of this crate: see the [crate](crate).
///
/// ```
/// use std::sync::Arc;
/// use std::time::SystemTime;
/// use hookgate_conditions::{Conditions, FixedClock, MemoryHistory};
///
/// let history = Arc::new(MemoryHistory::new());
/// let kinds = Conditions::new(history).clock(FixedClock(SystemTime::UNIX_EPOCH)).kinds();
/// assert_eq!(kinds[0].name(), "when");
/// ```
#[derive(Clone)]
pub struct Conditions {
    memory: Memory,
    names: MarkNames,
    #[cfg(feature = "expr")]
    effects: Option<Arc<hookgate_contract::EffectsFn>>,
}

impl Conditions {
    /// Makes kinds that keep marks and counts in this history.
    #[must_use]
    pub fn new(history: Arc<dyn History>) -> Self {
        Self {
            memory: Memory { history, clock: Arc::new(SystemClock) },
            names: MarkNames::default(),
            #[cfg(feature = "expr")]
            effects: None,
        }
    }

    /// Sets the clock; the default is that of the machine.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock + 'static) -> Self {
        self.memory.clock = Arc::new(clock);
        self
    }

    /// Gives the effects of a step to expressions, as the variable `effects`: the JSON object that
    /// `hookgate effects` prints. It is called at most once for each version of a step.
    #[cfg(feature = "expr")]
    #[must_use]
    pub fn effects(
        mut self,
        effects: impl Fn(&hookgate_contract::Envelope<'_>) -> serde_json::Value + Send + Sync + 'static,
    ) -> Self {
        self.effects = Some(Arc::new(effects));
        self
    }

    /// Returns the names of the marks that hooks set, as they are read.
    #[must_use]
    pub fn mark_names(&self) -> MarkNames {
        self.names.clone()
    }

    /// Returns the kinds, to be added to a registry.
    #[must_use]
    pub fn kinds(self) -> Vec<ConditionKind> {
        let names = self.names;
        vec![
            when::kind(Arc::clone(&self.memory.clock)),
            git_branch::kind(),
            mark::kind(self.memory.clone(), names.clone()),
            marked::kind(self.memory.clone(), names),
            count::kind(self.memory),
            #[cfg(feature = "expr")]
            crate::expr::kind(self.effects),
        ]
    }
}

impl fmt::Debug for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conditions").finish_non_exhaustive()
    }
}
