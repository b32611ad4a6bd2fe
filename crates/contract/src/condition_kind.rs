//! A kind of conditions, as it is added to a registry.
//!
//! The engine knows the names of tools and the fields of a step. Every other condition is of a kind
//! that a host has registered: its key in hooks.toml, the code that reads the value, and the
//! [`Condition`] that this code returns.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::settings::{Node, NodeValue, SettingEntry, SettingError, Settings};
use serde_json::Value;

use crate::condition::{BuiltCondition, Condition};
use crate::contract::Supports;
use crate::event::Event;
use crate::layer::Layer;
use crate::section::{SchemaFn, Sections};

/// What the code that reads a condition knows beside the value.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ConditionContext<'a> {
    /// The folder of the file; relative paths start here.
    pub base: &'a Path,
    /// The id of the hook; empty if it is not known.
    pub hook: &'a str,
    /// The events of the hook, except those that a glob names; empty if they are not known.
    pub events: &'a [Event],
    /// The layer of the file; [`Layer::Code`] if it is none of a config.
    pub layer: Layer,
    sections: Option<&'a Sections>,
}

impl<'a> ConditionContext<'a> {
    /// Describes a file in this folder.
    #[must_use]
    pub const fn new(base: &'a Path) -> Self {
        Self { base, hook: "", events: &[], layer: Layer::Code, sections: None }
    }

    /// Names the hook.
    #[must_use]
    pub const fn of_hook(self, hook: &'a str) -> Self {
        Self { hook, ..self }
    }

    /// Names the events of the hook.
    #[must_use]
    pub const fn at(self, events: &'a [Event]) -> Self {
        Self { events, ..self }
    }

    /// Names the layer of the file.
    #[must_use]
    pub const fn in_layer(self, layer: Layer) -> Self {
        Self { layer, ..self }
    }

    /// Adds what the registered sections of the file became.
    #[must_use]
    pub const fn with_sections(self, sections: &'a Sections) -> Self {
        Self { sections: Some(sections), ..self }
    }

    /// Returns what the section of this type became; `None` if the file does not have it.
    #[must_use]
    pub fn section<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.sections?.get()
    }
}

/// Reads a condition from settings that hold its key and no other. If it cannot, it has noted the
/// reason in the settings.
pub type ReadConditionFn =
    dyn Fn(&mut Settings<'_>, &ConditionContext<'_>) -> Option<Box<dyn Condition>> + Send + Sync;

/// A kind of conditions: the key in hooks.toml, and what reads its value.
///
/// ```
/// use hookgate_contract::{Condition, ConditionKind, Envelope, Truth};
///
/// /// Holds from this turn on.
/// struct FromTurn(u64);
///
/// impl Condition for FromTurn {
///     fn hold(&self, step: &Envelope<'_>) -> Truth {
///         // A host that does not count turns gives 0.
///         match step.context().turn {
///             0 => Truth::Unknown,
///             turn => (turn >= self.0).into(),
///         }
///     }
///
///     fn explain(&self, step: &Envelope<'_>) -> String {
///         match step.context().turn {
///             0 => "the turn is not known".to_owned(),
///             turn => format!("it is turn {turn}, and {} is the first", self.0),
///         }
///     }
/// }
///
/// let kind = ConditionKind::new("from_turn", |settings, _| {
///     let turn = settings.within("from_turn", 1..=i64::MAX)?;
///     Some(Box::new(FromTurn(turn.unsigned_abs())))
/// })
/// .about("holds from a turn on")
/// .example("from_turn = 3")
/// .schema(|| serde_json::json!({"type": "integer", "minimum": 1}));
/// assert_eq!(kind.name(), "from_turn");
/// ```
#[derive(Clone)]
pub struct ConditionKind {
    name: &'static str,
    about: &'static str,
    example: &'static str,
    schema: Arc<SchemaFn>,
    supports: Option<Supports>,
    is_set: bool,
    nests: bool,
    read: Arc<ReadConditionFn>,
}

impl ConditionKind {
    /// Creates a kind. The name is its key in a hook. The code gets settings with this key only, and
    /// reads the value as that of any setting: `settings.text("git_branch")`.
    pub fn new(
        name: &'static str,
        read: impl Fn(&mut Settings<'_>, &ConditionContext<'_>) -> Option<Box<dyn Condition>>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name,
            about: "",
            example: "",
            schema: Arc::new(|| Value::Bool(true)),
            supports: None,
            is_set: false,
            nests: true,
            read: Arc::new(read),
        }
    }

    /// Says in one line what it is for.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Shows a line of hooks.toml: `git_branch = "main"`.
    #[must_use]
    pub const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    /// Sets the JSON Schema of its value, without references. It is made when somebody asks for it: no
    /// step needs it.
    #[must_use]
    pub fn schema(mut self, schema: impl Fn() -> Value + Send + Sync + 'static) -> Self {
        self.schema = Arc::new(schema);
        self
    }

    /// Declares at which events it makes sense; at the others it is refused.
    #[must_use]
    pub const fn supports(mut self, supports: Supports) -> Self {
        self.supports = Some(supports);
        self
    }

    /// Declares that neither order nor repetition matters in a list that is its value: two such lists
    /// are the same config.
    #[must_use]
    pub const fn set(mut self) -> Self {
        self.is_set = true;
        self
    }

    /// Declares that it cannot stand inside of `any` and `not`, because it does something when it
    /// [has held](Condition::held).
    #[must_use]
    pub const fn top_level(mut self) -> Self {
        self.nests = false;
        self
    }

    /// Returns the name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what it is for, in one line.
    #[must_use]
    pub const fn about_text(&self) -> &'static str {
        self.about
    }

    /// Returns a line of hooks.toml that uses it.
    #[must_use]
    pub const fn example_line(&self) -> &'static str {
        self.example
    }

    /// Returns the JSON Schema of its value.
    #[must_use]
    pub fn value_schema(&self) -> Value {
        (self.schema)()
    }

    /// Returns the check of the events at which it makes sense; `None` if it makes sense at all.
    #[must_use]
    pub const fn supported(&self) -> Option<Supports> {
        self.supports
    }

    /// Returns whether it can stand inside of `any` and `not`.
    #[must_use]
    pub const fn is_nestable(&self) -> bool {
        self.nests
    }

    /// Reads a condition from the entry of a file that has its key.
    ///
    /// # Errors
    /// What is wrong with the value, each with its span; at least one.
    pub fn read(
        &self,
        entry: &SettingEntry,
        context: &ConditionContext<'_>,
    ) -> Result<BuiltCondition, Vec<SettingError>> {
        let span = entry.node.span.clone();
        let table = Node { span, value: NodeValue::Table(vec![entry.clone()]) };
        let mut settings = Settings::new(&table);
        let read = (self.read)(&mut settings, context);
        // A kind need not have looked at the value again after a mistake.
        settings.node(self.name);
        if read.is_none() && !settings.has_errors() {
            settings.invalid(self.name, "no condition can be made of it");
        }
        let errors = settings.finish();
        match read {
            Some(condition) if errors.is_empty() => Ok(BuiltCondition {
                key: self.name,
                written: entry.node.to_json(),
                condition: condition.into(),
                supports: self.supports,
                is_set: self.is_set,
                nests: self.nests,
            }),
            _ => Err(errors),
        }
    }

    /// Makes a condition of a value, as if it were written in a file: for hooks that are made in Rust.
    ///
    /// # Errors
    /// What is wrong with the value; at least one.
    pub fn build(
        &self,
        value: &Value,
        context: &ConditionContext<'_>,
    ) -> Result<BuiltCondition, Vec<SettingError>> {
        let node = Node::from_json(value);
        self.read(&SettingEntry { key: self.name.to_owned(), key_span: 0..0, node }, context)
    }
}

impl fmt::Debug for ConditionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionKind").field("name", &self.name).finish_non_exhaustive()
    }
}
