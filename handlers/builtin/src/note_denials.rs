//! `note_denials`: what is denied is remembered.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::denied_actions::DeniedActions;
use crate::doc::{Build, BuiltinDoc};
use crate::host::Host;
use crate::supports::proposes_call;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "note_denials",
    role: Role::Observe,
    about: "remembers what is denied, for `repeated_denials`",
    supports: Some(proposes_call),
    settings: &[],
    example: r#"[[hook]]
id = "notes"
event = "pre_tool_use"
builtin = { name = "note_denials" }
"#,
    build: Build::WithHost(build),
};

/// Remembers which actions a session was denied, so that [`RepeatedDenials`](crate::RepeatedDenials) knows them
/// again in other words.
///
/// ```toml
/// [[hook]]
/// id = "notes"
/// event = "pre_tool_use"
/// builtin = "note_denials"
/// ```
///
/// It has no settings. A step is noted that ends in a deny or a halt, whichever hook has said so; not one that was
/// denied because a hook failed, which says nothing of the step. What the user has refused is not known. It shares
/// what it remembers with the other hooks of its config, in the [state](crate::Host::state) of the host; what cannot
/// be kept there is told to the user as the failure of an observer. It keeps 64 actions of a session; the oldest is
/// forgotten first.
///
/// It needs the [deeds](crate::Deeds) of the host; in a host that has none it is an error of the config.
pub struct NoteDenials {
    actions: Arc<DeniedActions>,
}

impl fmt::Debug for NoteDenials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoteDenials").finish_non_exhaustive()
    }
}

impl NoteDenials {
    /// Creates a handler that notes denials where a host keeps them; `None` if the host knows no deeds.
    #[must_use]
    pub fn new(host: &Host) -> Option<Self> {
        let actions = host.denied_actions()?;
        actions.is_noted.store(true, Ordering::Relaxed);
        Some(Self { actions })
    }
}

impl SyncHandler for NoteDenials {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let decision = invocation.envelope.decision();
        let denied = decision.filter(|decision| ["deny", "halt"].contains(&decision.outcome));
        if let Some(decision) = denied {
            self.actions.note(&invocation, decision)?;
        }
        Ok(Verdict::none())
    }
}

impl From<NoteDenials> for BuiltHandler {
    fn from(handler: NoteDenials) -> Self {
        let built = Self::from_sync(handler).role(Role::Observe).supports(proposes_call);
        built.identity("sessions").keeps_state().heavy()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    match NoteDenials::new(host) {
        Some(handler) => Some(handler.into()),
        None => {
            settings.invalid("name", "this program does not know what calls do");
            None
        }
    }
}
