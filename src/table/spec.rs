//! A hook as it was declared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::contribution::Contribution;
use hookgate_contract::{BuiltHandler, Capabilities, FailureClass, Layer, Mode, Posture, Role};
use serde_json::Value;

use super::canary::Canary;
use super::event_selector::EventSelector;
use super::origin::Origin;
use super::retry::Retry;
use super::text_window::TextWindow;
use crate::hook_id::{HookId, SCOPE};
use crate::layer::HandlerLayer;
use crate::matcher::MatchSpec;

/// A hook as it was declared, in hooks.toml or with [`Hook`](super::Hook): what it is called about,
/// what handles it, and how its answers and failures count.
///
/// A specification is complete but not checked: whether its patterns can be read, its events exist
/// and its role fits them is found when a table is built of it.
///
/// ```
/// use hookgate::{Event, Hook, HookSpec, Role, Verdict};
///
/// let spec: HookSpec = Hook::sync("no-bash", |_| Ok(Verdict::deny("no")))
///     .event(Event::PreToolUse)
///     .tool("Bash")
///     .priority(10)
///     .into();
/// assert_eq!(spec.id(), "no-bash");
/// assert_eq!((spec.kind(), spec.priority()), ("rust", 10));
/// assert_eq!(spec.role(), None, "the event decides");
/// ```
#[derive(Debug, Clone)]
pub struct HookSpec {
    pub(super) id: HookId,
    pub(super) kind: Cow<'static, str>,
    pub(super) built: BuiltHandler,
    /// How many layers the host has put around the handler.
    pub(super) layers: u32,
    pub(super) events: Vec<EventSelector>,
    pub(super) matcher: MatchSpec,
    /// The settings that the handler was built from; null for one that was made in Rust.
    pub(super) settings: Value,
    pub(super) role: Option<Role>,
    pub(super) mode: Mode,
    pub(super) off_by: Option<Layer>,
    pub(super) priority: i64,
    pub(super) after: Vec<String>,
    pub(super) before: Vec<String>,
    pub(crate) timeout: Option<Duration>,
    pub(super) on_failure: Option<Posture>,
    pub(super) on: BTreeMap<FailureClass, Posture>,
    pub(crate) background: bool,
    /// Whether its calls in the background are handed to the job queue of the host.
    pub(crate) recorded: bool,
    /// Whether what becomes of those is of interest to the user of the agent.
    pub(crate) visible_to_user: bool,
    /// Whether what its step gathers is of no use without it.
    pub(crate) required: bool,
    pub(super) needs: Vec<String>,
    pub(super) fallback: Vec<Contribution>,
    // In boxes, since few hooks have one and there are thousands of hooks.
    pub(super) retry: Option<Box<Retry>>,
    /// The pieces by which it judges a text that still comes.
    pub(super) text_window: Option<Box<TextWindow>>,
    /// The name of the shared handler in the file, if it is one.
    pub(super) shared: Option<String>,
    pub(crate) merge: bool,
    pub(crate) may_allow: bool,
    pub(super) pure: bool,
    pub(super) tags: Vec<String>,
    pub(super) canaries: Vec<Canary>,
    pub(super) origin: Origin,
    pub(super) unread: Unread,
    /// The hook in whose place this one stands, since that was found dead while it was in force.
    pub(super) in_place_of: Option<Arc<Self>>,
    /// Whether it is a hook of a scope, and its id one of those.
    pub(super) is_of_scope: bool,
}

/// What of a hook could not be read. Its mistakes were reported where they are, and errors that
/// only follow from them are not reported again.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Unread {
    /// The role: it may depend on a handler that could not be built.
    pub(crate) role: bool,
    /// Some of the events.
    pub(crate) events: bool,
    /// So much that another hook stands in its place: see [`HookSpec::set_aside`].
    pub(crate) set_aside: bool,
}

impl HookSpec {
    /// Returns the id. A clone of it copies no text.
    #[must_use]
    pub const fn id(&self) -> &HookId {
        &self.id
    }

    /// Returns the kind of the handler, as hooks.toml names it; `rust` for a hook that is made of a
    /// closure.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the settings that the handler was built from, as they were written: for a builtin its name,
    /// or a table with the key `name`; null for a hook that was made in Rust.
    #[must_use]
    pub const fn settings(&self) -> &Value {
        &self.settings
    }

    /// Returns the events.
    #[must_use]
    pub fn events(&self) -> &[EventSelector] {
        &self.events
    }

    /// Returns the conditions.
    #[must_use]
    pub const fn matcher(&self) -> &MatchSpec {
        &self.matcher
    }

    /// Returns the role, if the hook sets one. Otherwise its handler or the event does: see
    /// [`Listed::role`](super::Listed::role).
    #[must_use]
    pub const fn role(&self) -> Option<Role> {
        self.role
    }

    /// Returns whether its decisions count.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the layer that has switched the hook off (`[[disable]]`, or an override of a run); `None` if
    /// the hook itself says so, or is not off.
    #[must_use]
    pub const fn switched_off_by(&self) -> Option<Layer> {
        self.off_by
    }

    /// Returns the priority. Hooks with a lower one are called first.
    #[must_use]
    pub const fn priority(&self) -> i64 {
        self.priority
    }

    /// Returns the ids of the hooks that are called before this one.
    #[must_use]
    pub fn after(&self) -> &[String] {
        &self.after
    }

    /// Returns the ids of the hooks that are called after this one.
    #[must_use]
    pub fn before(&self) -> &[String] {
        &self.before
    }

    /// Returns the deadline, if the hook sets one.
    #[must_use]
    pub const fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Returns what a failure counts as, if the hook sets it for all classes.
    #[must_use]
    pub const fn on_failure(&self) -> Option<Posture> {
        self.on_failure
    }

    /// Returns the classes of failure for which the hook sets what they count as.
    pub fn on_failure_of(&self) -> impl Iterator<Item = (FailureClass, Posture)> {
        self.on.iter().map(|(class, posture)| (*class, *posture))
    }

    /// Returns whether it runs in the background, so that the agent does not wait for it.
    #[must_use]
    pub const fn is_background(&self) -> bool {
        self.background
    }

    /// Returns whether it is fired and recorded: its calls are jobs for the queue of the host, see
    /// [`jobs`](crate::jobs).
    #[must_use]
    pub const fn is_recorded(&self) -> bool {
        self.recorded
    }

    /// Returns whether what becomes of its recorded calls is of interest to the user of the agent, and not to its operator
    /// only.
    #[must_use]
    pub const fn is_visible_to_user(&self) -> bool {
        self.visible_to_user
    }

    /// Returns whether what its step gathers is of no use without it: see
    /// [`Decision::failed_required`](crate::Decision::failed_required).
    #[must_use]
    pub const fn is_required(&self) -> bool {
        self.required
    }

    /// Returns the ids of the hooks that must have answered in the same turn before this one is called.
    #[must_use]
    pub fn needs(&self) -> &[String] {
        &self.needs
    }

    /// Returns what stands in for its contributions if it fails.
    #[must_use]
    pub fn fallback(&self) -> &[Contribution] {
        &self.fallback
    }

    /// Returns how often a call that has failed is tried again.
    #[must_use]
    pub fn retry(&self) -> Option<&Retry> {
        self.retry.as_deref()
    }

    /// Returns the pieces by which it judges a text that still comes; `None` if it wants the whole.
    #[must_use]
    pub fn text_window(&self) -> Option<TextWindow> {
        self.text_window.as_deref().copied()
    }

    /// Returns the name under which the handler was declared, if several hooks may use it.
    #[must_use]
    pub fn shared_handler(&self) -> Option<&str> {
        self.shared.as_deref()
    }

    /// Returns the manifest of the handler, if it has one.
    #[must_use]
    pub fn capabilities(&self) -> Option<&Capabilities> {
        self.built.capabilities.as_deref()
    }

    /// Returns whether its patches are merged into the fields (RFC 7396) instead of replacing them.
    #[must_use]
    pub const fn merges(&self) -> bool {
        self.merge
    }

    /// Returns whether its allow counts as an approval.
    #[must_use]
    pub const fn may_allow(&self) -> bool {
        self.may_allow
    }

    /// Returns whether its answer depends on the step alone, and a call changes nothing: an external hook that is
    /// pure may be called where nothing comes of its answer.
    #[must_use]
    pub const fn is_pure(&self) -> bool {
        self.pure
    }

    /// Returns the labels.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Returns the steps that show whether the hook works. They have no part in a dispatch, nor in the hash of the
    /// config.
    #[must_use]
    pub fn canaries(&self) -> &[Canary] {
        &self.canaries
    }

    /// Returns where the hook comes from.
    #[must_use]
    pub const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the files that the handler runs, as absolute paths.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.built.executables
    }

    /// Returns the files whose content is a part of the hook, as absolute paths. A host that
    /// watches a config loads it again when one of them changes.
    #[must_use]
    pub fn sources(&self) -> &[PathBuf] {
        &self.built.sources
    }

    /// Returns whether the handler counts or remembers something from step to step.
    #[must_use]
    pub const fn keeps_state(&self) -> bool {
        self.built.keeps_state
    }

    /// Returns whether what the handler does lies outside of this process: a program, a service, a model.
    #[must_use]
    pub const fn is_external(&self) -> bool {
        self.built.external
    }

    /// Returns whether the handler only adds to a step, and never refuses one.
    #[must_use]
    pub const fn never_refuses(&self) -> bool {
        self.built.never_refuses
    }

    /// Returns whether what the hook says, or whether it is called, depends on steps before: it counts or remembers, or
    /// has a condition on what others have kept.
    #[must_use]
    pub fn depends_on_history(&self) -> bool {
        let conditions = self.matcher.all_registered();
        self.built.keeps_state
            || self.built.uses_history
            || conditions.iter().any(|(built, _)| built.condition().uses_history())
    }

    /// Returns how the handler will run, each a phrase: `sandbox: enforced`.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.built.notes
    }

    /// Returns why the hook is set aside, if it has a mistake: what it is about gets its posture. See
    /// [`Loader::quarantine`](crate::config::Loader::quarantine).
    #[must_use]
    pub fn why_set_aside(&self) -> Option<&str> {
        self.notes().last().filter(|_| self.unread.set_aside).map(String::as_str)
    }

    /// Returns the hook in whose place this one stands, since that was found dead while it was in force: see
    /// [`Engine::enforce_proof`](crate::Engine::enforce_proof).
    #[must_use]
    pub fn in_place_of(&self) -> Option<&Self> {
        self.in_place_of.as_deref()
    }

    /// Returns the hook that was declared: the one in whose place this one stands, or else this one.
    #[must_use]
    pub fn declared(&self) -> &Self {
        self.in_place_of().unwrap_or(self)
    }

    /// Removes the order between this hook and others, so that it can be put into a table without
    /// them.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::Stop).after("other").build();
    /// assert!(HandlerTable::builder().insert(hook.clone()).build().is_err(), "no hook `other`");
    /// assert!(HandlerTable::builder().insert(hook.unordered()).build().is_ok());
    /// ```
    #[must_use]
    pub fn unordered(mut self) -> Self {
        self.after.clear();
        self.before.clear();
        self.needs.clear();
        self
    }

    /// Sets whether its decisions count.
    #[must_use]
    pub const fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Switches the hook off, as a layer asks for.
    pub(crate) const fn switched_off(mut self, by: Layer) -> Self {
        self.mode = Mode::Off;
        self.off_by = Some(by);
        self
    }

    /// Puts the hook below hooks of layers that bind more: it is called after them, whatever it asks for,
    /// and its allow approves nothing. `lowest` is the priority of the last of them.
    pub(crate) fn below(mut self, lowest: i64, is_above: impl Fn(&str) -> bool) -> Self {
        self.priority = self.priority.max(lowest);
        self.before.retain(|id| !is_above(id));
        self.may_allow = false;
        self
    }

    /// Returns whether [`HookSpec::below`] would change nothing.
    pub(crate) fn is_below(&self, lowest: i64, is_above: impl Fn(&str) -> bool) -> bool {
        self.priority >= lowest && !self.may_allow && !self.before.iter().any(|id| is_above(id))
    }

    /// Makes it a hook of a scope: its id, and those of hooks of the scope that it names, are in a space of their own.
    pub(crate) fn of_scope(mut self, is_of_scope: impl Fn(&str) -> bool) -> Self {
        self.id = HookId::from(format!("{SCOPE}{}", self.id));
        let others = [&mut self.after, &mut self.before, &mut self.needs];
        for id in others.into_iter().flatten().filter(|id| is_of_scope(id)) {
            *id = format!("{SCOPE}{id}");
        }
        // There may be thousands of it.
        self.events.shrink_to_fit();
        self.is_of_scope = true;
        self
    }

    /// Returns whether it is a hook of a scope.
    pub(super) const fn is_of_scope(&self) -> bool {
        self.is_of_scope
    }

    /// Removes the order between this hook and some others.
    pub(crate) fn unordered_with(mut self, is_meant: impl Fn(&str) -> bool) -> Self {
        self.after.retain(|id| !is_meant(id));
        self.before.retain(|id| !is_meant(id));
        self
    }

    /// Wraps the handler in a [layer](crate::layer), or replaces it: by one that counts,
    /// records, limits the time or plays back. What the handler declares about itself (role, files,
    /// probe) stays. The layer counts: the hook has another [identity](Self::config_hash) with it, and listings and
    /// votes say that it is there.
    ///
    /// ```
    /// use hookgate::layer::around;
    /// use hookgate::{Hook, Verdict};
    ///
    /// let spec = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).build();
    /// let quiet = spec.map_handler(around(|handler, call| Box::pin(async move {
    ///     handler.invoke(call).await.map(|_| Verdict::none())
    /// })));
    /// assert_eq!((quiet.id().as_str(), quiet.layers()), ("no-bash", 1));
    /// ```
    #[must_use]
    pub fn map_handler(mut self, layer: impl HandlerLayer) -> Self {
        self.layers = self.layers.saturating_add(1);
        self.watch_handler(layer)
    }

    /// As [`HookSpec::map_handler`], for tools that look at hooks or play steps through them: the layer does not count.
    #[doc(hidden)]
    #[must_use]
    pub fn watch_handler(mut self, layer: impl HandlerLayer) -> Self {
        self.built.handler = layer.layer(self.built.handler);
        // Where the handler could be cut, what is around it may not.
        self.built.cuts = None;
        self
    }

    /// Sets what a failure of this class counts as, for tools that play steps through hooks.
    #[doc(hidden)]
    #[must_use]
    pub fn with_posture_of(mut self, class: FailureClass, posture: Posture) -> Self {
        self.on.insert(class, posture);
        self
    }

    /// Returns how many layers are around the handler: see [`HookSpec::map_handler`].
    #[must_use]
    pub const fn layers(&self) -> u32 {
        self.layers
    }

    /// Returns whether the handler is a closure of the host, and not made by a kind of handler.
    pub(crate) const fn is_closure(&self) -> bool {
        self.built.registration == 0
    }

    /// Returns whether the handler may have been written for another hook system.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(&*self.kind, "command" | "http")
    }

    /// Returns whether all events that the hook names could be read.
    pub(crate) const fn has_all_events(&self) -> bool {
        !self.unread.events
    }

    pub(crate) const fn built(&self) -> &BuiltHandler {
        &self.built
    }
}

/// Returns the key of hooks.toml that sets what a failure of a class counts as.
pub(crate) const fn override_key(class: FailureClass) -> &'static str {
    match class {
        FailureClass::Timeout => "on_timeout",
        FailureClass::Spawn => "on_spawn",
        FailureClass::Exit => "on_exit",
        FailureClass::Signal => "on_signal",
        FailureClass::Malformed => "on_malformed",
        FailureClass::Illegal => "on_illegal",
        FailureClass::Oversize => "on_oversize",
        FailureClass::Unreachable => "on_unreachable",
        FailureClass::HttpStatus => "on_http_status",
        FailureClass::Auth => "on_auth",
        FailureClass::Overloaded => "on_overloaded",
        FailureClass::Panic => "on_panic",
        FailureClass::Cancelled => "on_cancelled",
        FailureClass::Budget => "on_budget",
        FailureClass::Unsure => "on_unsure",
        FailureClass::State => "on_state",
        FailureClass::Unclear => "on_unclear",
        FailureClass::Skipped => "on_skipped",
        _ => "on_untrusted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_of_failures_has_a_key_of_its_name() {
        for class in FailureClass::ALL {
            assert_eq!(override_key(class), format!("on_{}", class.name()));
        }
    }
}
