//! `safer_shell`: whoever is asked about a call learns what class it is of.

use std::fmt;
use std::sync::Arc;

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::call_class::CallClasses;
use crate::doc::{Build, BuiltinDoc};
use crate::host::Host;
use crate::supports::proposes_call;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "safer_shell",
    role: Role::Guard,
    about: "says what class a call is of, for whoever is asked about it",
    supports: Some(proposes_call),
    settings: &[],
    example: r#"[[hook]]
id = "class-of-commands"
event = "pre_tool_use"
tool = "Bash"
builtin = { name = "safer_shell" }
"#,
    build: Build::WithHost(build),
};

/// Says what class a call is of, for whoever is asked about it: the question of a host can show it.
///
/// ```toml
/// [[hook]]
/// id = "class-of-commands"
/// event = "pre_tool_use"
/// tool = "Bash"
/// builtin = "safer_shell"
/// ```
///
/// It has no settings and decides nothing. It adds four annotations to the decision, under the names that docker agent
/// gives them:
///
/// | annotation | meaning |
/// |---|---|
/// | `safety_label` | `read_only`, `mutating`, `destructive` or `network`: the most dangerous thing that the call does |
/// | `blast_radius` | how far that reaches: `none`, `project`, `machine`, `network`, or `unclear` |
/// | `category` | what it does: `read`, `write`, `delete`, `push`, `network` or `unclear` |
/// | `reason` | why, in words for a person |
///
/// The class comes from what the call would do, as the conditions `writes`, `deletes` and `connects` see it, so it says
/// the same whatever tool is used. To ask or deny by it, write a hook with these conditions.
///
/// It needs the [classes](crate::CallClasses) of the host; in a host that has none it is an error of the config.
pub struct SaferShell {
    classes: Arc<dyn CallClasses>,
}

impl fmt::Debug for SaferShell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaferShell").finish_non_exhaustive()
    }
}

impl SaferShell {
    /// Creates a handler that tells what these know of a call.
    #[must_use]
    pub const fn new(classes: Arc<dyn CallClasses>) -> Self {
        Self { classes }
    }
}

impl SyncHandler for SaferShell {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(class) = self.classes.class_of(invocation.envelope) else {
            return Ok(Verdict::none());
        };
        Ok(Verdict::none()
            .annotate("safety_label", class.safety.name())
            .annotate("blast_radius", class.blast_radius.name())
            .annotate("category", class.category)
            .annotate("reason", class.reason))
    }
}

impl From<SaferShell> for BuiltHandler {
    fn from(handler: SaferShell) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(proposes_call).heavy()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>, host: &Host) -> Option<BuiltHandler> {
    match host.call_classes.clone() {
        Some(classes) => Some(SaferShell::new(classes).into()),
        None => {
            settings.invalid("name", "this program does not know what calls do");
            None
        }
    }
}
