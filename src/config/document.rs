//! A whole file: its version, limits, hooks and requirements.
//!
//! ```toml
//! version = 1                     # optional; the only one there is
//! allow_empty = false             # accept a file without hooks
//! include = ["more.toml"]         # other files that belong to it
//! extends = "a.pack@sha256:…"     # shared hooks, which come before its own
//!
//! [limits]                        # bounds and defaults
//! [handler.NAME]                  # handlers that several hooks use
//! [contributions]                 # budgets of what hooks add to a turn
//! [[hook]]                        # any number of hooks
//! [require]                       # what must be guarded
//! [[disable]]                     # hooks of this layer, or one below, to go without
//! ```
//!
//! Beside these there are the sections that a host has registered, which are read before the hooks.
//!
//! A file without hooks is refused unless it says `allow_empty = true`. A file that was cut off, or
//! that an editor is just writing, is often valid TOML without hooks; to put it in force would drop
//! every guard.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use hookgate_contract::settings::{Node, NodeValue, SettingProblem, Settings};
use hookgate_contract::{BuildContext, Sections};
use serde_json::Value;

use super::contributions::read_contributions;
use super::disable::{DISABLE, Disable, read_disables};
use super::handler::HANDLER;
use super::hook::read_hook;
use super::include::{FileEntry, INCLUDE, read_entries};
use super::keys::{KINDS, is_of_hook};
use super::limits::read_limits;
use super::pack::EXTENDS;
use super::problem::ConfigProblem;
use super::reader::Reader;
use super::require::read_require;
use super::shared_handlers::{nameless, read_shared_handlers, warn_of_unused};
use super::trial::split;
use crate::require::Require;
use crate::table::{HookSpec, Layer, Limits};

/// What was read of a file.
#[derive(Clone, Default)]
pub(super) struct Document {
    pub(super) limits: Limits,
    pub(super) hooks: Vec<HookSpec>,
    pub(super) require: Require,
    /// The registered sections, as they were written.
    pub(super) sections: BTreeMap<String, Value>,
    /// The hooks to go without.
    pub(super) disables: Vec<Disable>,
    /// The files that belong to it.
    pub(super) includes: Vec<FileEntry>,
    /// The packs whose hooks come before its own.
    pub(super) extends: Vec<FileEntry>,
    /// The span of `[require]`.
    pub(super) require_span: Range<usize>,
}

/// Reads a file. Relative paths in it begin at `base`. The limits come first, since handlers are
/// built with them, and the requirements last, since they are compared with the hooks.
pub(super) fn read_document(reader: &mut Reader<'_>, root: &Node, base: &Path) -> Document {
    let mut settings = Settings::new(root);
    if let Some(version) = settings.integer("version").filter(|version| *version != 1) {
        reader.error(settings.span_of("version"), ConfigProblem::Version(version));
    }
    let mut document = Document::default();
    if let Some(limits) = settings.table("limits") {
        document.limits = read_limits(reader, limits);
    }
    let (sections, of_sections) = read_sections(reader, &mut settings, base, &mut document);
    let hooks = match settings.node("hook") {
        None => &[][..],
        Some(Node { value: NodeValue::List(hooks), .. }) => hooks,
        Some(other) => {
            reader.error(other.span.clone(), ConfigProblem::HookTable);
            &[][..]
        }
    };
    let allow_empty = settings.flag("allow_empty").unwrap_or_default();
    document.includes = read_entries(&mut settings, INCLUDE);
    document.extends = read_entries(&mut settings, EXTENDS);
    let others = [DISABLE, INCLUDE, EXTENDS, "hooks"];
    let known = reader.registry.sections();
    let stands = known.iter().any(|one| one.stands_for_hooks() && settings.has(one.name()));
    let nothing = hooks.is_empty() && !stands && !others.iter().any(|key| settings.has(key));
    if nothing && reader.errors.is_empty() {
        // A file that was cut off, or is still being written, looks like this.
        if allow_empty {
            reader.warn(0..0, ConfigProblem::Empty);
        } else {
            reader.error(0..0, ConfigProblem::NoHooks);
        }
    }
    let dialects = reader.registry.dialects();
    let hooks = hooks.iter().chain(&of_sections);
    let hooks: Vec<_> = hooks.flat_map(|hook| split(reader, hook)).collect();
    let layer = reader.layer;
    let context =
        BuildContext::new(base, document.limits.output).in_layer(layer).speaking(&dialects);
    let nameless = settings
        .node(HANDLER)
        .and_then(|node| Some((node.span.clone(), nameless(node, &reader.registry.kinds())?)));
    match nameless {
        Some((span, problem)) => reader.error(span, ConfigProblem::Setting(problem)),
        None => read_shared_handlers(reader, &mut settings, &hooks, &context),
    }
    for hook in &hooks {
        document.hooks.push(read_hook(reader, hook, &context, &sections));
    }
    warn_of_unused(reader);
    if let Some(require) = settings.table("require") {
        document.require_span = require.span();
        document.require = read_require(reader, require, &document.hooks);
    }
    if let Some(contributions) = settings.table("contributions") {
        document.limits.contributions = read_contributions(reader, contributions, &document.hooks);
    }
    document.disables = read_disables(reader, &mut settings);
    for error in settings.finish() {
        let problem = match error.problem {
            SettingProblem::Unknown { key, near } => match home_of(&key) {
                Some(hint) => ConfigProblem::Misplaced { key, hint },
                None => ConfigProblem::of_setting(SettingProblem::Unknown { key, near }),
            },
            problem => ConfigProblem::Setting(problem),
        };
        reader.error(error.span, problem);
    }
    document
}

/// Reads the sections that the host has registered, and returns them with the hooks that they stand for. One with a
/// mistake is reported, and conditions that need it go without.
fn read_sections(
    reader: &mut Reader<'_>,
    settings: &mut Settings<'_>,
    base: &Path,
    document: &mut Document,
) -> (Sections, Vec<Node>) {
    let (mut sections, mut hooks) = (Sections::default(), Vec::new());
    for section in reader.registry.sections() {
        settings.node(section.name());
        let entry = settings.entries().iter().find(|entry| entry.key == section.name());
        let Some(entry) = entry else { continue };
        let is_of_others = matches!(reader.layer, Layer::User | Layer::Project | Layer::Local);
        if section.is_of_machine() && is_of_others {
            let problem = ConfigProblem::OfMachine(section.name().to_owned());
            reader.error(entry.key_span.clone(), problem);
        }
        document.sections.insert(section.name().to_owned(), entry.node.to_json());
        match section.read(entry, base) {
            Ok(value) => {
                sections.add(value);
                hooks.extend(section.hooks_of(entry, reader.layer));
            }
            Err(errors) => settings.absorb(errors),
        }
    }
    (sections, hooks)
}

/// Returns where a key belongs that is unknown at the top of the file.
fn home_of(key: &str) -> Option<String> {
    match key {
        "hooks" => Some(
            "this is how other systems write hooks; here each is a `[[hook]]` with `id`, `event`, \
             conditions such as `tool` (for `matcher`), and a handler such as \
             `command = { argv = [\"./guard.py\"] }`"
                .to_owned(),
        ),
        key if KINDS.contains(&key) => {
            Some(format!("a handler belongs to a hook: write `[hook.{key}]` below its `[[hook]]`"))
        }
        key if is_of_hook(key) => {
            Some("it belongs to a hook: write it below a `[[hook]]`".to_owned())
        }
        _ => None,
    }
}
