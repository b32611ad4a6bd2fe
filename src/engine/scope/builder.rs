//! What a scope is opened with.

use std::collections::HashSet;
use std::sync::Arc;

use hookgate_contract::SessionEnv;
use serde_json::{Map, Value};

use super::Scope;
use super::error::ScopeError;
use super::facts::Facts;
use super::hooks::ScopeHooks;
use super::joined::JoinedEngine;
#[cfg(feature = "overrides")]
use crate::config::{ConfigErrors, Loader, Overrides};
use crate::engine::Engine;
use crate::hook_id::HookId;
use crate::table::HookSpec;

/// Collects what a scope has of its own. Begun by [`Engine::scope`] and [`Scope::agent`].
#[must_use = "a scope is there once it is opened"]
#[derive(Debug, Clone)]
pub struct ScopeBuilder {
    base: Arc<Engine>,
    facts: Facts,
    hooks: ScopeHooks,
    /// Under their own ids.
    added: Vec<HookSpec>,
    error: Option<ScopeError>,
}

impl ScopeBuilder {
    pub(super) fn new(base: &Arc<Engine>, session_id: Arc<str>) -> Self {
        let (base, facts) = (Arc::clone(base), Facts::new(session_id));
        Self { base, facts, hooks: ScopeHooks::default(), added: Vec::new(), error: None }
    }

    /// Begins one with all that another scope has.
    pub(super) fn within(scope: &JoinedEngine, facts: &Facts) -> Self {
        let (base, facts) = (Arc::clone(scope.base()), facts.clone());
        let (hooks, error) = match scope.hooks() {
            Some(hooks) => (hooks, None),
            None => (ScopeHooks::default(), Some(ScopeError::Ended)),
        };
        Self { base, facts, hooks, added: Vec::new(), error }
    }

    /// Adds a hook. Its id is `scope/<id>`; a hook of the scope that it is ordered against is named by its plain id.
    pub fn hook(mut self, hook: impl Into<HookSpec>) -> Self {
        self.added.push(hook.into());
        self
    }

    /// Adds what an override says: hooks as in a hooks.toml, and hooks to go without. `loader` knows the kinds of
    /// handlers. What is wrong with it is told by [`ScopeBuilder::open`].
    ///
    /// ```
    /// # #[cfg(feature = "builtin")] {
    /// use std::sync::Arc;
    /// use hookgate::config::{Loader, Overrides};
    /// use hookgate::{Engine, Registry};
    ///
    /// let registry = Registry::from_iter([hookgate::builtin::kind()]);
    /// let text = r#"{"entries": [{"id": "no-push", "event": "pre_tool_use", "tool": "Bash",
    ///                             "builtin": {"name": "deny", "reason": "no"}}]}"#;
    /// let overlay = Overrides::parse("session-1", text, ".".as_ref())?;
    /// let engine = Arc::new(Engine::without_hooks());
    /// let scope = engine.scope("session-1").overlay(&Loader::new(&registry), overlay).open()?;
    /// assert_eq!(scope.table().specs().next().unwrap().id(), "scope/no-push");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "overrides")]
    pub fn overlay(mut self, loader: &Loader<'_>, overrides: Overrides) -> Self {
        let mut wrong = overrides.check(&self.base.table());
        match loader.read_added(&overrides) {
            Ok(added) => {
                let added = added.iter().flat_map(|file| file.table().specs());
                self.added.extend(added.cloned());
            }
            Err(errors) => wrong.extend(errors.into_errors()),
        }
        if !wrong.is_empty() {
            let errors = ConfigErrors::new(wrong);
            self.error = Some(match self.error {
                None => ScopeError::Overlay(errors),
                Some(ScopeError::Overlay(earlier)) => ScopeError::Overlay(earlier.and(errors)),
                Some(other) => other,
            });
        }
        self.hooks.go_without(overrides);
        self
    }

    /// Makes it that of one agent of the session.
    pub fn agent(mut self, agent_id: impl Into<Arc<str>>, agent_type: impl Into<Arc<str>>) -> Self {
        self.facts.agent = Some((agent_id.into(), agent_type.into()));
        self
    }

    /// Sets the folder that the session works in.
    pub fn cwd(mut self, cwd: impl Into<Arc<str>>) -> Self {
        self.facts.cwd = Some(cwd.into());
        self
    }

    /// Adds facts of the host that hooks read: see [`StepContext::host`](hookgate_contract::StepContext::host).
    pub fn host(mut self, host: Map<String, Value>) -> Self {
        self.facts.host = Some(Arc::new(host));
        self
    }

    /// Sets environment variables of the session, which stand before those of the process for the programs that hooks
    /// start: see [`SessionEnv`].
    pub fn env(mut self, env: SessionEnv) -> Self {
        self.facts.env = Some(env);
        self
    }

    /// Says that the host shows the model no context that hooks give: see
    /// [`StepContext::no_context`](hookgate_contract::StepContext::no_context).
    pub const fn no_context(mut self) -> Self {
        self.facts.no_context = true;
        self
    }

    /// Opens the scope.
    ///
    /// # Errors
    /// Everything that is wrong with its hooks: with them, or with them and those of the engine together.
    pub fn open(mut self) -> Result<Scope, ScopeError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if let Some(hook) = self.added.iter().find(|hook| hook.is_recorded()) {
            return Err(ScopeError::Recorded(hook.id().clone()));
        }
        let own: HashSet<HookId> = self.added.iter().map(|hook| hook.id().clone()).collect();
        for hook in self.added {
            self.hooks.add(hook, |id| own.contains(id));
        }
        let engine = JoinedEngine::open(self.base, self.hooks)?;
        Ok(Scope { facts: Arc::new(self.facts), engine: Arc::new(engine) })
    }
}
