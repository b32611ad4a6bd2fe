//! The manifest of a handler: what it may do, declared once, for all hooks that use it.

use std::fmt;

use crate::contribution::ContributionKind;
use crate::event::Event;

/// What a handler may do. What a list does not name is not allowed; a list that was not given bounds nothing.
///
/// ```
/// use hookgate_contract::contribution::ContributionKind;
/// use hookgate_contract::{BuiltHandler, Capabilities, Event, Verdict};
///
/// let memory = Capabilities::new()
///     .contributes([ContributionKind::PromptContext])
///     .events([Event::PromptContext])
///     .needs(["the folder ~/.memory"])
///     .sends(["nothing"]);
/// assert!(!memory.may_contribute(ContributionKind::ToolBundle));
/// assert!(memory.may_be_at("prompt_context") && !memory.may_be_at("stop"));
///
/// let handler = BuiltHandler::sync(|_| Ok(Verdict::none())).capabilities(memory);
/// assert!(handler.capabilities.is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Capabilities {
    /// The kinds of contributions that it may give; `None` if nothing is said about that.
    pub contributes: Option<Vec<ContributionKind>>,
    /// The names of the events at which it may be called; `None` if nothing is said about that.
    pub events: Option<Vec<String>>,
    /// What must be there for it to work, each in words.
    pub needs: Vec<String>,
    /// What leaves the machine through it, each in words; `None` if nothing is said about that.
    pub sends: Option<Vec<String>>,
}

impl Capabilities {
    /// Declares nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { contributes: None, events: None, needs: Vec::new(), sends: None }
    }

    /// Names the kinds of contributions that it may give, and no others.
    #[must_use]
    pub fn contributes(mut self, kinds: impl IntoIterator<Item = ContributionKind>) -> Self {
        self.contributes = Some(kinds.into_iter().collect());
        self
    }

    /// Names the events at which it may be called, and no others.
    #[must_use]
    pub fn events(self, events: impl IntoIterator<Item = Event>) -> Self {
        self.event_names(events.into_iter().map(Event::name))
    }

    /// Names events as [`Capabilities::events`] does, by their names: `x.deploy` is one, too.
    #[must_use]
    pub fn event_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.events = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Says what must be there for it to work.
    #[must_use]
    pub fn needs(mut self, needs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.needs = needs.into_iter().map(Into::into).collect();
        self
    }

    /// Says what leaves the machine through it.
    #[must_use]
    pub fn sends(mut self, sends: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.sends = Some(sends.into_iter().map(Into::into).collect());
        self
    }

    /// Returns whether it may give a contribution of a kind.
    #[must_use]
    pub fn may_contribute(&self, kind: ContributionKind) -> bool {
        self.contributes.as_ref().is_none_or(|kinds| kinds.contains(&kind))
    }

    /// Returns whether it may be called at an event.
    #[must_use]
    pub fn may_be_at(&self, event: &str) -> bool {
        self.events.as_ref().is_none_or(|events| events.iter().any(|name| name == event))
    }
}

/// Writes what is declared, each list with its key: `contributes prompt_context; sends nothing`.
impl fmt::Display for Capabilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { contributes, events, needs, sends } = self;
        let kinds = contributes
            .as_ref()
            .map(|kinds| kinds.iter().map(|kind| kind.name().to_owned()).collect::<Vec<_>>());
        let needs = (!needs.is_empty()).then_some(needs);
        let all = [
            ("contributes", kinds.as_ref()),
            ("events", events.as_ref()),
            ("needs", needs),
            ("sends", sends.as_ref()),
        ];
        let mut first = true;
        for (key, list) in all {
            let Some(list) = list else { continue };
            let list = if list.is_empty() { "nothing".to_owned() } else { list.join(", ") };
            let between = if std::mem::take(&mut first) { "" } else { "; " };
            write!(f, "{between}{key} {list}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_was_not_given_bounds_nothing_and_an_empty_one_allows_nothing() {
        let open = Capabilities::new();
        assert!(open.may_contribute(ContributionKind::Audit) && open.may_be_at("stop"));
        assert_eq!(open.to_string(), "");
        let shut = Capabilities::new().contributes([]).events([]).sends(Vec::<String>::new());
        assert!(!shut.may_contribute(ContributionKind::Audit) && !shut.may_be_at("stop"));
        assert_eq!(shut.to_string(), "contributes nothing; events nothing; sends nothing");
    }
}
