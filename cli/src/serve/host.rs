//! What a host has said of itself, and which guards it cannot enforce.

use std::collections::BTreeSet;

use super::error::{CallError, Code};
use hookgate::contract::{Mode, Role};
use hookgate::{HandlerTable, HookId, Outcome, Report};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that a verdict asks of a host.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Power {
    /// A step that is denied does not happen.
    Deny,
    /// A person can be asked.
    Ask,
    /// A run can be ended.
    Halt,
    /// What runs is the step as hooks have rewritten it.
    Patch,
    /// The result that a hook supplies takes the place of the step's own.
    Answer,
    /// The model is shown the context that hooks give.
    Context,
}

/// A hook that this host does not enforce at an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Unenforced {
    /// The hook.
    pub(crate) hook: HookId,
    /// The event.
    pub(crate) event: String,
    /// Why it is not enforced.
    pub(crate) why: &'static str,
    /// Whether it is a guard: then the host is refused, unless it names the hook in `accept_unenforced`.
    pub(crate) blocking: bool,
}

/// What a host has said of itself.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    pub(super) events: BTreeSet<String>,
    pub(super) enforces: BTreeSet<Power>,
    pub(super) accepted: BTreeSet<String>,
}

impl Host {
    pub(super) fn can(&self, power: Power) -> bool {
        self.enforces.contains(&power)
    }

    /// Returns the hooks of a table that the host does not enforce.
    pub(super) fn unenforced(&self, table: &HandlerTable) -> Vec<Unenforced> {
        let enforced = table.listing().filter(|listed| listed.mode() == Mode::Enforce);
        let found = enforced.filter_map(|listed| {
            let spec = listed.spec();
            let guards =
                listed.role() != Role::Observe && listed.contract.deny() && !spec.is_background();
            let blocking = guards || spec.is_required();
            let (why, blocking) = if !self.events.contains(listed.event) {
                ("the host does not fire this event", blocking)
            } else if guards && !self.can(Power::Deny) {
                ("the host does not enforce a deny", true)
            } else if !self.can(Power::Context) && spec.means_context_at(listed.contract.event) {
                ("the host shows the model no context of hooks", false)
            } else {
                return None;
            };
            let event = listed.event.to_owned();
            Some(Unenforced { hook: spec.id().clone(), event, why, blocking })
        });
        found.collect()
    }

    /// Returns those of [`Host::unenforced`] for which the host is refused.
    pub(super) fn refused_for(&self, table: &HandlerTable) -> Vec<Unenforced> {
        let mut unenforced = self.unenforced(table);
        unenforced.retain(|one| one.blocking && !self.accepted.contains(one.hook.as_str()));
        unenforced
    }

    /// Makes a deny of what the host cannot do: asking nobody, running what was not judged, or going on instead of
    /// ending would be less than what hooks have decided.
    pub(super) fn tighten(&self, report: &mut Report) {
        let why = match report.decision {
            Outcome::Deny | Outcome::Cancelled => None,
            Outcome::Ask if !self.can(Power::Ask) => Some("the host can ask nobody"),
            Outcome::Halt if !self.can(Power::Halt) => Some("the host cannot end the run"),
            Outcome::Answered if !self.can(Power::Answer) => {
                Some("the host takes no result of a hook")
            }
            Outcome::Allow | Outcome::Ask
                if !report.patched.is_empty() && !self.can(Power::Patch) =>
            {
                Some("a hook has rewritten the step, and the host takes no rewritten step")
            }
            _ => None,
        };
        if let Some(why) = why {
            let said = report.reason.take().map(|reason| format!("{reason} ({why})"));
            report.reason = Some(said.unwrap_or_else(|| why.to_owned()));
            report.decision = Outcome::Deny;
            report.answer = None;
        }
    }
}

/// The error for guards that the host cannot enforce.
pub(super) fn unenforced(refused: &[Unenforced]) -> CallError {
    let named: Vec<String> = refused
        .iter()
        .map(|one| format!("`{}` at `{}`: {}", one.hook, one.event, one.why))
        .collect();
    let message = format!(
        "guards in force that this host cannot enforce: {}; say `hello` with what it can, or name them in \
         `accept_unenforced`",
        named.join("; ")
    );
    CallError::new(Code::Unenforced, message).with("unenforced", refused)
}
