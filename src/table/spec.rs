//! A hook as it is declared.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use hookgate_contract::{
    BuiltHandler, Event, FailureClass, HandlerLayer, Mode, Posture, Role,
};

use super::on::EventSelector;
use crate::matcher::MatchSpec;

/// A hook as it is declared: what hooks.toml says, in Rust.
///
/// ```
/// use hookgate::{Event, HookSpec, Role, Verdict, contract::BuiltHandler};
///
/// let hook = HookSpec::new("no-bash", "mine", BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| Ok(Verdict::deny("no"))))
///     .event(Event::PreToolUse)
///     .tool("Bash")
///     .role(Role::Guard);
/// assert_eq!(hook.id(), "no-bash");
/// ```
#[derive(Debug, Clone)]
pub struct HookSpec {
    id: String,
    kind: String,
    built: BuiltHandler,
    events: Vec<EventSelector>,
    matcher: MatchSpec,
    definition: String,
    pub(super) role: Option<Role>,
    pub(super) mode: Mode,
    pub(super) priority: i64,
    pub(super) after: Vec<String>,
    pub(super) before: Vec<String>,
    pub(crate) timeout: Option<Duration>,
    pub(super) on_failure: Option<Posture>,
    pub(super) on: BTreeMap<FailureClass, Posture>,
    pub(crate) background: bool,
    pub(crate) merge: bool,
    pub(crate) may_allow: bool,
    pub(super) tags: Vec<String>,
}

impl HookSpec {
    /// A hook of an id, answered by a handler of a kind.
    #[must_use]
    pub fn new(id: impl Into<String>, kind: impl Into<String>, built: BuiltHandler) -> Self {
        Self {
            id: id.into(),
            kind: kind.into(),
            built,
            events: Vec::new(),
            matcher: MatchSpec::default(),
            definition: String::new(),
            role: None,
            mode: Mode::default(),
            priority: 100,
            after: Vec::new(),
            before: Vec::new(),
            timeout: None,
            on_failure: None,
            on: BTreeMap::new(),
            background: false,
            merge: false,
            may_allow: false,
            tags: Vec::new(),
        }
    }

    /// Adds an event.
    #[must_use]
    pub fn event(self, event: Event) -> Self {
        self.event_selectors([EventSelector::event(event)])
    }

    /// Adds an event `x.<name>` of the embedder. The table has to know its contract
    /// ([`TableBuilder::contract`](super::TableBuilder::contract)).
    #[must_use]
    pub fn custom_event(self, name: impl Into<String>) -> Self {
        self.event_selectors([EventSelector::custom(name)])
    }

    /// Adds events.
    #[must_use]
    pub fn event_selectors(mut self, events: impl IntoIterator<Item = EventSelector>) -> Self {
        self.events.extend(events);
        self
    }

    /// Adds the name of a tool.
    #[must_use]
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.matcher.tool.push(name.into());
        self
    }

    /// Sets all conditions.
    #[must_use]
    pub fn when(mut self, matcher: MatchSpec) -> Self {
        self.matcher = matcher;
        self
    }

    /// Sets the power.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Sets whether what it says counts.
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the priority: lower is asked first, 100 is the default.
    #[must_use]
    pub const fn priority(mut self, priority: i64) -> Self {
        self.priority = priority;
        self
    }

    /// Asks it after another hook. What decides cannot come after one that is only told what was
    /// decided, and nothing after one in the background: that is an error when the table is built.
    #[must_use]
    pub fn after(mut self, id: impl Into<String>) -> Self {
        self.after.push(id.into());
        self
    }

    /// Asks it before another hook.
    #[must_use]
    pub fn before(mut self, id: impl Into<String>) -> Self {
        self.before.push(id.into());
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets what a failure counts as.
    #[must_use]
    pub const fn on_failure(mut self, posture: Posture) -> Self {
        self.on_failure = Some(posture);
        self
    }

    /// Sets what a failure of a class counts as.
    #[must_use]
    pub fn on_failure_of(mut self, class: FailureClass, posture: Posture) -> Self {
        self.on.insert(class, posture);
        self
    }

    /// Lets it run beside the agent, which does not wait for it.
    #[must_use]
    pub const fn background(mut self, background: bool) -> Self {
        self.background = background;
        self
    }

    /// Merges its patches into the fields (RFC 7396) instead of replacing them.
    #[must_use]
    pub const fn merge(mut self, merge: bool) -> Self {
        self.merge = merge;
        self
    }

    /// Lets its allow count as an approval.
    #[must_use]
    pub const fn may_allow(mut self, may_allow: bool) -> Self {
        self.may_allow = may_allow;
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Forgets which hooks it is asked after and before, so that it can stand without them.
    #[must_use]
    pub fn unordered(mut self) -> Self {
        self.after.clear();
        self.before.clear();
        self
    }

    /// Wraps the handler of the hook in a [layer](hookgate_contract::layer), or replaces it: by one
    /// that counts, records, limits the time or plays back. What the handler declares about itself
    /// stays.
    #[must_use]
    pub fn map_handler(mut self, layer: impl HandlerLayer) -> Self {
        self.built.handler = layer.layer(self.built.handler);
        self
    }

    /// Keeps the text that the hook was read from, for the hash of the table.
    #[must_use]
    pub(crate) fn definition(mut self, text: String) -> Self {
        self.definition = text;
        self
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The kind of the handler.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[EventSelector] {
        &self.events
    }

    /// The conditions.
    #[must_use]
    pub const fn matcher(&self) -> &MatchSpec {
        &self.matcher
    }

    /// The priority.
    #[must_use]
    pub const fn priority_value(&self) -> i64 {
        self.priority
    }

    /// The labels.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.tags
    }

    /// Whether it runs beside the agent.
    #[must_use]
    pub const fn is_background(&self) -> bool {
        self.background
    }

    /// The files that the handler runs, as absolute paths.
    #[must_use]
    pub fn files(&self) -> &[PathBuf] {
        &self.built.executables
    }

    /// The files that are a part of the hook, as absolute paths: who follows a config loads it again
    /// when one of them changes.
    #[must_use]
    pub fn sources(&self) -> &[PathBuf] {
        &self.built.sources
    }

    /// How the handler will run, each a phrase: `sandbox: enforced`.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.built.notes
    }

    /// Whether it may be a script or a service that was written for another system.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self.kind.as_str(), "command" | "http")
    }

    pub(crate) const fn built(&self) -> &BuiltHandler {
        &self.built
    }

    /// The handler of an earlier hook takes the place of this one's, if they were made of the same.
    pub(crate) fn keep_handler_of(mut self, earlier: &Self) -> Self {
        let same = self.kind == earlier.kind
            && self.definition == earlier.definition
            && self.built.registration == earlier.built.registration
            && self.built.identity.is_some()
            && self.built.identity == earlier.built.identity;
        if same {
            self.built = earlier.built.clone();
        }
        self
    }

    /// What the hash of the table is made of.
    pub(super) fn fingerprint(&self) -> String {
        // Not the handler: where its code lies differs from run to run.
        format!(
            "{:?}",
            (
                (&self.id, &self.kind, &self.events, &self.matcher, &self.definition),
                &self.built.identity,
                (self.role, self.mode, self.priority, &self.after, &self.before, self.timeout),
                (
                    self.on_failure,
                    &self.on,
                    self.background,
                    self.merge,
                    self.may_allow,
                    &self.tags
                ),
            )
        )
    }
}

/// The key of hooks.toml that sets what a failure of a class counts as.
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
        _ => "on_untrusted",
    }
}
