//! What a hook does, whatever its id: two hooks of one work need not both be called.
//!
//! It must never take a guard away that would have said something else. So all that counts for the
//! [config hash](super::HookSpec::config_hash) of a hook counts here, but its id and the events: conditions, handler with
//! settings, role, mode, postures, order, time limit, tags. What these words mean may depend on the folder of the
//! file, and what a program does on the id that it is told, so neither is left open:
//!
//! | handler | when two of one form are of one work |
//! |---|---|
//! | one that does not look at the step (`deny`, `ask`) | wherever their files are, unless a condition names `$config` |
//! | another one of this process | their files are in one folder |
//! | a program or service | so, and it was written for another agent (`dialect`), which has no ids |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::HandlerTable;
use super::canonical::{FORM, event_form, hook_form};
use super::spec::HookSpec;
use crate::config_hash::ConfigHash;
use crate::{Mode, Role};

/// The place that stands for the folder of a config, in conditions on paths.
const CONFIG_FOLDER: &str = "$config";

/// What a hook does.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Work {
    hash: String,
    /// The folder of its file, where it matters.
    folder: Option<PathBuf>,
    /// The code of its handler.
    registration: u64,
    revision: u64,
}

/// Where a hook is at home, as far as what it does depends on that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder of its file, if a condition names it.
    folder: Option<PathBuf>,
    /// The files that its handler runs.
    files: Vec<PathBuf>,
}

impl HookSpec {
    /// Returns where the hook is at home, as far as what it does depends on that.
    pub(crate) fn place(&self) -> Place {
        let folder = self.origin().file_name().and_then(|file| Path::new(file).parent());
        let folder = folder.filter(|_| has_text(&hook_form(self), CONFIG_FOLDER));
        Place { folder: folder.map(Path::to_owned), files: self.files().to_vec() }
    }

    /// Returns what the hook does; `None` if only its id tells that.
    pub(crate) fn work(&self) -> Option<Work> {
        let origin = self.origin();
        let is_off = self.mode() == Mode::Off || self.why_set_aside().is_some();
        if is_off || self.in_place_of().is_some() {
            return None;
        }
        let file = origin.file_name().filter(|_| origin.span().is_some())?;
        let has_dialect = self.settings().get("dialect").is_some();
        if self.is_external() && !has_dialect {
            return None;
        }
        let mut form = hook_form(self);
        let is_static = self.built.static_answer && self.role() != Some(Role::Observe);
        let is_anywhere = is_static && !has_text(&form, CONFIG_FOLDER);
        form.as_object_mut()?.retain(|key, _| key != "id" && key != "events");
        // What tries the hook out is a part of it: the one that is called would lose it.
        let canaries = format!("{:?}", self.canaries);
        let hash = ConfigHash::of_value(&json!({"form": FORM, "work": form, "canaries": canaries}));
        let folder = Path::new(file).parent().map(Path::to_owned);
        Some(Work {
            hash: hash.to_string(),
            folder: folder.filter(|_| !is_anywhere),
            registration: self.built.registration,
            revision: self.built.revision,
        })
    }

    /// Returns the events of the hook with what it says of each.
    pub(crate) fn event_forms(&self) -> BTreeSet<String> {
        self.events().iter().map(|on| event_form(on).to_string()).collect()
    }
}

impl HandlerTable {
    /// Returns whether a hook of the table does the same as another one, wherever that is called.
    pub(crate) fn does_what(&self, other: &HookSpec) -> bool {
        let Some(work) = other.work() else { return false };
        let events = other.event_forms();
        let may_be =
            |hook: &&HookSpec| hook.kind() == other.kind() && hook.settings() == other.settings();
        let is = |hook: &HookSpec| {
            hook.work().as_ref() == Some(&work) && events.is_subset(&hook.event_forms())
        };
        self.specs().filter(may_be).any(is)
    }
}

fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(own) => own.contains(text),
        Value::Array(items) => items.iter().any(|item| has_text(item, text)),
        Value::Object(entries) => {
            entries.iter().any(|(key, value)| key.contains(text) || has_text(value, text))
        }
        _ => false,
    }
}
