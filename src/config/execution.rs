//! The keys of a hook that say how its calls are made, and what is left of one that fails.
//!
//! ```toml
//! background = "record"           # or true: the agent does not wait; { record = "user" } shows its runs to the user
//! needs = ["plan"]                # must have answered in the same turn
//! required = true                 # what is gathered is of no use without it
//! retry = { times = 2, backoff = "200ms", on = ["timeout", "unreachable"] }
//! stream = { window = 800, overlap = 200 }   # judges a text that still comes by windows of so many bytes
//! fallback = [{ kind = "prompt_context", id = "memory", content = "…" }]
//! ```

use hookgate_contract::FailureClass;
use hookgate_contract::contribution::Contribution;
use hookgate_contract::quote::{self, Quoted};
use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;

use super::problem::ConfigProblem;
use super::reader::Reader;
use crate::table::{Hook, MOST_RETRIES, Retry, TextWindow};

const BACKGROUND: &str = "background";
const FALLBACK: &str = "fallback";
const RETRY: &str = "retry";
const STREAM: &str = "stream";

/// Whether anybody waits for a hook.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Background {
    No,
    Yes,
    /// It outlives the process, and what becomes of it is of interest to the user of the agent, or to its operator only.
    Record {
        to_user: bool,
    },
}

/// Whom what becomes of a recorded call is of interest to.
const WHOM: [&str; 2] = ["user", "operator"];

/// How the calls of a hook are made.
pub(super) struct Execution<'a> {
    background: Background,
    needs: Vec<&'a str>,
    required: bool,
    retry: Option<Retry>,
    text_window: Option<TextWindow>,
    fallback: Vec<Contribution>,
}

impl<'a> Execution<'a> {
    /// Reads the keys.
    pub(super) fn read(reader: &mut Reader<'_>, settings: &mut Settings<'a>) -> Self {
        Self {
            background: read_background(settings),
            needs: settings.one_or_more("needs").unwrap_or_default(),
            required: settings.flag("required").unwrap_or_default(),
            retry: read_retry(settings),
            text_window: read_window(settings),
            fallback: read_fallback(reader, settings),
        }
    }

    /// Sets what was read.
    pub(super) fn apply(self, hook: Hook) -> Hook {
        let mut hook = match self.background {
            Background::No => hook,
            Background::Yes => hook.background(true),
            Background::Record { to_user } => hook.fire_and_record().visible_to_user(to_user),
        };
        hook = hook.required(self.required);
        if let Some(retry) = self.retry {
            hook = hook.retry(retry);
        }
        if let Some(window) = self.text_window {
            hook = hook.text_window(window);
        }
        hook = self.needs.into_iter().fold(hook, Hook::needs);
        self.fallback.into_iter().fold(hook, Hook::fallback)
    }
}

fn read_background(settings: &mut Settings<'_>) -> Background {
    if matches!(settings.node(BACKGROUND), Some(Node { value: NodeValue::Table(_), .. })) {
        return read_record(settings);
    }
    let text = match settings.node(BACKGROUND).map(|node| &node.value) {
        Some(NodeValue::Text(text)) if text != "true" && text != "false" => text,
        _ => {
            let is_set = settings.flag(BACKGROUND).unwrap_or_default();
            return if is_set { Background::Yes } else { Background::No };
        }
    };
    if text == "record" {
        return Background::Record { to_user: false };
    }
    let problem = format!("`{}` is neither true, false nor \"record\"", Quoted(text));
    settings.invalid(BACKGROUND, problem);
    Background::No
}

/// Reads `{ record = "user" }`.
fn read_record(settings: &mut Settings<'_>) -> Background {
    let Some(mut table) = settings.table(BACKGROUND) else { return Background::No };
    let whom = table.text("record");
    if let Some(whom) = whom.filter(|whom| !WHOM.contains(whom)) {
        let near = Suggestion::nearest(whom, &WHOM);
        table.invalid("record", format!("`{}` is neither user nor operator{near}", Quoted(whom)));
    } else if !table.has("record") {
        table.missing("record");
    }
    settings.absorb(table.finish());
    Background::Record { to_user: whom == Some("user") }
}

fn read_retry(settings: &mut Settings<'_>) -> Option<Retry> {
    let mut table = settings.table(RETRY)?;
    let most = i64::from(MOST_RETRIES);
    let times = table.within("times", 1..=most).and_then(|times| u32::try_from(times).ok());
    if !table.has("times") {
        table.missing("times");
    }
    let mut retry = Retry::times(times.unwrap_or(1));
    if let Some(backoff) = table.duration("backoff") {
        retry = retry.backoff(backoff);
    }
    if let Some(attempt) = table.duration("attempt") {
        retry = retry.attempt(attempt);
    }
    if let Some(names) = table.one_or_more("on") {
        let mut classes = Vec::with_capacity(names.len());
        for name in names {
            match FailureClass::from_name(name) {
                Some(class) => classes.push(class),
                None => {
                    let known = Retry::CLASSES.map(FailureClass::name);
                    let near = Suggestion::nearest(name, &known);
                    let known = known.join(", ");
                    let problem = format!("`{}` is not one of {known}{near}", Quoted(name));
                    table.invalid("on", problem);
                }
            }
        }
        retry = retry.on(classes);
    }
    let has_errors = table.has_errors();
    settings.absorb(table.finish());
    (!has_errors).then_some(retry)
}

/// Reads `{ window = 800, overlap = 200 }`.
fn read_window(settings: &mut Settings<'_>) -> Option<TextWindow> {
    let mut table = settings.table(STREAM)?;
    let mut bytes = |key: &'static str| {
        table.within(key, 0..=i64::from(i32::MAX)).and_then(|bytes| usize::try_from(bytes).ok())
    };
    let mut window = TextWindow::bytes(bytes("window").unwrap_or(TextWindow::BYTES));
    if let Some(overlap) = bytes("overlap") {
        window = window.overlap(overlap);
    }
    let has_errors = table.has_errors();
    settings.absorb(table.finish());
    (!has_errors).then_some(window)
}

/// Reads contributions, each a table as a verdict has it.
fn read_fallback(reader: &mut Reader<'_>, settings: &mut Settings<'_>) -> Vec<Contribution> {
    let Some(node) = settings.node(FALLBACK) else { return Vec::new() };
    let items: &[Node] = match &node.value {
        NodeValue::List(items) if !items.is_empty() => items,
        NodeValue::Table(_) => std::slice::from_ref(node),
        NodeValue::List(_) => {
            let problem = "names nothing that stands in; leave it out".to_owned();
            let problem = SettingProblem::Invalid { key: FALLBACK.to_owned(), problem };
            reader.error(node.span.clone(), ConfigProblem::Setting(problem));
            return Vec::new();
        }
        _ => {
            let (key, expected) = (FALLBACK.to_owned(), "a contribution or an array of them");
            let problem = SettingProblem::Type { key, expected, found: node.kind() };
            reader.error(node.span.clone(), ConfigProblem::Setting(problem));
            return Vec::new();
        }
    };
    let mut read = Vec::with_capacity(items.len());
    for item in items {
        match serde_json::from_value(item.to_json()) {
            Ok(contribution) => read.push(contribution),
            Err(error) => {
                let problem = quote::message(&error.to_string());
                let problem = SettingProblem::Invalid { key: FALLBACK.to_owned(), problem };
                reader.error(item.span.clone(), ConfigProblem::Setting(problem));
            }
        }
    }
    read
}
