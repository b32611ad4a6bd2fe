//! Adds hooks to a file.

use jsonc_parser::ast::{Array, Object};
use jsonc_parser::common::Ranged as _;
use serde::Serialize;
use serde_json::{Value, json};

use super::read::{member, object, parse, split_mark, value};
use crate::agents::draft::Draft;
use crate::agents::entry::Entry;
use crate::agents::profile::{Form, ListedKeys};
use crate::agents::refusal::Refusal;
use crate::agents::splice::{Insertion, Layout};
use crate::agents::syntax::Syntax;

const HOOKS: &str = "hooks";

/// Adds entries to the text of a file, which is empty if there is none.
pub(crate) fn add(text: &str, form: Form, entries: &[Entry]) -> Result<Draft, Refusal> {
    let mut draft = Draft::new(text.to_owned());
    match form {
        Form::Grouped { syntax, per_second, named } => {
            let mut file = File::open(&mut draft, syntax)?;
            for entry in entries {
                file.add(&entry.line.event, &entry.group(per_second, named))?;
            }
        }
        Form::Listed { syntax, keys } => {
            let mut file = File::open(&mut draft, syntax)?;
            file.set_version()?;
            for entry in entries {
                file.add(&entry.line.event, &entry.handler(keys))?;
            }
        }
        Form::Tables | Form::Scripts | Form::Plugin => return Err(Refusal::Entangled),
    }
    verify(text, draft.text(), form, entries)?;
    Ok(draft)
}

/// A file that hooks are added to.
struct File<'d> {
    draft: &'d mut Draft,
    syntax: Syntax,
    layout: Layout,
    /// How many bytes the byte order mark takes.
    offset: usize,
}

impl<'d> File<'d> {
    fn open(draft: &'d mut Draft, syntax: Syntax) -> Result<Self, Refusal> {
        let (mark, body) = split_mark(draft.text(), syntax)?;
        let offset = mark.len();
        let layout = Layout::of(body);
        if parse(body, syntax)?.is_none() {
            let end = draft.text().len();
            draft.insert(end, "{}\n");
        }
        Ok(Self { draft, syntax, layout, offset })
    }

    /// Applies what `find` wants to put in.
    fn change(
        &mut self,
        find: impl FnOnce(&str, &Object<'_>, &Layout) -> Result<Vec<Insertion>, Refusal>,
    ) -> Result<(), Refusal> {
        let body = self.draft.text().get(self.offset..).unwrap_or_default();
        let root = parse(body, self.syntax)?.ok_or(Refusal::Entangled)?;
        let mut insertions = find(body, object(&root, "the file")?, &self.layout)?;
        insertions.reverse();
        // The last one first: it does not move the others.
        for (at, text) in insertions {
            self.draft.insert(self.offset + at, &text);
        }
        Ok(())
    }

    fn set_version(&mut self) -> Result<(), Refusal> {
        self.change(|text, root, layout| match member(root, "version")? {
            None => Ok(grow_object(text, root, layout, "version", &1)),
            Some(version) => match version.as_number_lit() {
                Some(number) if number.value == "1" => Ok(Vec::new()),
                _ => Err(Refusal::Version(text_of(text, version))),
            },
        })
    }

    fn add(&mut self, event: &str, item: &impl Serialize) -> Result<(), Refusal> {
        self.change(|text, root, layout| {
            let Some(hooks) = member(root, HOOKS)? else {
                return Ok(grow_object(text, root, layout, HOOKS, &json!({ event: [item] })));
            };
            let hooks = object(hooks, "`hooks`")?;
            let Some(list) = member(hooks, event)? else {
                return Ok(grow_object(text, hooks, layout, event, &[item]));
            };
            let list = list
                .as_array()
                .ok_or_else(|| Refusal::Type(format!("`hooks.{event}`"), "an array"))?;
            Ok(grow_array(text, list, layout, item))
        })
    }
}

fn text_of(text: &str, node: &impl jsonc_parser::common::Ranged) -> String {
    text.get(node.start()..node.end()).unwrap_or_default().to_owned()
}

fn grow_object(
    text: &str,
    object: &Object<'_>,
    layout: &Layout,
    key: &str,
    value: &impl Serialize,
) -> Vec<Insertion> {
    let last = object.properties.last().map(|member| member.end());
    layout.grow(text, object.start()..object.end(), last, |layout, indent| {
        format!("\"{key}\": {}", layout.value(value, indent))
    })
}

fn grow_array(
    text: &str,
    array: &Array<'_>,
    layout: &Layout,
    item: &impl Serialize,
) -> Vec<Insertion> {
    let last = array.elements.last().map(|element| element.end());
    layout.grow(text, array.start()..array.end(), last, |layout, indent| layout.value(item, indent))
}

/// Makes sure that the file says what it said, and the entries.
fn verify(before: &str, after: &str, form: Form, entries: &[Entry]) -> Result<(), Refusal> {
    let syntax = match form {
        Form::Grouped { syntax, .. } | Form::Listed { syntax, .. } => syntax,
        Form::Tables | Form::Scripts | Form::Plugin => return Err(Refusal::Entangled),
    };
    let mut wanted = value(before, syntax)?;
    for entry in entries {
        let item = match form {
            Form::Grouped { per_second, named, .. } => json!(entry.group(per_second, named)),
            Form::Listed { keys, .. } => json!(entry.handler(keys)),
            Form::Tables | Form::Scripts | Form::Plugin => return Err(Refusal::Entangled),
        };
        push(&mut wanted, &entry.line.event, item).ok_or(Refusal::Entangled)?;
    }
    if let (Form::Listed { keys: ListedKeys::Copilot | ListedKeys::Cursor, .. }, Some(root)) =
        (form, wanted.as_object_mut())
    {
        root.entry("version").or_insert_with(|| json!(1));
    }
    if value(after, syntax)? == wanted { Ok(()) } else { Err(Refusal::Entangled) }
}

fn push(root: &mut Value, event: &str, item: Value) -> Option<()> {
    let hooks = root.as_object_mut()?.entry(HOOKS).or_insert_with(|| json!({}));
    let list = hooks.as_object_mut()?.entry(event).or_insert_with(|| json!([]));
    list.as_array_mut()?.push(item);
    Some(())
}
