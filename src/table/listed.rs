//! One row of a listing: a hook at one of its events, with everything resolved.

use std::time::Duration;

use hookgate_contract::{Contract, FailureClass, Handler, Mode, Posture, Role};

use super::compiled_hook::CompiledHook;
use super::spec::HookSpec;
use crate::hook_id::HookId;
use crate::matcher::MatchSpec;

/// One hook at one event, as it is called there: role, deadline and postures are those that apply
/// at this event, whether the hook sets them or the event's contract does.
///
/// ```
/// use hookgate::{Event, HandlerTable, Hook, Posture, FailureClass, Role, Verdict};
///
/// let table = HandlerTable::builder()
///     .insert(Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse))
///     .build()?;
/// let listed = table.listing().next().unwrap();
/// assert_eq!(listed.id(), "no-bash");
/// assert_eq!((listed.event, listed.role()), ("pre_tool_use", Role::Guard));
/// assert_eq!(listed.posture(FailureClass::Panic), Posture::Deny);
/// # Ok::<(), hookgate::table::BuildErrors>(())
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Listed<'t> {
    /// The name of the event.
    pub event: &'t str,
    /// What the event allows.
    pub contract: &'static Contract,
    hook: &'t CompiledHook,
}

impl<'t> Listed<'t> {
    pub(super) const fn new(
        event: &'t str,
        contract: &'static Contract,
        hook: &'t CompiledHook,
    ) -> Self {
        Self { event, contract, hook }
    }

    /// Returns the id of the hook.
    #[must_use]
    pub fn id(&self) -> &'t HookId {
        self.spec().id()
    }

    /// Returns the kind of its handler.
    #[must_use]
    pub fn kind(&self) -> &'t str {
        self.spec().kind()
    }

    /// Returns how many layers of the host are around its handler: see [`HookSpec::map_handler`].
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.hook.definition.spec.layers()
    }

    /// Returns the hook as it was declared.
    #[must_use]
    pub fn spec(&self) -> &'t HookSpec {
        &self.hook.definition.spec
    }

    /// Returns the conditions of the hook.
    #[must_use]
    pub fn matcher(&self) -> &'t MatchSpec {
        self.spec().matcher()
    }

    /// Returns the role that the hook has at this event.
    #[must_use]
    pub const fn role(&self) -> Role {
        self.hook.role
    }

    /// Returns whether its decisions count.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.hook.mode
    }

    /// Returns the deadline of one call; `None` for a handler that answers at once.
    #[must_use]
    pub fn timeout(&self) -> Option<Duration> {
        // In the background it has one as well.
        matches!(self.hook.handler, Handler::Async(_)).then_some(self.hook.timeout)
    }

    /// Returns whether the hook can be [unclear](FailureClass::Unclear): it has a registered condition, and
    /// its handler does not look for itself.
    #[must_use]
    pub fn can_be_unclear(&self) -> bool {
        self.hook.static_answer && !self.matcher().all_registered().is_empty()
    }

    /// Returns whether the hook can be [skipped](FailureClass::Skipped): how another one ends decides whether it is
    /// called.
    #[must_use]
    pub const fn can_be_skipped(&self) -> bool {
        !self.hook.dependencies.needs.is_empty()
    }

    /// Returns the hook as it is called at this event.
    pub(crate) const fn compiled(&self) -> &'t CompiledHook {
        self.hook
    }

    /// Returns what a failure of this class counts as, be it that the hook sets it or that the event
    /// does.
    #[must_use]
    pub fn posture(&self, class: FailureClass) -> Posture {
        self.hook.posture(class)
    }
}

impl std::fmt::Debug for Listed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listed")
            .field("event", &self.event)
            .field("id", &self.id())
            .field("role", &self.role())
            .finish_non_exhaustive()
    }
}
