//! A section of a config beside the hooks, as it is added to a registry.

use std::any::Any;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::layer::Layer;
use crate::settings::{Node, NodeValue, SettingEntry, SettingError, Settings};
use serde_json::Value;

/// What the sections of a config became that condition kinds know: see [`ConfigSection`].
#[derive(Clone, Default)]
pub struct Sections {
    values: Vec<Arc<dyn Any + Send + Sync>>,
}

impl Sections {
    /// Adds what a section became.
    pub fn add(&mut self, value: Arc<dyn Any + Send + Sync>) {
        self.values.push(value);
    }

    /// Returns what is of this type.
    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.values.iter().find_map(|value| Arc::clone(value).downcast().ok())
    }
}

impl fmt::Debug for Sections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sections").field("len", &self.values.len()).finish()
    }
}

/// Makes the JSON Schema of a value in a config.
pub(crate) type SchemaFn = dyn Fn() -> Value + Send + Sync;

/// Reads a section from settings that hold its key and no other.
type ReadSectionFn =
    dyn Fn(&mut Settings<'_>, &Path) -> Option<Arc<dyn Any + Send + Sync>> + Send + Sync;

/// Makes the hooks that a section stands for, each as the value of a `[[hook]]`.
type HooksFn = dyn Fn(&Value, Layer) -> Vec<Value> + Send + Sync;

/// A section of a config beside the hooks, such as `[[tool]]`: something that the kinds of one crate
/// have in common. It is read before the hooks, and kinds of conditions get what it became from
/// [`ConditionContext::section`](crate::ConditionContext::section).
///
/// ```
/// use hookgate_contract::ConfigSection;
/// use hookgate_contract::settings::{Node, NodeValue};
///
/// /// The names under `[holidays]`.
/// struct Holidays(Vec<String>);
///
/// let section = ConfigSection::new("holidays", |settings, _| {
///     let mut table = settings.table("holidays")?;
///     let names = table.list("names").unwrap_or_default();
///     let names = names.into_iter().map(str::to_owned).collect();
///     settings.absorb(table.finish());
///     Some(Holidays(names))
/// });
/// assert_eq!(section.name(), "holidays");
/// ```
#[derive(Clone)]
pub struct ConfigSection {
    name: &'static str,
    about: &'static str,
    is_of_machine: bool,
    schema: Arc<SchemaFn>,
    read: Arc<ReadSectionFn>,
    hooks: Option<Arc<HooksFn>>,
}

impl ConfigSection {
    /// Creates a section. The name is its key at the top of the file. The code gets settings with this
    /// key only, and the folder of the file; it is called only if the file has the section.
    pub fn new<T: Send + Sync + 'static>(
        name: &'static str,
        read: impl Fn(&mut Settings<'_>, &Path) -> Option<T> + Send + Sync + 'static,
    ) -> Self {
        let read = move |settings: &mut Settings<'_>, base: &Path| {
            Some(Arc::new(read(settings, base)?) as Arc<dyn Any + Send + Sync>)
        };
        let schema = Arc::new(|| Value::Bool(true));
        Self { name, about: "", is_of_machine: false, schema, read: Arc::new(read), hooks: None }
    }

    /// Says in one line what it is for.
    #[must_use]
    pub const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Makes it a section that only the administrator of the machine may write: in the config of a user or of a
    /// project it is a mistake.
    #[must_use]
    pub const fn of_machine(mut self) -> Self {
        self.is_of_machine = true;
        self
    }

    /// Returns whether only the administrator of the machine may write it.
    #[must_use]
    pub const fn is_of_machine(&self) -> bool {
        self.is_of_machine
    }

    /// Sets the JSON Schema of its value, without references. It is made when somebody asks for it: no
    /// step needs it.
    #[must_use]
    pub fn schema(mut self, schema: impl Fn() -> Value + Send + Sync + 'static) -> Self {
        self.schema = Arc::new(schema);
        self
    }

    /// Makes it stand for hooks. The code gets the section as it was written, if there is no mistake in it, and the
    /// layer of its file, and returns each hook as the value of a `[[hook]]`.
    #[must_use]
    pub fn hooks(
        mut self,
        hooks: impl Fn(&Value, Layer) -> Vec<Value> + Send + Sync + 'static,
    ) -> Self {
        self.hooks = Some(Arc::new(hooks));
        self
    }

    /// Returns whether it stands for hooks.
    #[must_use]
    pub const fn stands_for_hooks(&self) -> bool {
        self.hooks.is_some()
    }

    /// Returns the hooks that it stands for in a file of a layer, at the place of its key.
    #[must_use]
    pub fn hooks_of(&self, entry: &SettingEntry, layer: Layer) -> Vec<Node> {
        let hooks = self.hooks.iter().flat_map(|hooks| hooks(&entry.node.to_json(), layer));
        hooks.map(|hook| Node::from_json(&hook).at(&entry.key_span)).collect()
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

    /// Returns the JSON Schema of its value.
    #[must_use]
    pub fn value_schema(&self) -> Value {
        (self.schema)()
    }

    /// Reads the section from the entry of a file that has its key.
    ///
    /// # Errors
    /// What is wrong with it, each with its span; at least one.
    pub fn read(
        &self,
        entry: &SettingEntry,
        base: &Path,
    ) -> Result<Arc<dyn Any + Send + Sync>, Vec<SettingError>> {
        let span = entry.node.span.clone();
        let table = Node { span, value: NodeValue::Table(vec![entry.clone()]) };
        let mut settings = Settings::new(&table);
        let read = (self.read)(&mut settings, base);
        settings.node(self.name);
        if read.is_none() && !settings.has_errors() {
            settings.invalid(self.name, "nothing can be made of it");
        }
        let errors = settings.finish();
        match read {
            Some(value) if errors.is_empty() => Ok(value),
            _ => Err(errors),
        }
    }
}

impl fmt::Debug for ConfigSection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigSection").field("name", &self.name).finish_non_exhaustive()
    }
}
