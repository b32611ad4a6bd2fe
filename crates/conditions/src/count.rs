//! The condition `count`: how often a hook held.
//!
//! ```toml
//! [[hook]]
//! id = "few-reads-outside"
//! event = "pre_tool_use"
//! reads = { outside = ["$cwd"] }
//! count = { over = 20 }                                      # the 21st such step, and all later ones
//! builtin = { name = "deny", reason = "enough was read outside of the project" }
//! ```
//!
//! It holds when the number of steps is over `over`, the present step included.
//!
//! * `of`: the id of the hook whose steps are counted: those for which its conditions hold, or are unknown.
//!   Without it, they are the steps for which the *other* conditions of this hook hold or are unknown, so
//!   that one hook can count and decide. That is the simplest form, and never depends on order. Another
//!   hook of the same event must come before this one (by `after`, `priority`, or its place in the file) for
//!   the present step to count; one that observes is called after the decision, so that its steps count
//!   from the next step on.
//! * `over`: the number up to which it does not hold, 0 to 10000.
//! * `per`: `"session"` (the default), `"turn"`, or a time such as `"1h"` before the step. A host that does
//!   not number its turns has one turn.
//!
//! * `distinct`: `"files"` counts the different files that `writes`, `reads`, `deletes` and `touches` of the counted
//!   hook mean, in place of its steps:
//!
//! ```toml
//! [[hook]]
//! id = "few-files"
//! event = "pre_tool_use"
//! writes = "**"
//! count = { distinct = "files", over = 20 }                  # a 21st file; the first 20 can be written again
//! builtin = { name = "deny", reason = "more than 20 files in one session: split the work" }
//! ```
//!
//! Each new file of the session gets a number, and the condition holds if a file of this step has a number over
//! `over`. At a step that the hook `of` is not called about, such as `stop`, it holds if there are more than `over`. A
//! folder that is meant as a whole (`cp -r`, `rm -r`) is one file, and so is all that one step does to files that
//! are not known before it runs. Files are counted over the session, so `per` cannot stand beside it, and `over` is
//! at most 1000.
//!
//! A step counts once, however often it is evaluated, and also if it is denied in the end: proposals are
//! counted. It cannot stand in `any` or `not`.

use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{Condition, ConditionKind, Envelope, StateError, Truth};
use serde_json::json;

use crate::distinct::DistinctFiles;
use crate::history::{Counted, Period};
use crate::memory::Memory;

/// The largest number that can be counted to: the times of so many steps may have to be kept.
const MOST: usize = 10_000;

/// The largest number of files that can be counted to.
const MOST_FILES: usize = 1000;

/// Returns the kind.
pub(crate) fn kind(memory: Memory) -> ConditionKind {
    ConditionKind::new("count", move |settings, context| {
        let mut table = settings.table("count")?;
        let count = read(&mut table, context.hook);
        settings.absorb(table.finish());
        let Asked { of, over, period, files } = count?;
        if files {
            return Some(Box::new(DistinctFiles::new(of, context.hook, over, memory.clone())));
        }
        let counter: Arc<str> = format!("{} {of} {}", context.hook, described(period)).into();
        let own = of == context.hook;
        Some(Box::new(Count { of, own, over, period, counter, memory: memory.clone() }))
    })
    .about("how often a hook held in the session, in the turn, or in a time; or of how many files")
    .example(r#"count = { of = "reads-outside", over = 20, per = "session" }"#)
    .schema(|| json!({
        "type": "object",
        "description": "Holds when a hook held more often than `over`, the present step included.",
        "properties": {
            "distinct": {
                "enum": ["files"],
                "description": "Counts the different files that the conditions of the hook mean, in place of its steps.",
            },
            "of": {
                "type": "string",
                "minLength": 1,
                "description": "The id of the hook that is counted; without it, the other conditions of this hook.",
            },
            "over": {
                "type": "integer",
                "minimum": 0,
                "maximum": MOST,
                "description": "How often it may hold before the condition holds.",
            },
            "per": {
                "type": "string",
                "pattern": "^(session|turn|[0-9].*)$",
                "description": "`session` (the default), `turn`, or a time such as `1h`.",
            },
        },
        "required": ["over"],
        "additionalProperties": false,
    }))
    .top_level()
}

/// What is counted, up to which number, and over what.
struct Asked {
    of: String,
    over: u64,
    period: Period,
    files: bool,
}

/// Reads the table.
fn read(table: &mut Settings<'_>, hook: &str) -> Option<Asked> {
    let of = table.text("of");
    if of == Some("") {
        table
            .invalid("of", "it is empty: name a hook by its id, or leave it out to count this one");
    }
    let distinct = table.node("distinct").is_some();
    let files = table.choice("distinct", &["files"], |text| (text == "files").then_some(true));
    if !table.has("over") {
        table.missing("over");
    }
    let over = table.count("over", 0..=if distinct { MOST_FILES } else { MOST });
    if distinct && table.has("per") {
        table.invalid("per", "different files are counted over the session: leave it out");
    }
    let period = match table.node("per").map(|_| table.text("per")) {
        None => Some(Period::Session),
        Some(None) => None,
        Some(Some("session")) => Some(Period::Session),
        Some(Some("turn")) => Some(Period::Turn),
        Some(Some(text)) if text.starts_with(|c: char| c.is_ascii_digit()) => {
            table.duration("per").map(Period::Last)
        }
        Some(Some(_)) => {
            table.choice("per", &["session", "turn", "a time such as \"1h\""], |_| None)
        }
    };
    Some(Asked {
        of: of.unwrap_or(hook).to_owned(),
        over: over? as u64,
        period: period?,
        files: if distinct { files? } else { false },
    })
}

fn described(period: Period) -> String {
    match period {
        Period::Session => "the session".to_owned(),
        Period::Turn => "the turn".to_owned(),
        Period::Last(time) => format!("the last {}", humantime::format_duration(time)),
    }
}

struct Count {
    of: String,
    /// Whether it counts the hook that it is a condition of.
    own: bool,
    over: u64,
    period: Period,
    /// The name of the counter in the history: the same when the config is loaded again.
    counter: Arc<str>,
    memory: Memory,
}

impl Count {
    /// Returns how many steps were counted, this one included if it counts. For a hook that counts itself
    /// the other conditions say whether it does, and without them it does not matter.
    fn counted(&self, step: &Envelope<'_>) -> Result<Counted, StateError> {
        let counted = self
            .memory
            .at(step, |history, moment| history.counted(moment, &self.counter, self.period))?;
        Ok(if self.own { Counted::new(counted.before, true) } else { counted })
    }
}

impl Condition for Count {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.counted(step).map_or(Truth::Unknown, |counted| (counted.total() > self.over).into())
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let (of, over, period) = (&self.of, self.over, described(self.period));
        let counted = match self.counted(step) {
            Ok(counted) => counted,
            Err(error) => return format!("it is not known how often `{of}` held: {error}"),
        };
        let (total, this) = (counted.total(), if counted.this { ", with this step" } else { "" });
        format!("`{of}` held {total} times in {period}{this}, and {over} are allowed")
    }

    fn watches(&self) -> Option<&str> {
        (!self.own).then_some(&*self.of)
    }

    fn comes_last(&self) -> bool {
        self.own
    }

    fn noted(&self, step: &Envelope<'_>) {
        let keep = usize::try_from(self.over).unwrap_or(MOST).saturating_add(1);
        // What could not be counted is not known when it is tested.
        let _ = self.memory.at(step, |history, moment| history.count(moment, &self.counter, keep));
    }

    fn uses_history(&self) -> bool {
        !self.own
    }

    fn is_heavy(&self) -> bool {
        false
    }
}
