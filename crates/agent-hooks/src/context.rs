//! A context: what an interceptor sees at a point.

use std::fmt;

use serde_json::{Map, Value};

use crate::point::{CORE, InterceptionPoint};
use crate::target_path::{TargetError, TargetPath};

/// The version of the standard that contexts made here name.
pub const SPEC: &str = "agent-hooks/0.1";

/// How deep a context may nest: deeper ones are refused before anything walks through them.
const MAX_DEPTH: usize = 128;

/// Why a context is refused. No value of it is repeated: it may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContextError {
    /// A member is missing or has another form.
    #[error("`{path}` must be {expected}")]
    Member {
        /// Where: `session.id`.
        path: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The target is another value than the one that it stands for.
    #[error("`target` must be the same value as `{0}`")]
    Target(String),
    /// It nests too deep.
    #[error("it nests deeper than {MAX_DEPTH} levels")]
    Depth,
}

impl ContextError {
    /// Where it is wrong.
    pub(crate) fn path(&self) -> String {
        match self {
            Self::Member { path, .. } => path.clone(),
            Self::Target(_) => "target".to_owned(),
            Self::Depth => "$".to_owned(),
        }
    }

    /// What should be there.
    pub(crate) const fn expected(&self) -> &'static str {
        match self {
            Self::Member { expected, .. } => expected,
            Self::Target(_) => "the value that it stands for",
            Self::Depth => "less deep",
        }
    }
}

/// A context that has all that its point requires, with a target that is what it stands for.
///
/// ```
/// use hookgate_agent_hooks::AgentContext;
/// use serde_json::json;
///
/// let context = json!({
///     "spec": "agent-hooks/0.1", "interception_point": "output",
///     "timestamp": "2026-01-01T00:00:00Z", "sequence": 3,
///     "agent": {"id": "a", "framework": "mine"}, "session": {"id": "s"},
///     "output": {"content": "done"}, "target": {"content": "done"},
/// });
/// let context = AgentContext::from_value(context)?;
/// assert_eq!((context.session_id(), context.sequence()), ("s", 3));
/// assert!(AgentContext::from_value(json!({"spec": "agent-hooks/0.1"})).is_err());
/// # Ok::<_, hookgate_agent_hooks::ContextError>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct AgentContext {
    point: InterceptionPoint,
    members: Map<String, Value>,
}

impl AgentContext {
    /// Checks a context.
    ///
    /// # Errors
    /// What it lacks.
    pub fn new(members: Map<String, Value>) -> Result<Self, ContextError> {
        check_depth(&members)?;
        let point = check_members(&members)?;
        let context = Self { point, members };
        match context.mirrored() {
            Some(value) if value == context.target() => Ok(context),
            _ => Err(ContextError::Target(path_of(point))),
        }
    }

    /// Checks a value that should be a context.
    ///
    /// # Errors
    /// As [`AgentContext::new`].
    pub fn from_value(value: Value) -> Result<Self, ContextError> {
        match value {
            Value::Object(members) => Self::new(members),
            _ => Err(wrong("$", "an object")),
        }
    }

    /// Returns the point.
    #[must_use]
    pub const fn point(&self) -> InterceptionPoint {
        self.point
    }

    /// Returns all members.
    #[must_use]
    pub const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Takes all members out.
    #[must_use]
    pub fn into_members(self) -> Map<String, Value> {
        self.members
    }

    /// Returns the value that the action uses or has made: the only one that a verdict may change.
    #[must_use]
    pub fn target(&self) -> &Value {
        self.members.get("target").unwrap_or(&Value::Null)
    }

    /// Returns the session.
    #[must_use]
    pub fn session_id(&self) -> &str {
        self.text("session", "id").unwrap_or_default()
    }

    /// Returns the number of the context in its session.
    #[must_use]
    pub fn sequence(&self) -> i64 {
        self.members.get("sequence").and_then(Value::as_i64).unwrap_or_default()
    }

    /// Sets the part of the target that a path names, and the value that the target stands for with it.
    ///
    /// # Errors
    /// The point allows no change, or the path names nothing.
    pub fn transform(mut self, path: &TargetPath, value: Value) -> Result<Self, TargetError> {
        if !self.point.may_transform() {
            return Err(TargetError::Forbidden);
        }
        let mut target = self.target().clone();
        path.set(&mut target, value)?;
        self.set_target(target);
        Ok(self)
    }

    /// Sets the target, and the value that it stands for.
    pub(crate) fn set_target(&mut self, target: Value) {
        let (member, inner) = self.point.target();
        match (inner, self.members.get_mut(member)) {
            (Some(inner), Some(Value::Object(outer))) => {
                outer.insert(inner.to_owned(), target.clone());
            }
            _ => {
                self.members.insert(member.to_owned(), target.clone());
            }
        }
        self.members.insert("target".to_owned(), target);
    }

    /// Returns a text in a member.
    pub(crate) fn text(&self, member: &str, inner: &str) -> Option<&str> {
        self.members.get(member)?.get(inner)?.as_str()
    }

    /// Returns a value in a member.
    pub(crate) fn inner(&self, member: &str, inner: &str) -> Option<&Value> {
        self.members.get(member)?.get(inner)
    }

    /// The value that the target stands for.
    fn mirrored(&self) -> Option<&Value> {
        match self.point.target() {
            (member, Some(inner)) => self.inner(member, inner),
            (member, None) => self.members.get(member),
        }
    }
}

impl fmt::Debug for AgentContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentContext")
            .field("point", &self.point)
            .field("session_id", &self.session_id())
            .field("sequence", &self.sequence())
            .finish_non_exhaustive()
    }
}

fn wrong(path: impl Into<String>, expected: &'static str) -> ContextError {
    ContextError::Member { path: path.into(), expected }
}

fn path_of(point: InterceptionPoint) -> String {
    match point.target() {
        (member, Some(inner)) => format!("{member}.{inner}"),
        (member, None) => member.to_owned(),
    }
}

/// Refuses what nests too deep, without recursion: it guards all that walks through a context.
fn check_depth(members: &Map<String, Value>) -> Result<(), ContextError> {
    let mut open: Vec<(&Value, usize)> = members.values().map(|value| (value, 2)).collect();
    while let Some((value, depth)) = open.pop() {
        if depth > MAX_DEPTH {
            return Err(ContextError::Depth);
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => open.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}

fn check_members(members: &Map<String, Value>) -> Result<InterceptionPoint, ContextError> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let inner = |name: &str, inner: &str| members.get(name)?.get(inner)?.as_str();
    if !text("spec").is_some_and(is_spec) {
        return Err(wrong("spec", "`agent-hooks/` and a version"));
    }
    let point = text("interception_point").and_then(InterceptionPoint::from_name);
    let point = point.ok_or_else(|| wrong("interception_point", "one of the eight points"))?;
    if text("timestamp").is_none() {
        return Err(wrong("timestamp", "a text"));
    }
    if members.get("sequence").and_then(Value::as_i64).is_none_or(|number| number < 0) {
        return Err(wrong("sequence", "a whole number, 0 or more"));
    }
    if inner("agent", "id").is_none_or(str::is_empty) {
        return Err(wrong("agent.id", "a text that is not empty"));
    }
    if !inner("agent", "framework").is_some_and(is_framework) {
        return Err(wrong("agent.framework", "small letters, digits, `_` and `-`"));
    }
    if inner("session", "id").is_none_or(str::is_empty) {
        return Err(wrong("session.id", "a text that is not empty"));
    }
    for (name, needed) in CORE.iter().chain(point.members()) {
        let Some(value) = members.get(*name) else { return Err(wrong(*name, "there")) };
        for inner in *needed {
            if value.get(inner).is_none() {
                return Err(wrong(format!("{name}.{inner}"), "there"));
            }
        }
    }
    Ok(point)
}

fn is_spec(spec: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let version = spec.strip_prefix("agent-hooks/").and_then(|version| version.split_once('.'));
    version.is_some_and(|(major, minor)| digits(major) && digits(minor))
}

fn is_framework(name: &str) -> bool {
    let allowed =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    !name.is_empty() && name.bytes().all(allowed)
}
