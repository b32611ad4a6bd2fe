//! The builder of hooks in Rust.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::Location;
use std::time::Duration;

use hookgate_contract::contribution::Contribution;
use hookgate_contract::payload::Safety;
use hookgate_contract::{
    BuiltCondition, BuiltHandler, Event, FailureClass, Invocation, Mode, Posture, Reply,
    ReplyFuture, Role,
};
use serde_json::Value;

use super::canary::Canary;
use super::event_selector::EventSelector;
use super::origin::Origin;
use super::retry::Retry;
use super::spec::{HookSpec, Unread};
use super::text_window::TextWindow;
use crate::hook_id::HookId;
use crate::layer::HandlerLayer;
use crate::matcher::{InputTest, MatchSpec};

/// The kind of a hook that is made of a closure.
const RUST: Cow<'static, str> = Cow::Borrowed("rust");

/// Builds a hook in Rust: what hooks.toml says, as a chain of setters.
///
/// A hook needs an id, a handler, and at least one event. Everything else has a default: no
/// conditions, the role that its handler or its event gives it, priority 100, the deadline of its
/// kind ([`Limits`](super::Limits)), and for failures what the event says.
///
/// Each setter sets one thing or adds to a list; none takes back what another one has set. Lists of
/// one condition are alternatives, and different conditions must all hold:
///
/// ```
/// use hookgate::{Event, Hook, Verdict};
/// use hookgate::matcher::Test;
///
/// let no_force_push = Hook::sync("no-force-push", |_| Ok(Verdict::deny("force push")))
///     .event(Event::PreToolUse)
///     .tool("Bash")
///     .tool("Shell") // either tool
///     .input("/command", Test::regex("push.*--force")); // and this command
/// assert_eq!(no_force_push.build().matcher().tool, ["Bash", "Shell"]);
/// ```
///
/// # What a handler returns
///
/// `Ok` with a [`Verdict`](hookgate_contract::Verdict): no opinion (`Verdict::none()`), a decision
/// (`deny`, `ask`, `halt`, `allow`), and for a rewriter a patch. What the event does not allow makes
/// the verdict illegal. `Err` with a [`Failure`](hookgate_contract::Failure), an illegal verdict, a
/// panic and a missed deadline are all failures: they count as the posture of the hook says, which
/// for a guard is deny unless the hook or the event says otherwise.
///
/// # Handlers that wait
///
/// A handler that waits is a closure that returns a boxed future:
///
/// ```
/// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let slow = Hook::async_fn("slow", |call| {
///     Box::pin(async move {
///         tokio::task::yield_now().await;
///         Ok(Verdict::deny(format!("{} said no", call.hook)))
///     })
/// });
/// let table = HandlerTable::builder().insert(slow.event(Event::PreToolUse)).build()?;
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let gate = Engine::new(table).dispatch(bash, &StepContext::new("session-1")).await;
/// let Gate::Denied(denied) = gate else { panic!() };
/// assert_eq!(denied.feedback(), "denied by slow: slow said no");
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
#[must_use = "a hook does nothing until it is inserted into a table"]
pub struct Hook {
    spec: HookSpec,
}

impl Hook {
    /// Creates a hook whose handler answers at once. The closure runs on the thread that
    /// dispatches, so it must not block.
    #[track_caller]
    pub fn sync<F>(id: impl Into<HookId>, handler: F) -> Self
    where
        F: for<'a> Fn(Invocation<'a>) -> Reply + Send + Sync + 'static,
    {
        Self::of(id.into(), RUST, BuiltHandler::from_sync(handler))
    }

    /// Creates a hook whose handler waits for something. It needs a tokio runtime with its clock;
    /// the deadline of the hook ends the wait, and dropping the dispatch drops the future.
    #[track_caller]
    pub fn async_fn<F>(id: impl Into<HookId>, handler: F) -> Self
    where
        F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
    {
        Self::of(id.into(), RUST, BuiltHandler::from_async(handler))
    }

    /// Creates a hook of a handler that declares more about itself than a closure does: a role, the
    /// events that it supports, a probe. The kind appears in listings and chooses the default
    /// deadline.
    #[track_caller]
    pub fn new(id: impl Into<HookId>, kind: impl Into<String>, built: BuiltHandler) -> Self {
        Self::of(id.into(), Cow::Owned(kind.into()), built)
    }

    #[track_caller]
    fn of(id: HookId, kind: Cow<'static, str>, built: BuiltHandler) -> Self {
        let origin = Origin::code(Location::caller());
        Self {
            spec: HookSpec {
                id,
                kind,
                built,
                layers: 0,
                events: Vec::new(),
                matcher: MatchSpec::default(),
                settings: Value::Null,
                role: None,
                mode: Mode::default(),
                priority: 100,
                after: Vec::new(),
                before: Vec::new(),
                timeout: None,
                on_failure: None,
                on: BTreeMap::new(),
                background: false,
                recorded: false,
                visible_to_user: false,
                required: false,
                needs: Vec::new(),
                fallback: Vec::new(),
                retry: None,
                text_window: None,
                shared: None,
                merge: false,
                may_allow: false,
                pure: false,
                off_by: None,
                tags: Vec::new(),
                canaries: Vec::new(),
                origin,
                unread: Unread::default(),
                in_place_of: None,
                is_of_scope: false,
            },
        }
    }

    /// Returns the hook as it was declared.
    #[must_use]
    pub fn build(self) -> HookSpec {
        self.spec
    }

    /// Adds an event.
    pub fn event(self, event: Event) -> Self {
        self.event_selectors([EventSelector::event(event)])
    }

    /// Adds several events.
    pub fn events(self, events: impl IntoIterator<Item = Event>) -> Self {
        self.event_selectors(events.into_iter().map(EventSelector::event))
    }

    /// Adds an event `x.<name>` of the embedder. The table must know its contract:
    /// [`TableBuilder::contract`](super::TableBuilder::contract).
    pub fn custom_event(self, name: impl Into<String>) -> Self {
        self.event_selectors([EventSelector::custom(name)])
    }

    /// Adds events that were selected by name: [`EventSelector::named`].
    pub fn event_selectors(mut self, events: impl IntoIterator<Item = EventSelector>) -> Self {
        self.spec.events.extend(events);
        self
    }

    /// Adds a condition on the name of the tool: a name, a glob, alternatives (`Edit|Write`), or
    /// one of these after `!`. Of several, one is enough.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.spec.matcher = self.spec.matcher.tool(name);
        self
    }

    /// Adds a class of tools that the hook is called about. Of several, one is enough.
    pub fn safety(mut self, safety: Safety) -> Self {
        self.spec.matcher = self.spec.matcher.safety(safety);
        self
    }

    /// Adds a condition on the id or type of the agent. Of several, one is enough.
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.spec.matcher = self.spec.matcher.agent(name);
        self
    }

    /// Sets whether the agent must be a sub-agent, or must not be one.
    pub fn subagent(mut self, subagent: bool) -> Self {
        self.spec.matcher = self.spec.matcher.subagent(subagent);
        self
    }

    /// Adds a glob for the path of the session's folder. Of several, one is enough.
    pub fn cwd_glob(mut self, glob: impl Into<String>) -> Self {
        self.spec.matcher = self.spec.matcher.cwd_glob(glob);
        self
    }

    /// Adds a condition on the value at a JSON pointer into the tool's input (into the payload at
    /// events without a tool). All such conditions must hold.
    pub fn input(mut self, pointer: impl Into<String>, test: impl Into<InputTest>) -> Self {
        self.spec.matcher = self.spec.matcher.input(pointer, test);
        self
    }

    /// Adds a condition on the value at a JSON pointer into the payload. All such conditions must
    /// hold.
    pub fn payload(mut self, pointer: impl Into<String>, test: impl Into<InputTest>) -> Self {
        self.spec.matcher = self.spec.matcher.payload(pointer, test);
        self
    }

    /// Adds a condition of a registered kind, or one of your own.
    ///
    /// ```
    /// use hookgate::contract::{BuiltCondition, Condition, Envelope, Truth};
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// /// Holds in the sessions whose id begins so.
    /// struct SessionPrefix(&'static str);
    ///
    /// impl Condition for SessionPrefix {
    ///     fn hold(&self, step: &Envelope<'_>) -> Truth {
    ///         step.context().session_id.starts_with(self.0).into()
    ///     }
    ///     fn explain(&self, step: &Envelope<'_>) -> String {
    ///         format!("the session is `{}`, and `{}` begins it", step.context().session_id, self.0)
    ///     }
    /// }
    ///
    /// let in_ci = BuiltCondition::new("session_prefix", "ci-", SessionPrefix("ci-"));
    /// let no_shell = Hook::sync("no-shell", |_| Ok(Verdict::deny("no shell in CI")))
    ///     .event(Event::PreToolUse)
    ///     .tool("Bash")
    ///     .condition(in_ci);
    /// assert!(HandlerTable::builder().insert(no_shell).build().is_ok());
    /// ```
    pub fn condition(mut self, condition: BuiltCondition) -> Self {
        self.spec.matcher = self.spec.matcher.condition(condition);
        self
    }

    /// Adds all conditions of a specification to those of the hook: see [`MatchSpec::merge`].
    ///
    /// ```
    /// use hookgate::{Hook, Verdict};
    /// use hookgate::matcher::{MatchSpec, Test};
    ///
    /// let pushes = MatchSpec::new().input("/command", Test::glob("git push*"));
    /// let hook = Hook::sync("h", |_| Ok(Verdict::none())).tool("Bash").matching(pushes).build();
    /// assert_eq!(hook.matcher().tool, ["Bash"], "nothing is lost");
    /// assert_eq!(hook.matcher().input.len(), 1);
    /// ```
    pub fn matching(mut self, conditions: MatchSpec) -> Self {
        self.spec.matcher = self.spec.matcher.merge(conditions);
        self
    }

    /// Sets the role: whether the hook observes, guards or rewrites. Without it the handler
    /// decides, and else the event. A guard that returns a patch, or an observer that denies, fails
    /// with class `illegal`.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Role, Verdict};
    ///
    /// let shorter = |call: hookgate::Invocation<'_>| {
    ///     Ok(call.tool().map_or(Verdict::none(), |_| Verdict::none().patch("tool_input", 1)))
    /// };
    /// let hook = Hook::sync("shorter", shorter).event(Event::PreToolUse).role(Role::Rewrite);
    /// assert!(HandlerTable::builder().insert(hook).build().is_ok());
    ///
    /// // Nothing can be rewritten when a session ends.
    /// let hook = Hook::sync("late", shorter).event(Event::SessionEnd).role(Role::Rewrite);
    /// assert!(HandlerTable::builder().insert(hook).build().is_err());
    /// ```
    pub const fn role(mut self, role: Role) -> Self {
        self.spec.role = Some(role);
        self
    }

    /// Sets whether its decisions count; they do by default. A new guard is best tried in
    /// [`Mode::Shadow`]: it is called, and its votes are recorded, but nothing comes of them.
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.spec.mode = mode;
        self
    }

    /// Sets the priority: hooks with a lower one are called first, 100 is the default.
    pub const fn priority(mut self, priority: i64) -> Self {
        self.spec.priority = priority;
        self
    }

    /// Orders it after another hook, whatever their priorities are. A hook that decides cannot come
    /// after one that observes, and nothing can come after a background hook: both are errors when
    /// the table is built.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse);
    /// let table = HandlerTable::builder()
    ///     .insert(hook("audit").priority(1).after("normalize"))
    ///     .insert(hook("normalize").priority(50))
    ///     .insert(hook("first").priority(10))
    ///     .build()?;
    /// let order: Vec<_> = table.listing().map(|listed| listed.id()).collect();
    /// assert_eq!(order, ["first", "normalize", "audit"]);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn after(mut self, id: impl Into<String>) -> Self {
        self.spec.after.push(id.into());
        self
    }

    /// Orders it before another hook, whatever their priorities are.
    pub fn before(mut self, id: impl Into<String>) -> Self {
        self.spec.before.push(id.into());
        self
    }

    /// Sets the deadline of a call. A handler that has not answered by then fails with class
    /// `timeout`. Of one that answers later all the same, because it blocks its thread, an ask, a deny or a halt
    /// counts, and nothing else.
    ///
    /// A handler that answers at once ([`Hook::sync`]) cannot be stopped: with a deadline it makes no table, unless it
    /// is [heavy](BuiltHandler::heavy) and runs on a thread of its own where a step is large.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.spec.timeout = Some(timeout);
        self
    }

    /// Sets what a failure counts as, of every class that has no posture of its own.
    pub const fn on_failure(mut self, posture: Posture) -> Self {
        self.spec.on_failure = Some(posture);
        self
    }

    /// Sets what a failure of one class counts as.
    ///
    /// ```
    /// use hookgate::{Event, FailureClass, HandlerTable, Hook, Posture, Verdict};
    ///
    /// // A guard that may be slow, but not broken.
    /// let hook = Hook::sync("guard", |_| Ok(Verdict::none()))
    ///     .event(Event::PreToolUse)
    ///     .on_failure(Posture::Deny)
    ///     .on_failure_of(FailureClass::Timeout, Posture::Ask);
    /// let table = HandlerTable::builder().insert(hook).build()?;
    /// let listed = table.listing().next().unwrap();
    /// assert_eq!(listed.posture(FailureClass::Timeout), Posture::Ask);
    /// assert_eq!(listed.posture(FailureClass::Panic), Posture::Deny);
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn on_failure_of(mut self, class: FailureClass, posture: Posture) -> Self {
        self.spec.on.insert(class, posture);
        self
    }

    /// Sets whether it runs in the background: the agent does not wait for it, and its decision has
    /// no effect. Only observers and rewriters of results can.
    pub const fn background(mut self, background: bool) -> Self {
        self.spec.background = background;
        self.spec.recorded = self.spec.recorded && background;
        self
    }

    /// Fires and records it: its calls become jobs for the queue of the host ([`jobs`](crate::jobs)), which outlive
    /// the process. It is in the background, too.
    pub const fn fire_and_record(mut self) -> Self {
        (self.spec.background, self.spec.recorded) = (true, true);
        self
    }

    /// Says that what becomes of its recorded calls is of interest to the user of the agent, and not to its operator only.
    /// Queues of jobs can be asked for that ([`Job::visible_to_user`](crate::jobs::Job::visible_to_user)).
    pub const fn visible_to_user(mut self, visible: bool) -> Self {
        self.spec.visible_to_user = visible;
        self
    }

    /// Makes it required at an event that gathers something and cannot be denied: if it fails, the runtime learns
    /// with the decision that what was gathered is not enough
    /// ([`Decision::failed_required`](crate::Decision::failed_required)), and hooks that come `after` it are skipped.
    ///
    /// ```
    /// use hookgate::contract::payload::{Planning, TurnPolicy};
    /// use hookgate::{Engine, Event, Failure, FailureClass, HandlerTable, Hook, HookEngine, StepContext};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let policy = Hook::sync("policy", |_| Err(Failure::new(FailureClass::Exit, "status 1")))
    ///     .event(Event::TurnPolicy)
    ///     .required(true);
    /// let engine = Engine::new(HandlerTable::builder().insert(policy).build()?);
    /// let gate = engine.dispatch(TurnPolicy(Planning::new("hello")), &StepContext::new("s")).await;
    /// let decision = gate.decision().unwrap();
    /// assert_eq!(decision.failed_required[0].hook, "policy");
    /// assert_eq!(decision.complete().unwrap_err().to_string(), "the required hook `policy` has failed (exit)");
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    pub const fn required(mut self, required: bool) -> Self {
        self.spec.required = required;
        self
    }

    /// Calls it only if another hook has answered before in the same turn: at the same event, after which it is
    /// ordered then, or at an earlier one. If that has failed, or was not called, this one fails with class `skipped`.
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = |id: &str| Hook::sync(id, |_| Ok(Verdict::none()));
    /// let plan = hook("plan").event(Event::TurnPolicy);
    /// let tools = hook("tools").event(Event::ToolSelection).needs("plan");
    /// assert!(HandlerTable::builder().insert(plan).insert(tools.clone()).build().is_ok());
    /// assert!(HandlerTable::builder().insert(tools).build().is_err(), "there is no hook `plan`");
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    pub fn needs(mut self, id: impl Into<String>) -> Self {
        self.spec.needs.push(id.into());
        self
    }

    /// Adds what stands in for its contributions if it fails.
    ///
    /// ```
    /// use hookgate::contract::contribution::ContextPiece;
    /// use hookgate::{Event, Hook, Verdict};
    ///
    /// let memory = Hook::sync("memory", |_| Ok(Verdict::none()))
    ///     .event(Event::PromptContext)
    ///     .fallback(ContextPiece::new("memory", "The memory cannot be read today."));
    /// assert_eq!(memory.build().fallback().len(), 1);
    /// ```
    pub fn fallback(mut self, contribution: impl Into<Contribution>) -> Self {
        self.spec.fallback.push(contribution.into());
        self
    }

    /// Tries a call that has failed again, as long as the deadline of the hook allows it.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.spec.retry = Some(Box::new(retry));
        self
    }

    /// Has it judge a text that still comes by windows, and not only as a whole: see [`stream`](crate::stream). It must be a
    /// guard at an event with such a text, without conditions on the text.
    pub fn text_window(mut self, window: TextWindow) -> Self {
        self.spec.text_window = Some(Box::new(window));
        self
    }

    /// Sets whether its patches are merged into the fields (RFC 7396) instead of replacing them.
    pub const fn merge(mut self, merge: bool) -> Self {
        self.spec.merge = merge;
        self
    }

    /// Sets whether its allow counts as an approval, so that the user is not asked.
    pub const fn may_allow(mut self, may_allow: bool) -> Self {
        self.spec.may_allow = may_allow;
        self
    }

    /// Sets whether its answer depends on the step alone, and a call changes nothing, so that it may be called where
    /// nothing comes of the answer. It changes no decision, and the hash of the config does not follow it.
    pub const fn pure(mut self, pure: bool) -> Self {
        self.spec.pure = pure;
        self
    }

    /// Adds a label, for listings.
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.spec.tags.push(tag.into());
        self
    }

    /// Adds a step that shows whether the hook works, for `hookgate certify`.
    pub fn canary(mut self, canary: Canary) -> Self {
        self.spec.canaries.push(canary);
        self
    }

    /// Wraps the handler: see [`HookSpec::map_handler`].
    pub fn map_handler(self, layer: impl HandlerLayer) -> Self {
        Self { spec: self.spec.map_handler(layer) }
    }

    /// Keeps the settings of the handler, for the identity of the hook.
    pub(crate) fn settings(mut self, settings: Value) -> Self {
        self.spec.settings = settings;
        self
    }

    /// Names the shared handler of the file that it uses.
    pub(crate) fn shared_handler(mut self, name: Option<String>) -> Self {
        self.spec.shared = name;
        self
    }

    /// Sets where the hook was read, and what of it could not be.
    pub(crate) fn read_from(mut self, origin: Origin, unread: Unread) -> Self {
        self.spec.origin = origin;
        self.spec.unread = unread;
        self
    }
}

impl From<Hook> for HookSpec {
    fn from(hook: Hook) -> Self {
        hook.spec
    }
}
