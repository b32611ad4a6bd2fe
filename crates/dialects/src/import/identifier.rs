//! The ids of hooks: agents have none.

use super::events::Known;
use super::script::Script;
use super::source::{Handler, SourceHook};

/// Makes an id: the name of the hook, or that of its program.
pub(super) fn identifier(
    source: &SourceHook,
    script: &Script,
    known: Option<&Known>,
    taken: &mut Vec<String>,
) -> String {
    let event = known.and_then(|known| known.ours.first().copied()).unwrap_or(&source.event);
    let event = slug(event);
    let program = script
        .file
        .as_deref()
        .and_then(|file| std::path::Path::new(file).file_stem().and_then(std::ffi::OsStr::to_str));
    let kind = match &source.handler {
        Handler::Builtin { name, .. } | Handler::OfHost(name) => Some(name.as_str()),
        Handler::Mcp { tool, .. } => Some(tool.as_str()),
        _ => None,
    };
    let base =
        source.name.as_deref().or(program).or(kind).map(slug).filter(|slug| !slug.is_empty());
    let named = base.clone().unwrap_or_else(|| event.clone());
    let with_event = base.map_or_else(|| event.clone(), |base| format!("{base}-{event}"));
    let numbered = (2..).map(|number| format!("{with_event}-{number}"));
    let id = [named, with_event.clone()].into_iter().chain(numbered).find(|id| !taken.contains(id));
    let id = id.unwrap_or(with_event);
    taken.push(id.clone());
    id
}

fn slug(text: &str) -> String {
    /// How long an id may be before its event is added.
    const LONGEST: usize = 48;
    let mut out = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_owned()
}
