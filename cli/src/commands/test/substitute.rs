//! What hooks do in a case in place of their handlers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::contract::{Handler, Reply};
use hookgate::layer::{HandlerLayer as _, around};
use hookgate::table::{BuildErrors, TableBuilder};
use hookgate::{Failure, FailureClass, HandlerTable, HookSpec, Invocation, Verdict};

/// The kinds of handlers that are not called unless the user asks for it: they start programs, or send
/// steps to services.
const EXTERNAL: [&str; 4] = ["command", "http", "prompt", "mcp"];

/// The builtin that writes a file. It decides nothing, so without a substitute it does just that.
const LOG: &str = "log";

/// What a hook does in place of its handler.
#[derive(Debug, Clone)]
pub(super) enum Substitute {
    /// It fails in this way.
    Fault(FailureClass),
    /// It answers this.
    Stub(Verdict),
}

impl Substitute {
    /// Returns what the hook replies.
    pub(super) fn reply(&self) -> Reply {
        match self {
            Self::Fault(class) => Err(Failure::new(*class, "injected by the test")),
            Self::Stub(verdict) => Ok(verdict.clone()),
        }
    }
}

/// What hooks do at a step, by the ids of the hooks.
pub(super) type Substitutes = BTreeMap<String, Substitute>;

/// What hooks do at the present step, and which of them were called. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Harness(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    substitutes: Substitutes,
    called: BTreeSet<String>,
    missing: BTreeMap<String, String>,
}

impl Harness {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets what hooks do at the next step.
    pub(super) fn set(&self, substitutes: &Substitutes) {
        self.lock().substitutes.clone_from(substitutes);
    }

    /// Returns the hooks that were called since the last time.
    pub(super) fn take_called(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.lock().called)
    }

    /// Returns the external hooks that were reached without a substitute, each with the kind of its handler.
    pub(super) fn take_missing(&self) -> BTreeMap<String, String> {
        std::mem::take(&mut self.lock().missing)
    }

    /// Returns the table with the same hooks, whose handlers are replaced as the steps say. With `really`, external
    /// handlers without a substitute are called. `in_place` takes the place of the hook of its id.
    ///
    /// # Errors
    /// The table cannot be built again.
    pub(super) fn wrap(
        &self,
        table: &Arc<HandlerTable>,
        in_place: Option<&HookSpec>,
        really: bool,
    ) -> Result<HandlerTable, BuildErrors> {
        let mut builder = TableBuilder::from_table(table);
        for spec in table.specs() {
            let spec = in_place.filter(|other| other.id() == spec.id()).unwrap_or(spec);
            let watched = Watched {
                harness: self.clone(),
                hook: spec.id().to_string(),
                call: if really { Call::Always } else { Call::of(spec) },
            };
            builder
                .replace(spec.clone().watch_handler(move |handler| watched.clone().wrap(handler)));
        }
        builder.build()
    }
}

/// Whether the handler of a hook is called that has no substitute.
#[derive(Debug, Clone)]
enum Call {
    Always,
    /// It is not, and has no opinion.
    Never,
    /// It is not, and the case fails; this is the kind of the handler.
    NotWithout(String),
}

impl Call {
    fn of(spec: &HookSpec) -> Self {
        let settings = spec.settings();
        let name = settings.get("name").unwrap_or(settings).as_str();
        match spec.kind() {
            kind if EXTERNAL.contains(&kind) => Self::NotWithout(kind.to_owned()),
            "builtin" if name == Some(LOG) => Self::Never,
            _ => Self::Always,
        }
    }
}

/// A hook under test.
#[derive(Clone)]
struct Watched {
    harness: Harness,
    hook: String,
    call: Call,
}

impl Watched {
    /// Wraps a handler. One that answers at once still does.
    fn wrap(self, handler: Handler) -> Handler {
        match handler {
            Handler::Sync(inner) => Handler::Sync(Arc::new(move |call: Invocation<'_>| {
                self.reply().unwrap_or_else(|| inner.handle(call))
            })),
            waiting => around(move |handler, call| match self.reply() {
                Some(reply) => Box::pin(async move { reply }),
                None => handler.invoke(call),
            })
            .layer(waiting),
        }
    }

    /// Returns what the hook replies in place of its handler; `None` if that is called.
    fn reply(&self) -> Option<Reply> {
        let mut state = self.harness.lock();
        state.called.insert(self.hook.clone());
        match (state.substitutes.get(&self.hook), &self.call) {
            (Some(substitute), _) => Some(substitute.reply()),
            (None, Call::NotWithout(kind)) => {
                state.missing.insert(self.hook.clone(), kind.clone());
                Some(Err(Failure::new(FailureClass::Spawn, "not run by this test")))
            }
            (None, Call::Never) => Some(Ok(Verdict::none())),
            (None, Call::Always) => None,
        }
    }
}
