//! The condition `when`: a window of time.
//!
//! ```toml
//! when = { days = ["mon-fri"], hours = "09:00-17:00", zone = "Europe/Berlin" }
//! when = { hours = "22:00-06:00" }                       # over midnight
//! when = { from = "2026-12-20", until = "2027-01-02" }   # a freeze
//! ```
//!
//! * `days`: days of the week and ranges of them; the default is every day.
//! * `hours`: one or more windows of the day on the wall clock, whose end is not a part of them. A window
//!   over midnight belongs to the day on which it starts: `days = "fri"` with `hours = "22:00-06:00"`
//!   also covers the early Saturday, and not the early Friday.
//! * `from`, `until`: the first and the last moment. A day is meant whole; `"2026-12-20T18:00"` is a
//!   moment.
//! * `zone`: the time zone of all of these; the default is that of the machine. Where clocks change, the
//!   wall clock counts: an hour that is skipped is in no window, and one that comes twice is twice.
//!
//! All that is given must hold. Outside of a window is `not = { when = … }`. Only a clock beyond the
//! calendar makes it unknown.

mod dates;
mod days;
mod hours;
mod window;
mod zone;

use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{Condition, ConditionKind, Envelope, Truth};
use serde_json::json;

use crate::clock::Clock;
use crate::texts::{invalid, texts};
use dates::Bound;
use days::Days;
use hours::Hours;
use window::Window;
use zone::Zone;

/// Returns the kind.
pub(crate) fn kind(clock: Arc<dyn Clock>) -> ConditionKind {
    ConditionKind::new("when", move |settings, _| {
        let mut table = settings.table("when")?;
        let window = read(&mut table);
        settings.absorb(table.finish());
        Some(Box::new(When { window: window?, clock: Arc::clone(&clock) }))
    })
    .about("the time: days of the week, hours, dates, in a time zone")
    .example(r#"when = { days = ["mon-fri"], hours = "09:00-17:00", zone = "Europe/Berlin" }"#)
    .schema(schema)
}

/// Reads a window. What is wrong with it is noted in the settings.
fn read(table: &mut Settings<'_>) -> Option<Window> {
    if table.entries().is_empty() {
        table.absorb([invalid(
            "when",
            table.span(),
            "it is empty: give days, hours, from or until",
        )]);
        return None;
    }
    let days = each(table, "days", Days::parse);
    let hours = each(table, "hours", Hours::parse);
    let zone = one(table, "zone", Zone::parse);
    let from = one(table, "from", Bound::parse);
    let until = one(table, "until", Bound::parse);
    if let (Some(first), Some(last)) = (from, until)
        && last.is_over(first.first())
    {
        table.invalid("until", format!("it is not after `from`, which is {first}"));
    }
    let days = days.into_iter().reduce(Days::and);
    if zone.is_some() && days.is_none() && hours.is_empty() && from.is_none() && until.is_none() {
        let problem = "a zone alone is no window: give days, hours, from or until as well";
        table.invalid("zone", problem);
    }
    Some(Window { days, hours, zone: zone.unwrap_or(Zone::Machine), from, until })
}

fn each<T>(
    table: &mut Settings<'_>,
    key: &'static str,
    parse: fn(&str) -> Result<T, String>,
) -> Vec<T> {
    let mut read = Vec::new();
    for text in texts(table, key) {
        match parse(text.text) {
            Ok(value) => read.push(value),
            Err(problem) => table.absorb([invalid(key, text.span, problem)]),
        }
    }
    read
}

fn one<T>(
    table: &mut Settings<'_>,
    key: &'static str,
    parse: fn(&str) -> Result<T, String>,
) -> Option<T> {
    let text = table.text(key)?;
    parse(text).map_err(|problem| table.invalid(key, problem)).ok()
}

fn schema() -> serde_json::Value {
    let texts = |about: &str, pattern: &str| {
        let text = json!({"type": "string", "pattern": pattern});
        json!({"description": about, "oneOf": [text, {"type": "array", "minItems": 1, "items": text}]})
    };
    let date = |about: &str| json!({"description": about, "type": "string", "pattern": r"^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?$"});
    json!({
        "type": "object",
        "description": "A window of time. All that is given must hold.",
        "properties": {
            "days": texts(
                "Days of the week and ranges of them, such as \"mon-fri\".",
                "^(?i:(mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(-|$)){1,2}$",
            ),
            "hours": texts(
                "Windows of the day, such as \"09:00-17:00\"; their end is not a part of them, and they may go over midnight.",
                r"^\d?\d:\d\d *- *\d?\d:\d\d$",
            ),
            "zone": {"type": "string", "description": "The time zone by its IANA name; the default is that of the machine."},
            "from": date("The first day or local time."),
            "until": date("The last day, which is a part of it, or the local time at which it ends."),
        },
        "additionalProperties": false,
        "anyOf": [
            {"required": ["days"]}, {"required": ["hours"]}, {"required": ["from"]}, {"required": ["until"]},
        ],
    })
}

struct When {
    window: Window,
    clock: Arc<dyn Clock>,
}

impl Condition for When {
    fn hold(&self, _step: &Envelope<'_>) -> Truth {
        self.window.contains(self.clock.now()).map_or(Truth::Unknown, Truth::from)
    }

    fn explain(&self, _step: &Envelope<'_>) -> String {
        self.window.explain(self.clock.now())
    }

    fn doubts(&self) -> Vec<String> {
        self.window.never_again(self.clock.now()).into_iter().collect()
    }

    fn depends_on_surroundings(&self) -> bool {
        true
    }

    fn is_heavy(&self) -> bool {
        false
    }
}
