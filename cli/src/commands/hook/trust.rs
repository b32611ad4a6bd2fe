//! What of a project's config is in force although its user has not said that the project is trusted as it is: a
//! folder that was cloned must not start programs, send prompts or change steps only because it holds a file.
//!
//! Hooks that only make decisions stricter are called. Every other one is never built: where it would be
//! called the step is refused, unless the hook itself says otherwise (`on_untrusted`, or else `on_failure`), and
//! the reason says how to put the hook in force.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use hookgate::contract::settings::Settings;
use hookgate::contract::{
    BuildContext, BuiltHandler, Failure, FailureClass, Invocation, Posture, Role,
};
use hookgate::table::{BuildErrors, TableBuilder};
use hookgate::{HandlerTable, Hook, HookId, HookSpec, Mode, Registry, Verdict};

use crate::shell_word::quoted;
use crate::terminal::sanitize::line;
use crate::trust::{Why, is_tightening, only_tightens};

/// The note of a handler that was not built.
const NOT_BUILT: &str = "not trusted";

/// What would have been called at events at which no step can be refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Skipped(Arc<Mutex<Option<String>>>);

impl Skipped {
    /// Takes the note about the first one.
    pub(super) fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn set(&self, note: &str) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| note.to_owned());
    }
}

/// Replaces every handler of a registry that a project may not use by one that is never called.
pub(super) fn restrict(registry: &Registry) {
    // No name is empty, which is all that can be wrong.
    for kind in registry.kinds() {
        let _ = registry.register(kind, not_built);
    }
    for name in registry.builtins().into_iter().filter(|name| !is_tightening(name)) {
        let _ = registry.register_builtin(name, not_built);
    }
}

/// Replaces the hooks of a project's table that were not built by refusals.
///
/// # Errors
/// None: the refusals have the ids and conditions of hooks that a table was built of.
pub(super) fn refuse_untrusted(
    table: HandlerTable,
    (file, root): (&Path, &Path),
    why: &Why,
    skipped: &Skipped,
) -> Result<HandlerTable, BuildErrors> {
    if table.specs().all(may_be_called) {
        return Ok(table);
    }
    let table = Arc::new(table);
    let mut builder = TableBuilder::from_table(&table);
    for hook in table.specs().filter(|hook| !may_be_called(hook)) {
        let reason = reason(hook, file, root, why);
        let refusal = match posture(hook) {
            Posture::Deny => refusal(hook.id(), reason, skipped),
            other => failure(hook.id(), reason, other, skipped),
        };
        let events = hook.events().iter().cloned();
        builder.replace(refusal.event_selectors(events).matching(hook.matcher().clone()));
    }
    builder.build()
}

/// Returns what it counts as that a hook is not called: what the hook says of that, or else of all failures.
/// Without a word of it a step is refused, whatever the role of the hook is.
fn posture(hook: &HookSpec) -> Posture {
    let said = hook.on_failure_of().find(|(class, _)| *class == FailureClass::Untrusted);
    said.map(|(_, posture)| posture).or(hook.on_failure()).unwrap_or(Posture::Deny)
}

/// Makes a hook that fails, for one that says what that counts as. That it is not called is always told.
fn failure(id: impl Into<HookId>, reason: String, posture: Posture, skipped: &Skipped) -> Hook {
    let skipped = skipped.clone();
    let hook = Hook::sync(id, move |_: Invocation<'_>| {
        skipped.set(&reason);
        Err(Failure::new(FailureClass::Untrusted, reason.clone()).shown())
    });
    hook.on_failure_of(FailureClass::Untrusted, posture)
}

fn not_built(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    for entry in settings.entries() {
        // A key that nobody reads would be a mistake of the config.
        let _ = settings.node(&entry.key);
    }
    let mut handler = BuiltHandler::sync(|_| Ok(Verdict::deny(NOT_BUILT)));
    handler.notes.push(NOT_BUILT.to_owned());
    Some(handler)
}

fn may_be_called(hook: &HookSpec) -> bool {
    let is_built = hook.notes().iter().all(|note| note != NOT_BUILT);
    // What stands in the place of a hook with a mistake starts nothing, and says where the mistake is.
    let is_set_aside = hook.why_set_aside().is_some();
    hook.mode() == Mode::Off || is_set_aside || (is_built && only_tightens(hook))
}

/// Says why a hook is not called, and what its user can do about it.
fn reason(hook: &HookSpec, file: &Path, root: &Path, why: &Why) -> String {
    let root_folder = root;
    let root = quoted(&root.to_string_lossy());
    let cure = match why {
        Why::Never | Why::OtherHash(_) => {
            format!("look at it, and if it is right, run `hookgate trust {root}` in a terminal")
        }
        Why::Changed(_) => format!(
            "look at it with `hookgate trust {root} --diff`, and if it is right, run `hookgate trust {root}` in a \
             terminal"
        ),
        Why::Broken(_) => {
            format!("mend it, and say that it is right with `hookgate trust {root}` in a terminal")
        }
        Why::OfMachine => "ask whoever administers this machine".to_owned(),
        Why::Fault(_) => format!("see `hookgate trust {root} --show`"),
        Why::Store(_) => format!("then trust it with `hookgate trust {root}` in a terminal"),
    };
    // The folder stands in the cure.
    let file = file.strip_prefix(root_folder).unwrap_or(file).display();
    line(&format!(
        "the hook `{}` of this project's `{file}` is not run, since {why}: {cure}",
        hook.id()
    ))
}

/// Makes a guard that refuses steps. Where no step can be refused, it leaves a note.
pub(super) fn refusal(id: impl Into<HookId>, reason: String, skipped: &Skipped) -> Hook {
    let skipped = skipped.clone();
    Hook::sync(id, move |call: Invocation<'_>| {
        if call.contract().default_posture(Role::Guard) == Posture::Deny {
            return Ok(Verdict::deny(reason.as_str()));
        }
        skipped.set(&reason);
        Ok(Verdict::none())
    })
}
