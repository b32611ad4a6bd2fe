//! Hooks whose program prints a text where an answer is expected: where no step can be refused the text is lost, and the
//! step goes on.

use hookgate::effects::{Effects, Manifests, Run, Surroundings};
use hookgate::{Event, HandlerTable, HookSpec};
use serde_json::{Value, json};

use super::entry::{Entry, Level};
use super::texts::Texts;
use crate::text_position::position;

/// Programs that print what they were given or have found, and know of no hooks.
const PRINT_TEXT: &[&str] = &[
    "cat", "head", "tail", "date", "ls", "tree", "uname", "whoami", "hostname", "pwd", "git", "wc",
    "find", "sort", "grep", "sed", "nl", "bat", "cd", "test", "true", ":",
];

/// Returns the hooks whose text is lost.
pub(super) fn of(texts: &mut Texts, table: &HandlerTable) -> Vec<Entry> {
    let lost = table.specs().filter(|hook| hook.kind() == "command" && loses_text(hook));
    lost.map(|hook| {
        let (file, text) = texts.of(hook.origin());
        Entry {
            code: "lost_context",
            level: Level::Warning,
            file,
            at: Some(position(text, hook.origin().span_of("command").unwrap_or_default().start)),
            message: format!(
                "the hook `{}` prints a text and no answer of a hook: it fails each time, and its text gets nowhere",
                hook.id()
            ),
            help: Some("write `stdout = \"context\"` beside its command".to_owned()),
        }
    })
    .collect()
}

fn loses_text(hook: &HookSpec) -> bool {
    let settings = hook.settings();
    let is_set = |key: &str| settings.get(key).is_some();
    let adds_only = |event: &str| {
        Event::from_name(event)
            .is_some_and(|event| event.contract().context && !event.contract().deny())
    };
    let line = match settings {
        Value::String(line) => Some(line.clone()),
        _ => settings.get("shell").and_then(Value::as_str).map(str::to_owned),
    };
    let argv = settings.get("argv").and_then(Value::as_array);
    let argv = argv.and_then(|words| words.first()?.as_str().map(str::to_owned));
    let Some(line) = line.or(argv) else { return false };
    !is_set("stdout")
        && !is_set("dialect")
        && hook.events().iter().all(|event| adds_only(event.name()))
        && prints_text(&line)
}

/// Tells whether nothing but such programs writes to the output.
fn prints_text(line: &str) -> bool {
    let effects = Effects::of_call(
        "Bash",
        &json!({"command": line}),
        &Surroundings::default(),
        &Manifests::default(),
    );
    let prints = |run: &Run| run.name().is_some_and(|name| PRINT_TEXT.contains(&&*name));
    !effects.runs.is_empty() && effects.runs.iter().all(prints)
}
