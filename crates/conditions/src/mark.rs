//! The setting `mark`: a hook sets a mark in its session when its conditions hold.
//!
//! ```toml
//! [[hook]]
//! id = "edits"
//! event = "post_tool_use"
//! tool = "Edit|Write"
//! mark = "edited"
//! ```
//!
//! The mark is set in the session when all other conditions of the hook hold; it is not set when one of them
//! is unknown. At `post_tool_use` the tool
//! must also have succeeded, and at `post_tool_use_failure` no mark is set: a result that says it is an
//! error, a program that ended with another exit code than 0, and an interrupted call are failures. An agent
//! that does not say so in its results cannot be seen through. Beside `runs`, at `post_tool_use`, the program must
//! also have run surely, and its own exit status must have counted: the call succeeds in spite of a failure in
//! `cargo test || true`, `cargo test; true`, `cargo test | tee log` (without `pipefail`), `cargo test &`,
//! `! cargo test` and `if cargo test; then …`, and nothing is tested by `cargo test --help` or
//! `cargo test --no-run`. At an event before the deed, such as
//! `pre_tool_use`, the mark says that the deed was proposed.
//!
//! [`marked`](crate::marked) tests it, from the next step on, for all hooks of the same layer and of those
//! below: what a layer sets does not count for the layers above it. It is no condition: the
//! handler of the hook is called with or without it, and it cannot stand in `any` or `not`.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use hookgate_contract::quote::Quoted;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::tool_result::{has_failed, is_result};
use hookgate_contract::{Command, Condition, ConditionKind, Envelope, Event, Layer, Truth};
use serde_json::json;

use crate::memory::Memory;
use crate::session_marks::KnownMark;

/// The longest name of a mark.
const LONGEST: usize = 64;

/// The pattern of names of marks, for schemas.
pub(crate) const NAME_PATTERN: &str = "^[A-Za-z0-9_.-]{1,64}$";

/// The names of the marks that hooks set and require, to find those that nothing sets.
#[derive(Debug, Clone, Default)]
pub struct MarkNames {
    set: Names,
    required: Names,
}

type Names = Arc<Mutex<BTreeSet<(Layer, String)>>>;

impl MarkNames {
    fn add(&self, layer: Layer, name: &str) {
        add(&self.set, layer, name);
    }

    /// Notes that a hook of a layer denies unless a mark is there.
    pub fn note_required(&self, layer: Layer, name: &str) {
        add(&self.required, layer, name);
    }

    fn is_required(&self, name: &str) -> bool {
        let all = self.required.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().any(|(_, required)| required == name)
    }

    /// Says why a hook of a layer never finds a mark, if no hook sets one that counts there. It is to be asked when
    /// all hooks have been read.
    #[must_use]
    pub fn doubt(&self, layer: Layer, name: &str) -> Option<String> {
        let all = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        let known: Vec<&str> =
            all.iter().filter(|(of, _)| *of <= layer).map(|(_, name)| name.as_str()).collect();
        if known.contains(&name) {
            return None;
        }
        Some(match all.iter().find(|(_, other)| other == name) {
            Some((below, _)) => format!(
                "the mark `{name}` is set by a hook of the layer `{below}`, below this one: it does not count \
                 here"
            ),
            None => format!("no hook sets the mark `{name}`{}", Suggestion::nearest(name, &known)),
        })
    }
}

fn add(names: &Names, layer: Layer, name: &str) {
    let mut all = names.lock().unwrap_or_else(PoisonError::into_inner);
    all.insert((layer, name.to_owned()));
}

/// Returns the kind.
pub(crate) fn kind(memory: Memory, names: MarkNames) -> ConditionKind {
    ConditionKind::new("mark", move |settings, context| {
        let name = settings.text("mark")?;
        if let Err(problem) = check_name(name) {
            settings.invalid("mark", problem);
            return None;
        }
        names.add(context.layer, name);
        let mark = KnownMark::new(context.layer, name);
        let proposed = context.events.contains(&Event::PreToolUse);
        Some(Box::new(Mark { mark, proposed, memory: memory.clone(), names: names.clone() }))
    })
    .about("sets a mark in the session when the conditions of the hook hold and the tool succeeded")
    .example(r#"mark = "tested""#)
    .schema(|| json!({
        "type": "string",
        "pattern": NAME_PATTERN,
        "description": "The mark that is set in the session when the conditions of the hook hold.",
    }))
    .top_level()
}

/// Checks the name of a mark.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a mark needs a name, such as \"tested\"".to_owned());
    }
    if name.starts_with('!') {
        return Err("a mark is not negated by `!`; write not = { marked = … }".to_owned());
    }
    let odd = |c: &char| !(c.is_ascii_alphanumeric() || "_.-".contains(*c));
    if let Some(odd) = name.chars().find(odd) {
        return Err(format!(
            "`{}` cannot be in the name of a mark: use letters, digits, `-`, `_` and `.`",
            Quoted(&odd.to_string())
        ));
    }
    if name.len() > LONGEST {
        return Err(format!("the name of a mark has at most {LONGEST} characters"));
    }
    Ok(())
}

struct Mark {
    mark: KnownMark,
    /// Whether it is set before the tool runs.
    proposed: bool,
    memory: Memory,
    names: MarkNames,
}

impl Condition for Mark {
    fn hold(&self, _step: &Envelope<'_>) -> Truth {
        Truth::True
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        let name = self.mark.name();
        match has_failed(step) {
            true => format!("the mark `{name}` is not set, since the tool failed"),
            false => format!("sets the mark `{name}` in the session if the other conditions hold"),
        }
    }

    fn held(&self, step: &Envelope<'_>, truth: Truth) {
        if truth == Truth::True && !has_failed(step) {
            // A host asks its history whether all could be kept: no hook is there to fail.
            let _ = self.memory.at(step, |history, moment| self.mark.set(history, moment));
        }
    }

    fn wants_commands(&self) -> bool {
        true
    }

    fn held_by(&self, step: &Envelope<'_>, truth: Truth, commands: &[Command]) {
        let counts = |command: &Command| command.meant == Truth::True && command.status_counts;
        if !is_result(step) || commands.iter().any(counts) {
            self.held(step, truth);
        }
    }

    fn keeps_history(&self) -> bool {
        true
    }

    fn sets_mark(&self) -> Option<&str> {
        Some(self.mark.name())
    }

    fn doubts(&self) -> Vec<String> {
        let name = self.mark.name();
        if !self.proposed || !self.names.is_required(name) {
            return Vec::new();
        }
        vec![format!(
            "`{name}` is set at `pre_tool_use`, before the tool runs, and `require` takes it for done: set it \
             at `post_tool_use`, where only a tool that succeeded sets it"
        )]
    }

    fn is_heavy(&self) -> bool {
        false
    }
}
