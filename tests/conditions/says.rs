//! A condition that says what its value tells it to, and notes what it is told.

use hookgate::Registry;
use hookgate::config::{ConfigErrors, Loaded, Loader};
use hookgate::contract::{BuiltCondition, Condition, ConditionKind, Envelope, Truth};

use crate::support::Log;

/// Says a truth: `says = "unknown"`.
pub(crate) struct Says {
    pub(crate) truth: Truth,
    /// The name under which it notes what it is told.
    pub(crate) name: String,
    /// The hook that it watches.
    pub(crate) watched: Option<String>,
    pub(crate) log: Log,
}

impl Condition for Says {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        if self.comes_last() {
            self.log.push("last asked");
        }
        self.truth
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        match self.truth {
            Truth::Unknown => format!("`{}` is not known before it runs", self.name),
            truth => format!("`{}` says {truth}", self.name),
        }
    }

    fn subject(&self, _: &Envelope<'_>) -> Option<String> {
        (self.truth == Truth::True).then(|| format!("`{}` does it", self.name))
    }

    fn held(&self, step: &Envelope<'_>, truth: Truth) {
        let held = if truth == Truth::True { "held" } else { "may hold" };
        self.log.push(format!("{} {held} at {}", self.name, step.payload().event_name()));
    }

    fn comes_last(&self) -> bool {
        self.name == "last"
    }

    fn watches(&self) -> Option<&str> {
        self.watched.as_deref()
    }

    fn noted(&self, _: &Envelope<'_>) {
        self.log.push(format!("{} noted", self.name));
    }

    fn warnings(&self) -> Vec<String> {
        let warning = || "it is written with a `?`".to_owned();
        self.name.contains('?').then(warning).into_iter().collect()
    }
}

pub(crate) fn truth(name: &str) -> Option<Truth> {
    [Truth::True, Truth::False, Truth::Unknown].into_iter().find(|truth| truth.name() == name)
}

/// The condition as Rust code makes it.
pub(crate) fn says(of: Truth) -> BuiltCondition {
    let name = "$CMD".to_owned();
    let condition = Says { truth: of, name, watched: None, log: Log::default() };
    BuiltCondition::new("says", of.name(), condition)
}

/// The kind `says`: a truth, or a table `{ truth, name, watched }`.
pub(crate) fn kind(log: &Log) -> ConditionKind {
    let log = log.clone();
    ConditionKind::new("says", move |settings, context| {
        let (mut name, mut watched) = (context.hook.to_owned(), None);
        let said = if let Some(hookgate::contract::settings::NodeValue::Text(text)) =
            settings.node("says").map(|node| &node.value)
        {
            text.clone()
        } else {
            let mut table = settings.table("says")?;
            name = table.text("name").map_or(name, str::to_owned);
            watched = table.text("watched").map(str::to_owned);
            let said = table.required_text("truth").map(str::to_owned);
            settings.absorb(table.finish());
            said?
        };
        let Some(truth) = truth(&said) else {
            settings.invalid("says", format!("`{said}` is no truth: write true, false or unknown"));
            return None;
        };
        Some(Box::new(Says { truth, name, watched, log: log.clone() }))
    })
    .about("says what it is told to")
    .example("says = \"true\"")
}

pub(crate) fn registry(log: &Log) -> Registry {
    let registry = crate::support::registry();
    registry.add_condition(kind(log)).unwrap();
    registry
}

pub(crate) fn load(log: &Log, text: &str) -> Result<Loaded, ConfigErrors> {
    Loader::new(&registry(log)).parse("hooks.toml", text, ".".as_ref())
}

/// A hook that denies, with these lines.
pub(crate) fn deny(lines: &str) -> String {
    format!(
        "[[hook]]\nid = \"h\"\nevent = \"pre_tool_use\"\n{lines}\n\
         builtin = {{ name = \"deny\", reason = \"it is fixed\" }}\n"
    )
}
