//! Environment variables of a session.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Environment variables of one session: values that stand before those of the process for the programs that hooks
/// start.
///
/// A runtime that serves many users has one environment of its own, and the token of each user in another session. A hook
/// gets what it lists (`env = ["GITHUB_TOKEN"]`) from here first, and no more than that: a variable that no hook lists
/// goes nowhere. `PATH`, `HOME` and the others that every program gets are taken from here, too. A program that runs for
/// all sessions (a worker, an MCP server) refuses a session whose values it would have to get and has not; a job that
/// outlives the process gets those of the process that does it. A clone shares the values. They are in no envelope, record or log, and `Debug` shows the names alone.
///
/// ```
/// use hookgate_contract::{SessionEnv, StepContext};
///
/// let env = SessionEnv::from_iter([("GITHUB_TOKEN", "ghp_of_this_user")]);
/// let context = StepContext::new("session-1").env(&env);
/// assert_eq!(context.env.and_then(|env| env.get("GITHUB_TOKEN")), Some("ghp_of_this_user"));
/// assert_eq!(format!("{env:?}"), r#"SessionEnv({"GITHUB_TOKEN"})"#);
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SessionEnv(Arc<BTreeMap<String, String>>);

impl SessionEnv {
    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Returns the names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for SessionEnv {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        let variables = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        Self(Arc::new(variables.collect()))
    }
}

impl fmt::Debug for SessionEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: std::collections::BTreeSet<&str> = self.names().collect();
        f.debug_tuple("SessionEnv").field(&names).finish()
    }
}
