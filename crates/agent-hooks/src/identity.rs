//! What binds an approval and a record to the very content that was judged.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hmac_sha256::Hash;
use hookgate_contract::json::{Integers, canonical};
use serde_json::{Map, Value};

use crate::context::AgentContext;
use crate::point::CORE;

/// The name of the identity that the standard defines.
pub const JCS_SHA256: &str = "jcs-sha256";

type IdentityFn = Arc<dyn Fn(&AgentContext) -> Option<String> + Send + Sync>;

/// How the identity of a context is made.
///
/// ```
/// use hookgate_agent_hooks::IdentityProvider;
///
/// let keyed = IdentityProvider::named("hmac-sha256-2026", |context| Some(context.session_id().to_owned()));
/// assert_eq!(keyed?.name(), Some("hmac-sha256-2026"));
/// assert!(IdentityProvider::named("jcs-mine", |_| None).is_err(), "the name is the standard's");
/// # Ok::<_, hookgate_agent_hooks::IdentityError>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum IdentityProvider {
    /// SHA-256 over the canonical form (RFC 8785) of what the point requires.
    #[default]
    JcsSha256,
    /// A function of the host's.
    #[non_exhaustive]
    Named {
        /// Its name in records.
        name: String,
        /// It returns `None` if it cannot compute.
        function: IdentityFn,
    },
    /// None: approvals and records are not bound to any content, and say so.
    Unbound,
}

/// Why there is no identity. It repeats nothing of the context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// Two readers of JSON could see two numbers.
    #[error("there is an integer beyond ±(2^53−1): send it as a string")]
    Integer,
    /// The function of the host failed.
    #[error("the identity provider failed")]
    Failed,
    /// A provider cannot have this name.
    #[error("a provider is named in small letters, digits, `_` and `-`, and not `jcs…`")]
    Name,
}

impl IdentityProvider {
    /// Names a function of the host's.
    ///
    /// # Errors
    /// [`IdentityError::Name`].
    pub fn named(
        name: impl Into<String>,
        function: impl Fn(&AgentContext) -> Option<String> + Send + Sync + 'static,
    ) -> Result<Self, IdentityError> {
        let name = name.into();
        let allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins || !name.bytes().all(allowed) || name.starts_with("jcs") {
            return Err(IdentityError::Name);
        }
        Ok(Self::Named { name, function: Arc::new(function) })
    }

    /// Returns the name in records; `None` if contexts have no identity.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::JcsSha256 => Some(JCS_SHA256),
            Self::Named { name, .. } => Some(name),
            Self::Unbound => None,
        }
    }

    /// Returns the identity of a context; `None` if contexts have none.
    ///
    /// # Errors
    /// It cannot be computed. Then nothing may happen.
    pub fn identity(&self, context: &AgentContext) -> Result<Option<String>, IdentityError> {
        match self {
            Self::Unbound => Ok(None),
            Self::JcsSha256 => jcs_sha256(context).map(Some),
            Self::Named { function, .. } => catch_unwind(AssertUnwindSafe(|| function(context)))
                .ok()
                .flatten()
                .ok_or(IdentityError::Failed)
                .map(Some),
        }
    }
}

impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdentityProvider").field(&self.name()).finish()
    }
}

fn jcs_sha256(context: &AgentContext) -> Result<String, IdentityError> {
    let required = required_members(context);
    // The canonical form knows integers beyond these, but other languages would make another of them.
    if Integers::Interoperable.problem(&required).is_some() {
        return Err(IdentityError::Integer);
    }
    let digest = Hash::hash(canonical(&required).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

/// What of a context its identity depends on: what the point requires, and nothing that it may have
/// beside that.
fn required_members(context: &AgentContext) -> Value {
    let members = CORE.iter().chain(context.point().members()).filter_map(|(name, inner)| {
        let value = context.members().get(*name)?;
        Some(((*name).to_owned(), only(value, inner)))
    });
    Value::Object(members.collect())
}

fn only(value: &Value, names: &[&str]) -> Value {
    match value {
        Value::Object(members) if !names.is_empty() => {
            let known = members.iter().filter(|(name, _)| names.contains(&name.as_str()));
            let kept: Map<_, _> =
                known.map(|(name, value)| (name.clone(), value.clone())).collect();
            Value::Object(kept)
        }
        whole => whole.clone(),
    }
}
