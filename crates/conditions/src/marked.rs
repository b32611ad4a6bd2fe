//! The condition `marked`: what was marked earlier in the session.
//!
//! ```toml
//! marked = "edited"                           # at some earlier step of the session
//! marked = { edited = { after = "tested" } }  # and later than `tested`, or `tested` never was
//! marked = { edited = { within = "10m" } }    # and in the last ten minutes
//! ```
//!
//! Several marks in one table must all hold. A mark that was never set does not hold; `not = { marked = … }`
//! is the contrary. A hook knows the marks of its own layer and of those above it. Marks of one and the same step are of the same time: whether one of them was set after
//! the other is unknown. What the present step sets is not seen yet.

use std::time::{Duration, SystemTime};

use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::{Condition, ConditionKind, Envelope, Layer, StateError, Truth};
use serde_json::json;

use crate::clock::is_known;
use crate::history::{History, Marked, Moment};
use crate::mark::{MarkNames, NAME_PATTERN, check_name};
use crate::memory::Memory;
use crate::session_marks::{KnownMark, is_later};
use crate::texts::invalid;

/// Returns the kind.
pub(crate) fn kind(memory: Memory, names: MarkNames) -> ConditionKind {
    ConditionKind::new("marked", move |settings, context| {
        let node = settings.node("marked")?;
        let layer = context.layer;
        let tests = read(settings, node, layer)?;
        Some(Box::new(IsMarked { tests, layer, memory: memory.clone(), names: names.clone() }))
    })
    .about("a mark that hooks have set at earlier steps of the session")
    .example(r#"marked = { edited = { after = "tested" } }"#)
    .schema(schema)
}

fn schema() -> serde_json::Value {
    json!({
        "description": "Marks that were set at earlier steps of the session.",
        "oneOf": [
            {"type": "string", "pattern": NAME_PATTERN},
            {
                "type": "object",
                "minProperties": 1,
                "propertyNames": {"pattern": NAME_PATTERN},
                "additionalProperties": {
                    "type": "object",
                    "minProperties": 1,
                    "properties": {
                        "after": {
                            "type": "string",
                            "pattern": NAME_PATTERN,
                            "description": "It was marked later than this one, or this one never was.",
                        },
                        "within": {
                            "type": "string",
                            "description": "It was marked in this time before the step, such as \"10m\".",
                        },
                    },
                    "additionalProperties": false,
                },
            },
        ],
    })
}

/// Reads the tests. What is wrong is noted in the settings.
fn read(settings: &mut Settings<'_>, node: &Node, layer: Layer) -> Option<Vec<Test>> {
    let entries = match &node.value {
        NodeValue::Text(name) => {
            if let Err(problem) = check_name(name) {
                settings.invalid("marked", problem);
                return None;
            }
            let mark = KnownMark::new(layer, name);
            return Some(vec![Test { mark, after: None, within: None }]);
        }
        NodeValue::Table(entries) if entries.is_empty() => {
            settings.invalid("marked", "it is empty: name a mark, such as \"tested\"");
            return None;
        }
        NodeValue::Table(entries) => entries,
        NodeValue::List(_) => {
            let problem = "a list could mean any or all of them: write any = [{ marked = \"a\" }, …], or a table for all";
            settings.invalid("marked", problem);
            return None;
        }
        _ => {
            settings.text("marked");
            return None;
        }
    };
    let mut tests = Vec::new();
    for entry in entries {
        if let Err(problem) = check_name(&entry.key) {
            settings.absorb([invalid("marked", entry.key_span.clone(), problem)]);
        }
        let mut table = Settings::new(&entry.node);
        let after = table.text("after");
        if let Some(Err(problem)) = after.map(check_name) {
            table.invalid("after", problem);
        }
        if after == Some(&*entry.key) {
            table.invalid("after", "a mark is never set after itself");
        }
        let within = table.duration("within");
        if matches!(entry.node.value, NodeValue::Table(_))
            && !table.has("after")
            && !table.has("within")
        {
            let problem =
                format!("give `after` or `within`; without them write marked = \"{}\"", entry.key);
            table.absorb([invalid(&entry.key, entry.node.span.clone(), problem)]);
        }
        settings.absorb(table.finish());
        let mark = KnownMark::new(layer, &entry.key);
        tests.push(Test { mark, after: after.map(|name| KnownMark::new(layer, name)), within });
    }
    Some(tests)
}

/// A test of one mark.
struct Test {
    mark: KnownMark,
    after: Option<KnownMark>,
    within: Option<Duration>,
}

impl Test {
    /// Returns whether it holds, and why.
    fn run(&self, history: &dyn History, moment: &Moment<'_>) -> (Truth, String) {
        self.find(history, moment).unwrap_or_else(|error| {
            let name = self.mark.name();
            (Truth::Unknown, format!("it is not known whether `{name}` was marked: {error}"))
        })
    }

    fn find(
        &self,
        history: &dyn History,
        moment: &Moment<'_>,
    ) -> Result<(Truth, String), StateError> {
        let name = self.mark.name();
        let Some(set) = self.mark.last(history, moment)? else {
            return Ok((Truth::False, format!("`{name}` was not marked at any earlier step")));
        };
        if self.within.is_some() && !(is_known(moment.at) && is_known(set.at)) {
            let why = format!("when `{name}` was marked is not known: there is no clock");
            return Ok((Truth::Unknown, why));
        }
        let ago = ago(moment.at, set);
        let recent = match self.within {
            Some(within) if elapsed(moment.at, set) > within => {
                let within = humantime::format_duration(within);
                let why = format!("`{name}` was marked {ago}, not within {within}");
                return Ok((Truth::False, why));
            }
            Some(within) => format!(", within {}", humantime::format_duration(within)),
            None => String::new(),
        };
        let Some(other) = &self.after else {
            return Ok((Truth::True, format!("`{name}` was marked {ago}{recent}")));
        };
        let before = other.last(history, moment)?;
        let other = other.name();
        let holds = is_later(set, before);
        let why = match holds {
            _ if before.is_none() => {
                format!("`{name}` was marked {ago}{recent}, and `{other}` never")
            }
            Truth::True => format!("`{name}` was marked {ago}{recent}, after `{other}`"),
            Truth::False => format!("`{name}` was marked {ago}{recent}, before `{other}`"),
            Truth::Unknown => format!(
                "`{name}` and `{other}` were marked at the same step, and which came first is not known"
            ),
        };
        Ok((holds, why))
    }
}

fn elapsed(now: SystemTime, set: Marked) -> Duration {
    now.duration_since(set.at).unwrap_or_default()
}

fn ago(now: SystemTime, set: Marked) -> String {
    let seconds = Duration::from_secs(elapsed(now, set).as_secs());
    if seconds.is_zero() {
        "just now".to_owned()
    } else {
        format!("{} ago", humantime::format_duration(seconds))
    }
}

struct IsMarked {
    tests: Vec<Test>,
    layer: Layer,
    memory: Memory,
    names: MarkNames,
}

impl IsMarked {
    fn run(&self, step: &Envelope<'_>) -> Vec<(Truth, String)> {
        self.memory.at(step, |history, moment| {
            self.tests.iter().map(|test| test.run(history, moment)).collect()
        })
    }
}

impl Condition for IsMarked {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        Truth::conjunction(self.run(step).into_iter().map(|(truth, _)| truth))
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        self.run(step).into_iter().map(|(_, why)| why).collect::<Vec<_>>().join("; ")
    }

    fn needs_marks(&self) -> Vec<&str> {
        self.tests.iter().map(|test| test.mark.name()).collect()
    }

    fn uses_history(&self) -> bool {
        true
    }

    fn is_heavy(&self) -> bool {
        false
    }

    fn warnings(&self) -> Vec<String> {
        let tested = self.tests.iter().flat_map(|test| [Some(&test.mark), test.after.as_ref()]);
        let names = tested.flatten().map(KnownMark::name);
        names.filter_map(|name| self.names.doubt(self.layer, name)).collect()
    }
}
