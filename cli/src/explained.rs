//! What the conditions of the hooks say of a step, for people and programs.

use std::fmt::Write as _;

use anstyle::Style;
use hookgate::contract::Truth;
use hookgate::envelope::Incoming;
use hookgate::table::{Called, ExplainedCondition, ExplainedHook};
use hookgate::{FailureClass, HandlerTable, HookSpec, Mode};
use serde::Serialize;

use crate::terminal::phrase::count;
use crate::terminal::sanitize::line;
use crate::terminal::style::{BOLD, DIM, DOUBTFUL, GOOD};

/// The hooks at the event of a step, with what their conditions say of it.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    event: String,
    /// The hooks in the order in which they are called.
    hooks: Vec<Hook>,
    /// The hooks that are for this event and are off.
    off: Vec<String>,
    /// Whether it is about one hook alone.
    #[serde(skip)]
    one: bool,
}

/// A hook at the event.
#[derive(Debug, Serialize)]
struct Hook {
    #[serde(flatten)]
    explained: ExplainedHook,
    /// The kind of its handler.
    kind: String,
    /// What it runs.
    files: Vec<String>,
    /// What counts if its conditions cannot be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    counts_as: Option<&'static str>,
}

impl Explained {
    /// Explains a step as it came in. Nothing is called or counted. With an id it is about that hook
    /// alone.
    pub(crate) fn new(table: &HandlerTable, step: &Incoming, only: Option<&str>) -> Self {
        let event = step.payload.event_name().to_owned();
        let is_meant = |id: &str| only.is_none_or(|only| only == id);
        let explained = table.explain(step.payload.as_ref(), &step.header.context());
        let explained = explained.into_iter().filter(|hook| is_meant(hook.hook.as_str()));
        let hooks = explained.map(|explained| Hook::new(explained, table, &event)).collect();
        let is_for = |spec: &HookSpec| spec.events().iter().any(|on| on.name() == event);
        let off = table.specs().filter(|spec| spec.mode() == Mode::Off && is_for(spec));
        let off = off.map(|spec| spec.id().to_string()).filter(|id| is_meant(id)).collect();
        Self { event, hooks, off, one: only.is_some() }
    }

    /// Returns the event of the step.
    pub(crate) fn event(&self) -> &str {
        &self.event
    }

    /// Returns whether no hook is for the event.
    pub(crate) const fn is_empty(&self) -> bool {
        self.hooks.is_empty()
    }

    /// Returns all of it for people.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        for hook in &self.hooks {
            // Writing to a string does not fail.
            let _ = hook.write(&self.event, &mut out);
        }
        for id in &self.off {
            let _ = writeln!(out, "{BOLD}{}{BOLD:#}  {DIM}off: it is not called{DIM:#}", line(id));
        }
        if self.hooks.is_empty() && self.off.is_empty() && !self.one {
            let _ = writeln!(out, "no hook is for {}", line(&self.event));
        }
        out
    }

    /// Returns which hooks would be called, for people who let none be called.
    pub(crate) fn dry_text(&self) -> String {
        let called = self.hooks.iter().filter(|hook| hook.explained.called == Called::Yes);
        let called: Vec<String> = called.map(Hook::handler_text).collect();
        let number = count(self.hooks.len(), "hook");
        let mut out = match called.len() {
            0 => "nothing was called, and no hook would be\n".to_owned(),
            called => format!("nothing was called; of {number} this would call {called}:\n"),
        };
        for text in called {
            out.push_str(&format!("  {text}\n"));
        }
        out
    }
}

impl Hook {
    fn new(explained: ExplainedHook, table: &HandlerTable, event: &str) -> Self {
        let id = &explained.hook;
        let spec = table.specs().find(|spec| spec.id() == id);
        let files = spec.into_iter().flat_map(HookSpec::files);
        let listed = table.listing().find(|hook| hook.id() == id && hook.event == event);
        let counts_as = listed
            .filter(|_| explained.called == Called::Unclear)
            .map(|hook| hook.posture(FailureClass::Unclear).name());
        Self {
            kind: spec.map(|spec| spec.kind().to_owned()).unwrap_or_default(),
            files: files.map(|file| file.display().to_string()).collect(),
            counts_as,
            explained,
        }
    }

    fn write(&self, event: &str, out: &mut String) -> std::fmt::Result {
        let ExplainedHook { hook, origin, mode, called, conditions, .. } = &self.explained;
        let (style, says) = match called {
            Called::Yes => (GOOD, "would be called".to_owned()),
            Called::No => (DIM, "would not be called".to_owned()),
            _ => {
                let posture = self.counts_as.unwrap_or_default();
                (DOUBTFUL, format!("cannot tell: would not be called, which counts as {posture}"))
            }
        };
        write!(out, "{BOLD}{}{BOLD:#}  {style}{says}{style:#}", line(hook.as_str()))?;
        if *mode != Mode::Enforce {
            write!(out, "  {DOUBTFUL}{}{DOUBTFUL:#}", mode.name())?;
        }
        writeln!(out, "  {DIM}{}{DIM:#}", line(&origin.to_string()))?;
        write_conditions(conditions, event, out)
    }

    /// Returns what would be called: `guard (command: /srv/guard.py)`.
    fn handler_text(&self) -> String {
        let id = line(self.explained.hook.as_str());
        let files = self.files.join(", ");
        match files.as_str() {
            "" => format!("{id}  {DIM}{}{DIM:#}", line(&self.kind)),
            files => format!("{id}  {DIM}{}: {}{DIM:#}", line(&self.kind), line(files)),
        }
    }
}

/// Writes the conditions of a hook at an event, each with a mark, where it is written and why.
pub(crate) fn write_conditions(
    conditions: &[ExplainedCondition],
    event: &str,
    out: &mut String,
) -> std::fmt::Result {
    if conditions.is_empty() {
        writeln!(out, "  {DIM}no condition: it is for every {}{DIM:#}", line(event))?;
    }
    conditions.iter().try_for_each(|condition| write_condition(condition, 1, out))
}

fn write_condition(
    condition: &ExplainedCondition,
    depth: usize,
    out: &mut String,
) -> std::fmt::Result {
    let (style, word) = truth(condition.truth);
    let indent = "  ".repeat(depth);
    let origin = condition.origin.as_deref().unwrap_or_default();
    let written = line(&condition.written);
    let head = format!("{indent}{style}{word:<15}{style:#}{written}  {DIM}{}", line(origin));
    writeln!(out, "{}{DIM:#}", head.trim_end())?;
    writeln!(out, "{indent}{:15}{DIM}{}{DIM:#}", "", line(&condition.why))?;
    let parts = match condition.parts.as_slice() {
        // A table of `any` with one condition is that condition.
        [one] if condition.key == "any" && condition.written.starts_with('{') => &one.parts,
        parts => parts,
    };
    parts.iter().try_for_each(|part| write_condition(part, depth + 1, out))
}

const fn truth(truth: Truth) -> (Style, &'static str) {
    match truth {
        Truth::True => (GOOD, "✓ true"),
        Truth::False => (DIM, "✗ false"),
        Truth::Unknown => (DOUBTFUL, "? cannot tell"),
    }
}
