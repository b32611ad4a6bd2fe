//! The marks of a session, as the hooks of a layer know them.
//!
//! A hook knows the marks that its own layer and those above it have set. What a layer below sets is
//! nothing to it: a project could otherwise set the mark without which its user's hook denies.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::{Envelope, Layer, StateError, Truth};

use crate::clock::Clock;
use crate::history::{History, Marked, Moment};
use crate::memory::Memory;

/// A mark, as the hooks of one layer know it.
#[derive(Debug)]
pub(crate) struct KnownMark {
    name: String,
    /// Its name in the history, as this layer sets it.
    own: String,
    /// Its names there, as the layers above set it.
    above: Vec<String>,
}

impl KnownMark {
    /// Returns the mark of this name for the hooks of a layer.
    pub(crate) fn new(layer: Layer, name: &str) -> Self {
        let above = layer.and_above().filter(|above| *above != layer);
        Self {
            name: name.to_owned(),
            own: stored(layer, name),
            above: above.map(|above| stored(above, name)).collect(),
        }
    }

    /// Returns the name, as it is written.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Sets it.
    pub(crate) fn set(&self, history: &dyn History, moment: &Moment<'_>) -> Result<(), StateError> {
        history.mark(moment, &self.own)
    }

    /// Returns when it was last set.
    pub(crate) fn last(
        &self,
        history: &dyn History,
        moment: &Moment<'_>,
    ) -> Result<Option<Marked>, StateError> {
        let mut last: Option<Marked> = None;
        for name in std::iter::once(&self.own).chain(&self.above) {
            if let Some(set) = history.marked(moment, name)?
                && last.is_none_or(|last| last.order <= set.order)
            {
                last = Some(set);
            }
        }
        Ok(last)
    }
}

/// A name in the history. No name of a mark has a colon.
fn stored(layer: Layer, name: &str) -> String {
    format!("{layer}:{name}")
}

/// Tells which of two marks was set later: unknown if one step has set both. A mark that was never set is
/// earlier than all.
pub(crate) fn is_later(set: Marked, other: Option<Marked>) -> Truth {
    match other {
        None => Truth::True,
        Some(other) if other.order == set.order => Truth::Unknown,
        Some(other) => (set.order > other.order).into(),
    }
}

/// The marks that the setting [`mark`](crate::mark) sets in sessions, for a host that asks for them outside
/// of a condition.
///
/// ```
/// use std::sync::Arc;
/// use hookgate_conditions::{MemoryHistory, SessionMarks, SystemClock};
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Layer, StepContext, StepId, Truth};
///
/// let marks = SessionMarks::new(Arc::new(MemoryHistory::new()), Arc::new(SystemClock));
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "git push"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let step = Envelope::new(&call, &context, &id, 1, 1024);
/// assert_eq!(marks.is_marked(&step, Layer::User, "tested", None), Truth::False);
/// ```
#[derive(Clone)]
pub struct SessionMarks(Memory);

impl SessionMarks {
    /// Reads the marks in a history.
    #[must_use]
    pub fn new(history: Arc<dyn History>, clock: Arc<dyn Clock>) -> Self {
        Self(Memory { history, clock })
    }

    /// Tells whether the session of a step has a mark that a hook of this layer knows, and, with `after`,
    /// whether it was set later than that one; a mark that was never set is earlier than all. Unknown if
    /// one step has set both, and if it cannot be read what was set.
    #[must_use]
    pub fn is_marked(
        &self,
        step: &Envelope<'_>,
        layer: Layer,
        mark: &str,
        after: Option<&str>,
    ) -> Truth {
        self.0.at(step, |history, moment| {
            let last = |name| KnownMark::new(layer, name).last(history, moment);
            let find = || -> Result<Truth, StateError> {
                let Some(set) = last(mark)? else { return Ok(Truth::False) };
                let other = after.map(last).transpose()?.flatten();
                Ok(is_later(set, other))
            };
            find().unwrap_or(Truth::Unknown)
        })
    }
}

impl fmt::Debug for SessionMarks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionMarks").finish_non_exhaustive()
    }
}
